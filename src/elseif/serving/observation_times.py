"""When an observation was made: the times of FHIR in their several forms, made comparable."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any

EARLIEST = datetime.datetime.min.replace(tzinfo=datetime.UTC)  # of an observation without a time


def time_of(observation: Mapping[str, Any]) -> datetime.datetime:
    """When an observation was made: the end of a period; the earliest possible time for none.

    A date without a time, or a time without a zone, is in UTC; a year or month is its first day.
    """
    period = observation.get("effectivePeriod")
    ends = (period.get("end"), period.get("start")) if isinstance(period, Mapping) else ()
    given = (observation.get("effectiveDateTime"), observation.get("effectiveInstant"), *ends)
    text = next((each for each in given if isinstance(each, str) and each), "")
    if len(text) in (4, 7):  # a year, or a month of one
        text = f"{text}-01-01"[:10]
    try:
        time = datetime.datetime.fromisoformat(text)
        return (time if time.tzinfo else time.replace(tzinfo=datetime.UTC)).astimezone(datetime.UTC)
    except (ValueError, OverflowError):
        return EARLIEST
