"""Raw columns to conditions that a person would write (section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elseif.errors import DataError, ParamError
from elseif.tables.columns import Column, Kind
from elseif.tables.conditions import (
    ABOVE,
    AT_MOST,
    EQUAL,
    MISSING,
    TRUE,
    Condition,
)
from elseif.tables.cuts import quantile_cuts
from elseif.tables.reading import Table


@dataclass(frozen=True)
class ColumnReport:
    """What was done with one column: written down, never silently."""

    name: str
    kind: Kind
    n_missing: int = 0
    n_conditions: int = 0
    cuts: tuple[Any, ...] = ()
    excluded: str | None = None  # why, when the column gives no condition


@dataclass(frozen=True)
class Binarised:
    """Conditions with the rows where each is true."""

    conditions: list[Condition]
    true_rows: list[np.ndarray]
    columns: list[ColumnReport] = field(default_factory=list)


def binarise(
    table: Table,
    kinds: Mapping[str, Kind],
    cuts: Mapping[str, Sequence[Any]],
    allow_missing: bool,
    row_weights: np.ndarray,
) -> Binarised:
    """Every condition on every column, in the columns' canonical order."""
    result = Binarised([], [], [])
    for name in sorted(table.names):
        column = table.column(name, kinds.get(name))
        missing = column.is_missing()
        n_missing = int(missing.sum())
        if n_missing and not allow_missing:
            raise DataError(
                f"Input X contains NaN: column {name!r} has {n_missing} missing values. "
                "Fill them in, or let them make no condition true by missing='own_level'."
            )
        column_cuts = column_cut_points(column, cuts.get(name), row_weights)
        made = list(column_conditions(column, column_cuts))
        excluded = None
        if not made:
            excluded = "all values are missing" if n_missing == column.n_rows else "constant"
        if n_missing:
            made.append(Condition(name, MISSING))
        for condition in made:
            result.conditions.append(condition)
            result.true_rows.append(true_rows(condition, column))
        result.columns.append(
            ColumnReport(name, column.kind, n_missing, len(made), tuple(column_cuts), excluded)
        )
    return result


def true_rows(condition: Condition, column: Column) -> np.ndarray:
    """The rows where a condition is true."""
    if condition.operator == TRUE and column.true_rows is not None:
        return column.true_rows
    return np.flatnonzero(condition.holds(column))


def column_cut_points(
    column: Column, told: Sequence[Any] | None, row_weights: np.ndarray
) -> list[Any]:
    """Where a column is cut: as told, or at readable quantiles."""
    if column.kind is Kind.ORDERED:
        return list(column.categories[:-1]) if told is None else list(told)
    if column.kind not in (Kind.NUMERIC, Kind.DATE):
        if told is not None:
            raise ParamError(
                f"cuts: column {column.name!r} is {column.kind}; only numeric, date and "
                "ordered columns can be cut."
            )
        return []
    assert column.numbers is not None
    if told is not None:
        return sorted(set(told))
    known = ~column.is_missing()
    return list(quantile_cuts(column.numbers[known], row_weights[known]))


def column_conditions(column: Column, cuts: Sequence[Any]) -> Iterator[Condition]:
    """The conditions on one column that split its observations."""
    if column.kind is Kind.BOOLEAN:
        n_true = 0 if column.true_rows is None else len(column.true_rows)
        n_known = column.n_rows - int(column.is_missing().sum())
        if 0 < n_true < column.n_rows and (n_true < n_known or n_known < column.n_rows):
            yield Condition(column.name, TRUE)
    elif column.kind is Kind.CATEGORY:
        assert column.codes is not None
        present = np.unique(column.codes)
        if len(present) > 1:
            for code in present[present >= 0]:
                yield Condition(column.name, EQUAL, column.categories[code])
    else:
        order = column.categories if column.kind is Kind.ORDERED else None
        for cut in cuts:
            yield Condition(column.name, AT_MOST, cut, order)
            yield Condition(column.name, ABOVE, cut, order)
