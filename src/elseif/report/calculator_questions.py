"""The questions of a calculator: one for each column that its lists use.

The words of a question and of its answers are made here alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from elseif.antecedents.display_labels import DisplayLabels
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import MISSING, Condition, is_grouped, quantity_text
from elseif.conditions.training_range import TrainingRange
from elseif.errors import ParamError
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import RuleList
from elseif.report.answer_cells import cells, condition_values, level_truth
from elseif.report.names import shown, spelt_out
from elseif.tables.columns import Kind
from elseif.tables.times import as_date

MOST_RADIOS = 5  # more categories than this are a drop-down list
NOT_KNOWN, NOT_RECORDED = "not known", "not recorded"


@dataclass(frozen=True, eq=False)
class AskedColumn:
    """A column of one model's list: its conditions, and what training saw of it."""

    name: str
    kind: Kind
    conditions: list[Condition]
    levels: tuple[Any, ...]
    all_levels: bool  # whether the levels are all that training saw
    range: TrainingRange | None
    display: DisplayLabels  # the words for its name and values

    @property
    def asks_missing(self) -> bool:
        """Whether the list has a line for a value that is missing."""
        return any(condition.operator == MISSING for condition in self.conditions)

    def data(self, position: int, levels: Sequence[Any]) -> dict[str, Any]:
        """What the page's script needs of a question, by its index, with the offered levels."""
        return {
            "question": position,
            "name": self.name,
            "conditions": [self._condition(c, levels) for c in self.conditions],
            "cells": cells(self.conditions, self.kind, self.levels, self.all_levels),
        }

    def _condition(self, condition: Condition, levels: Sequence[Any]) -> dict[str, Any]:
        if self.kind in (Kind.CATEGORY, Kind.ORDERED):
            truth = level_truth(condition, levels)
            chosen = [i for i, is_true in enumerate(truth) if is_true]
            operator = MISSING if condition.operator == MISSING else "level"
            return {"operator": operator, "values": chosen}
        values: Iterable[Any] = condition_values(condition)
        to_json = date_text if self.kind is Kind.DATE else float
        return {"operator": condition.operator, "values": [to_json(v) for v in values]}


def asked_columns(model: FittedModel, rule_list: RuleList) -> list[AskedColumn]:
    """The columns that a list asks for, in the order in which it does."""
    return [
        _asked_column(name, conditions, model)
        for name, conditions in conditions_by_column(rule_list).items()
    ]


def conditions_by_column(rule_list: RuleList) -> dict[str, list[Condition]]:
    """The distinct conditions on each column, in the order in which the list asks."""
    by_column: dict[str, list[Condition]] = {}
    for antecedent in rule_list.antecedents:
        for condition in antecedent:
            conditions = by_column.setdefault(condition.column, [])
            if condition not in conditions:
                conditions.append(condition)
    return by_column


def _asked_column(name: str, conditions: list[Condition], model: FittedModel) -> AskedColumn:
    kind = model.metadata.kinds.get(name)
    if kind is None:
        raise ParamError(f"The list does not know the kind of its column {name!r}.")
    column = model.column(name)
    levels, all_levels = _levels(conditions, column)
    return AskedColumn(
        name=name,
        kind=kind,
        conditions=conditions,
        levels=levels if kind in (Kind.CATEGORY, Kind.ORDERED) else (),
        all_levels=all_levels,
        range=None if column is None else column.range,
        display=model.metadata.display,
    )


def _levels(
    conditions: Sequence[Condition], column: ColumnReport | None
) -> tuple[tuple[Any, ...], bool]:
    """The categories to offer, and whether they are all that training saw."""
    order = next((c.order for c in conditions if c.order is not None), None)
    seen = () if column is None else column.levels
    levels = dict.fromkeys(order or seen)
    for condition in conditions:
        levels |= dict.fromkeys(condition_values(condition))
    are_all = column is not None and bool(seen) and not column.n_other_levels
    return tuple(levels), order is not None or are_all


