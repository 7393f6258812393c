"""The hierarchical prior for antecedent lists (section 2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import gammaln, logsumexp

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class ListPrior:
    """p(d | A, lambda, eta) for the lists over one pool.

    With weights, an antecedent is drawn among the unused ones of its cardinality in
    proportion to its weight; equal weights give the paper's prior.
    """

    cardinalities: np.ndarray
    expected_length: float
    expected_cardinality: float
    weights: np.ndarray

    @property
    def pool_size(self) -> int:
        return len(self.cardinalities)

    @cached_property
    def log_length(self) -> np.ndarray:
        """log p(m): a Poisson truncated to 0..|A|."""
        m = np.arange(self.pool_size + 1)
        log_mass = m * np.log(self.expected_length) - gammaln(m + 1)
        normalised: np.ndarray = log_mass - logsumexp(log_mass)
        return normalised

    @cached_property
    def distinct_cardinalities(self) -> np.ndarray:
        return np.unique(self.cardinalities)

    @cached_property
    def log_mass(self) -> np.ndarray:
        """log of eta^c / c! for each distinct cardinality."""
        c = self.distinct_cardinalities
        log_mass: np.ndarray = c * np.log(self.expected_cardinality) - gammaln(c + 1)
        return log_mass

    @property
    def is_weighted(self) -> bool:
        return bool(self.pool_size) and not np.all(self.weights == self.weights[0])

    def log_probability(self, antecedent_list: Sequence[int]) -> float:
        """Log prior of an antecedent list, drawn cardinality by cardinality."""
        total = float(self.log_length[len(antecedent_list)])
        unused = np.ones(self.pool_size, dtype=bool)
        for a in antecedent_list:
            c = self.cardinalities[a]
            available = np.isin(self.distinct_cardinalities, self.cardinalities[unused])
            log_mass = self.log_mass[self.distinct_cardinalities == c][0]
            total += float(log_mass - logsumexp(self.log_mass[available]))
            same = unused & (self.cardinalities == c)
            total += float(np.log(self.weights[a] / self.weights[same].sum()))
            unused[a] = False
        return total

    def draw(self, rng: np.random.Generator) -> list[int]:
        """An antecedent list from the prior, by following the generative model."""
        length = _draw(np.exp(self.log_length), rng)
        unused = np.ones(self.pool_size, dtype=bool)
        drawn: list[int] = []
        for _ in range(length):
            available = np.isin(self.distinct_cardinalities, self.cardinalities[unused])
            log_mass = np.where(available, self.log_mass, -np.inf)
            c = self.distinct_cardinalities[_draw(np.exp(log_mass - log_mass.max()), rng)]
            same = np.flatnonzero(unused & (self.cardinalities == c))
            a = int(same[_draw(self.weights[same], rng)])
            unused[a] = False
            drawn.append(a)
        return drawn


def _draw(masses: np.ndarray, rng: np.random.Generator) -> int:
    """An index in proportion to masses, by one uniform."""
    cumulative = np.cumsum(masses)
    index = int(np.searchsorted(cumulative, rng.random() * cumulative[-1], side="right"))
    return min(index, int(np.flatnonzero(masses)[-1]))
