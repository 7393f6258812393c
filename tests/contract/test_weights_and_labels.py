"""Weights stand for repeated rows, and labels may be of any number and type."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.special import gammaln

from elseif.datasets import load_titanic
from elseif.errors import DataError
from tests.tables.fitting import assert_same, quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def mixed_frame(n: int = 150, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    """Numbers, categories and booleans with gaps, three labels."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 90, n),
            "dose": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
            "word": rng.choice(["u", "v", "w"], n),
            "flag": rng.random(n) < 0.4,
        }
    )
    return X, rng.integers(0, 3, n)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"cutting": "mdl", "min_support": 0.05},
        {"support_in": "any_class", "min_support": 0.3},
        {"merge_equivalents": True, "max_cardinality": 3},
        {"group_rare": 0.4, "negations": True},
        {"min_support": 30},
        {"kernel": "tempered"},
    ],
    ids=lambda settings: next(iter(settings), "default"),
)
def test_whole_weights_are_repeated_rows(settings: dict[str, Any]) -> None:
    """With any settings, a weight of k is the row k times and 0 is its absence."""
    X, y = mixed_frame()
    if settings.get("cutting") == "mdl":
        y = np.where(X["age"] > 60, 2, y)
    weights = np.random.default_rng(1).integers(0, 6, len(y))
    rows = np.repeat(np.arange(len(y)), weights)
    weighted = quick(n_iter=2000, **settings).fit(X, y, sample_weight=weights)
    repeated = quick(n_iter=2000, **settings).fit(X.iloc[rows], y[rows])
    assert_same(weighted, repeated)
    assert weighted.fit_report_.cuts == repeated.fit_report_.cuts
    assert [c.grouped for c in weighted.fit_report_.columns] == [
        c.grouped for c in repeated.fit_report_.columns
    ]


@pytest.mark.parametrize("kernel", ["paper", "tempered"])
def test_the_titanic_as_a_table_of_counts(kernel: str) -> None:
    """R's table of 32 rows with counts gives the posterior of all 2,201 people."""
    X, y = load_titanic()
    people = X.astype(str).assign(survival=y)
    levels = {name: sorted(people[name].unique()) for name in people.columns}
    index = pd.MultiIndex.from_product(levels.values(), names=levels.keys())
    counts = people.groupby(list(levels)).size().reindex(index, fill_value=0)
    table = counts.rename("freq").reset_index()
    assert len(table) == 32
    assert table["freq"].sum() == 2201
    aggregated = quick(n_iter=5000, kernel=kernel)
    aggregated.fit(table[["class", "sex", "age"]], table["survival"], table["freq"])
    assert_same(aggregated, quick(n_iter=5000, kernel=kernel).fit(X, y))
    assert sum(rule.n for rule in aggregated.rule_list_) == 2201


def test_an_aggregated_column_is_no_identifier() -> None:
    """A category or number that has one row, but a weight of many people, is used."""
    rng = np.random.default_rng(3)
    weights = np.full(60, 20)
    rows = np.repeat(np.arange(60), weights)
    y = rng.integers(0, 2, 60)
    age = pd.DataFrame({"age": np.arange(20, 80)})
    assert_same(quick().fit(age, y, weights), quick().fit(age.iloc[rows], y[rows]))
    country = pd.DataFrame({"country": [f"c{i:02d}" for i in range(25)]})
    big = np.r_[400, 300, 200, np.full(22, 10)]
    rows = np.repeat(np.arange(25), big)
    settings = {"max_cardinality": 1, "expected_length": 1}
    y = np.arange(25) % 2
    assert_same(
        quick(**settings).fit(country, y, big), quick(**settings).fit(country.iloc[rows], y[rows])
    )


def test_rows_without_weight_are_as_good_as_absent() -> None:
    """Values, categories and labels of rows that do not count leave no trace in the posterior."""
    X, y = mixed_frame()
    odd = pd.concat(
        [X, X.iloc[:3].assign(age=[1e6, 2e6, 3e6], word="never", dose=np.nan)], ignore_index=True
    )
    weighted = quick().fit(odd, np.r_[y, 7, 7, 7], sample_weight=np.r_[np.ones(150), 0, 0, 0])
    plain = quick().fit(X, y)
    assert_same(weighted, plain)
    assert weighted.classes_.tolist() == [0, 1, 2]
    assert weighted.fit_report_.cuts == plain.fit_report_.cuts


def test_weights_of_one_half_are_exact() -> None:
    """Halves and quarters are counted without rounding: the log posterior is the formula's."""
    X, y = random_frame(120, 3)
    weights = np.tile([0.5, 1.25, 0.25, 2.0], 30)
    clf = quick(n_iter=3000).fit(X, y, sample_weight=weights)
    for i in range(len(clf.posterior_.distinct)):
        rule_list = clf.posterior_.rule_list(i)
        first = rule_list.captured_by(X)
        for j, rule in enumerate(rule_list):
            expected = [weights[(first == j) & (y == label)].sum() for label in (0, 1)]
            assert rule.label_counts.tolist() == expected


