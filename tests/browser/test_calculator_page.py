"""The calculator's page: reach, print, names, looks, and what it refuses."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator

from elseif import BayesianRuleListClassifier
from elseif.conditions.condition import Condition
from elseif.errors import ParamError, ParamTypeError
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.line_intervals import line_intervals
from elseif.report.calculator import calculator_page
from elseif.report.report import report_page
from elseif.showing.list_text import enough_decimals, percent
from tests.browser.calculator_tools import columns_of, fill_in, lit, write
from tests.browser.hostile import HOSTILE
from tests.browser.models import (
    QUESTIONS,
    RANGES,
    UNITS,
    model_of,
)
from tests.browser.open_page import OpenPage
from tests.report.reading import fitted, fitted_to_three, patients, three_outcomes

# ---------------------------------------------------------------- reach and print


def test_keyboard_and_screen_reader(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Every control is reached by Tab, radios by arrows, and the answer is spoken."""
    page = open_page(write(tmp_path, stroke, units=UNITS, ranges=RANGES))
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.name || document.activeElement.id"))
    n = len(columns_of(page))
    assert {f"q{i}" for i in range(n) if page.locator(f"[name=q{i}]").count()} <= reached
    assert {"clear", "print", "copy-result", "copy-link", "case-name"} <= reached
    names = columns_of(page)
    page.locator(f"[name=q{names.index('prior stroke')}]").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.locator(f"[name=q{names.index('prior stroke')}][value='1']").is_checked()
    age = page.locator(".question").nth(names.index("age")).locator(".field")
    age.fill("99")
    age.press("ArrowUp")
    assert age.input_value() == "100"
    assert "Outside 18 to 99" in (age.locator("xpath=ancestor::fieldset").text_content() or "")
    for index, value in ((names.index("admitted"), "2021-01-01"), (names.index("nyha"), 3)):
        fill_in(page, index, {"state": "value", "value": value})
    page.wait_for_function(
        "() => document.getElementById('spoken').textContent.startsWith('Line 3')"
    )
    spoken = page.locator("#spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    assert "95% interval" in (spoken.text_content() or "")


def test_print_view(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    """On paper: the case, its answers, the line, the risk, the date, the model and the note."""
    note = "For teaching only."
    options = {"title": "Stroke list 7", "units": UNITS, "ranges": RANGES, "note": note}
    page = open_page(write(tmp_path, stroke, **options))
    names = columns_of(page)
    fill_in(page, names.index("prior stroke"), {"state": "value", "value": 1})
    fill_in(page, names.index("nyha"), {"state": "value", "value": 2})
    fill_in(page, names.index("admitted"), {"state": "value", "value": "2021-01-01"})
    fill_in(page, names.index("age"), {"state": "value", "value": 110})
    page.locator("#case-name").fill("Bed 12 <b>")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    text = page.locator("body").inner_text()
    for part in (
        "Stroke list 7",
        "Bed 12 <b>",
        "Printed on",
        "2021-01-01",
        "III",
        note,
        "110 years (Outside",
    ):
        assert part in text
    assert "Applies: line 3 (prior stroke)." in text
    assert not page.locator("#case").is_visible()
    assert len(page.pdf(format="A4")) > 5000


def test_many_labels(
    patients: tuple[pd.DataFrame, pd.Series], open_page: OpenPage, tmp_path: Path
) -> None:
    """A list of three labels shows each with its probability."""
    X, _ = patients
    y = np.where(X["age"] > 75, "died", np.where(X["diabetes"], "readmitted", "well"))
    lists = [[Condition("age", ">", 75.0)], [Condition("diabetes", "is true")]]
    model = model_of(lists, X, y)
    page = open_page(write(tmp_path, model))
    assert page.locator(".result").count() == 3
    fill_in(page, 0, {"state": "value", "value": 80})
    shown = page.locator("#answer .of").all_text_contents()
    assert shown == [f"Probability of {label}" for label in ("died", "readmitted", "well")]
    decimals = enough_decimals(model.rule_list, [0, 1, 2], 0.95)
    expected = [percent(p, decimals) for p in model.rule_list[0].probabilities]
    assert page.locator(".risk").all_text_contents() == expected


def test_list_of_the_default_rule_alone(open_page: OpenPage, tmp_path: Path) -> None:
    """Nothing to ask, one answer."""
    page = open_page(write(tmp_path, model_of([], pd.DataFrame({"x": [1.0, 2, 3]}), [0, 1, 1])))
    assert lit(page) == [0]
    assert "asks nothing" in page.locator("#case").inner_text()


# ---------------------------------------------------------------- names and looks


def hostile_model(names: tuple[str, ...]) -> FittedModel:
    """Names as columns, categories and labels."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({name: rng.random(200) < 0.5 for name in names})
    X["category"] = rng.choice(names, 200)
    lists = [[Condition(name, "is true")] for name in names]
    lists.append([Condition("category", "in", names[:3])])
    return model_of(lists, X, rng.choice(names[:3], 200))


def test_hostile_names(open_page: OpenPage, tmp_path: Path) -> None:
    """As many elements as with harmless names, nothing runs, and data hold names unchanged."""
    harmless = tuple(f"name {i}" for i in range(len(HOSTILE)))
    count = "() => document.querySelectorAll('*').length"
    plain = open_page(write(tmp_path, hostile_model(harmless), title="title")).evaluate(count)
    model = hostile_model(HOSTILE)
    options = {"units": dict.fromkeys(HOSTILE, HOSTILE[0]), "note": HOSTILE[1], "title": HOSTILE[0]}
    page = open_page(write(tmp_path, model, **options), 360, 740)
    assert page.evaluate(count) == plain
    assert columns_of(page) == [*HOSTILE, "category"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    fill_in(page, 0, {"state": "value", "value": 1})
    assert lit(page) == [0]
    text = page.locator("body").inner_text()
    assert "\u202e" not in text  # spelt out where people read
    assert "\\u202e" in text
    full: Locator = page.locator(".asked").nth(len(HOSTILE) - 1)
    assert len(full.text_content() or "") == 80
    assert len(full.get_attribute("title") or "") == 10_000


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize(("width", "height"), [(360, 740), (1366, 768)])
def test_looks(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path, axe: str, screenshot: Any,
    width: int, height: int, dark: bool,
) -> None:  # fmt: skip
    """Nothing sticks out, axe finds nothing serious, and a picture is kept."""
    path = write(tmp_path, stroke, units=UNITS, questions=QUESTIONS, ranges=RANGES)
    page = open_page(path, width, height, dark=dark, init_script=axe)
    fill_in(page, columns_of(page).index("age"), {"state": "value", "value": 50})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    shown = page.evaluate("() => axe.run()")
    serious = [v for v in shown["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []
    screenshot(page, f"calculator-{width}{'-dark' if dark else ''}")


# ------------------------------------------------------------ sources and refusals


def test_the_list_that_predicts(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The MAP list when that predicts; a word when an average over lists does."""
    clf = copy.copy(titanic_classifier)
    clf.predict_with = "map"
    assert as_model(clf).chosen_list() is clf.map_rule_list_
    assert "average over many lists" not in calculator_page(clf)
    clf.predict_with = "posterior"
    assert as_model(clf).chosen_list() is clf.rule_list_
    assert "average over many lists" in calculator_page(clf)
    assert FittedModel.of_list(clf.rule_list_).column("sex") is None


def test_refusals(stroke: FittedModel) -> None:
    """What cannot be drawn is refused in words."""
    with pytest.raises(ParamError, match="units: the model has no column 'agge'"):
        calculator_page(stroke, units={"agge": "years"})
    with pytest.raises(ParamError, match="column 'age' has 9 and 1; give two numbers, the low"):
        calculator_page(stroke, ranges={"age": (9, 1)})
    with pytest.raises(ParamTypeError, match="BayesianRuleListClassifier that is not fitted"):
        calculator_page(BayesianRuleListClassifier())
    with pytest.raises(ParamTypeError, match="not dict"):
        calculator_page({})
    X, _ = patients()
    with pytest.raises(ParamTypeError, match=r"title must be text, not DataFrame.*X=X"):
        calculator_page(stroke, X)
    with pytest.raises(ParamTypeError, match=r"not FittedModel: report_page\(summarise\("):
        report_page(stroke)


# ------------------------------------------------------------- what other lists say


def test_intervals_over_all_lists(open_page: OpenPage, tmp_path: Path) -> None:
    """Beside the line's own: in the answer, in the list and for ears, with a word on both."""
    X, _ = patients()
    ends = line_intervals(fitted().posterior_, fitted().rule_list_, fitted().model_.read(X), 0.95)
    decimals = enough_decimals(fitted().rule_list_, [1], 0.95)
    low, high = (percent(float(end), decimals) for end in ends[0, 1])
    page = open_page(write(tmp_path, fitted(), X=X))
    assert page.locator(".result .over-lists").count() == 0  # nothing is decided yet
    names = columns_of(page)
    assert fitted().rule_list_.antecedents[0].name == "prior stroke"
    fill_in(page, names.index("prior stroke"), {"state": "value", "value": 1})
    answer = page.locator(".result .over-lists").inner_text()
    assert answer == f"95% interval over all lists {low} to {high}"
    assert page.locator(".line .over-lists").first.inner_text() == f"over all lists {low}–{high}"
    page.wait_for_function(
        "(text) => document.getElementById('spoken').textContent.includes(text)",
        arg=f"over all lists {low} to {high}",
    )
    assert "Two things are uncertain" in page.locator("footer").inner_text()


def test_printed_intervals_over_all_lists_take_no_rows_of_their_own(
    open_page: OpenPage, tmp_path: Path
) -> None:
    """Of several labels, or their sheet would have two pages."""
    page = open_page(write(tmp_path, fitted_to_three(), X=three_outcomes()[0]))
    page.emulate_media(media="print")
    beside = page.locator(".line .over-lists").evaluate_all(
        """(all) => all.map((e) => {
          const [own, label] = [e, e.previousElementSibling].map((x) => x.getBoundingClientRect());
          const number = e.previousElementSibling.querySelector(".number").getBoundingClientRect();
          const text = document.createRange();
          text.selectNodeContents(e);
          const middle = (own.top + own.bottom) / 2;
          return label.top < middle && middle < label.bottom
            && text.getBoundingClientRect().left > number.right;
        })"""
    )
    assert len(beside) >= 6
    assert all(beside)


def test_no_interval_over_lists_that_are_not_there() -> None:
    """Without rows, without a posterior and under a minimum cell the page says nothing of it."""
    X, _ = patients()
    alone = replace(fitted().model_, posterior=None)
    for page in (
        calculator_page(fitted()),
        calculator_page(alone, X=X),
        calculator_page(fitted(), X=X, min_cell=5),
        calculator_page(fitted().rule_list_, X=X),
    ):
        assert "over all lists " not in page.split("</style>")[-1].split("<script")[0]
        assert '"over":null' in page.replace(" ", "")
        assert "take this list as given" in page


COVERED = """() => {
  const field = document.activeElement.getBoundingClientRect();
  const answer = document.getElementById("answer").getBoundingClientRect();
  return field.bottom > answer.top + 1 && field.top < answer.bottom;
}"""


@pytest.mark.parametrize("width", [360, 500, 760])
def test_the_answer_covers_no_field_that_is_filled_in(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path, width: int
) -> None:
    """In one column the answer sticks to the bottom; what has the focus is above it."""
    page = open_page(write(tmp_path, stroke, units=UNITS), width, 700)
    controls = page.locator("#case input, #case select")
    for index in range(controls.count()):
        controls.nth(index).focus()
        page.wait_for_function(f"() => !({COVERED})()")
    height = page.evaluate("() => document.getElementById('answer').offsetHeight")
    assert height <= 350


def test_a_badge_leaves_a_long_line_its_width(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """On a phone the badge stands below a condition that needs the whole line."""
    page = open_page(write(tmp_path, stroke), 390)
    for index in range(page.locator(".line").count()):
        line = page.locator(".line").nth(index)
        words, badge = line.locator(".if > span").first, line.locator(".badge")
        text, sign = words.bounding_box(), badge.bounding_box()
        assert text is not None
        assert sign is not None
        is_long = text["height"] > 40  # more than one row of words
        assert not is_long or sign["y"] >= text["y"] + text["height"] - 1


def test_the_note_is_medical_where_the_data_are(stroke: FittedModel) -> None:
    """A list of loans is no medical matter; a cohort of a clinical database is."""
    assert "Decision support, not a decision." in calculator_page(stroke)
    assert "medical" not in calculator_page(stroke)
    cohort = {"synthetic": False, "warnings": [], "empty_groups": []}
    assert "not a medical device" in calculator_page(replace(stroke, cohort=cohort))
    assert "Ask first." in calculator_page(stroke, note="Ask first.")
