"""Mining against brute force and against another miner."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings, strategies as st

from elseif.antecedents.mining import Mined, MiningSettings, mine
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.binarise import Binarised, Binarising, binarise
from elseif.conditions.relations import can_join
from elseif.errors import MiningError
from elseif.tables.labels import Labels
from elseif.tables.reading import read_table
from tests.tables.fitting import rows_where_true

Itemset = frozenset[str]


def binarised_table(
    X: pd.DataFrame, weights: np.ndarray | None = None
) -> tuple[Binarised, BitLayout]:
    """Conditions on a table whose rows are labelled 0 and 1 in turn."""
    codes = np.arange(len(X)) % 2
    whole = np.ones(len(X), dtype=np.int64) if weights is None else weights
    labels = Labels(np.array([0, 1]), codes, whole, unit=1.0, n_dropped=0)
    layout = make_layout(codes, 2, weights)
    return binarise(read_table(X), labels, Binarising()), layout


def mined(
    X: pd.DataFrame, support: float, most: int, weights: np.ndarray | None = None
) -> Mined | None:
    """The package's pool, or None where nothing is frequent."""
    binarised, layout = binarised_table(X, weights)
    try:
        return mine(binarised, layout, MiningSettings(support, most))
    except MiningError:
        return None


def brute_force(
    X: pd.DataFrame, least: float, most: int, weights: np.ndarray
) -> dict[Itemset, float]:
    """Every conjunction of columns, one for each distinct column, that reaches the support."""
    columns: dict[bytes, str] = {}
    for name in sorted(X.columns, key=lambda name: (len(name), name)):
        truth = X[name].to_numpy()
        covered = weights[truth].sum()
        if least <= covered < weights.sum() and covered > 0:
            # rows without weight do not tell columns apart
            columns.setdefault((truth & (weights > 0)).tobytes(), name)
    result: dict[Itemset, float] = {}
    for k in range(1, most + 1):
        for names in itertools.combinations(columns.values(), k):
            covered = weights[X[list(names)].all(axis=1).to_numpy()].sum()
            if covered >= least:
                result[frozenset(names)] = covered / weights.sum()
    return result


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    """Small boolean tables, some columns alike, some constant."""
    n_rows, n_columns = draw(st.integers(2, 24)), draw(st.integers(1, 6))
    bits = st.lists(st.booleans(), min_size=n_rows, max_size=n_rows)
    columns = [draw(bits) for _ in range(n_columns)]
    if draw(st.booleans()):
        columns.append(list(columns[0]))
    names = draw(st.permutations([f"f{i}" for i in range(len(columns))]))
    return pd.DataFrame(dict(zip(names, columns, strict=True)))


@given(tables(), st.integers(1, 12), st.integers(1, 8))
@settings(max_examples=150)
def test_mining_is_brute_force(X: pd.DataFrame, least: int, most: int) -> None:
    """Exhaustive and unique, with the right supports, for any cardinality."""
    expected = brute_force(X, least, most, np.ones(len(X), dtype=np.int64))
    result = mined(X, least, most)
    if result is None:
        assert not expected
        return
    pool = result.pool
    itemsets = [frozenset(antecedent.columns) for antecedent in pool]
    assert len(set(itemsets)) == len(itemsets)
    supports = dict(zip(itemsets, pool.supports, strict=True))
    assert supports.keys() == expected.keys()
    for itemset, support in expected.items():
        assert supports[itemset] == pytest.approx(support, abs=1e-12)


@given(tables(), st.sampled_from([0.05, 0.1, 0.2, 0.25, 1 / 3, 0.5]), st.integers(1, 4))
def test_a_support_given_as_a_share(X: pd.DataFrame, share: float, most: int) -> None:
    """A share of the observations, reached exactly, counts."""
    least = next(k for k in range(len(X) + 1) if k / len(X) >= share - 1e-9)
    expected = brute_force(X, max(least, 1), most, np.ones(len(X), dtype=np.int64))
    pool = mined(X, share, most)
    itemsets = set() if pool is None else {frozenset(a.columns) for a in pool.pool}
    assert itemsets == expected.keys()


@given(tables(), st.integers(1, 20), st.integers(1, 4), st.randoms(use_true_random=False))
def test_weighted_supports(X: pd.DataFrame, least: int, most: int, random: object) -> None:
    """Supports count weights, and rows of weight 0 count nothing."""
    rng = np.random.default_rng(random.randint(0, 2**32 - 1))  # type: ignore[attr-defined]
    weights = rng.integers(0, 6, len(X))
    assume(weights.sum() > 0)
    expected = brute_force(X, least, most, weights)
    pool = mined(X, least, most, weights)
    if pool is None:
        assert not expected
        return
    supports = {frozenset(a.columns): s for a, s in zip(pool.pool, pool.pool.supports, strict=True)}
    assert supports.keys() == expected.keys()
    for itemset, support in expected.items():
        assert supports[itemset] == pytest.approx(support, abs=1e-12)


