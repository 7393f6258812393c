"""The marginal likelihood of one rule's label counts (section 2.5).

A list's likelihood is the product of those of its rules. This function is all that the chain knows
about the meaning of counts; the sum over all lists and the projection also use the mean of a line.
"""

import math

import numpy as np

from elseif.compiled.jit import inlined, keep_small


@inlined
def log_pochhammer(data, label, alpha, count):
    """log Gamma(count + alpha) - log Gamma(alpha), from the table where it reaches."""
    if count < data.log_pochhammer.shape[1]:
        return data.log_pochhammer[label, count]
    return math.lgamma(count * data.count_unit + alpha) - math.lgamma(alpha)


@inlined
def log_marginal_likelihood(data, counts, row):
    """The Dirichlet-multinomial term of one rule, all its constants kept (section 2.5)."""
    keep_small()
    n_labels = len(data.pseudocounts)
    total = np.int64(0)
    value = 0.0
    for label in range(n_labels):
        total += counts[row, label]
        value += log_pochhammer(data, label, data.pseudocounts[label], counts[row, label])
    return value - log_pochhammer(data, n_labels, data.pseudocount_total, total)
