"""The explanation of one case: what it says, to whom, and of whatever table."""

from __future__ import annotations

import json
import re
import unicodedata
import warnings
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

import elseif
from elseif import (
    UNKNOWN,
    BayesianRuleListClassifier,
    explain,
    load_model,
    possible_rules,
    save_model,
)
from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.labels_file import read_display_labels
from elseif.conditions.condition import Condition
from elseif.datasets import load_titanic
from elseif.errors import DataError, DataTypeError, ParamError
from elseif.explaining.cells import ANOTHER, column_cells
from elseif.explaining.other_lists import weighted_quantiles
from elseif.explaining.unknown_values import possibilities
from elseif.posterior.predictive import predictive_probabilities
from elseif.posterior.rule_list import ModelMetadata, RuleList, make_rule_list
from elseif.showing.explanation_text import failed_sentence, met_sentence
from elseif.tables.columns import Kind
from elseif.tables.reading import read_table
from tests.posterior.test_rule_list import HOSTILE
from tests.tables.fitting import expect_refused, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

DAY = np.datetime64("2020-03-01", "us")
STAGES = ("I", "II", "III")
KINDS = {
    "age": Kind.NUMERIC,
    "smoker": Kind.BOOLEAN,
    "region": Kind.CATEGORY,
    "stage": Kind.ORDERED,
    "seen": Kind.DATE,
}


def make(
    *antecedents: list[Condition], counts: Any = None, classes: Any = ("no", "yes")
) -> RuleList:
    """A list from conditions, with counts that grow from rule to rule."""
    metadata = ModelMetadata(np.array(classes), np.ones(len(classes)), KINDS)
    if counts is None:
        counts = [[10 - 2 * j, 3 * j] for j in range(len(antecedents) + 1)]
    return make_rule_list([Antecedent(a) for a in antecedents], np.array(counts), metadata)


STROKE = make(
    [Condition("age", ">", 60), Condition("smoker", "is true")],
    [Condition("age", "<=", 40)],
    [Condition("region", "=", "north")],
    counts=[[10, 40], [90, 10], [30, 30], [70, 30]],
)


@pytest.mark.parametrize(
    ("condition", "value", "words"),
    [
        (Condition("age", ">", 60), 54, "age is 54, not above 60"),
        (Condition("age", "<=", 60), 72.5, "age is 72.5, not at most 60"),
        (Condition("age", ">=", 60), 54, "age is 54, not at least 60"),
        (Condition("age", "<", 60), 60, "age is 60, not below 60"),
        (Condition("age", "between", (60, 70)), 54, "age is 54, not above 60 and at most 70"),
        (Condition("age", "=", 60), 54, "age is 54, not 60"),
        (Condition("age", ">", 60), None, "age is missing, so the rule does not apply"),
        (Condition("age", "is missing"), 54, "age is 54, not missing"),
        # rounding must not make a sentence false
        (Condition("age", ">", 60), 60.0, "age is 60, not above 60"),
        (Condition("age", "<=", 60), 60.000001, "age is 60.000001, not at most 60"),
        (Condition("age", ">", 60), 54.123456789, "age is 54.123, not above 60"),
        (Condition("smoker", "is true"), False, "smoker is false, not true"),
        (Condition("smoker", "is false"), True, "smoker is true, not false"),
        (Condition("smoker", "is true"), None, "smoker is missing, so the rule does not apply"),
        (Condition("smoker", "is false"), None, "smoker is missing, so the rule does not apply"),
        (Condition("region", "=", "north"), "east", "region is east, not north"),
        (
            Condition("region", "in", ("north", "west")),
            "east",
            "region is east, not one of north and west",
        ),
        (
            Condition("region", "!=", "north", ("east", "north")),
            "north",
            "region is north, which the rule leaves out",
        ),
        (
            Condition("region", "!=", "north", ("east", "north")),
            "mars",
            "region is mars, which is not in the training data, so the rule does not apply",
        ),
        (Condition("stage", ">", "II", STAGES), "I", "stage is I, not above II"),
        (
            Condition("seen", ">", DAY),
            np.datetime64("2020-02-01"),
            "seen is 2020-02-01, not after 2020-03-01",
        ),
        (
            Condition("seen", "<=", DAY),
            np.datetime64("2021-02-01"),
            "seen is 2021-02-01, not on or before 2020-03-01",
        ),
    ],
)
def test_why_a_condition_fails(condition: Condition, value: Any, words: str) -> None:
    """The failed condition and the case's value, in words."""
    explanation = explain(make([condition]), {condition.column: value})
    assert explanation.fired.place == 1
    assert [failed_sentence(check) for check in explanation.passed_over[0].failed] == [words]
    assert words in " ".join(str(explanation).split())


