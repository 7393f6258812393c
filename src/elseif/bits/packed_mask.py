"""Masks of conditions, packed in the order of a layout's bits, and counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from elseif.bits.mask import Mask
from elseif.bits.packing import BitLayout, zero_words

MOST_ROWS_AT_ONCE = 4_000_000  # row numbers looked up together when conditions are counted


class PackedMask:
    """Where a condition is true: row numbers, or the words of a layout if these are shorter.

    Words leave out rows without weight and repeat rows by their weight, so a packed mask can be
    counted but does not say how many rows are true.
    """

    __slots__ = ("_held", "_listed")

    def __init__(self, values: np.ndarray, listed: bool) -> None:
        self._held, self._listed = values, listed  # row numbers where listed, else words

    @property
    def nbytes(self) -> int:
        """Memory that the mask takes."""
        return self._held.nbytes

    def words(self, layout: BitLayout) -> np.ndarray:
        """The words of the layout that the mask was packed for."""
        if not self._listed:
            return self._held
        return layout.pack(Mask.of_rows(self._held, layout.n_rows).as_array())


def pack_mask(mask: Mask, layout: BitLayout) -> PackedMask:
    """Pack a mask in whichever form takes the least memory."""
    if mask.is_sparse:
        return PackedMask(mask.rows(), listed=True)
    return PackedMask(layout.pack(mask.as_array()), listed=False)


def stack_words(masks: Sequence[PackedMask], layout: BitLayout) -> np.ndarray:
    """Packed covers, a row of words for each mask."""
    covers = zero_words(len(masks), layout.n_words)
    for i, mask in enumerate(masks):
        covers[i] = mask.words(layout)
    return covers


def total_counts(masks: Sequence[PackedMask], layout: BitLayout) -> np.ndarray:
    """Weighted number of observations in each mask, in units."""
    if not layout.has_unit_weights:
        return label_counts(masks, layout).sum(axis=1)
    counts = [
        len(mask._held) if mask._listed else np.bitwise_count(mask._held).sum(dtype=np.int64)
        for mask in masks
    ]
    return np.array(counts, dtype=np.int64)


def label_counts(masks: Sequence[PackedMask], layout: BitLayout) -> np.ndarray:
    """Weighted number of observations of each label in each mask, in units: (masks, labels)."""
    from elseif.bits.counting import cover_label_counts  # loads compiled code

    counts = np.zeros((len(masks), len(layout.label_totals)), dtype=np.int64)
    listed = [i for i, mask in enumerate(masks) if mask._listed]
    if listed:
        counts[listed] = _counts_of_rows([masks[i]._held for i in listed], layout)
    for i, mask in enumerate(masks):
        if not mask._listed:
            counts[i] = cover_label_counts(mask._held[None, :], layout)[0]
    return counts


def _counts_of_rows(listed: Sequence[np.ndarray], layout: BitLayout) -> np.ndarray:
    """label_counts of masks that are row numbers, many of them at a time."""
    counts = np.zeros((len(listed), len(layout.label_totals)), dtype=np.int64)
    labels, weights = layout.row_labels(), layout.row_weights()
    lengths = np.array([len(rows) for rows in listed])
    for chunk in _chunks(lengths, MOST_ROWS_AT_ONCE):
        rows = np.concatenate(listed[chunk])
        owner = np.repeat(np.arange(chunk.start, chunk.stop), lengths[chunk])
        for label in range(counts.shape[1]):
            mine = labels[rows] == label
            counts[:, label] += np.bincount(
                owner[mine], weights=weights[rows[mine]], minlength=len(counts)
            ).astype(np.int64)
    return counts


def _chunks(lengths: np.ndarray, most: int) -> Iterator[slice]:
    """Slices of a list, in each of which the lengths add up to about ``most``."""
    start, total = 0, 0
    for i, length in enumerate(lengths.tolist()):
        if total and total + length > most:
            yield slice(start, i)
            start, total = i, 0
        total += length
    yield slice(start, len(lengths))
