"""Add an antecedent from outside the list, at any position (section 2.6)."""

import math

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves.additions import addition_weight, choose_addition, weight_outside
from elseif.compiled.structs import Change


@inlined
def is_possible(length, pool_size):
    """Whether there is an antecedent outside the list."""
    return length < pool_size


@inlined
def propose(tuning, state, t, r, u_position, u_target):
    """The position of the new rule, and its antecedent."""
    slots = state.length[r] + 1
    position = min(np.int64(u_position * slots), slots - 1)
    return position, choose_addition(tuning, state, t, r, u_target)


@inlined
def log_proposal_ratio(tuning, state, t, r, target, p_add, p_remove):
    """log Q(d | d*) - log Q(d* | d): removing it again, over adding it.

    p_add is the probability of this option now, p_remove that of removing afterwards.
    """
    slots = state.length[r] + 1
    outside = weight_outside(tuning, state, t, r)
    forward = p_add
    forward *= addition_weight(tuning, t, target) / outside / slots
    backward = p_remove / slots
    return math.log(backward / forward)


@inlined
def change(state, r, position, target):
    """The new rule takes what it covers from those after it, and from the default rule."""
    length = state.length[r]
    row = state.rows[r, length + 1]  # unused so far
    return Change(
        arriving=target,
        leaving=np.int64(-1),
        row=row,
        exists=False,
        stays=True,
        first=position,
        last=length,
        taker=target,
        last_taken=length,
        releases=False,
        first_released=position,
        last_covered=length - 1,
        rest=state.rows[r, length],
        item_from=length,
        item_to=position,
        row_from=length + 1,
        row_to=position,
    )