def test_truth_has_its_names() -> None:
    """A case and what a rule asks for are named alike: "sex is female, not male"."""
    levels = {"true": "male", "false": "female"}
    display = read_display_labels({"columns": {"sex": {"levels": levels}}})
    for operator, value, words in (
        ("is true", False, "sex is female, not male"),
        ("is false", True, "sex is male, not female"),
    ):
        explanation = explain(make([Condition("sex", operator)]), {"sex": value})
        (failed,) = explanation.passed_over[0].failed
        assert failed_sentence(failed, display) == words


@pytest.mark.parametrize(
    ("conditions", "case", "words"),
    [
        ([Condition("age", ">", 60)], {"age": 72}, "age is 72 (above 60)"),
        (
            [Condition("age", ">", 60), Condition("age", "<=", 80)],
            {"age": 72},
            "age is 72 (above 60 and at most 80)",
        ),
        ([Condition("smoker", "is true")], {"smoker": 1}, "smoker is true"),
        ([Condition("smoker", "is false")], {"smoker": False}, "smoker is false"),
        ([Condition("smoker", "is missing")], {"smoker": None}, "smoker is missing"),
        ([Condition("region", "=", "north")], {"region": "north"}, "region is north"),
        (
            [Condition("region", "in", ("east", "west"))],
            {"region": "west"},
            "region is west (one of east and west)",
        ),
        (
            [Condition("region", "!=", "east", ("east", "west"))],
            {"region": "west"},
            "region is west (not east)",
        ),
        (
            [Condition("age", ">", 60), Condition("region", "=", "north")],
            {"age": 61, "region": "north"},
            "age is 61 (above 60) and region is north",
        ),
    ],
)
def test_why_a_rule_applies(conditions: list[Condition], case: dict[str, Any], words: str) -> None:
    """The case's values, and what the rule asks where the value alone does not say it."""
    explanation = explain(make(conditions), case)
    assert explanation.fired.place == 0
    assert met_sentence(explanation.fired.conditions) == words
    assert f"Rule 1 applies: {words}." in str(explanation)


def test_what_stands_behind_it() -> None:
    """Probabilities, intervals and training cases are those of the rule that fired."""
    explanation = explain(STROKE, {"age": 70, "smoker": False, "region": "north"}, level=0.9)
    rule = STROKE[2]
    assert explanation.fired.place == 2
    assert explanation.n == rule.n == 60
    assert [risk.n for risk in explanation.labels] == [30, 30]
    assert [risk.probability for risk in explanation.labels] == rule.probabilities.tolist()
    assert [(r.low, r.high) for r in explanation.labels] == [
        rule.interval(c, 0.9) for c in ("no", "yes")
    ]
    assert [r.place for r in explanation.passed_over] == [0, 1]
    text = str(explanation)
    assert "90% credible interval" in text
    assert "none of the rules above applies" in text
    assert "It is based on 60 training cases: 30 no and 30 yes." in text


