"""Tables of any kind as the columns of 0 and 1 that compared classifiers learn from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from elseif import SparseTable
from elseif.errors import DataError, ParamError
from elseif.evaluation import Indicators

CUTS = {"age": [50, 60, 70, 80]}


def patients(n: int = 60, seed: int = 0) -> tuple[SparseTable, np.ndarray]:
    """Ages, sexes and four drugs, of which nobody has the last."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"age": rng.integers(40, 90, n), "sex": rng.choice(["female", "male"], n)})
    drugs = rng.random((n, 4)) < (0.5, 0.3, 0.2, 0.0)
    return SparseTable(sparse.csr_matrix(drugs), list("ABCD"), frame), rng.integers(0, 2, n)


def test_a_cohort_becomes_the_paper_s_indicators() -> None:
    """Pairs of thresholds, a column for each sex, drugs as they are, constants left out."""
    X, y = patients()
    indicators = Indicators(cuts=CUTS).fit(X, y)
    result = indicators.transform(X)
    ages = [f"age {sign} {cut}" for cut in CUTS["age"] for sign in ("<=", ">")]
    names = [*ages, "sex = female", "sex = male", "A", "B", "C"]
    assert indicators.get_feature_names_out().tolist() == names
    age, sex = X.frame["age"].to_numpy(), X.frame["sex"].to_numpy()
    columns = [truth for cut in CUTS["age"] for truth in (age <= cut, age > cut)]
    columns += [sex == "female", sex == "male", *X.matrix.toarray().T[:3]]
    assert isinstance(result, sparse.csr_matrix)
    assert result.dtype == np.float32
    np.testing.assert_array_equal(result.toarray(), np.stack(columns, axis=1))


def test_a_frame_gives_what_a_sparse_table_gives() -> None:
    """The form of the table has no part in it."""
    X, y = patients()
    frame = X.to_frame()
    indicators = Indicators(cuts=CUTS)
    sparse_ones = indicators.fit(X, y).transform(X)
    np.testing.assert_array_equal(
        indicators.fit(frame, y).transform(frame).toarray(), sparse_ones.toarray()
    )


def test_cut_points_are_learnt_from_the_rows_of_fit() -> None:
    """Near the quantiles of those rows, whatever the others hold."""
    X, y = patients()
    train, others = np.arange(30), X[np.arange(30, 60)]
    indicators = Indicators().fit(X[train], y[train])
    cuts = [c.value for c in indicators.conditions_ if c.column == "age" and c.operator == ">"]
    ages = X.frame["age"][:30]
    assert 1 < len(cuts) < 10
    assert ages.min() <= min(cuts) < max(cuts) < ages.max()
    others.frame["age"] += 100
    result = indicators.transform(others).toarray()
    above = [name.startswith("age >") for name in indicators.get_feature_names_out()]
    assert result[:, above].all()


def test_values_that_fit_did_not_see_are_nothing() -> None:
    """An unseen category and a missing value make no indicator 1."""
    X = pd.DataFrame({"blood": ["A", "B", "0"] * 4})
    indicators = Indicators().fit(X, [0, 1] * 6)
    new = pd.DataFrame({"blood": ["AB", None, "B"]})
    np.testing.assert_array_equal(indicators.transform(new).toarray().sum(axis=1), [0, 0, 1])


def test_in_a_pipeline_before_any_classifier() -> None:
    """A table of words and numbers, to a classifier that knows 0 and 1 alone."""
    X, y = patients()
    fitted = make_pipeline(Indicators(cuts=CUTS), LogisticRegression()).fit(X.to_frame(), y)
    assert fitted.predict_proba(X.to_frame()).shape == (60, 2)


def test_what_cannot_be_made_into_indicators() -> None:
    """Lengths that differ, columns that are not there, nothing but constants."""
    X, y = patients()
    with pytest.raises(DataError, match="X has 60 rows and y 59"):
        Indicators().fit(X, y[1:])
    with pytest.raises(ParamError, match="cuts: the table has no column 'weight'"):
        Indicators(cuts={"weight": [80]}).fit(X, y)
    with pytest.raises(DataError, match=r"X lacks 1 of the columns seen in fit: .*age"):
        Indicators().fit(X, y).transform(X.to_frame(["sex", "A", "B", "C", "D"]))
    with pytest.raises(DataError, match="No column of X gives a condition"):
        Indicators().fit(pd.DataFrame({"a": [True] * 6}), [0, 1] * 3)
