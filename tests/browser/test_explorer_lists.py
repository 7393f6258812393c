"""Using the explorer: lists on hover, groups, insertion, thresholds, bookmarks, text, the path."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

from elseif.antecedents.display_labels import DisplayLabels
from elseif.conditions.condition import Condition
from elseif.report import explorer_page
from elseif.report.explorer_rules import condition_data
from elseif.showing.numbers import percent
from tests.browser.explorer_models import (
    DATA,
    MODELS,
    Fitted,
    antecedents_of,
    fit,
    plain_model,
    python_price,
    write,
)
from tests.browser.models import clinical
from tests.browser.open_page import PHONE, OpenPage

NO_STORAGE = """Object.defineProperty(window, 'localStorage', {
  get() { throw new DOMException('denied', 'SecurityError'); } });"""
NO_CLIPBOARD = "navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));"


@pytest.fixture(scope="module")
def plain_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write(tmp_path_factory.mktemp("plain"), plain_model().page(n_lists=40))


def place_of_dot(page: Page) -> int:
    return int(page.evaluate("() => document.activeElement.dataset.place"))


def check_card(page: Page, entry: dict[str, Any], data: dict[str, Any]) -> None:
    """The card shows the rules of a list in order, each with its probability."""
    card = page.locator("#card")
    assert card.is_visible()
    lines = card.locator("li").all_inner_texts()
    assert len(lines) == len(entry["items"]) + 1
    for item, text in zip(entry["items"], lines, strict=False):
        assert data["antecedents"][item]["text"] in text
        assert "%" in text
    assert f"AUC {entry['auc']:.3f}" in card.inner_text()


# ---------------------------------------------------------------------- landscape


def test_lists_are_read_by_pointing(plain_page: Path, open_page: OpenPage) -> None:
    """Hover shows the list of a mark, which stays while the pointer is on it."""
    page = open_page(plain_page)
    data = page.evaluate(DATA)
    assert page.locator("#card").is_hidden()
    shown = page.evaluate("() => Number(document.querySelector('.dot:last-of-type').dataset.place)")
    dot = page.locator(f".dot[data-place='{shown}']")
    dot.hover()
    check_card(page, data["lists"][shown], data)
    box = page.locator("#card").bounding_box()
    marks = page.locator("#landscape").bounding_box()
    assert box is not None
    assert marks is not None
    assert marks["x"] + marks["width"] <= box["x"]  # no mark is hidden
    assert box["x"] + box["width"] <= 1366
    page.locator("#card").hover()
    page.wait_for_timeout(300)
    assert page.locator("#card").is_visible()
    page.keyboard.press("Escape")
    assert page.locator("#card").is_hidden()


def test_lists_are_read_by_keyboard(plain_page: Path, open_page: OpenPage) -> None:
    page = open_page(plain_page)
    data = page.evaluate(DATA)
    page.locator("#across").focus()
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "End", "Home"):
        page.keyboard.press(key)
        check_card(page, data["lists"][place_of_dot(page)], data)
    assert place_of_dot(page) == 0
    page.keyboard.press("Tab")
    assert page.locator("#card").is_hidden()


def test_axes_have_titles(plain_page: Path, open_page: OpenPage, tmp_path: Path) -> None:
    page = open_page(plain_page)
    titles = page.locator("#landscape .axis")
    axes = ["AUC (training data)", "Log posterior relative to the point estimate"]
    assert titles.all_text_contents() == axes
    page.locator("#across").select_option("length")
    assert titles.first.text_content() == "Number of rules"
    plain = plain_model()
    held_out = plain.page(n_lists=5, holdout=(plain.X, plain.y))
    other = open_page(write(tmp_path, held_out))
    assert other.locator("#landscape .axis").first.text_content() == "AUC (held-out data)"
    key = page.locator("#key").inner_text()
    assert all(word in key for word in ("chosen", "compared with", "point estimate", "size"))


@pytest.mark.parametrize("name", MODELS)
def test_groups_are_those_of_the_first_rule(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """All lists are in one group; the shares add up; a group can be shown alone."""
    page = open_page(write(tmp_path, MODELS[name]().page()))
    data = page.evaluate(DATA)
    groups = page.evaluate("() => groups")
    assert sorted(p for g in groups for p in g["places"]) == list(range(len(data["lists"])))
    for group in groups:
        firsts = {(data["lists"][p]["items"] or [-1])[0] for p in group["places"]}
        assert firsts == set(group["rules"])
        shares = sum(data["lists"][p]["share"] for p in group["places"])
        assert group["share"] == pytest.approx(shares)
    named = [g for g in groups if g["shape"] != "other"]
    assert len({g["shape"] for g in named}) == len(named) <= 6
    button = page.locator(".group").first
    assert data["antecedents"][groups[0]["rules"][0]]["text"] in button.inner_text()
    assert percent(groups[0]["share"]) in button.inner_text()
    button.click()
    assert page.evaluate("() => passing()") == groups[0]["places"]
    assert page.locator(".group[aria-pressed=true]").count() == 1
    page.locator(".group").first.click()
    assert page.locator(".dot").count() == len(data["lists"])


def test_small_shares_are_not_zero(open_page: OpenPage, tmp_path: Path) -> None:
    """No share above 0 reads 0%, and no name of a rule has a sign for machines."""
    page = open_page(write(tmp_path, plain_model().page()))
    data = page.evaluate(DATA)
    shares = [a["inclusion"] for a in data["antecedents"]]
    assert min(share for share in shares if share > 0) < 0.005
    for a in data["antecedents"]:
        assert (a["inclusionText"] == "0%") == (a["inclusion"] == 0)
        assert "<=" not in a["text"] + (a["spelt"] or "")
    assert all(each["shareText"] not in ("0%", "0.0%") for each in data["lists"])
    assert "<=" not in page.locator("main").inner_text()
    titles = page.evaluate("() => [...document.querySelectorAll('[title]')].map((e) => e.title)")
    assert titles
    assert not any("<=" in title for title in titles)


def test_tenths_say_what_they_stand_for(open_page: OpenPage, tmp_path: Path) -> None:
    """Under a minimum cell inclusion is rounded to tenths: 0 is not none."""
    page = open_page(write(tmp_path, plain_model().page(n_lists=3, min_cell=10)))
    texts = page.locator("#rules td.number").all_inner_texts()
    assert any(text.startswith("below 5%") for text in texts)
    assert not any(text.startswith(("0%", "100%")) for text in texts)


# ------------------------------------------------------------------------ editing


def option_prices(page: Page) -> dict[int, float]:
    """The change in log posterior that stands before each rule that can be inserted."""
    options = page.locator("#new-rule option").evaluate_all(
        "(all) => all.map((o) => [o.value, o.text])"
    )
    return {int(v): float(t.split()[0].replace("\u2212", "-")) for v, t in options}


@pytest.mark.parametrize("name", MODELS)
def test_any_antecedent_can_be_inserted(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """All of the pool; the price before each is the one Python gives the list with it."""
    fitted = MODELS[name]()
    page = open_page(write(tmp_path, fitted.page(n_lists=5)))
    data = page.evaluate(DATA)
    pool = fitted.classifier.pool_
    assert data["patterns"]["nAntecedents"] == len(data["antecedents"]) == len(pool)
    places = antecedents_of(data, fitted)
    assert sorted(places) == list(range(len(pool)))
    draft = page.evaluate("() => state.draft")
    before = python_price(fitted, [places[i] for i in draft])[0]
    for line in (0, len(draft)):
        page.locator("#new-place").select_option(str(line))
        prices = option_prices(page)
        assert list(prices.values()) == sorted(prices.values(), reverse=True)
        for item in list(prices)[:: max(1, len(prices) // 6)]:
            items = [*draft[:line], item, *draft[line:]]
            price = python_price(fitted, [places[i] for i in items])[0] - before
            assert prices[item] == pytest.approx(price, abs=0.0051)


def test_a_rule_is_found_and_inserted(plain_page: Path, open_page: OpenPage) -> None:
    """Typing narrows the rules; places tell the price of the one chosen; Enter inserts it."""
    page = open_page(plain_page)
    data = page.evaluate(DATA)
    fitted = plain_model()
    places = antecedents_of(data, fitted)
    start = page.evaluate("() => state.draft")
    page.locator("#find-rule").fill("nyha SMOKING")
    items = list(option_prices(page))
    expected = {
        i
        for i, a in enumerate(data["antecedents"])
        if "nyha" in a["text"] and "smoking" in a["text"] and i not in start
    }
    assert set(items) == expected
    assert items
    page.locator("#new-rule").select_option(str(items[-1]))
    texts = page.locator("#new-place option").all_text_contents()
    before = python_price(fitted, [places[i] for i in start])[0]
    for line, text in enumerate(texts):
        with_it = [*start[:line], items[-1], *start[line:]]
        price = python_price(fitted, [places[i] for i in with_it])[0] - before
        shown = text.split("(")[1].rstrip(")").replace("\u2212", "-")
        assert float(shown) == pytest.approx(price, abs=0.0051)
    page.locator("#new-place").select_option("1")
    page.locator("#new-rule").press("Enter")
    assert page.evaluate("() => state.draft") == [start[0], items[-1], *start[1:]]


def test_undo_and_redo(plain_page: Path, open_page: OpenPage) -> None:
    """By buttons and by keys; an edit after an undo takes the redone away."""
    page = open_page(plain_page)
    draft = "() => state.draft"
    seen = [page.evaluate(draft)]
    for _ in range(2):
        page.locator("#draft [data-key^=drop]").first.click()
        seen.append(page.evaluate(draft))
    page.get_by_role("button", name="Undo").click()
    assert page.evaluate(draft) == seen[1]
    page.keyboard.press("Control+z")
    assert page.evaluate(draft) == seen[0]
    assert page.get_by_role("button", name="Undo").is_disabled()
    page.get_by_role("button", name="Redo").click()
    page.keyboard.press("Control+Shift+z")
    assert page.evaluate(draft) == seen[2]
    assert page.get_by_role("button", name="Redo").is_disabled()
    page.get_by_role("button", name="Start over").click()
    assert page.evaluate(draft) == seen[0]
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("button", name="Undo").click()
    page.locator("#draft [data-key^=drop]").last.click()
    assert page.get_by_role("button", name="Redo").is_disabled()
    page.locator("#find-rule").focus()
    before = page.evaluate(draft)
    page.keyboard.press("Control+z")  # the field's own
    assert page.evaluate(draft) == before


def test_families_of_thresholds() -> None:
    """Numbers, dates and ordered levels by their order, not by their text; others have none."""
    day = np.datetime64
    conditions = [
        Condition("age", ">", 100.0),
        Condition("age", ">", 9.0),
        Condition("age", "<=", 9.0),
        Condition("nyha", "<=", "II", ("I", "III", "II")),
        Condition("nyha", "<=", "III", ("I", "III", "II")),
        Condition("seen", "between", (day("2020-01-01"), day("2021-01-01"))),
        Condition("seen", "between", (day("2019-01-01"), day("2020-01-01"))),
        Condition("sex", "=", "female"),
    ]
    families = [(c["family"], c["rank"]) for c in condition_data(conditions, DisplayLabels())]
    ranks = [(0, 1), (0, 0), (1, 0), (2, 1), (2, 0), (3, 1), (3, 0), (None, None)]
    assert families == ranks


@pytest.mark.parametrize("name", MODELS)
def test_thresholds_are_stepped(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """To the pool's next threshold of the same condition, with the price Python gives."""
    fitted = MODELS[name]()
    page = open_page(write(tmp_path, fitted.page(n_lists=5)))
    data = page.evaluate(DATA)
    places, pool = antecedents_of(data, fitted), fitted.classifier.pool_
    items = {pool[a]: i for i, a in enumerate(places)}
    is_age = [
        i for a, i in items.items() if len(a) == 1 and (a[0].column, a[0].operator) == ("age", ">")
    ]
    values = sorted(pool[places[i]][0].value for i in is_age)
    assert len(values) >= 3
    by_value = {pool[places[i]][0].value: i for i in is_age}
    middle = len(values) // 2
    start = [by_value[values[middle]]]
    page.evaluate("(items) => startEditing(items)", start)
    before = python_price(fitted, [places[i] for i in start])[0]
    for side, index in (("Lower", middle - 1), ("Higher", middle + 1)):
        neighbour = by_value[values[index]]
        price = python_price(fitted, [places[neighbour]])[0] - before
        button = page.get_by_role("button", name=f"{side} threshold")
        label = button.get_attribute("aria-label") or ""
        assert f"{data['antecedents'][neighbour]['text']}, log posterior" in label
        assert float(label.split()[-1].replace("\u2212", "-")) == pytest.approx(price, abs=0.0051)
    page.get_by_role("button", name="Higher threshold").press("Enter")
    assert page.evaluate("() => state.draft") == [by_value[values[middle + 1]]]
    key = page.evaluate("() => document.activeElement.dataset.key ?? document.activeElement.id")
    assert key == ("step0-0-1" if middle + 2 < len(values) else "undo")


