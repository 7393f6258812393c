"""The calculator where values are missing: it gives what ``predict`` gives, and says why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from playwright.sync_api import Page
from scipy import sparse

from elseif import BayesianRuleListClassifier
from elseif.conditions.condition import Condition
from elseif.fitted_model import FittedModel
from elseif.showing.list_text import enough_decimals, percent
from tests.browser.calculator_tools import ASSESS, columns_of, fill_in, lit, write
from tests.browser.models import answer, as_table, candidates, clinical, model_of, random_model
from tests.browser.open_page import OpenPage

N = 400


def table(seed: int, n_missing: float, **values: Any) -> pd.DataFrame:
    """A table of columns, with so many of their values missing."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(values)
    for name in X.columns:
        X[name] = X[name].mask(rng.random(N) < n_missing)
    return X


def outcome(seed: int, *signals: Any) -> np.ndarray:
    rng = np.random.default_rng(seed)
    log_odds = -1 + sum(2 * np.asarray(signal, dtype=float) for signal in signals)
    return rng.random(N) < 1 / (1 + np.exp(-log_odds))


def dense_booleans(rng: np.random.Generator) -> tuple[Any, Any]:
    truths = rng.random((N, 4)) < 0.4
    X = pd.DataFrame(truths, columns=list("abcd")).astype("boolean")
    X = X.mask(rng.random(X.shape) < 0.2)
    return X, outcome(1, truths[:, 0], truths[:, 1])


def sparse_booleans(rng: np.random.Generator) -> tuple[Any, Any]:
    truths = rng.random((N, 6)) < 0.2
    return sparse.csr_matrix(truths), outcome(2, truths[:, 0], truths[:, 3])


def zeros_and_ones(rng: np.random.Generator) -> tuple[Any, Any]:
    flags = (rng.random((N, 3)) < 0.5).astype(int)
    X = pd.DataFrame(flags, columns=["smoker", "diabetes", "stroke"]).astype("Int64")
    X["smoker"] = X["smoker"].mask(rng.random(N) < 0.3)
    return X, outcome(3, flags[:, 0], flags[:, 2])


def numbers(rng: np.random.Generator) -> tuple[Any, Any]:
    age, ldl = rng.normal(60, 12, N).round(), rng.normal(3, 1, N).round(1)
    return table(4, 0.25, age=age, ldl=ldl), outcome(4, age > 65, ldl > 3.4)


def categories(rng: np.random.Generator) -> tuple[Any, Any]:
    ward = rng.choice(["east", "west", "north"], N)
    grade = pd.Categorical(rng.choice(["I", "II", "III"], N), ["I", "II", "III"], ordered=True)
    X = pd.DataFrame({"ward": ward, "grade": grade})
    y = outcome(5, ward == "east", grade.codes == 2)
    X.loc[rng.random(N) < 0.2, "ward"] = None
    X.loc[rng.random(N) < 0.2, "grade"] = None
    return X, y


def dates(rng: np.random.Generator) -> tuple[Any, Any]:
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, N), unit="D")
    X = pd.DataFrame({"seen": day, "x": rng.random(N) < 0.5})
    y = outcome(6, day > "2021-03-01", X["x"])
    X["seen"] = X["seen"].mask(rng.random(N) < 0.25)
    return X, y


def three_labels(rng: np.random.Generator) -> tuple[Any, Any]:
    length, width = rng.normal(4, 1.5, N).round(1), rng.normal(3, 0.5, N).round(1)
    labels = np.where(length < 3, "short", np.where(length + width > 8, "large", "medium"))
    return table(7, 0.2, length=length, width=width), labels


KINDS: list[Callable[[np.random.Generator], tuple[Any, Any]]] = [
    dense_booleans,
    sparse_booleans,
    zeros_and_ones,
    numbers,
    categories,
    dates,
    three_labels,
]


def page_answers(
    page: Page, model: FittedModel, rows: list[dict[str, Any]]
) -> list[list[dict[str, Any]]]:
    """Rows in the words of the page, which has one choice for what is not known."""
    not_known = page.evaluate(
        "() => models[0].columns.map(({ conditions }) => "
        "conditions.some((c) => c.operator === 'is missing') ? 'missing' : 'not known')"
    )
    choices = dict(zip(columns_of(page), not_known, strict=True))
    answers = [{name: answer(model, name, row[name]) for name in choices} for row in rows]
    return [
        [{"state": choices[n]} if a["state"] == "missing" else a for n, a in row.items()]
        for row in answers
    ]