def test_none_of_the_above() -> None:
    """The default rule is spelt out."""
    explanation = explain(STROKE, {"age": 50, "smoker": None, "region": "east"})
    text = " ".join(str(explanation).split())
    assert "None of the rules above applies, so the last line, else, does." in text
    assert "age is 50, not above 60; smoker is missing, so the rule does not apply." in text


def test_the_nearest_change() -> None:
    """The fewest columns, with the value that would do."""
    explanation = explain(STROKE, {"age": 54, "smoker": True, "region": "east"})
    assert explanation.predicted == "no"
    changes = [
        ([(c.column, c.now, c.to) for c in change.columns], change.outcome.place)
        for change in explanation.other_label
    ]
    assert changes == [([("age", "54", "above 60")], 0)]
    others = {(change.columns[0].to, change.outcome.place) for change in explanation.other_rule}
    assert others == {("above 60", 0), ("at most 40", 1), ("north", 2)}
    assert "with age above 60 (now 54), rule 1 applies: yes 79%" in str(explanation)


def test_a_change_of_two_columns() -> None:
    """Where one column does not suffice, two are named together."""
    explanation = explain(STROKE, {"age": 54, "smoker": False, "region": "east"})
    (change,) = explanation.other_label
    assert [(c.column, c.to) for c in change.columns] == [("age", "above 60"), ("smoker", "true")]
    assert "with age above 60 (now 54) and smoker true (now false), rule 1" in str(explanation)


def test_no_change_helps() -> None:
    """A list that predicts one label says so."""
    explanation = explain(make([Condition("age", ">", 60)], counts=[[9, 1], [8, 1]]), {"age": 3})
    assert explanation.other_label == ()
    assert "No change leads to another prediction than no." in str(explanation)
    assert [change.outcome.place for change in explanation.other_rule] == [0]


def test_known_levels_are_named() -> None:
    """With the categories known, the change names them and unknown means one of them."""
    rules = make([Condition("region", "=", "north")], [Condition("region", "=", "east")])
    levels = {"region": ["north", "east", "west", "south"]}
    explanation = explain(rules, {"region": "north"}, levels=levels)
    assert {c.columns[0].to for c in explanation.other_rule} == {"east", "west or south"}
    assert [cell.text for cell in column_cells(rules, levels)["region"]] == [
        "north", "east", "west or south", "missing",
    ]  # fmt: skip
    assert [cell.text for cell in column_cells(rules)["region"]] == [
        "north", "east", "other than north and east", "missing",
    ]  # fmt: skip
    assert ANOTHER in column_cells(rules)["region"][2].values
    assert possible_rules(rules, {}) == (0, 1, 2)
    assert possible_rules(rules, {}, {"region": ["north", "east"]}) == (0, 1)


def test_unknown_differs_from_missing() -> None:
    """An unknown age may be anything; a missing one makes no condition true."""
    known = {"smoker": True, "region": "east"}
    assert possible_rules(STROKE, {**known, "age": None}) == (3,)
    assert possible_rules(STROKE, {**known, "age": UNKNOWN}) == (0, 1, 3)
    assert possible_rules(STROKE, known) == (0, 1, 3)
    possible = possibilities(STROKE, known)
    assert possible.decisive == ("age",)
    np.testing.assert_allclose([possible.low[1], possible.high[1]], [11 / 102, 41 / 52])
    everything = possibilities(STROKE, {})
    assert everything.places == (0, 1, 2, 3)
    assert everything.questions[0] == "age"
    assert everything.decisive == ()
    assert possibilities(STROKE, {"age": 30}).is_decided


def test_one_unknown_value_is_one_value() -> None:
    """Conditions on one column must hold of the same value."""
    rules = make(
        [Condition("age", ">", 60), Condition("smoker", "is true")],
        [Condition("age", "<=", 60), Condition("smoker", "is true")],
        [Condition("age", ">", 50), Condition("age", "<=", 40)],
    )
    assert possible_rules(rules, {"smoker": True}) == (0, 1)  # no age is neither
    assert possible_rules(rules, {"smoker": False}) == (3,)
    asking = make([Condition("age", "is missing")], [Condition("age", ">", 60)])
    assert possible_rules(asking, {}) == (0, 1, 2)  # where it is asked, missing is an answer


