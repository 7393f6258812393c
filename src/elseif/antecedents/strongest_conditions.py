"""Wide tables: pairs of the conditions with most evidence, where all pairs would be too many."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from elseif.antecedents.screening import screen
from elseif.bits.packing import BitLayout
from elseif.shards.shards import Shards

FEWER = 0.75  # times as many conditions in every next try


def join_the_strongest(
    covers: np.ndarray | Shards,
    n_conditions: int,
    layout: BitLayout,
    pseudocounts: np.ndarray,
    join: Callable[[np.ndarray], np.ndarray | None],
) -> tuple[np.ndarray, str]:
    """Single conditions, and the frequent pairs of as many conditions as the limits allow.

    ``join`` takes the numbers of some conditions, ascending, and returns their frequent
    conjunctions as rows of numbers among these, or None if there are too many. The result has one
    row of two condition numbers for each antecedent (-1 for none), and a note for the fit report.
    """
    single = np.full((n_conditions, 2), -1, dtype=np.int32)
    single[:, 0] = np.arange(n_conditions)
    members, n_joined, places = None, n_conditions, np.arange(n_conditions)
    while members is None:
        n_joined = int(FEWER * n_joined)
        places = screen(covers, single[:, :1], layout, pseudocounts, n_joined)
        members = join(places)
    numbers = np.where(members >= 0, places.astype(np.int32)[members], -1)
    others = np.delete(single, places, axis=0)
    note = (
        f"Of {n_conditions:,} conditions the {n_joined:,} with most evidence were joined in pairs; "
        "all would give too many to choose from. The others can be used alone."
    )
    return np.concatenate([numbers, others]).astype(np.int32), note
