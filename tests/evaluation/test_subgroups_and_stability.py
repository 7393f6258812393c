"""Groups of people, and what the lists of different folds have in common."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import brier_score_loss, roc_auc_score

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.evaluation.stability import shared, stability
from elseif.evaluation.subgroups import group_by, subgroup_performance
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind
from elseif.tables.reading import read_table
from tests.evaluation.problems import risks


def test_categories_booleans_numbers_and_missing_values_make_groups() -> None:
    X = pd.DataFrame(
        {
            "sex": ["f", "m", None, "f"] * 25,
            "smoker": pd.array([True, False, None, True] * 25, dtype="boolean"),
            "age": [*np.arange(99.0), np.nan],
            "same": [4.0] * 100,
        }
    )
    table = read_table(X)
    sex = group_by(table.column("sex"))
    assert sex.names == ("f", "m", "missing")
    assert np.bincount(sex.codes).tolist() == [50, 25, 25]
    smoker = group_by(table.column("smoker"))
    assert smoker.names == ("no", "yes", "missing")
    assert np.bincount(smoker.codes).tolist() == [25, 50, 25]
    age = group_by(table.column("age"))
    assert age.names[-1] == "missing"
    assert age.names[0].startswith("up to ")
    assert np.bincount(age.codes)[-1] == 1
    assert min(np.bincount(age.codes)[:-1]) > 15
    cut = float(age.names[0].removeprefix("up to "))
    assert (age.codes == 0).tolist() == (X["age"] <= cut).tolist()
    assert group_by(table.column("same", Kind.NUMERIC)).names == ("all values",)


def test_rare_categories_are_taken_together() -> None:
    names = np.repeat([f"site {i:02}" for i in range(20)], np.arange(20, 0, -1))
    result = group_by(read_table(pd.DataFrame({"site": names})).column("site"))
    assert result.names[:-1] == tuple(f"site {i:02}" for i in range(11))
    assert result.names[-1] == "9 other categories"
    assert (result.codes == 11).sum() == sum(range(1, 10))


def test_performance_within_groups() -> None:
    truth, risk, _ = risks(2)
    values = np.where(np.arange(len(truth)) < 288, np.arange(len(truth)) % 2, 2)
    column = read_table(pd.DataFrame({"g": np.array(["a", "b", "few"])[values]})).column("g")
    result = subgroup_performance(group_by(column), truth, risk)
    assert [(g.name, g.small) for g in result] == [("a", False), ("b", False), ("few", True)]
    for k, group in enumerate(result):
        y, p = truth[values == k], risk[values == k]
        assert (group.n, group.n_events) == (len(y), y.sum())
        assert group.brier.score.value == pytest.approx(brier_score_loss(y, p))
        assert group.observed_to_expected == pytest.approx(y.sum() / p.sum())
        if not group.small:
            assert group.auc.value == pytest.approx(roc_auc_score(y, p))
            assert group.auc.low < group.auc.value < group.auc.high
    assert np.isnan(result[2].auc.value)


def rule_list(*names: str):
    """A list of rules on boolean columns, each of risk .75 and the default of .25."""
    metadata = ModelMetadata(np.array([0, 1]), np.ones(2), dict.fromkeys("abc", Kind.BOOLEAN))
    antecedents = [Antecedent([Condition(c, "is true") for c in name]) for name in names]
    counts = np.array([[0, 2]] * len(names) + [[2, 0]])
    return make_rule_list(antecedents, counts, metadata)


def test_rules_conditions_and_columns_are_counted_over_lists() -> None:
    X = pd.DataFrame({c: [True, False, False] for c in "abc"})
    X.loc[1, "a"] = True
    agreement = stability([rule_list("a", "bc"), rule_list("a"), rule_list("c")], X, 1)
    assert agreement.rules == (("a", 2), ("b and c", 1), ("c", 1))
    assert agreement.conditions == (("a", 2), ("c", 2), ("b", 1))
    assert agreement.columns == (("a", 2), ("c", 2), ("b", 1))
    assert agreement.lengths == (2, 1, 1)
    assert agreement.rule_agreement == pytest.approx((1 / 2 + 0 + 0) / 3)
    assert agreement.column_agreement == pytest.approx((1 / 3 + 1 / 3 + 0) / 3)
    # risks (.75 .75 .25), (.75 .75 .25), (.75 .25 .25): two of three pairs differ in one row
    assert agreement.mean_risk_difference == pytest.approx(2 / 3 * 0.5 / 3)


def test_empty_lists_agree() -> None:
    assert shared(set(), set()) == 1.0
    agreement = stability([rule_list(), rule_list()], pd.DataFrame({"a": [True]}), 1)
    assert agreement.rule_agreement == 1.0
    assert agreement.rules == ()
    assert np.isnan(stability([rule_list()], pd.DataFrame({"a": [True]}), 1).rule_agreement)