def test_a_way_out_behind_a_dead_end() -> None:
    """The last line needs a: without a, one of the rules on c applies."""
    kinds = dict.fromkeys("abc", Kind.BOOLEAN)
    metadata = ModelMetadata(np.array(["no", "yes"]), np.ones(2), kinds)
    yes = {name: Condition(name, "is true") for name in "abc"}
    no = {name: Condition(name, "is false") for name in "abc"}
    rules = [[yes["a"], yes["b"]], [no["a"], yes["c"]], [no["a"], no["c"]]]
    made = make_rule_list([Antecedent(a) for a in rules], np.ones((4, 2)), metadata)
    assert possible_rules(made, {}) == (0, 1, 2, 3)
    assert possible_rules(made, {"b": True}) == (0, 1, 2)
    assert possible_rules(made, {"b": None}) == (1, 2, 3)


def test_neighbouring_floats_leave_no_room() -> None:
    """Nothing lies between a number and the next one."""
    edge = np.nextafter(60.0, 100.0)
    rules = make([Condition("age", "<=", 60.0)], [Condition("age", ">=", edge)])
    assert possible_rules(rules, {}) == (0, 1)
    wider = make([Condition("age", "<=", 60.0)], [Condition("age", ">", edge)])
    assert possible_rules(wider, {}) == (0, 1, 2)


def test_what_if_a_value_were_missing() -> None:
    """Each column's missing and unknown values, beside the present one."""
    explanation = explain(STROKE, {"age": 54, "smoker": True, "region": "north"})
    by_column = {w.column: w for w in explanation.what_if}
    assert list(by_column) == ["age", "smoker", "region"]
    assert by_column["age"].missing is not None
    assert by_column["age"].missing.place == 2
    assert [o.place for o in by_column["age"].unknown] == [0, 1, 2]
    assert "age (now 54): if missing, nothing changes; if not known, rule 1, rule 2 or" in str(
        explanation
    )
    refused = explain(STROKE, {"age": 54, "smoker": True, "region": "north"}, allow_missing=False)
    assert all(w.missing is None for w in refused.what_if)
    assert "if missing" not in str(refused)


def test_a_list_without_rules() -> None:
    """There is little to explain."""
    explanation = explain(make(counts=[[3, 7]]), {"age": 1})
    text = str(explanation)
    assert "The list has no rules" in text
    assert "No change can alter it" in text
    assert explanation.what_if == ()


def test_a_rule_without_training_cases() -> None:
    """What no case stands behind is the prior."""
    explanation = explain(make([Condition("age", ">", 3)], counts=[[5, 5], [0, 0]]), {"age": 1})
    assert "It is based on no training case" in str(explanation)


def test_digits_enough_to_see_the_interval() -> None:
    """A million cases deserve decimals, a sure thing is not called certain."""
    rules = make([Condition("age", ">", 3)], counts=[[500_000, 500_000], [10**7, 0]])
    assert "yes: 50.0% (95% credible interval 49.9% to 50.1%)" in str(explain(rules, {"age": 4}))
    assert "yes: <0.1% (" in str(explain(rules, {"age": 1}))


def test_more_than_two_labels() -> None:
    """Every label is named with its interval, the likeliest first; the rest are summed."""
    classes = tuple("abcdef")
    rules = make([Condition("age", ">", 3)], counts=[[1, 2, 3, 4, 50, 6], [0] * 6], classes=classes)
    explanation = explain(rules, {"age": 4})
    head = " ".join(str(explanation).split("\n\n")[0].split())
    assert head.startswith("Probability of each label, with its 95% credible interval: e 71% (")
    assert "2 others together 7%" in head
    assert "a, b, c, d, e or f 17% each" in str(explanation)
    assert explanation.predicted == "e"


