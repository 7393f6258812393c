"""Remove an antecedent from the list (section 2.6)."""

import math

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves.additions import addition_weight, weight_outside
from elseif.compiled.structs import Change


@inlined
def is_possible(length):
    """Whether there is one to remove."""
    return length > 0


@inlined
def propose(length, u_position):
    """The position of the rule that goes; it has no target."""
    return min(np.int64(u_position * length), length - 1), np.int64(0)


@inlined
def log_proposal_ratio(tuning, state, t, r, position, p_remove, p_add):
    """log Q(d | d*) - log Q(d* | d): adding it again, over removing it.

    p_remove is the probability of this option now, p_add that of adding afterwards.
    """
    length = state.length[r]
    outside = weight_outside(tuning, state, t, r)
    leaving = addition_weight(tuning, t, state.antecedent_list[r, position])
    forward = p_remove / length
    backward = p_add
    backward *= leaving / (outside + leaving) / length
    return math.log(backward / forward)


@inlined
def change(state, r, position):
    """The rule's observations fall on those after it, the rest on the default rule."""
    length = state.length[r]
    return Change(
        arriving=np.int64(-1),
        leaving=state.antecedent_list[r, position],
        row=state.rows[r, position],
        exists=True,
        stays=False,
        first=position + 1,
        last=length,
        taker=np.int64(-1),
        last_taken=length,
        releases=True,
        first_released=position + 1,
        last_covered=length - 1,
        rest=state.rows[r, length],
        item_from=position,
        item_to=length - 1,
        row_from=position,
        row_to=length,
    )
