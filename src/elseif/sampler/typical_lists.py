"""Which lists the point estimate is chosen from (section 2.7)."""

from __future__ import annotations

import math

import numpy as np

WHOLE = 1e-9  # a mean so close to a whole number is one: the sum that it comes from was rounded


def typical_lists(
    lengths: np.ndarray, averages: np.ndarray, mean_length: float, mean_cardinality: float
) -> tuple[np.ndarray, bool]:
    """Lists whose length and average cardinality are the posterior means, rounded either way.

    Parameters
    ----------
    lengths : ndarray
        Length of each list.
    averages : ndarray
        Average cardinality of each list; anything for the empty list, which has none.
    mean_length : float
        Posterior mean of the length.
    mean_cardinality : float
        Posterior mean of the average cardinality; NaN where only the empty list has been seen.

    Returns
    -------
    ndarray of bool
        Whether each list qualifies. Where none does, as a posterior with two modes may have it,
        the lists of the length nearest to the mean.
    bool
        Whether any qualifies.
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
    """What to say where no list qualifies."""
    return (
        f"No list has the posterior's mean length {mean_length:.2f} and average "
        f"cardinality {mean_cardinality:.2f}, rounded either way; the point estimate is the "
        f"most probable list of length {length}."
    )


def _rounded_either_way(mean: float) -> tuple[int, int]:
    if abs(mean - round(mean)) < WHOLE:
        return round(mean), round(mean)
    return math.floor(mean), math.ceil(mean)
