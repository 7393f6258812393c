"""Cut points, labels, weights, and columns of every kind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra import numpy as hnp

from elseif.conditions.cut_points import quantile_cuts
from elseif.errors import DataError, ParamError
from elseif.tables.columns import Kind
from elseif.tables.labels import whole_weights
from elseif.tables.reading import parse_kinds, read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_cuts_are_readable_quartiles() -> None:
    """Quartiles of 0..1000 are 200 to 800, rounded."""
    cuts = quantile_cuts(np.arange(1001.0), np.ones(1001, dtype=int))
    assert len(cuts) == 3
    for cut, quartile in zip(cuts, (250, 500, 750), strict=True):
        assert abs(cut - quartile) <= 50
        assert cut % 50 == 0


@given(
    hnp.arrays(float, st.integers(1, 60), elements=st.floats(-1e6, 1e6, allow_nan=False, width=32))
)
def test_cuts_split_the_values(values: np.ndarray) -> None:
    """Every cut leaves values on both sides, and cuts ascend."""
    cuts = quantile_cuts(values, np.ones(len(values), dtype=int))
    assert cuts == sorted(set(cuts))
    for cut in cuts:
        assert (values <= cut).any()
        assert (values > cut).any()
    if len(set(values.tolist())) > 1:
        assert cuts


def test_cuts_by_weight_are_cuts_of_repeated_rows() -> None:
    """A weight of 3 cuts as three rows do, and a weight of 0 as none."""
    rng = np.random.default_rng(0)
    values, weights = rng.normal(size=200), rng.integers(0, 4, 200)
    repeated = np.repeat(values, weights)
    assert quantile_cuts(values, weights) == quantile_cuts(
        repeated, np.ones(len(repeated), dtype=int)
    )


def test_constant_values_have_no_cuts() -> None:
    """Nothing splits what is all the same."""
    assert quantile_cuts(np.full(10, 3.0), np.ones(10, dtype=int)) == []
    assert quantile_cuts(np.empty(0), np.empty(0, dtype=int)) == []


@pytest.mark.parametrize(
    ("weights", "whole", "unit"),
    [
        ([1, 2, 3], [1, 2, 3], 1.0),
        ([0.5, 1.5, 2.0], [1, 3, 4], 0.5),
        ([0.25, 1, 0], [1, 4, 0], 0.25),
        ([1e10, 2e10, 1], [10**10, 2 * 10**10, 1], 1.0),
    ],
)
def test_whole_weights(weights: list[float], whole: list[int], unit: float) -> None:
    """Integers and binary fractions are exact."""
    result, found_unit = whole_weights(np.array(weights), 3)
    assert result.tolist() == whole
    assert found_unit == unit


@given(hnp.arrays(float, st.integers(1, 30), elements=st.floats(1e-6, 1e9)))
def test_weights_of_any_kind_are_nearly_kept(weights: np.ndarray) -> None:
    """Each is rounded to a small part of itself, or to almost nothing of all together."""
    whole, unit = whole_weights(weights, len(weights))
    assert (whole > 0).all()
    nearly = np.maximum(weights / 4096, weights.sum() / 2**60)
    assert (np.abs(whole * unit - weights) <= nearly).all()


def test_a_weight_that_hardly_counts_is_not_made_to_count() -> None:
    """Beside a huge weight, a tiny one stays tiny; beside 1, any weight may be as small."""
    whole, unit = whole_weights(np.array([1e12, 1e-4 / 3, 0.0]), 3)
    assert whole[1] * unit == pytest.approx(1e-4 / 3, rel=0.01)
    assert whole[2] == 0
    whole, unit = whole_weights(np.array([1.1, 1e-300]), 2)
    assert 0 < whole[1] * unit < 1e-15


def test_weights_that_are_too_far_apart() -> None:
    with pytest.raises(DataError, match=r"1e\+20 and 0\.1 are too far apart"):
        whole_weights(np.array([1e20, 0.1, 0.3]), 3)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ([True, False], Kind.BOOLEAN),
        ([0, 1], Kind.BOOLEAN),
        ([0.0, 1.0], Kind.BOOLEAN),
        ([0.0, np.nan], Kind.BOOLEAN),
        ([1, 2], Kind.NUMERIC),
        ([0.5, 1.0], Kind.NUMERIC),
        (["a", "b"], Kind.CATEGORY),
        (["a", None], Kind.CATEGORY),
        (pd.Categorical(["a", "b"]), Kind.CATEGORY),
        (pd.to_datetime(["2020-01-01", "2020-01-02"]), Kind.DATE),
    ],
)
def test_kinds_are_inferred(values: object, kind: Kind) -> None:
    """A column's kind follows from what it holds."""
    assert read_table(pd.DataFrame({"x": values})).column("x").kind is kind


def test_kinds_are_told() -> None:
    """What the user says of a column holds."""
    X = pd.DataFrame({"x": [0, 1, 1], "y": [1, 2, 3]})
    assert read_table(X).column("x", Kind.CATEGORY).kind is Kind.CATEGORY
    assert read_table(X).column("x", Kind.NUMERIC).kind is Kind.NUMERIC
    table = read_table(pd.DataFrame({"x": [1.0], "y": ["a"]}))
    assert parse_kinds({"y": "ordered"}, table)[0] == {"y": Kind.ORDERED}
    with pytest.raises(ParamError, match=r"kinds.*'z'"):
        parse_kinds({"z": "numeric"}, table)
    with pytest.raises(ParamError, match=r"kinds\['x'\] is 'picture'.*'boolean'"):
        parse_kinds({"x": "picture"}, table)


@pytest.mark.parametrize("bad", [2, -1, 0.5])
def test_row_17_numbers_in_a_boolean_column(bad: float) -> None:
    """A column that is told to be boolean may hold 0 and 1 only; the row is named."""
    X, y = random_frame()
    X = X.astype(float)
    X.loc[7, "f2"] = bad
    with pytest.raises(DataError, match=r"'f2'.*boolean.*row 7"):
        quick(kinds={"f2": "boolean"}).fit(X, y)


def test_names_must_be_strings() -> None:
    """Names of another type are shown."""
    X, y = random_frame()
    X.columns = ["a", 1, "b", "c"]
    with pytest.raises(DataError, match=r"strings.*1"):
        quick().fit(X, y)
    X.columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2), ("b", 1), ("b", 2)])
    with pytest.raises(DataError, match="strings"):
        quick().fit(X, y)


def test_feature_names() -> None:
    """Names of a data frame are kept; an array's columns are numbered."""
    X, y = random_frame()
    clf = quick().fit(X, y)
    assert clf.feature_names_in_.tolist() == ["f1", "f2", "f3", "f4"]
    assert clf.n_features_in_ == 4
    clf.fit(X.to_numpy(), y)
    assert not hasattr(clf, "feature_names_in_")
    assert {c.column for c in clf.pool_.conditions} == {"x0", "x1", "x2", "x3"}


def test_missing_values_make_nothing_true() -> None:
    """A missing value gives a condition of its own and is never taken for no."""
    X, y = random_frame(200)
    X = X.astype(object)
    X.loc[:49, "f1"] = None
    clf = quick().fit(X, y)
    assert clf.fit_report_.missing == {"f1": 50}
    names = clf.pool_.names
    assert "f1 is missing" in names
    assert clf.pool_.supports[names.index("f1 is missing")] == pytest.approx(0.25)
    with pytest.raises(DataError, match=r"'f1' \(50\)"):
        quick(missing="error").fit(X, y)
