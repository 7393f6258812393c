"""The whole posterior over the lists of a small pool, and independent draws from it.

What the rules of a list leave to the next one, and the prior of the next one, depend on which
antecedents came before and not on their order. So the sum over all ordered lists, 3.6e12 of
them for 15 antecedents, is a sum over the ways through the 32,768 subsets of the pool; and a
list is drawn by going such a way, each step with its exact probability. Draws are independent:
there is nothing to warm up, and no list that could not be reached.
"""

from __future__ import annotations

import numpy as np
from scipy.special import gammaln

from elseif.bits.packing import WORD_BITS
from elseif.model.likelihood import log_pochhammer
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.compiled_problem import LONGEST_TABLE
from elseif.sampler.run_length_draws import RunLengthDraws, join_runs

WORDS_AT_ONCE = 1 << 12
DRAWS_AT_ONCE = 1 << 16
SUBSETS_AT_ONCE = 1 << 12  # looked at together, so that what is computed of them stays in cache


class Enumeration:
    """The sums over all lists of a pool, by the subset of antecedents that has been used.

    A subset is a number: antecedent a is in it where bit a is set.
    """

    def __init__(self, problem: Problem) -> None:
        self._bits = 1 << np.arange(problem.pool_size)
        self._left = _left_over(problem)
        self._pseudocounts = np.append(problem.pseudocounts, problem.pseudocounts.sum())
        self._unit = problem.layout.unit
        n_entries = min(int(problem.layout.label_totals.sum()) + 1, LONGEST_TABLE)
        self._log_pochhammer = [
            log_pochhammer(a, n_entries, self._unit) for a in self._pseudocounts
        ]
        sizes = _sums(np.ones(problem.pool_size, dtype=np.int64))
        self._log_end = self._log_likelihood(list(self._left)) + problem.prior.log_length[sizes]
        self._log_steps = self._next_rules(problem.prior)
        self._log_rest = self._sum_up(sizes)

    @property
    def log_evidence(self) -> float:
        """log p(y | x): the sum of prior times likelihood over all lists."""
        return float(self._log_rest[0])

    def draw(self, n: int, rng: np.random.Generator) -> RunLengthDraws:
        """Independent draws of the posterior."""
        parts = [min(DRAWS_AT_ONCE, n - i) for i in range(0, n, DRAWS_AT_ONCE)]
        return join_runs([self._draw_some(part, rng) for part in parts])

    def _next_rules(self, prior: ListPrior) -> np.ndarray:
        """Log prior and likelihood of each antecedent as the next rule, (antecedents, subsets).

        -inf where it has been used.
        """
        log_steps = np.full((prior.pool_size, len(self._log_end)), -np.inf)
        classes, log_prior = _log_prior_of_classes(prior)
        for a, k in enumerate(classes):
            # subsets without a, each beside the one that has it as well
            without, within = np.moveaxis(self._left.reshape(len(self._left), -1, 2, 1 << a), 2, 0)
            steps = self._log_likelihood(list(without - within))
            steps += log_prior[k].reshape(-1, 2, 1 << a)[:, 0] + np.log(prior.weights[a])
            log_steps[a].reshape(-1, 2, 1 << a)[:, 0] = steps
        return log_steps

    def _sum_up(self, sizes: np.ndarray) -> np.ndarray:
        """Log sum over all that can follow each subset, the end included, longest lists first."""
        log_rest = np.zeros(len(sizes))
        by_size = np.argsort(-sizes, kind="stable")
        # a part never goes across two sizes, and all that follows it has been summed before
        ends = np.cumsum(np.bincount(sizes)[::-1])
        for start, end in zip([0, *ends[:-1]], ends, strict=True):
            for first in range(start, end, SUBSETS_AT_ONCE):
                subsets = by_size[first : min(first + SUBSETS_AT_ONCE, end)]
                log_options = self._log_options(subsets, log_rest)
                highest = log_options.max(axis=0)
                log_options -= highest
                total = np.exp(log_options, out=log_options).sum(axis=0)
                log_rest[subsets] = highest + np.log(total)
        return log_rest

    def _log_options(self, subsets: np.ndarray, log_rest: np.ndarray) -> np.ndarray:
        """What ending there, and going on with each antecedent, adds to the sum after a subset."""
        log_options = np.empty((len(self._bits) + 1, len(subsets)))
        log_options[0] = self._log_end[subsets]
        for a, bit in enumerate(self._bits):
            log_options[a + 1] = self._log_steps[a][subsets] + log_rest[subsets | bit]
        return log_options

    def _log_likelihood(self, label_counts: list[np.ndarray]) -> np.ndarray:
        """The term of a rule (section 2.5), from the counts of each label."""
        total = label_counts[0]
        for counts in label_counts[1:]:
            total = total + counts
        log_likelihood = -self._log_pochhammer_of(-1, total)
        for label, counts in enumerate(label_counts):
            log_likelihood += self._log_pochhammer_of(label, counts)
        return log_likelihood

    def _log_pochhammer_of(self, which: int, counts: np.ndarray) -> np.ndarray:
        """log Gamma(count + alpha) - log Gamma(alpha), looked up where the table is long enough."""
        table = self._log_pochhammer[which]
        if len(table) < LONGEST_TABLE:
            return table[counts]
        alpha = self._pseudocounts[which]
        computed: np.ndarray = gammaln(counts * self._unit + alpha) - gammaln(alpha)
        return computed

    def _draw_some(self, n: int, rng: np.random.Generator) -> RunLengthDraws:
        """Draws that go their ways together, each until it ends."""
        longest = len(self._bits)
        ways = np.zeros((longest + 1, n), dtype=np.int64)  # the subset before each rule
        items = np.full((longest + 1, n), -1, dtype=np.int32)
        lengths, log_posterior = np.zeros(n, dtype=np.int64), np.zeros(n)
        going = np.arange(n)
        for m in range(longest + 1):
            subsets, place = self._met(ways[m, going])
            log_options = self._log_options(subsets, self._log_rest)
            cumulative = np.cumsum(np.exp(log_options - self._log_rest[subsets]), axis=0)
            # the last is exactly 1, so that a uniform number below 1 always finds its option
            cumulative /= cumulative[-1]
            option = np.sum(rng.random(len(going)) >= cumulative[:, place], axis=0)
            here, goes_on = ways[m, going], option > 0
            log_posterior[going[~goes_on]] += self._log_end[here[~goes_on]]
            going, here, chosen = going[goes_on], here[goes_on], option[goes_on] - 1
            if not len(going):
                break
            log_posterior[going] += self._log_steps[chosen, here]
            lengths[going] += 1
            items[m, going] = chosen
            ways[m + 1, going] = here | self._bits[chosen]
        return self._runs(items[: m + 1], ways[: m + 1], lengths, log_posterior)

    def _met(self, subsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The distinct subsets among some, and the place of each among them."""
        is_met = np.zeros(len(self._log_end), dtype=bool)
        is_met[subsets] = True
        distinct = np.flatnonzero(is_met)
        return distinct, np.searchsorted(distinct, subsets)

    def _runs(
        self, items: np.ndarray, ways: np.ndarray, lengths: np.ndarray, log_posterior: np.ndarray
    ) -> RunLengthDraws:
        """Draws as runs, equal ones that follow each other as one; a row for every rule."""
        first = np.flatnonzero(np.append(True, np.any(items[:, 1:] != items[:, :-1], axis=0)))
        lengths = lengths[first]
        positions = np.arange(len(items))
        found = self._left[:, ways.T[first][positions <= lengths[:, None]]]
        # a rule leaves over what the next one finds, the default rule nothing
        left_over = np.roll(found, -1, axis=1)
        left_over[:, np.cumsum(lengths + 1) - 1] = 0
        return RunLengthDraws(
            n_draws=np.diff(np.append(first, items.shape[1])),
            log_posterior=log_posterior[first],
            offsets=np.concatenate([[0], np.cumsum(lengths)]),
            items=items.T[first][positions < lengths[:, None]],
            label_counts=np.ascontiguousarray((found - left_over).T),
        )


def _left_over(problem: Problem) -> np.ndarray:
    """Label counts of the observations that no antecedent of a subset covers, (labels, subsets)."""
    pool_size, layout = problem.pool_size, problem.layout
    counts = np.zeros((problem.n_labels, 1 << pool_size), dtype=np.int64)
    everyone = layout.everyone()
    for section, label in enumerate(layout.section_labels):
        start, stop = layout.section_starts[section : section + 2]
        for first in range(start, stop, WORDS_AT_ONCE):
            words = slice(first, min(first + WORDS_AT_ONCE, stop))
            covering = _covering(problem, words)[_truth(everyone[words])]
            found = np.bincount(covering, minlength=1 << pool_size)
            counts[label] += found * layout.section_weights[section]
    # from those that exactly a subset covers to those that nothing but a subset covers
    for a in range(pool_size):
        halves = counts.reshape(problem.n_labels, -1, 2, 1 << a)
        halves[:, :, 1] += halves[:, :, 0]
    # what is nothing but the rest of the pool is nothing of the subset
    return np.ascontiguousarray(counts[:, ::-1])


def _covering(problem: Problem, words: slice) -> np.ndarray:
    """The subset of the antecedents that cover each observation of some words."""
    subsets = np.zeros((words.stop - words.start) * WORD_BITS, dtype=np.int64)
    for a in range(problem.pool_size):
        cover = np.bitwise_and.reduce(problem.covers[problem.conditions_of(a), words], axis=0)
        subsets[_truth(cover)] |= 1 << a
    return subsets


def _truth(words: np.ndarray) -> np.ndarray:
    return np.unpackbits(words.view(np.uint8), bitorder="little").view(bool)


def _log_prior_of_classes(prior: ListPrior) -> tuple[np.ndarray, np.ndarray]:
    """The class of cardinality of each antecedent, and what the class adds to the prior.

    The prior of the next rule (section 2.4), by class and subset, but for the rule's own weight:
    the log of the class's share among those that still have an unused antecedent, over the
    weight of its unused ones.
    """
    classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
    log_mass = prior.log_mass[:, None]
    # a sum over the unused is that of the complement, which is the subset counted from behind
    by_class = [np.where(classes == k, prior.weights, 0.0) for k in range(len(log_mass))]
    unused = np.stack([_sums(weights)[::-1] for weights in by_class])
    # by logarithms, for one cardinality may have next to nothing of another's mass
    log_available = np.logaddexp.reduce(np.where(unused > 0, log_mass, -np.inf))
    with np.errstate(divide="ignore"):  # of a class that is used up nothing is asked
        return classes, log_mass - log_available - np.log(unused)


def _sums(values: np.ndarray) -> np.ndarray:
    """The sum of the values of every subset."""
    sums = np.zeros(1, dtype=values.dtype)
    for value in values:
        sums = np.concatenate([sums, sums + value])
    return sums
