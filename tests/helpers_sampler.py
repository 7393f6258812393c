"""Problems, kernels and drivers that the tests of the sampler share.

A driver loops over calls of the package's kernels; it is compiled where the kernels are, for
a call from Python costs more than a step. Drivers are never cached on disk: Numba would not
notice that kernels.py has changed beneath them.
"""

from __future__ import annotations

import dataclasses
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

import numpy as np
from numba import njit

from elseif import kernels
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.chain import OPTION_NAMES, Chain, CompiledProblem, Runs
from elseif.sampler.proposals import KERNELS, Kernel
from elseif.tables.packing import make_layout
from tests import naive

# --------------------------------------------------------------------------- problems


@dataclass(frozen=True, eq=False)
class Case:
    """A small problem, from which both the package's and the reference's are made."""

    name: str
    truths: np.ndarray  # bool (antecedents, rows)
    labels: np.ndarray
    cardinalities: tuple[int, ...]
    pseudocounts: tuple[float, ...]
    expected_length: float = 2.0
    expected_cardinality: float = 1.5
    weights: np.ndarray | None = None  # of observations, in units
    unit: float = 1.0
    antecedent_weights: tuple[float, ...] | None = None

    @property
    def pool_size(self) -> int:
        return len(self.cardinalities)

    @property
    def n_labels(self) -> int:
        return len(self.pseudocounts)

    @cached_property
    def problem(self) -> Problem:
        """The problem as the package states it."""
        layout = make_layout(self.labels, self.n_labels, self.weights, self.unit)
        covers = [layout.pack(truth) for truth in self.truths]
        prior = ListPrior(
            np.array(self.cardinalities),
            self.expected_length,
            self.expected_cardinality,
            np.array(self._antecedent_weights),
        )
        return Problem(np.stack(covers), layout, np.array(self.pseudocounts), prior)

    @cached_property
    def compiled(self) -> CompiledProblem:
        return CompiledProblem.of(self.problem)

    @property
    def _antecedent_weights(self) -> tuple[float, ...]:
        return self.antecedent_weights or (1.0,) * self.pool_size

    def model(self, *mistakes: str) -> naive.Model:
        """The problem as the reference states it."""
        weights = np.ones(len(self.labels)) if self.weights is None else self.weights
        return naive.Model(
            covers=tuple(frozenset(np.flatnonzero(truth).tolist()) for truth in self.truths),
            labels=tuple(self.labels.tolist()),
            observation_weights=tuple((weights * self.unit).tolist()),
            n_labels=self.n_labels,
            cardinalities=self.cardinalities,
            antecedent_weights=self._antecedent_weights,
            expected_length=self.expected_length,
            expected_cardinality=self.expected_cardinality,
            pseudocounts=self.pseudocounts,
            mistakes=frozenset(mistakes),
        )


def random_case(
    name: str,
    seed: int,
    cardinalities: tuple[int, ...],
    pseudocounts: tuple[float, ...],
    n: int = 24,
    **options: object,
) -> Case:
    """A case whose first antecedents tell something of the label."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, len(pseudocounts), n)
    truths = rng.random((len(cardinalities), n)) < 0.45
    truths[0] ^= (labels == 0) & (rng.random(n) < 0.6)
    return Case(name, truths, labels, cardinalities, pseudocounts, **options)


def _with_rows(case: Case, **rows: np.ndarray) -> Case:
    """The case with some antecedents' truths replaced, by number (a0=..., a1=...)."""
    truths = case.truths.copy()
    for name, truth in rows.items():
        truths[int(name[1:])] = truth
    return dataclasses.replace(case, truths=truths)


def _make_cases() -> dict[str, Case]:
    two_alike = random_case(
        "two-identical-covers", 3, (1, 1, 2, 4, 4), (0.5, 2.0, 1.3), expected_cardinality=2.5
    )
    two_alike = _with_rows(two_alike, a4=two_alike.truths[3])
    extremes = random_case("nobody-and-everybody", 4, (1, 2, 2, 3), (2.0, 0.5))
    extremes = _with_rows(extremes, a1=np.zeros(24, dtype=bool), a2=np.ones(24, dtype=bool))
    made = [
        random_case("two-labels", 1, (1, 1, 2, 2), (1.0, 1.0)),
        random_case("three-labels", 2, (1, 2, 2), (1.0, 1.0, 1.0), expected_length=3.0),
        # a gap between the cardinalities, and pseudocounts of each label's own
        two_alike,
        extremes,
        random_case(
            "weighted-antecedents", 5, (1, 1, 1, 3), (0.7, 0.7), antecedent_weights=(0.2, 1, 5, 2)
        ),
        # differences of weights lose their digits here
        random_case(
            "lopsided-antecedents",
            6,
            (2, 2, 2, 2),
            (1.0, 1.0, 1.0),
            antecedent_weights=(1e6, 1e3, 1.0, 1e-3),
        ),
        # equal weights are the paper's prior, whatever they are
        random_case(
            "equally-weighted", 7, (1, 1, 5), (1.0, 3.0), antecedent_weights=(3.0, 3.0, 3.0)
        ),
        random_case(
            "weighted-observations",
            8,
            (1, 1, 2, 3),
            (1.0, 0.5, 2.0),
            weights=np.random.default_rng(8).integers(0, 6, 24),
        ),
        random_case(
            "fractional-weights",
            9,
            (1, 2, 2, 2),
            (1.0, 1.0),
            weights=np.random.default_rng(9).integers(1, 9, 24),
            unit=0.25,
        ),
        random_case("no-observations", 10, (1, 1, 2, 4), (1.0, 2.0, 0.5), n=0),
        random_case("one-observation", 11, (1, 2, 2), (1.0, 0.5), n=1),
        random_case("one-antecedent", 12, (2,), (1.0, 1.0)),
        # no cardinality runs out in short lists, hence the prior's short cut
        random_case("one-cardinality", 13, (2, 2, 2, 2, 2), (1.0, 1.0, 1.0)),
        # more than one word a section
        random_case("many-observations", 14, (1, 1, 3), (1.0, 1.0), n=1300),
        random_case("six-antecedents", 15, (1, 1, 1, 3, 3, 3), (1.0, 0.8, 2.0), n=30),
    ]
    return {case.name: case for case in made}


