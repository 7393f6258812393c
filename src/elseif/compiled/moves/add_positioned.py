"""Add an antecedent from outside the list, at a position drawn from its conditional.

Whether it is added is decided by the sum over all positions, so it does not depend on the
position. The way back is to remove it, wherever it is (remove_or_reposition.py).
"""

import math

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.moves.additions import addition_weight, choose_addition, weight_outside
from elseif.compiled.positions import LARGEST, add_up_positions, choose_position


@inlined
def propose(tuning, state, t, r, u_target):
    """The antecedent; all positions from the first on are looked at."""
    return np.int64(0), choose_addition(tuning, state, t, r, u_target)


@inlined
def log_proposal_ratio(tuning, state, t, r, target, p_add, p_remove):
    """Log of removing it again, over choosing it.

    p_add is the probability of this option now, p_remove that of the way back afterwards.
    """
    share = addition_weight(tuning, t, target) / weight_outside(tuning, state, t, r)
    return math.log(p_remove / (state.length[r] + 1) / (p_add * share))


@inlined
def decide(state, r, largest, log_ratio, u_position, u_accept):
    """Whether it is added, and where.

    The ratio is what all positions but the most probable add nothing to.
    """
    last = state.length[r]
    ratio = math.exp(min(log_ratio, LARGEST))
    if u_accept >= ratio * (last + 1):  # no sum over positions is larger
        return False, np.int64(0)
    total = add_up_positions(state, last, largest)
    if u_accept >= ratio * total:
        return False, np.int64(0)
    return True, choose_position(state, last, total, u_position)