# ------------------------------------------------------------------- whole posteriors


@pytest.fixture(scope="module")
def fitted() -> tuple[BayesianRuleListClassifier, pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(3)
    n = 300
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(60, 12, n).round()),
            "smoker": rng.random(n) < 0.4,
            "region": rng.choice(["north", "east", "west"], n),
        }
    )
    risk = 0.15 + 0.5 * ((X["age"] > 65) & X["smoker"]) + 0.2 * (X["region"] == "north")
    y = np.where(rng.random(n) < risk, "stroke", "well")
    classifier = BayesianRuleListClassifier(random_state=0, n_iter=3000, n_chains=2)
    return classifier.fit(X, y), X, y


def test_how_the_other_lists_judge(fitted: Any) -> None:
    """Mean, percentiles and shares are those of the draws, taken one by one."""
    classifier, X, _ = fitted
    posterior = classifier.posterior_
    rows = list(range(0, 40, 5))
    table = read_table(X.iloc[rows])
    by_list = [posterior.rule_list(i).predict_proba(table) for i in range(len(posterior.distinct))]
    order = np.concatenate([np.repeat(c.distinct, c.n_draws) for c in posterior.chains])
    draws = np.stack(by_list)[order]  # (draws, rows, labels)
    assert len(draws) == posterior.n_draws
    expected = predictive_probabilities(posterior, table)
    for k, row in enumerate(rows):
        explanation = classifier.explain(X, row=row)
        own = np.array([risk.probability for risk in explanation.labels])
        others = explanation.others
        assert others is not None
        assert (others.n_draws, others.n_lists) == (len(draws), len(by_list))
        for index, judgement in enumerate(others.labels):
            values = draws[:, k, index]
            np.testing.assert_allclose(judgement.mean, expected[k, index], atol=1e-12)
            np.testing.assert_allclose(
                (judgement.low, judgement.median, judgement.high),
                np.quantile(values, [0.025, 0.5, 0.975], method="inverted_cdf"),
            )
            np.testing.assert_allclose(judgement.share_above, (values > own[index] + 1e-9).mean())
            np.testing.assert_allclose(judgement.share_below, (values < own[index] - 1e-9).mean())
        agree = draws[:, k].argmax(axis=1) == own.argmax()
        np.testing.assert_allclose(others.agreement, agree.mean())


def test_weighted_quantiles() -> None:
    """As NumPy's, with values repeated as often as their weights say."""
    rng = np.random.default_rng(0)
    for _ in range(20):
        values, weights = rng.random(7).round(1), rng.integers(0, 9, 7)
        weights[0] += 1
        at = (0.025, 0.25, 0.5, 0.975)
        expected = np.quantile(np.repeat(values, weights), at, method="inverted_cdf")
        np.testing.assert_array_equal(
            weighted_quantiles(values, weights / weights.sum(), at), expected
        )


def test_any_table_gives_the_same(fitted: Any) -> None:
    """A row of pandas, polars or pyarrow, a Series, a dict."""
    classifier, X, _ = fitted
    expected = classifier.explain(X, row=7).to_dict()
    frame = pl.from_pandas(X)
    for case in (
        X.iloc[7],
        X.iloc[[7]],
        X.iloc[7].to_dict(),
        frame[7:8],
        frame[7:8].to_arrow(),
    ):
        assert classifier.explain(case).to_dict() == expected
    assert classifier.explain(X, row=7 - len(X)).to_dict() == expected
    assert classifier.explain(frame, row=7).to_dict() == expected
    explanation = classifier.rule_list_.explain(X, row=7, posterior=classifier.posterior_)
    assert explanation.fired == classifier.explain(X, row=7).fired


