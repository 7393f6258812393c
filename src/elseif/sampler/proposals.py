"""Which steps a kernel proposes, and how it learns where to look."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif import kernels


@dataclass(frozen=True)
class Kernel:
    """A way to propose the next list: relative weights of the options, and adaptation."""

    move: float
    add: float
    remove: float
    replace: float
    # share of additions that stays uniform over the pool; 1 means nothing is learnt
    uniform_share: float

    @property
    def is_adaptive(self) -> bool:
        return self.uniform_share < 1

    def additions(self, pool_size: int, presence: np.ndarray | None = None) -> kernels.Additions:
        """The proposal as the compiled code reads it, after what presence has taught.

        presence[a] is the number of iterations that antecedent a spent in the list
        during warm-up. What is learnt there is frozen before any draw is kept.
        """
        weights = np.full(pool_size, 1.0 / pool_size)
        learns = self.is_adaptive and presence is not None and presence.sum() > 0
        if learns:
            assert presence is not None
            weights = self.uniform_share * weights
            weights += (1 - self.uniform_share) * presence / presence.sum()
        return kernels.Additions(
            option_weights=np.array([self.move, self.add, self.remove, self.replace]),
            weights=weights,
            cumulative=np.concatenate([[0.0], np.cumsum(weights)]),
            uniform=not learns,
        )


KERNELS = {
    "paper": Kernel(move=1, add=1, remove=1, replace=0, uniform_share=1),
    "adaptive": Kernel(move=1, add=1, remove=1, replace=1, uniform_share=0.3),
}
DEFAULT_KERNEL = "adaptive"
