"""The calculator's ranges, what is not known, copies and links, and several models on a page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page

from elseif.conditions.condition import Condition
from elseif.errors import ParamError
from elseif.explaining import possible_rules
from elseif.export import read_model, save_model
from elseif.fitted_model import FittedModel
from elseif.report import calculator_page
from elseif.showing.probability_axis import percent_tick, probability_end
from tests.browser.calculator_tools import columns_of, fill_in, lit, take_back, write
from tests.browser.hostile import HOSTILE
from tests.browser.models import UNITS, answer, clinical, model_of
from tests.browser.open_page import OpenPage
from tests.report.reading import fitted

Patients = tuple[pd.DataFrame, pd.Series]


def question(page: Page, name: str) -> Any:
    return page.locator(".question").nth(columns_of(page).index(name))


def put(page: Page, name: str, value: Any, state: str = "value") -> None:
    fill_in(page, columns_of(page).index(name), {"state": state, "value": value})


# -------------------------------------------------------------------------- ranges


def test_values_outside_the_training_range_are_warned_of(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Beside the field, in the answer, on paper and in the text; on the ends nothing is said."""
    page = open_page(write(tmp_path, stroke, units=UNITS))
    assert (
        question(page, "age").locator(".hint").inner_text() == "Most training data: 40 to 100 years"
    )
    warning = "Outside 40 to 100 years, the range of most training data."
    for value, is_outside in ((-4, True), (9999, True), (40, False), (100, False), (39.9, True)):
        put(page, "age", value)
        assert question(page, "age").locator(".remark").inner_text() == warning * is_outside
        shown = page.locator("#cautions").inner_text()
        assert shown == ("age: " + warning.replace("O", "o", 1)) * is_outside
        assert ("Caution: age" in page.evaluate("() => resultText()")) == is_outside
    put(page, "admitted", "2031-01-01")
    assert (
        "Outside 2019-02-01 to 2023-01-31,"
        in question(page, "admitted").locator(".remark").inner_text()
    )
    put(page, "admitted", "2023-01-31")
    assert question(page, "admitted").locator(".remark").inner_text() == ""


def test_a_range_that_is_told_counts_instead(stroke: FittedModel) -> None:
    page = calculator_page(
        stroke, ranges={"age": (0, 120), "admitted": ("2000-01-01", "2030-01-01")}
    )
    assert "Usually 0 to 120" in page
    assert "Usually 2000-01-01 to 2030-01-01" in page
    assert "Most training data: 40 to 100" not in page
    for wrong in ({"age": (9, 1)}, {"age": ("a", "b")}, {"age": 3}, {"ward": (1, 2)}):
        with pytest.raises(ParamError, match="ranges"):
            calculator_page(stroke, ranges=wrong)  # type: ignore[arg-type]


# ----------------------------------------------------------------------- not known


def asked_next(page: Page) -> str | None:
    element = page.locator(".question.next .asked")
    return element.inner_text() if element.count() else None


