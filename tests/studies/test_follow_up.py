"""Kaplan and Meier's estimate, and what is told of it, against lifelines."""

from __future__ import annotations

import numpy as np
import pytest
from lifelines import AalenJohansenFitter, KaplanMeierFitter

from elseif.studies.follow_up import DIED, EVENT, LEFT, follow_up, follow_up_text


def people(seed: int, n: int = 400) -> tuple[np.ndarray, np.ndarray]:
    """Times with ties, and how each ends."""
    rng = np.random.default_rng(seed)
    return rng.integers(1, 900, n), rng.choice([LEFT, EVENT, DIED], n, p=[0.5, 0.3, 0.2])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("days", [1, 365, 2000])
def test_kaplan_meier_is_that_of_lifelines(seed: int, days: int) -> None:
    time, ends_in = people(seed)
    followed = follow_up(time, ends_in, days)
    fitted = KaplanMeierFitter().fit(time, ends_in == EVENT)
    assert followed.risk == pytest.approx(1 - float(fitted.predict(days)))
    low, high = fitted.confidence_interval_.loc[:days].iloc[-1]
    assert (followed.low, followed.high) == pytest.approx((1 - high, 1 - low))


@pytest.mark.parametrize("seed", range(3))
def test_the_incidence_with_deaths_is_that_of_lifelines(seed: int) -> None:
    _, ends_in = people(seed)
    time = np.random.default_rng(seed + 100).permutation(len(ends_in)) + 1  # no ties
    followed = follow_up(time, ends_in, 200)
    fitted = AalenJohansenFitter(calculate_variance=False).fit(time, ends_in, EVENT)
    assert followed.incidence == pytest.approx(float(fitted.predict(200)))
    assert followed.incidence <= followed.risk


def test_counts() -> None:
    """Who dies or leaves on the last day was followed to the end."""
    time = np.array([10, 100, 100, 50, 60, 100, 500])
    ends_in = np.array([EVENT, EVENT, DIED, DIED, LEFT, LEFT, EVENT])
    followed = follow_up(time, ends_in, 100)
    assert (followed.n, followed.n_events, followed.n_died, followed.n_left) == (7, 2, 1, 1)
    assert followed.n_known == 5
    assert followed.share == pytest.approx(2 / 5)
    assert followed.person_years == pytest.approx(520 / 365.25)


def test_nobody_has_the_event() -> None:
    followed = follow_up(np.array([5, 9]), np.array([LEFT, LEFT]), 7)
    assert (followed.risk, followed.low, followed.high, followed.incidence) == (0, 0, 0, 0)
    assert "0 had a stroke, and 1 left earlier" in follow_up_text(followed, "people", "a stroke")
