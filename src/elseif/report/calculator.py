"""The calculator: a page that asks for one case and shows the line that applies to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif import __version__
from elseif.conditions.condition import (
    BETWEEN,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    Condition,
    value_text,
)
from elseif.errors import ParamError
from elseif.export.disclosed import disclosed, disclosed_list
from elseif.model.consequent import consequent_interval
from elseif.posterior.rule_list import Rule, RuleList
from elseif.report.answer_cells import cells, condition_values, level_truth
from elseif.report.names import shown, spelt_out
from elseif.report.page import render_page
from elseif.report.sources import ListSource, list_source
from elseif.showing.list_text import count_text, enough_decimals, percent, shown_labels
from elseif.tables.columns import Kind
from elseif.tables.times import as_date

NOTE = (
    "Decision support, not a medical device. The estimate describes past cases that the same "
    "line applies to; it does not replace judgement."
)
LEVEL = 0.95
MOST_RADIOS = 5  # more categories than this are a drop-down list
SIGNS = {"<=": "≤", ">=": "≥", "!=": "≠"}


def calculator_page(
    model: Any,
    title: str | None = None,
    units: Mapping[str, str] | None = None,
    questions: Mapping[str, str] | None = None,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    note: str = NOTE,
    min_cell: int | None = None,
) -> str:
    """One self-contained HTML page that computes a list's answer for one case.

    Parameters
    ----------
    model : BayesianRuleListClassifier, Model or RuleList
        The list, or what holds it.
    title : str or None
        Title of the page.
    units, questions, ranges : dict or None
        By column: the unit of a number, the words to ask with, what to expect of a number.
    note : str
        The line at the foot and in print.
    min_cell : int or None
        Round every number of people to multiples of this; risks follow from rounded counts.

    Returns
    -------
    str
        The page.
    """
    if isinstance(model, RuleList):
        model = disclosed_list(model, min_cell)
    elif min_cell is not None:
        model = disclosed(model, min_cell)
    source = list_source(model)
    told: dict[str, Mapping[str, Any]] = {
        "units": units or {},
        "questions": questions or {},
        "ranges": ranges or {},
    }
    _check_columns(source, told)
    questions_asked = [
        _question(name, conditions, source, told)
        for name, conditions in conditions_by_column(source).items()
    ]
    places = shown_labels(source.rule_list)
    names = [source.rule_list.metadata.label_names[p] for p in places]
    if title is None:
        title = f"Probability of {names[0]}" if len(names) == 1 else "Calculator"
    shared = {
        "rules": _rules(source, questions_asked, places),
        "labels": [{"shown": shown(name), "full": spelt_out(name)} for name in names],
        "level": f"{100 * LEVEL:g}%",
    }
    context = {
        **shared,
        "title": title,
        "note": note,
        "questions": questions_asked,
        "stands_in": source.stands_in,
        "rounding": source.rule_list.metadata.rounding,
        "version": __version__,
    }
    data = {**shared, "columns": [question.data() for question in questions_asked]}
    return render_page("calculator.html", context, data)


def _rules(
    source: ListSource, questions: Sequence[Question], places: Sequence[int]
) -> list[dict[str, Any]]:
    """The lines of the list: their conditions by question, and what they lead to."""
    rule_list = source.rule_list
    asked = {question.name: i for i, question in enumerate(questions)}
    decimals = enough_decimals(rule_list, places, LEVEL)
    lines = []
    for j, rule in enumerate(rule_list):
        conditions = []
        for condition in rule.antecedent:
            question = questions[asked[condition.column]]
            conditions.append(
                {
                    "column": asked[condition.column],
                    "index": question.conditions.index(condition),
                    "text": condition_text(condition, question.unit),
                    "full": condition_text(condition, question.unit, whole=True),
                }
            )
        lines.append(
            {
                "head": _head(j, len(rule_list)),
                "conditions": conditions,
                "count": count_text(rule.n),
                "labels": [_consequent(rule, p, decimals) for p in places],
            }
        )
    return lines


def conditions_by_column(source: ListSource) -> dict[str, list[Condition]]:
    """The distinct conditions on each column, in the order in which the list asks."""
    found: dict[str, list[Condition]] = {}
    for antecedent in source.rule_list.antecedents:
        for condition in antecedent:
            conditions = found.setdefault(condition.column, [])
            if condition not in conditions:
                conditions.append(condition)
    return found


def condition_text(condition: Condition, unit: str | None = None, whole: bool = False) -> str:
    """A condition in a page: its names made visible, its numbers with their unit."""
    show = spelt_out if whole else shown
    name = show(condition.column)
    values = [show(value_text(value)) for value in condition_values(condition)]
    after = f" {show(unit)}" if unit else ""
    if condition.operator == TRUE:
        return name
    if condition.operator == FALSE:
        return f"not {name}"
    if condition.operator == MISSING:
        return f"{name} not recorded"
    if condition.operator == BETWEEN:
        return f"{values[0]} < {name} ≤ {values[1]}{after}"
    if condition.operator == ONE_OF:
        return f"{name} is {' or '.join(values)}{after}"
    sign = SIGNS.get(condition.operator, condition.operator)
    return f"{name} {sign} {values[0]}{after}"


@dataclass(frozen=True, eq=False)
class Question:
    """What the page asks of one column, and how answers meet the list's conditions."""

    name: str
    kind: Kind
    text: str
    unit: str | None
    range: tuple[float, float] | None
    levels: tuple[Any, ...]
    conditions: list[Condition]
    asks_missing: bool  # whether "not recorded" is an answer
    all_levels: bool  # whether the levels are all that training saw
    has_times: bool  # of a date: whether the time of day matters

    @property
    def widget(self) -> str:
        """The form element that fits."""
        if self.kind is Kind.BOOLEAN:
            return "radios"
        if self.kind in (Kind.CATEGORY, Kind.ORDERED):
            return "radios" if len(self.levels) <= MOST_RADIOS else "select"
        return "date" if self.kind is Kind.DATE else "number"

    @property
    def options(self) -> list[dict[str, str]]:
        """What can be chosen, but for "not recorded" and "unknown"."""
        if self.kind is Kind.BOOLEAN:
            return [_option(1, "yes"), _option(0, "no")]
        if self.kind not in (Kind.CATEGORY, Kind.ORDERED):
            return []
        texts = list(map(value_text, self.levels))
        if self.kind is Kind.CATEGORY:  # an order leaves no room for others
            texts.append("other")
        return [_option(place, text) for place, text in enumerate(texts)]

    @property
    def hint(self) -> str:
        """What is expected of a number."""
        if self.range is None:
            return ""
        low, high = map(value_text, self.range)
        return f"usually {low} to {high}{f' {self.unit}' if self.unit else ''}"

    @property
    def step(self) -> float:
        """How far an arrow key moves a number: as fine as the list's own thresholds."""
        values = [float(v) for c in self.conditions for v in condition_values(c)]
        steps = (1.0, 0.1, 0.01, 0.001)
        return next((s for s in steps if all(_is_multiple(v, s) for v in values)), 0.001)

    def data(self) -> dict[str, Any]:
        """What the page's script needs."""
        options = [option["shown"] for option in self.options]
        return {
            "name": self.name,
            "shown": shown(self.name),
            "kind": self.kind.value,
            "unit": self.unit or "",
            "options": options[::-1] if self.kind is Kind.BOOLEAN else options,
            "range": None if self.range is None else [float(v) for v in self.range],
            "step": self.step if self.kind is Kind.NUMERIC else None,
            "allLevels": self.all_levels,
            "conditions": [self._condition(c) for c in self.conditions],
            "cells": cells(self.conditions, self.kind, self.levels, self.all_levels),
        }

    def _condition(self, condition: Condition) -> dict[str, Any]:
        if self.kind in (Kind.CATEGORY, Kind.ORDERED):
            truth = level_truth(condition, self.levels)
            chosen = [i for i, is_true in enumerate(truth) if is_true]
            operator = MISSING if condition.operator == MISSING else "level"
            return {"operator": operator, "values": chosen}
        values: Iterable[Any] = condition_values(condition)
        to_json = date_text if self.kind is Kind.DATE else float
        return {"operator": condition.operator, "values": [to_json(v) for v in values]}


