"""Which lists the point estimate is chosen from (section 2.7)."""

from __future__ import annotations

import math

import numpy as np

WHOLE = 1e-9  # a mean so close to a whole number is one: the sum that it comes from was rounded


def typical_lists(
    lengths: np.ndarray, averages: np.ndarray, mean_length: float, mean_cardinality: float
) -> tuple[np.ndarray, bool]:
    """Which lists have the posterior mean length and average cardinality, rounded either way.

    If none has, as may happen with two modes, the lists of the length nearest to the mean are
    taken; the second result says whether any qualified. The empty list has no average cardinality:
    its entry is ignored, and ``mean_cardinality`` is NaN if only it has been seen.
    """
    low, high = _rounded_either_way(mean_length)
    right = (lengths == low) | (lengths == high)
    if not math.isnan(mean_cardinality):
        low, high = _rounded_either_way(mean_cardinality)
        right &= (lengths == 0) | ((averages >= low) & (averages <= high))
    else:
        right &= lengths == 0
    if right.any():
        return right, True
    distance = np.abs(lengths - mean_length)
    return distance == distance.min(), False


def untypical_note(mean_length: float, mean_cardinality: float, length: int) -> str:
    """What to say if no list qualifies."""
    return (
        f"No list has the posterior's mean length {mean_length:.2f} and average "
        f"cardinality {mean_cardinality:.2f}, rounded either way; the point estimate is the "
        f"most probable list of length {length}."
    )


def _rounded_either_way(mean: float) -> tuple[int, int]:
    if abs(mean - round(mean)) < WHOLE:
        return round(mean), round(mean)
    return math.floor(mean), math.ceil(mean)
