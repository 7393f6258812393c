"""Move an antecedent to another position of the list (section 2.6).

Every move is as likely as its reverse, so the Hastings ratio is 1.
"""

import numpy as np

from elseif.compiled.jit import inlined
from elseif.compiled.structs import Change


@inlined
def is_possible(length):
    """Whether there is another position."""
    return length > 1


@inlined
def propose(length, u_position, u_target):
    """The position of the rule now, and afterwards: any other."""
    position = min(np.int64(u_position * length), length - 1)
    target = min(np.int64(u_target * (length - 1)), length - 2)
    if target >= position:
        target += 1
    return position, target


@inlined
def change(state, r, position, target):
    """Moved up, the rule takes from those it passes; moved down, it releases what they cover."""
    goes_up = target < position
    row = state.rows[r, position]
    first = target if goes_up else position + 1
    last = position - 1 if goes_up else target
    taker = state.antecedent_list[r, position] if goes_up else np.int64(-1)
    return Change(
        arriving=np.int64(-1),
        leaving=np.int64(-1),
        row=row,
        exists=True,
        stays=True,
        first=first,
        last=last,
        taker=taker,
        last_taken=last,
        releases=not goes_up,
        first_released=first,
        last_covered=last,
        rest=row,
        item_from=position,
        item_to=target,
        row_from=position,
        row_to=target,
    )
