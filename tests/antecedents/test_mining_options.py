"""What mining can be asked for, and what it does when that is too much."""

from __future__ import annotations

import importlib.util
import itertools
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

from elseif.antecedents.mining import Mined, MiningSettings, mine
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.binarise import Binarised, Binarising, binarise
from elseif.errors import MiningError
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

Itemset = frozenset[str]


def prepared(
    X: Any, y: np.ndarray, weights: np.ndarray | None = None, **how: Any
) -> tuple[Binarised, BitLayout]:
    """A table and its labels, ready to be mined."""
    labels = read_labels(np.asarray(y), weights, False, None)
    layout = make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)
    return binarise(read_table(X), labels, Binarising(**how)), layout


def mined(X: Any, y: np.ndarray, weights: np.ndarray | None = None, **asked: Any) -> Mined | None:
    """The pool, or None where nothing is frequent."""
    binarised, layout = prepared(X, y, weights)
    try:
        return mine(binarised, layout, MiningSettings(**asked))
    except MiningError:
        return None


def itemsets(result: Mined | None) -> dict[Itemset, float]:
    """Antecedents of boolean columns as sets of names, with their supports."""
    if result is None:
        return {}
    sets = [frozenset(antecedent.columns) for antecedent in result.pool]
    assert len(set(sets)) == len(sets)
    return dict(zip(sets, result.pool.supports.tolist(), strict=True))


