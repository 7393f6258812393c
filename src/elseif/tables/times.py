"""Dates and durations as columns hold them: to the microsecond, in UTC, in days."""

from __future__ import annotations

import datetime
import re
from typing import Any

import numpy as np

from elseif.errors import DataError

ISO_DATE = re.compile(
    r"[+-]?\d{4,6}(-\d{2}(-\d{2}([T ]\d{2}(:\d{2}(:\d{2}(\.\d{1,9})?)?)?)?)?)?", re.ASCII
)
MICROSECONDS_A_DAY = 86_400_000_000.0
FINER = ("ns", "ps", "fs", "as")  # units of which microseconds hold all, with fewer digits
NO_FIXED_LENGTH = ("Y", "M", "generic")  # units of durations that are no number of days


def as_date(value: Any) -> np.datetime64:
    """A date from text, a date or a time; ValueError for anything else."""
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)  # as columns are read
    if not isinstance(value, (str, datetime.date, np.datetime64)):
        raise ValueError(f"{value!r} is not a date")  # NumPy would count a number from 1970
    if isinstance(value, str) and not ISO_DATE.fullmatch(value):
        raise ValueError(f"{value!r} is not a date")  # NumPy knows "now", which is another each day
    if hasattr(value, "to_datetime64"):  # of pandas, which has years that Python has not
        value = value.to_datetime64()
    given = np.array([np.datetime64(value)])
    if np.isnat(given[0]) or _beyond(given)[0]:
        raise ValueError(f"{value!r} is not a date, or beyond the 292,000 years around 1970")
    date: np.datetime64 = given.astype("datetime64[us]")[0]
    return date


def dates_to_microseconds(dates: np.ndarray, name: str) -> np.ndarray:
    """Dates of any unit to the microsecond; those that microseconds cannot count are refused."""
    _refuse_beyond(dates, name)
    return dates.astype("datetime64[us]", copy=False)


def durations_to_days(durations: np.ndarray, name: str) -> np.ndarray:
    """Durations of any unit as numbers of days, NaN where missing."""
    unit, _ = np.datetime_data(durations.dtype)
    if unit in NO_FIXED_LENGTH and not np.isnat(durations).all():
        what = {"Y": "years", "M": "months"}.get(unit, "durations without a unit")
        raise DataError(
            f"Column {name!r} holds {what}, which are not a fixed number of days. Convert it to "
            "days, or to a number."
        )
    _refuse_beyond(durations, name)
    microseconds = durations.astype("timedelta64[us]")
    return np.where(
        np.isnat(microseconds), np.nan, microseconds.astype(np.int64) / MICROSECONDS_A_DAY
    )


def _refuse_beyond(given: np.ndarray, name: str) -> None:
    beyond = _beyond(given)
    if beyond.any():
        rows = np.flatnonzero(beyond)
        raise DataError(
            f"Column {name!r}: {len(rows):,} values are beyond the 292,000 years around 1970 that "
            f"can be counted in microseconds, the first in row {rows[0]} ({given[rows[0]]}). "
            "Correct them, or make them missing."
        )


def _beyond(given: np.ndarray) -> np.ndarray:
    """Where microseconds cannot count a time: NumPy would wrap round, or since 2.5 raise."""
    unit, _ = np.datetime_data(given.dtype)
    if unit in ("us", "generic", *FINER):
        return np.zeros(len(given), dtype=bool)
    last = np.array([2**63 - 1]).view(f"{given.dtype.kind}8[us]").astype(given.dtype)
    count, most = given.view(np.int64), last.view(np.int64)
    return ((count > most) | (count <= -most)) & ~np.isnat(given)
