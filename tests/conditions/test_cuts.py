"""Cut points and the conditions made of them: quantiles, description length, the user's own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st
from sklearn.model_selection import KFold, cross_validate

from elseif.conditions.binarise import Binarised, Binarising, binarise
from elseif.conditions.condition import value_text
from elseif.conditions.cut_points import description_length_cuts, quantile_cuts
from elseif.errors import DataError, ParamError, ValuesShownWarning, public_text
from elseif.tables.labels import read_labels
from elseif.tables.reading import parse_kinds, read_table
from tests.tables.fitting import quick, random_frame, rows_where_true

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def ones(values: Sequence[Any]) -> np.ndarray:
    """A weight of 1 for each value."""
    return np.ones(len(values), dtype=np.int64)


def conditions_of(X: pd.DataFrame, y: Any = None, **how: Any) -> Binarised:
    """Every condition on every column, before any support is asked for."""
    y = np.arange(len(X)) % 2 if y is None else np.asarray(y)
    kinds, orders = parse_kinds(how.pop("kinds", None), list(X.columns))
    labels = read_labels(y, None, False, None)
    return binarise(read_table(X), labels, Binarising(kinds=kinds, orders=orders, **how))


def names_of(X: pd.DataFrame, **how: Any) -> list[str]:
    """The names of every condition."""
    return [condition.name for condition in conditions_of(X, **how).conditions]


# ------------------------------------------------------------------------ quantiles


@given(
    values=st.lists(st.integers(-(10**6), 10**6), min_size=8, max_size=120, unique=True),
    decimals=st.integers(0, 4),
    n_quantiles=st.integers(2, 10),
)
@settings(max_examples=200)
def test_cuts_are_near_their_quantiles(values: list[int], decimals: int, n_quantiles: int) -> None:
    """Among distinct values, the k-th cut has about k / q of them at or below it."""
    numbers = np.array(values) / 10**decimals
    cuts = quantile_cuts(numbers, ones(values), n_quantiles)
    assert 1 <= len(cuts) <= n_quantiles - 1
    tolerance = min(0.05, 0.25 / n_quantiles) + 1 / len(values) + 1e-9
    shares = [k / n_quantiles for k in range(1, n_quantiles)]
    for cut in cuts:
        assert min(abs((numbers <= cut).mean() - share) for share in shares) <= tolerance
    if len(values) > 8 * n_quantiles:
        assert len(cuts) == n_quantiles - 1
        for cut, share in zip(cuts, shares, strict=True):
            assert abs((numbers <= cut).mean() - share) <= tolerance


@given(
    values=st.lists(st.integers(-(10**5), 10**5), min_size=2, max_size=80),
    decimals=st.integers(0, 4),
)
@settings(max_examples=200)
def test_cuts_have_no_more_decimals_than_the_values(values: list[int], decimals: int) -> None:
    """What was measured to two decimals is cut at two decimals or fewer."""
    numbers = np.array([round(v / 10**decimals, decimals) for v in values])
    for cut in quantile_cuts(numbers, ones(values)):
        text = value_text(cut)
        assert "e" not in text
        assert len(text.partition(".")[2]) <= decimals


def test_cuts_of_many_values_are_round() -> None:
    """Long numbers are cut at numbers of one or two digits."""
    rng = np.random.default_rng(0)
    for scale in (1e-6, 1e-3, 1.0, 37.0, 1e5, 1e9):
        values = scale * rng.normal(3, 1, 5000)
        for cut in quantile_cuts(values, ones(values)):
            digits = value_text(cut).partition("e")[0].replace(".", "").strip("-0")
            assert len(digits) <= 2, (scale, cut)


def test_cuts_of_ages() -> None:
    """Ages are cut at tens, fives or even years, as a person would."""
    ages = np.clip(np.random.default_rng(1).normal(62, 14, 2000).round(), 18, 99)
    cuts = quantile_cuts(ages, ones(ages))
    assert len(cuts) == 3
    assert all(cut % 5 == 0 or cut % 2 == 0 for cut in cuts)


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False),
            st.sampled_from([5e-324, -5e-324, 1e-320, 2e-320, 3e-320, 1.7e308, -1.7e308]),
        ),
        min_size=2,
        max_size=30,
    )
)
def test_cuts_of_any_finite_numbers_split_them(values: list[float]) -> None:
    """The largest and smallest numbers that there are can be cut too."""
    numbers = np.array(values)
    cuts = quantile_cuts(numbers, ones(values))
    for cut in cuts:
        assert (numbers <= cut).any()
        assert (numbers > cut).any()
    if len(set(values)) > 1:
        assert cuts


@given(
    st.lists(st.tuples(st.integers(-50, 50), st.integers(0, 6)), min_size=1, max_size=40),
    st.integers(2, 6),
)
def test_cuts_of_weighted_values_are_those_of_repeated_ones(
    pairs: list[tuple[int, int]], n_quantiles: int
) -> None:
    """A weight of k is a value k times."""
    values = np.array([v for v, _ in pairs], dtype=float)
    weights = np.array([w for _, w in pairs], dtype=np.int64)
    repeated = np.repeat(values, weights)
    expected = quantile_cuts(repeated, ones(repeated), n_quantiles)
    assert quantile_cuts(values, weights, n_quantiles) == expected
    assert quantile_cuts(values, weights * 3, n_quantiles) == expected


def test_n_quantiles() -> None:
    """n_quantiles parts have one cut fewer."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=500), "b": rng.normal(size=500)})
    for n in (2, 3, 5, 8):
        report = quick(n_quantiles=n, min_support=0.01).fit(X, np.arange(500) % 2).fit_report_
        assert {name: len(cuts) for name, cuts in report.cuts.items()} == {"a": n - 1, "b": n - 1}


