"""Where the temperatures of a tempered chain stand: spaced so that lists pass every one."""

from __future__ import annotations

import numpy as np

FEWEST_OFFERS = 20  # exchanges offered to each pair before their rates are believed


def respaced(ladder: np.ndarray, offered: np.ndarray, exchanged: np.ndarray) -> np.ndarray:
    """The same number of powers from 1 to the warmest, with exchanges refused equally often.

    The share of refusals between two powers measures how far apart their targets are; it
    adds up along the ladder, and equal parts of the sum are equal steps (Syed,
    Bouchard-Cote, Deligiannidis and Doucet 2022).
    """
    if len(ladder) < 3 or np.any(offered[:-1] < FEWEST_OFFERS):
        return ladder
    refused = 1 - exchanged[:-1] / offered[:-1]
    # a little of an even spacing keeps rungs from falling onto each other
    barrier = np.concatenate([[0.0], np.cumsum(refused + 0.02)])
    wanted = np.linspace(0, barrier[-1], len(ladder))
    new: np.ndarray = np.interp(wanted, barrier, ladder)
    return new