@contextmanager
def time_limit(seconds: int) -> Iterator[None]:
    """An endless loop fails instead of hanging the suite."""

    def stop(*_: Any) -> None:
        raise TimeoutError(f"not done after {seconds} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


# ------------------------------------------------------------------------- support


@st.composite
def labelled_tables(draw: st.DrawFn) -> tuple[pd.DataFrame, np.ndarray]:
    """Small boolean tables of distinct columns, with two or three labels that all occur."""
    n_labels = draw(st.integers(2, 3))
    n_rows = draw(st.integers(n_labels + 1, 24))
    n_columns = draw(st.integers(1, 5))
    words = draw(
        st.lists(st.integers(1, 2**n_rows - 2), min_size=n_columns, max_size=n_columns, unique=True)
    )
    columns = {f"f{i}": [bool(w >> r & 1) for r in range(n_rows)] for i, w in enumerate(words)}
    rest = draw(
        st.lists(
            st.integers(0, n_labels - 1),
            min_size=n_rows - n_labels,
            max_size=n_rows - n_labels,
        )
    )
    return pd.DataFrame(columns), np.array([*range(n_labels), *rest])


@given(labelled_tables(), st.integers(1, 24), st.integers(1, 4))
def test_a_share_is_a_count(data: tuple[pd.DataFrame, np.ndarray], least: int, most: int) -> None:
    """A support of k of n rows is the same as a number of k rows, exactly reached or not."""
    X, y = data
    least = min(least, len(X))
    by_count = mined(X, y, min_support=least, max_cardinality=most)
    by_share = mined(X, y, min_support=least / len(X), max_cardinality=most)
    assert itemsets(by_count) == itemsets(by_share)
    for support in itemsets(by_count).values():
        assert support * len(X) >= least - 1e-9


@given(labelled_tables(), st.sampled_from([1, 2, 3, 0.1, 0.25, 1 / 3, 0.5, 0.9]), st.integers(1, 4))
@settings(max_examples=200)
def test_any_class_is_the_union_of_mining_each_class(
    data: tuple[pd.DataFrame, np.ndarray], least: float, most: int
) -> None:
    """support_in="any_class" finds what reaches the support among one label's rows alone."""
    X, y = data
    expected = {}
    for k in range(1, most + 1):
        for names in itertools.combinations(X.columns, k):
            truth = X[list(names)].all(axis=1).to_numpy()
            for label in np.unique(y):
                among = truth[y == label]
                enough = least if isinstance(least, int) else least * len(among) - 1e-9
                if among.any() and among.sum() >= enough:
                    expected[frozenset(names)] = truth.mean()
    pool = mined(X, y, min_support=least, max_cardinality=most, support_in="any_class")
    assert itemsets(pool) == pytest.approx(expected)


def test_any_class_finds_the_risk_factor_of_a_rare_label() -> None:
    """What covers 3 % of all but 60 % of the rare label is found per class only."""
    rng = np.random.default_rng(0)
    y = (np.arange(2000) < 100).astype(int)
    factor = np.where(y == 1, rng.random(2000) < 0.6, rng.random(2000) < 0.01)
    X = pd.DataFrame({"factor": factor, "common": rng.random(2000) < 0.5})
    everywhere = quick(expected_length=1).fit(X, y)
    per_class = quick(expected_length=1, support_in="any_class").fit(X, y)
    assert "factor" not in everywhere.pool_.names
    assert "factor" in per_class.pool_.names
    assert set(everywhere.pool_.names) <= set(per_class.pool_.names)
    assert per_class.pool_.supports[per_class.pool_.names.index("factor")] == factor.mean()


@pytest.mark.parametrize("support_in", ["all", "any_class"])
def test_counts_of_fractional_weights(support_in: str) -> None:
    """A number of observations counts weights, halves too."""
    X, y = random_frame(120, 5)
    weights = np.tile([0.5, 1.0, 1.5], 40)
    doubled = np.repeat(np.arange(120), (2 * weights).astype(int))
    for least in (5, 11, 20, 33):
        ours = mined(X, y, weights, min_support=least, max_cardinality=3, support_in=support_in)
        theirs = mined(
            X.iloc[doubled].reset_index(drop=True),
            y[doubled],
            min_support=2 * least,
            max_cardinality=3,
            support_in=support_in,
        )
        assert itemsets(ours) == itemsets(theirs)


# ------------------------------------------------------------ equivalents and twins


def test_equivalents_are_merged_into_the_simplest() -> None:
    """Of antecedents with one cover the fewest conditions stay; the others are aliases."""
    rng = np.random.default_rng(1)
    a, b, c = rng.random((3, 300)) < 0.5
    X = pd.DataFrame({"a": a, "b": b, "c": c, "a b": a & b})
    y = rng.integers(0, 2, 300)
    plain = quick(max_cardinality=3, min_support=0.02).fit(X, y)
    merged = quick(max_cardinality=3, min_support=0.02, merge_equivalents=True).fit(X, y)
    covers = {  # every antecedent's rows
        name: X[list(antecedent.columns)].all(axis=1).to_numpy().tobytes()
        for name, antecedent in zip(plain.pool_.names, plain.pool_, strict=True)
    }
    kept = {covers[name] for name in merged.pool_.names}
    assert len(kept) == len(merged.pool_) == len(set(covers.values())) < len(plain.pool_)
    assert "a b" in merged.pool_.names
    assert "a and b" not in merged.pool_.names
    aliases = merged.fit_report_.aliases
    assert set(aliases["a b"]) == {"a and b", "a and a b", "a b and b", "a and a b and b"}
    listed = [alias for others in aliases.values() for alias in others]
    assert sorted([*listed, *merged.pool_.names]) == sorted(plain.pool_.names)
    cardinality = {
        name: a.cardinality for name, a in zip(plain.pool_.names, plain.pool_, strict=True)
    }
    for name, others in aliases.items():
        for other in others:
            assert covers[other] == covers[name]
            assert cardinality[other] >= cardinality[name]


@given(labelled_tables(), st.integers(1, 4), st.integers(1, 4))
def test_merging_keeps_one_of_each_cover(
    data: tuple[pd.DataFrame, np.ndarray], least: int, most: int
) -> None:
    """No cover is lost, none is kept twice, and the canonical order stays."""
    X, y = data
    asked = {"min_support": least, "max_cardinality": most}
    plain, merged = mined(X, y, **asked), mined(X, y, **asked, merge_equivalents=True)
    if plain is None or merged is None:
        assert plain is merged
        return
    before = {cover.tobytes() for cover in plain.covers}
    after = [cover.tobytes() for cover in merged.covers]
    assert set(after) == before
    assert len(after) == len(before)
    keys = [(a.cardinality, [c.sort_key() for c in a]) for a in merged.pool]
    assert keys == sorted(keys)
    n_aliases = sum(len(others) for others in merged.pool.aliases.values())
    assert n_aliases + len(merged.pool) == len(plain.pool)


def test_identical_columns_are_one_condition() -> None:
    """Columns with the same rows give one condition, the shortest name, with aliases."""
    X, y = random_frame()
    X["f1 copied"], X["f1 copied again"] = X["f1"], X["f1"]
    X["g"] = X["f1"]
    clf = quick(max_cardinality=3).fit(X, y)
    assert clf.fit_report_.aliases == {"g": ("f1", "f1 copied", "f1 copied again")}
    assert not {"f1", "f1 copied"} & {c.column for c in clf.pool_.conditions}
    alone = quick(max_cardinality=3).fit(X[["g", "f2", "f3", "f4"]], y)
    assert clf.pool_.names == alone.pool_.names
    assert str(clf.rule_list_) == str(alone.rule_list_)


def test_columns_that_differ_in_rows_without_weight_are_identical() -> None:
    """Rows that do not count do not tell columns apart."""
    X, y = random_frame()
    X["twin"] = X["f1"].to_numpy() ^ (np.arange(200) < 5)
    weights = (np.arange(200) >= 5).astype(float)
    assert quick().fit(X, y, weights).fit_report_.aliases == {"f1": ("twin",)}
    assert quick().fit(X, y).fit_report_.aliases == {}


# ------------------------------------------------------- redundant and impossible


def test_redundant_and_impossible_conjunctions_are_left_out() -> None:
    """Of one column only true intervals are joined; across columns everything is."""
    rng = np.random.default_rng(2)
    n = 600
    X = pd.DataFrame(
        {
            "age": rng.integers(30, 95, n).astype(float),
            "region": rng.choice(["north", "south", "west"], n),
            "smoker": pd.array(np.where(rng.random(n) < 0.1, None, rng.random(n) < 0.5), "boolean"),
        }
    )
    X.loc[rng.random(n) < 0.1, "age"] = np.nan
    y = rng.integers(0, 2, n)
    clf = quick(cuts={"age": [50, 60, 70]}, min_support=1, negations=True, max_cardinality=3)
    pool = clf.fit(X, y).pool_
    one_column = {
        name
        for name, antecedent in zip(pool.names, pool, strict=True)
        if antecedent.cardinality > 1 and len(antecedent.columns) == 1
    }
    assert one_column == {
        "50 < age <= 60",
        "50 < age <= 70",
        "60 < age <= 70",
        "region != north and region != south",
        "region != north and region != west",
        "region != south and region != west",
    }


def test_no_conjunction_says_no_more_than_a_part_of_it() -> None:
    """On one column, a conjunction covers fewer rows than each of its parts in principle."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame({"a": rng.normal(size=500), "b": rng.integers(0, 9, 500).astype(float)})
    pool = quick(min_support=1, max_cardinality=4, n_quantiles=6).fit(X, np.arange(500) % 2).pool_
    for antecedent in pool:
        for name in antecedent.columns:
            mine_ = [c for c in antecedent if c.column == name]
            assert len(mine_) <= 2
            if len(mine_) == 2:
                low = next(c.value for c in mine_ if c.operator == ">")
                high = next(c.value for c in mine_ if c.operator == "<=")
                assert low < high
    assert any("< a <=" in name and "< b <=" in name for name in pool.names)


def test_ordered_intervals_and_date_intervals() -> None:
    """Ordered categories and dates make intervals too, and nothing redundant."""
    grades = ["low", "mid", "high", "top"]
    X = pd.DataFrame(
        {
            "grade": pd.Categorical(grades * 50, grades, ordered=True),
            "day": np.repeat(pd.date_range("2020-01-01", periods=100), 2),
        }
    )
    cuts = {"day": ["2020-01-31", "2020-02-29"]}
    pool = quick(min_support=1, cuts=cuts).fit(X, np.arange(200) // 3 % 2).pool_
    names = {
        n for n, a in zip(pool.names, pool, strict=True) if len(a) == 2 and len(a.columns) == 1
    }
    assert names == {
        "low < grade <= mid",
        "low < grade <= high",
        "mid < grade <= high",
        "2020-01-31 < day <= 2020-02-29",
    }


# ------------------------------------------------------------------------ too many


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Mining that gives up above max_antecedents, so that small tables show how."""
    monkeypatch.setattr("elseif.antecedents.mining.MOST_MINED", 1)


WAYS = re.compile(r"(min_support|max_cardinality)=([\d.]+) \(which gives ([\d,]+)\)")


def advice(X: Any, y: np.ndarray, weights: Any = None, **asked: Any) -> list[tuple[str, Any, int]]:
    """What the error of too large a pool advises: settings, values, and the pool of each."""
    with time_limit(8), pytest.raises(MiningError) as caught:
        quick(**asked).fit(X, y, sample_weight=weights)
    message = str(caught.value)
    whole = isinstance(asked.get("min_support"), int)
    return [
        (
            name,
            int(value) if name == "max_cardinality" or whole else float(value),
            int(n.replace(",", "")),
        )
        for name, value, n in WAYS.findall(message)
    ]


TOO_MUCH: dict[str, dict[str, Any]] = {
    "share": {"min_support": 0.01, "max_cardinality": 4, "max_antecedents": 60},
    "count": {"min_support": 3, "max_cardinality": 4, "max_antecedents": 60},
    "any class": {
        "min_support": 0.02,
        "max_cardinality": 3,
        "max_antecedents": 60,
        "support_in": "any_class",
    },
    "merged": {
        "min_support": 0.01,
        "max_cardinality": 4,
        "max_antecedents": 60,
        "merge_equivalents": True,
    },
}


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("case", TOO_MUCH)
def test_row_34_following_the_advice_works(case: str) -> None:
    """The settings that the error names give a pool within the limit, of the size it says."""
    X, y = random_frame(300, 10)
    asked = TOO_MUCH[case]
    ways = advice(X, y, **asked)
    assert {name for name, _, _ in ways} == {"min_support", "max_cardinality"}
    for name, value, n in ways:
        clf = quick(**{**asked, name: value}).fit(X, y)
        assert len(clf.pool_) == n <= 60 or asked.get("merge_equivalents")
        assert len(clf.pool_) <= n


@pytest.mark.usefixtures("limited")
def test_row_34_advice_for_a_weighted_table() -> None:
    """An aggregated table gets the advice that its repeated rows would get."""
    X, y = random_frame(60, 7)
    weights = np.full(60, 50)
    asked = {"min_support": 20, "max_cardinality": 4, "max_antecedents": 40}
    repeated = np.repeat(np.arange(60), weights)
    expected = advice(X.iloc[repeated], y[repeated], **asked)
    result = advice(X, y, weights, **asked)
    assert "min_support" in [name for name, _, _ in expected]
    assert result == expected


@pytest.mark.usefixtures("limited")
@pytest.mark.parametrize("support", [0.0001, 0.0002, 0.0003, 0.0004, 0.001])
def test_row_34_advice_for_a_very_small_support(support: float) -> None:
    """However small the share asked for, the error comes, with a share that would do."""
    X, y = random_frame(300, 8)
    asked = {"min_support": support, "max_cardinality": 4, "max_antecedents": 60}
    ways = advice(X, y, **asked)
    assert "min_support" in [name for name, _, _ in ways]
    for name, value, n in ways:
        assert len(quick(**{**asked, name: value}).fit(X, y).pool_) == n


@pytest.mark.usefixtures("limited")
def test_row_34_even_single_conditions_are_too_many() -> None:
    """Where no cardinality would do, only the support or the limit is advised."""
    X, y = random_frame(300, 10)
    for share in range(10):
        X[f"f{share + 1}"] &= np.random.default_rng(share).random(300) < 0.1 * share + 0.1
    ways = advice(X, y, min_support=0.01, max_antecedents=5)
    assert [name for name, _, _ in ways] == ["min_support"]


def test_row_34_covers_that_do_not_fit_are_formed_at_every_use() -> None:
    """A byte less than all covers take, and only those of conditions are kept: same draws."""
    X, y = random_frame(3000, 8)
    binarised, layout = prepared(X, y)
    pool = mine(binarised, layout, MiningSettings(max_cardinality=3))
    assert pool.covers.nbytes == len(pool.pool) * layout.n_words * 8
    less = pool.covers.nbytes - 1
    formed = mine(binarised, layout, MiningSettings(max_cardinality=3, max_memory=less))
    assert len(formed.covers) == len(pool.pool.conditions) < len(pool.covers)
    np.testing.assert_array_equal(formed.pool.supports, pool.pool.supports)
    enough = quick(max_cardinality=3, max_memory=pool.covers.nbytes).fit(X, y)
    sparing = quick(max_cardinality=3, max_memory=less).fit(X, y)
    assert enough.posterior_.lists().equals(sparing.posterior_.lists())


def test_equivalents_are_merged_where_covers_are_formed_at_every_use() -> None:
    X, y = random_frame(600, 6)
    X["f1"] = X["f2"] & X["f3"]  # so that (f1, f2) and (f1, f3) cover what f1 covers
    binarised, layout = prepared(X, y)
    asked = MiningSettings(min_support=0.05, max_cardinality=2, merge_equivalents=True)
    own = mine(binarised, layout, asked)
    formed = mine(binarised, layout, replace(asked, max_memory=len(X.columns) * layout.n_words * 8))
    assert formed.is_lazy
    assert not own.is_lazy
    assert own.pool.names == formed.pool.names
    assert own.pool.aliases == formed.pool.aliases
    assert "f1" in own.pool.aliases


def test_row_34_conditions_must_fit_into_memory() -> None:
    X, y = random_frame(3000, 8)
    n_bytes = 8 * prepared(X, y)[1].n_words * 8
    with pytest.raises(MiningError, match=r"8 conditions .* above max_memory"):
        quick(max_memory=n_bytes - 1).fit(X, y)


@pytest.mark.usefixtures("limited")
def test_row_34_the_limit_can_be_raised() -> None:
    """The error says that a larger max_antecedents raises the limit, and it does."""
    X, y = random_frame(300, 10)
    asked = {"min_support": 0.05, "max_cardinality": 3}
    with pytest.raises(MiningError, match="max_antecedents above 100 raises"):
        quick(**asked, max_antecedents=100).fit(X, y)
    assert len(quick(**asked, max_antecedents=1000).fit(X, y).pool_) == 175


# ----------------------------------------------------------------- other miners


def stroke_shaped() -> Any:
    """The generator of the benchmarks, which are no package."""
    path = Path(__file__).parents[2] / "benchmarks" / "problems.py"
    spec = importlib.util.spec_from_file_location("benchmark_problems", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["benchmark_problems"] = module
    spec.loader.exec_module(module)
    return module.stroke_shaped()


def pyfim_supports(rows: list[list[int]], least: int, most: int) -> dict[Itemset, int]:
    """Frequent sets of column numbers by pyfim's eclat."""
    fim = pytest.importorskip("fim")
    result = fim.eclat(rows, target="s", supp=-least, zmin=1, zmax=most, report="a")
    return {frozenset(f"x{i}" for i in items): count for items, count in result}


def test_a_sparse_table_of_real_size_against_pyfim() -> None:
    """12,586 x 4,148 at a support of 10 %, pairs: pyfim's sets with pyfim's counts."""
    problem = stroke_shaped()
    n = problem.X.shape[0]
    least = int(np.ceil(0.1 * n))
    pool = mined(problem.X, problem.y, min_support=0.1, max_cardinality=2)
    assert pool is not None
    csr = problem.X.tocsr()
    rows = [r.tolist() for r in np.split(csr.indices, csr.indptr[1:-1])]
    expected = pyfim_supports(rows, least, 2)
    counts = {items: round(s * n) for items, s in itemsets(pool).items()}
    assert counts == expected
    assert 2000 < len(counts) < 2500


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("support", [0.2, pytest.param(0.1, marks=pytest.mark.slow)])
def test_a_sparse_table_of_real_size_against_mlxtend(support: float) -> None:
    """The same table against another implementation."""
    frequent_patterns = pytest.importorskip("mlxtend.frequent_patterns")
    problem = stroke_shaped()
    pool = mined(problem.X, problem.y, min_support=support, max_cardinality=2)
    dense = pd.DataFrame(problem.X.toarray(), columns=[f"x{i}" for i in range(problem.X.shape[1])])
    # columns below the support cannot be in any set: mlxtend need not see them
    dense = dense.loc[:, dense.mean() >= support]
    theirs = frequent_patterns.fpgrowth(dense, min_support=support, max_len=2, use_colnames=True)
    expected = dict(zip(theirs["itemsets"], theirs["support"], strict=True))
    assert itemsets(pool) == pytest.approx(expected)


def dense_table() -> tuple[np.ndarray, np.ndarray]:
    """20,000 rows of 60 dependent columns."""
    rng = np.random.default_rng(7)
    burden = rng.normal(size=(20_000, 1))
    cuts = rng.uniform(0.2, 1.4, 60)
    X = 0.5 * burden + rng.normal(size=(20_000, 60)) > cuts
    return X, (rng.random(20_000) < 0.3).astype(int)


def test_a_dense_table_against_pyfim() -> None:
    """20,000 x 60, up to four conditions: pyfim's sets with pyfim's counts."""
    X, y = dense_table()
    pool = mined(X, y, min_support=400, max_cardinality=4)
    expected = pyfim_supports([np.flatnonzero(row).tolist() for row in X], 400, 4)
    counts = {items: round(s * 20_000) for items, s in itemsets(pool).items()}
    assert counts == expected
    assert len(counts) > 10_000
    assert max(map(len, counts)) == 4


def test_a_dense_table_per_class_against_pyfim() -> None:
    """Per class and united, as the authors did it: pyfim run on each label's rows."""
    X, y = dense_table()
    pool = mined(X, y, min_support=0.05, max_cardinality=3, support_in="any_class")
    expected = set()
    for label in (0, 1):
        rows = [np.flatnonzero(row).tolist() for row in X[y == label]]
        least = int(np.ceil(0.05 * len(rows) - 1e-9))
        expected |= pyfim_supports(rows, least, 3).keys()
    assert itemsets(pool).keys() == expected
    assert len(expected) > 1000


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_a_dense_table_against_mlxtend() -> None:
    """The same table, at a support that mlxtend manages in seconds."""
    frequent_patterns = pytest.importorskip("mlxtend.frequent_patterns")
    X, y = dense_table()
    pool = mined(X, y, min_support=0.09, max_cardinality=4)
    frame = pd.DataFrame(X, columns=[f"x{i}" for i in range(60)])
    theirs = frequent_patterns.fpgrowth(frame, min_support=0.09, max_len=4, use_colnames=True)
    expected = dict(zip(theirs["itemsets"], theirs["support"], strict=True))
    assert itemsets(pool) == pytest.approx(expected)
    assert len(expected) > 300
