"""Tables at prediction: matched by name, with what is new, missing or never seen."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError
from elseif.fitted_model import as_model
from elseif.tables.reading import read_table
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

WAYS = ["point", "posterior", "map"]


def frame(n: int = 300) -> tuple[pd.DataFrame, np.ndarray]:
    """A column of each kind with gaps; the region and the gaps matter most."""
    rng = np.random.default_rng(9)
    region = rng.choice(["north", "south", "west"], n).astype(object)
    region[rng.random(n) < 0.2] = None
    grade = rng.integers(0, 4, n)
    risk = np.select([region == "north", pd.isna(region)], [0.9, 0.7], 0.1)
    X = pd.DataFrame(
        {
            "region": region,
            "grade": pd.Categorical.from_codes(grade, list("ABCD"), ordered=True),
            "dose": np.where(rng.random(n) < 0.15, np.nan, rng.normal(size=n).round(2)),
            "flag": pd.array(np.where(rng.random(n) < 0.1, None, rng.random(n) < 0.5), "boolean"),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 700, n), "D"),
        }
    )
    return X, (rng.random(n) < np.clip(risk + 0.05 * grade, 0, 1)).astype(int)


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    """A fit of the table."""
    return quick(n_iter=3000).fit(*frame())


@pytest.fixture(scope="module")
def fitted_to_negations() -> BayesianRuleListClassifier:
    """A fit with negations, which must not be true of what fit never saw."""
    return quick(n_iter=3000, negations=True).fit(*frame())


def quietly(call: Any) -> Any:
    """A call whose notes are tested elsewhere."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call()


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("library", ["pandas", "polars", "pyarrow"])
def test_reordered_columns(fitted: BayesianRuleListClassifier, way: str, library: str) -> None:
    """Columns are matched by name in whatever order they come, and nothing is warned of."""
    X, _ = frame()
    expected = fitted.set_params(predict_with=way).predict_proba(X)
    turned = X[X.columns[::-1]]
    table: Any = {
        "pandas": lambda: turned,
        "polars": lambda: pl.from_pandas(turned),
        "pyarrow": lambda: pa.Table.from_pandas(turned, preserve_index=False),
    }[library]()
    np.testing.assert_array_equal(fitted.predict_proba(table), expected)


@pytest.mark.parametrize("way", WAYS)
def test_extra_columns_are_noted_and_ignored(fitted: BayesianRuleListClassifier, way: str) -> None:
    """Columns that fit did not see are named in a warning and change nothing."""
    X, _ = frame()
    expected = fitted.set_params(predict_with=way).predict_proba(X)
    more = X.assign(shoe_size=42, mixed=[1, "1"] * 150)
    with pytest.warns(UserWarning, match=r"2 columns.*'shoe_size', 'mixed'") as caught:
        probabilities = fitted.predict_proba(more)
    np.testing.assert_array_equal(probabilities, expected)
    assert sum("shoe_size" in str(w.message) for w in caught) == 1
    assert caught[0].filename == __file__


@pytest.mark.parametrize("way", WAYS)
def test_missing_columns_are_named(fitted: BayesianRuleListClassifier, way: str) -> None:
    """Columns that predictions use must be there; those that are not are named and counted."""
    X, _ = frame()
    fitted.set_params(predict_with=way)
    used = [name for name in X if name in as_model(fitted).columns_used()]
    assert len(used) >= 2
    names = ", ".join(map(repr, used))
    with pytest.raises(DataError, match=rf"{len(used)} of the columns.*{names}"):
        fitted.predict(X.drop(columns=used).assign(shoe_size=42))
    for name in used:
        with pytest.raises(DataError, match=f"1 of the columns.*'{name}'"):
            fitted.predict_proba(X.rename(columns={name: name.upper()}))


