"""A pool's covers, the labels, and the prior: what a posterior is made of."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elseif.bits.packing import WORD_BITS, BitLayout
from elseif.model.prior import ListPrior
from elseif.shards.shards import Shards


@dataclass(frozen=True)
class Problem:
    """What the posterior over antecedent lists depends on (section 2.3).

    covers[a] is the cover of antecedent a; or, where the covers of all conjunctions would not fit
    into memory, covers[c] is that of condition c, and condition_ids[a] are the conditions of a.

    Where not even these fit into the memory of one machine, shards hold the observations, and
    covers have no words; what is looked at as a whole or in a sample is fetched from them.
    """

    covers: np.ndarray  # uint64 (antecedents or conditions, words), packed by the layout
    layout: BitLayout
    pseudocounts: np.ndarray
    prior: ListPrior
    condition_ids: np.ndarray | None = None  # int (antecedents, most conditions), -1 for none
    shards: Shards | None = None  # who holds the observations, where it is not this machine
    # the whole problem on this machine, where the observations in shards are few enough
    small: Problem | None = None

    @property
    def pool_size(self) -> int:
        return self.prior.pool_size

    @property
    def n_labels(self) -> int:
        return len(self.pseudocounts)

    def local(self) -> Problem:
        """The same problem with its observations on this machine: itself, unless it has shards."""
        if self.shards is None:
            return self
        if self.small is not None:
            return replace(self.small, pseudocounts=self.pseudocounts, prior=self.prior)
        covers, layout = self.shards.all_words()
        return replace(self, covers=covers, layout=layout, shards=None)

    def conditions_of(self, antecedent: int) -> np.ndarray:
        """The rows of covers that an antecedent is the conjunction of."""
        if self.condition_ids is None:
            return np.array([antecedent])
        condition_ids = self.condition_ids[antecedent]
        return condition_ids[condition_ids >= 0]

    def cover(self, antecedent: int) -> np.ndarray:
        """Packed cover of one antecedent."""
        return np.bitwise_and.reduce(self.covers[self.conditions_of(antecedent)], axis=0)

    def covers_at(self, antecedents: np.ndarray, words: slice) -> np.ndarray:
        """Some words of the covers of some antecedents, one row each."""
        if self.condition_ids is None:
            return np.ascontiguousarray(self.covers[antecedents, words])
        every_bit = ~np.zeros_like(self.covers[:1, words])  # where there is no further condition
        covers = np.vstack([self.covers[:, words], every_bit])
        joined: np.ndarray = np.bitwise_and.reduce(covers[self.condition_ids[antecedents]], axis=1)
        return np.ascontiguousarray(joined)

    def truth_at(self, bits: np.ndarray) -> np.ndarray:
        """Whether each antecedent (rows) is true of the observations at some bits (columns)."""
        words, shifts = bits // WORD_BITS, (bits % WORD_BITS).astype(np.uint64)
        truth = (self.covers[:, words] >> shifts & np.uint64(1)).astype(bool)
        if self.condition_ids is None:
            return truth
        nothing = np.ones((1, len(bits)), dtype=bool)  # where there is no further condition
        joined: np.ndarray = np.vstack([truth, nothing])[self.condition_ids].all(axis=1)
        return joined
