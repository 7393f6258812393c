"""A rule list in basic operations that every language has."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np

import elseif
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
    Condition,
)
from elseif.errors import ExportError
from elseif.fitted_model import FittedModel, as_model
from elseif.model.consequent import consequent_interval
from elseif.phrases import counted
from elseif.posterior.rule_list import RuleList
from elseif.showing.line_heads import line_head
from elseif.showing.numbers import count_text
from elseif.tables.columns import Kind
from elseif.tables.federated import federation_in_short
from elseif.tables.origin import SYNTHETIC, recalibration_sentence
from elseif.tables.times import as_date
from elseif.visible import show_name

BOOLEAN, NUMBER, TEXT, DATE = "boolean", "number", "text", "date"
MOST_TESTS, MOST_VALUES = 1_000, 100_000  # of a list: more are no program that anybody could run
SPOKEN = re.compile(r"[\w .,()%]{1,80}")  # safe in any language's comment


@dataclass(frozen=True)
class Test:
    """One of: is missing, is true, is false, in (values), !=, >, <=, >=, < (one value).

    Comparisons are of numbers (float) or dates; ordered categories have become "in", and so
    has "!=" of categories where the model names all of them. A missing value makes no test
    true but "is missing".
    """

    __test__ = False  # not for pytest

    column: str
    sort: str  # of the column's values
    operator: str
    values: tuple[Any, ...] = ()

    @property
    def value(self) -> Any:
        return self.values[0]


@dataclass(frozen=True)
class PlainRule:
    """Tests that must all be true, and what follows."""

    tests: tuple[Test, ...]
    probabilities: tuple[float, ...]
    label_counts: tuple[float, ...]
    pseudocounts: tuple[float, ...]
    words: str  # the rule as a person reads it, in one line

    def interval(self, position: int, level: float) -> tuple[float, float]:
        """The credible interval of the probability of the label at a place."""
        counts, pseudocounts = np.array(self.label_counts), np.array(self.pseudocounts)
        return consequent_interval(counts, pseudocounts, position, level)

    @property
    def n(self) -> float:
        return float(sum(self.label_counts))

    @property
    def best(self) -> int:
        """The index of the most probable label; the first in case of ties, as in predict."""
        return int(np.argmax(self.probabilities))


@dataclass(frozen=True)
class PlainList:
    """Rules in order, the default rule last; the columns that they look at; the labels."""

    rules: tuple[PlainRule, ...]
    labels: tuple[Any, ...]
    all_sorts: dict[str, str]  # of every column of the training table
    header: tuple[str, ...]  # for a comment: safe in every language

    @cached_property
    def sorts(self) -> dict[str, str]:
        """Columns that are looked at, in the order of the table, and what they hold."""
        used = {test.column for rule in self.rules for test in rule.tests}
        return {name: sort for name, sort in self.all_sorts.items() if name in used}


def plain_list(model: Any, which: str | None = None) -> PlainList:
    """The list "point", "map" or "projected", or the one that predicts, in plain words."""
    model = as_model(model)
    rule_list = model.chosen_list(which)
    sorts = {c.name: _sort(c) for c in model.fit_report.columns}
    rules = []
    for position, tests in enumerate(_all_tests(rule_list, sorts)):
        rule = rule_list.rules[position]
        words = f"{line_head(position, len(rule_list))} {show_name(rule.text)}"
        rules.append(
            PlainRule(
                tuple(tests),
                tuple(map(float, rule.probabilities)),
                tuple(map(float, rule.label_counts)),
                tuple(map(float, rule.pseudocounts)),
                words.strip(),
            )
        )
    labels = tuple(_label(label) for label in rule_list.classes.tolist())
    return PlainList(tuple(rules), labels, sorts, header(model, rule_list))


def header(model: FittedModel, rule_list: RuleList) -> tuple[str, ...]:
    """The header of every export, safe inside a comment."""
    outcome = model.metadata.outcome or ""
    of = f" for {outcome}" if SPOKEN.fullmatch(outcome) else ""
    names = ("point estimate", "most probable list", "projected list")
    what = next(name for name, each in zip(names, model.lists, strict=False) if each is rule_list)
    n = count_text(model.n)
    fingerprint = model.training.get("fingerprint")
    lines = [SYNTHETIC] if model.is_synthetic else []
    lines += [
        f"Bayesian rule list{of}: {what}, {counted(len(rule_list), 'rule')} and a default rule.",
        f"Probabilities are posterior means, learnt from {n} training cases.",
    ]
    if model.recalibrated is not None:
        lines.append(recalibration_sentence(model.recalibrated))
    if model.federation is not None:
        lines.append(federation_in_short(model.federation))
    if model.edited is not None and rule_list is model.rule_list:
        lines.append("The list was edited by hand after it was fitted.")
    if model.metadata.rounding is not None:
        lines.append(model.metadata.rounding.sentence)
    if fingerprint:
        lines.append(f"Training data: SHA-256 {fingerprint[:16]}.")
    return (*lines, f"Made by elseif {elseif.__version__}.")


def _all_tests(rule_list: RuleList, sorts: dict[str, str]) -> Iterator[list[Test]]:
    """The tests of each rule; ExportError where they are too many for a program or a query."""
    ranks = _Ranks()
    n_tests = n_values = 0
    for rule in rule_list.rules:
        tests: list[Test] = []
        for condition in rule.antecedent:
            of_condition = _tests(condition, sorts[condition.column], ranks)
            tests += of_condition
            n_tests += len(of_condition)
            n_values += sum(len(test.values) for test in of_condition)
            if n_tests > MOST_TESTS or n_values > MOST_VALUES:
                raise ExportError(
                    f"The list makes more than {MOST_TESTS:,} comparisons, or with more than "
                    f"{MOST_VALUES:,} values: too many for a program or a query."
                )
        yield tests


class _Ranks:
    """The ranks of categories; the conditions on a column share them."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[tuple[Any, ...], dict[Any, int]]] = {}

    def of(self, order: tuple[Any, ...]) -> dict[Any, int]:
        if id(order) not in self._known:
            # the order itself is kept, so that no other can have its id
            self._known[id(order)] = order, {c: rank for rank, c in enumerate(order)}
        return self._known[id(order)][1]


