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
from elseif.bits.packing import make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.sampler.chain import OPTION_NAMES, Chain, CompiledProblem, Runs
from elseif.sampler.likeness import Likeness
from elseif.sampler.proposals import KERNELS, Kernel
from tests import naive
from tests.entering import capture

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
    formed: bool = False  # whether covers are formed from those of conditions at every use

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
        truths, members = split_truths(self.truths) if self.formed else (self.truths, None)
        covers = [layout.pack(truth) for truth in truths]
        prior = ListPrior(
            np.array(self.cardinalities),
            self.expected_length,
            self.expected_cardinality,
            np.array(self._antecedent_weights),
        )
        return Problem(np.stack(covers), layout, np.array(self.pseudocounts), prior, members)

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


def split_truths(truths: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Conditions whose conjunctions have the given truths, one to three each, in mixed order."""
    rng = np.random.default_rng(0)
    conditions: list[np.ndarray] = []
    members = np.full((len(truths), 3), -1)
    for a, truth in enumerate(truths):
        more = 1 + a % 3
        # every observation that the conjunction leaves out is left out by one condition at least
        left_out_by = rng.integers(0, more, truths.shape[1])
        for i in range(more):
            also = (left_out_by != i) & (rng.random(truths.shape[1]) < 0.5)
            members[a, i] = len(conditions)
            conditions.append(truth | also)
    order = rng.permutation(len(conditions))
    place = np.append(np.argsort(order), -1)
    return np.stack(conditions)[order], place[members]


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
    by_name = {case.name: case for case in made}
    for name in ("three-labels", "weighted-observations", "many-observations"):
        formed = dataclasses.replace(by_name[name], name=f"{name}-formed", formed=True)
        by_name[formed.name] = formed
    return by_name


CASES = _make_cases()
SMALL_CASES = {name: case for name, case in CASES.items() if case.pool_size <= 5}


# ---------------------------------------------------------------------------- kernels


@dataclass(frozen=True)
class Variant:
    """A kernel of the package, before or after it has learnt where to look."""

    name: str
    kernel: Kernel
    has_learnt: bool

    def inclusion(self, pool_size: int) -> np.ndarray:
        """Made-up shares of time in the list: uneven, of each temperature's own."""
        return np.array(
            [
                [(((5 + 2 * t) * a + 3 + t) % 6 + 1) * (a % 4 != 1) / 8 for a in range(pool_size)]
                for t in range(self.n_temperatures)
            ]
        )

    def similar(self, pool_size: int) -> tuple[tuple[int, ...], ...]:
        """A made-up mutual relation: some antecedents are like many, the fourth like none."""
        pool = range(pool_size)
        return tuple(
            tuple(b for b in pool if a != b and 3 not in (a, b) and (a * b % 4 < 2 or a + b < 4))
            for a in pool
        )

    def additions(self, pool_size: int) -> kernels.Tuning:
        similar = self.similar(pool_size)
        first = np.concatenate([[0], np.cumsum([len(others) for others in similar])])
        likeness = Likeness(np.array([b for o in similar for b in o], dtype=np.int64), first)
        inclusion = self.inclusion(pool_size) if self.has_learnt else None
        return self.kernel.additions(pool_size, inclusion, likeness)

    @property
    def n_temperatures(self) -> int:
        return len(self.kernel.coldnesses)

    def proposals(self, pool_size: int, *mistakes: str, temperature: int = 0) -> naive.Proposals:
        """The same for the reference."""
        additions = self.additions(pool_size)
        options = zip(OPTION_NAMES, additions.option_weights.tolist(), strict=True)
        weights = tuple(additions.weights[temperature].tolist())
        return naive.Proposals(dict(options), weights, self.similar(pool_size), frozenset(mistakes))


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
TEMPERED_VARIANTS = {name: v for name, v in VARIANTS.items() if v.n_temperatures > 1}


def neighbours(variant: Variant, pool_size: int, temperature: int = 0) -> naive.Neighbours:
    """The enumerated proposal distribution at a temperature."""
    proposals = variant.proposals(pool_size, temperature=temperature)
    options = tuple(proposals.option_weights.items())
    return _neighbours(options, proposals.addition_weights, proposals.similar)


@cache
def _neighbours(
    options: tuple[tuple[str, float], ...],
    weights: tuple[float, ...],
    similar: tuple[tuple[int, ...], ...],
) -> naive.Neighbours:
    """The enumerated proposal distribution, computed once for all that propose alike."""
    return naive.Neighbours(naive.Proposals(dict(options), weights, similar), len(weights))


@cache
def posterior(case: Case) -> dict[tuple[int, ...], float]:
    """The exact posterior, computed once."""
    return naive.posterior(case.model())


@cache
def tempered_posterior(case: Case, coldness: float) -> dict[tuple[int, ...], float]:
    """The exact target p(d) p(y | d)^coldness, normalised, computed once."""
    if coldness == 1.0:
        return posterior(case)
    terms = log_terms(case)
    logs = np.array([log_prior + coldness * log_lik for log_prior, log_lik in terms.values()])
    masses = np.exp(logs - logs.max())
    return dict(zip(terms, (masses / masses.sum()).tolist(), strict=True))


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
    *,
    companions: Sequence[tuple[int, ...]] | None = None,
    swap_every: int | None = None,
) -> Chain:
    """A chain of the package whose additions are frozen as the variant says.

    Companions start from draws of the prior unless their lists are given.
    """
    sequence = np.random.SeedSequence(list(seed))
    chain = Chain(case.problem, compiled or case.compiled, variant.kernel, sequence, start)
    chain._additions = variant.additions(case.pool_size)
    if swap_every is not None:
        turns = np.full(variant.n_temperatures, swap_every // 2 + 1)
        turns[0] = swap_every
        chain._additions = chain._additions._replace(turns=turns)
        chain._state.cursor[1] = swap_every
    if companions is not None:
        chain._state = chain._state_at([chain.start, *companions], chain._capacity)
    return chain


def state_at(
    chain: Chain, antecedent_list: tuple[int, ...], capacity: int, temperature: int = 0
) -> kernels.State:
    """A state of the chain's that works on a list at a temperature, among empty others."""
    n = len(chain._state.replica)
    r = (temperature + 1) % n  # a list's temperature is not its place in the state
    lists: list[tuple[int, ...]] = [()] * n
    lists[r] = antecedent_list
    state = chain._state_at(lists, capacity)
    state.at[0], state.cursor[0] = r, temperature
    state.replica[:] = (np.arange(n) + 1) % n
    return state


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


@cache
def compiled_alone(name: str) -> Callable:
    """One of the package's own functions, to be called from Python."""
    function = getattr(kernels, name)
    return function if hasattr(function, "py_func") else njit(**kernels.OPTIONS)(function)


@njit
def set_uniform(seed, k, n_earlier):
    """Make the uniform that follows n_earlier others k 2^-53: xoshiro256++ run backwards."""
    out = np.uint64(k) << np.uint64(11)
    a, b = np.uint64(0), np.uint64(0x9E3779B97F4A7C15)
    c, d = np.uint64(0xBF58476D1CE4E5B9), (out >> np.uint64(23)) | (out << np.uint64(41))
    for _ in range(n_earlier):
        d = (d >> np.uint64(45)) | (d << np.uint64(19))
        a ^= d
        mixed = b ^ c
        old = mixed ^ (mixed << np.uint64(17)) ^ (mixed << np.uint64(34)) ^ (mixed << np.uint64(51))
        c = b ^ old ^ a
        b = old
        d ^= b
    seed[0], seed[1], seed[2], seed[3] = a, b, c, d


class Drivers(NamedTuple):
    """Loops over the kernels of one core, compiled as they are."""

    enter_list: Callable
    enter_all: Callable
    evaluate_steps: Callable
    propose_many: Callable
    run_many: Callable
    exchange_all: Callable


def make_drivers(core: types.ModuleType, compile_function: Callable) -> Drivers:
    """The loops, for the package's kernels or for a mutant of them."""
    log_prior, rule_log_likelihood = core.log_prior, core.rule_log_likelihood
    refresh_log_posterior = core.refresh_log_posterior
    log_prior_ratio, log_likelihood_ratio = core.log_prior_ratio, core.log_likelihood_ratio
    log_proposal_ratio, log_acceptance = core.log_proposal_ratio, core.log_acceptance
    accept, propose, next_uniform = core.accept, core.propose, core.next_uniform
    write_run, advance, exchange_lists = core.write_run, core.advance, core.exchange_lists
    running, needs_records = core.REACHED, core.NEEDS_RECORDS

    @compile_function
    def enter_list(data, prior, state, antecedent_list):
        """Make a list that of the replica at work."""
        capture(data, prior, state, antecedent_list)
        r = state.at[0]
        for j in range(state.length[r] + 1):
            row = state.rows[r, j]
            state.log_likelihoods[row] = rule_log_likelihood(data, state.label_counts, row)
        refresh_log_posterior(prior, state)

    def enter_all(data, prior, state, items, offsets, terms, counts):
        """Log prior, log likelihood, log posterior and label counts of every list.

        With several replicas a list is read only after others were entered beside it.
        """
        n, n_replicas = len(offsets) - 1, len(state.length)
        for entered in range(n + n_replicas - 1):
            if entered < n:
                state.at[0] = entered % n_replicas
                enter_list(data, prior, state, items[offsets[entered] : offsets[entered + 1]])
            i = entered - n_replicas + 1
            if i < 0:
                continue
            r = i % n_replicas
            length = state.length[r]
            terms[i, 0] = log_prior(prior, state.antecedent_list[r], length, state.trial_used)
            for j in range(length + 1):
                row = state.rows[r, j]
                terms[i, 1] += state.log_likelihoods[row]
                for label in range(counts.shape[2]):
                    counts[i, j, label] = state.label_counts[row, label]
            terms[i, 2] = state.log_posterior[r]

    @compile_function
    def count_differences(state, fresh, r):
        """How many entries of a replica differ from those of one freshly entered."""
        n = abs(state.length[r] - fresh.length[r])
        n += state.log_posterior[r] != fresh.log_posterior[r]
        for j in range(fresh.length[r] + 1):
            row, fresh_row = state.rows[r, j], fresh.rows[r, j]
            n += state.log_likelihoods[row] != fresh.log_likelihoods[fresh_row]
            for w in range(state.captured.shape[1]):
                n += state.captured[row, w] != fresh.captured[fresh_row, w]
            for label in range(state.label_counts.shape[1]):
                n += state.label_counts[row, label] != fresh.label_counts[fresh_row, label]
        for j in range(fresh.length[r]):
            n += state.antecedent_list[r, j] != fresh.antecedent_list[r, j]
        for a in range(state.in_list.shape[1]):
            n += state.in_list[r, a] != fresh.in_list[r, a]
        for k in range(state.used.shape[1]):
            n += state.used[r, k] != fresh.used[r, k]
        n_rows = state.rows.shape[1]
        for i in range(n_rows):  # the rows stay a permutation, and the replica's own
            found = 0
            for j in range(n_rows):
                found += state.rows[r, j] == r * n_rows + i
            n += found != 1
        return n

    def evaluate_steps(
        data, prior, additions, state, fresh, items, offsets, ends, steps, values, wrong
    ):
        """The ratios of every step (option, position, target) between two lists (ends).

        Replicas take turns. wrong counts what the accepted state has different from the list
        freshly entered, or any other replica from what it was.
        """
        n_replicas = len(state.length)
        for s in range(len(steps)):
            option, position, target = steps[s, 0], steps[s, 1], steps[s, 2]
            old, new = ends[s, 0], ends[s, 1]
            state.at[0] = s % n_replicas
            fresh.at[0] = s % n_replicas
            enter_list(data, prior, state, items[offsets[old] : offsets[old + 1]])
            enter_list(data, prior, fresh, items[offsets[new] : offsets[new + 1]])
            values[s, 0] = log_prior_ratio(prior, state, option, position, target)
            values[s, 1] = log_likelihood_ratio(data, state, option, position, target)
            values[s, 2] = log_proposal_ratio(additions, state, option, position, target)
            values[s, 3] = log_acceptance(data, prior, additions, state, option, position, target)
            accept(data, prior, state, option, position, target)
            for r in range(n_replicas):
                wrong[s] += count_differences(state, fresh, r)

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
        """Run chains of n_steps from lists for every temperature, and note where they end."""
        n_chains, n_temperatures = lengths.shape
        for i in range(n_chains):
            for t in range(n_temperatures):
                state.at[0] = t
                state.replica[t] = t
                first = i * n_temperatures + t
                enter_list(data, prior, state, items[offsets[first] : offsets[first + 1]])
            state.at[0] = 0
            state.cursor[0], state.cursor[1], state.cursor[2] = 0, additions.turns[0], 0
            tally.iteration[0] = 0
            status = needs_records
            while status == needs_records:
                record.n_runs[0] = 0  # only where a chain ends is wanted
                at_work = state.at[0]
                state.at[0] = state.replica[0]
                write_run(state, record, tally.iteration[0])
                state.at[0] = at_work
                status = advance(data, prior, additions, state, tally, record, seed, n_steps)
            if status != running:
                return status
            for t in range(n_temperatures):
                r = state.replica[t]
                lengths[i, t] = state.length[r]
                for j in range(lengths[i, t]):
                    ends[i, t, j] = state.antecedent_list[r, j]
        return running

    def exchange_all(
        data, prior, additions, state, tally, record, seed, items, offsets, t, thresholds
    ):
        """How many of the 2^53 uniforms exchange the lists of t and t + 1, for all pairs.

        Every other temperature holds the empty list. What an exchange should not have changed
        is counted and returned.
        """
        n, n_temperatures = len(offsets) - 1, len(state.replica)
        wrong = 0
        for r in range(n_temperatures):
            state.at[0] = r
            enter_list(data, prior, state, items[:0])
        for i in range(n):
            for j in range(n):
                colder, warmer = (t + 1) % n_temperatures, (t + 2) % n_temperatures
                state.at[0] = colder
                enter_list(data, prior, state, items[offsets[i] : offsets[i + 1]])
                state.at[0] = warmer
                enter_list(data, prior, state, items[offsets[j] : offsets[j + 1]])
                low, high = 0, 1 << 53  # uniforms below low exchange, those from high on do not
                while low < high:
                    k = (low + high) // 2
                    set_uniform(seed, k, t // 2)
                    for u in range(n_temperatures):
                        state.replica[u] = (u + 1) % n_temperatures
                    state.at[0] = state.replica[0]
                    state.cursor[0], state.cursor[2] = n_temperatures, t % 2
                    record.n_runs[0] = 0
                    exchange_lists(additions, state, tally, record, seed)
                    exchanged = state.replica[t] == warmer
                    wrong += state.replica[t] != (warmer if exchanged else colder)
                    wrong += state.replica[t + 1] != (colder if exchanged else warmer)
                    wrong += state.cursor[2] != t % 2 + 1
                    wrong += state.length[colder] != offsets[i + 1] - offsets[i]
                    wrong += state.length[warmer] != offsets[j + 1] - offsets[j]
                    if exchanged:
                        low = k + 1
                    else:
                        high = k
                thresholds[i, j] = low
        return wrong

    loops = (enter_all, evaluate_steps, propose_many, run_many, exchange_all)
    return Drivers(enter_list, *map(compile_function, loops))


@cache
def production() -> Drivers:
    """The loops over the package's own kernels."""
    return make_drivers(kernels, njit(nogil=True))
