"""Identical observations merged into one with their weights, if that pays."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from elseif.bits.packing import WORD_BITS, BitLayout, make_layout

# below this, a cover is a few cache lines and nothing can be gained
FEWEST_WORDS = 256
# merged covers must be shorter by this factor to be worth it
LEAST_GAIN = 2.0
SAMPLE_WORDS = 2048
CHUNK = 32  # conditions that are added to a pattern at a time


def merge_observations(
    covers: np.ndarray, layout: BitLayout
) -> tuple[np.ndarray, BitLayout] | None:
    """Covers and layout with one observation for each label and set of true conditions.

    Counts, and so the posterior, stay the same to the last digit. None where the covers would
    not become shorter: in wide data hardly two observations are alike, in narrow data
    most are.
    """
    if layout.n_words < FEWEST_WORDS or not len(covers) or not may_pay(covers, layout):
        return None
    everyone = layout.everyone()
    labels, weights, positions = [], [], []
    most = int(layout.n_words * WORD_BITS / LEAST_GAIN)
    for label in np.unique(layout.section_labels):
        sections = np.flatnonzero(layout.section_labels == label).tolist()
        bits = [_real_bits(everyone, layout, s) for s in sections]
        n_bits = [len(b) for b in bits]
        patterns = find_patterns(covers, np.concatenate(bits), most.__ge__)
        if patterns is None:
            return None
        pattern, first = patterns
        totals = np.zeros(len(first), dtype=np.int64)
        np.add.at(totals, pattern, np.repeat(layout.section_weights[sections], n_bits))
        labels.append(np.full(len(first), label))
        weights.append(totals)
        positions.append(np.concatenate(bits)[first])
        most -= len(first)
    merged = make_layout(
        np.concatenate(labels), len(layout.label_totals), np.concatenate(weights), layout.unit
    )
    if merged.n_words * LEAST_GAIN > layout.n_words:
        return None
    where = np.concatenate(positions)
    words, shifts = where // WORD_BITS, (where % WORD_BITS).astype(np.uint64)
    packed = [merged.pack((cover[words] >> shifts & np.uint64(1)).astype(bool)) for cover in covers]
    return np.stack(packed), merged


def may_pay(covers: np.ndarray, layout: BitLayout) -> bool:
    """Whether a sample of the observations repeats itself often enough to try."""
    words = np.unique(np.linspace(0, layout.n_words - 1, SAMPLE_WORDS).astype(np.int64))
    bits = (words[:, None] * WORD_BITS + np.arange(WORD_BITS)).ravel()
    n_bits = layout.n_words * WORD_BITS
    # more conditions only distinguish more patterns, so the first excess decides
    return (
        find_patterns(
            covers, bits, lambda n: estimated_patterns(n, len(bits)) * LEAST_GAIN < n_bits
        )
        is not None
    )


def estimated_patterns(n_distinct: int, n_drawn: int) -> float:
    """How many patterns there are, from how many a sample of the observations shows.

    From D equally frequent ones, k draws show D (1 - exp(-k / D)) on average. Patterns of unequal
    frequency show fewer, so this errs towards trying.
    """
    low, high = float(n_distinct), float(n_drawn) ** 2
    while high > 1.01 * low:
        middle = math.sqrt(low * high)
        if middle * -math.expm1(-n_drawn / middle) < n_distinct:
            low = middle
        else:
            high = middle
    return high


def _real_bits(everyone: np.ndarray, layout: BitLayout, section: int) -> np.ndarray:
    """Positions of a section's bits that stand for an observation."""
    start, stop = layout.section_starts[section : section + 2]
    bits = np.unpackbits(everyone[start:stop].view(np.uint8), bitorder="little")
    return np.flatnonzero(bits) + start * WORD_BITS


def find_patterns(
    covers: np.ndarray, bits: np.ndarray, may_be: Callable[[int], bool]
) -> tuple[np.ndarray, np.ndarray] | None:
    """The pattern of conditions at each bit, and the first bit of each; None if too many."""
    import pandas as pd  # the fastest factoriser there is

    words, shifts = bits // WORD_BITS, (bits % WORD_BITS).astype(np.uint64)
    pattern = np.zeros(len(bits), dtype=np.uint64)
    distinct = np.zeros(1, dtype=np.uint64)
    for begin in range(0, len(covers), CHUNK):
        pattern <<= np.uint64(CHUNK)  # room for the next conditions beside the number so far
        for i, cover in enumerate(covers[begin : begin + CHUNK]):
            pattern |= (cover[words] >> shifts & np.uint64(1)) << np.uint64(i)
        codes, distinct = pd.factorize(pattern)
        if not may_be(len(distinct)):
            return None
        pattern = codes.astype(np.uint64)
    first = np.full(len(distinct), -1, dtype=np.int64)
    numbers = pattern.astype(np.int64)
    first[numbers[::-1]] = np.arange(len(bits))[::-1]
    return numbers, first


def merged_note(layout: BitLayout, merged: BitLayout) -> str | None:
    """A note when identical observations were merged."""
    if merged is layout:
        return None
    return (
        f"{layout.n_rows:,} observations were merged into {merged.n_rows:,} that differ, each with "
        "its count; the posterior is the same."
    )
