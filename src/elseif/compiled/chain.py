"""The chain: steps, swaps between temperatures, and what is recorded of them (section 2.6)."""

import math

import numpy as np

from elseif.compiled.covers import fetch_cover
from elseif.compiled.jit import compiled, inlined, keep_small, written_out
from elseif.compiled.moves import add_positioned, remove_or_reposition
from elseif.compiled.moves.options import (
    ADD,
    ADD_POSITIONED,
    MOVE,
    REMOVE,
    describe_change,
    log_proposal_ratio,
    propose,
    weighs_positions,
)
from elseif.compiled.positions import count_rule, weigh_positions
from elseif.compiled.prior import (
    edit_list,
    log_prior,
    log_prior_ratio,
    log_weighting,
    log_weighting_ratio,
    rotate,
)
from elseif.compiled.transfer import (
    begin_counts,
    count_transfer,
    log_ratio_of_counts,
    settle_pending,
    write_counts,
    write_transfer,
)
from elseif.compiled.uniforms import next_uniform

REACHED, NEEDS_ROWS, NEEDS_BUFFER, NOT_FINITE = 0, 1, 2, 3


@inlined
def log_known_ratio(prior, tuning, state, t, r, option, position, target, change):
    """What the Metropolis-Hastings ratio of a proposal at temperature t has before any count.

    A temperature takes a power of the likelihood, and of what antecedent weights do to the prior.
    Else the mode that they favour would have nearly all the mass at the warmer temperatures, and
    the likelihood that makes up for it only at the colder ones.
    """
    log_ratio = log_proposal_ratio(tuning, state, t, r, option, position, target)
    if weighs_positions(option):  # the prior is weighed along with the positions
        return log_ratio
    log_ratio += log_prior_ratio(prior, state, r, change)
    return without_weighting(prior, tuning, state, t, r, change, log_ratio)


@inlined
def without_weighting(prior, tuning, state, t, r, change, log_ratio):
    """A log ratio with the part of the weighting's that a temperature leaves out taken away."""
    if prior.weighted and tuning.beta[t] < 1.0:
        log_ratio -= (1.0 - tuning.beta[t]) * log_weighting_ratio(prior, state, r, change)
    return log_ratio


@inlined
def decide(data, prior, tuning, state, t, r, option, position, target, change, known, uniforms):
    """Accept a proposal or not, once all transfers are counted; known is log_known_ratio.

    Returns a number that decided (or NaN), whether the list changes, and what is done to it: one of
    the options that do not weigh positions, with its position and target.
    """
    u_position, u_target, u_accept = uniforms
    settle_pending(state, change)
    if not weighs_positions(option):
        ratio = known + tuning.beta[t] * log_ratio_of_counts(data, state, r, change)
        accepted = ratio >= 0.0 or u_accept < math.exp(ratio)
        return ratio, accepted, option, position, target
    adds = option == ADD_POSITIONED
    antecedent = target if adds else state.antecedent_list[r, position]
    present = state.length[r] + 1 if adds else position
    largest = weigh_positions(data, prior, tuning.beta[t], state, r, antecedent, present)
    if adds:
        ratio = known + largest
        accepted, chosen = add_positioned.decide(state, r, largest, ratio, u_position, u_accept)
        return ratio, accepted, np.int64(ADD), chosen, target
    ratio = known - largest
    removed, chosen = remove_or_reposition.decide(state, r, largest, ratio, u_target, u_accept)
    if removed:
        return ratio, True, np.int64(REMOVE), position, target
    return ratio, chosen != position, np.int64(MOVE), position, chosen


@written_out
def accept(data, prior, state, r, change):
    """Make the evaluated proposal the replica's list."""
    write_counts(data, state, r, change)
    write_transfer(data, state, r, change)
    rotate(state.rows[r], change.row_from, change.row_to)
    state.length[r] = edit_list(state.antecedent_list[r], state.length[r], change)
    if change.arriving >= 0:
        state.in_list[r, change.arriving] = True
        state.used[r, prior.cardinality_class[change.arriving]] += 1
    if change.leaving >= 0:
        state.in_list[r, change.leaving] = False
        state.used[r, prior.cardinality_class[change.leaving]] -= 1
    refresh_log_posterior(prior, state, r)


@inlined
def refresh_log_posterior(prior, state, r):
    """Add the terms up anew, so that a list's value never depends on the way to it."""
    keep_small()
    length = state.length[r]
    total = log_prior(prior, state.antecedent_list[r], length, state.trial_used)
    log_likelihood = 0.0
    for j in range(length + 1):
        total += state.log_likelihoods[state.rows[r, j]]
        log_likelihood += state.log_likelihoods[state.rows[r, j]]
    state.log_posterior[r] = total
    if prior.weighted:
        weighting = log_weighting(prior, state.antecedent_list[r], length, state.trial_used)
        log_likelihood += weighting
    state.log_tempered[r] = log_likelihood


