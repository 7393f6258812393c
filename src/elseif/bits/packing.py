"""The position of each observation's bit: sorted by label and weight, packed into words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

WORD_BITS = 64
BLOCK_WORDS = 8  # a section is a whole number of 64-byte blocks: one vector register each
# truth of a smaller share of the rows takes less room as row numbers than as bits
SPARSE_SHARE = 1 / 32
BITS_AT_ONCE = 1 << 18  # looked up together: they stay in the cache, and take little room
ROWS_AT_ONCE = 1 << 20


@dataclass(frozen=True)
class BitLayout:
    """The order of observations in packed bits.

    A section holds the bits of one label and one power of two: an observation of weight
    5 has a bit in the section of weight 1 and one in that of weight 4. A weighted label
    count is then a sum of popcounts times powers of two, and no row is repeated.
    """

    row_of_bit: np.ndarray  # int32 where that suffices (bits,): n_rows where padding
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    label_totals: np.ndarray  # int64 (labels,): counts in units
    n_rows: int
    unit: float = 1.0  # what a count of 1 stands for
    # int64 (sections,): observations of each section, where rows have no numbers
    sizes: np.ndarray | None = None

    @property
    def n_words(self) -> int:
        return int(self.section_starts[-1])

    @property
    def has_unit_weights(self) -> bool:
        """Whether every row counts once."""
        return bool(np.all(self.section_weights == 1)) and self.label_totals.sum() == self.n_rows

    def pack(self, truth: np.ndarray) -> np.ndarray:
        """Words of a condition's truth, given row by row."""
        padded = np.append(truth, False)
        packed = np.empty(len(self.row_of_bit) // 8, dtype=np.uint8)
        for start, rows in self._chunks():
            bits = padded.take(rows)
            packed[start // 8 : (start + len(rows)) // 8] = np.packbits(bits, bitorder="little")
        return packed.view(np.uint64)

    def section_rows(self, section: int) -> np.ndarray:
        """The rows that have a bit in a section."""
        start, stop = self.section_starts[section : section + 2] * WORD_BITS
        rows = self.row_of_bit[start:stop]
        # padding, if any, is at the end
        return rows[: np.searchsorted(rows, self.n_rows)]

    def row_weights(self) -> np.ndarray:
        """Weight of each row, in units."""
        weights = np.zeros(self.n_rows, dtype=np.int64)
        for section, weight in enumerate(self.section_weights):
            weights[self.section_rows(section)] += weight
        return weights

    def row_labels(self) -> np.ndarray:
        """Label of each row; -1 for rows of weight 0."""
        labels = np.full(self.n_rows, -1, dtype=code_type(len(self.label_totals)))
        for section, label in enumerate(self.section_labels):
            labels[self.section_rows(section)] = label
        return labels

    def everyone(self) -> np.ndarray:
        """Words with a bit for every observation."""
        if self.sizes is not None:
            return self._everyone_by_sizes(self.sizes)
        packed = np.empty(len(self.row_of_bit) // 8, dtype=np.uint8)
        for start, rows in self._chunks():
            real = rows < self.n_rows
            packed[start // 8 : (start + len(rows)) // 8] = np.packbits(real, bitorder="little")
        return packed.view(np.uint64)

    def _everyone_by_sizes(self, sizes: np.ndarray) -> np.ndarray:
        words = zero_words(self.n_words)
        for start, size in zip(self.section_starts, sizes.tolist(), strict=False):
            whole, rest = divmod(size, WORD_BITS)
            words[start : start + whole] = ~np.uint64(0)
            if rest:
                words[start + whole] = (1 << rest) - 1
        return words

    def unpack(self, words: np.ndarray) -> np.ndarray:
        """Truth row by row from packed words."""
        packed = words.view(np.uint8)
        truth = np.zeros(self.n_rows + 1, dtype=bool)
        for start, rows in self._chunks():
            some = packed[start // 8 : (start + len(rows)) // 8]
            truth[rows[np.unpackbits(some, bitorder="little").view(bool)]] = True
        return truth[:-1]

    def _chunks(self) -> Iterator[tuple[int, np.ndarray]]:
        """The rows of the bits, some at a time, each with its first bit."""
        for start in range(0, len(self.row_of_bit), BITS_AT_ONCE):
            yield start, self.row_of_bit[start : start + BITS_AT_ONCE]


def zero_words(*shape: int) -> np.ndarray:
    """Zeroed words, aligned so that every block begins at a block of memory.

    A vector register is then filled from one line of the cache, not from two.
    """
    n = math.prod(shape)
    room = np.zeros(n + BLOCK_WORDS, dtype=np.uint64)
    first = -(room.ctypes.data // room.itemsize) % BLOCK_WORDS
    return room[first : first + n].reshape(shape)


def row_type(n_rows: int) -> type[np.signedinteger]:
    """The integers that hold row numbers, and the number of rows."""
    return np.int32 if n_rows < 2**31 else np.int64


def code_type(n_codes: int) -> type[np.signedinteger]:
    """The smallest integer type for this many codes, and -1."""
    for integers in (np.int8, np.int16, np.int32):
        if n_codes <= np.iinfo(integers).max + 1:
            return integers
    return np.int64


def make_layout(
    labels: np.ndarray, n_labels: int, weights: np.ndarray | None = None, unit: float = 1.0
) -> BitLayout:
    """The layout for labels coded 0..n_labels-1 and whole weights (all 1 when not given).

    Rows of weight 0 have no bit; their label does not matter.
    """
    n = len(labels)
    whole = np.broadcast_to(np.int64(1), (n,)) if weights is None else weights
    block_bits = BLOCK_WORDS * WORD_BITS
    pieces: list[np.ndarray] = []
    starts, section_labels, section_weights = [0], [], []
    totals = np.zeros(n_labels, dtype=np.int64)
    n_powers = int(whole.max(initial=0)).bit_length()
    for label in range(n_labels):
        for power in range(n_powers):
            rows = _rows_of_section(labels, whole, label, power)
            if not len(rows):
                continue
            n_blocks = -(-len(rows) // block_bits)
            pieces += [rows, np.full(n_blocks * block_bits - len(rows), n, dtype=rows.dtype)]
            starts.append(starts[-1] + n_blocks * BLOCK_WORDS)
            section_labels.append(label)
            section_weights.append(1 << power)
            totals[label] += len(rows) << power
    return BitLayout(
        row_of_bit=np.concatenate(pieces) if pieces else np.empty(0, dtype=row_type(n)),
        section_starts=np.array(starts, dtype=np.int64),
        section_labels=np.array(section_labels, dtype=np.int64),
        section_weights=np.array(section_weights, dtype=np.int64),
        label_totals=totals,
        n_rows=n,
        unit=unit,
    )


def layout_of_counts(
    codes: np.ndarray, weights: np.ndarray, n: np.ndarray, n_labels: int, unit: float = 1.0
) -> BitLayout:
    """The layout of rows that have not been read, from the number of rows of each kind.

    A kind is a label (``codes``) and an integer weight; ``n`` has its number of rows. The layout
    knows no row numbers, so it cannot pack or unpack.
    """
    sizes: dict[tuple[int, int], int] = {}
    for code, weight, rows in zip(codes.tolist(), weights.tolist(), n.tolist(), strict=True):
        for power in range(int(weight).bit_length()):
            if weight >> power & 1 and rows:
                sizes[code, power] = sizes.get((code, power), 0) + rows
    sections = sorted(sizes)
    bits = np.array([sizes[section] for section in sections], dtype=np.int64)
    weighted = [(label, 1 << power) for label, power in sections]
    return layout_of_sections(weighted, bits, n_labels, int(n[weights > 0].sum()), unit)


def layout_of_sections(
    sections: Sequence[tuple[int, int]], sizes: np.ndarray, n_labels: int, n_rows: int, unit: float
) -> BitLayout:
    """The layout of sections, as label and weight, with so many observations each.

    It knows no row numbers, so it cannot pack or unpack.
    """
    n_words = -(-sizes // (BLOCK_WORDS * WORD_BITS)) * BLOCK_WORDS
    labels = np.array([label for label, _ in sections], dtype=np.int64)
    section_weights = np.array([weight for _, weight in sections], dtype=np.int64)
    totals = np.zeros(n_labels, dtype=np.int64)
    np.add.at(totals, labels, sizes * section_weights)
    return BitLayout(
        row_of_bit=np.zeros(0, dtype=np.int64),
        section_starts=np.concatenate([[0], np.cumsum(n_words)]).astype(np.int64),
        section_labels=labels,
        section_weights=section_weights,
        label_totals=totals,
        n_rows=n_rows,
        unit=unit,
        sizes=sizes,
    )


def _rows_of_section(labels: np.ndarray, weights: np.ndarray, label: int, power: int) -> np.ndarray:
    """Rows of one label whose weight has one power of two, found some rows at a time."""
    integers = row_type(len(labels))
    rows = []
    for start in range(0, len(labels), ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        inside = np.flatnonzero((labels[some] == label) & (weights[some] >> power & 1 == 1))
        rows.append((inside + start).astype(integers))
    return np.concatenate(rows) if rows else np.empty(0, dtype=integers)
