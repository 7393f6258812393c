"""A column of a table, with its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np

from elseif.bits.mask import Mask
from elseif.tables.families import meant_level


class Kind(StrEnum):
    """The kind of a column, inferred or given."""

    BOOLEAN = "boolean"
    NUMERIC = "numeric"
    CATEGORY = "category"
    ORDERED = "ordered"
    DATE = "date"


@dataclass(frozen=True)
class Column:
    """Values of one column.

    Numbers and dates are arrays with NaN or NaT where missing, and categories are codes
    into their list with -1 where missing. Booleans are two masks, of the rows that are true
    and of those that are missing, so that a missing value is never taken for "no". Where a
    boolean column also holds other numbers, such as 2, its numbers are kept as well.
    """

    name: str
    kind: Kind
    n_rows: int
    # float64, or datetime64 for dates; of a boolean column only where some are neither 0 nor 1
    numbers: np.ndarray | None = None
    codes: np.ndarray | None = None  # int (n_rows,): into categories, -1 where missing
    categories: tuple[Any, ...] = ()
    by_alphabet: bool = False  # ordered, though neither user nor type said in which order
    # booleans only
    truth: Mask | None = None
    missing: Mask | None = None
    # of dates that were text: "dmy" or "mdy", where it mattered
    date_order: str | None = None

    @cached_property
    def code_of(self) -> dict[Any, int]:
        """The code of each category."""
        return {category: code for code, category in enumerate(self.categories)}

    def in_words_of(self, levels: Sequence[Any]) -> Column:
        """The column with levels in place of its categories, where only one of them is text.

        Parameters
        ----------
        levels : sequence
            Levels of one type.

        Returns
        -------
        Column
            Several of its codes may have one category.
        """
        if len({isinstance(each[0], str) for each in (self.categories, levels) if each}) < 2:
            return self
        known = set(levels)
        categories = tuple(meant_level(category, known) for category in self.categories)
        return replace(self, categories=categories)

    def ranks_in(self, order: tuple[Any, ...]) -> tuple[dict[Any, int], np.ndarray]:
        """Categories' ranks in an order, and those of this column's codes: NaN for the unranked.

        They are remembered: the conditions on a column share their order.
        """
        known = self._ranks.get(id(order))
        if known is None:
            rank = {category: r for r, category in enumerate(order)}
            ranks = np.array([rank.get(c, np.nan) for c in self.categories] + [np.nan])
            # the order itself is kept, so that no other can have its id
            known = self._ranks[id(order)] = (order, rank, ranks)
        return known[1], known[2]

    @cached_property
    def _ranks(self) -> dict[int, tuple[tuple[Any, ...], dict[Any, int], np.ndarray]]:
        return {}

    @property
    def n_bytes(self) -> int:
        """Memory of the values, in bytes."""
        arrays = (self.numbers, self.codes, self.truth, self.missing)
        return sum(values.nbytes for values in arrays if values is not None)

    @property
    def n_missing(self) -> int:
        """Number of rows that have no value."""
        if self.missing is not None:
            return self.missing.n_true
        return int(np.count_nonzero(self.is_missing()))

    @property
    def n_true(self) -> int:
        """Number of rows of a boolean column that are true."""
        assert self.truth is not None
        return self.truth.n_true

    def is_missing(self) -> np.ndarray:
        """Which rows have no value."""
        if self.missing is not None:
            return self.missing.as_array()
        if self.codes is not None:
            return self.codes < 0
        assert self.numbers is not None
        return np.isnat(self.numbers) if self.kind is Kind.DATE else np.isnan(self.numbers)

    def is_true(self) -> np.ndarray:
        """Which rows of a boolean column are true."""
        assert self.truth is not None
        return self.truth.as_array()

    def is_false(self) -> np.ndarray:
        """Which rows of a boolean column are false."""
        if self.numbers is not None:
            return np.asarray(self.numbers == 0)
        return ~self.is_true() & ~self.is_missing()

    def is_neither(self) -> np.ndarray:
        """Which rows of a boolean column hold a number other than 0 and 1."""
        if self.numbers is None:
            return np.zeros(self.n_rows, dtype=bool)
        return ~(self.is_true() | self.is_false() | self.is_missing())

    def take(self, rows: np.ndarray) -> Column:
        """The column of chosen rows, in their order."""
        return replace(
            self,
            n_rows=len(rows),
            numbers=None if self.numbers is None else self.numbers[rows],
            codes=None if self.codes is None else self.codes[rows],
            truth=None if self.truth is None else self.truth.take(rows),
            missing=None if self.missing is None else self.missing.take(rows),
        )


def boolean_column(name: str, values: np.ndarray, missing: np.ndarray | None = None) -> Column:
    """A column of booleans from arrays of what is true and, if anything is, missing."""
    if missing is None or not missing.any():
        return column_of_mask(name, Mask.of_array(values))
    if (values & missing).any():
        values = values & ~missing
    return column_of_mask(name, Mask.of_array(values), Mask.of_array(missing))


def column_of_mask(name: str, truth: Mask, missing: Mask | None = None) -> Column:
    """A column of booleans from the mask of what is true; no row that is missing may be."""
    missing = Mask.none(truth.n_rows) if missing is None else missing
    return Column(name, Kind.BOOLEAN, truth.n_rows, truth=truth, missing=missing)
