"""Truth, labels and weights in the least room, and nothing lost by it."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st

from elseif.antecedents import covers
from elseif.antecedents.mining import MiningSettings, mine
from elseif.bits import packed_mask, packing
from elseif.bits.mask import Mask
from elseif.bits.packed_mask import PackedMask, pack_mask
from elseif.bits.packing import code_type, make_layout, row_type
from elseif.conditions import cut_points as cuts_module
from elseif.conditions.binarise import Binarising, binarise
from elseif.conditions.cut_points import quantile_cuts
from elseif.tables import labels as labels_module, reading, values as values_module
from elseif.tables.columns import Kind, boolean_column
from elseif.tables.labels import read_labels, whole_weights
from elseif.tables.reading import read_table
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

seeds = st.integers(0, 2**32 - 1)

# ------------------------------------------------------------------------------ layout


@given(seed=seeds, n=st.integers(0, 3000), weighted=st.booleans(), blocks=st.integers(1, 3))
@settings(max_examples=60)
def test_packing_in_parts_is_packing_at_once(
    seed: int, n: int, weighted: bool, blocks: int
) -> None:
    """However many bits and rows are looked at together, the words are the same."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, n)
    weights = rng.integers(0, 6, n) if weighted else None
    truth = rng.random(n) < 0.3
    whole = make_layout(labels, 3, weights)
    expected = [whole.pack(truth), whole.everyone(), whole.unpack(whole.pack(truth))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(packing, "BITS_AT_ONCE", 512 * blocks)
        patch.setattr(packing, "ROWS_AT_ONCE", 100 * blocks)
        parts = make_layout(labels, 3, weights)
        np.testing.assert_array_equal(parts.row_of_bit, whole.row_of_bit)
        words = parts.pack(truth)
        for a, b in zip(expected, [words, parts.everyone(), parts.unpack(words)], strict=True):
            np.testing.assert_array_equal(a, b)
    counted = np.ones(n, dtype=bool) if weights is None else weights > 0
    np.testing.assert_array_equal(expected[2], truth & counted)
    totals = [(counted if weights is None else weights)[labels == k].sum() for k in range(3)]
    assert whole.label_totals.tolist() == totals


def test_a_row_number_takes_four_bytes() -> None:
    """Of fewer than 2^31 rows; more would take eight."""
    layout = make_layout(np.arange(1000) % 2, 2)
    assert layout.row_of_bit.dtype == np.int32
    assert row_type(2**31 - 1) is np.int32  # the number of rows itself stands for padding
    assert row_type(2**31) is np.int64


@pytest.mark.parametrize(("n_codes", "dtype"), [
    (2, np.int8), (128, np.int8), (129, np.int16), (2**15, np.int16), (2**15 + 1, np.int32),
    (2**31 + 1, np.int64),
])  # fmt: skip
def test_codes_take_the_least_room(n_codes: int, dtype: type) -> None:
    """The largest code fits, and -1."""
    assert code_type(n_codes) is dtype
    assert np.iinfo(dtype).max >= n_codes - 1


@pytest.mark.parametrize("n_true", [0, 31, 32, 1024])
def test_a_packed_mask_takes_the_least_room(n_true: int) -> None:
    """Fewer than one row in 32 are row numbers of four bytes, more are bits of words."""
    layout = make_layout(np.arange(1024) % 2, 2)
    truth = np.zeros(1024, dtype=bool)
    truth[np.random.default_rng(0).permutation(1024)[:n_true]] = True
    result = pack_mask(Mask.of_array(truth), layout)
    assert result.nbytes == min(4 * n_true, 1024 // 8)
    np.testing.assert_array_equal(layout.unpack(result.words(layout)), truth)


# ------------------------------------------------------------------------------ columns


@given(
    seed=seeds,
    share=st.sampled_from([0.0, 0.01, 0.5, 1.0]),
    missing=st.sampled_from([0, 0.01, 0.5]),
)
def test_a_boolean_column_however_it_is_held(seed: int, share: float, missing: float) -> None:
    """Rows or masks say the same, and what is missing is never true."""
    rng = np.random.default_rng(seed)
    values, absent = rng.random(500) < share, rng.random(500) < missing
    column = boolean_column("x", values, absent)
    np.testing.assert_array_equal(column.is_true(), values & ~absent)
    np.testing.assert_array_equal(column.is_missing(), absent)
    assert column.n_true == (values & ~absent).sum()
    assert column.n_missing == absent.sum()
    assert column.n_bytes <= 2 * 500
    chosen = rng.integers(0, 500, 40)
    some = column.take(chosen)
    np.testing.assert_array_equal(some.is_true(), (values & ~absent)[chosen])
    np.testing.assert_array_equal(some.is_missing(), absent[chosen])


def test_nobody_writes_to_the_users_table() -> None:
    """A column may be a view of the user's own array, which fit and predict leave as it is."""
    X, y = random_frame(400)
    array = X.to_numpy(copy=True)
    column = read_table(array).column("x0")
    with pytest.raises(ValueError, match="read-only"):
        column.is_true()[0] = True
    assert array.flags.writeable
    mixed = X.assign(age=np.random.default_rng(0).normal(size=400))
    for table in (array, mixed):
        before = table.copy()
        quick(negations=True).fit(table, y).predict(table)
        assert np.array_equal(before, table)


def test_large_columns_are_not_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight columns are, as long as they take little room."""
    X = pd.DataFrame({f"c{i}": np.random.default_rng(i).normal(size=1000) for i in range(12)})
    table = read_table(X)
    kept = [table.column(name) for name in table.names]
    assert table.column("c11") is kept[11]
    assert table.column("c4") is kept[4]
    assert table.column("c0") is not kept[0]
    monkeypatch.setattr(reading, "MOST_BYTES", 20_000)
    table = read_table(X)
    kept = [table.column(name) for name in table.names]
    assert table.column("c11") is kept[11]
    assert table.column("c8") is not kept[8]
    assert read_table(X).column_once("c0").kind is Kind.NUMERIC


def test_wide_columns_of_an_array_are_turned_round_a_few_at_a_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever the number of columns turned round together, each is itself."""
    X = np.random.default_rng(0).normal(size=(50, 9))
    for most in (1, 900, 10**9):
        monkeypatch.setattr(reading, "MOST_BYTES", most)
        table = read_table(X)
        for index in (0, 8, 3, 4):
            np.testing.assert_array_equal(table.column(f"x{index}").numbers, X[:, index])


# ------------------------------------------------------------------------------- labels


@pytest.mark.parametrize("part", [1, 3, 1000])
@pytest.mark.parametrize(
    "y",
    [
        np.array([3, 1, 2, 1, 3, 3, 1]),
        np.array([True, False, True, True, False, True, True]),
        np.array([0.5, -1.0, 0.5, 7.0, -1.0, 0.5, 7.0]),
        np.array(["b", "a", "c", "a", "b", "b", "c"]),
        np.array(["b", "a", "c", "a", "b", "b", "c"], dtype=object),
        np.array(["2020-01-02", "2020-01-01"] * 4, dtype="datetime64[D]"),
        np.array([10**30, 1, 10**30, 5], dtype=object),
    ],
)
def test_labels_coded_in_parts(y: np.ndarray, part: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are those of all labels together."""
    monkeypatch.setattr(labels_module, "ROWS_AT_ONCE", part)
    labels = read_labels(y, None, False, None)
    classes, codes = np.unique(y, return_inverse=True)
    assert labels.classes.tolist() == classes.tolist()
    assert labels.classes.dtype == y.dtype
    np.testing.assert_array_equal(labels.codes, codes)
    assert labels.codes.dtype == np.int8
    order = classes[::-1].tolist()
    other = read_labels(y, None, False, order)
    np.testing.assert_array_equal(other.codes, len(classes) - 1 - codes)


def test_weights_of_one_take_no_room() -> None:
    """No weights are one number, read as often as there are rows; others are small integers."""
    labels = read_labels(np.arange(100) % 2, None, False, None)
    assert labels.count_once
    assert labels.weights.base is not None
    assert labels.weights.base.size == 1
    assert labels.weights.sum() == 100
    weighted = read_labels(np.arange(100) % 2, np.full(100, 2.0), False, None)
    assert not weighted.count_once
    assert weighted.weights.dtype == np.int8
    assert whole_weights(np.array([1.0, 300.0]), 2)[0].dtype == np.int16
    lacking = read_labels(
        np.where(np.arange(100) < 10, np.nan, np.arange(100) % 2), None, True, None
    )
    assert not lacking.count_once
    assert lacking.weights.dtype == np.int8
    assert lacking.weights.tolist() == [0] * 10 + [1] * 90
    assert (lacking.codes[:10] == -1).all()


@given(
    st.lists(st.sampled_from([np.nan, np.inf, -np.inf, -2.5, 0.0, 1.0, 1e6]), max_size=60),
    st.integers(2, 6),
)
def test_cuts_without_weights_are_those_of_weights_of_one(values: list[float], n: int) -> None:
    """Ranks stand in for sums of ones; what is not finite counts in neither."""
    numbers = np.array(values, dtype=float)
    ones = np.ones(len(numbers), dtype=np.int8)
    assert quantile_cuts(numbers, None, n) == quantile_cuts(numbers, ones, n)
    dates = np.datetime64("2020-01-01", "us") + np.arange(len(values)) ** 2 * np.timedelta64(1, "D")
    dates = np.where(np.isnan(numbers), np.datetime64("NaT", "us"), dates)
    before = dates.copy()
    assert quantile_cuts(dates, None, n) == quantile_cuts(dates, ones, n)
    np.testing.assert_array_equal(dates, before)


@given(seed=seeds, at_once=st.integers(1, 40))
@settings(max_examples=60)
def test_the_best_split_of_many_is_the_best_of_all(seed: int, at_once: int) -> None:
    """Cuts by description length do not depend on how many are looked at together."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 60, 150).astype(float)
    codes = np.where(rng.random(150) < 0.8, (values > 20).astype(int) + (values > 45), 0)
    weights = rng.integers(0, 3, 150) / 2
    whole = cuts_module.description_length_cuts(values, codes, weights, 3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts_module, "CUTS_AT_ONCE", at_once)
        assert cuts_module.description_length_cuts(values, codes, weights, 3) == whole
    assert whole


@pytest.mark.parametrize("held", [pl.String, pl.Categorical])
def test_text_of_polars_is_coded_in_parts(held: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Codes are those of all texts together."""
    texts = ["x", None, "y", "x", "z", "y", None, "x", "y", "y"]
    for at_once in (1, 4, 100):
        monkeypatch.setattr(values_module, "ROWS_AT_ONCE", at_once)
        frame = pl.DataFrame({"a": pl.Series(texts, dtype=held)})
        column = read_table(frame).column("a")
        assert column.codes is not None
        assert column.categories == ("x", "y", "z")
        assert [None if c < 0 else column.categories[c] for c in column.codes] == texts


# ------------------------------------------------------------------------------- mining


@pytest.mark.parametrize("support_in", ["all", "any_class"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("most_rows", [10, 4_000_000])
def test_rows_and_words_are_mined_alike(
    support_in: str, weighted: bool, most_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same pool and covers, whether truths are rows, words or some of each."""
    monkeypatch.setattr(packed_mask, "MOST_ROWS_AT_ONCE", most_rows)
    rng = np.random.default_rng(3)
    n = 2000
    X = pd.DataFrame({f"f{i:02d}": rng.random(n) < share for i, share in
                      enumerate([0.005, 0.01, 0.02, 0.03, 0.1, 0.3, 0.6, 0.9])})  # fmt: skip
    y = (rng.random(n) < np.where(X["f01"] | X["f05"], 0.7, 0.2)).astype(int)
    weights = rng.integers(0, 5, n).astype(float) if weighted else None
    labels = read_labels(y, weights, False, None)
    layout = make_layout(labels.codes, 2, labels.weights, labels.unit)
    mixed = binarise(read_table(X), labels, Binarising(), layout=layout)
    masks = [X[c.column].to_numpy() for c in mixed.conditions]
    as_rows = replace(
        mixed, truths=[PackedMask(np.flatnonzero(mask), listed=True) for mask in masks]
    )
    as_words = replace(
        mixed, truths=[PackedMask(layout.pack(mask), listed=False) for mask in masks]
    )
    room = [[truth.nbytes for truth in b.truths] for b in (mixed, as_rows, as_words)]
    assert room[1] != room[0] != room[2]  # some of each
    asked = MiningSettings(0.008, 2, support_in=support_in)
    result = [mine(b, layout, asked) for b in (mixed, as_rows, as_words)]
    assert len(result[0].pool) > 10
    for other in result[1:]:
        assert other.pool.names == result[0].pool.names
        np.testing.assert_array_equal(other.covers, result[0].covers)
        np.testing.assert_array_equal(other.pool.supports, result[0].pool.supports)
    worth = np.ones(n) if weights is None else weights
    for antecedent, support in zip(result[0].pool, result[0].pool.supports, strict=True):
        together = X[list(antecedent.columns)].all(axis=1).to_numpy()
        assert support == pytest.approx(worth[together].sum() / worth.sum(), abs=1e-12)


def test_covers_of_one_digest_are_still_told_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    """A digest groups covers; only equal ones are twins."""
    some = np.array([[1, 2], [3, 4], [1, 2], [5, 6], [3, 4], [1, 2]], dtype=np.uint64)
    expected = [[0, 2, 5], [1, 4], [3]]
    assert list(covers.same_covers(some)) == expected

    same = hashlib.blake2b(b"", digest_size=16)
    monkeypatch.setattr(covers.hashlib, "blake2b", lambda *_, **__: same)
    assert list(covers.same_covers(some)) == expected
