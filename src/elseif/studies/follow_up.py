"""How many had an event within a time, and its probability allowing for loss to follow-up.

A study of a fixed time learns from people whose outcome is known: those with the event, and those
who were followed to the end. People who leave early are missing among the latter alone, so the
share of events among people with a known outcome is too high. Kaplan and Meier's estimate is not.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import norm

DAYS_A_YEAR = 365.25
LEVEL = 0.95
LEFT, EVENT, DIED = 0, 1, 2  # how a person's time ends


@dataclass(frozen=True)
class FollowUp:
    """People followed for at most a given time, and the risk of an event in it."""

    days: int
    n: int
    n_events: int
    n_died: int  # without the event, before the end
    n_left: int  # neither, before the end
    person_years: float
    risk: float  # by Kaplan and Meier, deaths counted as people who left
    low: float
    high: float
    incidence: float  # by Aalen and Johansen, deaths as what they are

    @property
    def n_known(self) -> int:
        """People whose outcome is known: the event, or none to the end."""
        return self.n - self.n_died - self.n_left

    @property
    def share(self) -> float:
        """Share of events among people whose outcome is known."""
        return self.n_events / self.n_known


def follow_up(time: np.ndarray, ends_in: np.ndarray, days: int) -> FollowUp:
    """Kaplan and Meier's estimate at the end of a time, beside plain counts.

    Events and deaths of a day come before those who leave on it, as is usual.
    """
    time, ends_in = np.asarray(time, dtype=float), np.asarray(ends_in)
    within = time <= days
    is_event, is_death = within & (ends_in == EVENT), within & (ends_in == DIED)
    left_early = (time < days) & (ends_in == LEFT)
    moments = np.unique(time[is_event | is_death])
    free = free_of_both = 1.0
    incidence = variance = 0.0
    for moment in moments:
        at_risk = int((time >= moment).sum())
        events = int((is_event & (time == moment)).sum())
        deaths = int((is_death & (time == moment)).sum())
        incidence += free_of_both * events / at_risk
        free_of_both *= 1 - (events + deaths) / at_risk
        free *= 1 - events / at_risk
        if events and at_risk > events:
            variance += events / (at_risk * (at_risk - events))
    low, high = _interval(free, variance)
    return FollowUp(
        days=days,
        n=len(time),
        n_events=int(is_event.sum()),
        n_died=int((is_death & (time < days)).sum()),
        n_left=int(left_early.sum()),
        person_years=float(np.minimum(time, days).sum() / DAYS_A_YEAR),
        risk=1 - free,
        low=low,
        high=high,
        incidence=incidence,
    )


def follow_up_text(follow_up: FollowUp, whom: str, event: str) -> str:
    """The numbers in two sentences."""
    f = follow_up
    died = f", {f.n_died:,} died without it" if f.n_died else ""
    competing = f", {f.incidence:.1%} where deaths are counted as deaths" if f.n_died else ""
    return (
        f"{f.n:,} {whom}: in {f.days:,} days {f.n_events:,} had {event}{died}, and "
        f"{f.n_left:,} left earlier; {f.person_years:,.0f} person-years. Risk by Kaplan "
        f"and Meier {f.risk:.1%} ({f.low:.1%} to {f.high:.1%}){competing}; among the "
        f"{f.n_known:,} whose outcome is known {f.share:.1%}."
    )


def _interval(free: float, variance: float) -> tuple[float, float]:
    """The risk's interval by Greenwood's variance on the scale of log(-log)."""
    if not 0 < free < 1:
        return 1 - free, 1 - free
    half = norm.ppf((1 + LEVEL) / 2) * np.sqrt(variance) / np.log(free)
    ends = free ** np.exp([-half, half])
    return float(1 - ends.max()), float(1 - ends.min())
