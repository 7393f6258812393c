"""Every list of up to two rules, scored once before the chains begin.

Two rules may be worth a lot together and nothing alone. A chain finds such a pair only by chance,
because the path to it leads through improbable lists; in a large pool all chains may miss it, and
agree. There are few enough lists of two rules to score them all.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif import compiled
from elseif.bits.counting import conjunction_counts
from elseif.bits.packing import zero_words
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.correlation_neighbours import one_rule_gain
from elseif.sampler.list_shares import ScoredLists

# what one list of two rules costs, about: nanoseconds, also for each section and word
LIST_COST, SECTION_COST, WORD_COST = 60.0, 8.0, 0.25
BUDGET = 1.5e9  # nanoseconds, about: so much is spent at most
BLOCK_BYTES = 1 << 22  # joined covers that are in memory at a time, twice

AntecedentList = tuple[int, ...]


@dataclass(frozen=True)
class ShortLists:
    """Short lists that chains may start from: the best for each first rule.

    Attributes
    ----------
    lists : tuple of tuples of int
        The empty list, those of one rule, and for each first rule that was looked at the best list
        of two.
    log_prior, log_likelihood : ndarray
        Their terms of the log posterior.
    n_scored : int
        Lists that were scored.
    all_of_two : bool
        Whether every list of up to two rules was.
    """

    lists: tuple[AntecedentList, ...]
    log_prior: np.ndarray
    log_likelihood: np.ndarray
    n_scored: int
    all_of_two: bool

    @property
    def log_posterior(self) -> np.ndarray:
        """Log posterior of each list, up to the evidence."""
        total: np.ndarray = self.log_prior + self.log_likelihood
        return total

    def best(self, n_lists: int) -> ScoredLists:
        """The lists of highest posterior."""
        order = np.argsort(-self.log_posterior, kind="stable")[:n_lists]
        return ScoredLists(tuple(self.lists[i] for i in order), self.log_posterior[order])

    def draw(self, beta: float, u: float) -> AntecedentList:
        """The list at quantile u of the prior times a power of the likelihood."""
        logs = self.log_prior + beta * self.log_likelihood
        cumulative = np.cumsum(np.exp(logs - logs.max()))
        index = int(np.searchsorted(cumulative, u * cumulative[-1], side="right"))
        return self.lists[min(index, len(self.lists) - 1)]


def score_short_lists(posed: CompiledProblem) -> ShortLists:
    """Score the lists of up to two rules, or those that begin with the most promising rules."""
    problem = posed.problem
    pool_size, layout = problem.pool_size, problem.layout
    condition_ids = posed.data.condition_ids
    if not condition_ids.shape[1]:  # each the conjunction of itself
        condition_ids = np.arange(pool_size)[:, None]
    counts = conjunction_counts(problem.covers, condition_ids.astype(np.int32), layout)
    n_firsts = n_affordable(pool_size, layout.n_words, len(layout.section_labels))
    firsts = np.arange(pool_size)
    if n_firsts < pool_size:
        gain = one_rule_gain(problem, counts)
        firsts = np.sort(np.argsort(-gain, kind="stable")[:n_firsts])
    seconds, pair_posterior, pair_likelihood = _best_pairs(posed, firsts, counts)
    empty, singles = _up_to_one_rule(posed, counts)
    prior = problem.prior
    single_prior = np.array([prior.log_length[1] + value for value in _log_first(posed)])
    has_pair = seconds >= 0
    return ShortLists(
        lists=(
            (),
            *((a,) for a in range(pool_size)),
            *zip(firsts[has_pair].tolist(), seconds[has_pair].tolist(), strict=True),
        ),
        log_prior=np.concatenate(
            [[prior.log_length[0]], single_prior, (pair_posterior - pair_likelihood)[has_pair]]
        ),
        log_likelihood=np.concatenate([[empty], singles, pair_likelihood[has_pair]]),
        n_scored=1 + pool_size + len(firsts) * (pool_size - 1),
        all_of_two=n_firsts >= pool_size,
    )


def n_affordable(pool_size: int, n_words: int, n_sections: int) -> int:
    """How many first rules can be combined with every second one within the budget."""
    cost = LIST_COST + SECTION_COST * n_sections + WORD_COST * n_words
    return int(np.clip(BUDGET / (cost * max(pool_size, 1)), min(pool_size, 1), pool_size))


def _best_pairs(
    posed: CompiledProblem, firsts: np.ndarray, counts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """For each first rule the best second one, with log posterior and log likelihood."""
    data, n_words = posed.data, len(posed.data.everyone)
    pool_size, n_labels = counts.shape
    best = np.full(len(firsts), -1), np.full(len(firsts), -np.inf), np.zeros(len(firsts))
    room = (
        np.zeros((1, n_labels), dtype=np.int64),
        np.zeros((2, n_labels), dtype=np.int64),
        np.zeros(2, dtype=np.int64),
        np.zeros(len(posed.prior.class_sizes), dtype=np.int64),
    )
    totals = posed.problem.layout.label_totals.astype(np.int64)
    size = max(1, BLOCK_BYTES // (8 * max(n_words, 1)))
    first_covers, second_covers = (zero_words(min(size, pool_size), n_words) for _ in range(2))
    for start in range(0, pool_size, size):
        some_seconds = np.arange(start, min(start + size, pool_size))
        compiled.join_some(data, some_seconds, second_covers)
        for begin in range(0, len(firsts), size):
            block = slice(begin, begin + size)
            compiled.join_some(data, firsts[block], first_covers)
            pairs = firsts[block], first_covers, some_seconds, second_covers
            some_best = best[0][block], best[1][block], best[2][block]
            compiled.score_pairs(data, posed.prior, pairs, room, (counts, totals), some_best)
    return best


def _up_to_one_rule(posed: CompiledProblem, counts: np.ndarray) -> tuple[float, np.ndarray]:
    """Log likelihood of the empty list, and of each list of one rule."""
    problem = posed.problem
    totals = problem.layout.label_totals.astype(np.int64)
    empty = float(compiled.log_marginal_likelihood(posed.data, totals[None], 0))
    singles: np.ndarray = empty + one_rule_gain(problem, counts)
    return empty, singles


def _log_first(posed: CompiledProblem) -> np.ndarray:
    """Log prior probability of each antecedent to be the first of a list that has one."""
    prior = posed.prior
    classes = prior.cardinality_class
    within = np.log(prior.weights) - np.log(prior.class_weights)[classes]
    logs: np.ndarray = prior.log_mass[classes] - prior.log_whole + within
    return logs