def _option(value: int, text: str) -> dict[str, str]:
    return {"value": str(value), "shown": shown(text), "full": spelt_out(text)}


def date_text(value: Any) -> str:
    """A date as text of fixed width, so that the order of texts is that of dates."""
    text = str(as_date(value))
    if len(text) != 26 or not text[0].isdigit():
        raise ParamError(f"A calculator cannot ask for dates such as {text}: years have 4 digits.")
    return text


def _question(
    name: str,
    conditions: list[Condition],
    source: ListSource,
    told: Mapping[str, Mapping[str, Any]],
) -> Question:
    kind = source.rule_list.metadata.kinds.get(name)
    if kind is None:
        raise ParamError(f"The list does not know the kind of its column {name!r}.")
    levels, all_levels = _levels(name, conditions, source)
    is_asked = any(condition.operator == MISSING for condition in conditions)
    values = [v for c in conditions for v in condition_values(c)]
    is_date = kind is Kind.DATE
    return Question(
        name=name,
        kind=kind,
        text=str(told["questions"].get(name, name)),
        unit=told["units"].get(name),
        range=told["ranges"].get(name),
        levels=levels if kind in (Kind.CATEGORY, Kind.ORDERED) else (),
        conditions=conditions,
        asks_missing=is_asked or source.may_be_missing(name),
        all_levels=all_levels,
        has_times=is_date and any(as_date(v) != _midnight(v) for v in values),
    )


def _midnight(value: Any) -> np.datetime64:
    return as_date(value).astype("datetime64[D]")


def _levels(
    name: str, conditions: Sequence[Condition], source: ListSource
) -> tuple[tuple[Any, ...], bool]:
    """The categories to offer, and whether they are all that training saw."""
    order = next((c.order for c in conditions if c.order is not None), None)
    told, are_all = source.levels(name)
    found = dict.fromkeys(order or told)
    for condition in conditions:
        found |= dict.fromkeys(condition_values(condition))
    return tuple(found), order is not None or are_all


def _check_columns(source: ListSource, told: Mapping[str, Mapping[str, Any]]) -> None:
    known = source.rule_list.metadata.kinds
    for what, by_column in told.items():
        for name in by_column:
            if name not in known:
                raise ParamError(f"{what}: the model has no column {name!r}.")
    for name, bounds in told["ranges"].items():
        if not (len(bounds) == 2 and float(bounds[0]) < float(bounds[1])):
            raise ParamError(f"ranges[{name!r}] is {bounds!r}; it must be (lowest, highest).")


def _consequent(rule: Rule, place: int, decimals: int) -> dict[str, Any]:
    low, high = consequent_interval(rule.label_counts, rule.pseudocounts, place, LEVEL)
    mean = float(rule.probabilities[place])
    texts = [percent(value, decimals) for value in (mean, low, high)]
    return {"risk": mean, "low": low, "high": high, "texts": texts}


def _head(j: int, n_rules: int) -> str:
    if n_rules == 0:
        return "always"
    return "else" if j == n_rules else "if" if j == 0 else "else if"


def _is_multiple(value: float, step: float) -> bool:
    size = abs(value)
    return size > 1e12 or abs(round(value / step) * step - value) <= 1e-9 * max(1.0, size)