def _tests(condition: Condition, sort: str, ranks: _Ranks) -> list[Test]:
    """A condition as one test, or two for an interval."""
    name, operator = condition.column, condition.operator
    if operator in (MISSING, TRUE, FALSE):
        return [Test(name, sort, operator)]
    many = operator in (ONE_OF, BETWEEN)
    values: tuple[Any, ...] = condition.value if many else (condition.value,)
    if condition.order is not None and operator not in (EQUAL, ONE_OF):
        positions = [ranks.of(condition.order)[value] for value in values]
        levels = _levels(operator, positions, condition.order)
        return [Test(name, sort, ONE_OF, tuple(_typed(v, sort) for v in levels))]
    typed = tuple(_typed(v, sort) for v in values)
    if operator == BETWEEN:
        low, high = typed
        return [Test(name, sort, ABOVE, (low,)), Test(name, sort, AT_MOST, (high,))]
    return [Test(name, sort, ONE_OF if operator == EQUAL else operator, typed)]


def _levels(operator: str, positions: list[int], order: tuple[Any, ...]) -> tuple[Any, ...]:
    """The categories, of those seen in training, that satisfy a condition."""
    first = positions[0]
    if operator == UNEQUAL:
        return order[:first] + order[first + 1 :]
    parts = {
        ABOVE: slice(first + 1, None),
        AT_LEAST: slice(first, None),
        BELOW: slice(first),
        AT_MOST: slice(first + 1),
        BETWEEN: slice(first + 1, positions[-1] + 1),
    }
    return order[parts[operator]]


def _sort(column: ColumnReport) -> str:
    kind = column.kind
    if kind is Kind.BOOLEAN:
        return BOOLEAN
    if kind is Kind.DATE:
        return DATE
    if kind is Kind.NUMERIC:
        return NUMBER
    return {"boolean": BOOLEAN, "number": NUMBER}.get(column.levels_hold or "", TEXT)


def _typed(value: Any, sort: str) -> Any:
    if sort == NUMBER:
        try:
            number = float(value)
        except OverflowError:
            number = math.inf
        if not math.isfinite(number):
            raise ExportError(
                f"A rule compares with {str(value)[:40]}, which not every language can write."
            )
        if isinstance(value, Integral) and int(value) != number:
            raise ExportError(
                f"A rule compares with {value}, which is not a 64-bit float; other languages would "
                f"take it for {number!r}. Make text of the column."
            )
        return number
    if sort == BOOLEAN:
        return bool(value)
    return as_date(value) if sort == DATE else str(value)


def _label(label: Any) -> Any:
    """A label as a truth value, number or text; a date as its text."""
    return label if isinstance(label, (bool, int, float, str)) else str(label)


def date_parts(date: np.datetime64) -> str:
    """A date as YYYY-MM-DD HH:MM:SS.ffffff, which sorts as time does."""
    text = str(date.astype("datetime64[us]")).replace("T", " ")
    if not re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}", text) or text < "0001":
        raise ExportError(f"The date {text} is outside of the years 1 to 9999.")
    return text


def date_microseconds(date: np.datetime64) -> int:
    """Microseconds since the beginning of 1970."""
    return int(date.astype("datetime64[us]").astype(np.int64))