def test_arrays_and_sparse_matrices() -> None:
    """Columns without names are x0, x1, ..."""
    X, y = random_frame()
    array = X.to_numpy()
    classifier = quick().fit(array, y)
    expected = classifier.explain(array, row=4).to_dict()
    assert classifier.explain(sparse.csr_matrix(array.astype(float)), row=4).to_dict() == expected
    assert classifier.explain(sparse.coo_matrix(array.astype(float)), row=4).to_dict() == expected
    assert classifier.explain(array.tolist(), row=4).to_dict() == expected
    case = {f"x{i}": bool(v) for i, v in enumerate(array[4])}
    assert classifier.explain(case).to_dict() == expected


def test_the_map_list_is_explained_where_it_predicts(fitted: Any) -> None:
    """The list explained is the one that predicts."""
    classifier, X, _ = fitted
    try:
        classifier.set_params(predict_with="map")
        for row in range(10):
            explanation = classifier.explain(X, row=row)
            assert explanation.fired.place == classifier.map_rule_list_.captured_by(X)[row]
    finally:
        classifier.set_params(predict_with="point")


def test_json(fitted: Any) -> None:
    """to_dict is plain data, and names come through unchanged."""
    classifier, X, _ = fitted
    plain = classifier.explain(X, row=3).to_dict()
    assert json.loads(json.dumps(plain)) == plain
    assert {"fired", "passed_over", "others", "other_label", "what_if"} <= set(plain)
    odd = "right\u202eleft\n" + "x" * 500
    rules = make([Condition(odd, "is true")], classes=(0, 1))
    content = explain(rules, {odd: True}).to_dict()
    assert content["fired"]["conditions"][0]["column"] == odd
    assert content["labels"][1]["label"] == 1


def test_missing_values_that_the_model_refuses() -> None:
    """With missing="error" nothing is said of missing values, and none is explained."""
    X, y = random_frame()
    classifier = quick(missing="error").fit(X, y)
    explanation = classifier.explain(X, row=0)
    assert all(what_if.missing is None for what_if in explanation.what_if)
    case = {**X.iloc[0].to_dict(), "f1": None}
    expect_refused(lambda: classifier.explain(case), "'f1' (1)")


def test_wrong_cases(fitted: Any) -> None:
    """What is wrong, what was found, and what to do."""
    classifier, X, _ = fitted
    full = X.iloc[0].to_dict()
    column = classifier.rule_list_.antecedents[0].columns[0]
    lacking = {name: value for name, value in full.items() if name != column}
    expect_refused(lambda: classifier.explain(lacking), f"no column '{column}'", "None stands")
    expect_refused(lambda: classifier.explain(X, row=300), "row is 300", "300 rows")
    expect_refused(lambda: classifier.explain(X, row=-301), "row is -301")
    for row in (1.5, "1", True, None):
        expect_refused(
            lambda row=row: classifier.explain(X, row=row), "whole number", kind=DataTypeError
        )
    expect_refused(lambda: classifier.explain({}), "empty dict")
    expect_refused(lambda: explain(STROKE, {1: 2}), "must be strings")
    expect_refused(lambda: classifier.explain({**full, "age": UNKNOWN}), "possible_rules")
    expect_refused(lambda: classifier.explain("age"), "not str", kind=DataTypeError)
    expect_refused(lambda: classifier.explain(full, level=2), "level is 2", kind=ParamError)
    expect_refused(lambda: explain(STROKE, {"age": "old"}), "'age'", kind=DataError)
    unfitted = BayesianRuleListClassifier()
    with pytest.raises(Exception, match="not fitted"):
        unfitted.explain(X)


def test_public_names() -> None:
    """explain and possible_rules are within reach."""
    assert elseif.explain is explain
    assert repr(UNKNOWN) == "UNKNOWN"


# --------------------------------------------------------------------- hostile names


