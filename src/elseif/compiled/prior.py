"""The prior of a list (section 2.4), and how it changes with a proposal."""

import math

import numpy as np

from elseif.compiled.jit import inlined, keep_small


@inlined
def log_normaliser(prior, used):
    """Log of the mass of the cardinalities that still have an unused antecedent."""
    keep_small()
    largest = -np.inf
    whole = True
    for k in range(len(used)):
        if used[k] < prior.class_sizes[k]:
            largest = max(largest, prior.log_mass[k])
        else:
            whole = False
    if whole:
        return prior.log_whole
    total = 0.0
    for k in range(len(used)):
        if used[k] < prior.class_sizes[k]:
            total += math.exp(prior.log_mass[k] - largest)
    return largest + math.log(total)


@inlined
def unused_weight(prior, antecedent_list, position, k):
    """Sum of the weights of cardinality class k that the list leaves before position."""
    keep_small()
    left = prior.class_weights[k]
    for i in range(position):
        if prior.cardinality_class[antecedent_list[i]] == k:
            left -= prior.weights[antecedent_list[i]]
    if left > 1e-3 * prior.class_weights[k]:
        return left
    left = 0.0  # the difference has lost its digits: add up what is left instead
    for a in range(len(prior.cardinality_class)):
        if prior.cardinality_class[a] == k:
            unused = True
            for i in range(position):
                if antecedent_list[i] == a:
                    unused = False
            if unused:
                left += prior.weights[a]
    return left


@inlined
def log_prior(prior, antecedent_list, length, used):
    """Log prior of an antecedent list (section 2.4); used is room for counting."""
    keep_small()
    for k in range(len(used)):
        used[k] = 0
    total = prior.log_length[length]
    for j in range(length):
        a = antecedent_list[j]
        k = prior.cardinality_class[a]
        total += prior.log_mass[k] - log_normaliser(prior, used)
        if prior.weighted:
            total += math.log(prior.weights[a] / unused_weight(prior, antecedent_list, j, k))
        else:
            total -= prior.log_counts[prior.class_sizes[k] - used[k]]
        used[k] += 1
    return total


@inlined
def order_counts(prior, state, r):
    """Whether the prior of a replica's list, or of one with a rule more, depends on the order."""
    keep_small()
    if prior.weighted:
        return True
    for k in range(state.used.shape[1]):
        # a cardinality may run out, and then the place where it does matters
        if state.used[r, k] + 1 >= prior.class_sizes[k]:
            return True
    return False


@inlined
def log_prior_ratio(prior, state, r, change):
    """log p(d*) - log p(d)."""
    keep_small()
    length = state.length[r]
    if order_counts(prior, state, r):
        for j in range(length):
            state.trial[j] = state.antecedent_list[r, j]
        new_length = edit_list(state.trial, length, change)
        before = log_prior(prior, state.antecedent_list[r], length, state.trial_used)
        return log_prior(prior, state.trial, new_length, state.trial_used) - before
    arriving, leaving = change.arriving, change.leaving
    ratio, new_length = 0.0, length
    if arriving >= 0:
        k = prior.cardinality_class[arriving]
        unused = prior.class_sizes[k] - state.used[r, k]
        ratio += prior.log_mass[k] - prior.log_whole - prior.log_counts[unused]
        new_length += 1
    if leaving >= 0:
        k = prior.cardinality_class[leaving]
        unused = prior.class_sizes[k] - state.used[r, k] + 1
        if arriving >= 0 and prior.cardinality_class[arriving] == k:
            unused -= 1  # one of the same cardinality comes for the one that goes
        ratio -= prior.log_mass[k] - prior.log_whole - prior.log_counts[unused]
        new_length -= 1
    if new_length != length:
        ratio += prior.log_length[new_length] - prior.log_length[length]
    return ratio


@inlined
def log_weighting(prior, antecedent_list, length, used):
    """Log prior of a list, less what it would be if all antecedents weighed the same."""
    keep_small()
    for k in range(len(used)):
        used[k] = 0
    total = 0.0
    for j in range(length):
        a = antecedent_list[j]
        k = prior.cardinality_class[a]
        total += math.log(prior.weights[a] / unused_weight(prior, antecedent_list, j, k))
        total += prior.log_counts[prior.class_sizes[k] - used[k]]
        used[k] += 1
    return total


@inlined
def log_weighting_ratio(prior, state, r, change):
    """How log_weighting changes with a proposal."""
    keep_small()
    length = state.length[r]
    for j in range(length):
        state.trial[j] = state.antecedent_list[r, j]
    new_length = edit_list(state.trial, length, change)
    before = log_weighting(prior, state.antecedent_list[r], length, state.trial_used)
    return log_weighting(prior, state.trial, new_length, state.trial_used) - before


@inlined
def copy_without(state, r, present):
    """Copy a replica's list without what is at a position, if there is such a one, to trial."""
    keep_small()
    n = 0
    for j in range(state.length[r]):
        if j != present:
            state.trial[n] = state.antecedent_list[r, j]
            n += 1


@inlined
def log_prior_if_last(prior, beta, state, r, antecedent, present):
    """Log prior of a list with an antecedent as its last, less that of the list without it.

    The list is the replica's without what is at present. Its cardinalities are left in trial_used;
    where antecedents have weights, it is in trial. An inverse temperature takes a power of the
    weighting.
    """
    keep_small()
    for k in range(state.used.shape[1]):
        state.trial_used[k] = state.used[r, k]
    k, n = prior.cardinality_class[antecedent], state.length[r]
    if present < n:
        n -= 1
        state.trial_used[k] -= 1
    value = prior.log_length[n + 1] - prior.log_length[n]
    value += prior.log_mass[k] - log_normaliser(prior, state.trial_used)
    log_count = prior.log_counts[prior.class_sizes[k] - state.trial_used[k]]
    if not prior.weighted:
        return value - log_count
    share = prior.weights[antecedent] / unused_weight(prior, state.trial, n, k)
    return value + beta * math.log(share) - (1.0 - beta) * log_count


@inlined
def log_prior_if_earlier(prior, beta, state, antecedent, p):
    """How it changes when the antecedent goes from behind position p of state.trial before it.

    trial_used has the cardinalities of trial up to p, and then those of trial before p. Both
    orders leave the same antecedents to those that follow.
    """
    keep_small()
    other, used = state.trial[p], state.trial_used
    k, k_other = prior.cardinality_class[antecedent], prior.cardinality_class[other]
    value = 0.0
    if k != k_other:
        value += log_normaliser(prior, used)
        used[k_other] -= 1
        used[k] += 1
        value -= log_normaliser(prior, used)
        used[k] -= 1
        return value
    used[k] -= 1
    if prior.weighted:
        behind = unused_weight(prior, state.trial, p + 1, k)
        state.trial[p] = antecedent
        before = unused_weight(prior, state.trial, p + 1, k)
        state.trial[p] = other
        value += beta * math.log(behind / before)
    return value


@inlined
def edit_list(items, length, change):
    """Make a list the proposed one; its new length is returned."""
    new_length = length
    if change.arriving >= 0:
        items[change.item_from] = change.arriving
        new_length += 1
    rotate(items, change.item_from, change.item_to)
    if change.leaving >= 0:
        new_length -= 1
    return new_length


@inlined
def rotate(items, start, end):
    """Move the item at start to end, and those between one towards start."""
    keep_small()
    item = items[start]
    step = 1 if end > start else -1
    for j in range(start, end, step):
        items[j] = items[j + step]
    items[end] = item
