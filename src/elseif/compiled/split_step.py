"""A step of the chain split at the count, for observations that are held elsewhere.

Who holds the lists proposes and decides; who holds the observations counts, and writes what was
accepted. Counts of several holders add up. The moves, the ratio and the transfer of observations
are those of elseif.compiled.chain.
"""

import math

import numpy as np

from elseif.compiled.chain import (
    accept,
    count_presence,
    swap_lists,
    without_weighting,
    write_run,
)
from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.moves.options import describe_change, log_proposal_ratio, propose
from elseif.compiled.prior import edit_list, log_prior_ratio, rotate
from elseif.compiled.structs import Change
from elseif.compiled.transfer import (
    begin_counts,
    count_transfer,
    log_ratio_of_counts,
    write_transfer,
)
from elseif.compiled.uniforms import next_uniform

# columns of a proposal: who makes it, the move, whether there is anything to count; then a Change
TEMPERATURE, REPLICA, OPTION, POSITION, TARGET, COUNTS = 0, 1, 2, 3, 4, 5
FIRST_OF_CHANGE = 6
N_COLUMNS = FIRST_OF_CHANGE + len(Change._fields)
# of what is counted for a proposal: the rule, what is pending, then the other rules that change
RULE, PENDING, OTHERS = 0, 1, 2


@inlined
def change_of(proposal):
    """The change that a proposal's numbers describe."""
    c = proposal[FIRST_OF_CHANGE:]
    return Change(
        c[0], c[1], c[2], c[3] != 0, c[4] != 0, c[5], c[6], c[7], c[8] != 0, c[9], c[10],
        c[11], c[12], c[13], c[14],
    )  # fmt: skip


@compiled
def draw_uniforms(seed, uniforms):
    """The next numbers of a chain's stream, four for each step."""
    for i in range(uniforms.shape[0]):
        for k in range(uniforms.shape[1]):
            uniforms[i, k] = next_uniform(seed)


@compiled
def propose_steps(tuning, state, temperatures, uniforms, proposals):
    """Write the proposals of one step at each of some temperatures."""
    keep_small()
    for i in range(len(temperatures)):
        t = temperatures[i]
        r = state.replica[t]
        u = uniforms[i]
        option, position, target = propose(tuning, state, t, r, u[0], u[1], u[2])
        change = describe_change(state, r, option, position, target)
        row = proposals[i]
        row[TEMPERATURE], row[REPLICA], row[OPTION] = t, r, option
        row[POSITION], row[TARGET] = position, target
        # one that is in the list already is never accepted
        is_new = change.arriving < 0 or not state.in_list[r, change.arriving]
        row[COUNTS] = 1 if is_new else 0
        c = row[FIRST_OF_CHANGE:]
        c[0], c[1], c[2] = change.arriving, change.leaving, change.row
        c[3] = 1 if change.exists else 0
        c[4] = 1 if change.stays else 0
        c[5], c[6], c[7] = change.first, change.last, change.taker
        c[8] = 1 if change.releases else 0
        c[9], c[10] = change.last_covered, change.rest
        c[11], c[12] = change.item_from, change.item_to
        c[13], c[14] = change.row_from, change.row_to


@compiled
def count_changes(data, state, proposals, counts):
    """Count what proposals would transfer among the observations that are here."""
    n_labels = len(state.pending_counts)
    for i in range(len(proposals)):
        if not proposals[i, COUNTS]:
            continue
        change = change_of(proposals[i])
        for label in range(n_labels):
            state.rule_counts[0, label] = 0
            state.pending_counts[label] = 0
            for j in range(change.first, change.last + 1):
                state.new_counts[j, label] = 0
        count_transfer(data, state, proposals[i, REPLICA], change)
        for label in range(n_labels):
            counts[i, RULE, label] = state.rule_counts[0, label]
            counts[i, PENDING, label] = state.pending_counts[label]
            for j in range(change.first, change.last + 1):
                counts[i, OTHERS + j - change.first, label] = state.new_counts[j, label]


@compiled
def apply_changes(data, state, proposals, accepted):
    """Move the observations that are here as the accepted proposals have it."""
    for i in range(len(proposals)):
        if accepted[i]:
            r = proposals[i, REPLICA]
            change = change_of(proposals[i])
            write_transfer(data, state, r, change)
            rotate(state.rows[r], change.row_from, change.row_to)
            state.length[r] = edit_list(state.antecedent_list[r], state.length[r], change)


@inlined
def log_acceptance_of_counts(data, prior, tuning, state, proposal, counts):
    """Log of the Metropolis-Hastings ratio, from the summed counts of those who hold the rows."""
    keep_small()
    t, r = proposal[TEMPERATURE], proposal[REPLICA]
    option, position, target = proposal[OPTION], proposal[POSITION], proposal[TARGET]
    change = change_of(proposal)
    begin_counts(state, r, change)
    for label in range(len(state.pending_counts)):
        state.rule_counts[0, label] += counts[RULE, label]
        state.pending_counts[label] += counts[PENDING, label]
        for j in range(change.first, change.last + 1):
            state.new_counts[j, label] += counts[OTHERS + j - change.first, label]
    log_ratio = (
        log_prior_ratio(prior, state, r, change)
        + log_proposal_ratio(tuning, state, t, r, option, position, target)
        + tuning.beta[t] * log_ratio_of_counts(data, state, r, change)
    )
    return without_weighting(prior, tuning, state, t, r, change, log_ratio)


@compiled
def decide_steps(data, prior, tuning, state, info, buffer, proposals, counts, uniforms, accepted):
    """Accept or reject proposals; False where a ratio is not a number."""
    for i in range(len(proposals)):
        t, r, option = proposals[i, TEMPERATURE], proposals[i, REPLICA], proposals[i, OPTION]
        ratio = -np.inf
        if proposals[i, COUNTS]:
            ratio = log_acceptance_of_counts(data, prior, tuning, state, proposals[i], counts[i])
        if math.isnan(ratio):
            return False
        if t == 0:
            info.iteration[0] += 1
            info.proposed[option] += 1
        accepted[i] = ratio >= 0.0 or uniforms[i, 3] < math.exp(ratio)
        if accepted[i]:
            if t == 0:
                info.accepted[option] += 1
            accept(data, prior, state, r, change_of(proposals[i]))
            if t == 0:
                write_run(state, buffer, info.iteration[0])
    return True


@compiled
def end_round(tuning, state, info, buffer, seed):
    """Swap lists between temperatures, and begin the next round."""
    if len(state.replica) > 1:
        swap_lists(tuning, state, info, buffer, seed)
    count_presence(state, info)
    state.temperature[0], state.steps_left[0] = 0, tuning.steps_per_swap[0]
