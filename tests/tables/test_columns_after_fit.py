"""Columns that hold in other rows what they did not hold in the rows of fit."""

from __future__ import annotations

import io
import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

from tests.tables.fitting import expect_refused, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.mark.fault(
    "17",
    "2, after `fit`, in a column of zeros and ones",
    "no condition on it is true, and a warning counts such values",
)
@pytest.mark.parametrize("predict_with", ["point", "posterior"])
def test_other_numbers_than_zero_and_one_have_an_answer(predict_with: str) -> None:
    """No condition is true of a 2 in a column of zeros and ones, and it is not missing."""
    X, y = random_frame()
    X = X.astype(float).mask(np.random.default_rng(1).random(X.shape) < 0.1)
    clf = quick(predict_with=predict_with, negations=True, expected_length=8).fit(X, y)
    odd = X.copy()
    odd.loc[[7, 9], "f2"] = [3, -0.5]
    with pytest.warns(UserWarning, match=r"'f2' held 0 and 1 in fit; 2 values are neither"):
        probabilities = clf.predict_proba(odd)
    same = np.setdiff1d(np.arange(len(X)), [7, 9])
    np.testing.assert_array_equal(probabilities[same], clf.predict_proba(X)[same])
    shares = _with_nothing_true_of(clf, odd, "f2", row=7)
    np.testing.assert_allclose(probabilities[7], shares, rtol=0, atol=1e-12)


def _with_nothing_true_of(clf: Any, X: pd.DataFrame, column: str, row: int) -> np.ndarray:
    """Prediction for a row by hand: conditions on a column are false, others as they are."""
    if clf.predict_with == "point":
        lists = [(1.0, clf.rule_list_)]
    else:
        shares = clf.posterior_.probabilities
        lists = [(share, clf.posterior_.rule_list(i)) for i, share in enumerate(shares)]

    def holds(condition: Any) -> bool:
        value = X.loc[row, condition.column]
        truths = {"is true": value == 1, "is false": value == 0, "is missing": pd.isna(value)}
        return condition.column != column and bool(truths[condition.operator])

    total = np.zeros(2)
    for share, rule_list in lists:
        line = next(r for r in rule_list if all(map(holds, r.antecedent)))
        total += share * line.probabilities
    return total


def test_a_cross_validation_meets_a_number_that_its_folds_did_not() -> None:
    """A 2 in one row alone stops no fold."""
    X, y = random_frame()
    X = X.astype(int)
    X.loc[7, "f2"] = 2
    with pytest.warns(UserWarning, match="'f2' held 0 and 1 in fit; 1 value is neither"):
        scores = cross_val_score(quick(), X, y, cv=5, error_score="raise")
    assert np.isfinite(scores).all()


def test_cuts_of_a_column_that_a_fold_has_as_zeros_and_ones() -> None:
    """Cut points say that a column is numeric, whatever its numbers in some rows are."""
    X, y = random_frame()
    X = X.astype(int)
    X.loc[7, "f2"] = 3
    clf = quick(cuts={"f2": [0, 1]})
    clf.fit(X.drop(index=7), np.delete(y, 7))
    assert clf.fit_report_.cuts == {"f2": (0.0, 1.0)}
    clf.fit(X, y)
    assert clf.fit_report_.cuts == {"f2": (0.0, 1.0)}


def _mixed(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(5)
    X = pd.DataFrame(
        {
            "n": rng.normal(50, 9, n).round(1),
            "b": rng.random(n) < 0.5,
            "z": rng.integers(0, 2, n),
            "c": rng.choice(["x", "y"], n),
            "d": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "h"),
        }
    )
    return X, (X["n"] > 50) ^ (X["d"] > X["d"].median()) ^ (rng.random(n) < 0.1)


@pytest.mark.parametrize(
    "arrives",
    [
        lambda X: X.astype(str),
        lambda X: X.astype(str).astype("category"),
        lambda X: X.astype(object),
        lambda X: pd.read_csv(io.StringIO(X.to_csv(index=False))),
        lambda X: pd.read_csv(io.StringIO(X.to_csv(index=False)), dtype=str),
        lambda X: X.assign(b=X["b"].astype(int), z=X["z"].astype(bool)),
        lambda X: X.assign(b=X["b"].map({True: "TRUE", False: "FALSE"}), z=X["z"].astype(float)),
        lambda X: X.assign(d=X["d"].map(lambda d: d.isoformat() + "+00:00")),
        pl.from_pandas,
        lambda X: pl.from_pandas(X.astype(str)),
    ],
)
def test_columns_arrive_in_another_form(arrives: Any) -> None:
    """Numbers, truth values and dates may come as text, as files have them."""
    X, y = _mixed()
    clf = quick(predict_with="posterior", negations=True, expected_length=8).fit(X, y)
    np.testing.assert_array_equal(clf.predict_proba(arrives(X)), clf.predict_proba(X))