CASES = _make_cases()
SMALL_CASES = {name: case for name, case in CASES.items() if case.pool_size <= 5}


# ---------------------------------------------------------------------------- kernels


@dataclass(frozen=True)
class Variant:
    """A kernel of the package, before or after it has learnt where to look."""

    name: str
    kernel: Kernel
    has_learnt: bool

    def presence(self, pool_size: int) -> np.ndarray:
        """Made-up iterations in the list: uneven, and none for some antecedents."""
        return np.array([(5 * a + 3) % 7 * (a % 4 != 1) for a in range(pool_size)]) * 100

    def additions(self, pool_size: int) -> kernels.Additions:
        if not self.has_learnt:
            return self.kernel.additions(pool_size)
        return self.kernel.additions(pool_size, self.presence(pool_size))

    def proposals(self, pool_size: int, *mistakes: str) -> naive.Proposals:
        """The same for the reference."""
        additions = self.additions(pool_size)
        options = zip(OPTION_NAMES, additions.option_weights.tolist(), strict=True)
        weights = tuple(additions.weights.tolist())
        return naive.Proposals(dict(options), weights, frozenset(mistakes))


def _make_variants() -> dict[str, Variant]:
    made = []
    for name, kernel in KERNELS.items():
        made.append(Variant(name, kernel, has_learnt=False))
        if kernel.uniform_share < 1:
            made.append(Variant(f"{name}-learnt", kernel, has_learnt=True))
            # so sure of itself that what is left outside the list nearly vanishes
            steep = dataclasses.replace(kernel, uniform_share=1e-3)
            made.append(Variant(f"{name}-steep", steep, has_learnt=True))
    return {variant.name: variant for variant in made}


VARIANTS = _make_variants()
# a steep kernel stays exact but seldom proposes what it has not seen: where a test waits for
# convergence, it would wait for thousands of steps
QUICK_VARIANTS = {name: v for name, v in VARIANTS.items() if not name.endswith("-steep")}


@cache
def neighbours(variant: Variant, pool_size: int) -> naive.Neighbours:
    """The enumerated proposal distribution, computed once."""
    return naive.Neighbours(variant.proposals(pool_size), pool_size)


@cache
def posterior(case: Case) -> dict[tuple[int, ...], float]:
    """The exact posterior, computed once."""
    return naive.posterior(case.model())


@cache
def used_prior(case: Case) -> dict[tuple[int, ...], float]:
    """The exact prior of how many antecedents of each cardinality, computed once."""
    return naive.used_prior(case.model())


@cache
def log_terms(case: Case) -> dict[tuple[int, ...], tuple[float, float]]:
    """Log prior and log likelihood of every list by the reference, computed once."""
    model = case.model()
    lists = naive.all_lists(case.pool_size)
    return {d: (naive.log_prior(model, d), naive.log_likelihood(model, d)) for d in lists}


# ----------------------------------------------------------------------------- chains


def make_chain(
    case: Case,
    variant: Variant,
    seed: Sequence[int],
    start: tuple[int, ...] | None = None,
    compiled: CompiledProblem | None = None,
) -> Chain:
    """A chain of the package whose additions are frozen as the variant says."""
    sequence = np.random.SeedSequence(list(seed))
    chain = Chain(case.problem, compiled or case.compiled, variant.kernel, sequence, start)
    chain._additions = variant.additions(case.pool_size)
    return chain


def lists_of(runs: Runs) -> list[tuple[int, ...]]:
    """The list of every run of equal draws."""
    ends = zip(runs.offsets[:-1], runs.offsets[1:], strict=True)
    return [tuple(runs.items[i:j].tolist()) for i, j in ends]


