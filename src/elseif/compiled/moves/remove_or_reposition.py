"""Remove an antecedent from the list, or else draw its position from its conditional.

The reverse of add_positioned.py. Whether the antecedent is removed does not depend on its position,
so if it stays, its position may be drawn again at no further cost.
"""

import math

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves.additions import addition_weight, weight_outside
from elseif.compiled.positions import LARGEST, add_up_positions, choose_position
from elseif.compiled.structs import Change


@inlined
def log_proposal_ratio(tuning, state, t, r, position, p_remove, p_add):
    """Log of choosing it again, over removing it.

    p_remove is the probability of this option now, p_add that of the way back afterwards.
    """
    weight = addition_weight(tuning, t, state.antecedent_list[r, position])
    share = weight / (weight_outside(tuning, state, t, r) + weight)
    return math.log(p_add * share / (p_remove / state.length[r]))


@inlined
def decide(state, r, largest, log_ratio, u_position, u_accept):
    """Whether it is removed, and where it goes otherwise.

    The ratio is that of an antecedent with no position but the most probable.
    """
    last = state.length[r] - 1
    total = add_up_positions(state, last, largest)
    if u_accept * total < math.exp(min(log_ratio, LARGEST)):
        return True, np.int64(0)
    return False, choose_position(state, last, total, u_position)


@inlined
def change(state, r, position):
    """What is to be counted: what it takes from those before it, and releases to those after."""
    length = state.length[r]
    return Change(
        arriving=np.int64(-1),
        leaving=np.int64(-1),
        row=state.rows[r, position],
        exists=True,
        stays=False,
        first=np.int64(0),
        last=length,
        taker=state.antecedent_list[r, position],
        last_taken=position - 1,
        releases=True,
        first_released=position + 1,
        last_covered=length - 1,
        rest=state.rows[r, length],
        item_from=position,
        item_to=position,
        row_from=position,
        row_to=position,
    )
