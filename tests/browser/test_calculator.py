"""The calculator in a real browser: it equals Python, and never takes unknown for no."""

from __future__ import annotations

import copy
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Locator, Page

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError, ParamTypeError
from elseif.posterior.text import enough_decimals, percent
from elseif.report.calculator import calculator_page
from elseif.report.sources import list_source
from elseif.tables.conditions import Condition
from tests.browser.conftest import OpenPage
from tests.browser.hostile import HOSTILE
from tests.browser.models import (
    QUESTIONS,
    RANGES,
    UNITS,
    Model,
    answer,
    as_table,
    candidates,
    clinical,
    model_of,
    random_model,
)

ASSESS = "(cases) => cases.map((answers) => assess(model, answers))"
UNKNOWN = {"state": "unknown"}


def write(folder: Path, model: Any, **settings: Any) -> Path:
    path = folder / "calculator.html"
    path.write_text(calculator_page(model, **settings), encoding="utf-8")
    return path


def columns_of(page: Page) -> list[str]:
    return page.evaluate("() => model.columns.map((column) => column.name)")


@pytest.fixture(scope="module")
def patients() -> tuple[pd.DataFrame, pd.Series]:
    return clinical()


@pytest.fixture(scope="module")
def stroke(patients: tuple[pd.DataFrame, pd.Series]) -> Model:
    """A list that asks for every kind of column."""
    order = ("I", "II", "III", "IV")
    return model_of(
        [
            [
                Condition("admitted", "<=", np.datetime64("2019-12-01")),
                Condition("ldl", "is missing"),
            ],
            [Condition("nyha", "<=", "II", order), Condition("prior stroke", "is true")],
            [Condition("prior stroke", "is true")],
            [Condition("age", ">", 60.0), Condition("ldl", ">", 3.3)],
            [Condition("ward", "in", ("stroke unit", "neurology"))],
            [Condition("smoking", "=", "current"), Condition("age", "<=", 75.0)],
            [Condition("systolic_bp", "between", (140.0, 160.0))],
        ],
        *patients,
    )


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
    found = [each["possible"] for each in page.evaluate(ASSESS, cases)]
    expected = model.rule_list.captured_by(as_table(rows, X))
    assert found == [[line] for line in expected.tolist()]


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
    model = Model(titanic_classifier.rule_list_, titanic_classifier.fit_report_)
    cases = [[answer(model, name, row[name]) for name in names] for _, row in X.iterrows()]
    found = page.evaluate(
        "(cases) => cases.map((c) => model.rules[assess(model, c).possible[0]].labels[0].risk)",
        cases,
    )
    np.testing.assert_array_equal(found, titanic_classifier.predict_proba(X)[:, 1])


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
    for case, blank, found in zip(cases, blanks, page.evaluate(ASSESS, asked), strict=True):
        fills = list(product(*(values[n] if n in blank else [case[n]] for n in names)))
        rows = [dict(zip(names, fill, strict=True)) for fill in fills]
        captured = model.rule_list.captured_by(as_table(rows, X))
        assert found["possible"] == sorted(set(captured.tolist()))
        needed = [
            name in blank
            and any(
                len(set(captured[[row[name] is value or row[name] == value for row in rows]]))
                < len(found["possible"])
                for value in values[name]
            )
            for name in names
        ]
        assert found["needed"] == needed
        assert found["next"] == (needed.index(True) if any(needed) else -1)


def test_many_unknowns_stay_quick_and_on_the_safe_side(open_page: OpenPage, tmp_path: Path) -> None:
    """Where ways to be unknown are too many to follow, no line is ruled out that could fire."""
    rng = np.random.default_rng(0)
    names = [f"x{i}" for i in range(24)]
    X = pd.DataFrame(rng.random((400, 24)) < 0.5, columns=names)
    pairs = [rng.choice(names, 3, replace=False) for _ in range(40)]
    lists = [[Condition(str(n), "is true") for n in pair] for pair in pairs]
    model = model_of(lists, X, rng.random(400) < 0.5)
    page = open_page(write(tmp_path, model))
    [found] = page.evaluate(ASSESS, [[UNKNOWN] * len(columns_of(page))])
    captured = model.rule_list.captured_by(
        pd.DataFrame(rng.random((20_000, 24)) < 0.5, columns=names)
    )
    assert set(captured.tolist()) <= set(found["possible"])


# ------------------------------------------------------------------------ widgets


def fill_in(page: Page, place: int, told: dict[str, Any]) -> None:
    """Answer a question as a person would."""
    question = page.locator(".question").nth(place)
    field = question.locator(".field")
    value = told.get("value")
    if told["state"] != "value" or field.count() == 0:
        value = told["state"] if told["state"] != "value" else value
        if question.locator("select").count():
            field.select_option(str(value))
        else:
            question.locator(f"input[type=radio][value='{value}']").check()
    elif field.evaluate("(e) => e.tagName") == "SELECT":
        field.select_option(str(value))
    elif field.get_attribute("type") == "date":
        field.fill(str(value)[:10])
    else:
        field.fill(repr(value))


