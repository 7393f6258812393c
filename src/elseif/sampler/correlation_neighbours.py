"""Correlation neighbours: near-synonyms that one step may put in each other's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif import compiled
from elseif.bits.counting import conjunction_counts
from elseif.model.likelihood import rule_log_likelihoods
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of

N_NEAREST = 8  # of each antecedent; the relation is then made mutual
# antecedents that are compared, at most; not by how many words they have, or a weight of 2 would
# no longer be a row that is there twice
MOST_COMPARED = 1536
SAMPLE_WORDS = 2048  # about 131,000 observations: enough to estimate correlations


@dataclass(frozen=True)
class CorrelationNeighbours:
    """The neighbours of antecedent a: neighbours[first[a]:first[a + 1]].

    The relation is mutual: b is among those of a wherever a is among those of b.
    """

    neighbours: np.ndarray  # int64 (pairs,)
    first: np.ndarray  # int64 (antecedents + 1,)


def no_neighbours(pool_size: int) -> CorrelationNeighbours:
    """A pool in which no antecedent has a neighbour."""
    return CorrelationNeighbours(
        np.zeros(0, dtype=np.int64), np.zeros(pool_size + 1, dtype=np.int64)
    )


def find_neighbours(problem: Problem) -> CorrelationNeighbours:
    """Each antecedent's nearest by the correlation of their covers, either sign.

    An antecedent and its opposite are as good as each other before the default rule, hence
    either sign. Of a pool too large to compare all pairs, the antecedents that say most about
    the labels on their own are compared; of very many observations, a sample is looked at.
    """
    is_large = problem.layout.n_words > 2 * SAMPLE_WORDS
    problem = sample_of(problem, SAMPLE_WORDS) if is_large else problem.local()
    layout, pool_size = problem.layout, problem.pool_size
    n_chosen = min(pool_size, MOST_COMPARED)
    if n_chosen < 2:
        return no_neighbours(pool_size)
    condition_ids = problem.condition_ids
    if condition_ids is None:  # each the conjunction of itself
        condition_ids = np.arange(pool_size)[:, None]
    condition_ids = condition_ids.astype(np.int32)
    label_counts = conjunction_counts(problem.covers, condition_ids, layout)
    chosen = np.arange(pool_size)
    if n_chosen < pool_size:
        gain = one_rule_gain(problem, label_counts)
        chosen = np.sort(np.argsort(-gain, kind="stable")[:n_chosen])
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    covers = np.empty((n_chosen, layout.n_words), dtype=np.uint64)
    compiled.join_covers(problem.covers, condition_ids[chosen], covers)
    sizes = label_counts[chosen].sum(axis=1).astype(float)
    nearest = np.full((n_chosen, min(N_NEAREST, n_chosen - 1)), -1, dtype=np.int64)
    n = float(layout.label_totals.sum())
    compiled.find_nearest(covers, sections, sizes, n, nearest, np.zeros(nearest.shape))
    return _mutual(chosen, nearest, pool_size)


def one_rule_gain(problem: Problem, label_counts: np.ndarray) -> np.ndarray:
    """Log Bayes factor of the list of one antecedent against the empty list, of each."""
    totals = problem.layout.label_totals
    unit, pseudocounts = problem.layout.unit, problem.pseudocounts
    return (
        rule_log_likelihoods(label_counts * unit, pseudocounts)
        + rule_log_likelihoods((totals - label_counts) * unit, pseudocounts)
        - rule_log_likelihoods(totals * unit, pseudocounts)
    )


def _mutual(chosen: np.ndarray, nearest: np.ndarray, pool_size: int) -> CorrelationNeighbours:
    """The relation of the nearest made mutual, in the pool's numbers."""
    row, column = np.nonzero(nearest >= 0)
    one, other = chosen[row], chosen[nearest[row, column]]
    pairs = np.unique(np.concatenate([one * pool_size + other, other * pool_size + one]))
    n_neighbours = np.bincount(pairs // pool_size, minlength=pool_size)
    return CorrelationNeighbours(pairs % pool_size, np.concatenate([[0], np.cumsum(n_neighbours)]))
