"""Lists that steepest ascent reaches from short ones, independently of the chains.

A chain that starts from the best two rules of a good list finds the third rule by chance, and may
be drawn to other lists before that, since there are many more of them. Steepest ascent looks at
every antecedent at every position and takes the best, so it also reaches good lists of which there
are few.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from elseif.bits.counting import conjunction_counts
from elseif.bits.packing import zero_words
from elseif.model.likelihood import rule_log_likelihoods
from elseif.model.problem import Problem
from elseif.sampler.short_lists import SECTION_COST, WORD_COST

N_ASCENTS = 6
MOST_RULES = 40
# what the additions to a list cost, about: nanoseconds, for each of them and each of its rules
ADDITIONS_COST, RULE_COST = 3e5, 600.0
BUDGET = 3e8  # nanoseconds, about: so much is spent on all ascents
MOST_BYTES = 1 << 27  # of covers, which are copied
SMALLEST_GAIN = 1e-9

AntecedentList = tuple[int, ...]


def reached_lists(problem: Problem, starts: Sequence[AntecedentList]) -> list[AntecedentList]:
    """Where ascents end that start from lists of which no two have an antecedent in common.

    Parameters
    ----------
    problem : Problem
        The posterior.
    starts : sequence of tuples of int
        Lists to start from, the best first.

    Returns
    -------
    list of tuples of int
        The lists, the most probable first; none where covers are too large to be copied.
    """
    if not _may_copy(problem):  # nor fetch them, where workers hold them
        return []
    problem = problem.local()
    ascent = Ascent(problem)
    reached: dict[AntecedentList, float] = {}
    used: set[int] = set()
    for start in starts:
        if used.isdisjoint(start) and len(start) and len(reached) < N_ASCENTS:
            used.update(start)
            end, log_posterior = ascent.climb(start)
            reached[end] = log_posterior
    return sorted(reached, key=lambda end: (-reached[end], end))


def bytes_of_ascents(problem: Problem) -> int:
    """Memory that ascents take: a copy of the covers, and counts of all additions to a list."""
    if not _may_copy(problem):
        return 0
    n_rows = len(problem.covers) + MOST_RULES + 1
    n_copies = 1 if problem.shards is None else 2  # where they are fetched first
    additions = 8 * problem.pool_size * problem.n_labels * 8  # of some rules, several times
    return n_copies * n_rows * problem.layout.n_words * 8 + additions * N_ASCENTS


def _may_copy(problem: Problem) -> bool:
    return len(problem.covers) * problem.layout.n_words * 8 <= MOST_BYTES


class Ascent:
    """The best change of a list, again and again, as far as a budget allows.

    Parameters
    ----------
    problem : Problem
        The posterior.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem, n = problem, len(problem.covers)
        ids = problem.condition_ids
        ids = np.arange(problem.pool_size)[:, None] if ids is None else ids
        # behind the covers, what each rule of the list captures, to be counted with each of them
        self._rows = zero_words(n + MOST_RULES + 1, problem.layout.n_words)
        self._rows[:n] = problem.covers
        self._ids = np.append(ids, np.zeros((problem.pool_size, 1)), axis=1).astype(np.int32)
        sections = len(problem.layout.section_labels)
        self._cost = RULE_COST + SECTION_COST * sections + WORD_COST * problem.layout.n_words
        self._spent = 0.0
        prior = problem.prior
        self._classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
        self._mass = np.exp(prior.log_mass - prior.log_mass.max())
        self._sizes = np.bincount(self._classes)
        self._class_weights = np.bincount(self._classes, weights=prior.weights)

    def climb(self, start: AntecedentList) -> tuple[AntecedentList, float]:
        """The list where no addition, removal or replacement is an improvement.

        Parameters
        ----------
        start : tuple of int
            Where to begin.

        Returns
        -------
        tuple of int
            The list.
        float
            Its log posterior, up to the evidence.
        """
        now, value = start, self._log_posterior(start)
        longest = min(MOST_RULES, self._problem.pool_size)
        while self._spent < BUDGET and len(now) < longest:
            best = self._best_addition(now)
            if best[1] <= value + SMALLEST_GAIN:
                shorter = [now[:j] + now[j + 1 :] for j in range(len(now))]
                others = [(each, self._log_posterior(each)) for each in shorter]
                others += [self._best_addition(each) for each in shorter]
                best = max([best, *others], key=lambda option: option[1])
            if best[1] <= value + SMALLEST_GAIN:
                break
            now, value = best
        return now, value

    def _capture(self, antecedent_list: AntecedentList) -> np.ndarray:
        """Write down what each rule captures; its terms of the log likelihood are returned."""
        first, layout = len(self._problem.covers), self._problem.layout
        left = layout.everyone()
        for j, antecedent in enumerate(antecedent_list):
            self._rows[first + j] = left & self._problem.cover(antecedent)
            left ^= self._rows[first + j]
        self._rows[first + len(antecedent_list)] = left
        ids = np.arange(first, first + len(antecedent_list) + 1, dtype=np.int32)[:, None]
        counts: np.ndarray = conjunction_counts(self._rows, ids, layout)
        return counts

    def _terms(self, counts: np.ndarray) -> np.ndarray:
        unit = self._problem.layout.unit
        return rule_log_likelihoods(counts * unit, self._problem.pseudocounts)

    def _log_posterior(self, antecedent_list: AntecedentList) -> float:
        likelihood = float(self._terms(self._capture(antecedent_list)).sum())
        weights, n_left = self._problem.prior.weights, self._sizes.copy()
        unused, log_prior = self._class_weights.copy(), 0.0
        for a in antecedent_list:
            k = self._classes[a]
            log_prior += math.log(self._mass[k] / float(self._mass[n_left > 0].sum()))
            log_prior += math.log(weights[a] / max(unused[k], weights[a]))
            unused[k] -= weights[a]
            n_left[k] -= 1
        return likelihood + log_prior + float(self._problem.prior.log_length[len(antecedent_list)])

    def _best_addition(self, antecedent_list: AntecedentList) -> tuple[AntecedentList, float]:
        """The list with one more antecedent, of all and at all positions, and its log posterior."""
        problem, first = self._problem, len(self._problem.covers)
        own = self._capture(antecedent_list)
        taken = np.empty((len(own), problem.pool_size, problem.n_labels), dtype=np.int64)
        for j in range(len(own)):
            self._ids[:, -1] = first + j
            taken[j] = conjunction_counts(self._rows, self._ids, problem.layout)
        self._spent += ADDITIONS_COST + self._cost * len(own) * problem.pool_size
        terms = self._terms(own)
        # at position p, an antecedent takes what it covers from the rules from p on
        left = np.cumsum((self._terms(own[:, None] - taken) - terms[:, None])[::-1], axis=0)[::-1]
        gain = left + self._terms(np.cumsum(taken[::-1], axis=0)[::-1])
        gain += self._log_prior_as_last(antecedent_list)
        gain[:, list(antecedent_list)] = -np.inf
        p, antecedent = np.unravel_index(int(np.argmax(gain)), gain.shape)
        longer = (*antecedent_list[:p], int(antecedent), *antecedent_list[p:])
        return longer, self._log_posterior(longer)

    def _log_prior_as_last(self, antecedent_list: AntecedentList) -> np.ndarray:
        """What each antecedent adds to the log prior, behind all others."""
        prior, length = self._problem.prior, len(antecedent_list)
        weights = prior.weights.copy()
        weights[list(antecedent_list)] = 0.0
        unused = np.bincount(self._classes, weights=weights)
        mass = np.where(unused > 0, self._mass, 0.0)
        with np.errstate(divide="ignore", invalid="ignore"):
            by_class = np.log(mass / mass.sum()) - np.log(unused)
            logs: np.ndarray = by_class[self._classes] + np.log(weights)
        return logs + prior.log_length[length + 1] - prior.log_length[length]