# ---------------------------------------------------------------------- bookmarks


def test_bookmarks_are_in_the_link(plain_page: Path, open_page: OpenPage) -> None:
    """A drawn and an edited list, a name of hostile signs, and a link that brings them back."""
    page = open_page(plain_page)
    page.get_by_role("button", name="Bookmark the chosen list").click()
    page.locator("#draft [data-key^=drop]").first.click()
    page.get_by_role("button", name="Bookmark the edited list").click()
    name = "50% <b>;~#&:é"
    page.get_by_label("Name of bookmark 2").fill(name)
    page.get_by_label("Name of bookmark 2").press("Tab")
    marks = page.evaluate("() => state.marks")
    chosen = f"List {page.evaluate('() => state.chosen') + 1}"
    assert [mark["name"] for mark in marks] == [chosen, name]
    assert marks[1]["items"] == page.evaluate("() => state.draft")
    assert page.locator(".dot .star").count() == 1
    fragment = page.evaluate("() => location.hash")
    again = open_page(plain_page)
    again.evaluate("(hash) => { localStorage.clear(); location.hash = hash; }", fragment)
    again.wait_for_function("() => state.marks.length === 2")
    assert again.evaluate("() => state.marks") == marks
    again.get_by_role("button", name=f"Remove {chosen}").click()
    again.reload()
    assert again.evaluate("() => state.marks") == marks[1:]


