"""Kernels: which moves are proposed how often, and how a chain warms up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from elseif import compiled
from elseif.sampler.block_redraws import Redraws
from elseif.sampler.correlation_neighbours import CorrelationNeighbours, no_neighbours
from elseif.sampler.ladder import RungLimits
from elseif.sampler.warm_up import AdaptationWindow, growing_warm_up, plain_warm_up


@dataclass(frozen=True)
class MoveMix:
    """A kernel: relative weights of the moves, inverse temperatures, and a warm-up."""

    move: float
    add: float
    remove: float
    replace: float
    warm_up: Callable[[int], list[AdaptationWindow]]
    # replacements by a correlation neighbour of the antecedent that goes
    replace_by_neighbour: float = 0.0
    # additions at a position drawn from its conditional, and the way back: both or neither
    add_positioned: float = 0.0
    remove_or_reposition: float = 0.0
    # share of the additions that stays uniform over the pool after adaptation
    uniform_share: float = 1.0
    # inverse temperatures: powers of the likelihood that replicas sample, the chain's own 1 first
    betas: tuple[float, ...] = (1.0,)
    # how many of them there may be once they have adapted; None for as many as before
    rungs: RungLimits | None = None
    # steps between two proposals to swap lists with a neighbour in temperature: of the chain, and
    # of a warmer replica
    steps_per_swap: int = 20
    warm_steps_per_swap: int = 10
    # of lists that are made of a few antecedents alone, in long runs
    redraws: Redraws | None = None

    @property
    def option_weights(self) -> tuple[float, ...]:
        """The weights of the moves, in the order of their numbers in compiled code."""
        return (
            self.move,
            self.add,
            self.remove,
            self.replace,
            self.replace_by_neighbour,
            self.add_positioned,
            self.remove_or_reposition,
        )

    def tuning(
        self,
        pool_size: int,
        inclusion: np.ndarray | None = None,
        neighbours: CorrelationNeighbours | None = None,
    ) -> compiled.Tuning:
        """The proposal distribution for compiled code, fixed before any draw is kept.

        ``inclusion`` is the share of an adaptation window that each antecedent was in the list of
        each temperature, to which additions are adapted; None proposes uniformly. ``neighbours``
        may replace each antecedent.
        """
        n_temperatures = len(self.betas) if inclusion is None else len(inclusion)
        weights = np.full((n_temperatures, pool_size), 1.0 / pool_size)
        adapts = self.uniform_share < 1 and inclusion is not None
        if adapts and inclusion is not None:
            weights = np.stack([self._adapted(shares) for shares in inclusion])
        neighbours = neighbours or no_neighbours(pool_size)
        warmer = [self.warm_steps_per_swap] * (n_temperatures - 1)
        return compiled.Tuning(
            option_weights=np.array(self.option_weights, dtype=float),
            addition_weights=weights,
            cumulative=cumulative_weights(weights),
            uniform=not adapts,
            neighbours=neighbours.neighbours,
            first_neighbour=neighbours.first,
            beta=np.array(self.betas, dtype=float),
            steps_per_swap=np.array([self.steps_per_swap, *warmer]),
        )

    def _adapted(self, inclusion: np.ndarray) -> np.ndarray:
        """Part uniform, part in proportion to the variance of being in the list.

        What is always in the list need not be proposed, nor what is never in it: what
        comes and goes is worth proposing.
        """
        uniform = np.full(len(inclusion), 1.0 / len(inclusion))
        variance = inclusion * (1 - inclusion)
        if not variance.sum() > 0:
            return uniform
        return self.uniform_share * uniform + (1 - self.uniform_share) * variance / variance.sum()


def cumulative_weights(weights: np.ndarray) -> np.ndarray:
    """Sums of each row's weights up to every antecedent, beginning with 0."""
    return np.cumsum(np.pad(weights, ((0, 0), (1, 0))), axis=1)


KERNELS = {
    "paper": MoveMix(move=1, add=1, remove=1, replace=0, warm_up=plain_warm_up),
    "tempered": MoveMix(
        move=0,
        add=0,
        remove=0,
        replace=1,
        replace_by_neighbour=2,
        add_positioned=1,
        remove_or_reposition=1,
        warm_up=growing_warm_up,
        uniform_share=0.25,
        betas=(1.0, 0.6, 0.3, 0.12, 0.04, 0.01, 0.002, 0.0),
        rungs=RungLimits(6, 16),
        steps_per_swap=15,
        warm_steps_per_swap=3,
        redraws=Redraws(after=128_000, size=18, every=250),
    ),
}
DEFAULT_KERNEL = "tempered"
