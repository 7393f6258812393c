"""Packed covers of conditions and conjunctions: made, counted, compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from elseif import kernels
from elseif.tables.packing import Layout, is_packed, zero_words

MOST_ROWS_AT_ONCE = 4_000_000  # row numbers looked up together when conditions are counted


def pack_truths(truths: Sequence[np.ndarray], layout: Layout) -> np.ndarray:
    """Packed covers from the truth of each condition, be it words or rows."""
    covers = zero_words(len(truths), layout.n_words)
    mask = np.zeros(layout.n_rows, dtype=bool)
    for i, truth in enumerate(truths):
        if is_packed(truth):
            covers[i] = truth
            continue
        mask[truth] = True
        covers[i] = layout.pack(mask)
        mask[truth] = False
    return covers


def conjunction_counts(covers: np.ndarray, members: np.ndarray, layout: Layout) -> np.ndarray:
    """Weighted number of observations of each label in each conjunction, in units."""
    counts = np.zeros((len(members), len(layout.label_totals)), dtype=np.int64)
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    room = zero_words(kernels.JOINED_WORDS)
    kernels.count_conjunctions(covers, members, sections, room, counts)
    return counts


def cover_label_counts(covers: np.ndarray, layout: Layout) -> np.ndarray:
    """Weighted number of observations of each label in each packed cover, in units."""
    return conjunction_counts(covers, np.arange(len(covers), dtype=np.int32)[:, None], layout)


def total_counts(truths: Sequence[np.ndarray], layout: Layout) -> np.ndarray:
    """Weighted number of observations where each condition is true, in units."""
    if layout.has_unit_weights:
        return np.array([_n_true(truth) for truth in truths], dtype=np.int64)
    return label_counts(truths, layout).sum(axis=1)


def _n_true(truth: np.ndarray) -> int:
    """Number of rows where a condition is true, of those that have a bit."""
    if is_packed(truth):
        return int(np.bitwise_count(truth).sum(dtype=np.int64))
    return len(truth)


def label_counts(truths: Sequence[np.ndarray], layout: Layout) -> np.ndarray:
    """Weighted counts of each label where each condition is true, in units."""
    counts = np.zeros((len(truths), len(layout.label_totals)), dtype=np.int64)
    packed = [i for i, truth in enumerate(truths) if is_packed(truth)]
    for i in packed:
        counts[i] = cover_label_counts(truths[i][None, :], layout)[0]
    if len(packed) < len(truths):
        _add_counts_of_rows(truths, layout, counts)
    return counts


def _add_counts_of_rows(truths: Sequence[np.ndarray], layout: Layout, counts: np.ndarray) -> None:
    """Weighted counts of each label for the conditions whose truth is row numbers."""
    labels, weights = layout.row_labels(), layout.row_weights()
    lengths = np.array([0 if is_packed(truth) else len(truth) for truth in truths])
    for chunk in _chunks(lengths, MOST_ROWS_AT_ONCE):
        if not lengths[chunk].sum():
            continue
        rows = np.concatenate([truth for truth in truths[chunk] if not is_packed(truth)])
        owner = np.repeat(np.arange(chunk.start, chunk.stop), lengths[chunk])
        for label in range(counts.shape[1]):
            mine = labels[rows] == label
            counts[:, label] += np.bincount(
                owner[mine], weights=weights[rows[mine]], minlength=len(counts)
            ).astype(np.int64)


def _chunks(lengths: np.ndarray, most: int) -> Iterator[slice]:
    """Stretches of a list whose lengths add up to about so many at a time."""
    start, total = 0, 0
    for i, length in enumerate(lengths.tolist()):
        if total and total + length > most:
            yield slice(start, i)
            start, total = i, 0
        total += length
    yield slice(start, len(lengths))


class FormedCovers:
    """Covers of antecedents that are formed when they are asked for, as a sequence."""

    def __init__(self, covers: np.ndarray, members: np.ndarray) -> None:
        self._covers, self._members = covers, members

    def __len__(self) -> int:
        return len(self._members)

    def __getitem__(self, place: int) -> np.ndarray:
        here = self._members[place]
        return np.bitwise_and.reduce(self._covers[here[here >= 0]], axis=0)


def same_covers(covers: np.ndarray | FormedCovers) -> Iterable[list[int]]:
    """Places of covers that are the same, together."""
    groups: dict[bytes, list[list[int]]] = {}  # by digest, for covers are long; then exactly
    for i in range(len(covers)):
        cover = covers[i]
        digest = hashlib.blake2b(np.ascontiguousarray(cover).data, digest_size=16).digest()
        alike = groups.setdefault(digest, [])
        for twins in alike:
            if np.array_equal(covers[twins[0]], cover):
                twins.append(i)
                break
        else:
            alike.append([i])
    return [twins for alike in groups.values() for twins in alike]
