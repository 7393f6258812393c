"""A problem as the compiled code reads it: every logarithm looked up, not computed."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import logsumexp

from elseif import compiled
from elseif.model.likelihood import log_pochhammer
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.correlation_neighbours import CorrelationNeighbours, find_neighbours

if TYPE_CHECKING:
    from elseif.sampler.exact_sum import ExactSum

# beyond this count, log Gamma is computed rather than looked up: 8 MB a table
LONGEST_TABLE = 1 << 20


@dataclass(frozen=True)
class CompiledProblem:
    """A problem's tables, made once and read by every chain."""

    problem: Problem
    data: compiled.Data
    prior: compiled.Prior

    @classmethod
    def of(cls, problem: Problem) -> CompiledProblem:
        return cls(problem, data_tables(problem), prior_tables(problem.prior))

    @cached_property
    def neighbours(self) -> CorrelationNeighbours:
        """The correlation neighbours of each antecedent, for kernels that ask."""
        return find_neighbours(self.problem)

    @cached_property
    def block_sums(self) -> dict[tuple[int, ...], ExactSum]:
        """Sums over the lists of some antecedents, the last that chains drew from."""
        return {}


def prior_tables(prior: ListPrior) -> compiled.Prior:
    """The prior of section 2.4 as tables."""
    classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
    n_classes = len(prior.distinct_cardinalities)
    counts = np.arange(prior.pool_size + 1, dtype=float)
    return compiled.Prior(
        log_length=prior.log_length,
        cardinality_class=classes.astype(np.int64),
        log_mass=prior.log_mass,
        class_sizes=np.bincount(classes, minlength=n_classes).astype(np.int64),
        weights=prior.weights,
        class_weights=np.bincount(classes, weights=prior.weights, minlength=n_classes),
        log_counts=np.log(np.maximum(counts, 1.0)),
        log_whole=float(logsumexp(prior.log_mass)),
        weighted=prior.is_weighted,
    )


def data_tables(problem: Problem) -> compiled.Data:
    """The likelihood of section 2.5 as packed covers and tables."""
    layout = problem.layout
    total = float(problem.pseudocounts.sum())
    own = np.empty((problem.pool_size, 0))  # every antecedent has its own cover
    condition_ids = own if problem.condition_ids is None else problem.condition_ids
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    if problem.shards is not None:  # who have all of that; here, there is nothing to count
        none = np.zeros(0, dtype=np.int64)
        condition_ids, sections = own, (np.zeros(1, dtype=np.int64), none, none)
    return compiled.Data(
        covers=problem.covers,
        condition_ids=condition_ids.astype(np.int64),
        everyone=np.zeros(0, np.uint64) if problem.shards is not None else layout.everyone(),
        section_starts=sections[0],
        section_labels=sections[1],
        section_weights=sections[2],
        pseudocounts=problem.pseudocounts,
        pseudocount_total=total,
        log_pochhammer=log_pochhammer_tables(
            problem.pseudocounts, int(layout.label_totals.sum()), layout.unit
        ),
        count_unit=layout.unit,
    )


def log_pochhammer_tables(pseudocounts: np.ndarray, n_counted: int, unit: float) -> np.ndarray:
    """log Gamma(k + alpha) - log Gamma(alpha): of each label, and in the last row of their sum."""
    n_entries = min(n_counted + 1, LONGEST_TABLE)
    total = float(np.sum(pseudocounts))
    return np.stack([log_pochhammer(alpha, n_entries, unit) for alpha in (*pseudocounts, total)])
