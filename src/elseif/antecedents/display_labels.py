"""Display labels: the words in which people read columns, units, levels, outcomes and conditions.

Texts, pages, figures and exports for people get their wording here. What programs read (SQL, PMML,
code, data frames) keeps the names of the columns, as ``Condition.name`` has them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, combinations, permutations
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent, with_intervals
from elseif.conditions.condition import (
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
    Condition,
    quantity_text,
    value_text,
)
from elseif.tables.labels import YES_OR_NO

# names of true and false that say nothing without the column's name
ANSWERS = {
    *chain(*YES_OR_NO), *("present", "absent", "positive", "negative", "known", "0", "1")
}  # fmt: skip
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠"}
MOST_NAMED_TOGETHER = 4  # conditions that one name may stand for
MOST_LOOKED_AT = 16  # conditions of a rule that names are looked for among


@dataclass(frozen=True)
class ColumnLabels:
    """How a column is shown.

    Attributes
    ----------
    name : str | None
        Its name.
    unit : str | None
        The unit of its numbers.
    question : str | None
        How the calculator asks for it.
    levels : Mapping[str, str]
        Names of its levels; of a boolean column, what "true" and "false" mean.
    """

    name: str | None = None
    unit: str | None = None
    question: str | None = None
    levels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class OutcomeLabels:
    """How the outcome is shown.

    Attributes
    ----------
    name : str | None
        What has a probability, such as "survival".
    event, no_event : str | None
        Of two labels, the words for the last one and for the first, such as "survived", "died".
    labels : Mapping[str, str]
        Names of labels.
    """

    name: str | None = None
    event: str | None = None
    no_event: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class DisplayLabels:
    """How columns, conditions and the outcome of a model are worded for people.

    Attributes
    ----------
    columns : Mapping[str, ColumnLabels]
        By column.
    outcome : OutcomeLabels
        The outcome.
    conditions : Mapping[str, str]
        Names of conditions, or of several that hold together.

    Examples
    --------
    >>> from elseif.antecedents import Antecedent
    >>> from elseif.antecedents.display_labels import ColumnLabels, DisplayLabels
    >>> from elseif.conditions import Condition
    >>> high = Antecedent([Condition("k", "<=", 3), Condition("smoker", "is true")])
    >>> DisplayLabels().text(high)
    'k ≤ 3 and smoker'
    >>> DisplayLabels({"k": ColumnLabels("Potassium", "mmol/L")}).text(high)
    'Potassium ≤ 3 mmol/L and smoker'
    """

    columns: Mapping[str, ColumnLabels] = field(default_factory=dict)
    outcome: OutcomeLabels = field(default_factory=OutcomeLabels)
    conditions: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.columns or self.conditions or self.outcome != OutcomeLabels())

    # --------------------------------------------------------------------- columns

    def column(self, name: str) -> str:
        """The name to show for a column."""
        return self._column(name).name or name

    def unit(self, name: str) -> str | None:
        """The unit of a column's numbers."""
        return self._column(name).unit

    def without(self, names: Collection[str]) -> DisplayLabels:
        """The same without the labels of some columns."""
        columns = {name: each for name, each in self.columns.items() if name not in names}
        return replace(self, columns=columns)

    def with_unit(self, name: str, unit: str | None) -> DisplayLabels:
        """The same with another unit for a column."""
        columns = {**self.columns, name: replace(self._column(name), unit=unit)}
        return replace(self, columns=columns)

    def question(self, name: str) -> str | None:
        """How to ask for a column's value."""
        return self._column(name).question

    def value(self, column: str, value: Any) -> str:
        """A value of a column, by its name where it has one; without unit."""
        return self._column(column).levels.get(level_key(value)) or value_text(value)

    def size(self, column: str, value: Any, *beside: Any) -> str:
        """A value of a column that is compared by size, maybe beside others."""
        return self._column(column).levels.get(level_key(value)) or quantity_text(value, *beside)

    def level(self, column: str, text: str) -> str:
        """A level of a column, given as text."""
        return self._column(column).levels.get(text, text)

    def truth(self, column: str, truth: bool) -> str | None:
        """What true or false mean in a boolean column, where that was said."""
        return self._column(column).levels.get("true" if truth else "false")

    def _column(self, name: str) -> ColumnLabels:
        return self.columns.get(name) or _NO_LABELS

    # ------------------------------------------------------------------ conditions

    def condition(
        self, condition: Condition, show: Callable[[str], str] = str, in_form: bool = False
    ) -> str:
        """A condition as a person reads it.

        ``show`` makes each name fit for where it is shown; ``in_form`` is true where the condition
        stands alone beside a question, so that "or" joins no other condition.
        """
        named = self.conditions.get(condition.name) if self.conditions else None
        if named is not None:
            return show(named)
        column, operator = condition.column, condition.operator
        name = show(self.column(column))
        if operator in (TRUE, FALSE):
            truth = self.truth(column, operator == TRUE)
            if truth and truth.casefold() in ANSWERS:  # "yes" alone does not say to what
                return f"{name} = {show(truth)}"
            return show(truth) if truth else name if operator == TRUE else f"not {name}"
        if operator == MISSING:
            return f"{name} not recorded" if in_form else f"{name} is missing"
        several = operator in (ONE_OF, BETWEEN)
        values = condition.value if several else (condition.value,)
        if operator in (EQUAL, UNEQUAL, ONE_OF):
            texts = [show(self.value(column, value)) for value in values]
        else:
            texts = [show(self.size(column, value, *values)) for value in values]
        unit = self.unit(column)
        after = f" {show(unit)}" if unit else ""
        if operator == BETWEEN:
            return f"{texts[0]} < {name} ≤ {texts[1]}{after}"
        if operator == ONE_OF and in_form:
            return f"{name} is {' or '.join(texts)}{after}"
        if operator == ONE_OF:
            return f"{name} in {{{', '.join(texts)}}}{after}"
        return f"{name} {SIGNS.get(operator, operator)} {texts[0]}{after}"

    def parts(
        self, antecedent: Sequence[Condition], show: Callable[[str], str] = str
    ) -> tuple[str, ...]:
        """The conditions of an antecedent, each as a person reads it; some together by one name."""
        shown = with_intervals(antecedent)
        if not self.conditions:
            return tuple(self.condition(condition, show) for condition in shown)
        named, left = self._named_together(list(shown))
        return tuple(
            show(named[i]) if i in named else self.condition(shown[i], show)
            for i in range(len(shown))
            if i in named or i in left
        )

    def text(self, antecedent: Sequence[Condition], show: Callable[[str], str] = str) -> str:
        """An antecedent as a person reads it; empty for the default rule."""
        return " and ".join(self.parts(antecedent, show))

    def _named_together(self, shown: list[Condition]) -> tuple[dict[int, str], set[int]]:
        """Names of several conditions by the position of the first, and positions of the others."""
        named: dict[int, str] = {}
        left = set(range(len(shown)))
        # those that a name speaks of; a forged rule may have thousands of conditions
        near = [i for i, c in enumerate(shown) if any(c.name in key for key in self.conditions)]
        near = near[:MOST_LOOKED_AT]
        for size in range(min(len(near), MOST_NAMED_TOGETHER), 0, -1):
            for positions in combinations(near, size):
                if not left.issuperset(positions):
                    continue
                keys = spellings([shown[i] for i in positions])
                name = next((self.conditions[key] for key in keys if key in self.conditions), None)
                if name is not None:
                    named[positions[0]] = name
                    left.difference_update(positions)
        return named, left

    # --------------------------------------------------------------------- outcome

    def label_names(self, labels: Sequence[Any], names: Sequence[str]) -> tuple[str, ...]:
        """The names of the labels, given those that they have without display labels."""
        outcome = self.outcome
        shown = [
            outcome.labels.get(level_key(label), name)
            for label, name in zip(labels, names, strict=True)
        ]
        if len(shown) == 2:
            shown = [outcome.no_event or shown[0], outcome.event or shown[1]]
        return tuple(shown)

    def for_lists(self, antecedents: Sequence[Antecedent]) -> DisplayLabels:
        """What concerns some rules alone: no level and no condition that they do not name."""
        used: dict[str, set[str]] = {}
        for condition in (c for antecedent in antecedents for c in antecedent):
            levels = used.setdefault(condition.column, {"true", "false"})
            values = condition.value if isinstance(condition.value, tuple) else (condition.value,)
            levels.update(level_key(value) for value in (*values, *(condition.order or ())))
        columns = {
            name: replace(
                labels, levels={k: v for k, v in labels.levels.items() if k in used.get(name, ())}
            )
            for name, labels in self.columns.items()
        }
        keys = {
            key
            for antecedent in antecedents
            for size in range(1, min(len(antecedent), MOST_NAMED_TOGETHER) + 1)
            for some in combinations(with_intervals(antecedent), size)
            for key in spellings(some)
        }
        conditions = {key: name for key, name in self.conditions.items() if key in keys}
        return replace(self, columns=columns, conditions=conditions)


def level_key(value: Any) -> str:
    """A level or a label as a labels file writes it."""
    return str(bool(value)).lower() if isinstance(value, (bool, np.bool_)) else value_text(value)


def spellings(conditions: Sequence[Condition]) -> Iterator[str]:
    """The ways to write some conditions that hold together, one for each order."""
    for order in permutations(conditions):
        yield " and ".join(condition.name for condition in order)


_NO_LABELS = ColumnLabels()
