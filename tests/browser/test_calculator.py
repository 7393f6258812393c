"""The calculator in a real browser: it equals Python, and never takes unknown for no."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.conditions.condition import Condition
from elseif.fitted_model import FittedModel
from elseif.showing.list_text import enough_decimals, percent
from tests.browser.calculator_tools import ASSESS, UNKNOWN, columns_of, fill_in, lit, write
from tests.browser.models import (
    QUESTIONS,
    RANGES,
    UNITS,
    answer,
    as_table,
    candidates,
    model_of,
    random_model,
)
from tests.browser.open_page import OpenPage

# ------------------------------------------------------------------ equals Python


@pytest.mark.parametrize("seed", range(6))
def test_equals_python_on_complete_cases(
    seed: int, patients: tuple[pd.DataFrame, pd.Series], open_page: OpenPage, tmp_path: Path
) -> None:
    """1,000 cases at random lists: of the table, and of values on and beside thresholds."""
    X, y = patients
    model = random_model(seed, X, y)
    page = open_page(write(tmp_path, model))
    names = columns_of(page)
    rng = np.random.default_rng(seed)
    rows = [dict(row) for _, row in X.sample(500, random_state=seed).iterrows()]
    edges = {name: [*candidates(model, name), None] for name in names}
    edges |= {name: [*edges[name], "unheard of"] for name in names if name in ("ward", "smoking")}
    for _ in range(500):
        rows.append({n: edges[n][rng.integers(len(edges[n]))] for n in names})
    cases = [[answer(model, name, row[name]) for name in names] for row in rows]
    result = [each["possible"] for each in page.evaluate(ASSESS, cases)]
    expected = model.rule_list.captured_by(as_table(rows, X))
    assert result == [[line] for line in expected.tolist()]


def test_equals_python_on_titanic(
    titanic: tuple[pd.DataFrame, pd.Series],
    titanic_classifier: BayesianRuleListClassifier,
    open_page: OpenPage,
    tmp_path: Path,
) -> None:
    """Every passenger gets the classifier's probability."""
    X, _ = titanic
    page = open_page(write(tmp_path, titanic_classifier))
    names = columns_of(page)
    model = titanic_classifier.model_
    cases = [[answer(model, name, row[name]) for name in names] for _, row in X.iterrows()]
    shown = page.evaluate(
        "(cases) => cases.map((c) => assess(models[0], c).possible[0])"
        ".map((line) => models[0].rules[line].labels[0].risk)",
        cases,
    )
    np.testing.assert_array_equal(shown, titanic_classifier.predict_proba(X)[:, 1])


@pytest.mark.parametrize("seed", range(8))
def test_unknowns_equal_filling_in(
    seed: int, patients: tuple[pd.DataFrame, pd.Series], open_page: OpenPage, tmp_path: Path
) -> None:
    """The lines possible are those that some value of what is unknown would lead to."""
    X, y = patients
    model = random_model(seed + 100, X, y, n_rules=5)
    page = open_page(write(tmp_path, model))
    names = columns_of(page)
    rng = np.random.default_rng(seed)
    values = {name: candidates(model, name) for name in names}
    cases, blanks = [], []
    for _ in range(40):
        n_unknown = int(rng.integers(0, min(4, len(names)) + 1))
        unknown = set(rng.choice(names, size=n_unknown, replace=False).tolist())
        while np.prod([len(values[name]) for name in unknown]) > 3000:
            unknown.pop()
        cases.append({n: values[n][rng.integers(len(values[n]))] for n in names})
        blanks.append(unknown)
    asked = [
        [UNKNOWN if n in blank else answer(model, n, case[n]) for n in names]
        for case, blank in zip(cases, blanks, strict=True)
    ]
    for case, blank, result in zip(cases, blanks, page.evaluate(ASSESS, asked), strict=True):
        fills = list(product(*(values[n] if n in blank else [case[n]] for n in names)))
        rows = [dict(zip(names, fill, strict=True)) for fill in fills]
        captured = model.rule_list.captured_by(as_table(rows, X))
        assert result["possible"] == sorted(set(captured.tolist()))
        needed = [
            name in blank
            and any(
                len(set(captured[[row[name] is value or row[name] == value for row in rows]]))
                < len(result["possible"])
                for value in values[name]
            )
            for name in names
        ]
        assert result["needed"] == needed
        assert result["next"] == (needed.index(True) if any(needed) else -1)


