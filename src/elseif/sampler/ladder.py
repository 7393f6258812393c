"""The temperature ladder of a tempered chain: as many rungs as lists need to climb all of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

FEWEST_SWAPS = 20  # proposed to each pair before their rates are believed
# share of swaps to be rejected between neighbours: with fewer, there are rungs to spare
WANTED_REJECTION = 0.45
# an inverse temperature of 0 has no logarithm: between it and its neighbour rungs are placed as if
# it were the neighbour's by this factor
ZERO_STANDS_FOR = 1 / 16


@dataclass(frozen=True)
class RungLimits:
    """How many temperatures a ladder may have."""

    fewest: int = 1
    most: int = 1


def adapt_ladder(
    betas: np.ndarray, proposed: np.ndarray, accepted: np.ndarray, limits: RungLimits | None = None
) -> np.ndarray:
    """Inverse temperatures spaced so that swaps are rejected equally often.

    The rejection rate between two inverse temperatures measures how far apart their targets are; it
    adds up along the ladder to the communication barrier, and equal parts of the sum are equal
    steps (Syed, Bouchard-Cote, Deligiannidis and Doucet 2022). The height of the barrier says how
    many rungs are needed for the desired rejection rate; without ``limits``, their number stays.
    The first (1) and the last inverse temperature stay. If too few swaps were proposed, the old
    ladder is returned.
    """
    if len(betas) < 3 or np.any(proposed[:-1] < FEWEST_SWAPS):
        return betas
    rejected = 1 - accepted[:-1] / proposed[:-1]
    n_rungs = len(betas)
    if limits is not None:
        wanted_gaps = int(np.ceil(rejected.sum() / WANTED_REJECTION))
        n_rungs = int(np.clip(wanted_gaps + 1, limits.fewest, limits.most))
    # a little of an even spacing keeps rungs from falling onto each other
    barrier = np.concatenate([[0.0], np.cumsum(rejected + 0.02)])
    wanted = np.linspace(0, barrier[-1], n_rungs)
    new: np.ndarray = np.exp(np.interp(wanted, barrier, _log(betas)))
    new[[0, -1]] = betas[[0, -1]]
    return new


def nearest_rungs(betas: np.ndarray, new_betas: np.ndarray) -> np.ndarray:
    """For each rung of a new ladder, the rung of the old one that is nearest."""
    distance = np.abs(_log(new_betas)[:, None] - _log(betas))
    nearest: np.ndarray = distance.argmin(axis=1)
    return nearest


def _log(betas: np.ndarray) -> np.ndarray:
    """Logarithms, and a finite value for a last one of 0."""
    if betas[-1] > 0 or len(betas) < 2:
        return np.log(betas)
    return np.log([*betas[:-1], betas[-2] * ZERO_STANDS_FOR])
