"""The temperatures of a tempered chain."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.sampler.ladder import adapt_ladder

LADDER = np.array([1.0, 0.8, 0.6, 0.4, 0.2])


def test_equal_rejections_leave_the_ladder() -> None:
    """What is spaced evenly stays."""
    proposed = np.array([100, 100, 100, 100, 0])
    new = adapt_ladder(LADDER, proposed, np.array([60, 60, 60, 60, 0]))
    assert new == pytest.approx(LADDER)


def test_temperatures_gather_where_swaps_are_rejected() -> None:
    """A gap that nothing crosses is filled; the ends stay, and the order too."""
    proposed = np.array([100, 100, 100, 100, 0])
    new = adapt_ladder(LADDER, proposed, np.array([95, 0, 95, 95, 0]))
    assert new[0] == 1.0
    assert new[-1] == 0.2
    assert (np.diff(new) < 0).all()
    assert ((new >= 0.6) & (new <= 0.8)).sum() >= 3


def test_too_few_swaps_change_nothing() -> None:
    """A short run keeps the ladder it was given."""
    few = np.array([100, 3, 100, 100, 0])
    assert adapt_ladder(LADDER, few, few) is LADDER
    pair = np.array([1.0, 0.5])
    assert adapt_ladder(pair, np.array([100, 0]), np.array([1, 0])) is pair
