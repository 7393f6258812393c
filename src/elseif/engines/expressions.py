"""Conditions as expressions evaluated by an engine, with the same result as in elseif."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any

import narwhals as nw
import numpy as np

from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    BETWEEN,
    EQUAL,
    MISSING,
    ONE_OF,
    Condition,
)
from elseif.errors import DataError
from elseif.tables.columns import Column, Kind
from elseif.tables.times import as_date

YEARS_OF_NANOSECONDS = range(1678, 2262)


def condition_expression(
    condition: Condition, cell: Any, column: Column, values: Sequence[Any], dtype: Any
) -> Any:
    """Whether a condition is true, as an expression; false, never null, for missing values.

    ``values`` are the distinct values as the engine has them, and ``column`` the same as elseif
    reads them, for categories and booleans.
    """
    if condition.operator == MISSING:
        return is_missing(cell, dtype)
    if column.kind in (Kind.NUMERIC, Kind.DATE):
        known = comparable(cell, column, dtype)
        return _compared(condition, known, column.kind).fill_null(False) & ~is_missing(cell, dtype)
    truth = condition.holds(column)
    held = [value for value, is_true in zip(values, truth, strict=True) if is_true]
    return same_value(cell, held, dtype)


def is_missing(cell: Any, dtype: Any) -> Any:
    """Whether a value is null or NaN."""
    if dtype.is_float():
        return cell.is_null() | cell.is_nan().fill_null(False)
    return cell.is_null()


def same_value(cell: Any, values: Sequence[Any], dtype: Any) -> Any:
    """Whether a cell holds one of some values; false where it is null."""
    known = [value for value in values if value is not None and value == value]
    if not known:
        return cell.is_null() & ~cell.is_null()  # never
    if dtype == nw.Boolean:
        either = [cell if value else ~cell for value in dict.fromkeys(known)]
        truth = either[0] if len(either) == 1 else either[0] | either[1]
        return truth.fill_null(False)
    return cell.is_in(list(dict.fromkeys(known))).fill_null(False)


def comparable(cell: Any, column: Column, dtype: Any) -> Any:
    """The expression of a column's values as numbers, or as time stamps."""
    if column.kind is Kind.NUMERIC:
        if not (dtype.is_numeric() or dtype == nw.Boolean):
            raise DataError(
                f"Column {column.name!r} is {dtype} in the engine, which cannot be cut as numbers "
                "there. Cast it to numbers, such as days of a duration."
            )
        return cell.cast(nw.Float64)
    if getattr(dtype, "time_zone", None) or dtype not in (nw.Date, nw.Datetime):
        raise DataError(
            f"Column {column.name!r} is {dtype} in the engine, which cannot be cut as dates there. "
            "Cast it to a date or to a time stamp without a time zone."
        )
    return cell.cast(nw.Datetime("us"))


def _compared(condition: Condition, cell: Any, kind: Kind) -> Any:
    operator, value = condition.operator, condition.value
    if operator == BETWEEN:
        low, high = (literal(v, kind) for v in value)
        return (cell > low) & (cell <= high)
    if operator == ONE_OF:
        return cell.is_in([literal(v, kind) for v in value])
    other = literal(value, kind)
    if operator == ABOVE:
        return cell > other
    if operator == AT_MOST:
        return cell <= other
    if operator == AT_LEAST:
        return cell >= other
    if operator == BELOW:
        return cell < other
    if operator == EQUAL:
        return cell == other
    return cell != other


def literal(value: Any, kind: Kind) -> Any:
    """A number or a date as an engine compares with it."""
    if kind is Kind.NUMERIC:
        return float(value)
    moment = as_date(value).astype("datetime64[us]").astype(datetime.datetime)
    if not isinstance(moment, datetime.datetime):
        raise DataError(f"The date {np.datetime64(value)} is out of range for an engine.")
    if moment.year in YEARS_OF_NANOSECONDS:
        return moment
    return nw.lit(moment, dtype=nw.Datetime("us"))  # or Dask would compare with its text