def test_many_unknowns_stay_quick_and_on_the_safe_side(open_page: OpenPage, tmp_path: Path) -> None:
    """Where ways to be unknown are too many to follow, no line is ruled out that could fire."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(24)]
    X = pd.DataFrame(rng.random((400, 24)) < 0.5, columns=names)
    pairs = [rng.choice(names, 3, replace=False) for _ in range(40)]
    lists = [[Condition(str(n), "is true") for n in pair] for pair in pairs]
    model = model_of(lists, X, rng.random(400) < 0.5)
    page = open_page(write(tmp_path, model))
    [result] = page.evaluate(ASSESS, [[UNKNOWN] * len(columns_of(page))])
    captured = model.rule_list.captured_by(
        pd.DataFrame(rng.random((20_000, 24)) < 0.5, columns=names)
    )
    assert set(captured.tolist()) <= set(result["possible"])


# ------------------------------------------------------------------------ widgets


def test_real_widgets_equal_python(
    stroke: FittedModel,
    patients: tuple[pd.DataFrame, pd.Series],
    open_page: OpenPage,
    tmp_path: Path,
) -> None:
    """Two dozen patients entered by hand: the lit line and the printed risk are Python's."""
    X, _ = patients
    page = open_page(write(tmp_path, stroke, units=UNITS, questions=QUESTIONS, ranges=RANGES))
    names = columns_of(page)
    sample = X.sample(24, random_state=3)
    expected = stroke.rule_list.captured_by(sample)
    decimals = enough_decimals(stroke.rule_list, [1], 0.95)
    for (_, row), line in zip(sample.iterrows(), expected.tolist(), strict=True):
        page.get_by_role("button", name="Clear all").click()
        for index, name in enumerate(names):
            entry = answer(stroke, name, row[name])
            if entry["state"] == "missing" and name != "ldl":  # the list has no line for it
                entry = {"state": "value", "value": 0.0}  # as false as what is missing
            fill_in(page, index, entry)
        assert lit(page) == [line]
        rule = stroke.rule_list[line]
        low, high = rule.interval(True)
        texts = [percent(p, decimals) for p in (rule.probabilities[1], low, high)]
        assert page.locator(".risk").text_content() == texts[0]
        interval = f"95% interval {texts[1]} to {texts[2]}"
        assert page.locator("#answer .interval").text_content() == interval
        assert f"{rule.n:,.0f} past case" in (page.locator(".explanation").text_content() or "")


