"""Which antecedent from outside the list a move brings in, and with what probability."""

import numpy as np

from elseif.compiled.jit import inlined, keep_small


@inlined
def addition_weight(tuning, t, antecedent):
    """Proposal weight of an antecedent at temperature t, in the unit of weight_outside."""
    return 1.0 if tuning.uniform else tuning.addition_weights[t, antecedent]


@inlined
def weight_outside(tuning, state, t, r):
    """Total proposal weight of the antecedents that are not in a replica's list."""
    keep_small()
    length, pool_size = state.length[r], tuning.addition_weights.shape[1]
    if tuning.uniform:
        return float(pool_size - length)
    inside = 0.0
    for j in range(length):
        inside += tuning.addition_weights[t, state.antecedent_list[r, j]]
    if inside < 0.999:
        return 1.0 - inside
    outside = 0.0  # the difference has lost its digits: add up what is left instead
    for a in range(pool_size):
        if not state.in_list[r, a]:
            outside += tuning.addition_weights[t, a]
    return outside


@inlined
def last_not_above(cumulative, t, value):
    """The last antecedent whose cumulative weight does not exceed a value, else the first."""
    low, high = 0, cumulative.shape[1] - 1  # it is from low on, and before high
    while high - low > 1:
        middle = (low + high) // 2
        if cumulative[t, middle] <= value:
            low = middle
        else:
            high = middle
    return low


@inlined
def choose_addition(tuning, state, t, r, u):
    """The antecedent outside the list at quantile u of the proposal weights there."""
    keep_small()
    length, pool_size = state.length[r], tuning.addition_weights.shape[1]
    wanted = u * weight_outside(tuning, state, t, r)
    passed = 0.0  # weight of the list's own antecedents up to a: to be jumped over
    while True:
        if tuning.uniform:
            a = min(np.int64(wanted + passed), pool_size - 1)
        else:
            a = last_not_above(tuning.cumulative, t, wanted + passed)
        inside = 0.0
        for j in range(length):
            if state.antecedent_list[r, j] <= a:
                inside += addition_weight(tuning, t, state.antecedent_list[r, j])
        if inside <= passed:
            break
        passed = inside
    while state.in_list[r, a]:  # only by rounding at the seam between two antecedents
        a = (a + 1) % pool_size
    return a
