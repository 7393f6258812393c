"""Where each observation's bit stands: sorted by label and weight, packed into words."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WORD_BITS = 64
BLOCK_WORDS = 8  # a section is a whole number of 64-byte blocks: one vector register each


@dataclass(frozen=True)
class Layout:
    """The order of observations in packed bits.

    A section holds the bits of one label and one power of two: an observation of weight
    5 has a bit in the section of weight 1 and one in that of weight 4. A weighted label
    count is then a sum of popcounts times powers of two, and no row is repeated.
    """

    row_of_bit: np.ndarray  # int64 (bits,): n_rows where the bit is padding
    section_starts: np.ndarray  # int64 (sections + 1,), in words
    section_labels: np.ndarray  # int64 (sections,)
    section_weights: np.ndarray  # int64 (sections,)
    label_totals: np.ndarray  # int64 (labels,): counts in units
    n_rows: int
    unit: float = 1.0  # what a count of 1 stands for

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
        return np.packbits(padded[self.row_of_bit], bitorder="little").view(np.uint64)

    def section_rows(self, section: int) -> np.ndarray:
        """The rows that have a bit in a section."""
        start, stop = self.section_starts[section : section + 2] * WORD_BITS
        rows = self.row_of_bit[start:stop]
        return rows[rows < self.n_rows]

    def row_weights(self) -> np.ndarray:
        """Weight of each row, in units."""
        weights = np.zeros(self.n_rows, dtype=np.int64)
        for section, weight in enumerate(self.section_weights):
            weights[self.section_rows(section)] += weight
        return weights

    def row_labels(self) -> np.ndarray:
        """Label of each row; -1 for rows of weight 0."""
        labels = np.full(self.n_rows, -1, dtype=np.int64)
        for section, label in enumerate(self.section_labels):
            labels[self.section_rows(section)] = label
        return labels

    def everyone(self) -> np.ndarray:
        """Words with a bit for every observation."""
        return self.pack(np.ones(self.n_rows, dtype=bool))

    def unpack(self, words: np.ndarray) -> np.ndarray:
        """Truth row by row from packed words."""
        bits = np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool)
        truth = np.zeros(self.n_rows + 1, dtype=bool)
        truth[self.row_of_bit[bits]] = True
        return truth[:-1]


def make_layout(
    labels: np.ndarray, n_labels: int, weights: np.ndarray | None = None, unit: float = 1.0
) -> Layout:
    """Layout for labels coded 0..n_labels-1 and whole weights (all 1 when not given).

    Rows of weight 0 have no bit; their label does not matter.
    """
    n = len(labels)
    whole = np.ones(n, dtype=np.int64) if weights is None else weights.astype(np.int64)
    block_bits = BLOCK_WORDS * WORD_BITS
    pieces: list[np.ndarray] = []
    starts, section_labels, section_weights = [0], [], []
    n_powers = int(whole.max(initial=0)).bit_length()
    for label in range(n_labels):
        for power in range(n_powers):
            rows = np.flatnonzero((labels == label) & (whole >> power & 1 == 1))
            if not len(rows):
                continue
            n_blocks = -(-len(rows) // block_bits)
            padding = np.full(n_blocks * block_bits - len(rows), n, dtype=np.int64)
            pieces += [rows.astype(np.int64), padding]
            starts.append(starts[-1] + n_blocks * BLOCK_WORDS)
            section_labels.append(label)
            section_weights.append(1 << power)
    totals = np.zeros(n_labels, dtype=np.int64)
    np.add.at(totals, labels[whole > 0], whole[whole > 0])
    return Layout(
        row_of_bit=np.concatenate(pieces) if pieces else np.empty(0, dtype=np.int64),
        section_starts=np.array(starts, dtype=np.int64),
        section_labels=np.array(section_labels, dtype=np.int64),
        section_weights=np.array(section_weights, dtype=np.int64),
        label_totals=totals,
        n_rows=n,
        unit=unit,
    )
