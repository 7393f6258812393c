"""A column of a table, of a kind that conditions can be written on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np


class Kind(StrEnum):
    """What a column holds, inferred or told."""

    BOOLEAN = "boolean"
    NUMERIC = "numeric"
    CATEGORY = "category"
    ORDERED = "ordered"
    DATE = "date"


@dataclass(frozen=True)
class Column:
    """Values of one column.

    Numbers and dates are arrays with NaN or NaT where missing. Booleans are the rows
    that are true, and categories are codes into their list; both have -1 or a mask for
    what is missing, so that a missing value is never taken for "no".
    """

    name: str
    kind: Kind
    n_rows: int
    numbers: np.ndarray | None = None  # float64, or datetime64 for dates
    codes: np.ndarray | None = None  # int (n_rows,): into categories, -1 where missing
    categories: tuple[Any, ...] = ()
    true_rows: np.ndarray | None = None  # int (k,), ascending
    missing_rows: np.ndarray | None = None  # int (k,), ascending; booleans only

    @property
    def n_missing(self) -> int:
        """Number of rows that have no value."""
        if self.kind is Kind.BOOLEAN:
            return 0 if self.missing_rows is None else len(self.missing_rows)
        return int(self.is_missing().sum())

    def is_missing(self) -> np.ndarray:
        """Which rows have no value."""
        if self.kind is Kind.BOOLEAN:
            return rows_to_mask(self.missing_rows, self.n_rows)
        if self.codes is not None:
            return self.codes < 0
        assert self.numbers is not None
        return np.isnat(self.numbers) if self.kind is Kind.DATE else np.isnan(self.numbers)

    def is_true(self) -> np.ndarray:
        """Which rows of a boolean column are true."""
        return rows_to_mask(self.true_rows, self.n_rows)


def rows_to_mask(rows: np.ndarray | None, n_rows: int) -> np.ndarray:
    """A mask from row numbers."""
    mask = np.zeros(n_rows, dtype=bool)
    if rows is not None:
        mask[rows] = True
    return mask