def test_not_known_moves_on(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    """Each question is asked once; what nobody knows leaves its lines possible."""
    page = open_page(write(tmp_path, stroke))
    names = columns_of(page)
    visited = []
    while (name := asked_next(page)) is not None:
        assert name not in visited
        visited.append(name)
        put(page, name, None, "missing" if name == "ldl" else "not known")
    assert visited[:2] == ["admitted", "ldl"]
    assert lit(page) == []
    known = {"ldl": None}
    expected = possible_rules(stroke.rule_list, known, {"ward": tuple(levels(stroke, "ward"))})
    statuses = "() => current.assessments[0].possible"
    assert page.evaluate(statuses) == list(expected)
    assert "The answer depends on what is not known" in page.locator(".explanation").inner_text()
    # taken back, the question is asked again
    take_back(page, names.index("admitted"))
    assert asked_next(page) == "admitted"
    assert page.locator(".question.next .flag").inner_text() == "asked next"


def levels(model: FittedModel, name: str) -> tuple[Any, ...]:
    column = model.column(name)
    assert column is not None
    return column.levels


def test_a_choice_is_taken_back_by_choosing_it_again(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(write(tmp_path, stroke))
    yes = question(page, "prior stroke").locator("input[value='1']")
    for state in ("value", "unknown", "value"):
        yes.click()
        index = columns_of(page).index("prior stroke")
        assert page.evaluate("(place) => readAnswer(place).state", index) == state


def test_other_only_where_training_saw_other_categories(patients: Patients) -> None:
    """Not where all are offered; "none of these" where one of them is called other."""
    X, y = patients
    rules = [[Condition("smoking", "=", "current")]]
    assert ">other<" not in calculator_page(model_of(rules, X, y))
    assert ">other<" in calculator_page(model_of(rules, X, y).rule_list)  # nobody knows the rest
    smoking = X["smoking"].replace("never", "other")
    renamed = model_of([[Condition("smoking", "=", "other")]], X.assign(smoking=smoking), y)
    page = calculator_page(renamed.rule_list)
    assert ">other<" in page
    assert ">none of these<" in page


# ---------------------------------------------------------------------- text, links


def clipboard(page: Page, button: str) -> str:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name=button).click()
    page.wait_for_function("() => document.getElementById('copied').textContent !== ''")
    assert page.locator("#copied").inner_text().endswith("copied.")
    return str(page.evaluate("() => navigator.clipboard.readText()"))


def test_copy_result(open_page: OpenPage, tmp_path: Path) -> None:
    """Plain text: the line, its probability and interval, the answers, the model and its hash."""
    path = save_model(fitted(), tmp_path / "model.json")
    model = read_model(path)
    page = open_page(write(tmp_path, model, title="Stroke list 7", note="For teaching only."))
    text = clipboard(page, "Copy result")
    assert "Not decided; possible: line 1 (" in text
    assert "Answers: none" in text
    put(page, "prior stroke", 1)
    text = clipboard(page, "Copy result")
    rule = model.rule_list[0]
    shown = page.locator(".risk").inner_text()
    interval = page.locator("#answer .interval").inner_text()
    lines = text.splitlines()
    assert lines[0] == "Stroke list 7"
    assert lines[1] == f"Probability of stroke {shown}, {interval}"
    assert lines[2] == f"Applies: line 1 (prior stroke; {rule.n:.0f} past cases)"
    assert model.sha256 is not None
    assert lines[3].startswith("Model: 400 past cases, fitted on ")
    assert lines[3].endswith(f"model {model.sha256[:12]}")
    assert "Answers: prior stroke: yes" in text
    assert text.endswith("For teaching only.")
    # the same is on screen and on paper
    for media in ("screen", "print"):
        page.emulate_media(media=media)
        body = page.locator("body").inner_text()
        for part in (model.sha256[:12], "400 past cases", "AUC"):
            assert part in body, (media, part)


def test_links_bring_answers_back(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    """Answers of every kind; the address itself stays clean until a link is opened."""
    page = open_page(write(tmp_path, stroke))
    given = {"admitted": "2020-05-01", "age": 71.5, "nyha": 2, "prior stroke": 0, "ward": 1}
    for name, value in given.items():
        put(page, name, value)
    put(page, "ldl", None, "missing")
    put(page, "systolic_bp", None, "not known")
    read = "() => questions.map((_, place) => readAnswer(place))"
    before = page.evaluate(read)
    link = clipboard(page, "Copy link")
    assert page.evaluate("() => location.hash") == ""
    assert "stroke" not in link.split("#")[1]  # no names, and nothing of the case but its answers
    page.goto(link)
    page.reload()
    assert page.evaluate(read) == before
    assert page.locator("#link-note").inner_text() == ""
    put(page, "age", 30)  # the link no longer describes the form
    assert page.evaluate("() => location.hash") == ""
    page.reload()
    assert {each["state"] for each in page.evaluate(read)} == {"unknown"}


GARBAGE = [
    "#", "#%", "#case", "#case=", "#case=%E0%A4%A", "#case=other&0=1", "#0=1", "#list",
    "#case=KEY&0=%00", "#case=KEY&0=2021-02-30", "#case=KEY&0=2021-02-03T10:00",
    "#case=KEY&0=2020-13-45&4=1e999", "#case=KEY&99=1&-1=2&__proto__=3",
    "#case=KEY&3=7&3=1", "#case=KEY&3=not known", "#case=KEY&" + "5=9&" * 2000,
    "#case=KEY&3=<img src=x onerror=alert(1)>", "#case=KEY&" + "x" * 100_000,
]  # fmt: skip


def test_garbage_in_a_link_fills_nothing_in(
    stroke: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Whatever stands behind #, the page works, and says what it could not read."""
    page = open_page(write(tmp_path, stroke))
    key = page.evaluate("() => page.form")
    for text in GARBAGE:
        note = page.evaluate("(text) => readFragment(text)", text.replace("KEY", key))
        states = page.evaluate("() => questions.map((_, place) => readAnswer(place).state)")
        assert set(states) == {"unknown"}, text
        assert bool(note) == ("case" in text), text
    note = page.evaluate("(key) => readFragment(`#case=${key}&0=2020-01-01&77=1`)", key)
    assert note.startswith("One answer of this link could not be read")
    assert page.evaluate("() => readAnswer(0).state") == "value"


# ------------------------------------------------------------------- low prevalence


def test_the_axis_fits_low_risks(open_page: OpenPage, tmp_path: Path) -> None:
    """At a prevalence of 2 % the bars end at a few per cent, not at 100 %."""
    X, _ = clinical(4000)
    rng = np.random.default_rng(0)
    y = pd.Series(rng.random(4000) < np.where(X["diabetes"], 0.04, 0.01), name="stroke")
    page = open_page(write(tmp_path, model_of([[Condition("diabetes", "is true")]], X, y)))
    put(page, "diabetes", 1)
    bounds = "() => [models[0].rules[0].labels[0].low, models[0].rules[0].labels[0].high]"
    low, high = page.evaluate(bounds)
    end = probability_end(high)
    assert high <= end <= 0.1
    ticks = [percent_tick(share) for share in (0, end / 2, end)]
    assert page.locator("#answer .scale span").all_text_contents() == ticks
    for band in (page.locator("#answer .band"), page.locator(".line .band").first):
        result = [float(band.get_attribute(name) or "nan") for name in ("x", "width")]
        assert result == pytest.approx([100 * low / end, 100 * (high - low) / end])
    assert "%" in page.locator(".risk").inner_text()
    assert "." in page.locator(".risk").inner_text()  # not rounded to whole per cents


# ------------------------------------------------------------------- several models


@pytest.fixture(scope="module")
def two(patients: Patients) -> dict[str, FittedModel]:
    """Two outcomes of the same people; one list asks whether LDL is missing, the other not."""
    X, y = patients
    first = model_of(
        [[Condition("ldl", "is missing")], [Condition("age", ">", 70.0)],
         [Condition("ward", "=", "surgery")]], X, y,
    )  # fmt: skip
    labels = np.where(X["age"] > 75, "died", np.where(X["diabetes"], "readmitted", "well"))
    second = model_of(
        [[Condition("age", ">", 80.0), Condition("diabetes", "is true")],
         [Condition("ldl", "<=", 3.0)], [Condition("ward", "in", ("general", "surgery"))]],
        X[X["ward"] != "oncology"], labels,
    )  # fmt: skip
    return {"Stroke": first, "Status": second}


def test_several_models_on_one_page(
    two: dict[str, FittedModel], patients: Patients, open_page: OpenPage, tmp_path: Path
) -> None:
    """Columns are asked for once, and each list answers as it would alone."""
    page = open_page(write(tmp_path, two, title="After a hospital stay"))
    asked = page.evaluate("() => page.questions.map((question) => question.name)")
    assert asked == ["ldl", "age", "ward", "diabetes"]
    assert page.locator(".question").count() == 4
    X, _ = patients
    rng = np.random.default_rng(0)
    find = (
        "([answers]) => models.map((model) => assess(model, answersFor(model, answers)).possible)"
    )
    for _, row in X.sample(40, random_state=0).iterrows():
        known = {n: row[n] for n in asked if rng.random() < 0.7}
        shown = [
            answer(two["Stroke"], n, known[n]) if n in known else {"state": "not known"}
            for n in asked
        ]
        for model, result in zip(two.values(), page.evaluate(find, [shown]), strict=True):
            own = {c.column for a in model.rule_list.antecedents for c in a}
            asks_missing = model is two["Stroke"]
            case = {
                n: v
                for n, v in known.items()
                if n in own and (not pd.isna(v) or asks_missing)  # else any value is possible
            }
            every = {"ward": levels(model, "ward")}
            assert result == list(possible_rules(model.rule_list, case, every)), (case, known)


def test_what_is_not_recorded_is_never_no_to_another_list(
    two: dict[str, FittedModel], open_page: OpenPage, tmp_path: Path
) -> None:
    page = open_page(write(tmp_path, two))
    fill_in(page, 0, {"state": "missing"})
    status = "() => [...document.querySelectorAll('.line')].map((line) => line.dataset.status)"
    shown = page.evaluate(status)
    assert shown[0] == "applies"
    assert shown[4:8] == ["possible"] * 4
    assert page.locator(".model-answer").count() == 2
    text = page.evaluate("() => resultText()")
    assert "Stroke\nProbability of stroke within a year" in text
    assert "Status\nProbability of died between" in text


def test_models_are_checked(two: dict[str, FittedModel], patients: Patients) -> None:
    with pytest.raises(ParamError, match="at most 20"):
        calculator_page({str(i): two["Stroke"] for i in range(21)})
    with pytest.raises(ParamError, match="dict of tables"):
        calculator_page(two, X=patients[0])


@pytest.mark.parametrize(
    ("width", "dark"), [(360, False), (360, True), (1366, False), (1366, True)]
)
def test_looks_of_several(
    two: dict[str, FittedModel], open_page: OpenPage, tmp_path: Path, axe: str, screenshot: Any,
    width: int, dark: bool,
) -> None:  # fmt: skip
    """Nothing sticks out, axe finds nothing at all, and the sheet is one page."""
    options = {"about": {"When to use": "On admission.", HOSTILE[0]: HOSTILE[1]}, "units": UNITS}
    path = write(tmp_path, two, **options)
    page = open_page(path, width, 740, dark=dark, init_script=axe)
    fill_in(page, 1, {"state": "value", "value": 200})
    fill_in(page, 0, {"state": "missing"})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    shown = page.evaluate("() => axe.run()")["violations"]
    assert [(v["id"], [n["html"] for n in v["nodes"]]) for v in shown] == []
    screenshot(page, f"calculator-several-{width}{'-dark' if dark else ''}")
    if width > 1000:
        assert page.pdf(format="A4").count(b"/Type /Page\n") == 1


def test_the_sheet_is_one_page(stroke: FittedModel, open_page: OpenPage, tmp_path: Path) -> None:
    options = {"about": {"When to use": "On admission. " * 10}, "units": UNITS}
    page = open_page(write(tmp_path, stroke, **options))
    put(page, "age", 70)
    assert page.pdf(format="A4").count(b"/Type /Page\n") == 1


def test_an_edited_list_says_so(stroke: FittedModel) -> None:
    assert "Edited by hand" not in calculator_page(stroke)
    edited = replace(stroke, edited="rule 2 dropped")
    page = calculator_page(edited)
    assert "Edited by hand" in page
    assert "rule 2 dropped" in page


def test_small_risks_are_whole_in_print(open_page: OpenPage, tmp_path: Path) -> None:
    """Risks of two decimals, with their intervals, stay within their lines."""
    n = 20_000
    X = pd.DataFrame({"age": np.arange(n) % 80 + 15.0})
    y = ((np.arange(n) % 997 == 0) | ((X["age"] > 90) & (np.arange(n) % 41 == 0))).astype(int)
    model = model_of([[Condition("age", ">", 90.0)], [Condition("age", ">", 50.0)]], X, y)
    page = open_page(write(tmp_path, model), 674, 1000)
    page.emulate_media(media="print")
    texts = page.locator(".line .number").all_text_contents()
    assert all(len(text) >= 19 for text in texts), texts
    cut_off = """() => [...document.querySelectorAll(".line")].filter((line) => {
        const text = document.createRange();
        text.selectNodeContents(line.querySelector(".number"));
        return text.getBoundingClientRect().right > line.getBoundingClientRect().right - 5;
    }).length"""
    assert page.evaluate(cut_off) == 0
