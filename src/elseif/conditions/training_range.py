"""The range of a number or a date in training, without revealing any person's value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.cut_points import steps_below
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.tables.columns import Column, Kind
from elseif.tables.labels import Labels

MOST_LEFT_OUT = 20  # people at either end: a minimum cell is rarely larger
ROWS_FOR_EACH = 50  # of these one is left out at either end, within the bounds above
LEAST_STEPS = 5  # that a range has of the size that its ends are rounded to
DATE_UNITS = (("Y", 365), ("M", 30), ("D", 1))  # with their days


@dataclass(frozen=True)
class TrainingRange:
    """Where nearly all values of a column lay, its ends rounded outwards.

    Attributes
    ----------
    low : Any
        The lower end: a number, or the first day.
    high : Any
        The upper end: a number, or the last day.
    people : int
        At least this many values lay at or beyond each end before rounding.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> import numpy as np
    >>> ages = np.arange(400).reshape(-1, 1) % 83 + 18.0
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(ages, ages[:, 0] > 60)
    >>> clf.fit_report_.columns[0].range
    TrainingRange(low=10.0, high=100.0, people=8)
    """

    low: Any
    high: Any
    people: int


def training_range(column: Column, labels: Labels) -> TrainingRange | None:
    """The range of a column; None where there are too few values, or hardly any that differ.

    The lowest and the highest values are left out, so that no end is that of one person, and what
    is left is rounded outwards, so that few of those left out lie outside.
    """
    assert column.numbers is not None
    numbers = column.numbers
    counts = np.isfinite(numbers)
    counts &= labels.codes >= 0
    counts &= labels.weights > 0
    values = numbers[counts]
    n_values = labels.n_rows_of(counts)
    people = left_out_at_each_end(n_values)
    if people is None:
        return None
    positions = people - 1, n_values - people
    if labels.repeats is not None:
        order = np.argsort(values, kind="stable")
        passed = np.cumsum(labels.repeats[counts][order])
        low, high = values[order[np.searchsorted(passed, positions, side="right")]]
    else:
        values.partition(positions)  # a copy already: a column may fill half of the memory
        low, high = values[list(positions)]
    return range_between(low, high, column.kind, people)


def left_out_at_each_end(n_values: int) -> int | None:
    """How many values are left out at either end; None where there are too few for a range."""
    people = min(max(FEWEST_OF_A_LEVEL, n_values // ROWS_FOR_EACH), MOST_LEFT_OUT)
    return None if n_values < 4 * people else people


def range_between(low: Any, high: Any, kind: Kind, people: int) -> TrainingRange | None:
    """The range of a column whose values beyond two of them were left out."""
    if low == high:
        return None
    ends: tuple[Any, Any] | None
    ends = _whole_dates(low, high) if kind is Kind.DATE else _round_numbers(low, high)
    return None if ends is None else TrainingRange(ends[0], ends[1], people)


def _round_numbers(low: float, high: float) -> tuple[float, float] | None:
    """Two numbers rounded outwards to a round step, unless they are too large to be."""
    low, high = float(low), float(high)
    spread = high - low
    if not math.isfinite(spread):
        return None
    # a step below the numbers' own precision would round nothing
    steps = steps_below(max(spread / LEAST_STEPS, 1e-15 * max(abs(low), abs(high))))
    exponent, step = next(steps, (0, 0.0))
    if not step:
        return None
    digits = max(0, -exponent)
    first, last = math.floor(low / step) * step, math.ceil(high / step) * step
    if not (math.isfinite(first) and math.isfinite(last)):
        return None
    return float(round(first, digits)), float(round(last, digits))


def _whole_dates(low: np.datetime64, high: np.datetime64) -> tuple[np.datetime64, np.datetime64]:
    """Two dates rounded outwards to whole years, months or days: first day and last day."""
    days = (high - low) / np.timedelta64(1, "D")
    unit = next((unit for unit, size in DATE_UNITS if days >= LEAST_STEPS * size), "D")
    first = low.astype(f"datetime64[{unit}]").astype("datetime64[D]")
    after = high.astype(f"datetime64[{unit}]") + np.int64(1).astype(f"timedelta64[{unit}]")
    last = after.astype("datetime64[D]") - np.timedelta64(1, "D")
    return first.astype("datetime64[us]"), last.astype("datetime64[us]")
