"""Small cells: counts of a few people are withheld, and so is what they could be told from."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from elseif.errors import ParamError, ParamTypeError

WITHHELD = "withheld"

Count = float | str  # a number, or a word where it is withheld


class SmallCells:
    """Which counts of a table may be shown: none of 1 to ``smallest`` - 1."""

    def __init__(self, smallest: int | None) -> None:
        if smallest is not None:
            if isinstance(smallest, bool) or not isinstance(smallest, Integral):
                raise ParamTypeError(f"min_cell is {smallest!r}; it must be a whole number.")
            if smallest < 2:
                raise ParamError(
                    f"min_cell is {smallest!r}; it must be 2 or more, or None to show all counts."
                )
        self.smallest = None if smallest is None else int(smallest)

    @property
    def on(self) -> bool:
        return self.smallest is not None

    def is_small(self, counts: Any) -> Any:
        """Whether counts are above 0 and too small to show."""
        if self.smallest is None:
            return np.zeros(np.shape(counts), dtype=bool)
        return (np.asarray(counts) > 0) & (np.asarray(counts) < self.smallest)

    def count(self, n: float) -> Count:
        """A count that stands alone."""
        return WITHHELD if bool(self.is_small(n)) else plain_count(n)

    def hidden(self, cells: np.ndarray) -> np.ndarray:
        """Which rows of a table of counts to withhold, (rows, cells) of known totals.

        A row with a small cell is; further rows are, the smallest first, until the
        withheld cells of each column add up to nothing or to enough, for their sum can
        be told from the total.
        """
        cells = np.asarray(cells)
        hidden = np.array([bool(np.any(self.is_small(row))) for row in cells], dtype=bool)
        while bool(np.any(self.is_small(cells[hidden].sum(axis=0)))) and not hidden.all():
            sizes = np.where(hidden, np.inf, cells.sum(axis=1))
            # an empty row would hide nothing
            sizes = np.where(sizes > 0, sizes, np.inf)
            if not np.isfinite(sizes).any():
                break
            hidden[int(np.argmin(sizes))] = True
        return hidden

    def told_apart(self, n_true_positive: np.ndarray, n_false_positive: np.ndarray) -> np.ndarray:
        """Which points of a curve of rising counts may be shown, the last one always.

        Two points that are shown differ by nobody or by enough people of either kind.
        """
        if self.smallest is None:
            return np.ones(len(n_true_positive), dtype=bool)
        shown = np.zeros(len(n_true_positive), dtype=bool)
        counts = np.column_stack([n_true_positive, n_false_positive])
        latest = np.zeros(2)
        for i, point in enumerate(counts):
            steps = np.concatenate([point - latest, counts[-1] - point])
            if not bool(np.any(self.is_small(steps))):
                shown[i], latest = True, point
        if len(shown):
            shown[-1] = True
        return shown


def plain_count(n: float) -> float:
    """A whole number as an int, another (a sum of weights) as a float."""
    return int(n) if float(n).is_integer() else float(n)
