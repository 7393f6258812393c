"""The cells of a column: sets of values for which all conditions of a list agree."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date as calendar_date
from itertools import groupby, pairwise
from typing import Any

import numpy as np

from elseif.antecedents.display_labels import DisplayLabels
from elseif.conditions.condition import (
    BETWEEN,
    FALSE,
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    TRUE,
    Condition,
    quantity_text,
    value_text,
)
from elseif.phrases import joined
from elseif.posterior.rule_list import RuleList
from elseif.tables.columns import Column, Kind, boolean_column
from elseif.tables.times import as_date

DAY = 86_400_000_000  # microseconds
MOST_NAMED = 6  # categories spelt out in a cell's text


class AnotherCategory:
    """Stands for a category that neither the list nor the table of fit names."""

    def __repr__(self) -> str:
        return "another category"


ANOTHER = AnotherCategory()


@dataclass(frozen=True)
class Cell:
    """Values of one column that no condition of a list distinguishes.

    Numbers and dates form an interval, ``low`` to ``high``; the rest are listed in
    ``values``. ``truth`` says which of the list's conditions on the column hold.
    """

    column: str
    kind: Kind
    truth: tuple[bool, ...]
    text: str  # "above 60 and at most 70", "female", "true", "missing"
    example: Any  # a value of the cell; None for the cell of missing values
    values: tuple[Any, ...] = ()
    besides: tuple[Any, ...] = ()  # with ANOTHER among the values: what is in other cells
    low: Any = None
    high: Any = None
    includes_low: bool = False
    includes_high: bool = False

    @property
    def is_missing(self) -> bool:
        """Whether this is the cell of missing values."""
        return self.example is None

    def contains(self, value: Any) -> bool:
        """Whether a number, date, category or truth value lies in the cell."""
        if self.is_missing or value is None:
            return self.is_missing and value is None
        if self.kind in (Kind.NUMERIC, Kind.DATE):
            above = self.low is None or value > self.low
            below = self.high is None or value < self.high
            at_low = self.includes_low and value == self.low
            at_high = self.includes_high and value == self.high
            return bool((above or at_low) and (below or at_high))
        return value in self.values or (ANOTHER in self.values and value not in self.besides)


def list_conditions(rule_list: RuleList) -> dict[str, tuple[Condition, ...]]:
    """The distinct conditions of a list by column, in the order of the list."""
    by_column: dict[str, dict[Condition, None]] = {}
    for antecedent in rule_list.antecedents:
        for condition in antecedent:
            by_column.setdefault(condition.column, {})[condition] = None
    return {column: tuple(conditions) for column, conditions in by_column.items()}


def column_cells(
    rule_list: RuleList, levels: Mapping[str, Sequence[Any]] | None = None
) -> dict[str, tuple[Cell, ...]]:
    """The cells of every column that a list uses; the last one holds missing values.

    ``levels`` are the categories of a column, where they are known. Where they are not,
    a cell stands for whatever the list does not name.
    """
    kinds = rule_list.metadata.kinds
    return {
        name: cells_of_column(
            name, kinds.get(name) or guessed_kind(conditions), conditions, (levels or {}).get(name)
        )
        for name, conditions in list_conditions(rule_list).items()
    }


def cells_of_column(
    name: str, kind: Kind, conditions: Sequence[Condition], levels: Sequence[Any] | None = None
) -> tuple[Cell, ...]:
    """The cells of one column under some conditions on it; the last one holds missing values."""
    if kind is Kind.BOOLEAN:
        of_values = _boolean_cells(name, conditions)
    elif kind in (Kind.NUMERIC, Kind.DATE):
        of_values = _interval_cells(name, kind, conditions)
    else:
        of_values = _category_cells(name, kind, conditions, levels)
    return (*of_values, _missing_cell(name, kind, conditions))


def open_cells(cells: Sequence[Cell], conditions: Sequence[Condition]) -> tuple[Cell, ...]:
    """The cells that an unknown value may lie in.

    An unknown value exists and is not at hand, so it is not missing; but where a list asks
    whether a column is missing, that it is so is one of the answers.
    """
    asked = any(condition.operator == MISSING for condition in conditions)
    return tuple(cell for cell in cells if asked or not cell.is_missing)


def guessed_kind(conditions: Sequence[Condition]) -> Kind:
    """The kind of a column, inferred from the conditions on it alone."""
    for condition in conditions:
        if condition.operator in (TRUE, FALSE):
            return Kind.BOOLEAN
        if condition.operator == MISSING:
            continue
        if condition.order is not None and condition.operator in NUMERIC_OPERATORS:
            return Kind.ORDERED
        several = condition.operator in (ONE_OF, BETWEEN)
        value = condition.value[0] if several else condition.value
        if isinstance(value, (np.datetime64, calendar_date)):
            return Kind.DATE
        if isinstance(value, (int, float, np.number)):
            return Kind.NUMERIC
        return Kind.CATEGORY
    return Kind.CATEGORY


def _missing_cell(name: str, kind: Kind, conditions: Sequence[Condition]) -> Cell:
    truth = tuple(condition.operator == MISSING for condition in conditions)
    return Cell(name, kind, truth, "missing", None)


def _truths(column: Column, conditions: Sequence[Condition]) -> list[tuple[bool, ...]]:
    """Row by row, which conditions hold: by the code that predicts."""
    rows = np.stack([condition.holds(column) for condition in conditions], axis=1)
    return [tuple(row) for row in rows.tolist()]


def _boolean_cells(name: str, conditions: Sequence[Condition]) -> list[Cell]:
    column = boolean_column(name, np.array([True, False]))
    return [
        Cell(name, Kind.BOOLEAN, truth, "true" if value else "false", value, (value,))
        for value, truth in zip((True, False), _truths(column, conditions), strict=True)
    ]


# ------------------------------------------------------------------ numbers and dates


@dataclass(frozen=True)
class _Piece:
    """A break of a column, or what lies between two of them."""

    low: Any
    high: Any
    example: Any

    @property
    def is_break(self) -> bool:
        return self.low is not None and self.low == self.high


def _interval_cells(name: str, kind: Kind, conditions: Sequence[Condition]) -> list[Cell]:
    """Intervals between the breaks, joined if no condition distinguishes them."""
    is_date = kind is Kind.DATE
    breaks = sorted({number for c in conditions for number in _breaks(c, is_date)})
    pieces = list(_pieces(breaks, _date_between if is_date else _number_between))
    examples = np.array([piece.example for piece in pieces])
    numbers = examples.astype("datetime64[us]") if is_date else examples.astype(np.float64)
    truths = _truths(Column(name, kind, len(pieces), numbers=numbers), conditions)
    shown: Callable[[Any], Any] = _as_date if is_date else float
    cells = []
    for truth, group in groupby(zip(truths, pieces, strict=True), key=lambda pair: pair[0]):
        joined = [piece for _, piece in group]
        first, last = joined[0], joined[-1]
        bounds: dict[str, Any] = {
            "low": None if first.low is None else shown(first.low),
            "high": None if last.high is None else shown(last.high),
            "includes_low": first.is_break,
            "includes_high": last.is_break,
        }
        middle = next((piece for piece in joined if not piece.is_break), first)
        example = shown(middle.example)
        cells.append(Cell(name, kind, truth, _interval_text(is_date, **bounds), example, **bounds))
    return cells


def _breaks(condition: Condition, is_date: bool) -> Iterable[Any]:
    """The values of a condition, as numbers: dates are microseconds."""
    if condition.operator == MISSING:
        return ()
    several = condition.operator in (ONE_OF, BETWEEN)
    values = condition.value if several else (condition.value,)
    if is_date:
        return [int(as_date(value).astype(np.int64)) for value in values]
    return [float(value) for value in values]


def _pieces(breaks: Sequence[Any], between: Callable[[Any, Any], Any]) -> Iterable[_Piece]:
    """From the smallest value to the largest: between breaks where there is room, and breaks."""
    for low, high in pairwise([None, *breaks, None]):
        if low is not None:
            yield _Piece(low, low, low)
        example = between(low, high)
        if example is not None:
            yield _Piece(low, high, example)


def _number_between(low: float | None, high: float | None) -> float | None:
    """A number strictly between two, a round one if possible; None if there is none."""
    floor, ceiling = -math.inf if low is None else low, math.inf if high is None else high
    if low is None or high is None:
        plain = 0.0 if low is None and high is None else floor + 1 if high is None else ceiling - 1
    else:
        plain = low / 2 + high / 2
    next_up = math.nextafter(floor, math.inf)
    for candidate in (plain, next_up):
        if floor < candidate < ceiling and math.isfinite(candidate):
            return candidate
    next_down = math.nextafter(ceiling, -math.inf)
    return next_down if floor < next_down < ceiling and math.isfinite(next_down) else None


def _date_between(low: int | None, high: int | None) -> int | None:
    if low is None or high is None:
        return 0 if low is None and high is None else high - DAY if low is None else low + DAY  # type: ignore[operator]
    middle = (low + high) // 2
    return middle if low < middle < high else None


def _as_date(microseconds: int) -> np.datetime64:
    return np.datetime64(int(microseconds), "us")


def _interval_text(
    is_date: bool, low: Any, high: Any, includes_low: bool, includes_high: bool
) -> str:
    words = ("after", "on or after", "before", "on or before") if is_date else (
        "above", "at least", "below", "at most",
    )  # fmt: skip
    if low is None and high is None:
        return "any date" if is_date else "any number"
    if low is not None and low == high:
        return f"{'on' if is_date else 'exactly'} {quantity_text(low)}"
    parts = []
    if low is not None:
        parts.append(f"{words[includes_low]} {quantity_text(low, high)}")
    if high is not None:
        parts.append(f"{words[2 + includes_high]} {quantity_text(high, low)}")
    return " and ".join(parts)


# ------------------------------------------------------------------------ categories


def _category_cells(
    name: str, kind: Kind, conditions: Sequence[Condition], levels: Sequence[Any] | None
) -> list[Cell]:
    """Categories that no condition distinguishes; only adjacent ones, if they are ordered."""
    categories = _categories(conditions, levels)
    codes = np.arange(len(categories))
    column = Column(name, kind, len(categories), codes=codes, categories=categories)
    pairs = list(zip(_truths(column, conditions), categories, strict=True))
    if kind is not Kind.ORDERED:
        first = {truth: i for i, (truth, _) in reversed(list(enumerate(pairs)))}
        pairs.sort(key=lambda pair: first[pair[0]])  # stable: categories keep their order
    cells = []
    for truth, group in groupby(pairs, key=lambda pair: pair[0]):
        values = tuple(category for _, category in group)
        besides = tuple(c for c in categories if c not in values) if ANOTHER in values else ()
        text = _values_text(values, besides)
        cells.append(Cell(name, kind, truth, text, values[0], values, besides))
    return cells


def _categories(conditions: Sequence[Condition], levels: Sequence[Any] | None) -> tuple[Any, ...]:
    """All known categories, and one for all others unless all are known."""
    order = next((c.order for c in conditions if c.order is not None), None)
    known = dict.fromkeys(order or levels or ())
    for condition in conditions:
        if condition.operator != MISSING:
            several = condition.operator in (ONE_OF, BETWEEN)
            known |= dict.fromkeys(condition.value if several else (condition.value,))
    is_complete = order is not None or levels is not None
    return (*known,) if is_complete and known else (*known, ANOTHER)


def cells_text(cells: Sequence[Cell], display: DisplayLabels) -> str:
    """What a value must be to lie in one of some cells, which are neighbours if in order."""
    first, last = cells[0], cells[-1]
    if first.kind in (Kind.NUMERIC, Kind.DATE):
        is_date = first.kind is Kind.DATE
        unit = display.unit(first.column)
        return _interval_text(
            is_date, first.low, last.high, first.includes_low, last.includes_high
        ) + (f" {unit}" if unit and (first.low is not None or last.high is not None) else "")

    def name(value: Any) -> str:
        if isinstance(value, bool):
            return display.level(first.column, "true" if value else "false")
        return display.value(first.column, value)

    values = [value for cell in cells for value in cell.values]
    if ANOTHER in values:
        return " or ".join(_values_text(cell.values, cell.besides, name) for cell in cells)
    return _shortened([name(value) for value in values], "or")


def _values_text(
    values: Sequence[Any], besides: Sequence[Any], name: Callable[[Any], str] = value_text
) -> str:
    if ANOTHER in values:
        named = [name(value) for value in besides]
        return f"other than {_shortened(named, 'and')}" if named else "any category"
    return _shortened([name(value) for value in values], "or")


def _shortened(texts: Sequence[str], word: str) -> str:
    if len(texts) > MOST_NAMED:
        texts = [*texts[: MOST_NAMED - 1], f"{len(texts) - MOST_NAMED + 1} others"]
    return joined(texts, word)
