"""A mask: which rows are true, stored as row numbers if they are few."""

from __future__ import annotations

import numpy as np

from elseif.bits.packing import SPARSE_SHARE, row_type


class Mask:
    """Which rows are true.

    Held as row numbers or as an array of booleans, whichever takes less room. Only this class
    knows which: two masks of the same rows answer every question alike.
    """

    __slots__ = ("_held", "_listed", "n_rows", "n_true")

    def __init__(self, values: np.ndarray, listed: bool, n_rows: int) -> None:
        """A mask of a given form; made by ``of_rows``, ``of_array`` and ``none``."""
        self._held = values  # int (n_true,), ascending, where the true rows are listed; else bool
        self._listed = listed
        self.n_rows = n_rows
        self.n_true = len(values) if listed else int(np.count_nonzero(values))

    @classmethod
    def none(cls, n_rows: int) -> Mask:
        """A mask of no row."""
        return cls.of_rows(np.empty(0, dtype=row_type(n_rows)), n_rows)

    @classmethod
    def of_rows(cls, rows: np.ndarray, n_rows: int) -> Mask:
        """A mask from the numbers of the true rows, each once and ascending; not copied."""
        return cls(rows, True, n_rows)

    @classmethod
    def of_array(cls, array: np.ndarray) -> Mask:
        """A mask from an array of booleans, kept as a read-only view."""
        array = array.view()
        array.flags.writeable = False
        mask = cls(array, False, len(array))
        return cls.of_rows(mask.rows(), mask.n_rows) if mask.is_sparse else mask

    @property
    def is_sparse(self) -> bool:
        """Whether the true rows take less room as numbers than as bits, however they are stored."""
        return self.n_true < SPARSE_SHARE * self.n_rows

    @property
    def nbytes(self) -> int:
        """Memory that the mask takes."""
        return self._held.nbytes

    def rows(self) -> np.ndarray:
        """The true rows, ascending; not to be written to."""
        if self._listed:
            return self._held
        return np.flatnonzero(self._held).astype(row_type(self.n_rows), copy=False)

    def as_array(self) -> np.ndarray:
        """A boolean for each row; not to be written to."""
        if not self._listed:
            return self._held
        array = np.zeros(self.n_rows, dtype=bool)
        array[self._held] = True
        return array

    def take(self, rows: np.ndarray) -> Mask:
        """The mask of chosen rows, in the order given: row i is row ``rows[i]`` of this mask."""
        if not self._listed:
            return Mask.of_array(self._held[rows])
        if not self.n_true:
            return Mask.none(len(rows))
        positions = np.searchsorted(self._held, rows).clip(max=self.n_true - 1)
        return Mask.of_array(self._held[positions] == rows)
