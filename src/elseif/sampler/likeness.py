"""Which antecedents are alike: near-synonyms that one step may put in each other's place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif import kernels
from elseif.model.likelihood import rule_log_likelihoods
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of

N_NEAREST = 8  # of each antecedent; the relation is then made mutual
# antecedents that are compared, at most; not by how many words they have, or a weight of 2 would
# no longer be a row that is there twice
MOST_COMPARED = 1536
SAMPLE_WORDS = 2048  # about 131,000 observations tell well enough what is alike


@dataclass(frozen=True)
class Likeness:
    """What may replace antecedent a for its likeness: similar[first[a]:first[a + 1]].

    The relation is mutual: b is among those of a wherever a is among those of b.
    """

    similar: np.ndarray  # int64 (pairs,)
    first: np.ndarray  # int64 (antecedents + 1,)


def no_likeness(pool_size: int) -> Likeness:
    """A pool in which no antecedent is like another."""
    return Likeness(np.zeros(0, dtype=np.int64), np.zeros(pool_size + 1, dtype=np.int64))


def find_likeness(problem: Problem) -> Likeness:
    """Each antecedent's nearest by the correlation of their covers, either sign.

    An antecedent and its opposite are as good as each other before the default rule, hence
    either sign. Of a pool too large to compare all pairs, the antecedents that tell most of
    the labels on their own are compared; of very many observations, a sample is looked at.
    """
    if problem.layout.n_words > 2 * SAMPLE_WORDS:
        problem = sample_of(problem, SAMPLE_WORDS)
    layout, pool_size = problem.layout, problem.pool_size
    n_chosen = min(pool_size, MOST_COMPARED)
    if n_chosen < 2:
        return no_likeness(pool_size)
    members = np.arange(pool_size)[:, None] if problem.members is None else problem.members
    members = members.astype(np.int32)
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    label_counts = np.zeros((pool_size, problem.n_labels), dtype=np.int64)
    room = np.empty(kernels.JOINED_WORDS, dtype=np.uint64)
    kernels.count_conjunctions(problem.covers, members, sections, room, label_counts)
    chosen = np.arange(pool_size)
    if n_chosen < pool_size:
        gain = one_rule_gain(problem, label_counts)
        chosen = np.sort(np.argsort(-gain, kind="stable")[:n_chosen])
    covers = np.empty((n_chosen, layout.n_words), dtype=np.uint64)
    kernels.join_covers(problem.covers, members[chosen], covers)
    sizes = label_counts[chosen].sum(axis=1).astype(float)
    nearest = np.full((n_chosen, min(N_NEAREST, n_chosen - 1)), -1, dtype=np.int64)
    n = float(layout.label_totals.sum())
    kernels.find_nearest(covers, sections, sizes, n, nearest, np.zeros(nearest.shape))
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


def _mutual(chosen: np.ndarray, nearest: np.ndarray, pool_size: int) -> Likeness:
    """The relation of the nearest made mutual, in the pool's numbers."""
    row, column = np.nonzero(nearest >= 0)
    one, other = chosen[row], chosen[nearest[row, column]]
    pairs = np.unique(np.concatenate([one * pool_size + other, other * pool_size + one]))
    n_similar = np.bincount(pairs // pool_size, minlength=pool_size)
    return Likeness(pairs % pool_size, np.concatenate([[0], np.cumsum(n_similar)]))
