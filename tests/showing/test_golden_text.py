"""Printed lists, byte for byte."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, RuleList
from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import Condition
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind

HERE = Path(__file__).parent / "golden"


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("titanic.txt", {}),
        ("titanic-died.txt", {"label": "died"}),
        ("titanic-digits.txt", {"decimals": 1, "level": 0.9}),
        ("titanic-narrow.txt", {"width": 60}),
        ("titanic-40.txt", {"width": 40}),
    ],
)
def test_the_titanic_list(
    name: str, options: dict, titanic_classifier: BayesianRuleListClassifier
) -> None:
    """The list of figure 1 as it is printed."""
    expected = (HERE / name).read_bytes()
    result = titanic_classifier.rule_list_.to_text(**options) + "\n"
    assert result.encode("utf-8") == expected
    if not options:
        assert (str(titanic_classifier.rule_list_) + "\n").encode("utf-8") == expected


def test_the_titanic_list_as_html(titanic_classifier: BayesianRuleListClassifier) -> None:
    """The list of figure 1 as a notebook shows it."""
    expected = (HERE / "titanic.html").read_bytes()
    page = titanic_classifier.rule_list_._repr_html_() + "\n"
    assert page.encode("utf-8") == expected


def test_an_explanation_of_the_titanic(titanic_classifier: BayesianRuleListClassifier) -> None:
    """A woman of the third class, by the list of figure 1."""
    report = titanic_classifier.fit_report_
    explanation = titanic_classifier.rule_list_.explain(
        {"class": "3rd", "sex": "female", "age": "adult"},
        levels={column.name: column.levels for column in report.columns},
    )
    expected = (HERE / "explanation-titanic.txt").read_bytes()
    assert (str(explanation) + "\n").encode("utf-8") == expected


def stroke_list() -> RuleList:
    """Numbers, categories, a boolean and a question about what is missing."""
    kinds = {"age": Kind.NUMERIC, "smoker": Kind.BOOLEAN, "glucose": Kind.NUMERIC}
    metadata = ModelMetadata(
        np.array([False, True]), np.ones(2), {**kinds, "region": Kind.CATEGORY}, outcome="stroke"
    )
    antecedents = [
        [Condition("age", ">", 60), Condition("smoker", "is true")],
        [Condition("glucose", "is missing")],
        [Condition("glucose", ">", 5.6), Condition("glucose", "<=", 7)],
        [Condition("region", "in", ("east", "west"))],
    ]
    counts = np.array([[48, 52], [190, 10], [60, 40], [45, 15], [480, 60]])
    return make_rule_list([Antecedent(a) for a in antecedents], counts, metadata)


@pytest.mark.parametrize("width", [80, 40])
def test_the_stroke_list(width: int) -> None:
    """Signs as people write them; the width of a terminal, or of a phone, holds."""
    text = stroke_list().to_text(width=width)
    assert (text + "\n").encode("utf-8") == (HERE / f"stroke-{width}.txt").read_bytes()
    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(
    ("name", "case"),
    [
        ("stroke", {"age": 54.5, "smoker": None, "glucose": 8.1, "region": "east"}),
        ("stroke-missing", {"age": 71, "smoker": False, "glucose": None, "region": "north"}),
    ],
)
def test_an_explanation_with_missing_values(name: str, case: dict[str, object]) -> None:
    """Numbers, categories and missing values in sentences, beside a posterior of two lists."""
    explanation = stroke_list().explain(case, posterior=two_lists())
    expected = (HERE / f"explanation-{name}.txt").read_bytes()
    assert (str(explanation) + "\n").encode("utf-8") == expected


def two_lists() -> Posterior:
    """The default rule alone in a quarter of the draws, a rule on age in the others."""
    metadata = stroke_list().metadata
    pool = Pool.from_members(
        (Condition("age", ">", 60),), np.array([[0]], dtype=np.int32), np.array([0.3])
    )
    lists = Lists(
        offsets=np.array([0, 0, 1]),
        items=np.array([0], dtype=np.int32),
        label_counts=np.array([[823, 177], [120, 130], [703, 47]]),
        log_posterior=np.array([-470.0, -460.0]),
    )
    draws = ChainDraws(np.array([250, 750]), np.array([0, 1]))
    return Posterior(pool, metadata, [draws], lists)


def test_a_draft_of_the_titanic(
    titanic: tuple[pd.DataFrame, pd.Series], titanic_classifier: BayesianRuleListClassifier
) -> None:
    """Two edits and their price."""
    draft = titanic_classifier.edit(*titanic).drop(2).insert(("class", "=", "2nd"), 0)
    expected = (HERE / "draft-titanic.txt").read_bytes()
    assert (str(draft) + "\n").encode("utf-8") == expected