def test_nothing_is_answered_at_first_nor_after_a_reload(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Every answer is unknown, and no line is lit."""
    page = open_page(write(tmp_path, stroke))
    for _ in range(2):
        assert page.locator(".segments input:checked").count() == 0
        assert page.locator("select.field").input_value() == "unknown"
        assert lit(page) == []
        assert " to " in (page.locator(".risk").text_content() or "")
        page.locator(".number-field").first.fill("70")
        page.reload()


def test_unknown_is_not_no(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    """With "no" some lines are ruled out; with "unknown" they stay possible."""
    page = open_page(write(tmp_path, stroke))
    index = columns_of(page).index("prior stroke")
    statuses = "() => [...document.querySelectorAll('.line')].map((line) => line.dataset.status)"
    unknown = page.evaluate(statuses)
    assert set(unknown) == {"possible"}
    fill_in(page, index, {"state": "value", "value": 0})
    assert page.evaluate(statuses)[1:3] == ["ruled out", "ruled out"]
    reason = page.locator(".line").nth(2).locator(".reason")
    assert reason.text_content() == "prior stroke: no"
    for state in ("not known", "unknown"):
        fill_in(page, index, {"state": state})
        assert page.evaluate(statuses) == unknown


def test_not_recorded_differs_from_unknown(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """ "is missing" is true of what is not recorded, and open for what is unknown."""
    page = open_page(write(tmp_path, stroke))
    names = columns_of(page)
    fill_in(page, names.index("admitted"), {"state": "value", "value": "2019-05-01"})
    assert lit(page) == []
    fill_in(page, names.index("ldl"), {"state": "missing"})
    assert lit(page) == [0]
    fill_in(page, names.index("ldl"), {"state": "unknown"})
    assert lit(page) == []
    for name in names:  # one answer for those who cannot give a value
        question = page.locator(".question").nth(names.index(name))
        assert question.get_by_text("not recorded").count() == (name == "ldl")
        assert question.get_by_text("not known").count() == (name != "ldl")


TYPED = [
    ("12.5", 12.5), ("12,5", 12.5), ("0,125", 0.125), ("-3", -3.0), ("\u22123,5", -3.5),
    ("+7", 7.0), (" 7 ", 7.0), (".5", 0.5), ("5.", 5.0), (",5", 0.5), ("1e-320", 1e-320),
    ("1E3", 1000.0), ("0", 0.0), ("007", 7.0), ("3.3000000000000003", 3.3000000000000003),
    ("", None), ("   ", None),
    ("1,234", "two ways"), ("-12,345", "two ways"), ("1,234.5", "Not a number"),
    ("1.234,5", "Not a number"), ("1 234", "Not a number"), ("abc", "Not a number"),
    ("0x10", "Not a number"), ("1e999", "Not a number"), ("Infinity", "Not a number"),
    ("NaN", "Not a number"), ("1.2.3", "Not a number"), ("\u0663", "Not a number"),
    ("60 years", "Not a number"), ("--5", "Not a number"),
]  # fmt: skip


def test_typed_numbers(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    """Points and commas are read; what is doubtful is refused and counts as unknown."""
    page = open_page(write(tmp_path, stroke))
    index = columns_of(page).index("age")
    field = page.locator(".question").nth(index).locator(".field")
    remark = page.locator(".question").nth(index).locator(".remark")
    read = "(place) => readAnswer(place)"
    not_known = page.locator(".question").nth(index).locator("input[value='not known']")
    for text, expected in TYPED:
        not_known.check()
        field.fill(text)
        shown = page.evaluate(read, index)
        if isinstance(expected, str):
            assert expected in shown["why"], text
            assert "Taken as not answered" in (remark.text_content() or "")
            assert field.get_attribute("aria-invalid") == "true"
        elif expected is None:
            assert shown == ({"state": "not known"} if text == "" else UNKNOWN)
            assert field.get_attribute("aria-invalid") == "false"
        else:
            assert shown == {"state": "value", "value": expected}, text
            is_outside = not 40 <= expected <= 100  # where training had nearly all ages
            assert (remark.text_content() == "") == (not is_outside)
        assert not_known.is_checked() == (text == "")


def test_thresholds_to_the_last_bit(open_page: OpenPage, tmp_path: Path) -> None:
    """On a threshold, and one floating-point number beside it, the answer is Python's."""
    bounds = [0.1 + 0.2, -2.5, 1e-320, 60.0, 1e300, 123456789.123456789]
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"x": rng.normal(size=50), "d": pd.Timestamp("2020-02-29")})
    X.loc[0, "d"] = pd.Timestamp("2021-01-01")
    lists = [[Condition("x", "=", bounds[0])], [Condition("x", ">", bounds[4])]]
    lists += [[Condition("x", ">=", b)] for b in sorted(bounds[1:4] + bounds[5:], reverse=True)]
    model = model_of(lists, X, np.arange(50) % 2)
    page = open_page(write(tmp_path, model))
    around = [v for b in bounds for v in (np.nextafter(b, -np.inf), b, np.nextafter(b, np.inf))]
    expected = model.rule_list.captured_by(pd.DataFrame({"x": around, "d": X["d"][0]}))
    for value, line in zip(around, expected.tolist(), strict=True):
        fill_in(page, 0, {"state": "value", "value": float(value)})
        assert lit(page) == [line], value


def test_dates_and_times(open_page: OpenPage, tmp_path: Path) -> None:
    """On the day, the day before and after; with a time of day where the list has one."""
    X = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=50), "noon": 1})
    X["noon"] = X["day"] + pd.to_timedelta(12, "h")
    day, noon = np.datetime64("2020-02-29"), np.datetime64("2020-02-01T12:30:15")
    lists = [[Condition("day", ">", day)], [Condition("noon", "<=", noon)]]
    model = model_of(lists, X, np.arange(50) % 2)
    page = open_page(write(tmp_path, model))
    fields = page.locator("input.field")
    fields.nth(1).fill("2020-02-01T12:30:16")
    for text, line in [("2020-02-28", 2), ("2020-02-29", 2), ("2020-03-01", 0), ("9999-12-31", 0)]:
        fields.nth(0).fill(text)
        assert lit(page) == [line], text
    fields.nth(0).fill("2020-01-01")
    for text, line in [
        ("2020-02-01T12:30:15", 1),
        ("2020-02-01T12:30", 1),
        ("2020-02-01T12:31", 2),
    ]:
        fields.nth(1).fill(text)
        assert lit(page) == [line], text
    fields.nth(0).fill("")
    assert lit(page) == []
    assert page.evaluate("() => readAnswer(0)") == UNKNOWN


def test_half_a_date_counts_as_unknown(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """A date that is still being typed is no answer."""
    page = open_page(write(tmp_path, stroke))
    question = page.locator(".question").nth(columns_of(page).index("admitted"))
    question.locator(".field").focus()
    page.keyboard.type("12")
    question.locator(".field").blur()
    assert "not complete" in (question.locator(".remark").text_content() or "")
    assert lit(page) == []
