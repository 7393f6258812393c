"""A step of the chain split at the count, for observations that are held elsewhere.

Who holds the lists proposes and decides; who holds the observations counts, and writes what was
accepted. Counts of several holders add up. The moves, the ratio and the transfer of observations
are those of elseif.compiled.chain.
"""

import math

from elseif.compiled.chain import (
    accept,
    count_presence,
    decide,
    log_known_ratio,
    swap_lists,
    write_run,
)
from elseif.compiled.jit import compiled, inlined, keep_small
from elseif.compiled.moves.options import describe_change, propose, weighs_positions
from elseif.compiled.positions import count_rule
from elseif.compiled.prior import edit_list, rotate
from elseif.compiled.structs import Change
from elseif.compiled.transfer import begin_counts, count_transfer, write_transfer

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
        c[0], c[1], c[2], c[3] != 0, c[4] != 0, c[5], c[6], c[7], c[8], c[9] != 0, c[10],
        c[11], c[12], c[13], c[14], c[15], c[16],
    )  # fmt: skip


@inlined
def write_change(change, proposal):
    """Write a change as a proposal's numbers."""
    c = proposal[FIRST_OF_CHANGE:]
    c[0], c[1], c[2] = change.arriving, change.leaving, change.row
    c[3] = 1 if change.exists else 0
    c[4] = 1 if change.stays else 0
    c[5], c[6], c[7], c[8] = change.first, change.last, change.taker, change.last_taken
    c[9] = 1 if change.releases else 0
    c[10], c[11], c[12] = change.first_released, change.last_covered, change.rest
    c[13], c[14] = change.item_from, change.item_to
    c[15], c[16] = change.row_from, change.row_to


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
        write_change(change, row)


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
def apply_changes(data, state, proposals):
    """Move the observations that are here as accepted proposals have it."""
    for i in range(len(proposals)):
        r = proposals[i, REPLICA]
        change = change_of(proposals[i])
        write_transfer(data, state, r, change)
        rotate(state.rows[r], change.row_from, change.row_to)
        state.length[r] = edit_list(state.antecedent_list[r], state.length[r], change)


@inlined
def add_counts(state, r, change, counts):
    """Take the summed counts of those who hold the rows for one's own."""
    keep_small()
    begin_counts(state, r, change)
    for label in range(len(state.pending_counts)):
        state.rule_counts[0, label] += counts[RULE, label]
        state.pending_counts[label] += counts[PENDING, label]
        for j in range(change.first, change.last + 1):
            state.new_counts[j, label] += counts[OTHERS + j - change.first, label]


@compiled
def decide_steps(data, prior, tuning, state, info, buffer, proposals, counts, uniforms, accepted):
    """Accept or reject proposals; False where a ratio is not a number.

    The change of an accepted proposal is then what it makes of the list.
    """
    for i in range(len(proposals)):
        row, u = proposals[i], uniforms[i]
        t, r, option = row[TEMPERATURE], row[REPLICA], row[OPTION]
        accepted[i] = False
        if row[COUNTS]:
            position, target, change = row[POSITION], row[TARGET], change_of(row)
            known = log_known_ratio(prior, tuning, state, t, r, option, position, target, change)
            add_counts(state, r, change, counts[i])
            ratio, accepted[i], done, position, target = decide(
                data, prior, tuning, state, t, r, option, position, target, change, known,
                (u[1], u[2], u[3]),
            )  # fmt: skip
            if math.isnan(ratio):
                return False
            if accepted[i] and weighs_positions(option):
                change = describe_change(state, r, done, position, target)
                count_rule(state, r, change)
                write_change(change, row)
        if t == 0:
            info.iteration[0] += 1
            info.proposed[option] += 1
        if accepted[i]:
            if t == 0:
                info.accepted[option] += 1
            accept(data, prior, state, r, change_of(row))
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
