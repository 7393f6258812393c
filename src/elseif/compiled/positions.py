"""All positions of an antecedent in a list, weighed at once.

At position p of a list, an antecedent takes what it covers from the rules from p on. One count for
each rule, accumulated from the end, therefore gives the label counts of the lists with the
antecedent at every position, and all of their posteriors cost little more than one.
"""

import math

import numpy as np

from elseif.compiled.jit import inlined, keep_small
from elseif.compiled.marginal_likelihood import log_marginal_likelihood
from elseif.compiled.prior import (
    copy_without,
    log_prior_if_earlier,
    log_prior_if_last,
    order_counts,
)

# terms smaller by this many nats do not change a floating-point sum
NEGLIGIBLE = 40.0
# its exponential is still a number in plain Python; any ratio as large is accepted
LARGEST = 700.0


@inlined
def weigh_positions(data, prior, beta, state, r, antecedent, present):
    """Write log pi(d with the antecedent at p) - log pi(d) for every p; the largest is returned.

    Or NaN, where one of them is not a number.

    d is the replica's list without the antecedent, and pi the target at an inverse temperature.
    present is the position of the antecedent now, or beyond the default rule's where it has none.
    The new counts of a rule before present lack what the antecedent would take from it, and those
    of a rule after it have what the antecedent would leave to it.
    """
    keep_small()
    length, n_labels = state.length[r], len(state.pending_counts)
    last = length if present > length else length - 1
    depends_on_order = order_counts(prior, state, r)
    if depends_on_order:
        copy_without(state, r, present)
    log_prior = log_prior_if_last(prior, beta, state, r, antecedent, present)
    for label in range(n_labels):
        state.rule_counts[0, label] = 0
    largest, log_likelihood, of_others = -np.inf, 0.0, 0.0
    p = last
    for j in range(length, -1, -1):
        if j == present:
            continue
        row = state.rows[r, j]
        takes = False
        for label in range(n_labels):
            n = state.label_counts[row, label] - state.new_counts[j, label]
            if n != 0:
                takes = True
                state.rule_counts[0, label] += n if j < present else -n
        if takes and beta > 0.0:
            term = log_marginal_likelihood(data, state.new_counts, j) - state.log_likelihoods[row]
            of_others += term if j < present else -term
            log_likelihood = of_others + log_marginal_likelihood(data, state.rule_counts, 0)
        if depends_on_order and p < last:
            log_prior += log_prior_if_earlier(prior, beta, state, antecedent, p)
        value = log_prior + beta * log_likelihood
        if math.isnan(value):
            return value
        state.position_weights[p] = value
        largest = max(largest, value)
        p -= 1
    return largest


@inlined
def add_up_positions(state, last, largest):
    """Take log weights of positions as multiples of the largest; their sum is returned."""
    keep_small()
    total = 0.0
    previous, weight = largest, 1.0
    for p in range(last, -1, -1):
        value = state.position_weights[p]
        if value != previous:  # else the antecedent takes nothing from the rule between them
            previous = value
            weight = math.exp(value - largest) if value > largest - NEGLIGIBLE else 0.0
        state.position_weights[p] = weight
        total += weight
    return total


@inlined
def choose_position(state, last, total, u):
    """The position at quantile u of the weights, which sum to total."""
    keep_small()
    wanted = u * total
    chosen = np.int64(0)
    for p in range(last + 1):
        weight = state.position_weights[p]
        if weight > 0.0:
            chosen = np.int64(p)
            if wanted < weight:
                break
            wanted -= weight
    return chosen


@inlined
def count_rule(state, r, change):
    """Label counts of the rule itself, once it is known where it goes."""
    keep_small()
    for label in range(len(state.pending_counts)):
        n = state.label_counts[change.row, label] if change.exists else 0
        for j in range(change.first, change.last + 1):
            n += state.label_counts[state.rows[r, j], label] - state.new_counts[j, label]
        state.rule_counts[0, label] = n
