"""The temperatures of a tempered chain."""

from __future__ import annotations

import numpy as np
import pytest

from elseif.parameters import KERNEL_NAMES
from elseif.sampler.ladder import respaced
from elseif.sampler.proposals import DEFAULT_KERNEL, KERNELS

LADDER = np.array([1.0, 0.8, 0.6, 0.4, 0.2])


def test_equal_refusals_leave_the_ladder() -> None:
    """What is spaced evenly stays."""
    offered = np.array([100, 100, 100, 100, 0])
    new = respaced(LADDER, offered, np.array([60, 60, 60, 60, 0]))
    assert new == pytest.approx(LADDER)


def test_temperatures_gather_where_exchanges_are_refused() -> None:
    """A gap that nothing crosses is filled; the ends stay, and the order too."""
    offered = np.array([100, 100, 100, 100, 0])
    new = respaced(LADDER, offered, np.array([95, 0, 95, 95, 0]))
    assert new[0] == 1.0
    assert new[-1] == 0.2
    assert (np.diff(new) < 0).all()
    assert ((new >= 0.6) & (new <= 0.8)).sum() >= 3


def test_too_few_offers_teach_nothing() -> None:
    """A short run keeps the ladder it was given."""
    few = np.array([100, 3, 100, 100, 0])
    assert respaced(LADDER, few, few) is LADDER
    pair = np.array([1.0, 0.5])
    assert respaced(pair, np.array([100, 0]), np.array([1, 0])) is pair


def test_kernels_are_named_where_settings_are_checked() -> None:
    """The names are written twice, since the kernels themselves would load Numba."""
    assert set(KERNEL_NAMES) == {"auto", "exact", *KERNELS}
    assert DEFAULT_KERNEL in KERNELS
