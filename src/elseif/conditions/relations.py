"""Which pairs of conditions make a useful conjunction: neither implied nor impossible."""

from __future__ import annotations

import math
from typing import Any

from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    BETWEEN,
    EQUAL,
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    UNEQUAL,
    Condition,
)


def can_join(a: Condition, b: Condition) -> bool:
    """False if one condition implies the other or nothing satisfies both.

    Conditions on different columns can always be joined: what one column says of
    another is for the data to show.
    """
    if a.column != b.column:
        return True
    if a.operator == MISSING or b.operator == MISSING:
        return False  # the same, or no value can be missing and not
    if a.order is not None or b.order is not None:
        order = a.order or b.order or ()
        return _cross(_levels(a, order), _levels(b, order))
    if a.operator in NUMERIC_OPERATORS and b.operator in NUMERIC_OPERATORS:
        return _intervals_cross(_interval(a), _interval(b))
    if _names_values(a) and _names_values(b):
        return _sets_cross(a, b)
    return False  # a threshold and a value, or two sides of a boolean


def _names_values(condition: Condition) -> bool:
    return condition.operator in (EQUAL, UNEQUAL, ONE_OF)


def _sets_cross(a: Condition, b: Condition) -> bool:
    if a.operator == UNEQUAL and b.operator == UNEQUAL:
        return bool(a.value != b.value)
    if a.operator == UNEQUAL:
        a, b = b, a
    mine = set(a.value) if a.operator == ONE_OF else {a.value}
    if b.operator == UNEQUAL:
        return b.value in mine and len(mine) > 1
    return _cross(mine, set(b.value) if b.operator == ONE_OF else {b.value})


def _levels(condition: Condition, order: tuple[Any, ...]) -> set[Any]:
    """The levels of a column that satisfy a condition: a few, with nothing between them."""
    value = condition.value
    if condition.operator == EQUAL:
        return {value}
    if condition.operator == ONE_OF:
        return set(value)
    if condition.operator == UNEQUAL:
        return set(order) - {value}
    if condition.operator == BETWEEN:
        return set(order[order.index(value[0]) + 1 : order.index(value[1]) + 1])
    position = order.index(value)
    if condition.operator in (ABOVE, AT_LEAST):
        return set(order[position + (condition.operator == ABOVE) :])
    return set(order[: position + (condition.operator == AT_MOST)])


def _cross(mine: set[Any], theirs: set[Any]) -> bool:
    """Whether sets overlap and neither holds the other."""
    both = mine & theirs
    return bool(both) and both != mine and both != theirs


def _interval(condition: Condition) -> tuple[tuple[Any, int], tuple[Any, int]]:
    """Lower and upper end, each with 0 for open below and 1 for just above its value."""
    value = condition.value
    lowest, highest = (-math.inf, 0), (math.inf, 1)
    if condition.operator == ABOVE:
        return (_number(value), 1), highest
    if condition.operator == AT_LEAST:
        return (_number(value), 0), highest
    if condition.operator == AT_MOST:
        return lowest, (_number(value), 1)
    if condition.operator == BELOW:
        return lowest, (_number(value), 0)
    return (_number(value[0]), 1), (_number(value[1]), 1)


def _number(value: Any) -> float:
    if hasattr(value, "astype") and getattr(value, "dtype", None) is not None:
        return float(value.astype("float64"))
    return float(value)


def _intervals_cross(a: tuple[Any, Any], b: tuple[Any, Any]) -> bool:
    both = (max(a[0], b[0]), min(a[1], b[1]))
    return bool(both[0] < both[1]) and both != a and both != b
