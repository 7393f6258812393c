"""Put a correlation neighbour of an antecedent in its place.

A replacement, except for how the new antecedent is chosen. A neighbour that is already in the list
may be proposed, and is never accepted, so that the choice depends on the old antecedent alone.
"""

import math

import numpy as np

from elseif.compiled.jit import inlined


@inlined
def n_neighbours(first_neighbour, antecedent):
    """How many antecedents may replace one as its neighbours."""
    return first_neighbour[antecedent + 1] - first_neighbour[antecedent]


@inlined
def propose(neighbours, first_neighbour, antecedent_list, length, u_position, u_target):
    """The position of the rule, and a neighbour of its antecedent: itself where it has none."""
    position = min(np.int64(u_position * length), length - 1)
    leaving = antecedent_list[position]
    n = n_neighbours(first_neighbour, leaving)
    if n == 0:
        return position, leaving
    return position, neighbours[first_neighbour[leaving] + min(np.int64(u_target * n), n - 1)]


@inlined
def log_proposal_ratio(first_neighbour, leaving, arriving):
    """log Q(d | d*) - log Q(d* | d): as many neighbours as either has."""
    n_forward = n_neighbours(first_neighbour, leaving)
    return math.log(n_forward / n_neighbours(first_neighbour, arriving))
