"""What a chain does in the half of its iterations that is discarded."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

# the first lesson of a growing warm-up; the next come after twice as many iterations each
FIRST_LESSON = 125
# an annealed warm-up: the share that anneals, the power of the likelihood it begins with
ANNEALED_SHARE = 0.7
WARMEST = 0.1
N_ANNEALING_STEPS = 20
# and the share after which a first lesson is learnt; the second ends the warm-up
FIRST_ANNEALED_LESSON = 0.8


@dataclass(frozen=True)
class Stage:
    """Iterations up to a point, with the likelihood raised to a power, and a lesson after."""

    until: int
    coldness: float = 1.0
    learn: bool = False  # and move the temperatures to where exchanges are refused equally often


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
    return [*stages, Stage(int(end * FIRST_ANNEALED_LESSON), learn=True), Stage(end, learn=True)]


def growing_warm_up(n_iter: int) -> list[Stage]:
    """A lesson after 125, 250, 500 ... iterations, each from what came since the one before.

    The lessons of a shorter run are the first of a longer one's, so that a run can be made
    longer without beginning again. A run of 250, 500, 1,000 ... iterations keeps all that
    comes after its last lesson.
    """
    stages = []
    until = FIRST_LESSON
    while until <= n_iter // 2:
        stages.append(Stage(until, learn=True))
        until *= 2
    return stages


def plain_warm_up(n_iter: int) -> list[Stage]:
    """The paper's: the chain as it is, for the first half."""
    return [replace(stage, learn=False) for stage in growing_warm_up(n_iter)]
