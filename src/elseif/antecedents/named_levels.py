"""Which levels a fitted model keeps: those named by its conditions, and few others."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from elseif.conditions.binarise import Binarised, ColumnReport
from elseif.conditions.condition import BETWEEN, NUMERIC_OPERATORS, ONE_OF, UNEQUAL, Condition


def only_named_levels(
    binarised: Binarised, conditions: Sequence[Condition]
) -> tuple[list[ColumnReport], tuple[Condition, ...]]:
    """Reports and conditions of a pool without the levels that no condition names.

    What is left out may be a surname. If levels of a column are left out, "!=" holds for every
    other value, because a rare level cannot be distinguished from one that fit never saw.
    """
    kept: dict[str, set[Any]] = {}
    for condition in conditions:
        name = condition.column
        kept.setdefault(name, set(binarised.scales.get(name, ()))).update(_levels(condition))
    columns = [_with_levels(column, kept.get(column.name, set())) for column in binarised.columns]
    open_columns = {column.name for column in columns if column.n_other_levels}
    return columns, tuple(without_order(c, open_columns) for c in conditions)


def without_order(condition: Condition, columns: Container[str]) -> Condition:
    """A condition that does not list the levels of some columns, unless it is on their order."""
    is_open = condition.operator == UNEQUAL and condition.column in columns
    return replace(condition, order=None) if is_open else condition


def known_levels(columns: Iterable[ColumnReport]) -> Mapping[str, tuple[Any, ...]]:
    """The levels of columns whose levels are all named."""
    return {c.name: c.levels for c in columns if c.levels and not c.n_other_levels}


def _levels(condition: Condition) -> tuple[Any, ...]:
    """The levels needed to read a condition: all of them if they are ordered."""
    if condition.operator in NUMERIC_OPERATORS and condition.order is not None:
        return condition.order
    if condition.value is None:
        return ()
    several = condition.operator in (ONE_OF, BETWEEN)
    return tuple(condition.value) if several else (condition.value,)


def _with_levels(column: ColumnReport, kept: set[Any]) -> ColumnReport:
    return replace(
        column,
        levels=tuple(level for level in column.levels if level in kept),
        grouped=tuple(level for level in column.grouped if level in kept),
    )
