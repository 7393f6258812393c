"""One list to stand for the posterior (section 2.7)."""

from __future__ import annotations

import math

import numpy as np

from elseif.posterior.draws import Posterior


def maximum_a_posteriori(posterior: Posterior) -> int:
    """The drawn list of highest posterior probability, by its place in ``distinct``."""
    return int(posterior.best_first[0])


def point_estimate(posterior: Posterior) -> tuple[int, str | None]:
    """The paper's BRL-point, by its place in ``distinct``, and a note when it had to yield.

    The most probable drawn list whose length and average cardinality are the posterior
    means, rounded either way. When none qualifies, as a posterior with two modes may
    have it, the most probable of the nearest lengths stands in.
    """
    mean_length = posterior.mean_length
    mean_cardinality = posterior.mean_average_cardinality
    order = posterior.best_first
    lengths = posterior.distinct.lengths[order]
    averages = posterior.average_cardinalities[order]
    right_length = (lengths == math.floor(mean_length)) | (lengths == math.ceil(mean_length))
    right_cardinality = lengths == 0  # the empty list has no average to be wrong
    if not math.isnan(mean_cardinality):
        low, high = math.floor(mean_cardinality), math.ceil(mean_cardinality)
        right_cardinality = right_cardinality | ((averages >= low) & (averages <= high))
    qualified = np.flatnonzero(right_length & right_cardinality)
    if len(qualified):
        return int(order[qualified[0]]), None
    distance = np.abs(lengths - mean_length)
    nearest = np.flatnonzero(distance == distance.min())
    note = (
        f"No drawn list has the posterior's mean length {mean_length:.2f} and average "
        f"cardinality {mean_cardinality:.2f}, rounded either way; the point estimate is the "
        f"most probable list of length {int(lengths[nearest[0]])}."
    )
    return int(order[nearest[0]]), note
