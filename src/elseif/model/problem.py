"""A pool's covers, the labels, and the prior: what a posterior is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif.model.prior import ListPrior
from elseif.tables.packing import Layout


@dataclass(frozen=True)
class Problem:
    """Everything that the posterior over antecedent lists depends on (section 2.3)."""

    covers: np.ndarray  # uint64 (antecedents, words), packed by the layout
    layout: Layout
    pseudocounts: np.ndarray
    prior: ListPrior

    @property
    def pool_size(self) -> int:
        return self.prior.pool_size

    @property
    def n_labels(self) -> int:
        return len(self.pseudocounts)
