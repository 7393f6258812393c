"""The covers that correlate most with each other."""

import numpy as np

from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.vectors import count_both, words_at


@inlined
def insert_neighbour(nearest, squared, row, antecedent, value):
    """Keep an antecedent among a row's nearest, if it is; the one kept longer wins a tie."""
    j = nearest.shape[1]
    while j > 0 and value > squared[row, j - 1]:
        j -= 1
        if j + 1 < nearest.shape[1]:
            nearest[row, j + 1], squared[row, j + 1] = nearest[row, j], squared[row, j]
    if j < nearest.shape[1]:
        nearest[row, j], squared[row, j] = antecedent, value


@compiled
def find_nearest(covers, sections, sizes, n, nearest, squared):
    """The covers that correlate most with each, directly or inversely.

    sizes are the covers' weighted observations, n those of everybody. Rows of nearest hold
    places of covers, and -1 where the squared correlation stays 0.
    """
    keep_small()
    starts, labels, weights = sections
    for i in range(len(covers)):
        for j in range(i):
            both = np.int64(0)
            for s in range(len(labels)):
                a, b = words_at(covers, i, starts[s]), words_at(covers, j, starts[s])
                both += count_both(a, b, starts[s + 1] - starts[s]) * weights[s]
            covariance = n * both - sizes[i] * sizes[j]
            spread = sizes[i] * (n - sizes[i]) * sizes[j] * (n - sizes[j])
            if spread > 0.0:
                value = covariance * covariance / spread
                insert_neighbour(nearest, squared, i, j, value)
                insert_neighbour(nearest, squared, j, i, value)