def test_a_heavy_value_is_not_cut_twice() -> None:
    """Where half the values are the same, quantiles fall together and cuts are fewer."""
    values = np.r_[np.zeros(60), np.arange(1.0, 41.0)]
    cuts = quantile_cuts(values, ones(values))
    assert cuts == sorted(set(cuts))
    assert 1 <= len(cuts) <= 2
    assert all(0 <= cut < 40 for cut in cuts)


@pytest.mark.parametrize("cutting", ["quantiles", "mdl"])
def test_cuts_of_dates(cutting: str) -> None:
    """Dates are cut at dates that read well, and the conditions at them are true as they read."""
    rng = np.random.default_rng(3)
    days = np.datetime64("2010-03-05") + rng.integers(0, 4000, 400).astype("timedelta64[D]")
    X = pd.DataFrame({"day": days.astype("datetime64[ns]")})
    y = (days > np.datetime64("2015-06-15")).astype(int)
    y[:40] = rng.integers(0, 2, 40)
    result = conditions_of(X, y, cutting=cutting)
    assert result.columns[0].kind == "date"
    assert result.columns[0].cuts
    for condition, rows in zip(result.conditions, rows_where_true(result, y), strict=True):
        text = value_text(condition.value)
        assert len(text) == 10  # a day without a time
        expected = days <= np.datetime64(text)
        if condition.operator == ">":
            expected = ~expected
        assert condition.name == f"day {condition.operator} {text}"
        np.testing.assert_array_equal(np.flatnonzero(expected), rows)
    if cutting == "quantiles":
        for cut in result.columns[0].cuts:
            assert value_text(cut).endswith("-01")  # the first of a month or year
    else:
        assert any(
            np.datetime64("2015-06-01") <= cut <= np.datetime64("2015-07-01")
            for cut in result.columns[0].cuts
        )


# --------------------------------------------------------- description length


def entropy(counts: Sequence[float]) -> float:
    """Entropy in bits."""
    total = sum(counts)
    return -sum(c / total * math.log2(c / total) for c in counts if c > 0)


def partitions(
    groups: list[tuple[float, dict[int, float]]], slack: float = 1e-9
) -> set[frozenset[float]]:
    """Every set of cuts that the criterion of Fayyad and Irani (1993) can lead to.

    Each cut is named by the largest value to its left. Exact ties between cut points, and a
    gain that equals its price, leave the choice open: all choices are followed. The price is
    defined for two observations or more; a part of less weight stays whole.
    """

    def counts(part: list[tuple[float, dict[int, float]]]) -> list[float]:
        total: Counter[int] = Counter()
        for _, labels in part:
            for label, weight in labels.items():
                total[label] += weight
        return [c for c in total.values() if c > 0]

    whole = counts(groups)
    n = sum(whole)
    nothing: set[frozenset[float]] = {frozenset()}
    if len(groups) < 2 or n < 2:
        return nothing
    scores = []
    for i in range(1, len(groups)):
        left, right = counts(groups[:i]), counts(groups[i:])
        after = sum(left) / n * entropy(left) + sum(right) / n * entropy(right)
        scores.append((after, i))
    least = min(scores)[0]
    results: set[frozenset[float]] = set()
    for after, i in scores:
        if after > least + slack:
            continue
        left, right = counts(groups[:i]), counts(groups[i:])
        gain = entropy(whole) - after
        k, k1, k2 = len(whole), len(left), len(right)
        delta = math.log2(3**k - 2) - (
            k * entropy(whole) - k1 * entropy(left) - k2 * entropy(right)
        )
        price = (math.log2(n - 1) + delta) / n
        if gain > price - slack:
            results |= {
                a | b | {groups[i - 1][0]}
                for a in partitions(groups[:i])
                for b in partitions(groups[i:])
            }
        if gain <= price + slack:
            results |= nothing
    return results


