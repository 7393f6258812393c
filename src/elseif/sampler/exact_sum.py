"""The whole posterior over the lists of a small pool, summed, maximised and drawn from.

What the rules of a list leave to the next one, and the prior of the next one, depend on which
antecedents came before and not on their order. So the sum over all ordered lists, 3.6e12 of
them for 15 antecedents, is a sum over the paths through the 32,768 subsets of the pool. Nothing
about the observations matters beyond how many of each label are covered by which antecedents.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from elseif.compiled import exact_sum
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.compiled_problem import data_tables, log_pochhammer_tables, prior_tables
from elseif.sampler.exact_posterior import CoverPatterns, Summaries, bytes_to_sum, count_type
from elseif.sampler.run_length_draws import RunLengthDraws, join_runs

# a sum over some antecedents that takes no time worth mentioning
FEW_BYTES = 1e8
FEW_WORDS = 1 << 14  # of a cover, about a million observations: counting them takes time
AT_ONCE = 1 << 16  # subsets, words or draws between two looks at the keyboard
TIE, TIE_SHARE = 1e-9, 1e-12  # log posteriors closer than this, or this part of them, are equal

AntecedentList = tuple[int, ...]


def cover_patterns(problem: Problem, chosen: Sequence[int] | None = None) -> CoverPatterns:
    """Count a problem's observations by which antecedents cover them.

    Bit i of a pattern stands for the i-th of the chosen antecedents; None chooses the whole pool.
    """
    bits = np.arange(problem.pool_size) if chosen is None else np.asarray(chosen, dtype=np.int64)
    if problem.shards is not None:
        counts = problem.shards.patterns(bits)
    else:
        data = data_tables(problem)
        counts = np.zeros((1 << len(bits), problem.n_labels), dtype=np.int64)
        words = np.zeros(len(bits), dtype=np.uint64)
        for first, last in _ranges(problem.layout.n_words):
            exact_sum.count_patterns(data, bits, words, first, last, counts)
    patterns = np.flatnonzero(counts.any(axis=1))[::-1]
    return CoverPatterns((1 << len(bits)) - 1 - patterns, counts[patterns])


def is_cheap(problem: Problem, n_chosen: int) -> bool:
    """Whether the sum over the lists of ``n_chosen`` antecedents takes little time and memory."""
    n_counted = int(problem.layout.label_totals.sum())
    few_bytes = bytes_to_sum(n_chosen, problem.n_labels, n_counted) <= FEW_BYTES
    return n_chosen > 0 and few_bytes and problem.layout.n_words <= FEW_WORDS


class ExactSum:
    """The sums over all lists made of some antecedents, by the subset that has been used.

    ``chosen`` has these antecedents, bit by bit; None is the whole pool. If they are only part of
    the pool, the sum is over the lists that contain nothing else, under the prior of the whole
    pool. ``unit`` is what a count of 1 stands for.
    """

    def __init__(
        self,
        patterns: CoverPatterns,
        prior: ListPrior,
        pseudocounts: np.ndarray,
        unit: float,
        chosen: Sequence[int] | None = None,
    ) -> None:
        bits = np.arange(prior.pool_size) if chosen is None else np.asarray(chosen, dtype=np.int64)
        self.chosen = bits.astype(np.int64)
        n_labels, n_counted = len(pseudocounts), int(patterns.label_counts.sum())
        self._prior = prior_tables(prior)
        self._cardinalities = prior.cardinalities[self.chosen]
        self._likelihood = exact_sum.Likelihood(
            pseudocounts=np.asarray(pseudocounts, dtype=np.float64),
            pseudocount_total=float(np.sum(pseudocounts)),
            log_pochhammer=log_pochhammer_tables(pseudocounts, n_counted, unit),
            count_unit=float(unit),
        )
        weights = prior.weights[self.chosen]
        n_classes = len(prior.distinct_cardinalities)
        self._subsets = exact_sum.Subsets(
            chosen=self.chosen,
            log_weights=np.log(weights) if prior.is_weighted else np.zeros(len(weights)),
            uncovered=_uncovered(patterns, len(self.chosen), n_counted),
            counts=np.zeros((1, n_labels), dtype=np.int64),
            items=np.zeros(len(self.chosen), dtype=np.int64),
            used=np.zeros(n_classes, dtype=np.int64),
            class_terms=np.zeros(n_classes),
            options=np.zeros(len(self.chosen) + 1),
        )
        self._log_rest = np.empty(self.n_subsets)
        self._log_best: np.ndarray | None = np.empty(self.n_subsets)
        for first, last in reversed(list(_ranges(self.n_subsets))):
            self._run(exact_sum.sum_up, first, last, self._log_rest, self._log_best)

    @classmethod
    def of(cls, problem: Problem, chosen: Sequence[int] | None = None) -> ExactSum:
        """The sum over a problem's lists."""
        patterns = cover_patterns(problem, chosen)
        return cls(patterns, problem.prior, problem.pseudocounts, problem.layout.unit, chosen)

    def with_own_room(self) -> ExactSum:
        """The same sums for another thread: tables are shared, room to work in is not."""
        other = copy.copy(self)
        room = ("counts", "items", "used", "class_terms", "options")
        own = {name: getattr(self._subsets, name).copy() for name in room}
        other._subsets = self._subsets._replace(**own)
        other._log_best = None  # computed again on request
        return other

    def _run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        return function(self._likelihood, self._prior, self._subsets, *arguments)

    @property
    def n_subsets(self) -> int:
        """Number of subsets of the antecedents."""
        return 1 << len(self.chosen)

    @property
    def log_evidence(self) -> float:
        """log p(y | x): the sum of prior times likelihood over all lists."""
        return float(self._log_rest[0])

    def summaries(self) -> Summaries:
        """Length, inclusions and average cardinality under the whole posterior."""
        ends = self._visit()[1]
        sizes = sums_of_subsets(np.ones(len(self.chosen), dtype=np.int8))
        lengths = np.bincount(sizes, weights=ends, minlength=len(self.chosen) + 1)
        total = ends.sum()
        parts = [ends.reshape(-1, 2, 1 << i)[:, 1].sum() / total for i in range(len(self.chosen))]
        inclusion = np.minimum(parts, 1.0)  # a sum of parts may be rounded above the whole
        longer = float(ends[1:].sum())
        mean_cardinality = float("nan")
        if longer > 0:
            cardinalities = sums_of_subsets(self._cardinalities.astype(np.int32))
            mean_cardinality = float(ends[1:] @ (cardinalities[1:] / sizes[1:])) / longer
        shares = np.minimum(lengths / total, 1.0)
        return Summaries(self.log_evidence, shares, inclusion, mean_cardinality)

    def _visit(self) -> tuple[np.ndarray, np.ndarray]:
        """Probability that a list comes through each subset, and that it ends there."""
        visits, ends = np.zeros(self.n_subsets), np.empty(self.n_subsets)
        visits[0] = 1.0
        for first, last in _ranges(self.n_subsets):
            self._run(exact_sum.visit, first, last, self._log_rest, visits, ends)
        return visits, ends

    def most_probable(self) -> AntecedentList:
        """The list of highest posterior probability; ties go to the one that reads best."""
        if self._log_best is None:
            return self.most_probable_among(np.ones(self.n_subsets, dtype=bool))
        best = self._best_list(self._log_best, np.ones(self.n_subsets, dtype=bool))
        self._log_best = None  # needed once, and as large as the sums
        return best

    def most_probable_among(self, may_end: np.ndarray) -> AntecedentList:
        """The most probable list whose antecedents form a subset where ``may_end`` is true.

        Ties go to the list whose rules, in order, capture more observations, then to pool order.
        """
        log_best = np.empty(self.n_subsets)
        sizes = sums_of_subsets(np.ones(len(self.chosen), dtype=np.int8))
        longest = int(sizes[may_end].max())
        for first, last in reversed(list(_ranges(self.n_subsets))):
            self._run(exact_sum.maximise, first, last, may_end, longest, log_best)
        return self._best_list(log_best, may_end)

    def _best_list(self, log_best: np.ndarray, may_end: np.ndarray) -> AntecedentList:
        """The best list, by going on with what reaches the maximum and captures most.

        Several lists may tie so far; they are kept in the order of the pool, and of those that
        have used the same antecedents only the first, since the same can follow all of them.
        """
        lowest = log_best[0] - max(TIE, TIE_SHARE * abs(log_best[0]))
        going: dict[int, tuple[float, AntecedentList]] = {0: (0.0, ())}
        while True:
            options: list[tuple[int, float, AntecedentList, int]] = []
            for subset, (value, items) in going.items():
                if may_end[subset] and value + self._log_end(subset) >= lowest:
                    return tuple(self.chosen[list(items)].tolist())
                for i, step in self._steps(subset):
                    following = subset | 1 << i
                    if value + step + log_best[following] >= lowest:
                        counts = self._subsets.uncovered[[subset, following]].astype(np.int64)
                        captured = int((counts[0] - counts[1]).sum())
                        options.append((captured, value + step, (*items, i), following))
            most = max(captured for captured, *_ in options)
            going = {}
            for captured, value, items, following in options:
                if captured == most:
                    going.setdefault(following, (value, items))

    def _log_end(self, subset: int) -> float:
        return float(self._run(exact_sum.log_end_of, subset))

    def _steps(self, subset: int) -> Iterator[tuple[int, float]]:
        """Log prior and likelihood of each antecedent that may follow, by its bit."""
        for i in range(len(self.chosen)):
            if not subset >> i & 1:
                yield i, float(self._run(exact_sum.log_step_of, subset, i))

    def draw(self, n: int, rng: np.random.Generator) -> RunLengthDraws:
        """Independent draws from the posterior."""
        return join_runs([self._draw_some(b - a, rng) for a, b in _ranges(n)])

    def lists_at(self, uniforms: np.ndarray) -> list[AntecedentList]:
        """The draws that uniform numbers decide, a row of (antecedents + 1) for each."""
        bits, lengths = self._drawn(uniforms)
        return [
            tuple(self.chosen[row[:length]].tolist())
            for row, length in zip(bits, lengths, strict=True)
        ]

    def _drawn(self, uniforms: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        bits = np.full((len(uniforms), len(self.chosen)), -1, dtype=np.int64)
        lengths = np.zeros(len(uniforms), dtype=np.int64)
        self._run(exact_sum.draw_lists, self._log_rest, uniforms, bits, lengths)
        return bits, lengths

    def _draw_some(self, n: int, rng: np.random.Generator) -> RunLengthDraws:
        bits, lengths = self._drawn(rng.random((n, len(self.chosen) + 1)))
        # equal draws that follow each other are one run
        first = np.flatnonzero(np.append(True, np.any(bits[1:] != bits[:-1], axis=1)))
        return self._runs(bits[first], lengths[first], np.diff(np.append(first, n)))

    def described(self, lists: Sequence[AntecedentList]) -> RunLengthDraws:
        """Lists with their counts and log posteriors, as if each had been drawn once."""
        index_of = {int(a): i for i, a in enumerate(self.chosen)}
        lengths = np.array([len(items) for items in lists], dtype=np.int64)
        bits = np.full((len(lists), len(self.chosen)), -1, dtype=np.int64)
        for row, items in zip(bits, lists, strict=True):
            row[: len(items)] = [index_of[a] for a in items]
        return self._runs(bits, lengths, np.ones(len(lists), dtype=np.int64))

    def _runs(self, bits: np.ndarray, lengths: np.ndarray, n_draws: np.ndarray) -> RunLengthDraws:
        """Lists, rows of bits up to -1, as runs of draws."""
        log_posterior = np.empty(len(lengths))
        self._run(exact_sum.add_up_lists, bits, lengths, log_posterior)
        used = np.where(bits >= 0, np.left_shift(1, np.maximum(bits, 0)), 0)
        paths = np.zeros((len(bits), bits.shape[1] + 1), dtype=np.int64)
        np.bitwise_or.accumulate(used, axis=1, out=paths[:, 1:])
        reached = np.arange(paths.shape[1]) <= lengths[:, None]
        uncovered = self._subsets.uncovered[paths[reached]].astype(np.int64)
        # a rule leaves over what the next one finds, the default rule nothing
        left_over = np.roll(uncovered, -1, axis=0)
        left_over[np.cumsum(lengths + 1) - 1] = 0
        return RunLengthDraws(
            n_draws=n_draws,
            log_posterior=log_posterior,
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            items=self.chosen[bits[bits >= 0]].astype(np.int32),
            label_counts=uncovered - left_over,
        )

    def predictive_table(self) -> np.ndarray:
        """Posterior predictive probabilities for every pattern of truth: (subsets, labels).

        The row of a subset is for observations for which exactly the other antecedents are true.
        All terms are positive, so no digits are lost however small a probability is.
        """
        visits, ends = self._visit()
        n_labels = self._subsets.counts.shape[1]
        table = np.empty((self.n_subsets, n_labels))
        for first, last in _ranges(self.n_subsets):
            self._run(exact_sum.begin_table, first, last, ends, table)
        captured = np.empty((self.n_subsets // 2, n_labels))
        for i in range(len(self.chosen)):
            # lists that come to rule i through any subset of what is not true
            for first, last in _ranges(len(captured)):
                rows = (first, last, self._log_rest, visits, captured)
                self._run(exact_sum.enter_captured, i, *rows)
            for j in range(i):
                exact_sum.add_to_supersets(captured, j)
            exact_sum.add_to_supersets(table, i)
            exact_sum.add_captured(table, i, captured)
        table /= table.sum(axis=1, keepdims=True)  # 1 but for rounding
        return table


def sums_of_subsets(values: np.ndarray) -> np.ndarray:
    """The sum of the values of every subset."""
    sums = np.zeros(1, dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums


def _uncovered(patterns: CoverPatterns, n_bits: int, n_counted: int) -> np.ndarray:
    """Label counts of the observations that no antecedent of a subset covers."""
    shape = (1 << n_bits, patterns.label_counts.shape[1])
    counts = np.zeros(shape, dtype=count_type(n_counted))
    counts[(1 << n_bits) - 1 - patterns.patterns] = patterns.label_counts
    for i in range(n_bits):
        exact_sum.add_to_subsets(counts, i)
    return counts


def _ranges(n: int) -> Iterator[tuple[int, int]]:
    for first in range(0, n, AT_ONCE):
        yield first, min(first + AT_ONCE, n)
