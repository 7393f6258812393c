"""One case: a row of a table, or a dict of values by column."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Any

import narwhals as nw
import numpy as np

from elseif.conditions.condition import Condition, quantity_text, value_text
from elseif.errors import DataError, DataTypeError
from elseif.tables.columns import Column, Kind
from elseif.tables.reading import Table, eager_frame, read_table, whole_batch
from elseif.tables.values import column_from_array


class Unknown(Enum):
    """A value that exists but is not known: unlike a missing one, it may be anything."""

    UNKNOWN = "unknown"

    def __repr__(self) -> str:
        return "UNKNOWN"


UNKNOWN = Unknown.UNKNOWN
DIGITS = 5  # of a number in a sentence, where rounding changes nothing


def one_row(X: Any, row: int = 0) -> Any:
    """A row of a table of any kind, as a table of one row."""
    if isinstance(X, Table):
        return _row_of_table(X, row)
    X = whole_batch(X)
    frame = eager_frame(X)
    if isinstance(frame, nw.DataFrame):
        position = _checked_row(row, len(frame))
        return frame[position : position + 1].to_native()
    if not hasattr(X, "shape"):
        if not isinstance(X, (list, tuple)):
            raise DataTypeError(
                f"A case must be a dict of values by column or a table, not {type(X).__name__}."
            )
        position = _checked_row(row, len(X))
        return X[position : position + 1]
    position = _checked_row(row, X.shape[0] if X.shape else 0)
    return X.tocsr()[position : position + 1] if hasattr(X, "tocsr") else X[position : position + 1]


def as_mapping(case: Any) -> Mapping[Any, Any] | None:
    """A case given by column, a dict or a row of a data frame; None for anything else."""
    if isinstance(case, Mapping):
        return case
    if hasattr(case, "to_dict") and getattr(case, "ndim", 2) == 1:  # such as X.iloc[3]
        named: Mapping[Any, Any] = case.to_dict()
        return named
    return None


def read_case(case: Any, row: int = 0) -> Table:
    """A table of one row from a dict by column, or from a row of a table."""
    if isinstance(case, Table):
        return _row_of_table(case, row)
    named = as_mapping(case)
    return read_table(one_row(case, row)) if named is None else _read_mapping(named)


def _read_mapping(case: Mapping[Any, Any]) -> Table:
    if not case:
        raise DataError("The case is an empty dict; give the values of the columns by name.")
    odd = [name for name in case if not isinstance(name, str)]
    if odd:
        raise DataError(f"The names of a case's columns must be strings; found {odd[0]!r}.")
    unknown = [name for name, value in case.items() if value is UNKNOWN]
    if unknown:
        raise DataError(
            f"The value of {unknown[0]!r} is unknown, so that no one rule need apply; "
            "elseif.possible_rules says which could. None stands for a missing value."
        )
    values = list(case.values())

    def get(position: int, name: str, kind: Kind | None) -> Column:
        cell = np.empty(1, dtype=object)
        cell[0] = values[position]
        if isinstance(values[position], np.datetime64):
            return column_from_array(np.array([values[position]]), name, kind)
        return column_from_array(cell, name, kind)

    return Table(list(case), 1, get, named=True)


def _row_of_table(table: Table, row: int) -> Table:
    position = _checked_row(row, table.n_rows)
    return table if table.n_rows == 1 else table.take(np.array([position]))


def _checked_row(row: Any, n_rows: int) -> int:
    if isinstance(row, bool) or not isinstance(row, (int, np.integer)):
        raise DataTypeError(f"row is {row!r}; it must be a whole number, counted from 0.")
    position = int(row) + n_rows if row < 0 else int(row)
    if not 0 <= position < n_rows:
        raise DataError(f"row is {row}, but the table has {n_rows} rows, counted from 0.")
    return position


def needed_column(table: Table, name: str, kind: Kind | None, who: str = "the list asks") -> Column:
    """A required column; an error names what the case lacks."""
    if name not in table:
        raise DataError(
            f"The case has no column {name!r}, which {who} for. Give its value; None stands "
            "for a missing one."
        )
    return table.column(name, kind)


def truths_of(conditions: Iterable[Condition], column: Column) -> tuple[bool, ...]:
    """Which conditions hold of a column of one row."""
    return tuple(bool(condition.holds(column)[0]) for condition in conditions)


def value_of(column: Column) -> Any:
    """The value of a column of one row; None where it is missing."""
    if bool(column.is_missing()[0]):
        return None
    if column.kind is Kind.BOOLEAN and not bool(column.is_neither()[0]):
        return bool(column.is_true()[0])
    if column.codes is not None:
        return column.categories[column.codes[0]]
    assert column.numbers is not None
    return column.numbers[0] if column.kind is Kind.DATE else float(column.numbers[0])


def shown_value(value: Any) -> str:
    """A value in words."""
    if value is None:
        return "missing"
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    return quantity_text(value) if isinstance(value, float) else value_text(value)


def readable_value(conditions: Sequence[Condition], column: Column) -> str:
    """The value of a column of one row in words; no more digits than the conditions need."""
    value = value_of(column)
    if column.kind is Kind.NUMERIC and value is not None:
        assert column.numbers is not None
        short = float(f"{value:.{DIGITS}g}")
        rounded = replace(column, numbers=np.array([short]))
        if truths_of(conditions, rounded) == truths_of(conditions, column):
            value = short
    return shown_value(value)
