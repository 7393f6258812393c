"""The loops over words in LLVM's vectors and in NumPy: one answer, on words of every kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numba import config, njit

from elseif.compiled import vectors_llvm, vectors_numpy
from elseif.compiled.jit import OPTIONS
from elseif.compiled.sizes import GROUP, VECTOR_WORDS

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="there is NumPy's twin alone")

N_WORDS = 4 * VECTOR_WORDS


def _calls(vectors: Any, compile_function: Callable) -> dict[str, Callable]:
    """Each loop, called on rows of bits from a word on."""
    at = vectors.words_at
    count_both, copy_words, clear_words = (
        vectors.count_both,
        vectors.copy_words,
        vectors.clear_words,
    )
    keep_covered, move_covered = vectors.keep_covered, vectors.move_covered
    count_group, take_group = vectors.count_group, vectors.take_group
    fetch_words, wrapping_add = vectors.fetch_words, vectors.wrapping_add

    def call_count_both(bits, start, n, n_rules, counts):
        return count_both(at(bits, 0, start), at(bits, 1, start), n)

    def call_copy_words(bits, start, n, n_rules, counts):
        fetch_words(at(bits, 0, start), n)
        copy_words(at(bits, 0, start), at(bits, 1, start), n)
        return 0

    def call_clear_words(bits, start, n, n_rules, counts):
        clear_words(at(bits, 0, start), n)
        return 0

    def call_keep_covered(bits, start, n, n_rules, counts):
        keep_covered(at(bits, 0, start), at(bits, 1, start), n)
        return 0

    def call_move_covered(bits, start, n, n_rules, counts):
        move_covered(at(bits, 0, start), at(bits, 1, start), at(bits, 2, start), n)
        move_covered(at(bits, 3, start), at(bits, 3, start), at(bits, 4, start), n)
        return 0

    def call_count_group(bits, start, n, n_rules, counts):
        group = (at(bits, 1, start), at(bits, 2, start), at(bits, 3, start), at(bits, 4, start))
        return count_group(at(bits, 0, start), group, n_rules, n, counts, 1, 1, -3)

    def call_take_group(bits, start, n, n_rules, counts):
        group = (at(bits, 1, start), at(bits, 2, start), at(bits, 3, start), at(bits, 4, start))
        source, left = at(bits, 0, start), at(bits, 5, start)
        total = take_group(source, left, group, n_rules, n, counts, 0, 0, 2)
        return total + take_group(left, left, group, 1, n, counts, 0, 1, 1)  # in its own place

    def call_one_row(bits, start, n, n_rules, counts):
        row = bits[2]  # an array of one dimension
        return count_both(at(row, 0, start), at(row, 0, start), n)

    def call_wrapping_add(bits, start, n, n_rules, counts):
        bits[5, 0] = wrapping_add(bits[0, 0], bits[1, 0])
        return 0

    made = [value for name, value in locals().items() if name.startswith("call_")]
    return {call.__name__: compile_function(call) for call in made}


COMPILED = _calls(vectors_llvm, njit(**OPTIONS))
PYTHON = _calls(vectors_numpy, lambda function: function)


def test_both_have_the_same_loops() -> None:
    """What one of the two offers, the other does."""
    loops = {name for name in vars(vectors_numpy) if not name.startswith("_")} - {"np", "n_ones"}
    assert len(loops) == 10
    assert all(hasattr(vectors_llvm, name) for name in loops)


@pytest.mark.parametrize("name", COMPILED)
@given(
    seed=st.integers(0, 2**32 - 1),
    start=st.sampled_from([0, VECTOR_WORDS, 2 * VECTOR_WORDS]),
    n_vectors=st.integers(0, 2),
    n_rules=st.integers(1, GROUP),
    density=st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
def test_both_do_the_same(
    name: str, seed: int, start: int, n_vectors: int, n_rules: int, density: float
) -> None:
    """The same result, the same counts, and the same words afterwards, of all rows."""
    rng = np.random.default_rng(seed)
    packed = np.packbits(rng.random((6, 64 * N_WORDS)) < density, axis=1).view(np.uint64)
    answers = []
    for calls in (COMPILED, PYTHON):
        bits, counts = packed.copy(), np.arange(12).reshape(6, 2)
        result = calls[name](bits, start, n_vectors * VECTOR_WORDS, n_rules, counts)
        answers.append((int(result), counts.tolist(), bits.tolist()))
    assert answers[0] == answers[1]