def test_the_likelihood_of_fractional_weights() -> None:
    """Differences of the log posterior are those of Gamma functions at fractional counts."""
    X, y = random_frame(80, 2)
    weights = np.tile([0.5, 1.5, 1.0, 0.25], 20)
    clf = quick(antecedents=[("f1",), ("f2",)], n_iter=3000, expected_length=1).fit(X, y, weights)

    def log_likelihood(i: int) -> float:
        total = 0.0
        for rule in clf.posterior_.rule_list(i):
            n = np.asarray(rule.label_counts, dtype=float)
            total += gammaln(2) + gammaln(n + 1).sum() - gammaln(n.sum() + 2)
        return total

    lists = {clf.posterior_.distinct.antecedent_list(i): i for i in range(5)}
    assert set(lists) == {(), (0,), (1,), (0, 1), (1, 0)}
    log_posterior = clf.posterior_.distinct.log_posterior
    for a, b in (((0,), (1,)), ((0, 1), (1, 0))):  # pairs of the same prior
        difference = log_posterior[lists[a]] - log_posterior[lists[b]]
        assert difference == pytest.approx(log_likelihood(lists[a]) - log_likelihood(lists[b]))


def test_weights_that_are_no_binary_fractions_are_nearly_exact() -> None:
    """Thirds and tenths are counted to within a small part of the mean weight."""
    X, y = random_frame(120, 3)
    for weights in (np.tile([1 / 3, 0.1, 2.7], 40), np.tile([0.1, 0.2, 0.3], 40)):
        clf = quick(n_iter=2000).fit(X, y, sample_weight=weights)
        first = clf.rule_list_.captured_by(X)
        for j, rule in enumerate(clf.rule_list_):
            expected = [weights[(first == j) & (y == label)].sum() for label in (0, 1)]
            np.testing.assert_allclose(rule.label_counts, expected, rtol=1e-3)
    tenths = np.tile([1, 2, 3], 40)
    whole = quick(n_iter=2000, pseudocounts=10).fit(X, y, sample_weight=tenths)
    part = quick(n_iter=2000, pseudocounts=1).fit(X, y, sample_weight=tenths / 10)
    assert whole.pool_.names == part.pool_.names
    np.testing.assert_allclose(whole.pool_.supports, part.pool_.supports, rtol=1e-3)


def test_weights_in_any_container() -> None:
    """Lists, tuples, series of another index, polars and small integers are weights."""
    X, y = mixed_frame()
    weights = np.random.default_rng(1).integers(0, 6, len(y))
    expected = quick().fit(X, y, sample_weight=weights)
    forms: list[Any] = [
        weights.tolist(),
        tuple(weights.tolist()),
        pd.Series(weights, index=np.arange(150)[::-1]),
        pl.Series(weights),
        weights.astype(np.int8),
        weights.astype(np.float32),
    ]
    for form in forms:
        assert_same(expected, quick().fit(X, y, sample_weight=form))


# --------------------------------------------------------------------------- labels


def coded(y: np.ndarray, names: list[Any], dtype: Any = None) -> np.ndarray:
    """Labels by their place in a list of names."""
    result = np.empty(len(y), dtype=object)
    result[:] = [names[i] for i in y]
    return result if dtype is None else result.astype(dtype)


@pytest.mark.parametrize(
    "make",
    [
        lambda y: coded(y, ["a", "b", "c"]),
        lambda y: coded(y, ["a", "b", "c"], "U1"),
        lambda y: coded(y, [np.str_("a"), np.str_("b"), np.str_("c")]),
        lambda y: coded(y, ["a", "b", "c"]).tolist(),
        lambda y: pd.Series(coded(y, ["a", "b", "c"]), index=np.arange(len(y))[::-1]),
        lambda y: pd.Series(coded(y, ["a", "b", "c"])).astype("string"),
        lambda y: pd.Series(coded(y, ["a", "b", "c"])).astype("category"),
        lambda y: pd.Categorical(coded(y, ["a", "b", "c"])),
        lambda y: pl.Series(coded(y, ["a", "b", "c"]).tolist()),
        lambda y: y,
        lambda y: y.astype(np.uint8),
        lambda y: y.astype(float),
        lambda y: y - 10,
        lambda y: y * 10**12,
        lambda y: pd.Series(y).astype("Int64"),
        lambda y: np.array(["2020-01-01", "2021-01-01", "2022-01-01"], "datetime64[D]")[y],
        lambda y: coded(y, [datetime.date(2020 + i, 1, 1) for i in range(3)]),
    ],
    ids=[
        "objects", "text", "np.str_", "list", "series", "string", "category", "Categorical",
        "polars", "int", "uint8", "float", "negative", "large", "Int64", "datetime64", "dates",
    ],
)  # fmt: skip
def test_labels_of_any_type(make: Any) -> None:
    """Labels of any type give the posterior of the codes 0, 1, 2, and come back as they were."""
    X, y = random_frame(200, 4, n_labels=3)
    labels = make(y)
    expected = quick(n_iter=2000).fit(X, y)
    clf = quick(n_iter=2000).fit(X, labels)
    np.testing.assert_array_equal(clf.posterior_.log_posterior, expected.posterior_.log_posterior)
    assert len(clf.classes_) == 3
    predicted = clf.predict(X)
    given = labels.to_list() if isinstance(labels, pl.Series) else list(labels)
    by_code = dict(zip(y.tolist(), given, strict=True))
    assert list(predicted) == [by_code[code] for code in expected.predict(X)]
    assert str(clf.rule_list_)