@dataclass(frozen=True)
class ExpectedRange:
    """The expected range of a value, and the remark on values outside it."""

    low: Any
    high: Any
    unit: str | None
    models: tuple[str, ...] | None  # of whose training data; None for a range given by the user

    @property
    def text(self) -> str:
        """The range with its unit."""
        after = f" {shown(self.unit)}" if self.unit else ""
        low, high = quantity_text(self.low, self.high), quantity_text(self.high, self.low)
        return f"{low} to {high}{after}"

    @property
    def hint(self) -> str:
        """What to expect, before a value is given."""
        if self.models is None:
            return f"Usually {self.text}"
        return f"Most training data{self._of()}: {self.text}"

    @property
    def remark(self) -> str:
        """The remark on a value outside the range."""
        if self.models is None:
            return f"Outside {self.text}, the range to expect: please check."
        return f"Outside {self.text}, the range of most training data{self._of()}."

    def _of(self) -> str:
        return f" of {' and '.join(map(shown, self.models))}" if self.models else ""

    def data(self) -> dict[str, Any]:
        """The ends of the range, and the remark on values outside it."""
        is_date = isinstance(self.low, np.datetime64)
        ends = [date_text(v)[:10] if is_date else float(v) for v in (self.low, self.high)]
        return {"low": ends[0], "high": ends[1], "remark": self.remark}


@dataclass(frozen=True, eq=False)
class Question:
    """What the page asks of one column, and in which words it is answered."""

    name: str
    kind: Kind
    text: str
    unit: str | None
    columns: list[AskedColumn]  # of each model that asks for it
    ranges: list[ExpectedRange]
    levels: tuple[Any, ...] = field(init=False)

    def __post_init__(self) -> None:
        levels = dict.fromkeys(level for column in self.columns for level in column.levels)
        object.__setattr__(self, "levels", tuple(levels))

    @property
    def display(self) -> DisplayLabels:
        """The words for its name and values: those of the first model that asks for it."""
        return self.columns[0].display

    @property
    def widget(self) -> str:
        """The form element that fits."""
        if self.kind is Kind.BOOLEAN:
            return "radios"
        if self.kind in (Kind.CATEGORY, Kind.ORDERED):
            return "radios" if len(self.levels) <= MOST_RADIOS else "select"
        return "date" if self.kind is Kind.DATE else "number"

    @property
    def not_known(self) -> dict[str, str]:
        """The one answer of those who cannot give a value.

        Where a list has a line for what is not recorded, that is the answer, and the line is
        reached; elsewhere any value stays possible.
        """
        if any(column.asks_missing for column in self.columns):
            return {"value": "missing", "text": NOT_RECORDED}
        return {"value": "not known", "text": NOT_KNOWN}

    @property
    def options(self) -> list[dict[str, str]]:
        """The values that can be chosen; "other" where training saw more categories than these."""
        if self.kind is Kind.BOOLEAN:
            words = [self.display.truth(self.name, truth) for truth in (True, False)]
            return [_option(1, words[0] or "yes"), _option(0, words[1] or "no")]
        if self.kind not in (Kind.CATEGORY, Kind.ORDERED):
            return []
        texts = [self.display.value(self.name, level) for level in self.levels]
        has_others = any(not column.all_levels for column in self.columns)
        if self.kind is Kind.CATEGORY and has_others:  # an order leaves no room for others
            texts.append("none of these" if "other" in texts else "other")
        return [_option(position, text) for position, text in enumerate(texts)]

    @property
    def hint(self) -> str:
        """The expected range of a number or a date."""
        return "; ".join(each.hint for each in self.ranges)

    @property
    def has_times(self) -> bool:
        """Of a date: whether the time of day matters."""
        dates = map(as_date, self._values()) if self.kind is Kind.DATE else ()
        return any(date != date.astype("datetime64[D]") for date in dates)

    @property
    def step(self) -> float:
        """The step of arrow keys for a number: as fine as the lists' own thresholds."""
        values = list(map(float, self._values()))
        steps = (1.0, 0.1, 0.01, 0.001)
        return next((s for s in steps if all(_is_multiple(v, s) for v in values)), 0.001)

    @property
    def is_grouped(self) -> bool:
        """Whether the page shows numbers of this column with their thousands set apart."""
        ends = [end for each in self.ranges for end in (each.low, each.high)]
        return self.kind is Kind.NUMERIC and any(map(is_grouped, (*self._values(), *ends)))

    def _values(self) -> list[Any]:
        """What the lists compare the column with."""
        conditions = [c for column in self.columns for c in column.conditions]
        return [value for c in conditions for value in condition_values(c)]

    def data(self) -> dict[str, Any]:
        """What the page's script needs."""
        options = [option["shown"] for option in self.options]
        return {
            "name": self.name,
            "shown": shown(self.display.column(self.name)),
            "kind": self.kind.value,
            "unit": shown(self.unit) if self.unit else "",
            "options": options[::-1] if self.kind is Kind.BOOLEAN else options,
            "notKnown": self.not_known["text"],
            "ranges": [each.data() for each in self.ranges],
            "grouped": self.is_grouped,
            "step": self.step if self.kind is Kind.NUMERIC else None,
        }