def test_the_edited_list_is_in_the_link(plain_page: Path, open_page: OpenPage) -> None:
    """With what it was made from, to which "Undo" leads; beside bookmarks or without them."""
    page = open_page(plain_page)
    assert page.evaluate("() => location.hash") == ""
    start = page.evaluate("() => state.draft")
    page.locator("#draft [data-key^=drop]").first.click()
    draft = page.evaluate("() => state.draft")
    assert draft == start[1:]
    fragment = page.evaluate("() => location.hash")
    again = open_page(plain_page)
    again.evaluate("(hash) => { location.hash = hash; }", fragment)
    again.wait_for_function("(length) => state.draft.length === length", arg=len(draft))
    again.reload()
    assert again.evaluate("() => [state.draft, state.marks]") == [draft, []]
    assert again.evaluate("() => location.hash") == fragment
    shown = "() => document.querySelector('#draft').innerText"
    assert again.evaluate(shown) == page.evaluate(shown)
    again.get_by_role("button", name="Undo").click()
    assert again.evaluate("() => state.draft") == start
    assert again.evaluate("() => location.hash") == ""
    again.get_by_role("button", name="Redo").click()
    again.get_by_role("button", name="Bookmark the chosen list").click()
    both = again.evaluate("() => location.hash")
    page.evaluate("(hash) => { location.hash = hash; }", both)
    page.wait_for_function("() => state.marks.length === 1")
    assert page.evaluate("() => state.draft") == draft
    for broken in ("@9999,0", "@0.0,0", "@x,0", "@0", "@0,0,0"):
        page.evaluate("(tail) => { location.hash = `${fingerprint}:${tail}`; }", broken)
        page.wait_for_function("() => state.marks.length === 0")
        assert page.evaluate("() => state.draft") == draft
        page.evaluate("(hash) => { location.hash = hash; }", both)
        page.wait_for_function("() => state.marks.length === 1")


