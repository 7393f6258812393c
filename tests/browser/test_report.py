"""The report in a real browser: quiet, readable at any width, by keyboard and in print."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from playwright.sync_api import Page

from elseif.report.report import SECTIONS, write_report
from elseif.report.summary import Summary
from tests.browser.open_page import LAPTOP, PHONE, OpenPage
from tests.helpers_report import long_summary, named_summary, summary

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


def write(folder: Path, found: Summary) -> Path:
    path = folder / "report.html"
    path.write_text(write_report(found), encoding="utf-8")
    return path


def open_details(page: Page) -> None:
    """Open all that is folded, as a reader would."""
    for folded in page.locator("details > summary").all():
        folded.focus()
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
    for anchor in ("list", "people", "discrimination", "calibration", "decision", "posterior"):
        name = f"report-{anchor}-{width}{'-dark' if dark else ''}.png"
        page.locator(f"#{anchor}").screenshot(path=folder / name)
    open_details(page)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    # rows of a table are alike: the first of them stand for the others
    found = page.evaluate("() => axe.run({exclude: [['tbody > tr:nth-child(n + 5)']]})")
    mend = [v for v in found["violations"] if v["impact"] in ("moderate", "serious", "critical")]
    assert [(v["id"], [n["html"][:200] for n in v["nodes"][:3]]) for v in mend] == []


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
    for anchor, heading in SECTIONS:
        link = page.get_by_role("navigation").get_by_role("link", name=heading, exact=True)
        link.focus()
        page.keyboard.press("Enter")
        assert page.url.endswith(f"#{anchor}")
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
