"""Axes of probabilities: from 0 to a round number above all of them."""

from __future__ import annotations

SCALES = (0.01, 0.02, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)


def probability_end(highest: float) -> float:
    """Where an axis of probabilities ends: it begins at 0 and holds the highest one."""
    return next((end for end in SCALES if end >= highest - 1e-9), 1.0)


def percent_tick(share: float) -> str:
    """A tick of such an axis, without more decimals than it needs."""
    return f"{round(100 * share, 9):g}%"