def test_missing_columns_beside_extra_ones(fitted: BayesianRuleListClassifier) -> None:
    """A table of other names is refused though it has as many columns."""
    X, _ = frame()
    n_used = len(as_model(fitted).columns_used())
    assert n_used
    with pytest.raises(DataError, match=f"{n_used} of the columns"):
        fitted.predict(X.set_axis(list("vwxyz"), axis=1))


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("which", ["fitted", "fitted_to_negations"])
def test_an_unseen_category_makes_no_condition_true(
    which: str, way: str, request: pytest.FixtureRequest
) -> None:
    """A new category is neither any that fit saw, nor another than these, nor missing."""
    clf = request.getfixturevalue(which).set_params(predict_with=way)
    X, _ = frame()
    unseen = X.assign(region="atlantis")
    for antecedent in clf.pool_:
        for condition in antecedent:
            if condition.column == "region":
                column = read_table(unseen).column("region")
                assert not condition.holds(column).any(), condition
    with pytest.warns(UserWarning, match=r"'region': 300 .*'atlantis'"):
        probabilities = clf.predict_proba(unseen)
    # what no condition on the region is true of is predicted as if its conditions were not there
    first = quietly(lambda: clf.rule_list_.captured_by(unseen))
    for index in np.unique(first):
        assert "region" not in clf.rule_list_[int(index)].antecedent.columns
    assert probabilities.shape == (300, 2)


def test_unseen_categories_are_counted(fitted: BayesianRuleListClassifier) -> None:
    """How many values, of which categories, in which column: once for each column."""
    X, _ = frame()
    X = X.assign(grade=X["grade"].astype(object))
    X.loc[:6, "region"] = "atlantis"
    X.loc[7:9, "region"] = "utopia"
    X.loc[:3, "grade"] = "E"
    with pytest.warns(UserWarning, match="categories") as caught:
        fitted.set_params(predict_with="point").predict(X)
    said = [str(w.message) for w in caught]
    assert len(said) == 2
    by_column = {name: next(m for m in said if f"{name!r}" in m) for name in ("region", "grade")}
    assert "10 values" in by_column["region"]
    assert "'atlantis'" in by_column["region"]
    assert "'utopia'" in by_column["region"]
    assert "4 values" in by_column["grade"]
    assert "'E'" in by_column["grade"]


def test_an_unseen_grade_is_neither_above_nor_below(fitted: BayesianRuleListClassifier) -> None:
    """A category outside the order of fit makes no threshold true."""
    X, _ = frame()
    unseen = X.assign(grade=pd.Categorical(["E"] * 300, list("ABCDE"), ordered=True))
    first = quietly(lambda: fitted.rule_list_.captured_by(unseen))
    for i in range(len(fitted.posterior_.distinct)):
        rule_list = fitted.posterior_.rule_list(i)
        places = np.unique(rule_list.captured_by(unseen))
        for index in places:
            assert "grade" not in rule_list[int(index)].antecedent.columns
    assert first.shape == (300,)


def test_categories_in_another_order_or_fewer(fitted: BayesianRuleListClassifier) -> None:
    """At prediction the order and the number of declared categories do not matter."""
    X, _ = frame()
    fitted.set_params(predict_with="posterior")
    expected = fitted.predict_proba(X)
    other = X.assign(
        grade=pd.Categorical(X["grade"].astype(object), list("DCBA"), ordered=True),
        region=pd.Categorical(X["region"], ["west", "north", "south"]),
    )
    np.testing.assert_array_equal(fitted.predict_proba(other), expected)
    np.testing.assert_array_equal(
        fitted.predict_proba(X.assign(grade=X["grade"].astype(object))), expected
    )
    for i in range(20):
        alone = X.iloc[[i]].assign(grade=X["grade"].iloc[[i]].cat.remove_unused_categories())
        np.testing.assert_array_equal(fitted.predict_proba(alone)[0], expected[i])


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("column", ["region", "grade", "dose", "flag", "day"])
def test_missing_values_at_prediction(
    fitted: BayesianRuleListClassifier, column: str, way: str
) -> None:
    """A missing value makes "is missing" true where there is such a condition, and no other."""
    X, _ = frame()
    gaps = X.copy()
    gaps[column] = pd.Series([None] * 300, dtype=X[column].dtype)
    probabilities = fitted.set_params(predict_with=way).predict_proba(gaps)
    assert np.isfinite(probabilities).all()
    as_objects = gaps.assign(**{column: pd.Series([None] * 300, dtype=object)})
    np.testing.assert_array_equal(fitted.predict_proba(as_objects), probabilities)
    as_nan = gaps.assign(**{column: np.nan})
    np.testing.assert_array_equal(fitted.predict_proba(as_nan), probabilities)
    for i in range(len(fitted.posterior_.distinct)):
        rule_list = fitted.posterior_.rule_list(i)
        for index in np.unique(rule_list.captured_by(gaps)):
            for condition in rule_list[int(index)].antecedent:
                assert condition.column != column or condition.operator == "is missing"


