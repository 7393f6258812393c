"""The time after the index date in which an outcome counts, set by hand."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elseif.cohort import CohortDefinition

DAYS_A_YEAR = 365
_WITHIN = re.compile(r"\bwithin (?:a|one|two|three|four|five|\d+) (?:days?|years?)\b")
NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


def with_time_at_risk(definition: CohortDefinition, days: int) -> CohortDefinition:
    """A definition whose outcome counts until this day, and that asks for as long an observation.

    Its title says so.
    """
    first = min(definition.outcome_window[0], days)
    changed = replace(definition, observation_after=days, outcome_window=(first, days))
    if changed == definition:
        return definition
    said = f"within {span_text(days)}"
    if _WITHIN.search(definition.title):
        title = _WITHIN.sub(said, definition.title, count=1)
    else:
        title = f"{definition.title}, {said}"
    return replace(changed, title=title)


def span_text(days: int) -> str:
    """A number of days in words: years where it is whole years of 365 days."""
    years, rest = divmod(days, DAYS_A_YEAR)
    if rest or not years:
        return "a day" if days == 1 else f"{days:,} days"
    if years == 1:
        return "a year"
    return f"{NUMBERS[years - 2] if years - 2 < len(NUMBERS) else years} years"
