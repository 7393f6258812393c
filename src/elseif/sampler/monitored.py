"""Monitored observations: chosen by what is true of them, not by their row."""

from __future__ import annotations

import numpy as np

from elseif.bits.packing import WORD_BITS
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from elseif.sampler.traces import MonitoredObservations

N_OBSERVATIONS = 20
MOST_WORDS = 1 << 12
MOST_BITS = 1 << 28  # compared before falling back to single conditions


def choose_monitored(problem: Problem) -> MonitoredObservations:
    """About twenty observations that differ in which antecedents are true.

    Each observation gets a random-looking number from the set of antecedents that cover
    it, and those with the smallest numbers are monitored: the choice depends on neither
    the order of rows nor that of columns. Of a very large table, only a part is considered.
    """
    is_large = problem.layout.n_words > MOST_WORDS
    problem = sample_of(problem, MOST_WORDS) if is_large else problem.local()
    n_bits = problem.layout.n_words * WORD_BITS
    numbers = np.zeros(n_bits, dtype=np.uint64)
    keys = np.random.Generator(np.random.PCG64(0)).integers(
        1, 2**64, size=problem.pool_size, dtype=np.uint64
    )
    for a in _telling_antecedents(problem):
        bits = np.unpackbits(problem.cover(a).view(np.uint8), bitorder="little")
        numbers ^= bits.astype(np.uint64) * keys[a]
    everyone = problem.layout.everyone().view(np.uint8)
    real = np.flatnonzero(np.unpackbits(everyone, bitorder="little"))
    _, first = np.unique(numbers[real], return_index=True)
    chosen = real[first[:N_OBSERVATIONS]]
    truth = problem.truth_at(chosen)
    labels = (problem.n_labels - 1 - np.arange(len(chosen))) % problem.n_labels
    return MonitoredObservations(
        truth, labels if problem.n_labels > 2 else np.full(len(chosen), problem.n_labels - 1)
    )


def _telling_antecedents(problem: Problem) -> np.ndarray:
    """All antecedents, or for a large problem the single conditions that all are made of."""
    if problem.pool_size * problem.layout.n_words * WORD_BITS <= MOST_BITS:
        return np.arange(problem.pool_size)
    return np.flatnonzero(problem.prior.cardinalities == problem.prior.cardinalities.min())
