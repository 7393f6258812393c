"""The options of a step: which moves there are, which one is chosen, and what it does.

A move is one file: whether it is possible, what it proposes, the Hastings ratio, and what an
accepted proposal changes. Everything else asks here; a new move gets a number, a name, and a branch
in is_possible, propose, log_proposal_ratio and describe_change.
"""

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves import (
    add,
    add_positioned,
    move,
    remove,
    remove_or_reposition,
    replace,
    replace_by_neighbour,
)

MOVE, ADD, REMOVE, REPLACE, REPLACE_BY_NEIGHBOUR = 0, 1, 2, 3, 4
ADD_POSITIONED, REMOVE_OR_REPOSITION = 5, 6  # these weigh all positions, then do one of the above
N_OPTIONS = 7
OPTION_NAMES = (
    "move",
    "add",
    "remove",
    "replace",
    "replace by neighbour",
    "add and position",
    "remove or reposition",
)


@inlined
def is_possible(option, length, pool_size):
    """Whether an option exists for a list of this length."""
    if option == MOVE:
        return move.is_possible(length)
    if option == ADD or option == ADD_POSITIONED:
        return add.is_possible(length, pool_size)
    if option == REMOVE or option == REMOVE_OR_REPOSITION:
        return remove.is_possible(length)
    return replace.is_possible(length, pool_size)


@inlined
def possible_weight(option_weights, length, pool_size):
    """Total weight of the options that exist for a list of this length."""
    total = 0.0
    for option in range(N_OPTIONS):
        if is_possible(option, length, pool_size):
            total += option_weights[option]
    return total


@inlined
def option_probability(option_weights, option, length, pool_size):
    """Probability of choosing an option: in proportion to its weight among the possible.

    The one source for both directions of a step, hence for the Hastings ratio.
    """
    if not is_possible(option, length, pool_size):
        return 0.0
    return option_weights[option] / possible_weight(option_weights, length, pool_size)


@inlined
def choose_option(option_weights, length, pool_size, u):
    """The option at quantile u of option_probability."""
    target = u * possible_weight(option_weights, length, pool_size)
    chosen = np.int64(-1)
    for option in range(N_OPTIONS):
        weight = option_weights[option]
        if weight > 0.0 and is_possible(option, length, pool_size):
            chosen = np.int64(option)
            if target < weight:
                break
            target -= weight
    return chosen


@inlined
def weighs_positions(option):
    """Whether an option is decided by the posteriors of all positions of an antecedent."""
    return option >= ADD_POSITIONED


@inlined
def propose(tuning, state, t, r, u_option, u_position, u_target):
    """A proposal as (option, position, target): target is a position or an antecedent."""
    length, pool_size = state.length[r], tuning.addition_weights.shape[1]
    option = choose_option(tuning.option_weights, length, pool_size, u_option)
    if option == MOVE:
        position, target = move.propose(length, u_position, u_target)
    elif option == ADD:
        position, target = add.propose(tuning, state, t, r, u_position, u_target)
    elif option == ADD_POSITIONED:
        position, target = add_positioned.propose(tuning, state, t, r, u_target)
    elif option == REMOVE or option == REMOVE_OR_REPOSITION:
        position, target = remove.propose(length, u_position)
    elif option == REPLACE:
        position, target = replace.propose(tuning, state, t, r, u_position, u_target)
    else:
        antecedents, first = state.antecedent_list[r], tuning.first_neighbour
        position, target = replace_by_neighbour.propose(
            tuning.neighbours, first, antecedents, length, u_position, u_target
        )
    return option, position, target


@inlined
def log_proposal_ratio(tuning, state, t, r, option, position, target):
    """log Q(d | d*) - log Q(d* | d), the Hastings term of a proposal."""
    length, pool_size = state.length[r], tuning.addition_weights.shape[1]
    weights = tuning.option_weights
    if option == MOVE:
        return 0.0
    if option == ADD:
        p_add = option_probability(weights, ADD, length, pool_size)
        p_remove = option_probability(weights, REMOVE, length + 1, pool_size)
        return add.log_proposal_ratio(tuning, state, t, r, target, p_add, p_remove)
    if option == REMOVE:
        p_remove = option_probability(weights, REMOVE, length, pool_size)
        p_add = option_probability(weights, ADD, length - 1, pool_size)
        return remove.log_proposal_ratio(tuning, state, t, r, position, p_remove, p_add)
    if option == ADD_POSITIONED:
        p_add = option_probability(weights, option, length, pool_size)
        p_remove = option_probability(weights, REMOVE_OR_REPOSITION, length + 1, pool_size)
        return add_positioned.log_proposal_ratio(tuning, state, t, r, target, p_add, p_remove)
    if option == REMOVE_OR_REPOSITION:
        p_remove = option_probability(weights, option, length, pool_size)
        p_add = option_probability(weights, ADD_POSITIONED, length - 1, pool_size)
        return remove_or_reposition.log_proposal_ratio(
            tuning, state, t, r, position, p_remove, p_add
        )
    if option == REPLACE:
        return replace.log_proposal_ratio(tuning, state, t, r, position, target)
    leaving = state.antecedent_list[r, position]
    return replace_by_neighbour.log_proposal_ratio(tuning.first_neighbour, leaving, target)


@inlined
def describe_change(state, r, option, position, target):
    """The change that a proposal makes to a replica's list, or what it needs counted first."""
    if option == MOVE:
        return move.change(state, r, position, target)
    if option == ADD or option == ADD_POSITIONED:
        return add.change(state, r, position, target)
    if option == REMOVE:
        return remove.change(state, r, position)
    if option == REMOVE_OR_REPOSITION:
        return remove_or_reposition.change(state, r, position)
    return replace.change(state, r, position, target)