def as_predicted(page: Page, cases: list[list[dict[str, Any]]]) -> list[int]:
    """The line that the page gives to each case: of what is not known, as if missing."""
    lines = []
    for result in page.evaluate(ASSESS, cases):
        given = result["possible"] if result["decided"] else result["ifMissing"]
        assert len(given) == 1
        lines.append(given[0])
    return lines


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("negations", [False, True])
@pytest.mark.parametrize("make", KINDS, ids=lambda make: make.__name__)
def test_every_row_gets_what_predict_gives(
    make: Callable[[np.random.Generator], tuple[Any, Any]],
    negations: bool,
    open_page: OpenPage,
    tmp_path: Path,
) -> None:
    """Every row of every kind of table, whether or not a value is missing."""
    X, y = make(np.random.default_rng(0))
    weights = np.random.default_rng(1).integers(1, 4, N) if negations else None
    clf = BayesianRuleListClassifier(negations=negations, n_iter=2_000, random_state=0)
    clf.fit(X, y, sample_weight=weights)
    assert len(clf.rule_list_) > 0
    page = open_page(write(tmp_path, clf))
    frame = X if isinstance(X, pd.DataFrame) else _named(X, clf)
    rows = [dict(row) for _, row in frame.iterrows()]
    lines = as_predicted(page, page_answers(page, clf.model_, rows))
    shown = page.evaluate(
        "(lines) => lines.map((line) => models[0].rules[line].labels.map((l) => l.risk))", lines
    )
    expected = clf.predict_proba(X)
    np.testing.assert_array_equal(shown, expected if len(clf.classes_) > 2 else expected[:, 1:])


def _named(X: Any, clf: BayesianRuleListClassifier) -> pd.DataFrame:
    names = [column.name for column in clf.fit_report_.columns]
    return pd.DataFrame(X.toarray(), columns=names)


@pytest.mark.parametrize("seed", range(6))
def test_random_lists_give_what_predict_gives(
    seed: int, open_page: OpenPage, tmp_path: Path
) -> None:
    """Lists of every operator, on rows where any value may be missing."""
    X, y = clinical()
    model = random_model(seed + 300, X, y)
    page = open_page(write(tmp_path, model))
    names = columns_of(page)
    rng = np.random.default_rng(seed)
    values = {name: [*candidates(model, name), None] for name in names}
    rows = [{n: values[n][rng.integers(len(values[n]))] for n in names} for _ in range(300)]
    for row in rows[:150]:
        row[names[int(rng.integers(len(names)))]] = None
    expected = model.rule_list.captured_by(as_table(rows, X))
    assert as_predicted(page, page_answers(page, model, rows)) == expected.tolist()


@pytest.fixture
def only_missing() -> FittedModel:
    """A list whose last line but one, and last, are reached by missing values alone."""
    X, y = clinical()
    lists = [
        [Condition("ldl", ">", 3.3)],
        [Condition("ldl", "<=", 3.3)],
        [Condition("diabetes", "is true")],
    ]
    return model_of(lists, X, y)


def statuses(page: Page) -> list[str]:
    return page.evaluate(
        "() => [...document.querySelectorAll('.line')].map((line) => line.dataset.status)"
    )


def test_a_line_of_missing_values_alone(
    only_missing: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """Such a line is named as one, and its answer is the one that ``predict`` gives."""
    page = open_page(write(tmp_path, only_missing))
    assert columns_of(page) == ["ldl", "diabetes"]
    assert statuses(page) == [
        "possible",
        "possible",
        "only if not recorded",
        "only if not recorded",
    ]
    reason = page.locator(".line").nth(2).locator(".reason")
    assert reason.text_content() == "reached only where a value is not recorded (missing)"
    flags = page.locator(".question .flag")
    assert flags.all_text_contents() == ["asked next", "not needed"]
    fill_in(page, 0, {"state": "not known"})
    assert page.locator(".risk").count() == 1
    assert " to " in (page.locator(".risk").text_content() or "")  # never taken for no
    assert flags.all_text_contents() == ["", "asked next"]  # which a missing value makes matter
    assert page.locator(".if-missing").text_content() == ""
    fill_in(page, 1, {"state": "value", "value": 1})
    rule = only_missing.rule_list[2]
    decimals = enough_decimals(only_missing.rule_list, [1], 0.95)
    low, high = rule.interval(True)
    mean, low, high = (percent(p, decimals) for p in (rule.probabilities[1], low, high))
    shown = (
        "If not recorded (missing), line 3 applies: "
        f"stroke within a year {mean}, 95% interval {low} to {high}."
    )
    assert page.locator(".if-missing").text_content() == shown
    badges = page.locator(".line .badge").all_text_contents()
    assert badges == ["possible", "possible", "applies if not recorded", "not reached"]
    assert shown in page.evaluate("() => resultText()")
    assert shown in (page.locator("#printed-lines").text_content() or "")
    page.wait_for_function(
        "() => document.getElementById('spoken').textContent.includes('missing')"
    )
    fill_in(page, 0, {"state": "value", "value": 4.0})
    assert page.locator(".if-missing").text_content() == ""
    assert lit(page) == [0]


def test_words_agree_with_explain(
    only_missing: FittedModel, open_page: OpenPage, tmp_path: Path
) -> None:
    """The sentences of ``explain`` on a missing value name the same line and probability."""
    page = open_page(write(tmp_path, only_missing))
    fill_in(page, 0, {"state": "not known"})
    fill_in(page, 1, {"state": "value", "value": 0})
    said = str(only_missing.rule_list.explain({"ldl": 4.0, "diabetes": False}))
    missing = page.locator(".if-missing").text_content() or ""
    assert "line 4 applies" in missing
    risk = missing.split("stroke within a year ")[1].split(",")[0]
    assert f"if missing, the last line, else, applies: stroke within a year {risk}" in " ".join(
        said.split()
    )
