"""Condition: an assertion about one column that is true or false of an observation."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.bits.mask import Mask
from elseif.errors import ParamError
from elseif.tables.columns import Column, Kind
from elseif.tables.times import as_date

TRUE, FALSE, MISSING = "is true", "is false", "is missing"
EQUAL, UNEQUAL, ONE_OF = "=", "!=", "in"
ABOVE, AT_MOST, AT_LEAST, BELOW, BETWEEN = ">", "<=", ">=", "<", "between"

OPERATORS = (
    TRUE, FALSE, EQUAL, UNEQUAL, ONE_OF, ABOVE, AT_MOST, AT_LEAST, BELOW, BETWEEN, MISSING,
)  # fmt: skip
GROUPED = 10_000  # numbers from here on have their thousands set apart
NUMERIC_OPERATORS = (ABOVE, AT_MOST, AT_LEAST, BELOW, BETWEEN)


@dataclass(frozen=True)
class Condition:
    """A condition such as ``age > 60``, ``sex = female``, ``smoker`` or ``glucose is missing``.

    A missing value satisfies no condition except "is missing".

    Attributes
    ----------
    column : str
        The column.
    operator : str
        What is asserted, such as "=", ">", "in" or "is missing".
    value : Any
        A number, a date, a category, a tuple of categories ("in") or a pair ("between": above
        the first, at most the second).
    order : tuple[Any, ...] | None
        All categories in their order, for ordered categories. For "!=" all categories; the
        condition is false for any other. Without them it is true for every value except its
        own.

    Examples
    --------
    >>> from elseif.conditions import Condition
    >>> str(Condition("age", ">", 60))
    'age > 60'
    """

    column: str
    operator: str
    value: Any = None
    order: tuple[Any, ...] | None = None

    def __post_init__(self) -> None:
        if self.operator not in OPERATORS:
            raise ParamError(
                f"Condition on {self.column!r}: the operator is {self.operator!r}; "
                f"it must be one of {', '.join(map(repr, OPERATORS))}."
            )

    def __str__(self) -> str:
        return self.name

    @property
    def name(self) -> str:
        """The condition as a person would write it."""
        if self.operator == TRUE:
            return self.column
        if self.operator == FALSE:
            return f"not {self.column}"
        if self.operator == MISSING:
            return f"{self.column} is missing"
        if self.operator == BETWEEN:
            low, high = self.value
            return f"{value_text(low)} < {self.column} <= {value_text(high)}"
        if self.operator == ONE_OF:
            return f"{self.column} in {{{', '.join(value_text(v) for v in self.value)}}}"
        return f"{self.column} {self.operator} {value_text(self.value)}"

    def holds(self, column: Column) -> np.ndarray:
        """Evaluate the condition row by row.

        Parameters
        ----------
        column : Column
            The column.

        Returns
        -------
        array of bool
            Whether the condition is true.
        """
        if self.operator == MISSING:
            return column.is_missing()
        if self.operator == TRUE:
            return column.is_true()
        if self.operator == FALSE:
            return column.is_false()
        if column.codes is not None:
            return self._holds_for_categories(column)
        numbers = column.numbers
        assert numbers is not None
        if column.kind is Kind.DATE:
            return self._compare(numbers, _as_dates(self.value))
        return self._compare(numbers, self.value)

    def mask(self, column: Column) -> Mask:
        """The rows where the condition is true, as the column stores them.

        Parameters
        ----------
        column : Column
            The column.

        Returns
        -------
        Mask
            The rows.
        """
        if self.operator == TRUE and column.truth is not None:
            return column.truth
        if self.operator == MISSING and column.missing is not None:
            return column.missing
        return Mask.of_array(self.holds(column))

    def _holds_for_categories(self, column: Column) -> np.ndarray:
        assert column.codes is not None
        values = self.value if self.operator in (ONE_OF, BETWEEN) else (self.value,)
        alike = column.in_words_of(self.order or values)
        if self.operator in NUMERIC_OPERATORS:
            # compare by rank in the order of training; an unseen category has none
            rank, ranks = alike.ranks_in(self.order or ())
            bound = (
                tuple(rank[v] for v in self.value) if self.operator == BETWEEN else rank[self.value]
            )
            return self._compare(ranks[column.codes], bound)
        if alike is column:
            wanted = [column.code_of[v] for v in values if v in column.code_of]
        else:  # several codes may be of one level
            wanted = [code for code, level in enumerate(alike.categories) if level in values]
        chosen = np.isin(column.codes, wanted)
        if self.operator != UNEQUAL:
            return chosen
        if not self.order:
            return ~chosen & (column.codes >= 0)
        return ~chosen & ~np.isnan(alike.ranks_in(self.order)[1])[column.codes]

    def _compare(self, numbers: np.ndarray, value: Any) -> np.ndarray:
        """Comparisons with NaN or NaT are false, as a missing value should be."""
        if self.operator == ABOVE:
            truth = numbers > value
        elif self.operator == AT_MOST:
            truth = numbers <= value
        elif self.operator == AT_LEAST:
            truth = numbers >= value
        elif self.operator == BELOW:
            truth = numbers < value
        elif self.operator == EQUAL:
            truth = numbers == value
        elif self.operator == ONE_OF:
            truth = np.isin(numbers, value)
        elif self.operator == UNEQUAL:
            truth = (numbers != value) & (numbers == numbers)  # the second is false for NaN
        else:
            truth = (numbers > value[0]) & (numbers <= value[1])
        return np.asarray(truth)

    def sort_key(self) -> tuple[str, int, str]:
        """Canonical order: by column, kind of assertion and value.

        Returns
        -------
        tuple
            What to sort by.
        """
        return (self.column, OPERATORS.index(self.operator), _sortable(self.value))


def value_text(value: Any) -> str:
    """A value as a person writes it: 60 rather than 60.0, a date without its midnight."""
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, np.datetime64):
        text = str(value.astype("datetime64[s]"))
        return text.removesuffix("T00:00:00").replace("T", " ")
    if isinstance(value, (float, np.floating)):
        return f"{float(value):.15g}"
    return str(value)


def quantity_text(value: Any, *beside: Any) -> str:
    """A value compared by size, its thousands set apart from five digits on: years stay plain.

    Beside values of five digits, such as the other end of an interval, those of four have their
    thousands set apart too.

    Examples
    --------
    >>> from elseif.conditions.condition import quantity_text
    >>> quantity_text(60000.0), quantity_text(-1234567.5), quantity_text(2019), quantity_text("I")
    ('60,000', '-1,234,567.5', '2019', 'I')
    >>> quantity_text(8000.0, 25000.0)
    '8,000'
    """
    text = value_text(value)
    whole, dot, decimals = text.partition(".")
    if (
        not any(map(is_grouped, (value, *beside)))
        or not _is_number(value)
        or not math.isfinite(value)
    ):
        return text
    return text if "e" in text else f"{int(whole):,}{dot}{decimals}"


def is_grouped(value: Any) -> bool:
    """Whether a value is a number that is shown with its thousands set apart."""
    return _is_number(value) and bool(GROUPED <= abs(value) < math.inf)


def _is_number(value: Any) -> bool:
    is_number = isinstance(value, (int, float, np.integer, np.floating))
    return is_number and not isinstance(value, bool)


def _sortable(value: Any) -> str:
    """Text whose order is the value's own: numbers by size, the rest by spelling."""
    if isinstance(value, tuple):
        return "|".join(map(_sortable, value))
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").astype(np.int64)
    if isinstance(value, (int, float, np.integer, np.floating)):
        # order-preserving text of a float: its bits, with negatives turned round
        bits = int(np.array([float(value)]).view(np.uint64)[0])
        bits = bits ^ (0xFFFFFFFFFFFFFFFF if bits >> 63 else 1 << 63)
        return f"{bits:016x}"
    return str(value)


def _as_dates(value: Any) -> Any:
    return tuple(map(as_date, value)) if isinstance(value, tuple) else as_date(value)
