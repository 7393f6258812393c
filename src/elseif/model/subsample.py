"""A problem with a sample of its observations."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np

from elseif.bits.packing import BLOCK_WORDS, WORD_BITS, BitLayout
from elseif.model.problem import Problem


def sample_of(problem: Problem, n_words: int, rng: np.random.Generator | None = None) -> Problem:
    """The problem with about ``n_words`` words of its observations: evenly spaced or at random."""
    if problem.small is not None:
        problem = problem.local()
    layout = problem.layout
    share = n_words / layout.n_words
    words, starts = [], [0]
    for s in range(len(layout.section_labels)):
        start, stop = layout.section_starts[s : s + 2]
        n_blocks = (stop - start) // BLOCK_WORDS
        n_chosen = max(1, round(share * n_blocks))
        if rng is None:
            chosen = np.unique(np.linspace(0, n_blocks - 1, n_chosen).astype(np.int64))
        else:
            chosen = np.sort(rng.choice(n_blocks, n_chosen, replace=False))
        first = start + BLOCK_WORDS * chosen
        words.append((first[:, None] + np.arange(BLOCK_WORDS)).ravel())
        starts.append(starts[-1] + len(words[-1]))
    kept = np.concatenate(words)
    if problem.shards is not None:
        covers, sampled = problem.shards.words(kept, np.array(starts, dtype=np.int64))
        return replace(problem, covers=covers, layout=sampled, shards=None)
    sampled = replace(
        layout,
        row_of_bit=_rows_of(layout, kept),
        sizes=_sizes_of(layout, kept, starts),
        section_starts=np.array(starts, dtype=np.int64),
        label_totals=np.zeros_like(layout.label_totals),
    )
    sampled = replace(sampled, label_totals=_label_totals(sampled))
    return replace(problem, covers=np.ascontiguousarray(problem.covers[:, kept]), layout=sampled)


def _rows_of(layout: BitLayout, words: np.ndarray) -> np.ndarray:
    if layout.sizes is not None:
        return layout.row_of_bit
    rows: np.ndarray = layout.row_of_bit.reshape(-1, WORD_BITS)[words].ravel()
    return rows


def _sizes_of(layout: BitLayout, words: np.ndarray, starts: list[int]) -> np.ndarray | None:
    """How many observations of each section some words hold: padding is in its last words."""
    if layout.sizes is None:
        return None
    ends = layout.section_starts[:-1] * WORD_BITS + layout.sizes
    return np.array(
        [
            (ends[s] - words[begin:end] * WORD_BITS).clip(0, WORD_BITS).sum()
            for s, (begin, end) in enumerate(pairwise(starts))
        ],
        dtype=np.int64,
    )


def _label_totals(layout: BitLayout) -> np.ndarray:
    """Weighted number of observations of each label, counted bit by bit."""
    totals = np.zeros(len(layout.label_totals), dtype=np.int64)
    n_bits = np.bitwise_count(layout.everyone()).astype(np.int64)
    by_section = np.add.reduceat(n_bits, layout.section_starts[:-1])
    np.add.at(totals, layout.section_labels, by_section * layout.section_weights)
    return totals
