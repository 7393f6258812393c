"""The point estimate: one list that represents the posterior (section 2.7)."""

from __future__ import annotations

import numpy as np

from elseif.posterior.draws import Posterior
from elseif.sampler.typical_lists import typical_lists, untypical_note


def maximum_a_posteriori(posterior: Posterior) -> int:
    """The list of highest posterior probability, by its place in ``distinct``.

    It is the best of all lists where the posterior was summed over them, else the best drawn.
    """
    if posterior.exact is not None:
        return posterior.exact.map_place
    return int(posterior.best_first[0])


def point_estimate(
    posterior: Posterior, mean_length: float | None = None, mean_cardinality: float | None = None
) -> tuple[int, str | None]:
    """The paper's BRL-point, by its place in ``distinct``, and a note if no list qualifies.

    The most probable list whose length and average cardinality are the posterior means, rounded
    either way: of all lists where the posterior was summed over them, else of those drawn. When
    none qualifies, as a posterior with two modes may have it, the most probable of the nearest
    lengths stands in. Other means than the posterior's tell what the estimate would be if those
    were a little off.
    """
    if posterior.exact is not None:
        return posterior.exact.point_place, posterior.exact.point_note
    order = posterior.best_first
    lengths = posterior.distinct.lengths[order]
    averages = posterior.average_cardinalities[order]
    if mean_length is None or mean_cardinality is None:
        mean_length, mean_cardinality = posterior.mean_length, posterior.mean_average_cardinality
    means = mean_length, mean_cardinality
    chosen, any_typical = typical_lists(lengths, averages, *means)
    first = int(np.flatnonzero(chosen)[0])
    note = None if any_typical else untypical_note(*means, int(lengths[first]))
    return int(order[first]), note