@compiled
def write_run(state, buffer, start):
    """Begin a run of equal draws with the coldest list, from an iteration on."""
    keep_small()
    r = state.replica[0]
    run = buffer.n_runs[0]
    first = buffer.offsets[run]
    length = state.length[r]
    for j in range(length):
        buffer.items[first + j] = state.antecedent_list[r, j]
    for j in range(length + 1):
        for label in range(len(state.pending_counts)):
            count = state.label_counts[state.rows[r, j], label]
            buffer.label_counts[first + run + j, label] = count
    buffer.offsets[run + 1] = first + length
    buffer.starts[run] = start
    buffer.log_posterior[run] = state.log_posterior[r]
    buffer.replica[run] = r
    buffer.n_runs[0] = run + 1


@inlined
def has_rows(state, r):
    """Whether a replica's list can grow by one rule."""
    capacity, pool_size = state.rows.shape[1] - 1, state.in_list.shape[1]
    return state.length[r] < capacity or capacity == pool_size


@inlined
def has_buffer(state, buffer):
    """Whether one more run can be recorded, of the longest list that there is room for."""
    run = buffer.n_runs[0]
    longest = state.rows.shape[1]
    return run + 1 < len(buffer.starts) and buffer.offsets[run] + longest <= len(buffer.items)


@written_out
def step(data, prior, tuning, state, info, buffer, seed):
    """One iteration at the temperature at work; False where the ratio is not a number."""
    t = state.temperature[0]
    r = state.replica[t]
    # always four, used or not, so that a chain's stream never shifts
    u_option = next_uniform(seed)
    u_position = next_uniform(seed)
    u_target = next_uniform(seed)
    u_accept = next_uniform(seed)
    option, position, target = propose(tuning, state, t, r, u_option, u_position, u_target)
    change = describe_change(state, r, option, position, target)
    # one that is in the list already is never accepted
    accepted, done = False, option
    if change.arriving < 0 or not state.in_list[r, change.arriving]:
        if change.arriving >= 0:
            fetch_cover(data.covers, data.condition_ids, change.arriving)
        known = log_known_ratio(prior, tuning, state, t, r, option, position, target, change)
        begin_counts(state, r, change)
        count_transfer(data, state, r, change)
        uniforms = u_position, u_target, u_accept
        ratio, accepted, done, position, target = decide(
            data, prior, tuning, state, t, r, option, position, target, change, known, uniforms
        )
        if math.isnan(ratio):
            return False
    if t == 0:
        info.iteration[0] += 1
        info.proposed[option] += 1
    if accepted:
        if t == 0:
            info.accepted[option] += 1
        if weighs_positions(option):
            change = describe_change(state, r, done, position, target)
            count_rule(state, r, change)
        accept(data, prior, state, r, change)
        if t == 0:
            write_run(state, buffer, info.iteration[0])
    return True


@inlined
def swap_lists(tuning, state, info, buffer, seed):
    """Propose to swap the lists of every other pair of neighbours in temperature, by turns.

    A swap is accepted with the probability that leaves each temperature's target unchanged.
    """
    keep_small()
    first = state.n_swap_rounds[0] % 2
    state.n_swap_rounds[0] += 1
    for t in range(first, len(state.replica) - 1, 2):
        u = next_uniform(seed)
        info.swaps_proposed[t] += 1
        colder, warmer = state.replica[t], state.replica[t + 1]
        gain = state.log_tempered[warmer] - state.log_tempered[colder]
        ratio = (tuning.beta[t] - tuning.beta[t + 1]) * gain
        if ratio >= 0.0 or u < math.exp(ratio):
            state.replica[t], state.replica[t + 1] = warmer, colder
            info.swaps_accepted[t] += 1
            if t == 0:
                write_run(state, buffer, info.iteration[0] + 1)


@inlined
def count_presence(state, info):
    """Note what each temperature's list holds at the end of a round."""
    keep_small()
    info.n_rounds[0] += 1
    for t in range(len(state.replica)):
        r = state.replica[t]
        for j in range(state.length[r]):
            info.presence[t, state.antecedent_list[r, j]] += 1


@compiled
def advance(data, prior, tuning, state, info, buffer, seed, until):
    """Iterate until the given iteration, or until more room is needed (section 2.6).

    In turn, every temperature's list takes its steps; then neighbours may swap theirs. The
    coldest list is the chain: its iterations count and its draws are recorded.
    """
    keep_small()
    n_temperatures = len(state.replica)
    while True:
        t = state.temperature[0]
        if t == n_temperatures:
            if n_temperatures > 1:
                if not has_buffer(state, buffer):
                    return NEEDS_BUFFER
                swap_lists(tuning, state, info, buffer, seed)
            count_presence(state, info)
            t = 0
            state.temperature[0], state.steps_left[0] = 0, tuning.steps_per_swap[0]
        while state.steps_left[0] > 0:
            if t == 0 and info.iteration[0] >= until:
                return REACHED
            if not has_rows(state, state.replica[t]):
                return NEEDS_ROWS
            if t == 0 and not has_buffer(state, buffer):
                return NEEDS_BUFFER
            if not step(data, prior, tuning, state, info, buffer, seed):
                return NOT_FINITE
            state.steps_left[0] -= 1
        state.temperature[0] = t + 1
        if t + 1 < n_temperatures:
            state.steps_left[0] = tuning.steps_per_swap[t + 1]
