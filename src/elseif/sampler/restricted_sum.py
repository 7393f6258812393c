"""Draws compared with an exact sum over the lists made of the most frequently drawn antecedents.

The sum over all lists of a large pool is infeasible, but the sum over the lists that contain only
sixteen of its antecedents, under the prior of the whole pool, is not. A pool of up to twenty is
summed whole. Within these lists the probability of each length and the inclusion probability of
each antecedent are then known exactly, independently of the chains, and the draws that are such
lists must agree with them. A mode that is made of these antecedents and was drawn too often, too
rarely or never is thus detected, however many lists share it.

A second sum is over the lists made of antecedents that no chain has chosen: those of the lists
reached by an ascent from the best short lists. Their share of the posterior, relative to that of
the first sum, is known exactly as well.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from elseif.model.problem import Problem
from elseif.sampler.exact_posterior import bytes_to_sum
from elseif.sampler.exact_sum import ExactSum, is_cheap
from elseif.sampler.quantity import ENOUGH_ESS, SMALL_ERROR
from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs
from elseif.sampler.steepest_ascent import bytes_of_ascents, reached_lists

MOST_ANTECEDENTS = 16  # a sum of less than 0.1 s
WHOLE_POOL = 20  # a pool so small is summed whole, in less than 1 s: then nothing can be missed
LEAST_SHARE = 0.1  # of the draws, for the comparison to say something
MOST_LISTS = 1000  # whose antecedents are considered


def bytes_of_check(problem: Problem) -> int:
    """Memory that the comparison takes at most: a sum, or the covers that ascents copy."""
    n = problem.pool_size
    if n > WHOLE_POOL or not is_cheap(problem, n):
        n = min(n, MOST_ANTECEDENTS)
    if not is_cheap(problem, n):
        return 0
    n_counted = int(problem.layout.label_totals.sum())
    summed = bytes_to_sum(n, problem.n_labels, n_counted)
    return summed if n == problem.pool_size else 2 * summed + bytes_of_ascents(problem)


def check_restricted(
    chains: Sequence[RunLengthDraws],
    problem: Problem,
    unsteady: Collection[int] = (),
    starts: Sequence[tuple[int, ...]] = (),
) -> tuple[float, float]:
    """Compare draws with the sum over the lists of the antecedents that were drawn most often.

    Returns the share of the draws that are made of these antecedents alone (NaN if no sum was
    made), and the largest deviation of a length's share or an inclusion probability, in the Monte
    Carlo standard errors that a verdict allows (NaN if too few draws could be compared). The
    inclusion of ``unsteady`` antecedents is not compared. From ``starts``, short lists with the
    best first, ascents look for lists that were not drawn.
    """
    runs = join_runs(chains)
    chosen = np.arange(problem.pool_size)
    if problem.pool_size > WHOLE_POOL or not is_cheap(problem, problem.pool_size):
        chosen = _most_drawn(runs, problem.pool_size)
    if not is_cheap(problem, len(chosen)):
        return float("nan"), float("nan")
    inside = _made_of(runs, chosen, problem.pool_size)
    share = float(runs.n_draws[inside].sum() / runs.n_draws.sum())
    if share < LEAST_SHARE:
        return share, _missed(runs, problem, _of_frequent_lists(runs), None, starts)
    summed = ExactSum.of(problem, chosen.tolist())
    missed = _missed(runs, problem, chosen, summed, starts)
    lengths, inclusion = _shares(runs, inside, problem.pool_size)
    drawn = np.concatenate([lengths[: len(chosen) + 1], inclusion[chosen]])
    exact = summed.summaries()
    expected = np.concatenate([exact.length_probabilities, exact.inclusion])
    variance = expected * np.maximum(1 - expected, 0.0)
    allowed = np.maximum(np.sqrt(variance / (ENOUGH_ESS * share)), SMALL_ERROR)
    is_promised = np.append(np.ones(len(chosen) + 1, bool), ~np.isin(chosen, list(unsteady)))
    return share, float(np.fmax(missed, (np.abs(drawn - expected) / allowed)[is_promised].max()))


def _missed(
    runs: RunLengthDraws,
    problem: Problem,
    chosen: np.ndarray,
    summed: ExactSum | None,
    starts: Sequence[tuple[int, ...]],
) -> float:
    """By how much lists that ascents lead to were drawn too rarely, in the same standard errors.

    What share of the draws they should have follows from that of the lists made of some chosen
    antecedents, which is taken two standard errors lower than it is: those of the number of times
    that chains came there. NaN where ascents lead nowhere else.
    """
    reached = reached_lists(problem, starts) if problem.pool_size > len(chosen) else []
    missed = list(dict.fromkeys(a for antecedent_list in reached for a in antecedent_list))
    missed = sorted(missed[:MOST_ANTECEDENTS])
    if set(missed) <= set(chosen.tolist()) or not is_cheap(problem, len(missed)):
        return float("nan")
    known, other = (_made_of(runs, np.array(each), problem.pool_size) for each in (chosen, missed))
    share, drawn = (float(runs.n_draws[each].sum() / runs.n_draws.sum()) for each in (known, other))
    n_visits = int(np.sum(np.diff(known.astype(int), prepend=0) == 1))
    at_least = share * (1 - 2 * float(np.sqrt(2 * (1 - share) / max(n_visits, 1))))
    if at_least <= 0:
        return float("nan")
    summed = summed or ExactSum.of(problem, chosen.tolist())
    log_ratio = ExactSum.of(problem, missed).log_evidence - summed.log_evidence
    expected = float(np.exp(min(np.log(at_least) + log_ratio, 0.0)))
    allowed = np.fmax(np.sqrt(expected * (1 - expected) / ENOUGH_ESS), SMALL_ERROR)
    return float(max(expected - drawn, 0.0) / allowed)


def _of_frequent_lists(runs: RunLengthDraws) -> np.ndarray:
    """The antecedents of the lists drawn most often, as many lists as a sum has room for."""
    first, list_of_run = distinct_lists(runs)
    order = np.argsort(-np.bincount(list_of_run, weights=runs.n_draws), kind="stable")
    chosen: set[int] = set()
    for run in first[order[:MOST_LISTS]]:
        more = chosen.union(runs.items[runs.offsets[run] : runs.offsets[run + 1]].tolist())
        chosen = more if len(more) <= MOST_ANTECEDENTS else chosen
    return np.array(sorted(chosen), dtype=np.int64)


def _made_of(runs: RunLengthDraws, chosen: np.ndarray, pool_size: int) -> np.ndarray:
    """Which runs are of lists that contain nothing but some antecedents."""
    is_chosen = np.zeros(pool_size, dtype=bool)
    is_chosen[chosen] = True
    outside = np.concatenate([[0], np.cumsum(~is_chosen[runs.items])])
    inside: np.ndarray = outside[runs.offsets[1:]] == outside[runs.offsets[:-1]]
    return inside


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