def slow_cuts(values: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> set[frozenset[float]]:
    """The reference on values with labels and weights."""
    groups: dict[float, dict[int, float]] = {}
    for value, code, weight in zip(values.tolist(), codes.tolist(), weights.tolist(), strict=True):
        if weight > 0:
            group = groups.setdefault(value, {})
            group[code] = group.get(code, 0.0) + weight
    return partitions(sorted(groups.items()))


def found_cuts(
    values: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_labels: int
) -> frozenset[float]:
    """The package's cuts, each named by the largest value to its left."""
    used = values[weights > 0]
    cuts = description_length_cuts(values, codes, weights, n_labels)
    assert cuts == sorted(set(cuts))
    return frozenset(float(used[used <= cut].max()) for cut in cuts)


@st.composite
def labelled(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, int]:
    """Values in a few stretches, each mostly of one label, with weights."""
    n_labels = draw(st.integers(2, 4))
    values, codes = [], []
    for stretch in range(draw(st.integers(1, 4))):
        label = draw(st.integers(0, n_labels - 1))
        for step in range(draw(st.integers(1, 8))):
            odd = draw(st.integers(0, 5)) == 0
            values.append(stretch * 10.0 + step)
            codes.append(draw(st.integers(0, n_labels - 1)) if odd else label)
    kind = draw(st.sampled_from(["one", "whole", "halves"]))
    weights = np.array(
        [1 if kind == "one" else draw(st.integers(0, 5)) for _ in values], dtype=float
    )
    return (
        np.array(values),
        np.array(codes),
        weights / 2 if kind == "halves" else weights,
        n_labels,
    )


@given(labelled())
@settings(max_examples=300)
def test_description_length_cuts_are_those_of_the_slow_reference(
    data: tuple[np.ndarray, np.ndarray, np.ndarray, int],
) -> None:
    """Two to four labels, weights or none: the cuts that Fayyad and Irani's criterion gives."""
    values, codes, weights, n_labels = data
    assume((weights > 0).any())
    assert found_cuts(values, codes, weights, n_labels) in slow_cuts(values, codes, weights)


@pytest.mark.parametrize("n_labels", [2, 3, 5])
def test_description_length_cuts_of_many_values(n_labels: int) -> None:
    """Several hundred values, noisy labels: the reference's cuts again."""
    rng = np.random.default_rng(n_labels)
    values = np.round(rng.uniform(0, 100, 400), 1)
    codes = (values // (100 / n_labels)).astype(int).clip(0, n_labels - 1)
    noisy = rng.random(400) < 0.2
    codes[noisy] = rng.integers(0, n_labels, noisy.sum())
    weights = rng.integers(1, 4, 400).astype(float)
    cuts = found_cuts(values, codes, weights, n_labels)
    assert cuts in slow_cuts(values, codes, weights)
    assert len(cuts) >= n_labels - 1


def test_description_length_cuts_of_weights_are_those_of_repeated_rows() -> None:
    """A whole weight is a row repeated, the cuts' readable values included."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=150)
    codes = (values + rng.normal(0, 0.3, 150) > 0.4).astype(int)
    weights = rng.integers(0, 5, 150)
    repeated = np.repeat(np.arange(150), weights)
    assert description_length_cuts(values, codes, weights, 2) == description_length_cuts(
        values[repeated], codes[repeated], np.ones(len(repeated)), 2
    )


def test_no_cut_pays_for_noise() -> None:
    """Labels that have nothing to do with a column leave it whole."""
    rng = np.random.default_rng(0)
    values = rng.normal(size=300)
    assert description_length_cuts(values, rng.integers(0, 2, 300), np.ones(300), 2) == []
    assert description_length_cuts(values, np.zeros(300, dtype=int), np.ones(300), 2) == []


def test_description_length_cuts_are_readable() -> None:
    """A cut is the roundest number between its neighbours."""
    values = np.r_[np.linspace(0, 59.3127, 50), np.linspace(61.8871, 100, 50)]
    codes = (values > 60).astype(int)
    assert description_length_cuts(values, codes, np.ones(100), 2) == [60.0]


@pytest.mark.parametrize("cutting", ["quantiles", "mdl"])
def test_cuts_are_learnt_on_training_data_only(cutting: str) -> None:
    """In cross-validation the rows held out, values and labels, do not move the cuts."""
    rng = np.random.default_rng(6)
    X = pd.DataFrame({"a": rng.normal(size=240), "b": rng.normal(size=240)})
    y = ((X["a"] > 0.3).to_numpy() ^ (rng.random(240) < 0.1)).astype(int)
    folds = KFold(3, shuffle=True, random_state=0)
    clf = quick(cutting=cutting, expected_length=1, max_cardinality=1)
    fitted = cross_validate(clf, X, y, cv=folds, return_estimator=True)["estimator"]
    cuts = [estimator.fit_report_.cuts for estimator in fitted]
    assert len({str(c) for c in cuts}) > 1  # the folds do differ
    for (train, test), result in zip(folds.split(X), cuts, strict=True):
        alone = quick(cutting=cutting, expected_length=1, max_cardinality=1)
        assert alone.fit(X.iloc[train], y[train]).fit_report_.cuts == result
        spoilt, labels = X.copy(), y.copy()
        spoilt.iloc[test] += 1000
        labels[test] = 1 - labels[test]
        again = cross_validate(clf, spoilt, labels, cv=[(train, test)], return_estimator=True)[
            "estimator"
        ][0]
        assert again.fit_report_.cuts == result


# --------------------------------------------------------------- conditions of cuts


def test_the_users_cuts_give_the_pairs_of_the_paper() -> None:
    """Each cut point gives at most and above."""
    X = pd.DataFrame({"age": np.repeat(np.arange(40, 91), 2)})
    assert names_of(X, cuts={"age": [50, 60, 70, 80]}) == [
        "age <= 50",
        "age > 50",
        "age <= 60",
        "age > 60",
        "age <= 70",
        "age > 70",
        "age <= 80",
        "age > 80",
    ]
    clf = quick(cuts={"age": [80, 50, 60, 70, 60]}, min_support=1).fit(X, np.arange(102) % 2)
    assert clf.fit_report_.cuts == {"age": (50, 60, 70, 80)}
    assert "60 < age <= 70" in clf.pool_.names
    assert clf.pool_.supports[clf.pool_.names.index("60 < age <= 70")] == pytest.approx(10 / 51)
    single = [a.name for a in clf.pool_ if a.cardinality == 1]
    assert len(single) == 8
    assert sum(a.cardinality == 2 for a in clf.pool_) == 6  # every interval, nothing impossible


def test_a_column_that_is_told_its_cuts_is_no_identifier() -> None:
    """Who writes cut points for a column wants it used, though its values are all different."""
    X = pd.DataFrame({"age": np.arange(40, 91)})
    assert len(names_of(X, cuts={"age": [50, 60, 70, 80]})) == 8


@given(
    st.lists(st.one_of(st.none(), st.floats(-100, 100)), min_size=25, max_size=60),
    st.lists(st.integers(-90, 90), min_size=1, max_size=6, unique=True),
)
def test_disjoint_bins_partition_the_known_values(
    values: list[float | None], cuts: list[int]
) -> None:
    """Every known value is in exactly one bin, and a missing one in none."""
    assume(len({v for v in values if v is not None}) > 2)
    X = pd.DataFrame({"a": np.array(values, dtype=float)})
    known = X["a"].notna().to_numpy()
    for chosen_cuts in ({"a": cuts}, {}):
        result = conditions_of(X, cuts=chosen_cuts, shape="bins", kinds={"a": "numeric"})
        totals = np.zeros(len(X), dtype=int)
        outcome = rows_where_true(result, np.arange(len(X)) % 2)
        for condition, rows in zip(result.conditions, outcome, strict=True):
            if condition.operator != "is missing":
                totals[rows] += 1
        np.testing.assert_array_equal(totals, known.astype(int))
        n_bins = sum(c.operator != "is missing" for c in result.conditions)
        assert n_bins == len(result.columns[0].cuts) + 1


def test_disjoint_bins_read_as_intervals() -> None:
    """The inner bins are intervals, the outer ones one-sided."""
    X = pd.DataFrame({"age": np.repeat(np.arange(40, 91), 2)})
    assert names_of(X, cuts={"age": [50, 60, 70]}, shape="bins") == [
        "age <= 50",
        "50 < age <= 60",
        "60 < age <= 70",
        "age > 70",
    ]
    clf = quick(cuts={"age": [50, 60, 70]}, disjoint_bins=True).fit(X, np.arange(102) % 2)
    assert set(clf.pool_.names) == {"age <= 50", "50 < age <= 60", "60 < age <= 70", "age > 70"}


@given(st.lists(st.floats(-100, 100), min_size=2, max_size=60), st.sampled_from(["a", "b"]))
def test_thresholds_come_in_pairs(values: list[float], name: str) -> None:
    """Of each pair exactly one is true of a known value."""
    result = conditions_of(pd.DataFrame({name: values}), kinds={name: "numeric"})
    pairs = list(zip(result.conditions[::2], result.conditions[1::2], strict=True))
    outcome = rows_where_true(result, np.arange(len(values)) % 2)
    rows = list(zip(outcome[::2], outcome[1::2], strict=True))
    for (low, high), (below, above) in zip(pairs, rows, strict=True):
        assert (low.operator, high.operator) == ("<=", ">")
        assert low.value == high.value
        assert sorted([*below, *above]) == list(range(len(values)))
    for (a, _), (b, _) in pairwise(pairs):
        assert a.value < b.value


def test_the_users_cuts_of_dates() -> None:
    """Dates are cut where the user writes them."""
    X = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=60)})
    days: tuple[Any, ...] = ("2020-02-01", np.datetime64("2020-02-01"), pd.Timestamp(2020, 2, 1))
    for cut in days:
        assert names_of(X, cuts={"day": [cut]}) == ["day <= 2020-02-01", "day > 2020-02-01"]
    assert names_of(X, cuts={"day": ["2020-02-01T12:30"]})[0] == "day <= 2020-02-01 12:30:00"


def test_a_method_for_one_column() -> None:
    """cuts may name a method for a column."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=200), "b": rng.normal(size=200)})
    y = (X["a"] > 0.5).astype(int).to_numpy(copy=True)
    y[:5] = 1 - y[:5]
    report = quick(cuts={"a": "mdl"}, expected_length=1).fit(X, y).fit_report_
    other = quick(cutting="mdl", cuts={"b": "quantiles"}, expected_length=1).fit(X, y).fit_report_
    assert report.cuts == other.cuts
    assert len(report.cuts["b"]) == 3
    assert len(report.cuts["a"]) < 3


@pytest.mark.parametrize(
    ("cuts", "words"),
    [
        ({"height": [1]}, ("cuts", "'height'")),
        ({"age": ["old"]}, ("cuts", "'age'", "'old'", "numbers")),
        ({"age": [float("nan")]}, ("cuts", "'age'", "nan")),
        ({"age": [float("inf")]}, ("cuts", "'age'", "inf")),
        ({"age": 50}, ("cuts", "'age'", "50")),
        ({"age": [None]}, ("cuts", "'age'", "None")),
        ({"age": "deciles"}, ("cuts", "'age'", "'deciles'", "'mdl'")),
        ({"day": ["soon"]}, ("cuts", "'day'", "'soon'", "dates")),
        ({"day": [50]}, ("cuts", "'day'", "50", "dates")),
        ({"sex": ["f"]}, ("cuts", "'sex'", "category")),
        ({"flag": [0]}, ("cuts", "'flag'", "boolean")),
        ({"grade": ["best"]}, ("cuts", "'grade'", "'best'", "'low'")),
        ({"grade": "mdl"}, ("cuts", "'grade'")),
        ([50], ("cuts",)),
    ],
)
def test_cuts_that_cannot_be(cuts: Any, words: tuple[str, ...]) -> None:
    """What is no cut point is refused with its column and what is allowed."""
    X = pd.DataFrame(
        {
            "age": np.repeat(np.arange(40, 65), 2),
            "day": pd.date_range("2020-01-01", periods=50),
            "sex": ["f", "m"] * 25,
            "flag": [True, False] * 25,
            "grade": pd.Categorical(["low", "high"] * 25, ["low", "high"], ordered=True),
        }
    )
    with pytest.raises(ParamError) as caught:
        quick(cuts=cuts).fit(X, np.arange(50) // 2 % 2)
    for word in words:
        assert word in str(caught.value)


def test_negations() -> None:
    """Negations are a choice: of booleans and of categories, never true of a missing value."""
    X = pd.DataFrame(
        {
            "smoker": pd.array([True, False, None, False] * 10, dtype="boolean"),
            "region": pd.Series(["north", "south", "west", None] * 10, dtype=object),
        }
    )
    plain, negated = names_of(X), names_of(X, negations=True)
    assert plain == [
        "smoker",
        "smoker is missing",
        "region = north",
        "region = south",
        "region = west",
        "region is missing",
    ]
    assert set(negated) - set(plain) == {
        "not smoker",
        "region != north",
        "region != south",
        "region != west",
    }
    result = conditions_of(X, negations=True)
    rows = dict(zip(negated, rows_where_true(result, np.arange(len(X)) % 2), strict=True))
    assert len(rows["not smoker"]) == 20
    assert len(rows["region != north"]) == 20


def test_negations_of_two_categories_say_nothing_new() -> None:
    """sex != female is sex = male: one antecedent, the other its alias."""
    X = pd.DataFrame({"sex": ["female", "male", "male", "female"] * 25})
    clf = quick(negations=True, expected_length=1).fit(X, np.arange(100) % 3 % 2)
    assert set(clf.pool_.names) == {"sex = male", "sex = female"}
    assert clf.fit_report_.aliases == {
        "sex = male": ("sex != female",),
        "sex = female": ("sex != male",),
    }


def regions(n: int = 200) -> pd.DataFrame:
    """Two common categories and three rare ones."""
    values = ["north"] * 99 + ["south"] * 80 + ["east"] * 9 + ["west"] * 7 + ["far"] * 5
    return pd.DataFrame({"region": values[:n]})


def test_rare_categories_are_grouped_on_request_only() -> None:
    """group_rare joins categories below a share into one condition; the report lists them."""
    X, y = regions(), np.arange(200) // 3 % 2
    assert len(names_of(X)) == 5
    assert "region in {east, far, west}" in names_of(X, group_rare=0.05)
    clf = quick(group_rare=0.05, max_cardinality=1).fit(X, y)
    assert set(clf.pool_.names) == {
        "region = north",
        "region = south",
        "region in {east, far, west}",
    }
    assert clf.fit_report_.columns[0].grouped == ("east", "far", "west")
    assert clf.fit_report_.columns[0].levels == ("east", "far", "north", "south", "west")
    plain = quick(max_cardinality=1, expected_length=1).fit(X, y)
    assert plain.fit_report_.columns[0].grouped == ()


def test_one_rare_category_is_no_group() -> None:
    """A group of one is the category itself."""
    assert names_of(regions(), group_rare=0.03) == [
        "region = east",
        "region = far",
        "region = north",
        "region = south",
        "region = west",
    ]


def test_rare_is_counted_by_weight() -> None:
    """Weights decide what is rare, as repeated rows would."""
    X, y = regions(), np.arange(200) // 3 % 2
    weights = np.where(X["region"] == "far", 10, 1)
    clf = quick(group_rare=0.05, max_cardinality=1, min_support=0.01).fit(X, y, weights)
    assert clf.fit_report_.columns[0].grouped == ("east", "west")
    repeated = np.repeat(np.arange(200), weights)
    other = quick(group_rare=0.05, max_cardinality=1, min_support=0.01)
    other.fit(X.iloc[repeated], y[repeated])
    assert other.pool_.names == clf.pool_.names


STAGES = ["I", "II", "III", "IV"]


def test_ordered_categories_get_thresholds() -> None:
    """Each category but the last is a threshold, in the declared order."""
    X = pd.DataFrame({"stage": pd.Categorical(["IV", "I", "III", "II"] * 6, STAGES, ordered=True)})
    expected = [f"stage {op} {s}" for s in ("I", "II", "III") for op in ("<=", ">")]
    assert names_of(X) == expected
    clf = quick(min_support=1).fit(X, np.arange(24) // 4 % 2)
    assert "I < stage <= III" in clf.pool_.names
    assert clf.fit_report_.cuts == {"stage": ("I", "II", "III")}
    support = dict(zip(clf.pool_.names, clf.pool_.supports, strict=True))
    assert support["I < stage <= III"] == support["stage <= II"] == 0.5


def test_ordered_categories_that_do_not_occur_are_no_thresholds() -> None:
    """A category without a single row gives no cut."""
    X = pd.DataFrame({"stage": pd.Categorical(["I", "IV", "II"] * 8, STAGES, ordered=True)})
    assert names_of(X) == [f"stage {op} {s}" for s in ("I", "II") for op in ("<=", ">")]


def test_ordered_categories_in_disjoint_bins_and_with_cuts() -> None:
    """Ordered categories are binned and cut as numbers are."""
    X = pd.DataFrame({"stage": pd.Categorical(["IV", "I", "III", "II"] * 6, STAGES, ordered=True)})
    assert names_of(X, cuts={"stage": ["III", "I"]}) == [
        f"stage {op} {s}" for s in ("I", "III") for op in ("<=", ">")
    ]
    assert names_of(X, cuts={"stage": ["III", "I"]}, shape="bins") == [
        "stage <= I",
        "I < stage <= III",
        "stage > III",
    ]


# -------------------------------------------------------------------------- kinds


def test_an_order_told_by_a_list() -> None:
    """A list of categories tells the order that text and numbers cannot carry."""
    text = pd.DataFrame({"stage": ["IV", "I", "III", "II"] * 6})
    declared = text.astype(pd.CategoricalDtype(STAGES, ordered=True))
    y = np.arange(24) // 4 % 2
    fitted = quick(kinds={"stage": STAGES}, min_support=1).fit(text, y)
    carried = quick(min_support=1).fit(declared, y)
    assert fitted.pool_.names == carried.pool_.names
    np.testing.assert_array_equal(fitted.posterior_.log_posterior, carried.posterior_.log_posterior)
    np.testing.assert_array_equal(fitted.predict_proba(text), carried.predict_proba(declared))
    assert fitted.fit_report_.columns[0].kind == "ordered"
    backwards = quick(kinds={"stage": STAGES[::-1]}, min_support=1).fit(text, y)
    assert "stage <= IV" in backwards.pool_.names
    numbers = pd.DataFrame({"grade": [3, 1, 2, 10] * 6})
    assert names_of(numbers, kinds={"grade": [10, 3, 2, 1]})[:2] == ["grade <= 10", "grade > 10"]


@pytest.mark.parametrize("levels", [["low", "mid", "high"], ["9", "10", "11"]])
def test_an_order_that_the_alphabet_alone_tells(levels: list[str]) -> None:
    """By kinds="ordered" of text, high is lowest and 9 above 10: a warning says so."""
    X = pd.DataFrame({"dose": levels * 8})
    with pytest.warns(ValuesShownWarning, match="ordered as the alphabet has it: ") as caught:
        assert f"dose > {min(levels)}" in names_of(X, kinds={"dose": "ordered"})
    assert f"kinds={{'dose': {sorted(levels)}}}" in str(caught[0].message)
    assert public_text(caught[0].message) == "Column 'dose' is ordered as the alphabet has it."
    names_of(X, kinds={"dose": levels})  # no warning where an order is given, or known
    for order in (levels, sorted(levels)):  # a declared order may be that of the alphabet
        names_of(X.astype(pd.CategoricalDtype(order, ordered=True)), kinds={"dose": "ordered"})
    names_of(pd.DataFrame({"dose": [9, 10, 11] * 8}), kinds={"dose": "ordered"})


def test_an_order_that_lacks_a_category() -> None:
    """A category that the told order lacks is refused by name, at fit."""
    X = pd.DataFrame({"stage": ["IV", "I", "III", "II"] * 6})
    with pytest.raises(DataError, match=r"'stage'.*'IV'.*'I', 'II', 'III'"):
        quick(kinds={"stage": ["I", "II", "III"]}).fit(X, np.arange(24) // 4 % 2)


@pytest.mark.parametrize("order", [[], ["I", "I", "II", "III", "IV"]])
def test_an_order_that_is_none(order: list[str]) -> None:
    """An empty order, or one with a category twice, is refused as a setting."""
    X = pd.DataFrame({"stage": ["IV", "I", "III", "II"] * 6})
    with pytest.raises((ParamError, DataError), match="stage"):
        quick(kinds={"stage": order}).fit(X, np.arange(24) // 4 % 2)


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("numeric", ["code <= 0", "code > 0"]),
        ("category", ["code = 0", "code = 1"]),
        ("ordered", ["code <= 0", "code > 0"]),
        ("boolean", ["code"]),
    ],
)
def test_kinds_told_of_zeros_and_ones(kind: str, expected: list[str]) -> None:
    """What is inferred to be boolean can be told to be anything that it can be."""
    assert names_of(pd.DataFrame({"code": [0, 1] * 20}), kinds={"code": kind}) == expected


def test_numbers_told_to_be_categories() -> None:
    """Codes are categories when told, sorted by size, and read without a decimal point."""
    X = pd.DataFrame({"code": [10, 9, 2.0] * 10})
    assert names_of(X, kinds={"code": "category"}) == ["code = 2", "code = 9", "code = 10"]
    X["code"] = X["code"].astype(int)
    assert names_of(X, kinds={"code": "category"}) == ["code = 2", "code = 9", "code = 10"]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["a", "b"], "numeric"),
        (["a", "b"], "date"),
        ([1.5, 2.5], "date"),
        ([True, False], "date"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "numeric"),
        (pd.to_datetime(["2020-01-01", "2021-01-01"]), "boolean"),
    ],
)
def test_kinds_that_a_column_cannot_have(values: Any, kind: str) -> None:
    """A kind that the values contradict is refused with the column and both kinds."""
    X = pd.DataFrame({"x": np.tile(np.asarray(values), 10)})
    with pytest.raises(DataError, match=rf"'x'.*{kind}"):
        quick(kinds={"x": kind}).fit(X, np.arange(20) // 2 % 2)


# ------------------------------------------------------------------------- report


def test_the_report_says_what_was_done() -> None:
    """Columns excluded and why, values missing, cuts chosen, rows and conditions."""
    X, y = random_frame()
    X["age"] = np.random.default_rng(0).integers(20, 90, 200)
    X["dose"] = np.where(np.arange(200) % 5 == 0, np.nan, X["age"] / 7)
    X["same"], X["void"] = "x", np.nan
    X["id"] = [f"p{i}" for i in range(200)]
    with pytest.warns(UserWarning, match="'id'"):
        clf = quick(cuts={"age": [40, 60]}).fit(X, y)
    report = clf.fit_report_
    assert report.n_rows == 200
    assert report.n_rows_without_label == 0
    assert report.cuts["age"] == (40, 60)
    assert len(report.cuts["dose"]) == 3
    assert report.missing == {"dose": 40, "void": 200}
    assert report.excluded.keys() == {"same", "void", "id"}
    assert report.excluded["same"] == "constant"
    assert "missing" in report.excluded["void"]
    assert "identifier" in report.excluded["id"]
    assert [c.name for c in report.columns] == list(X.columns)
    assert {c.name: c.n_conditions for c in report.columns} == {
        **dict.fromkeys(["f1", "f2", "f3", "f4"], 1),
        "age": 4,
        "dose": 7,
        "same": 0,
        "void": 0,
        "id": 0,
    }


def test_the_report_on_a_column_that_no_cut_pays_for() -> None:
    """A column left out because no cut lowers the entropy enough is not called constant."""
    X, y = random_frame()
    X["noise"] = np.random.default_rng(1).normal(size=200)
    excluded = quick(cutting="mdl").fit(X, y).fit_report_.excluded
    assert "noise" in excluded
    assert "constant" not in excluded["noise"]


def test_the_report_on_a_column_without_cuts() -> None:
    """A column that the user gives no cut point is not called constant either."""
    X, y = random_frame()
    X["age"] = np.random.default_rng(1).normal(size=200)
    excluded = quick(cuts={"age": []}).fit(X, y).fit_report_.excluded
    assert "constant" not in excluded["age"]


def test_the_report_on_a_column_that_is_constant_or_missing() -> None:
    """A column whose only condition is "is missing" is not among those that gave none."""
    X, y = random_frame()
    X["once"] = np.where(np.arange(200) % 2, 7.5, np.nan)
    clf = quick().fit(X, y)
    assert "once is missing" in clf.pool_.names
    assert "once" not in clf.fit_report_.excluded
