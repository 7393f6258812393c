"""The temperature ladder of a tempered chain: spaced so that lists pass every rung."""

from __future__ import annotations

import numpy as np

FEWEST_SWAPS = 20  # proposed to each pair before their rates are believed


def adapt_ladder(betas: np.ndarray, proposed: np.ndarray, accepted: np.ndarray) -> np.ndarray:
    """The same number of inverse temperatures, spaced so that swaps are rejected equally often.

    The rejection rate between two inverse temperatures measures how far apart their targets are;
    it adds up along the ladder, and equal parts of the sum are equal steps (Syed,
    Bouchard-Cote, Deligiannidis and Doucet 2022).

    Parameters
    ----------
    betas : ndarray of shape (temperatures,)
        Inverse temperatures, from 1 down; the first and the last stay.
    proposed, accepted : ndarray of shape (temperatures,)
        Swaps of each temperature with the next warmer one.

    Returns
    -------
    ndarray of shape (temperatures,)
        The new inverse temperatures; the old ones where too few swaps were proposed.
    """
    if len(betas) < 3 or np.any(proposed[:-1] < FEWEST_SWAPS):
        return betas
    rejected = 1 - accepted[:-1] / proposed[:-1]
    # a little of an even spacing keeps rungs from falling onto each other
    barrier = np.concatenate([[0.0], np.cumsum(rejected + 0.02)])
    wanted = np.linspace(0, barrier[-1], len(betas))
    new: np.ndarray = np.interp(wanted, barrier, betas)
    return new
