"""The exact posterior over the Titanic's rule lists, by summing over all of them.

What the rules of a list capture together, and the prior of the next rule, depend on the set
of antecedents used so far and not on their order. So the sum over all ordered lists of 15
antecedents (3.6e12 of them) is a sum over paths through their 32,768 subsets.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from scipy.special import gammaln, logsumexp

LENGTH, CARDINALITY = 3.0, 1.0  # lambda and eta
LEAST_SUPPORT = 0.1
GROUPS = (("female", "adult"), ("female", "child"), ("male", "adult"), ("male", "child"))

# (died, survived), copied from the published counts and not from the package
PAPER_SPLIT = {
    "1st": ((4, 112), (0, 1), (92, 46), (0, 3)),
    "2nd": ((9, 62), (0, 12), (123, 13), (0, 9)),
    "3rd": ((75, 65), (15, 13), (303, 61), (25, 13)),
    "crew": ((3, 16), (0, 0), (530, 156), (0, 0)),
}
ALL_PASSENGERS = {
    "1st": ((4, 140), (0, 1), (118, 57), (0, 5)),
    "2nd": ((13, 80), (0, 13), (154, 14), (0, 11)),
    "3rd": ((89, 76), (17, 14), (387, 75), (35, 13)),
    "crew": ((3, 20), (0, 0), (670, 192), (0, 0)),
}

Counts = dict[str, tuple[tuple[int, int], ...]]


@dataclass(frozen=True, eq=False)
class Exact:
    """The posterior of every list, over subsets of the antecedents as bit masks."""

    names: tuple[str, ...]
    cells: tuple[tuple[str, str, str], ...]  # class, sex, age
    covers: np.ndarray  # bool (antecedents, cells)
    log_step: np.ndarray  # (subsets, antecedents): prior and likelihood of the next rule
    log_end: np.ndarray  # (subsets,): prior of the length and likelihood of the default rule
    log_evidence: float
    lengths: np.ndarray  # p(m)
    inclusion: np.ndarray  # p(antecedent is in the list)
    predictive: np.ndarray  # p(survived) of each cell, averaged over the posterior

    def log_posterior(self, antecedents: tuple[str, ...]) -> float:
        """log of the prior times the likelihood of a list, by names."""
        total, used = 0.0, 0
        for name in antecedents:
            a = self.names.index(name)
            total += self.log_step[used, a]
            used |= 1 << a
        return float(total + self.log_end[used])

    def probability(self, antecedents: tuple[str, ...]) -> float:
        """p(d | x, y)."""
        return float(np.exp(self.log_posterior(antecedents) - self.log_evidence))


def enumerate_titanic(counts: Counts) -> Exact:
    """Sum over all lists, forwards and backwards."""
    cells = tuple((c, *group) for c in counts for group in GROUPS)
    labels = np.array([n for groups in counts.values() for n in groups])  # (cells, 2)
    names, covers, cardinalities = _antecedents(cells, labels.sum(axis=1))
    n, n_subsets = len(names), 1 << len(names)
    used = (np.arange(n_subsets)[:, None] >> np.arange(n) & 1).astype(bool)
    left = ~(used.astype(int) @ covers.astype(int) > 0)  # (subsets, cells)
    caught = np.einsum("sc,ac,cl->sal", left, covers, labels)
    log_step = _log_beta(caught) + _log_prior_step(used, cardinalities)
    log_step[used] = -np.inf
    sizes = used.sum(axis=1)
    log_length = np.arange(n + 1) * np.log(LENGTH) - gammaln(np.arange(n + 2)[1:])
    log_length -= logsumexp(log_length)
    rest = left.astype(int) @ labels
    log_end = log_length[sizes] + _log_beta(rest)
    forward, backward = _both_ways(log_step, log_end, sizes)
    log_evidence = float(backward[0])
    ends = np.exp(forward + log_end - log_evidence)  # p(the list's antecedents are this set)
    return Exact(
        names=names,
        cells=cells,
        covers=covers,
        log_step=log_step,
        log_end=log_end,
        log_evidence=log_evidence,
        lengths=np.bincount(sizes, weights=ends),
        inclusion=ends @ used,
        predictive=_predictive(
            log_step, forward, backward, log_evidence, left, covers, caught, ends, rest
        ),
    )


def _antecedents(
    cells: tuple[tuple[str, str, str], ...], sizes: np.ndarray
) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
    """Conjunctions of one or two conditions that a tenth of the passengers satisfy."""
    values = {"class": 0, "sex": 1, "age": 2}
    conditions = {
        (column, value): np.array([cell[index] == value for cell in cells])
        for column, index in values.items()
        for value in dict.fromkeys(cell[index] for cell in cells)
    }
    result: dict[str, tuple[np.ndarray, int]] = {}
    for k in (1, 2):
        for parts in itertools.combinations(conditions, k):
            if len({column for column, _ in parts}) < k:
                continue
            if any(sizes @ conditions[part] < LEAST_SUPPORT * sizes.sum() for part in parts):
                continue
            cover = np.logical_and.reduce([conditions[part] for part in parts])
            if sizes @ cover >= LEAST_SUPPORT * sizes.sum():
                name = " and ".join(sorted(f"{column} = {value}" for column, value in parts))
                result[name] = (cover, k)
    return (
        tuple(result),
        np.array([cover for cover, _ in result.values()]),
        np.array([k for _, k in result.values()]),
    )


def _log_beta(counts: np.ndarray) -> np.ndarray:
    """log B(N + 1) of two labels, pseudocounts 1 (section 2.5)."""
    return gammaln(counts + 1).sum(axis=-1) - gammaln(counts.sum(axis=-1) + 2)


def _log_prior_step(used: np.ndarray, cardinalities: np.ndarray) -> np.ndarray:
    """log p(c) p(a | c) of the next rule, (subsets, antecedents) (section 2.4)."""
    distinct = np.unique(cardinalities)
    mass = CARDINALITY**distinct / np.exp(gammaln(distinct + 1))
    same = cardinalities[:, None] == distinct
    unused = (~used).astype(int) @ same.astype(int)  # (subsets, cardinalities)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = mass / ((unused > 0) @ mass)[:, None]
        by_cardinality = np.log(share) - np.log(unused)
    return by_cardinality[:, np.searchsorted(distinct, cardinalities)]


def _both_ways(
    log_step: np.ndarray, log_end: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Log sums over the ways to get to a subset, and over all that can follow it."""
    n_subsets, n = log_step.shape
    forward, backward = np.full(n_subsets, -np.inf), log_end.copy()
    forward[0] = 0.0
    by_size = [np.flatnonzero(sizes == k) for k in range(n + 1)]
    for subsets in by_size[:-1]:
        for a in range(n):
            sources = subsets[subsets >> a & 1 == 0]
            targets = sources | 1 << a
            forward[targets] = np.logaddexp(
                forward[targets], forward[sources] + log_step[sources, a]
            )
    for subsets in by_size[-2::-1]:
        for a in range(n):
            sources = subsets[subsets >> a & 1 == 0]
            backward[sources] = np.logaddexp(
                backward[sources], log_step[sources, a] + backward[sources | 1 << a]
            )
    return forward, backward


def _predictive(
    log_step: np.ndarray,
    forward: np.ndarray,
    backward: np.ndarray,
    log_evidence: float,
    left: np.ndarray,
    covers: np.ndarray,
    caught: np.ndarray,
    ends: np.ndarray,
    rest: np.ndarray,
) -> np.ndarray:
    """p(survived) of each cell: every rule's mean times the probability that it is met."""
    n_subsets, n = log_step.shape
    result = (ends * (rest[:, 1] + 1) / (rest.sum(axis=1) + 2)) @ left
    for a in range(n):
        sources = np.flatnonzero(np.arange(n_subsets) >> a & 1 == 0)
        log_met = forward[sources] + log_step[sources, a] + backward[sources | 1 << a]
        met = np.exp(log_met - log_evidence)
        mean = (caught[sources, a, 1] + 1) / (caught[sources, a].sum(axis=1) + 2)
        result += (met * mean) @ (left[sources] & covers[a])
    return result
