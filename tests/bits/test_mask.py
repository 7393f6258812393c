"""A mask answers alike however it is held, and takes as little memory as it can."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from elseif.bits.mask import Mask
from elseif.bits.packed_mask import label_counts, pack_mask, stack_words, total_counts
from elseif.bits.packing import make_layout
from elseif.tables.columns import boolean_column, column_of_mask
from elseif.tables.fingerprint import column_digest

N = 1000
shares = st.sampled_from([0.0, 0.001, 0.02, 0.04, 0.5, 1.0])


def drawn(seed: int, share: float, n: int = N) -> np.ndarray:
    return np.random.default_rng(seed).random(n) < share


@given(seed=st.integers(0, 2**32 - 1), share=shares)
def test_two_masks_of_the_same_rows_answer_alike(seed: int, share: float) -> None:
    """From row numbers, from an array, and from rows that another mask gave."""
    array = drawn(seed, share)
    chosen = np.random.default_rng(seed).integers(0, N, 50)
    masks = [Mask.of_array(array), Mask.of_rows(np.flatnonzero(array), N)]
    for mask in (*masks, *(Mask.of_rows(mask.rows(), N) for mask in masks)):
        assert (mask.n_rows, mask.n_true) == (N, array.sum())
        assert mask.is_sparse == (array.sum() < N / 32)
        np.testing.assert_array_equal(mask.as_array(), array)
        np.testing.assert_array_equal(mask.rows(), np.flatnonzero(array))
        np.testing.assert_array_equal(mask.take(chosen).as_array(), array[chosen])
        for row in chosen[:5]:
            assert mask.take(np.array([row])).as_array().tolist() == [array[row]]
    assert len({column_digest(column_of_mask("x", mask)) for mask in masks}) == 1


@given(seed=st.integers(0, 2**32 - 1), share=shares, weighted=st.booleans())
def test_packed_masks_count_what_rows_count(seed: int, share: float, weighted: bool) -> None:
    """Labels and weights of the true rows, whatever form the mask had; rows of weight 0 too."""
    rng = np.random.default_rng(seed)
    arrays = [drawn(seed, share), drawn(seed + 1, 0.01), drawn(seed + 2, 0.6)]
    labels = rng.integers(0, 3, N)
    weights = rng.integers(0, 6, N) if weighted else np.ones(N, dtype=int)
    layout = make_layout(labels, 3, weights)
    masks = [Mask.of_array(array) for array in arrays]
    masks += [Mask.of_rows(np.flatnonzero(array), N) for array in arrays]
    packed = [pack_mask(mask, layout) for mask in masks]
    expected = [
        [weights[array & (labels == label)].sum() for label in range(3)] for array in arrays
    ]
    np.testing.assert_array_equal(label_counts(packed, layout), expected * 2)
    np.testing.assert_array_equal(total_counts(packed, layout), np.sum(expected * 2, axis=1))
    for words, array in zip(stack_words(packed, layout), arrays * 2, strict=True):
        np.testing.assert_array_equal(layout.unpack(words), array & (weights > 0))


def test_a_mask_takes_the_least_memory() -> None:
    """Four bytes a row where they are few, a byte for each row where they are many."""
    few, many = np.arange(1024) < 31, np.arange(1024) < 32
    assert Mask.of_array(few).nbytes == 4 * 31
    assert Mask.of_array(many).nbytes == 1024
    assert Mask.none(1024).nbytes == 0
    rows = np.arange(0, 1024, 2)
    assert np.shares_memory(Mask.of_rows(rows, 1024).rows(), rows)  # a sparse matrix stays one


def test_nobody_writes_to_the_array_of_a_mask() -> None:
    """It may be the user's own, and stays writable for its owner."""
    array = drawn(0, 0.5)
    with pytest.raises(ValueError, match="read-only"):
        Mask.of_array(array).as_array()[0] = True
    assert array.flags.writeable


@pytest.mark.parametrize(
    ("share", "missing", "digest"),
    [
        (0.01, 0, "ed1bb0999f68b877e97152f2912a79b7"),
        (0.4, 0, "dd0a47a5c5caf514169c6bc87b4032eb"),
        (0.01, 0.01, "cd6b9bba31b4343bcd089ec366bfbcbb"),
        (0.01, 0.5, "db7ff1319c29727771fc01b360206be0"),
        (0.4, 0.01, "9bc936c90e28b15c8af5277e3be2ac5a"),
        (0.4, 0.5, "2edf6fd811269f105eee96116d2bece1"),
    ],
)
def test_fingerprints_of_booleans_stay(share: float, missing: float, digest: str) -> None:
    """Models in files know their training table by them."""
    rng = np.random.default_rng(7)
    column = boolean_column("x", rng.random(N) < share, rng.random(N) < missing)
    assert column_digest(column).hex()[:32] == digest
