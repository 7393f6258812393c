"""The report in a real browser: quiet, readable at any width, by keyboard and in print."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Page

from elseif.report.findings import SIGNS, verdict
from elseif.report.methods import methods_text
from elseif.report.report import SECTIONS, report_page
from elseif.report.summary import Summary
from tests.browser.open_page import LAPTOP, PHONE, OpenPage
from tests.report.reading import (
    long_summary,
    named_summary,
    summary,
    three_labels_summary,
    unsteady_summary,
)

# texts of digits alone that are drawn on more lines than one
BROKEN_NUMBERS = """() => [...document.querySelectorAll("td, th")].flatMap((cell) => {
  const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
  const broken = [];
  while (texts.nextNode()) {
    for (const found of texts.currentNode.data.matchAll(/[0-9][0-9.,]*%?/g)) {
      const range = document.createRange();
      range.setStart(texts.currentNode, found.index);
      range.setEnd(texts.currentNode, found.index + found[0].length);
      const tops = [...range.getClientRects()].map((rect) => Math.round(rect.top));
      if (new Set(tops).size > 1) broken.push(found[0]);
    }
  }
  return broken;
})"""


BROKEN_DATES = BROKEN_NUMBERS.replace("/[0-9][0-9.,]*%?/g", r"/\d{4}-\d{2}-\d{2}/g")


def write(folder: Path, result: Summary) -> Path:
    path = folder / "report.html"
    path.write_text(report_page(result), encoding="utf-8")
    return path


def open_details(page: Page) -> None:
    """Open all that is folded, as a reader would."""
    while (folded := page.locator("details:not([open]) > summary:visible")).count():
        folded.first.focus()
        page.keyboard.press("Enter")


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), [PHONE, LAPTOP])
def test_looks(
    open_page: OpenPage, tmp_path: Path, axe: str, width: int, height: int, dark: bool
) -> None:  # fmt: skip
    """Nothing sticks out, axe finds nothing to mend, and pictures are kept."""
    page = open_page(write(tmp_path, summary()), width, height, dark=dark, init_script=axe)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    # section by section: the whole page is taller than some machines can draw at once
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    for anchor in ("verdict", "list", "people", "calibration", "decision", "posterior", "methods"):
        name = f"report-{anchor}-{width}{'-dark' if dark else ''}.png"
        page.locator(f"#{anchor}").screenshot(path=folder / name)
    open_details(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    # rows of a table are alike: the first of them stand for the others
    shown = page.evaluate("() => axe.run({exclude: [['tbody > tr:nth-child(n + 5)']]})")
    mend = [v for v in shown["violations"] if v["impact"] in ("moderate", "serious", "critical")]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in mend] == []


@pytest.mark.parametrize(("width", "height"), [PHONE, LAPTOP])
def test_three_labels(
    open_page: OpenPage, tmp_path: Path, axe: str, width: int, height: int
) -> None:
    """Every label has its row in every line, and its part in every section on performance."""
    result = three_labels_summary()
    page = open_page(write(tmp_path, result), width, height, init_script=axe)
    assert page.locator(".rules tbody").count() == len(result.lines)
    assert page.locator(".rules tbody").first.locator(".label-name").all_inner_texts() == [
        "bleeding", "none", "stroke",
    ]  # fmt: skip
    for anchor in ("discrimination", "calibration", "decision", "thresholds", "subgroups"):
        headings = page.locator(f"#{anchor} details.by-label > summary h3")
        assert [text.split()[0] for text in headings.all_inner_texts()] == [
            "bleeding", "none", "stroke",
        ]  # fmt: skip
        assert page.locator(f"#{anchor} .badge").nth(2).is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    folder = Path(os.environ.get("SCREENSHOTS", tmp_path))
    page.locator("#list").screenshot(path=folder / f"report-three-labels-{width}.png")
    found_by_axe = page.evaluate("() => axe.run({exclude: [['tbody > tr:nth-child(n + 5)']]})")
    impacts = ("moderate", "serious", "critical")
    assert [v["id"] for v in found_by_axe["violations"] if v["impact"] in impacts] == []


def test_the_verdict_is_known_without_colours(open_page: OpenPage, tmp_path: Path) -> None:
    """By a sign and in words; cautions follow; all of it stands before the list."""
    page = open_page(write(tmp_path, unsteady_summary()), *PHONE)
    expected = verdict(unsteady_summary())
    findings = page.locator("#verdict .finding")
    assert findings.count() == len(expected.findings) == 4
    for i, each in enumerate(expected.findings):
        shown = findings.nth(i)
        assert shown.locator(".sign").inner_text() == SIGNS[each.mark]
        assert shown.locator(".sign").get_attribute("aria-hidden") == "true"
        assert f"({each.mark})" in (shown.locator(".topic").text_content() or "")
        assert shown.locator(".headline").inner_text() == each.headline
        assert shown.locator("a").get_attribute("href") == f"#{each.anchor}"
    assert page.locator("#verdict .cautions li").count() == len(expected.cautions)
    top = "(id) => document.getElementById(id).getBoundingClientRect().top"
    assert page.evaluate(top, "verdict") < page.evaluate(top, "list")


def test_a_phone_has_room_for_conditions_and_all_groups(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """A condition may take the whole line; no group of people is beyond the edge."""
    page = open_page(write(tmp_path, long_summary()), *PHONE)
    table = page.locator(".rules").bounding_box()
    condition = page.locator(".rules tbody th").first.bounding_box()
    assert table is not None
    assert condition is not None
    assert condition["width"] > 0.95 * table["width"]
    last = page.locator(".people thead th").last.bounding_box()
    assert last is not None
    assert last["x"] + last["width"] <= PHONE[0]
    fits = "(e) => e.scrollWidth <= e.clientWidth"
    assert page.locator("#people .scroll").evaluate(fits)
    inclusion = page.locator(".scroll:has(.inclusion)")
    assert inclusion.evaluate(fits)
    assert inclusion.locator("td.number").first.inner_text().endswith("%")


def test_no_date_is_broken_on_a_phone(open_page: OpenPage, tmp_path: Path) -> None:
    """The median and the quartiles of four groups are beside each other, each date whole."""
    page = open_page(write(tmp_path, three_labels_summary()), *PHONE)
    visits = page.locator("#people tr.column:has-text('visit') td")
    assert visits.count() == 4
    assert "2020-" in visits.first.inner_text()
    assert page.evaluate(BROKEN_DATES) == []
    assert page.locator("#people .scroll").evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_a_phone_has_room_for_three_labels(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write(tmp_path, three_labels_summary()), *PHONE)
    assert page.locator(".people thead th.number").count() == 4
    assert page.locator("#people .scroll").evaluate("(e) => e.scrollWidth <= e.clientWidth")


def test_a_laptop_has_room_for_three_labels_and_dates(open_page: OpenPage, tmp_path: Path) -> None:
    """Ranges of dates go to a line of their own; names of labels stay on one."""
    page = open_page(write(tmp_path, three_labels_summary()), 1280)
    assert page.locator("#people .scroll").evaluate("(e) => e.scrollWidth <= e.clientWidth")
    assert page.evaluate(BROKEN_DATES) == []
    page.locator(".label-name bdi").evaluate_all("""(all) => all.forEach((name) => {
      name.textContent = "nursing home";
    })""")
    rows = "(all) => all.map((name) => name.getClientRects().length)"
    assert set(page.locator(".label-name bdi").evaluate_all(rows)) == {1}


def test_a_rule_in_a_table_keeps_its_value(open_page: OpenPage, tmp_path: Path) -> None:
    """A long name is shown whole, and one of no reasonable length is cut in its middle."""
    told = three_labels_summary()
    long = "C-reactive protein (mg/L), measured within 24 hours of admission to hospital > 15"
    endless = f"{'x' * 500} > 27"
    assert told.stability is not None
    stability = replace(told.stability, rules=((long, 2), (endless, 1)))
    page = open_page(write(tmp_path, replace(told, stability=stability)))
    texts = [
        text.replace("\u00a0", " ") for text in page.locator("#stability bdi").all_text_contents()
    ]
    assert long in texts
    assert any(text.endswith("> 27") and len(text) < 300 for text in texts)


def test_settings_and_checklist_are_folded_but_printed(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write(tmp_path, summary()))
    for anchor in ("settings", "tripod"):
        assert page.locator(f"#{anchor} h2").is_visible()
        assert not page.locator(f"#{anchor} table").is_visible()
    assert not page.locator("#list details table").first.is_visible()
    page.emulate_media(media="print")
    for anchor in ("settings", "tripod"):
        assert page.locator(f"#{anchor} table").is_visible()
    assert not page.locator("#list details table").first.is_visible()  # numbers behind a drawing
    assert "See there" not in page.locator("#tripod").inner_text()


def test_the_methods_paragraph_is_copied(open_page: OpenPage, tmp_path: Path) -> None:
    """To the clipboard; where the browser has none for pages on disk, by selecting it."""
    page = open_page(write(tmp_path, summary()))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.split() == methods_text(summary()).split()
    page.evaluate("() => { navigator.clipboard.writeText = () => Promise.reject(); }")
    page.locator("#copied").evaluate("(e) => { e.textContent = ''; }")
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("() => String(getSelection())").split() == copied.split()


@pytest.mark.parametrize("width", [360, 700, 900, 1100, 1366])
def test_no_number_is_broken(open_page: OpenPage, tmp_path: Path, width: int) -> None:
    """However long the names beside them are, the digits of a number stay on one line."""
    page = open_page(write(tmp_path, long_summary()), width)
    open_details(page)
    assert page.locator("td.number").count() > 20
    assert page.evaluate(BROKEN_NUMBERS) == []


def test_keyboard(open_page: OpenPage, tmp_path: Path) -> None:
    """The first stop skips to the report, the contents lead to every section, all unfolds."""
    page = open_page(write(tmp_path, summary()))
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the report"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "content"
    sections = [each for each in SECTIONS if each[0] != "projection"]  # which nobody asked for
    for anchor, heading in sections:
        link = page.get_by_role("navigation").get_by_role("link", name=heading, exact=True)
        link.focus()
        page.keyboard.press("Enter")
        page.wait_for_url(f"**#{anchor}")
        assert page.locator(f"#{anchor}").is_visible()
    open_details(page)
    assert page.locator("details:not([open])").count() == 0


def test_roles_for_a_screen_reader(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write(tmp_path, summary()))
    assert page.get_by_role("img", name="ROC curve").count() == 1
    assert page.get_by_role("main").count() == 1
    for _, heading in SECTIONS[:3]:
        assert page.get_by_role("heading", name=heading).count() >= 1
    rules = page.locator("table.rules")
    assert rules.get_by_role("rowheader").count() == len(summary().lines)


def test_print(open_page: OpenPage, tmp_path: Path) -> None:
    """In print the contents are gone, the drawings are there, and pages come out."""
    page = open_page(write(tmp_path, summary()), dark=True)
    page.emulate_media(media="print")
    assert not page.locator("nav").is_visible()
    assert page.locator("svg.chart").first.is_visible()
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    ink = page.evaluate("() => getComputedStyle(document.body).color")
    assert paper in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    assert ink == "rgb(26, 32, 39)"  # dark ink, whatever the screen's theme
    printed = page.pdf(format="A4")
    assert printed.startswith(b"%PDF")
    assert printed.count(b"/Type /Page\n") >= 4


def test_motion_is_reduced_when_asked(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write(tmp_path, summary()))
    behaviour = "() => getComputedStyle(document.documentElement).scrollBehavior"
    page.emulate_media(reduced_motion="reduce")
    assert page.evaluate(behaviour) == "auto"


@pytest.mark.parametrize(("width", "height"), [PHONE, LAPTOP])
def test_hostile_names(open_page: OpenPage, tmp_path: Path, width: int, height: int) -> None:
    """Names are text: nothing runs, nothing is asked for, nothing sticks out."""
    page = open_page(write(tmp_path, named_summary(True)), width, height)
    open_details(page)
    assert page.locator("img, iframe, object").count() == 0
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    assert page.get_by_text("<img src=x onerror=alert(1)>").count() > 0


def test_small_cells(open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(write(tmp_path, summary(min_cell=10)))
    assert page.get_by_text("Counts are rounded to multiples of 10.").first.is_visible()
    open_details(page)
    shown = page.locator("main").inner_text()
    assert "NaN" not in shown
    assert page.locator("#people td.number", has_text="(").count() > 10


def test_unsteady_inclusions_are_marked(open_page: OpenPage, tmp_path: Path) -> None:
    """By a sign that the page explains, and in words for those who hear it; and no others."""
    result = unsteady_summary()
    assert result.posterior is not None
    unsteady = result.posterior.unsteady_inclusions
    drawn = [name for name, _ in result.posterior.inclusion[:12]]
    assert 0 < len(set(drawn) & set(unsteady)) < len(drawn)
    page = open_page(write(tmp_path, result), *PHONE)
    rows = page.locator(".inclusion tbody tr")
    assert rows.count() == len(drawn)
    for i, name in enumerate(drawn):
        cell = rows.nth(i).locator("td.number")
        marks = cell.get_by_text("~", exact=True)
        assert marks.count() == (name in unsteady), name
        assert ("not yet steady" in (cell.text_content() or "")) == (name in unsteady)
        if name in unsteady:
            assert marks.get_attribute("aria-hidden") == "true"
            assert marks.is_visible()
    element = page.locator("#posterior p", has_text="~ marks an inclusion probability")
    assert "another run of the sampler may give a different one" in element.inner_text()
    table = page.locator("#posterior details", has_text="Inclusion of further rules")
    table.locator("summary").click()
    n_named = sum(name in unsteady for name, _ in result.posterior.inclusion)
    assert table.get_by_text("not yet steady", exact=True).count() == n_named
    steady = open_page(write(tmp_path, summary()))
    assert "~ marks" not in steady.locator("#posterior").inner_text()


OUTSIDE = """() => [...document.querySelectorAll("svg.chart")].flatMap((svg) => {
  const { x, width } = svg.viewBox.baseVal;
  return [...svg.querySelectorAll("text:not([transform])")]
    .filter((text) => text.getBBox().x < x || text.getBBox().x + text.getBBox().width > x + width)
    .map((text) => text.textContent);
})"""


def test_numbers_of_a_long_run_are_not_cut_off(open_page: OpenPage, tmp_path: Path) -> None:
    """A million draws have a label of nine characters at the very end of the axis."""
    data = summary()
    assert data.convergence is not None
    traces = []
    for trace in data.convergence.traces:
        draws = np.linspace(1, 1_000_000, len(trace.draws)).astype(int).tolist()
        traces.append(replace(trace, draws=draws))
    long = replace(data, convergence=replace(data.convergence, traces=traces))
    page = open_page(write(tmp_path, long), 1100)
    assert page.locator("svg.chart text", has_text="1,000,000").count() == 1
    assert page.evaluate(OUTSIDE) == []


def test_a_date_is_not_broken_at_its_hyphens(open_page: OpenPage, tmp_path: Path) -> None:
    """On a phone as well, the day of a date stays beside its year."""
    data = summary()
    dated = "seen on > 2021-11-01 and admitted on <= 2020-12-31"
    lines = [replace(line, condition=f"{line.condition} and {dated}") for line in data.lines[:-1]]
    page = open_page(write(tmp_path, replace(data, lines=[*lines, data.lines[-1]])), 360)
    dates = page.locator("table.rules .nowrap")
    assert dates.all_text_contents()[:2] == ["2021-11-01", "2020-12-31"]
    assert dates.count() == 2 * len(lines)
    heights = dates.evaluate_all("(all) => all.map((date) => date.getClientRects().length)")
    assert set(heights) == {1}


def test_letters_have_one_size_in_all_drawings(open_page: OpenPage, tmp_path: Path) -> None:
    """A drawing that is enlarged more than the others has larger letters."""
    scales = "(all) => all.map((e) => e.getBoundingClientRect().width / e.viewBox.baseVal.width)"
    for width in (768, 1280):
        page = open_page(write(tmp_path, summary()), width)
        shown = page.locator("svg.chart").evaluate_all(scales)
        assert len(shown) >= 5
        assert max(shown) < 1.15
        assert max(shown) / min(shown) < 1.2


def test_a_printed_table_of_people_may_go_on(open_page: OpenPage, tmp_path: Path) -> None:
    """Its columns stay whole, but the table is not moved as one block to the next page."""
    page = open_page(write(tmp_path, summary()))
    page.emulate_media(media="print")
    rows = page.locator(".people tbody tr")
    kept = "(all) => all.map((e) => getComputedStyle(e)).map((s) => s.breakBefore + s.breakAfter)"
    assert rows.count() > 5
    assert set(rows.evaluate_all(kept)[1:]) == {"autoauto"}


def test_no_heading_ends_a_printed_page(open_page: OpenPage, tmp_path: Path) -> None:
    """What follows a heading and its badge must be able to keep them, so both are blocks."""
    page = open_page(write(tmp_path, summary()))
    page.emulate_media(media="print")
    kept = page.evaluate(
        "() => [...document.querySelectorAll('main section > h2, main .badge')]"
        ".map((e) => [getComputedStyle(e).display, getComputedStyle(e).breakAfter])"
    )
    assert len(kept) > 10
    assert {tuple(each) for each in kept} == {("block", "avoid")}
    whole = page.locator("table.rules, .lists > li").evaluate_all(
        "(all) => all.map((e) => getComputedStyle(e).breakInside)"
    )
    assert len(whole) > 3
    assert set(whole) == {"avoid"}
