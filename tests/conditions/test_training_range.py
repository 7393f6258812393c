"""The range of a number or a date in training, which tells nobody's own value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from elseif.conditions.binarise import Binarising, ColumnReport, binarise
from elseif.conditions.training_range import TrainingRange
from elseif.tables.labels import read_labels
from elseif.tables.reading import read_table


def report_on(values: object, y: object = None, weights: object = None) -> ColumnReport:
    """What fit writes down of one column."""
    X = pd.DataFrame({"x": values})
    labels = read_labels(np.arange(len(X)) % 2 if y is None else y, weights, False, None)
    return binarise(read_table(X), labels, Binarising()).columns[0]


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("n", [30, 400, 3000])
def test_the_ends_are_nobodys_own_values(seed: int, n: int) -> None:
    """Enough people lie beyond each end before it is rounded, and hardly any outside it."""
    rng = np.random.default_rng(seed)
    scale = 10.0 ** rng.integers(-6, 9)
    values = scale * (rng.normal(rng.normal(), 1, n) if seed % 2 else rng.lognormal(0, 1, n))
    interval = report_on(values).range
    assert interval is not None
    assert 5 <= interval.people <= 20
    ordered = np.sort(values)
    low, high = ordered[interval.people - 1], ordered[-interval.people]
    assert interval.low <= low < high <= interval.high
    assert np.mean((values < interval.low) | (values > interval.high)) <= 2 * interval.people / n
    # round: at most two digits of the size of the spread
    step = 10.0 ** (np.floor(np.log10(high - low)) - 1)
    for end in (interval.low, interval.high):
        assert end / step == pytest.approx(round(end / step), abs=1e-6)
    # the extremes of two people do not show
    moved = values.copy()
    moved[np.argmax(values)] *= 1 + rng.random()
    assert report_on(moved).range == interval


@pytest.mark.parametrize(
    ("hours", "low", "high"),
    [
        (24 * 3000, "2015-01-01", "2023-12-31"),
        (24 * 300, "2015-03-01", "2015-12-31"),
        (80, "2015-03-04", "2015-03-07"),
    ],
)
def test_dates_are_whole_years_months_or_days(hours: int, low: str, high: str) -> None:
    """As coarse as the spread allows, the last day included."""
    start = np.datetime64("2015-03-04T10:00", "us")
    times = start + (np.linspace(0, hours * 3600, 600) * 1e6).astype("timedelta64[us]")
    interval = report_on(times).range
    assert interval is not None
    assert [str(end) for end in (interval.low, interval.high)] == [
        f"{day}T00:00:00.000000" for day in (low, high)
    ]


def test_no_range_where_it_would_tell_too_much_or_nothing() -> None:
    """Of few values, of nearly constant ones, of categories and of booleans there is none."""
    assert report_on(np.arange(19.0)).range is None
    assert report_on(np.r_[np.zeros(96), 1.0, 2.0, 3.0, 4.0]).range is None
    assert report_on(["a", "b"] * 50).range is None
    assert report_on([True, False] * 50).range is None


def test_only_rows_that_count() -> None:
    """Missing and infinite values, and rows without weight, do not widen it."""
    values = np.r_[np.arange(200.0) // 2, np.full(60, 1e6), np.full(20, np.nan)]
    weights = np.r_[np.ones(200), np.zeros(60), np.ones(20)]
    assert report_on(values, weights=weights).range == TrainingRange(0.0, 100.0, 5)
    ends = report_on(values).range
    assert ends is not None
    assert ends.high == 1e6
