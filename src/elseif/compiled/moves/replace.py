"""Put an antecedent from outside the list in the place of one inside."""

import math

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves.additions import addition_weight, choose_addition, weight_outside
from elseif.compiled.structs import Change


@inlined
def is_possible(length, pool_size):
    """Whether there is one inside and one outside."""
    return 0 < length < pool_size


@inlined
def propose(tuning, state, t, r, u_position, u_target):
    """The position of the rule, and its new antecedent."""
    length = state.length[r]
    position = min(np.int64(u_position * length), length - 1)
    return position, choose_addition(tuning, state, t, r, u_target)


@inlined
def log_proposal_ratio(tuning, state, t, r, position, target):
    """log Q(d | d*) - log Q(d* | d); the option's probability is that of the way back."""
    outside = weight_outside(tuning, state, t, r)
    leaving = addition_weight(tuning, t, state.antecedent_list[r, position])
    arriving = addition_weight(tuning, t, target)
    return math.log(leaving / (outside + leaving - arriving) * outside / arriving)


@inlined
def change(state, r, position, target):
    """The rule keeps what both antecedents cover, releases the rest, and takes from later ones."""
    length = state.length[r]
    return Change(
        arriving=target,
        leaving=state.antecedent_list[r, position],
        row=state.rows[r, position],
        exists=True,
        stays=True,
        first=position + 1,
        last=length,
        taker=target,
        last_taken=length,
        releases=True,
        first_released=position + 1,
        last_covered=length - 1,
        rest=state.rows[r, length],
        item_from=position,
        item_to=position,
        row_from=position,
        row_to=position,
    )
