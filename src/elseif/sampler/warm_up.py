"""What a chain does in the half of its iterations that is discarded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# share of the warm-up that anneals, and the power of the likelihood it begins with
ANNEALED_SHARE = 0.7
WARMEST = 0.1
N_ANNEALING_STEPS = 20
UNLEARNT_SHARE = 0.5  # of a warm-up that does not anneal: nothing is learnt before
# share of the warm-up after which a first lesson is learnt; the second ends the warm-up
FIRST_LESSON = 0.8


@dataclass(frozen=True)
class Stage:
    """Iterations up to a point, with the likelihood raised to a power, and a lesson after."""

    until: int
    coldness: float = 1.0
    learn: bool = False
    respace: bool = False  # move the temperatures to where exchanges are refused equally often


def plain_warm_up(n_iter: int) -> list[Stage]:
    """The paper's: the chain as it is, for the first half."""
    return [Stage(n_iter // 2)]


def annealed_warm_up(n_iter: int) -> list[Stage]:
    """From warm to cold, so that a chain is not caught by the first good list it meets.

    While the likelihood counts for less, lists far apart are a few easy steps away. Then
    two stretches of the posterior itself teach which antecedents are worth proposing.
    """
    end = n_iter // 2
    stages = [
        Stage(int(end * ANNEALED_SHARE * (i + 1) / N_ANNEALING_STEPS), float(coldness))
        for i, coldness in enumerate(np.geomspace(WARMEST, 1, N_ANNEALING_STEPS))
    ]
    return [*stages, Stage(int(end * FIRST_LESSON), learn=True), Stage(end, learn=True)]


def learning_warm_up(n_iter: int) -> list[Stage]:
    """Find the way first, then learn twice which antecedents are worth proposing."""
    end = n_iter // 2
    return [
        Stage(int(end * UNLEARNT_SHARE / 2), respace=True),
        Stage(int(end * UNLEARNT_SHARE), respace=True),
        Stage(int(end * FIRST_LESSON), learn=True, respace=True),
        Stage(end, learn=True),
    ]