def test_a_column_that_lacked_nothing_may_lack_values_later() -> None:
    """Where fit saw no missing value, a missing one makes none of its conditions true."""
    X, y = frame()
    X = X[["day", "grade"]]
    clf = quick(n_iter=1000).fit(X, y)
    gaps = X.copy()
    gaps.loc[:, "day"] = pd.NaT
    first = clf.rule_list_.captured_by(gaps)
    for index in np.unique(first):
        assert "day" not in clf.rule_list_[int(index)].antecedent.columns


def test_missing_values_are_refused_at_prediction_as_at_fit() -> None:
    """missing="error" holds at prediction and names the column and the count."""
    X, y = frame()
    clf = quick(missing="error").fit(X[["day", "grade"]], y)
    gaps = X[["day", "grade"]].copy()
    gaps.loc[:4, "day"] = pd.NaT
    with pytest.raises(DataError, match=r"'day'.*5"):
        clf.predict(gaps)


def test_names_given_to_what_was_fitted_without(fitted: BayesianRuleListClassifier) -> None:
    """An array for a fit with names, and names for a fit without, are matched by place."""
    X, y = frame()
    array = X.astype(object).to_numpy()
    fitted.set_params(predict_with="point")
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        probabilities = fitted.predict_proba(array)
    np.testing.assert_array_equal(probabilities, fitted.predict_proba(X))
    unnamed = quick(n_iter=1000, kinds={"x1": list("ABCD")}).fit(array, y)
    with pytest.warns(UserWarning, match="fitted without feature names"):
        probabilities = unnamed.predict_proba(X)
    np.testing.assert_array_equal(probabilities, unnamed.predict_proba(array))


def test_a_column_of_another_kind_is_refused(fitted: BayesianRuleListClassifier) -> None:
    """Words where fit saw numbers, dates or truth are refused by name where they are needed."""
    X, _ = frame()
    fitted.set_params(predict_with="posterior")
    with pytest.raises(DataError, match="'dose'"):
        fitted.predict(X.assign(dose="much"))
    with pytest.raises(DataError, match="'day'"):
        fitted.predict(X.assign(day=3.5))
    with pytest.raises(DataError, match="'flag'"):
        fitted.predict(X.assign(flag="yes"))


def test_infinite_values_are_refused_at_prediction(fitted: BayesianRuleListClassifier) -> None:
    """Infinity is refused at prediction as at fit, in a column that is needed."""
    X, _ = frame()
    fitted.set_params(predict_with="posterior")
    with pytest.raises(DataError, match=r"'dose'.*infinit|infinit.*'dose'"):
        fitted.predict(X.assign(dose=np.inf))


@pytest.mark.parametrize("way", WAYS)
def test_rows_are_predicted_one_by_one_as_together(
    fitted: BayesianRuleListClassifier, way: str
) -> None:
    """A row's prediction does not depend on the rows beside it."""
    X, _ = frame()
    together = fitted.set_params(predict_with=way).predict_proba(X)
    for i in range(0, 300, 15):
        np.testing.assert_array_equal(fitted.predict_proba(X.iloc[[i]])[0], together[i])
    assert fitted.predict_proba(X.iloc[:0]).shape == (0, 2)
