"""Two separated modes with thousands of observations, and a ladder that cannot connect them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.run_length_draws import RunLengthDraws
from elseif.sampler.warm_up import plain_warm_up
from tests.sampler.cases import Case
from tests.sampler.exact.test_tempering import TWO_MODES

N_IDLE = 14


# as adaptation spaces it; nothing adapts here, so that the warmest keeps a power of 0.1. How often
# such runs look converged depends on the steps between swaps, which are therefore given
OLD_LADDER: MoveMix = dataclasses.replace(
    KERNELS["tempered"],
    betas=(1.0, 0.6, 0.4, 0.25, 0.16, 0.1),
    warm_up=plain_warm_up,
    steps_per_swap=15,
    warm_steps_per_swap=5,
)


def scaled_two_modes(copies: int) -> Case:
    """Copies of the rows of TWO_MODES, and antecedents that have nothing to do with the labels."""
    truths = np.tile(TWO_MODES.truths, copies)
    n = truths.shape[1]
    idle = np.random.default_rng(copies).random((N_IDLE, n // 2)) < 0.3
    half = TWO_MODES.truths.shape[1] // 2
    # the two halves of every copy trade places with the modes: give both the same idle ones
    order = np.arange(n).reshape(copies, 2, half)
    both = np.empty((N_IDLE, n), dtype=bool)
    both[:, order[:, 0].ravel()] = idle
    both[:, order[:, 1].ravel()] = idle
    return Case(
        "scaled-two-modes",
        np.concatenate([truths, both]),
        np.tile(TWO_MODES.labels, copies),
        (1,) * (4 + N_IDLE),
        (1.0, 1.0),
        antecedent_weights=(1.0, 1.0, 2.0, 1.0, *[1.0] * N_IDLE),
    )


def mode_share(chains: Sequence[RunLengthDraws]) -> float:
    """Share of the draws in the family of antecedents 2 and 3, by which comes first."""
    inside = total = 0
    for runs in chains:
        for start, stop, n in zip(runs.offsets[:-1], runs.offsets[1:], runs.n_draws, strict=True):
            first = [a for a in runs.items[start:stop].tolist() if a < 4][:1]
            total += int(n) if first else 0
            inside += int(n) if first and first[0] >= 2 else 0
    return inside / total
