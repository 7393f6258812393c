"""What an unknown value could be: the distinct ways in which it can meet the conditions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from elseif.conditions.condition import BETWEEN, MISSING, ONE_OF, Condition
from elseif.tables.columns import Column, Kind, boolean_column
from elseif.tables.times import as_date

UNSEEN = object()  # a category that no table holds


def cells(
    conditions: Sequence[Condition], kind: Kind, levels: Sequence[Any], all_levels: bool
) -> list[list[bool]]:
    """Distinct truths of one column's conditions over all values it could have.

    An unknown value exists, so it is not a missing one, save where the list asks for that.
    It is a category that training saw, unless nobody knows what training saw.
    """
    if kind in (Kind.CATEGORY, Kind.ORDERED):
        by_condition = [level_truth(c, levels)[: -1 if all_levels else None] for c in conditions]
        truths = list(zip(*by_condition, strict=True))
    else:
        column = _values(conditions, kind)
        truths = list(zip(*(c.holds(column).tolist() for c in conditions), strict=True))
    if any(condition.operator == MISSING for condition in conditions):
        truths.append(tuple(condition.operator == MISSING for condition in conditions))
    return [list(truth) for truth in dict.fromkeys(truths)]


def level_truth(condition: Condition, levels: Sequence[Any]) -> list[bool]:
    """Whether a condition is true of each category, and last of one never seen."""
    categories = (*levels, UNSEEN)
    codes = np.arange(len(categories))
    column = Column(condition.column, Kind.CATEGORY, len(codes), codes=codes, categories=categories)
    return [bool(truth) for truth in condition.holds(column)]


def condition_values(condition: Condition) -> tuple[Any, ...]:
    """What a condition compares with: nothing, one value, or several."""
    if condition.value is None:
        return ()
    return condition.value if condition.operator in (BETWEEN, ONE_OF) else (condition.value,)


def _values(conditions: Sequence[Condition], kind: Kind) -> Column:
    """A column with a value for every way of meeting the conditions."""
    name = conditions[0].column
    if kind is Kind.BOOLEAN:
        return boolean_column(name, np.array([False, True]))
    ends = [value for condition in conditions for value in condition_values(condition)]
    # on each threshold and just beside it: between two of them all values are alike
    if kind is Kind.DATE:
        step = np.timedelta64(1, "us")
        dates = [day for value in ends for day in (as_date(value) + k * step for k in (-1, 0, 1))]
        numbers = np.array(dates or [np.datetime64(0, "us")])
    else:
        middle = np.array([float(value) for value in ends] or [0.0])
        around = [np.nextafter(middle, -np.inf), middle, np.nextafter(middle, np.inf)]
        numbers = np.concatenate(around)
        numbers = numbers[np.isfinite(numbers)]
    return Column(name, kind, len(numbers), numbers=numbers)
