"""Kernels: which steps are proposed, and how a chain warms up."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from elseif import kernels
from elseif.sampler.warm_up import Stage, annealed_warm_up, learning_warm_up, plain_warm_up

# iterations between two attempts of neighbours in temperature to exchange lists
SWAP_EVERY = 20


@dataclass(frozen=True)
class Kernel:
    """A way to propose the next list: relative weights of the options, and a warm-up."""

    move: float
    add: float
    remove: float
    replace: float
    warm_up: Callable[[int], list[Stage]]
    # share of the additions that stays uniform over the pool once something was learnt
    uniform_share: float = 1.0
    # powers of the likelihood that companions sample, the chain's own 1 first
    coldnesses: tuple[float, ...] = (1.0,)

    def additions(self, pool_size: int, presence: np.ndarray | None = None) -> kernels.Additions:
        """The proposal as the compiled code reads it, after what presence has taught.

        presence[a] is the number of iterations that antecedent a spent in the list
        during warm-up. What is learnt there is frozen before any draw is kept.
        """
        weights = np.full(pool_size, 1.0 / pool_size)
        learns = self.uniform_share < 1 and presence is not None and presence.sum() > 0
        if learns and presence is not None:
            weights = self.uniform_share * weights
            weights += (1 - self.uniform_share) * presence / presence.sum()
        return kernels.Additions(
            option_weights=np.array([self.move, self.add, self.remove, self.replace], dtype=float),
            weights=weights,
            cumulative=np.concatenate([[0.0], np.cumsum(weights)]),
            uniform=not learns,
            coldness=np.array(self.coldnesses, dtype=float),
            swap_every=SWAP_EVERY,
        )


KERNELS = {
    "paper": Kernel(move=1, add=1, remove=1, replace=0, warm_up=plain_warm_up),
    "adaptive": Kernel(
        move=1, add=1, remove=1, replace=1, warm_up=annealed_warm_up, uniform_share=0.5
    ),
    "tempered": Kernel(
        move=1,
        add=1,
        remove=1,
        replace=1,
        warm_up=learning_warm_up,
        uniform_share=0.5,
        coldnesses=(1.0, 0.8, 0.6, 0.42, 0.26, 0.14),
    ),
}
DEFAULT_KERNEL = "tempered"
