"""Kernels: which steps are proposed, and how a chain warms up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from elseif import kernels
from elseif.sampler.likeness import Likeness, no_likeness
from elseif.sampler.warm_up import Stage, annealed_warm_up, growing_warm_up, plain_warm_up

# iterations between two attempts of neighbours in temperature to exchange lists
SWAP_EVERY = 20
# steps that a companion takes in that time
COMPANION_STEPS = 10


@dataclass(frozen=True)
class Kernel:
    """A way to propose the next list: relative weights of the options, and a warm-up."""

    move: float
    add: float
    remove: float
    replace: float
    warm_up: Callable[[int], list[Stage]]
    # replacements by an antecedent that is like the one that goes
    replace_by_similar: float = 0.0
    # share of the additions that stays uniform over the pool once something was learnt
    uniform_share: float = 1.0
    # powers of the likelihood that companions sample, the chain's own 1 first
    coldnesses: tuple[float, ...] = (1.0,)
    # whether a longer run begins as a shorter one, so that a run can be continued
    continues: bool = True

    @property
    def uniform_proposals(self) -> float:
        """Share of the proposals that bring in an antecedent chosen uniformly from the pool."""
        total = self.move + self.add + self.remove + self.replace + self.replace_by_similar
        return self.uniform_share * (self.add + self.replace) / total

    def additions(
        self,
        pool_size: int,
        inclusion: np.ndarray | None = None,
        likeness: Likeness | None = None,
    ) -> kernels.Tuning:
        """The proposal as the compiled code reads it, after what inclusion has taught.

        inclusion[t, a] is the share of the time that antecedent a was in the list of
        temperature t during warm-up. What is learnt there is frozen before any draw is kept.
        """
        n_temperatures = len(self.coldnesses)
        weights = np.full((n_temperatures, pool_size), 1.0 / pool_size)
        learns = self.uniform_share < 1 and inclusion is not None
        if learns and inclusion is not None:
            weights = np.stack([self._learnt(shares) for shares in inclusion])
        likeness = likeness or no_likeness(pool_size)
        return kernels.Tuning(
            option_weights=np.array(
                [self.move, self.add, self.remove, self.replace, self.replace_by_similar],
                dtype=float,
            ),
            weights=weights,
            cumulative=np.cumsum(np.pad(weights, ((0, 0), (1, 0))), axis=1),
            uniform=not learns,
            similar=likeness.similar,
            first_similar=likeness.first,
            coldness=np.array(self.coldnesses, dtype=float),
            turns=np.array([SWAP_EVERY] + [COMPANION_STEPS] * (n_temperatures - 1)),
        )

    def _learnt(self, inclusion: np.ndarray) -> np.ndarray:
        """Part uniform, part in proportion to the variance of being in the list.

        What is always in the list need not be proposed, nor what is never in it: what
        comes and goes is worth proposing.
        """
        uniform = np.full(len(inclusion), 1.0 / len(inclusion))
        variance = inclusion * (1 - inclusion)
        if not variance.sum() > 0:
            return uniform
        return self.uniform_share * uniform + (1 - self.uniform_share) * variance / variance.sum()


KERNELS = {
    "paper": Kernel(move=1, add=1, remove=1, replace=0, warm_up=plain_warm_up),
    "adaptive": Kernel(
        move=1,
        add=1,
        remove=1,
        replace=1,
        warm_up=annealed_warm_up,
        uniform_share=0.25,
        continues=False,
    ),
    "informed": Kernel(
        move=1,
        add=1,
        remove=1,
        replace=1,
        replace_by_similar=2,
        warm_up=annealed_warm_up,
        uniform_share=0.25,
        continues=False,
    ),
    "tempered": Kernel(
        move=1,
        add=1,
        remove=1,
        replace=1,
        replace_by_similar=2,
        warm_up=growing_warm_up,
        uniform_share=0.25,
        coldnesses=(1.0, 0.78, 0.55, 0.36, 0.21, 0.1),
    ),
}
DEFAULT_KERNEL = "tempered"