def test_bookmarks_of_another_page_or_a_broken_link(plain_page: Path, open_page: OpenPage) -> None:
    page = open_page(plain_page)
    shown = page.evaluate(
        """() => [`#00000000:1.2~a`, `#${fingerprint}:1.99999~a`, `#${fingerprint}:1.1~a`,
          "#", "#x",
          `#${fingerprint}:1~%E0%A4`, `#${fingerprint}:x~a`, `#${fingerprint}:-1~a`].map(marksOf)"""
    )
    assert shown == [None, [], [], None, None, [], [], []]


def test_bookmarks_as_a_file(plain_page: Path, open_page: OpenPage, tmp_path: Path) -> None:
    """Where the browser keeps nothing for a page: saved, and opened again."""
    page = open_page(plain_page, init_script=NO_STORAGE)
    page.get_by_role("button", name="Bookmark the list compared with").click()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Save bookmarks").click()
    path = tmp_path / "bookmarks.json"
    waiting.value.save_as(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    data = page.evaluate(DATA)
    items = data["lists"][data["point"]]["items"]
    assert content["bookmarks"][0]["text"] == [data["antecedents"][i]["text"] for i in items]
    other = open_page(plain_page, init_script=NO_STORAGE)
    other.locator("#import-marks").set_input_files(path)
    other.wait_for_function("() => state.marks.length === 1")
    assert other.evaluate("() => state.marks[0].items") == items
    path.write_text("no JSON")
    other.locator("#import-marks").set_input_files(path)
    other.get_by_text("This file has no bookmarks of this page.").wait_for()


# --------------------------------------------------------------------------- text


@pytest.mark.parametrize("name", MODELS)
def test_lists_as_text(name: str, open_page: OpenPage, tmp_path: Path) -> None:
    """Every line with its rule, probability, interval and n, as Python writes them."""
    fitted = MODELS[name]()
    page = open_page(write(tmp_path, fitted.page(n_lists=3)))
    data = page.evaluate(DATA)
    text = page.evaluate("() => listText(model.lists[model.point])")
    head, *lines = text.rstrip("\n").split("\n")
    assert head.endswith("(95% credible interval).")
    rules = fitted.classifier.rule_list_.rules
    assert len(lines) == len(rules)
    for line, rule in zip(lines, rules, strict=True):
        assert rule.antecedent.name.replace("<=", "≤").split(" and ")[0].split(" ")[0] in line
        expected = f"{rule.n:,.0f}" if rule.n == int(rule.n) else f"{rule.n:,.2f}"
        assert line.endswith(f"n = {expected}")
    for word in fitted.classifier.rule_list_.to_text(width=10_000).split():
        if word.endswith(("%", "%)")):
            assert word.strip("()") in text
    assert data["roundedTo"] is None


def test_text_is_copied_or_shown(plain_page: Path, open_page: OpenPage) -> None:
    """Where a page may not write to the clipboard, the text is shown to be copied by hand."""
    page = open_page(plain_page, init_script=NO_CLIPBOARD)
    page.get_by_role("button", name="Copy the chosen list as text").click()
    page.locator("#by-hand").wait_for()
    text = page.evaluate("() => listText(model.lists[state.chosen])")
    assert page.locator("#by-hand-text").input_value() == text
    page.keyboard.press("Escape")
    assert page.locator("#by-hand").is_hidden()
    page = open_page(plain_page)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy the chosen list as text").click()
    page.get_by_text("copied.").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == text


# ----------------------------------------------------------------------- the path


@pytest.fixture(scope="module")
def projected() -> Fitted:
    X, y = clinical(400, seed=5)
    fitted = fit(X[["age", "nyha", "diabetes", "smoking"]], y, max_length=3)
    path = fitted.classifier.project(
        X[["age", "nyha", "diabetes", "smoking"]], y, max_length=3, folds=2
    )
    return fitted._replace(classifier=path.as_classifier())


def test_path_of_projected_lists(projected: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """Each length with its distance and its scores out of sample, its list, and an editor."""
    page = open_page(write(tmp_path, projected.page(n_lists=10)))
    path = projected.classifier.projection_path_
    rows = page.locator("#path-rows tr")
    texts = [row.locator("td.number").all_inner_texts() for row in rows.all()]
    assert len(texts) == len(path) + 2
    for m in range(len(path)):
        expected = (path.distances[m], path.scores.log_loss[m], path.scores.auc[m])
        assert texts[m] == [f"{v:.{d}f}" for v, d in zip(expected, (4, 4, 3), strict=True)]
        page.get_by_role("button", name=f"Show the projected list of {m} rules").click()
        shown = page.locator("#projected .line")
        assert shown.count() == len(path[m]) + 1
        for line, rule in zip(shown.all(), path[m], strict=True):
            assert percent(float(rule.probabilities[1])) in line.inner_text()
    assert "suggested" in rows.nth(path.scores.suggested).inner_text()
    page.get_by_role("button", name="Edit the projected list").click()
    names = [projected.classifier.pool_[a].name for a in _pool_places(page, projected)]
    assert names == [a.name for a in path[len(path) - 1].antecedents]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1366


def test_projected_lists_on_a_phone(projected: Fitted, open_page: OpenPage, tmp_path: Path) -> None:
    """All columns of their table are in sight, and no word of it is broken."""
    page = open_page(write(tmp_path, projected.page(n_lists=10)), *PHONE)
    table = page.locator("#projection .scroll")
    assert table.evaluate("(e) => e.scrollWidth <= e.clientWidth + 1")
    broken = table.evaluate("""(box) => {
      const texts = document.createTreeWalker(box, NodeFilter.SHOW_TEXT);
      const range = document.createRange(), found = [];
      while (texts.nextNode()) {
        for (const word of texts.currentNode.data.matchAll(/\\S+/g)) {
          range.setStart(texts.currentNode, word.index);
          range.setEnd(texts.currentNode, word.index + word[0].length);
          if (range.getClientRects().length > 1) found.push(word[0]);
        }
      }
      return found;
    }""")
    assert broken == []


def _pool_places(page: Page, fitted: Fitted) -> list[int]:
    places = antecedents_of(page.evaluate(DATA), fitted)
    return [places[i] for i in page.evaluate("() => state.draft")]


def test_no_path_under_a_minimum_cell(projected: Fitted) -> None:
    text = explorer_page(projected.classifier, projected.X, projected.y, n_lists=3, min_cell=10)
    assert json.loads(text.split('id="data">')[1].split("</script>")[0])["path"] is None
    assert 'id="path-rows"' not in text


# -------------------------------------------------------------------------- looks


def test_everything_at_once_is_accessible(
    projected: Fitted, open_page: OpenPage, tmp_path: Path, axe: str
) -> None:
    """With bookmarks, projected lists, a card and an edit, on a phone: nothing serious."""
    page = open_page(write(tmp_path, projected.page(n_lists=8)), *PHONE, init_script=axe)
    page.get_by_role("button", name="Bookmark the chosen list").click()
    page.locator("#draft [data-key^=drop]").first.click()
    page.locator(".dot[tabindex='0']").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator("#card").is_visible()
    assert page.evaluate("() => document.documentElement.scrollWidth") <= PHONE[0]
    shown = page.evaluate("() => axe.run()")
    serious = [v for v in shown["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []


def test_no_rule_to_choose_from(open_page: OpenPage, tmp_path: Path) -> None:
    """A posterior of the default rule alone has its group, its text, and no editor."""
    X, y = pd.DataFrame({"x": [0.0, 1.0, 2.0, 3.0] * 5}), np.tile([0, 0, 1, 1], 5)
    fitted = fit(X, y, min_support=20, empty_pool="default_rule")
    page = open_page(write(tmp_path, fitted.page()))
    assert "no rule" in page.locator("#groups").inner_text()
    assert "always" in page.evaluate("() => listText(model.lists[0])")


def test_a_difference_of_nothing_to_speak_of(open_page: OpenPage, plain_page: Path) -> None:
    """No list is "1 times less probable"."""
    page = open_page(plain_page)
    differences = [0.0, 0.01, -0.04, -0.1, 1.1]
    assert [page.evaluate("(d) => oddsText(d)", d) for d in differences] == [
        "equally probable", "about equally probable", "about equally probable",
        "1.1 times less probable", "3 times more probable",
    ]  # fmt: skip


def test_a_sign_stays_beside_its_value(plain_page: Path, open_page: OpenPage) -> None:
    """On a phone too, "age >" is not at the end of a line and 60 at the beginning of the next."""
    page = open_page(plain_page, *PHONE)
    kept = page.locator(".line .rule .nowrap")
    assert kept.count() > 0
    assert all(text[:2] in ("> ", "≤ ", "= ") for text in kept.all_text_contents())
    rows = kept.evaluate_all("(all) => all.map((one) => one.getClientRects().length)")
    assert set(rows) <= {0, 1}  # none where it is folded
    kept = page.locator("#groups bdi .nowrap")
    assert kept.count() > 0
    assert all(text[:2] in ("> ", "≤ ", "= ") for text in kept.all_text_contents())
    options = page.locator("#new-rule option").all_text_contents()
    assert any("\u00a0" in text for text in options)
    assert not any(sign in text for text in options for sign in ("> ", "≤ ", "= "))
    parts = "(text) => unbroken(text).map((part) => part.textContent ?? part)"
    assert page.evaluate(parts, "seen on > 2021-11-01 and ward = east") == [
        "seen on ", "> 2021-11-01", " and ward ", "= east", "",
    ]  # fmt: skip
