"""Covers packed from rows that arrive in batches and are not kept."""

from __future__ import annotations

import numpy as np

from elseif.bits.packed_mask import PackedMask
from elseif.bits.packing import WORD_BITS, BitLayout, zero_words
from elseif.bits.pattern_keys import CONDITIONS_IN_A_NUMBER, sum_of_digests

WORDS_AT_ONCE = 1 << 12  # of which patterns are made again


class StreamedCovers:
    """Covers of conditions, packed by the layout of rows that were counted beforehand."""

    def __init__(self, layout: BitLayout, n_conditions: int) -> None:
        assert layout.sizes is not None
        self._layout, self._sizes = layout, layout.sizes
        # each in a separate array, so that those not needed can be released
        self._words = [zero_words(layout.n_words) for _ in range(n_conditions)]
        n_numbers = -(-n_conditions // CONDITIONS_IN_A_NUMBER)
        none = np.zeros((0, n_numbers), dtype=np.int64)
        self._waiting = [none for _ in self._sizes]  # rows of a section that do not fill a word
        self._next = layout.section_starts[:-1].tolist()  # word
        self._n_seen = np.zeros(len(self._sizes), dtype=np.int64)

    def add(self, keys: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> None:
        """Pack some rows: patterns of conditions, codes of labels and whole weights."""
        layout = self._layout
        sections = zip(layout.section_labels, layout.section_weights, strict=True)
        for s, (label, weight) in enumerate(sections):
            mine = keys[(codes == label) & (weights & weight != 0)]
            self._n_seen[s] += len(mine)
            if self._n_seen[s] > self._sizes[s]:
                return  # more than were counted: is_whole says so
            rows = np.concatenate([self._waiting[s], mine])
            n_whole = len(rows) - len(rows) % WORD_BITS
            self._write(s, rows[:n_whole])
            self._waiting[s] = rows[n_whole:].copy()

    def is_whole(self) -> bool:
        """Whether all rows that were counted have arrived."""
        for s, rows in enumerate(self._waiting):
            if len(rows):
                padded = np.zeros((WORD_BITS, rows.shape[1]), dtype=np.int64)
                padded[: len(rows)] = rows
                self._write(s, padded)
                self._waiting[s] = rows[:0]
        return bool((self._n_seen == self._sizes).all())

    def masks(self) -> list[PackedMask]:
        """The covers."""
        return [PackedMask(words, listed=False) for words in self._words]

    def digest(self, places: list[int]) -> np.ndarray:
        """The sum of the digests of all rows, as far as some conditions distinguish them."""
        layout, total = self._layout, np.zeros(4, dtype=np.uint64)
        for s, size in enumerate(self._sizes.tolist()):
            start, label = int(layout.section_starts[s]), layout.section_labels[s]
            for first in range(0, size, WORDS_AT_ONCE * WORD_BITS):
                n = min(size - first, WORDS_AT_ONCE * WORD_BITS)
                begin = start + first // WORD_BITS
                keys = self._keys(places, slice(begin, begin + -(-n // WORD_BITS)), n)
                codes, weights = np.full(n, label), np.full(n, layout.section_weights[s])
                total += sum_of_digests(keys, codes, weights)
        return total

    def _write(self, section: int, rows: np.ndarray) -> None:
        """Pack rows that fill whole words."""
        n_words = len(rows) // WORD_BITS
        if not n_words:
            return
        start = self._next[section]
        self._next[section] += n_words
        for k in range(rows.shape[1]):
            numbers = np.ascontiguousarray(rows[:, k]).view(np.uint8).reshape(-1, 8)
            bits = np.unpackbits(numbers, axis=1, bitorder="little")
            packed = np.packbits(bits, axis=0, bitorder="little").T  # (bits, bytes)
            first = k * CONDITIONS_IN_A_NUMBER
            for words, content in zip(
                self._words[first : first + CONDITIONS_IN_A_NUMBER], packed, strict=False
            ):
                words[start : start + n_words] = np.ascontiguousarray(content).view(np.uint64)

    def _keys(self, places: list[int], words: slice, n: int) -> np.ndarray:
        """Patterns of some conditions in some words."""
        n_numbers = max(1, -(-len(places) // CONDITIONS_IN_A_NUMBER))
        keys = np.zeros((n, n_numbers), dtype=np.int64)
        for i, condition in enumerate(places):
            number, bit = divmod(i, CONDITIONS_IN_A_NUMBER)
            packed = self._words[condition][words].view(np.uint8)
            truth = np.unpackbits(packed, bitorder="little", count=n)
            keys[:, number] |= truth.astype(np.int64) << bit
        return keys


def bytes_of_streaming(layout: BitLayout, n_conditions: int) -> int:
    """Memory of covers that are streamed, and of those that are then mined from them."""
    return 2 * n_conditions * layout.n_words * 8
