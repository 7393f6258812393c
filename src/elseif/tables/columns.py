"""A column of a table, of a kind that conditions can be written on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np

from elseif.tables.packing import SPARSE_SHARE, row_type


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

    Numbers and dates are arrays with NaN or NaT where missing, and categories are codes
    into their list with -1 where missing. Booleans are the rows that are true and those
    that are missing, or a mask where they are many; so that a missing value is never
    taken for "no".
    """

    name: str
    kind: Kind
    n_rows: int
    numbers: np.ndarray | None = None  # float64, or datetime64 for dates
    codes: np.ndarray | None = None  # int (n_rows,): into categories, -1 where missing
    categories: tuple[Any, ...] = ()
    # booleans only
    true_rows: np.ndarray | None = None  # int (k,), ascending
    missing_rows: np.ndarray | None = None  # int (k,), ascending
    true_mask: np.ndarray | None = None  # bool (n_rows,), in place of true_rows
    missing_mask: np.ndarray | None = None  # bool (n_rows,), in place of missing_rows

    @property
    def n_bytes(self) -> int:
        """Room that the values take."""
        held = (
            self.numbers, self.codes,
            self.true_rows, self.missing_rows, self.true_mask, self.missing_mask,
        )  # fmt: skip
        return sum(values.nbytes for values in held if values is not None)

    @property
    def n_missing(self) -> int:
        """Number of rows that have no value."""
        if self.kind is Kind.BOOLEAN and self.missing_mask is None:
            return 0 if self.missing_rows is None else len(self.missing_rows)
        return int(np.count_nonzero(self.is_missing()))

    @property
    def n_true(self) -> int:
        """Number of rows of a boolean column that are true."""
        if self.true_mask is not None:
            return int(np.count_nonzero(self.true_mask))
        return 0 if self.true_rows is None else len(self.true_rows)

    def is_missing(self) -> np.ndarray:
        """Which rows have no value."""
        if self.missing_mask is not None:
            return self.missing_mask
        if self.kind is Kind.BOOLEAN:
            return rows_to_mask(self.missing_rows, self.n_rows)
        if self.codes is not None:
            return self.codes < 0
        assert self.numbers is not None
        return np.isnat(self.numbers) if self.kind is Kind.DATE else np.isnan(self.numbers)

    def is_true(self) -> np.ndarray:
        """Which rows of a boolean column are true."""
        if self.true_mask is not None:
            return self.true_mask
        return rows_to_mask(self.true_rows, self.n_rows)


def boolean_column(name: str, values: np.ndarray, missing: np.ndarray | None = None) -> Column:
    """A column of booleans from masks of what is true and, if anything is, missing."""
    if missing is not None and not missing.any():
        missing = None
    if missing is not None and (values & missing).any():
        values = values & ~missing
    n = len(values)
    true_rows, true_mask = _rows_or_mask(values, n)
    missing_rows, missing_mask = (None, None) if missing is None else _rows_or_mask(missing, n)
    return Column(
        name,
        Kind.BOOLEAN,
        n,
        true_rows=true_rows,
        missing_rows=missing_rows,
        true_mask=true_mask,
        missing_mask=missing_mask,
    )


def _rows_or_mask(mask: np.ndarray, n_rows: int) -> tuple[np.ndarray | None, np.ndarray | None]:
    """Truth in the least room: row numbers, or a mask that nobody may write to."""
    if np.count_nonzero(mask) < SPARSE_SHARE * n_rows:
        return np.flatnonzero(mask).astype(row_type(n_rows), copy=False), None
    mask = mask.view()
    mask.flags.writeable = False
    return None, mask


def rows_to_mask(rows: np.ndarray | None, n_rows: int) -> np.ndarray:
    """A mask from row numbers."""
    mask = np.zeros(n_rows, dtype=bool)
    if rows is not None:
        mask[rows] = True
    return mask
