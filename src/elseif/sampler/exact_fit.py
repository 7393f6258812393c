"""A posterior from the sum over all lists: what it says, its best lists, and draws from it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif.errors import ParamError, SamplingError
from elseif.memory import enough
from elseif.model.problem import Problem
from elseif.sampler.exact_posterior import (
    LARGEST_SUM,
    CoverPatterns,
    Summaries,
    bytes_to_sum,
)
from elseif.sampler.exact_sum import AntecedentList, ExactSum, cover_patterns, sums_of_subsets
from elseif.sampler.run_length_draws import RunLengthDraws
from elseif.sampler.typical_lists import typical_lists, untypical_note


@dataclass(frozen=True, eq=False)
class ExactFit:
    """What is known of the posterior beside its draws."""

    summaries: Summaries
    patterns: CoverPatterns
    best: RunLengthDraws  # the most probable list, then the point estimate
    point_note: str | None  # where no list is as the point estimate should be


def fit_exactly(
    problem: Problem, n_draws: int, seeds: list[np.random.SeedSequence]
) -> tuple[tuple[RunLengthDraws, ...], ExactFit]:
    """Sum over all lists, and make a sequence of draws for each seed.

    The summaries and the two lists do not depend on the seeds.
    """
    patterns = cover_patterns(problem)
    summed = ExactSum(patterns, problem.prior, problem.pseudocounts, problem.layout.unit)
    if not np.isfinite(summed.log_evidence):
        raise SamplingError(
            "The sum of the posterior over all lists is not finite: pseudocounts or weights are "
            "too far apart."
        )
    most_probable = summed.most_probable()
    summaries = summed.summaries()
    point, note = exact_point_estimate(summed, summaries, problem.prior.cardinalities)
    runs = tuple(summed.draw(n_draws, np.random.Generator(np.random.PCG64(seed))) for seed in seeds)
    best = summed.described([most_probable, point])
    return runs, ExactFit(summaries, patterns, best, note)


def exact_point_estimate(
    summed: ExactSum, summaries: Summaries, cardinalities: np.ndarray
) -> tuple[AntecedentList, str | None]:
    """The paper's BRL-point among all lists, and a note where none is as it should be."""
    lengths = sums_of_subsets(np.ones(len(cardinalities), dtype=np.int8))
    averages = sums_of_subsets(cardinalities.astype(np.float64))
    averages /= np.maximum(lengths, 1)
    means = summaries.mean_length, summaries.mean_average_cardinality
    may_end, any_typical = typical_lists(lengths, averages, *means)
    point_estimate = summed.most_probable_among(may_end)
    return point_estimate, None if any_typical else untypical_note(*means, len(point_estimate))


def sum_fits(problem: Problem, max_memory: float) -> bool:
    """Whether the sum over a problem's lists is within what time and memory allow."""
    return problem.pool_size <= largest_sum(problem, max_memory)


def largest_sum(problem: Problem, max_memory: float) -> int:
    """The largest pool whose lists could be summed over with a problem's observations."""
    n_counted = int(problem.layout.label_totals.sum())
    sizes = range(LARGEST_SUM + 1)
    return max(m for m in sizes if not m or _bytes(problem, m, n_counted) <= max_memory)


def check_sum(problem: Problem, max_memory: float) -> None:
    """Raise, before anything is computed, where the sum would take too long or too much memory."""
    largest = largest_sum(problem, max_memory)
    if problem.pool_size <= largest:
        return
    n_counted = int(problem.layout.label_totals.sum())
    how = "make the pool smaller by a higher min_support or a lower max_cardinality"
    if problem.pool_size <= LARGEST_SUM:
        needed = _bytes(problem, problem.pool_size, n_counted)
        raise ParamError(
            f"kernel='exact' would take {needed / 1e6:,.0f} MB for the sum over all lists of "
            f"{problem.pool_size} antecedents, and max_memory allows {max_memory / 1e6:,.0f} "
            f"MB. Set max_memory={enough(needed)} or more, use kernel='auto', or {how}: {largest} "
            "antecedents would do."
        )
    raise ParamError(
        f"kernel='exact' sums over all lists of a pool of at most {LARGEST_SUM} antecedents, "
        f"and this pool has {problem.pool_size:,}; every further antecedent doubles time and "
        f"memory. Use kernel='auto', or {how}{_support_that_would_do(problem, largest)}."
    )


def _bytes(problem: Problem, pool_size: int, n_counted: int) -> int:
    return bytes_to_sum(pool_size, problem.n_labels, n_counted)


def _support_that_would_do(problem: Problem, largest: int) -> str:
    """The support that leaves this many antecedents, judged by their covers alone."""
    if problem.shards is not None:
        return ""
    layout = problem.layout
    sections = np.repeat(layout.section_weights, np.diff(layout.section_starts))
    covered = [
        int(np.bitwise_count(problem.cover(a)).astype(np.int64) @ sections)
        for a in range(problem.pool_size)
    ]
    total = int(layout.label_totals.sum())
    share = sorted(covered, reverse=True)[largest] / total
    rounded = np.ceil(share * 1000 + 1e-9) / 1000
    if rounded >= 1 or rounded <= share:
        return ""
    n_left = sum(n >= rounded * total for n in covered)
    return f": a min_support of {rounded:.3f} among all observations leaves {n_left}"