def lit(page: Page) -> list[int]:
    lines = page.locator(".line")
    return [i for i in range(lines.count()) if lines.nth(i).get_attribute("aria-current") == "true"]


def test_real_widgets_equal_python(
    stroke: Model, patients: tuple[pd.DataFrame, pd.Series], open_page: OpenPage, tmp_path: Path
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
        for place, name in enumerate(names):
            told = answer(stroke, name, row[name])
            fill_in(page, place, told)
        assert lit(page) == [line]
        rule = stroke.rule_list[line]
        low, high = rule.interval(True)
        texts = [percent(p, decimals) for p in (rule.probabilities[1], low, high)]
        assert page.locator(".risk").text_content() == texts[0]
        interval = f"95% interval {texts[1]} to {texts[2]}"
        assert page.locator("#answer .interval").text_content() == interval
        assert f"{rule.n:,.0f} past case" in (page.locator("#explanation").text_content() or "")


def test_nothing_is_answered_at_first_nor_after_a_reload(
    stroke: Model, open_page: OpenPage, tmp_path: Path
) -> None:
    """Every answer is unknown, and no line is lit."""
    page = open_page(write(tmp_path, stroke))
    for _ in range(2):
        checked = page.locator("input[type=radio]:checked")
        assert {checked.nth(i).get_attribute("value") for i in range(checked.count())} == {
            "unknown"
        }
        assert page.locator("select.field").input_value() == "unknown"
        assert lit(page) == []
        assert " to " in (page.locator(".risk").text_content() or "")
        page.locator(".number-field").first.fill("70")
        page.reload()


def test_unknown_is_not_no(stroke: Model, open_page: OpenPage, tmp_path: Path) -> None:
    """With "no" some lines are ruled out; with "unknown" they stay possible."""
    page = open_page(write(tmp_path, stroke))
    place = columns_of(page).index("prior stroke")
    statuses = "() => [...document.querySelectorAll('.line')].map((line) => line.dataset.status)"
    unknown = page.evaluate(statuses)
    assert set(unknown) == {"possible"}
    fill_in(page, place, {"state": "value", "value": 0})
    assert page.evaluate(statuses)[1:3] == ["ruled out", "ruled out"]
    reason = page.locator(".line").nth(2).locator(".reason")
    assert reason.text_content() == "prior stroke: no"
    fill_in(page, place, {"state": "missing"})  # recorded as missing: not true either
    assert page.evaluate(statuses)[1:3] == ["ruled out", "ruled out"]
    fill_in(page, place, {"state": "unknown"})
    assert page.evaluate(statuses) == unknown


def test_not_recorded_differs_from_unknown(
    stroke: Model, open_page: OpenPage, tmp_path: Path
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
    smoking = page.locator(".question").nth(names.index("smoking"))
    assert smoking.get_by_label("not recorded").count() == 0  # training had none


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


def test_typed_numbers(stroke: Model, open_page: OpenPage, tmp_path: Path) -> None:
    """Points and commas are read; what is doubtful is refused and counts as unknown."""
    page = open_page(write(tmp_path, stroke))
    place = columns_of(page).index("age")
    field = page.locator(".question").nth(place).locator(".field")
    remark = page.locator(".question").nth(place).locator(".remark")
    read = "(place) => readAnswer(questions[place], model.columns[place])"
    unknown = page.locator(".question").nth(place).locator("input[value=unknown]")
    for text, expected in TYPED:
        field.fill(text)
        found = page.evaluate(read, place)
        if isinstance(expected, str):
            assert expected in found["why"], text
            assert "Taken as unknown" in (remark.text_content() or "")
            assert field.get_attribute("aria-invalid") == "true"
        elif expected is None:
            assert found == UNKNOWN
            assert field.get_attribute("aria-invalid") == "false"
        else:
            assert found == {"state": "value", "value": expected}, text
            assert remark.text_content() == ""
        assert unknown.is_checked() == (text == "")


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
    X["noon"] = X["day"] + pd.Timedelta(hours=12)
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
    assert page.locator(".question").nth(0).locator("input[value=unknown]").is_checked()


def test_half_a_date_counts_as_unknown(stroke: Model, open_page: OpenPage, tmp_path: Path) -> None:
    """A date that is still being typed is no answer."""
    page = open_page(write(tmp_path, stroke))
    question = page.locator(".question").nth(columns_of(page).index("admitted"))
    question.locator(".field").focus()
    page.keyboard.type("12")
    question.locator(".field").blur()
    assert "not complete" in (question.locator(".remark").text_content() or "")
    assert lit(page) == []


# ---------------------------------------------------------------- reach and print


def test_keyboard_and_screen_reader(stroke: Model, open_page: OpenPage, tmp_path: Path) -> None:
    """Every control is reached by Tab, radios by arrows, and the answer is spoken."""
    page = open_page(write(tmp_path, stroke, units=UNITS, ranges=RANGES))
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("() => document.activeElement.name || document.activeElement.id"))
    n = len(columns_of(page))
    assert {f"q{i}" for i in range(n) if page.locator(f"[name=q{i}]").count()} <= reached
    assert {"clear", "print", "case-name"} <= reached
    names = columns_of(page)
    page.locator(f"[name=q{names.index('prior stroke')}]:checked").focus()
    page.keyboard.press("ArrowRight")
    assert page.locator(f"[name=q{names.index('prior stroke')}][value='1']").is_checked()
    age = page.locator(".question").nth(names.index("age")).locator(".field")
    age.fill("99")
    age.press("ArrowUp")
    assert age.input_value() == "100"
    assert "Outside 18 to 99" in (age.locator("xpath=ancestor::fieldset").text_content() or "")
    for place, value in ((names.index("admitted"), "2021-01-01"), (names.index("nyha"), 3)):
        fill_in(page, place, {"state": "value", "value": value})
    page.wait_for_function(
        "() => document.getElementById('spoken').textContent.startsWith('Line 3')"
    )
    spoken = page.locator("#spoken")
    assert spoken.get_attribute("aria-live") == "polite"
    assert "95% interval" in (spoken.text_content() or "")


def test_print_view(stroke: Model, open_page: OpenPage, tmp_path: Path) -> None:
    """On paper: the case, its answers, the line, the risk, the date, the model and the note."""
    note = "For teaching only."
    page = open_page(write(tmp_path, stroke, title="Stroke list 7", units=UNITS, note=note))
    names = columns_of(page)
    fill_in(page, names.index("prior stroke"), {"state": "value", "value": 1})
    fill_in(page, names.index("nyha"), {"state": "value", "value": 2})
    fill_in(page, names.index("admitted"), {"state": "value", "value": "2021-01-01"})
    page.locator("#case-name").fill("Bed 12 <b>")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    page.emulate_media(media="print")
    text = page.locator("body").inner_text()
    for part in ("Stroke list 7", "Bed 12 <b>", "Printed on", "2021-01-01", "III", note):
        assert part in text
    assert "Line 3: prior stroke." in text
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


def hostile_model(names: tuple[str, ...]) -> Model:
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
    told = {"units": dict.fromkeys(HOSTILE, HOSTILE[0]), "note": HOSTILE[1], "title": HOSTILE[0]}
    page = open_page(write(tmp_path, model, **told), 360, 740)
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
    stroke: Model, open_page: OpenPage, tmp_path: Path, axe: str, screenshot: Any,
    width: int, height: int, dark: bool,
) -> None:  # fmt: skip
    """Nothing sticks out, axe finds nothing serious, and a picture is kept."""
    path = write(tmp_path, stroke, units=UNITS, questions=QUESTIONS, ranges=RANGES)
    page = open_page(path, width, height, dark=dark, init_script=axe)
    fill_in(page, columns_of(page).index("age"), {"state": "value", "value": 50})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    found = page.evaluate("() => axe.run()")
    serious = [v for v in found["violations"] if v["impact"] in ("serious", "critical")]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in serious] == []
    screenshot(page, f"calculator-{width}{'-dark' if dark else ''}")


# ------------------------------------------------------------ sources and refusals


def test_the_list_that_predicts(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The MAP list when that predicts; a word when an average over lists does."""
    clf = copy.copy(titanic_classifier)
    clf.predict_with = "map"
    assert list_source(clf).rule_list is clf.map_rule_list_
    assert "average over many lists" not in calculator_page(clf)
    clf.predict_with = "posterior"
    assert list_source(clf).rule_list is clf.rule_list_
    assert "average over many lists" in calculator_page(clf)
    assert list_source(clf.rule_list_).levels("sex") is None


def test_refusals(stroke: Model) -> None:
    """What cannot be drawn is refused in words."""
    with pytest.raises(ParamError, match="units: the model has no column 'agge'"):
        calculator_page(stroke, units={"agge": "years"})
    with pytest.raises(ParamError, match=r"ranges\['age'\] is \(9, 1\)"):
        calculator_page(stroke, ranges={"age": (9, 1)})
    with pytest.raises(ParamTypeError, match="BayesianRuleListClassifier that is not fitted"):
        calculator_page(BayesianRuleListClassifier())
    with pytest.raises(ParamTypeError, match="not dict"):
        calculator_page({})
