"""Out-of-fold predictions: nothing of the left-out fold is seen, and nothing depends on chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse

from elseif import BayesianRuleListClassifier, ParquetTable
from elseif.errors import DataError, ParamError, ParamTypeError
from elseif.evaluation.cross_validation import cross_validate, held_out, rows_of
from elseif.progress import Progress

ORDER = pl.Enum(["well", "ill"])


def table(n: int = 240, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.normal(60, 12, n).round(1),
            "sex": rng.choice(["female", "male"], n),
            "smoker": rng.random(n) < 0.3,
        }
    )
    risk = 0.15 + 0.4 * (X["age"] > 62) + 0.25 * X["smoker"]
    return X, pd.Series(rng.random(n) < risk, name="stroke")


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(n_iter=2000, n_chains=2, cutting="mdl", **settings)


def settled() -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(max_cardinality=1, random_state=0)


def test_each_observation_is_predicted_by_a_list_that_never_saw_it() -> None:
    X, y = table()
    found = cross_validate(classifier(), X, y, folds=4, random_state=3)
    assert found.rows.tolist() == list(range(len(y)))
    assert np.bincount(found.fold).tolist() == [60] * 4
    share = [y[found.fold == f].mean() for f in range(4)]
    assert max(share) - min(share) <= 1 / 60 + 1e-9  # stratified
    for k, fold in enumerate(found.folds):
        inside = found.fold == k
        # counts of the fold's list are those of the other folds
        assert sum(rule.n for rule in fold.rule_list) == fold.n_train == (~inside).sum()
        captured = fold.rule_list.captured_by(X[~inside])
        for j, rule in enumerate(fold.rule_list):
            in_rule = y[~inside].to_numpy()[captured == j]
            assert rule.label_counts.tolist() == [(~in_rule).sum(), in_rule.sum()]
        np.testing.assert_array_equal(
            found.probabilities[inside], fold.rule_list.predict_proba(X[inside])
        )


def test_cut_points_are_learnt_within_each_fold() -> None:
    X, y = table(400)
    found = cross_validate(classifier(max_cardinality=1), X, y, folds=4)
    cuts = {
        condition.value
        for fold in found.folds
        for antecedent in fold.rule_list.antecedents
        for condition in antecedent
        if condition.column == "age"
    }
    assert len(cuts) > 1


def test_same_seed_same_folds_and_lists() -> None:
    X, y = table()
    first, again, other = (cross_validate(classifier(), X, y, folds=3, random_state=s)
                           for s in (1, 1, 2))  # fmt: skip
    np.testing.assert_array_equal(first.probabilities, again.probabilities)
    np.testing.assert_array_equal(first.fold, again.fold)
    assert not np.array_equal(first.fold, other.fold)


def test_fitting_leaves_the_given_classifier_alone() -> None:
    given = classifier(random_state=9)
    cross_validate(given, *table(), folds=2)
    assert not hasattr(given, "rule_list_")
    assert given.random_state == 9


def test_rows_without_label_or_weight_are_left_out() -> None:
    X, y = table()
    labels = y.astype(object)
    labels.iloc[[3, 8]] = None
    weights = np.ones(len(y))
    weights[5] = 0
    found = cross_validate(classifier(missing_y="drop"), X, labels, folds=2, sample_weight=weights)
    assert set(range(len(y))) - set(found.rows.tolist()) == {3, 5, 8}
    assert np.isfinite(found.probabilities).all()


def test_weights_are_used_in_fitting() -> None:
    X, y = table()
    doubled = cross_validate(classifier(), X, y, folds=2, sample_weight=np.full(len(y), 2.0))
    assert sum(rule.n for rule in doubled.folds[0].rule_list) == 2 * doubled.folds[0].n_train


def test_warnings_stay_with_their_fold() -> None:
    X, y = table()
    settings = {"n_iter": 20, "n_chains": 2, "kernel": "paper"}
    found = cross_validate(BayesianRuleListClassifier(**settings), X, y, folds=2)
    assert any("have not converged" in text for fold in found.folds for text in fold.warnings)


def test_progress_is_told() -> None:
    told: list[int] = []

    class Watched(Progress):
        def stage(self, what: str, total: int) -> Any:
            from contextlib import nullcontext

            assert total == 2
            return nullcontext(told.append)

    cross_validate(classifier(), *table(), folds=2, progress=Watched())
    assert told == [1, 2]


@pytest.mark.parametrize("folds", [1, 0, -3])
def test_too_few_folds(folds: int) -> None:
    with pytest.raises(ParamError, match="2 or more"):
        cross_validate(classifier(), *table(), folds=folds)


def test_folds_are_a_whole_number() -> None:
    with pytest.raises(ParamTypeError, match="whole number"):
        cross_validate(classifier(), *table(), folds=2.5)  # type: ignore[arg-type]


def test_a_label_too_rare_for_the_folds() -> None:
    X, y = table()
    rare = pd.Series(np.where(np.arange(len(y)) < 3, "rare", "common"))
    with pytest.raises(DataError, match="'rare' has 3 observations, too few for folds=5"):
        cross_validate(classifier(), X, rare, folds=5)


def test_no_number_of_folds_is_suggested_where_none_will_do() -> None:
    """Two folds are the fewest, and one observation is in one of them."""
    X, y = table()
    rare = pd.Series(np.where(np.arange(len(y)) < 1, "rare", "common"))
    with pytest.raises(DataError, match="'rare' has 1 observation, too few") as refused:
        cross_validate(classifier(), X, rare, folds=5)
    assert "fewer folds" not in str(refused.value)


@pytest.mark.parametrize("make", [pl.from_pandas, pa.Table.from_pandas, pd.DataFrame.to_numpy])
def test_any_table_gives_the_same_folds(make: Any) -> None:
    X, y = table()
    X = X[["age", "smoker"]].astype(float)
    ours = cross_validate(classifier(), X, y, folds=2)
    other = cross_validate(classifier(), make(X), y.to_numpy(), folds=2)
    np.testing.assert_array_equal(ours.probabilities, other.probabilities)


def test_rows_of_lists_and_sparse_matrices() -> None:
    rows = np.array([2, 0])
    assert rows_of([[1], [2], [3]], rows) == [[3], [1]]
    found = rows_of(sparse.coo_array(np.arange(6).reshape(3, 2)), rows)
    assert found.toarray().tolist() == [[4, 5], [0, 1]]
    assert rows_of(pd.Series(["a", "b", "c"], index=[5, 5, 9]), rows).tolist() == ["c", "a"]


@pytest.mark.parametrize(
    "make", [pd.Categorical, pd.Series, pd.CategoricalIndex, lambda y: pl.Series([*y], dtype=ORDER)]
)
def test_labels_in_an_order_of_their_own(make: Any) -> None:
    """The lists of the folds have the label last that the whole has, whatever holds the labels."""
    X, y = table()
    plain = cross_validate(classifier(), X, y, folds=2)
    labels = pd.Categorical(np.where(y, "ill", "well"), ["well", "ill"])
    found = cross_validate(classifier(), X, make(labels), folds=2)
    assert [fold.rule_list.classes.tolist() for fold in found.folds] == [["well", "ill"]] * 2
    np.testing.assert_array_equal(found.probabilities, plain.probabilities)


@pytest.mark.parametrize(
    "make", [pd.DataFrame, pa.array, lambda y: pa.array(y).dictionary_encode(), pl.Series, list]
)
def test_labels_in_any_container(make: Any) -> None:
    """A table of one column, arrays of pyarrow: in folds and of a held-out table."""
    X, y = table()
    labels = np.where(y, "stroke", "none")
    plain = cross_validate(classifier(), X, labels, folds=2)
    found = cross_validate(classifier(), X, make(labels.tolist()), folds=2)
    np.testing.assert_array_equal(found.probabilities, plain.probabilities)
    fitted = settled().fit(X, labels)
    held = held_out(fitted.predict_proba, fitted.classes_, X, make(labels.tolist()))
    np.testing.assert_array_equal(held.labels, y)


def test_held_out_table() -> None:
    X, y = table()
    fitted = settled().fit(X[:160], y[:160])
    late = y[160:].astype(object)
    late.iloc[0] = None
    found = held_out(fitted.predict_proba, fitted.classes_, X[160:], late)
    assert found.rows.tolist() == list(range(1, 80))
    truth, risk = found.against_the_rest(1)
    assert truth.tolist() == y[161:].tolist()
    np.testing.assert_array_equal(risk, fitted.predict_proba(X[161:])[:, 1])


def test_held_out_labels_must_be_the_models() -> None:
    X, y = table()
    fitted = settled().fit(X, y)
    with pytest.raises(DataError, match="hold 'maybe', which is not a label"):
        held_out(fitted.predict_proba, fitted.classes_, X[:2], ["maybe", "maybe"])
    with pytest.raises(DataError, match="no row with a label"):
        held_out(fitted.predict_proba, fitted.classes_, X[:1], [None])
    with pytest.raises(DataError, match="2 rows and 1 labels"):
        held_out(fitted.predict_proba, fitted.classes_, X[:2], [True])


def test_rows_of_a_parquet_table(tmp_path: Path) -> None:
    """Folds of a file are those of the same table in memory."""
    frame = pd.DataFrame({"a": [1.5, None, 3.0], "b": ["x", "y", None], "c": [True, False, True]})
    frame.to_parquet(tmp_path / "table.parquet", row_group_size=2)
    found = rows_of(ParquetTable(tmp_path / "table.parquet"), np.array([2, 0]))
    assert found.to_pylist() == [
        {"a": 3.0, "b": None, "c": True},
        {"a": 1.5, "b": "x", "c": True},
    ]