def flat(lists: Sequence[tuple[int, ...]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists one after another, and where each begins."""
    items = np.array([a for d in lists for a in d], dtype=np.int64)
    offsets = np.concatenate([[0], np.cumsum([len(d) for d in lists])]).astype(np.int64)
    return items, offsets


# ---------------------------------------------------------------------------- drivers


class Drivers(NamedTuple):
    """Loops over the kernels of one core, compiled as they are."""

    enter_all: Callable
    evaluate_steps: Callable
    propose_many: Callable
    run_many: Callable


def make_drivers(core: types.ModuleType, compile_function: Callable) -> Drivers:
    """The loops, for the package's kernels or for a mutant of them."""
    enter_list, log_prior = core.enter_list, core.log_prior
    log_prior_ratio, log_likelihood_ratio = core.log_prior_ratio, core.log_likelihood_ratio
    log_proposal_ratio, log_acceptance = core.log_proposal_ratio, core.log_acceptance
    accept, propose, next_uniform = core.accept, core.propose, core.next_uniform
    write_run, advance = core.write_run, core.advance
    running, needs_records = core.RUNNING, core.NEEDS_RECORDS

    def enter_all(data, prior, state, items, offsets, terms, counts):
        """Log prior, log likelihood, log posterior and label counts of every list."""
        for i in range(len(offsets) - 1):
            enter_list(data, prior, state, items[offsets[i] : offsets[i + 1]])
            length = state.length[0]
            terms[i, 0] = log_prior(prior, state.antecedent_list, length, state.trial_used)
            for j in range(length + 1):
                terms[i, 1] += state.log_likelihoods[state.rows[j]]
                for label in range(counts.shape[2]):
                    counts[i, j, label] = state.label_counts[state.rows[j], label]
            terms[i, 2] = state.log_posterior[0]

    @compile_function
    def count_differences(state, fresh):
        """How many entries of a state differ from those of one freshly entered."""
        n = abs(state.length[0] - fresh.length[0])
        n += state.log_posterior[0] != fresh.log_posterior[0]
        for j in range(fresh.length[0] + 1):
            row, fresh_row = state.rows[j], fresh.rows[j]
            n += state.log_likelihoods[row] != fresh.log_likelihoods[fresh_row]
            for w in range(state.captured.shape[1]):
                n += state.captured[row, w] != fresh.captured[fresh_row, w]
            for label in range(state.label_counts.shape[1]):
                n += state.label_counts[row, label] != fresh.label_counts[fresh_row, label]
        for j in range(fresh.length[0]):
            n += state.antecedent_list[j] != fresh.antecedent_list[j]
        for a in range(len(state.in_list)):
            n += state.in_list[a] != fresh.in_list[a]
        for k in range(len(state.used)):
            n += state.used[k] != fresh.used[k]
        for row in range(len(state.rows)):  # the rows stay a permutation
            found = 0
            for j in range(len(state.rows)):
                found += state.rows[j] == row
            n += found != 1
        return n

    def evaluate_steps(
        data, prior, additions, state, fresh, items, offsets, ends, steps, values, wrong
    ):
        """The ratios of every step (option, position, target) between two lists (ends).

        wrong counts what the accepted state has different from the list freshly entered.
        """
        for s in range(len(steps)):
            option, position, target = steps[s, 0], steps[s, 1], steps[s, 2]
            old, new = ends[s, 0], ends[s, 1]
            enter_list(data, prior, state, items[offsets[old] : offsets[old + 1]])
            enter_list(data, prior, fresh, items[offsets[new] : offsets[new + 1]])
            values[s, 0] = log_prior_ratio(prior, state, option, position, target)
            values[s, 1] = log_likelihood_ratio(data, state, option, position, target)
            values[s, 2] = log_proposal_ratio(additions, state, option, position, target)
            values[s, 3] = log_acceptance(data, prior, additions, state, option, position, target)
            accept(data, prior, state, option, position, target)
            wrong[s] = count_differences(state, fresh)

    def propose_many(additions, state, seed, counts, n):
        """Count n proposals from a state by option, position and target."""
        for _ in range(n):
            u_option, u_position = next_uniform(seed), next_uniform(seed)
            u_target = next_uniform(seed)
            option, position, target = propose(additions, state, u_option, u_position, u_target)
            counts[option, position, target] += 1

    def run_many(
        data, prior, additions, state, tally, record, seed, items, offsets, n_steps, ends, lengths
    ):
        """Run a chain of n_steps from every list, and note where it ends."""
        for i in range(len(offsets) - 1):
            enter_list(data, prior, state, items[offsets[i] : offsets[i + 1]])
            tally.iteration[0] = 0
            status = needs_records
            while status == needs_records:
                record.n_runs[0] = 0  # only where a chain ends is wanted
                write_run(state, tally, record)
                status = advance(data, prior, additions, state, tally, record, seed, n_steps)
            if status != running:
                return status
            lengths[i] = state.length[0]
            for j in range(lengths[i]):
                ends[i, j] = state.antecedent_list[j]
        return running

    return Drivers(*map(compile_function, (enter_all, evaluate_steps, propose_many, run_many)))


@cache
def production() -> Drivers:
    """The loops over the package's own kernels."""
    return make_drivers(kernels, njit(nogil=True))
