"""The temperatures of a tempered chain."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.sampler.ladder import RungLimits, adapt_ladder, nearest_rungs

LADDER = np.array([1.0, 0.8, 0.6, 0.4, 0.2])


def test_equal_rejections_leave_the_ladder() -> None:
    """What is spaced evenly stays."""
    proposed = np.array([100, 100, 100, 100, 0])
    for ladder in (LADDER, np.array([1.0, 0.5, 0.1, 0.01, 0.0])):
        new = adapt_ladder(ladder, proposed, np.array([60, 60, 60, 60, 0]))
        assert new == pytest.approx(ladder)


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


def test_as_many_rungs_as_the_barrier_is_high() -> None:
    """Neighbours shall reject a little less than half of their swaps, within the limits."""
    proposed, limits = np.array([100, 100, 100, 100, 0]), RungLimits(3, 9)
    for accepted, n_rungs in ((60, 5), (40, 7), (85, 3), (0, 9)):
        counts = np.array([accepted] * 4 + [0])
        new = adapt_ladder(LADDER, proposed, counts, limits)
        assert len(new) == n_rungs
        assert (new[0], new[-1]) == (1.0, 0.2)
        assert (np.diff(new) < 0).all()


def test_the_way_to_the_prior_is_divided_by_factors() -> None:
    """Where the last gap lets nothing pass, rungs are put far nearer to 0 than an even division."""
    ladder = np.array([1.0, 0.1, 0.01, 0.0])
    proposed, accepted = np.array([100, 100, 100, 0]), np.array([100, 100, 0, 0])
    new = adapt_ladder(ladder, proposed, accepted, RungLimits(8, 8))
    assert new[-1] == 0.0
    assert 0.01 / 16 < new[-2] < 0.01 / 8


def test_rungs_of_a_new_ladder_know_the_nearest_of_the_old() -> None:
    old, new = np.array([1.0, 0.1, 0.01, 0.0]), np.array([1.0, 0.5, 0.2, 0.02, 1e-5, 0.0])
    assert nearest_rungs(old, new).tolist() == [0, 0, 1, 2, 3, 3]
    assert nearest_rungs(old, old).tolist() == [0, 1, 2, 3]
    assert nearest_rungs(np.array([1.0]), np.array([1.0])).tolist() == [0]
