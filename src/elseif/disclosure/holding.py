"""Enforcing the minimum cell: what one command writes is attacked before it is written."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from elseif.disclosure.attack import recovered_cells
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.errors import DisclosureError

Made = TypeVar("Made")

MULTIPLES = (1, 2, 4, 8)  # of the minimum cell, tried in turn


def hold(min_cell: int, attempt: Callable[[Rounding], tuple[Made, Iterable[Cells]]]) -> Made:
    """What a command writes, rounded as finely as the attack allows.

    ``attempt`` takes a rounding, and returns everything that would be written and the cells that it
    published; the first result from which nothing can be recovered is returned.
    """
    for multiple in MULTIPLES:
        made, published = attempt(Rounding(min_cell, multiple * min_cell))
        if not any(cells.unrounded or recovered_cells(cells) for cells in published):
            return made
    raise DisclosureError(
        f"Numbers of fewer than {min_cell} people could be reconstructed even from counts rounded "
        f"to multiples of {MULTIPLES[-1] * min_cell}, so nothing was written. Write fewer files or "
        "subgroups at once, or use a larger min_cell."
    )
