"""Rounding: with a minimum cell, numbers of people are shown as multiples of it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np

from elseif.errors import ParamError, ParamTypeError


@dataclass(frozen=True)
class Rounding:
    """Numbers of people to the nearest multiple of ``step``, halves upwards.

    ``step`` is the minimum cell that was asked for, or a multiple of it.
    """

    min_cell: int
    step: int

    def counts(self, n: Any) -> np.ndarray:
        """Numbers of people, or sums of their weights, rounded."""
        rounded: np.ndarray = np.floor(np.asarray(n, dtype=float) / self.step + 0.5) * self.step
        return rounded

    def count(self, n: float) -> int:
        """One number of people."""
        return int(self.counts(n))

    @property
    def sentence(self) -> str:
        """A sentence for readers of rounded numbers."""
        return f"Counts are rounded to multiples of {self.step:,}."


def check_min_cell(min_cell: Any) -> int | None:
    """The minimum cell as a whole number of 2 or more, or None."""
    if min_cell is None:
        return None
    if isinstance(min_cell, bool) or not isinstance(min_cell, Integral):
        raise ParamTypeError(f"min_cell is {min_cell!r}; it must be a whole number.")
    if min_cell < 2:
        raise ParamError(
            f"min_cell is {min_cell!r}; it must be 2 or more, or None to show all counts."
        )
    return int(min_cell)