@pytest.mark.parametrize("n_labels", [2, 3, 5, 12])
def test_any_number_of_labels(n_labels: int) -> None:
    """Probabilities of every label, in the order of classes_, and a line for each in the text."""
    X, y = random_frame(600, 4, n_labels=n_labels)
    clf = quick(n_iter=1000).fit(X, y)
    assert clf.classes_.tolist() == list(range(n_labels))
    for way in ("point", "posterior", "map"):
        probabilities = clf.set_params(predict_with=way).predict_proba(X)
        assert probabilities.shape == (600, n_labels)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1)
        assert (probabilities > 0).all()
    frame = clf.rule_list_.to_frame()
    assert all(f"probability {label}" in frame for label in range(n_labels))


def test_categorical_labels_keep_their_order() -> None:
    """A Categorical's order is the order of classes_, and unused categories are no classes."""
    X, y = random_frame(200, 4, n_labels=3)
    levels = ["severe", "never", "mild", "none"]
    labels = pd.Categorical(coded(y, ["none", "mild", "severe"]), levels, ordered=True)
    for form in (labels, pd.Series(labels), pd.DataFrame({"y": labels})["y"]):
        clf = quick().fit(X, form)
        assert clf.classes_.tolist() == ["severe", "mild", "none"]
        pseudocounts = quick(pseudocounts={"none": 1, "mild": 2, "severe": 3}).fit(X, form)
        assert pseudocounts.rule_list_.metadata.pseudocounts.tolist() == [3, 2, 1]


def test_boolean_labels_are_named_after_their_column() -> None:
    """An outcome of yes and no reads as its own name."""
    X, y = random_frame()
    clf = quick().fit(X, pd.Series(y == 1, name="stroke"))
    assert clf.classes_.tolist() == [False, True]
    assert clf.predict(X).dtype == bool
    assert "stroke" in str(clf.rule_list_)


def test_labels_of_a_column_of_a_polars_frame() -> None:
    """A polars enum of labels keeps its order."""
    X, y = random_frame(200, 4, n_labels=3)
    series = pl.Series("y", coded(y, ["none", "mild", "severe"]).tolist())
    enum = series.cast(pl.Enum(["severe", "mild", "none"]))
    assert quick().fit(X, enum).classes_.tolist() == ["severe", "mild", "none"]


def test_a_polars_categorical_has_no_order_of_labels() -> None:
    """Its categories are in the order in which this process met them, whatever they were for."""
    X, y = random_frame()
    labels = coded(y, ["well", "ill"]).tolist()
    met_before = pl.Series(["well", "ill"], dtype=pl.Categorical)
    series = pl.Series("y", labels, dtype=pl.Categorical)
    clf = quick().fit(X, series)
    assert met_before.to_list() == ["well", "ill"]  # as long as it is there, its order is
    assert clf.classes_.tolist() == quick().fit(X, labels).classes_.tolist() == ["ill", "well"]


@pytest.mark.parametrize("container", [np.asarray, pd.DataFrame, sparse.csr_array])
def test_several_labels_of_each_row_are_refused(container: Any) -> None:
    """With what fits one classifier for each of them."""
    X, y = random_frame()
    with pytest.raises(DataError, match=r"200 rows and 2 columns.*MultiOutputClassifier"):
        quick().fit(X, container(np.stack([y, 1 - y], axis=1)))


def test_mixed_labels_are_refused() -> None:
    """Labels of several types are refused with the clash."""
    X, y = random_frame()
    with pytest.raises(DataError, match=r"1 \(int\).*'1' \(str\)"):
        quick().fit(X, [1 if v else "1" for v in y])