def hostile_list(name: str) -> tuple[RuleList, dict[str, Any]]:
    """A list whose column, category and label are all called something odd."""
    other = f"{name}2"
    metadata = ModelMetadata(
        np.array(["no", name or "yes"], dtype=object),
        np.ones(2),
        {name: Kind.CATEGORY, other: Kind.NUMERIC},
    )
    rules = [
        Antecedent([Condition(name, "=", name), Condition(other, ">", 3)]),
        Antecedent([Condition(name, "in", (name, "b"))]),
    ]
    made = make_rule_list(rules, np.array([[1, 2], [30, 4], [5, 6]]), metadata)
    return made, {name: name, other: 2}


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_in_text(name: str) -> None:
    """A name cannot break lines, hide text or flood the terminal."""
    rules, case = hostile_list(name)
    text = str(explain(rules, case))
    assert all(unicodedata.category(c) not in ("Cc", "Cf", "Cs") for c in text if c != "\n")
    assert len(text) < 12_000
    starts = [line for line in text.splitlines() if line and not line.startswith(" ")]
    assert len([line for line in starts if line in ("Why",)]) == 1
    text.encode("utf-8")


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_names_in_html(name: str) -> None:
    """The page has the same elements whatever the names are."""

    class Elements(HTMLParser):
        result: list[str]

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            assert not attrs
            self.found.append(tag)

    def elements(page: str) -> list[str]:
        parser = Elements()
        parser.found = []
        parser.feed(page)
        parser.close()
        return parser.found

    rules, case = hostile_list(name)
    page = explain(rules, case)._repr_html_()
    plain_rules, plain_case = hostile_list("plain")
    assert elements(page) == elements(explain(plain_rules, plain_case)._repr_html_())
    page.encode("utf-8")


@pytest.mark.parametrize("kernel", ["exact", "tempered"])
def test_the_mean_over_lists_is_what_the_posterior_predicts(kernel: str, tmp_path: Path) -> None:
    """explain and predict_proba name one number, also of a model read from a file."""
    X, y = load_titanic("paper")
    clf = BayesianRuleListClassifier(kernel=kernel, n_iter=2000, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.fit(X, y)
    save_model(clf, tmp_path / "model.json")
    for fitted in (clf, load_model(tmp_path / "model.json")):
        predicted = fitted.set_params(predict_with="posterior").predict_proba(X[:9])
        for row in range(9):
            others = fitted.explain(X, row).others
            assert [label.mean for label in others.labels] == predicted[row].tolist()


def test_probabilities_of_one_explanation_have_the_same_decimals() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"common": rng.random(20_000) < 0.5, "rare": rng.random(20_000) < 0.03})
    risk = np.select([X["rare"], X["common"]], [0.7, 0.3], 0.15)
    y = rng.random(20_000) < risk
    clf = BayesianRuleListClassifier(min_support=0.01, random_state=0).fit(X, y)
    decimals = set()
    for case in ({"common": True, "rare": True}, {"common": True, "rare": False}):
        text = clf.explain(case).to_text(width=1000)
        risks = " ".join(line for line in text.splitlines() if "of the draws" not in line)
        percentages = re.findall(r"[\d.]+(?=%)", risks.replace("95% credible", ""))
        assert len(percentages) > 4
        decimals |= {len(each.partition(".")[2]) for each in percentages}
    assert decimals == {1}
    assert re.search(r"\d\.\d%", str(clf.rule_list_))  # as the printed list


def test_percentages_that_are_compared_have_as_many_digits() -> None:
    """A line whose interval deserves a decimal has one in every comparison of its explanation."""
    rules = make([Condition("age", ">", 3)], counts=[[9_180, 820], [50, 50]])
    text = str(explain(rules, {"age": 4}))
    assert "yes: 8.2% (95% credible interval 7.7% to 8.8%)" in text
    result = re.findall(r"(?<![\d.])\d+(?:\.\d+)?%(?! credible)", text)
    assert {len(each.partition(".")[2]) for each in result} == {2}, text
