"""Antecedent: a conjunction of conditions, in canonical order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from elseif.conditions.condition import ABOVE, AT_MOST, BETWEEN, Condition


class Antecedent(tuple[Condition, ...]):
    """Conditions that must all be true; empty for the default rule.

    Parameters
    ----------
    conditions : iterable of Condition, default=()
        The conditions, in any order.

    Examples
    --------
    >>> from elseif.antecedents import Antecedent
    >>> from elseif.conditions import Condition
    >>> both = Antecedent([Condition("smoker", "is true"), Condition("age", ">", 60)])
    >>> both.name, both.cardinality
    ('age > 60 and smoker', 2)
    """

    __slots__ = ()

    def __new__(cls, conditions: Iterable[Condition] = ()) -> Antecedent:
        return super().__new__(cls, sorted(conditions, key=Condition.sort_key))

    @property
    def cardinality(self) -> int:
        """Number of conditions."""
        return len(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the conditions are about."""
        return tuple(dict.fromkeys(condition.column for condition in self))

    @property
    def name(self) -> str:
        """The conjunction as a person would write it; two thresholds make an interval."""
        return " and ".join(self.parts)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts that the name joins, so that it need not be parsed."""
        return tuple(condition.name for condition in with_intervals(self))

    def __str__(self) -> str:
        return self.name

    def __repr__(self) -> str:
        return f"Antecedent({self.name!r})"


def with_intervals(conditions: Iterable[Condition]) -> list[Condition]:
    """Conditions for display: "age > 60" and "age <= 70" become "60 < age <= 70"."""
    shown: list[Condition] = []
    open_ended: dict[str, deque[int]] = {}  # places of "above" by column, the first first
    for condition in conditions:
        positions = open_ended.setdefault(condition.column, deque())
        if condition.operator == AT_MOST and positions:
            position = positions.popleft()
            bounds = (shown[position].value, condition.value)
            shown[position] = Condition(condition.column, BETWEEN, bounds, condition.order)
            continue
        if condition.operator == ABOVE:
            positions.append(len(shown))
        shown.append(condition)
    return shown