def ask(
    lists: Sequence[tuple[str, Sequence[AskedColumn]]], wording: Mapping[str, Mapping[str, Any]]
) -> list[Question]:
    """The questions of several models, by name, each column once.

    A column that two models read in different ways (as a number and as a category, say) is asked
    for in each way.
    """
    columns: dict[tuple[str, Kind], list[tuple[str, AskedColumn]]] = {}
    for model, asked in lists:
        for column in asked:
            columns.setdefault((column.name, column.kind), []).append((model, column))
    names = [name for name, _ in columns]
    questions = []
    for (name, kind), asking in columns.items():
        display = asking[0][1].display
        text = str(wording["questions"].get(name) or display.question(name) or display.column(name))
        if names.count(name) > 1:
            text = f"{text} ({', '.join(shown(model) for model, _ in asking)})"
        unit = wording["units"].get(name, display.unit(name))
        ranges = _ranges(name, kind, asking, wording, unit)
        questions.append(Question(name, kind, text, unit, [c for _, c in asking], ranges))
    return questions


def _ranges(
    name: str,
    kind: Kind,
    asking: Sequence[tuple[str, AskedColumn]],
    wording: Mapping[str, Mapping[str, Any]],
    unit: str | None,
) -> list[ExpectedRange]:
    """The given range, or those of training, which name their models if they differ."""
    if name in wording["ranges"]:
        return [ExpectedRange(*range_ends(name, kind, wording["ranges"][name]), unit, None)]
    models: dict[tuple[Any, Any], list[str]] = {}
    for model, column in asking:
        if column.range is not None:
            models.setdefault((column.range.low, column.range.high), []).append(model)
    return [
        ExpectedRange(low, high, unit, tuple(of) if len(models) > 1 else ())
        for (low, high), of in models.items()
    ]


def range_ends(name: str, kind: Kind, bounds: Any) -> tuple[Any, Any]:
    """The ends of a range given for a column."""
    if kind not in (Kind.NUMERIC, Kind.DATE):
        raise ParamError(f"ranges: column {name!r} is {kind}; only numbers and dates have a range.")
    convert: Callable[[Any], Any] = as_date if kind is Kind.DATE else float
    ends = bounds if isinstance(bounds, (tuple, list)) else [bounds]
    wrong = ParamError(
        f"ranges: column {name!r} has {' and '.join(map(repr, ends))}; give two "
        f"{'dates' if kind is Kind.DATE else 'numbers'}, the lower one first."
    )
    try:
        low, high = map(convert, bounds)
    except (TypeError, ValueError) as error:
        raise wrong from error
    if not low < high:
        raise wrong
    return low, high


def _option(value: int, text: str) -> dict[str, str]:
    return {"value": str(value), "shown": shown(text), "full": spelt_out(text)}


def date_text(value: Any) -> str:
    """A date as text of fixed width, so that the order of texts is that of dates."""
    text = str(as_date(value))
    if len(text) != 26 or not text[0].isdigit():
        raise ParamError(f"A calculator cannot ask for dates such as {text}: years have 4 digits.")
    return text


def _is_multiple(value: float, step: float) -> bool:
    size = abs(value)
    return size > 1e12 or abs(round(value / step) * step - value) <= 1e-9 * max(1.0, size)
