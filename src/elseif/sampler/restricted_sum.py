"""Draws held to an exact sum: over the lists made of the antecedents that were drawn most.

The sum over all lists of a large pool is out of reach, but not that over the lists that hold
nothing but sixteen antecedents, under the prior of the whole pool. A pool of up to twenty is summed
whole. Among these lists the
probability of each length and the inclusion of each antecedent are then known exactly, whatever the
chains did, and the draws that are such lists must agree with them. A mode that is made of these
antecedents and was drawn too often, too rarely or never is seen, however many lists share it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from elseif.model.problem import Problem
from elseif.sampler.exact_sum import ExactSum, is_cheap
from elseif.sampler.quantity import ENOUGH_ESS, SMALL_ERROR
from elseif.sampler.run_length_draws import RunLengthDraws, join_runs

MOST_ANTECEDENTS = 16  # a sum of less than 0.1 s
WHOLE_POOL = 20  # a pool so small is summed whole, in less than 1 s: then nothing can be missed
LEAST_SHARE = 0.1  # of the draws, for the comparison to say something


def check_restricted(
    chains: Sequence[RunLengthDraws], problem: Problem, unsteady: Collection[int] = ()
) -> tuple[float, float]:
    """Compare draws with the sum over the lists of the antecedents that were drawn most often.

    Returns the share of the draws that are made of these antecedents alone (NaN if no sum was
    made), and the largest deviation of a length's share or an inclusion probability, in the Monte
    Carlo standard errors that a verdict allows (NaN if too few draws could be compared). The
    inclusion of ``unsteady`` antecedents is not compared.
    """
    runs = join_runs(chains)
    chosen = np.arange(problem.pool_size)
    if problem.pool_size > WHOLE_POOL or not is_cheap(problem, problem.pool_size):
        chosen = _most_drawn(runs, problem.pool_size)
    if not is_cheap(problem, len(chosen)):
        return float("nan"), float("nan")
    is_chosen = np.zeros(problem.pool_size, dtype=bool)
    is_chosen[chosen] = True
    outside = np.concatenate([[0], np.cumsum(~is_chosen[runs.items])])
    inside = outside[runs.offsets[1:]] == outside[runs.offsets[:-1]]
    share = float(runs.n_draws[inside].sum() / runs.n_draws.sum())
    if share < LEAST_SHARE:
        return share, float("nan")
    lengths, inclusion = _shares(runs, inside, problem.pool_size)
    drawn = np.concatenate([lengths[: len(chosen) + 1], inclusion[chosen]])
    exact = ExactSum.of(problem, chosen.tolist()).summaries()
    expected = np.concatenate([exact.length_probabilities, exact.inclusion])
    variance = expected * np.maximum(1 - expected, 0.0)
    allowed = np.maximum(np.sqrt(variance / (ENOUGH_ESS * share)), SMALL_ERROR)
    is_promised = np.append(np.ones(len(chosen) + 1, bool), ~np.isin(chosen, list(unsteady)))
    return share, float(np.max((np.abs(drawn - expected) / allowed)[is_promised]))


def _most_drawn(runs: RunLengthDraws, pool_size: int) -> np.ndarray:
    """The antecedents that are in most draws, in the order of the pool."""
    weights = np.repeat(runs.n_draws, runs.lengths)
    inclusion = np.bincount(runs.items, weights=weights, minlength=pool_size)
    order = np.argsort(-inclusion, kind="stable")[:MOST_ANTECEDENTS]
    chosen: np.ndarray = np.sort(order)
    return chosen


def _shares(
    runs: RunLengthDraws, inside: np.ndarray, pool_size: int
) -> tuple[np.ndarray, np.ndarray]:
    """Share of each length, and inclusion of each antecedent, among some runs' draws."""
    n_draws = np.where(inside, runs.n_draws, 0)
    lengths = np.bincount(runs.lengths, weights=n_draws, minlength=pool_size + 1)
    weights = np.repeat(n_draws, runs.lengths)
    inclusion = np.bincount(runs.items, weights=weights, minlength=pool_size)
    return lengths / n_draws.sum(), inclusion / n_draws.sum()