def _codes(n: int = 120) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(6)
    X = pd.DataFrame(
        {
            "k": rng.choice([1, 2, 3], n),
            "t": rng.choice(["1", "2", "3"], n),
            "s": rng.choice(["1", "2", "3"], n),
            "v": rng.random(n) < 0.5,
        }
    )
    return X, (X["k"] == 2) ^ (X["t"] == "3") ^ ((X["s"] == "1") & X["v"])


@pytest.mark.parametrize(
    "arrives",
    [
        lambda X: X.astype(str),
        lambda X: X.astype(str).astype("category"),
        lambda X: pd.read_csv(io.StringIO(X.to_csv(index=False))),
        lambda X: X.astype({"k": float, "t": float, "s": float}),
        lambda X: X.assign(v=X["v"].map({True: "true", False: "false"}), t=X["t"].astype("Int64")),
        lambda X: pl.from_pandas(X.astype({"k": str, "t": int, "s": int})),
    ],
)
def test_codes_arrive_in_another_form(arrives: Any) -> None:
    """Categories may be numbers in one table and text in another; so may a case of their values."""
    X, y = _codes()
    kinds = {"k": "category", "s": ["1", "2", "3"], "v": "category"}
    clf = quick(kinds=kinds, predict_with="posterior", negations=True, expected_length=8).fit(X, y)
    assert {c.column for c in clf.pool_.conditions} == set(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(clf.predict_proba(arrives(X)), clf.predict_proba(X))
        np.testing.assert_array_equal(
            clf.rule_list_.captured_by(arrives(X)), clf.rule_list_.captured_by(X)
        )
        for row in range(5):
            explained = clf.explain(arrives(X), row)
            assert explained.fired == clf.explain(X, row).fired
            assert "not in the training data" not in explained.to_text()


def test_a_number_is_no_code_that_begins_with_zero() -> None:
    """ "01" and "1" may be two codes: which of them a 1 was, nobody can say."""
    X, y = _codes()
    X["t"] = "0" + X["t"]
    clf = quick(kinds={"k": "category"}).fit(X, y)
    with pytest.warns(UserWarning, match=r"'t': 120 values are of categories that fit did not see"):
        clf.predict(X.astype({"t": int}))


@pytest.mark.parametrize("nothing", [None, np.nan, pd.NA, pd.NaT])
@pytest.mark.parametrize("column", list("nbzcd"))
def test_columns_arrive_empty(column: str, nothing: Any) -> None:
    """A column of which no value arrives is missing, whatever kind it was."""
    X, y = _mixed()
    X = X.astype(object).mask(np.random.default_rng(2).random(X.shape) < 0.1, None).infer_objects()
    clf = quick(predict_with="posterior", expected_length=8).fit(X, y)
    empty = X.assign(**{column: nothing})
    expected = clf.predict_proba(X.assign(**{column: pd.Series([None] * len(X), dtype=object)}))
    np.testing.assert_array_equal(clf.predict_proba(empty), expected)


def test_text_that_is_no_number_is_refused() -> None:
    """Its row is named, and what it says."""
    X, y = _mixed()
    clf = quick(predict_with="posterior").fit(X, y)
    odd = X.astype({"n": object, "d": object})
    odd.loc[3, "n"] = "about 50"
    expect_refused(lambda: clf.predict(odd.astype(str)), "'n'", "'about 50'", "row 3")
    odd = X.assign(d=X["d"].astype(str).str.replace("2020", "MMXX"))
    expect_refused(lambda: clf.predict(odd), "'d'", "date", "MMXX")


def test_kinds_read_text() -> None:
    """What a file has as text is read as told."""
    X, y = _mixed()
    text = X.astype(str)
    given = {"n": "numeric", "b": "boolean", "z": "boolean", "d": "date"}
    fitted = quick(kinds=given, negations=True).fit(text, y)
    expected = quick(negations=True).fit(X, y)
    assert fitted.fingerprint_ == expected.fingerprint_
    assert str(fitted.rule_list_) == str(expected.rule_list_)