@given(tables(), st.integers(1, 6), st.integers(1, 4), st.randoms(use_true_random=False))
def test_order_of_rows_and_columns(X: pd.DataFrame, least: int, most: int, random: object) -> None:
    """The pool, its order and its supports do not depend on either."""
    rng = np.random.default_rng(random.randint(0, 2**32 - 1))  # type: ignore[attr-defined]
    shuffled = X.iloc[rng.permutation(len(X))][rng.permutation(X.columns).tolist()]
    a, b = mined(X, least, most), mined(shuffled, least, most)
    if a is None or b is None:
        assert a is b
        return
    assert a.pool.names == b.pool.names
    np.testing.assert_array_equal(a.pool.supports, b.pool.supports)
    assert a.pool.aliases == b.pool.aliases


@given(tables(), st.integers(1, 6), st.integers(1, 4))
def test_canonical_order(X: pd.DataFrame, least: int, most: int) -> None:
    """By cardinality, then by the conditions in their order."""
    pool = mined(X, least, most)
    if pool is None:
        return
    keys = [(a.cardinality, [c.sort_key() for c in a]) for a in pool.pool]
    assert keys == sorted(keys)


@given(tables(), st.integers(1, 6), st.integers(1, 4))
def test_covers_are_the_conjunctions(X: pd.DataFrame, least: int, most: int) -> None:
    """Packed covers unpack to the truth of each conjunction."""
    pool = mined(X, least, most)
    if pool is None:
        return
    layout = make_layout(np.arange(len(X)) % 2, 2)
    for antecedent, cover in zip(pool.pool, pool.covers, strict=True):
        truth = X[list(antecedent.columns)].all(axis=1).to_numpy()
        np.testing.assert_array_equal(layout.unpack(cover), truth)


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.floats(0, 10)),
        min_size=4,
        max_size=30,
    ),
    st.integers(1, 4),
    st.integers(1, 4),
)
def test_conditions_on_one_column(
    rows: list[tuple[str, str, float]], least: int, most: int
) -> None:
    """Categories and numbers: no conjunction is impossible or redundant, and none is lacking."""
    X = pd.DataFrame(rows, columns=["u", "v", "w"])
    binarised, _ = binarised_table(X)
    pool = mined(X, least, most)
    rows_of = rows_where_true(binarised, np.arange(len(X)) % 2)
    by_cover: dict[bytes, int] = {}
    order = sorted(
        range(len(binarised.conditions)),
        key=lambda i: (
            len(binarised.conditions[i].name),
            binarised.conditions[i].sort_key(),
        ),
    )
    for i in order:
        truth = np.zeros(len(X), dtype=bool)
        truth[rows_of[i]] = True
        if least <= truth.sum() < len(X):
            by_cover.setdefault(truth.tobytes(), i)
    expected = set()
    for k in range(1, most + 1):
        for chosen in itertools.combinations(sorted(by_cover.values()), k):
            conditions = [binarised.conditions[i] for i in chosen]
            if not all(can_join(a, b) for a, b in itertools.combinations(conditions, 2)):
                continue
            truth = np.ones(len(X), dtype=bool)
            for i in chosen:
                mask = np.zeros(len(X), dtype=bool)
                mask[rows_of[i]] = True
                truth &= mask
            if truth.sum() >= least:
                expected.add(frozenset(conditions))
    assert expected == (set() if pool is None else {frozenset(a) for a in pool.pool})


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_larger_table_against_mlxtend() -> None:
    """5,000 observations of 40 columns, up to three conditions: the same pool and supports."""
    frequent_patterns = pytest.importorskip("mlxtend.frequent_patterns")
    rng = np.random.default_rng(0)
    shares = rng.uniform(0.05, 0.7, 40)
    X = pd.DataFrame(rng.random((5000, 40)) < shares, columns=[f"c{i:02d}" for i in range(40)])
    X["c01"] = X["c00"] ^ (rng.random(5000) < 0.1)  # dependent columns too
    theirs = frequent_patterns.fpgrowth(X, min_support=0.05, max_len=3, use_colnames=True)
    ours = mined(X, 0.05, 3)
    assert ours is not None
    supports = {frozenset(a.columns): s for a, s in zip(ours.pool, ours.pool.supports, strict=True)}
    expected = dict(zip(theirs["itemsets"], theirs["support"], strict=True))
    assert len(supports) == len(ours.pool) > 2000
    assert supports.keys() == expected.keys()
    for itemset, support in expected.items():
        assert supports[itemset] == pytest.approx(support, abs=1e-12)
