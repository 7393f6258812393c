"""The checks of the sampler, as plain functions that return a deviation or a p-value.

The tests hold them to their bounds; the mutants show that a mistake breaks the bounds. A
deviation is absolute; a p-value is that of a right sampler, so that a bound on it is the
false-alarm rate of one check.
"""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from scipy import stats
from scipy.special import logsumexp

from elseif.compiled import OPTION_NAMES
from elseif.model.likelihood import log_likelihood
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.init_state import list_of, new_state
from elseif.sampler.run_length_draws import RunLengthDraws
from tests.sampler import naive
from tests.sampler.cases import Case
from tests.sampler.drivers import Drivers, production
from tests.sampler.variants import (
    Variant,
    flat,
    lists_of,
    log_target,
    log_tempered,
    log_terms,
    make_chain,
    neighbours,
    posterior,
    state_at,
    tempered_posterior,
    used_prior,
)

EXACT = 1e-12
LOG_TERM = 1e-9
FALSE_ALARM = 1e-6
SMALLEST_CELL = 5
STEPS_PER_SWAP = 3  # swaps more often than the package's, so that short chains have many

AntecedentList = tuple[int, ...]


def largest(values: Iterable[float]) -> float:
    """The largest absolute value; what is not a number counts as infinite."""
    array = np.abs(np.fromiter(values, dtype=float))
    return float(np.nan_to_num(array, nan=math.inf).max(initial=0.0))


# ------------------------------------------------------------------- T0: exact values


@dataclass(frozen=True)
class TermDeviations:
    """T0: how far the package is from the reference over all lists."""

    log_prior: float
    log_likelihood: float
    log_posterior: float
    label_counts: float
    prior_total: float  # of p(d | m), over every m
    model_log_prior: float
    model_log_likelihood: float

    @property
    def worst(self) -> float:
        return max(vars(self).values())


def term_deviations(
    case: Case,
    *,
    compiled: CompiledProblem | None = None,
    drivers: Drivers | None = None,
    model: naive.Model | None = None,
) -> TermDeviations:
    """T0: log prior, log likelihood and label counts of every list of the enumeration."""
    lists = naive.all_lists(case.pool_size)
    terms = log_terms(case) if model is None else None
    model = model or case.model()
    if terms is None:
        terms = {d: (naive.log_prior(model, d), naive.log_likelihood(model, d)) for d in lists}
    compiled = compiled or case.compiled
    state = new_state(case.compiled, [()] * 3, case.pool_size)
    items, offsets = flat(lists)
    values = np.zeros((len(lists), 3))
    counts = np.zeros((len(lists), case.pool_size + 1, case.n_labels), dtype=np.int64)
    enter_all = (drivers or production()).enter_all
    enter_all(compiled.data, compiled.prior, state, items, offsets, values, counts)
    expected = np.array([terms[d] for d in lists])
    naive_counts = np.zeros_like(counts, dtype=float)
    for i, d in enumerate(lists):
        naive_counts[i, : len(d) + 1] = naive.label_counts(model, d)
    by_length = np.bincount([len(d) for d in lists], weights=np.exp(values[:, 0]))
    pseudocounts, prior = case.problem.pseudocounts, case.problem.prior
    return TermDeviations(
        log_prior=largest(values[:, 0] - expected[:, 0]),
        log_likelihood=largest(values[:, 1] - expected[:, 1]),
        log_posterior=largest(values[:, 2] - expected.sum(axis=1)),
        label_counts=largest((counts * case.unit - naive_counts).ravel()),
        prior_total=largest(by_length / np.exp(compiled.prior.log_length) - 1),
        model_log_prior=largest(prior.log_probability(d) - terms[d][0] for d in lists),
        model_log_likelihood=largest(
            log_likelihood(naive_counts[i, : len(d) + 1], pseudocounts) - terms[d][1]
            for i, d in enumerate(lists)
        ),
    )


def entered_terms(case: Case, compiled: CompiledProblem, lists: list[AntecedentList]) -> np.ndarray:
    """Log prior, log likelihood and log posterior of lists, by the package."""
    items, offsets = flat(lists)
    values = np.zeros((len(lists), 3))
    counts = np.zeros((len(lists), case.pool_size + 1, case.n_labels), dtype=np.int64)
    state = new_state(case.compiled, [()], case.pool_size)
    production().enter_all(compiled.data, compiled.prior, state, items, offsets, values, counts)
    return values


def label_vector_deviation(case: Case, drop_constants: bool = False) -> float:
    """T0b: how far the likelihoods of all label vectors are from summing to 1, at worst."""
    lists = naive.all_lists(case.pool_size)
    totals = np.zeros(len(lists))
    for labels in itertools.product(range(case.n_labels), repeat=len(case.labels)):
        other = Case(
            case.name, case.truths, np.array(labels, int), case.cardinalities, case.pseudocounts
        )
        compiled = without_constants(other.compiled) if drop_constants else other.compiled
        totals += np.exp(entered_terms(other, compiled, lists)[:, 1])
    return largest(totals - 1)


def without_constants(compiled: CompiledProblem) -> CompiledProblem:
    """A published mistake, by way of the tables: log Gamma(k + alpha) and nothing less."""
    data = compiled.data
    alphas = [*data.pseudocounts.tolist(), data.pseudocount_total]
    constants = np.array([math.lgamma(alpha) for alpha in alphas])
    mutated = data._replace(log_pochhammer=data.log_pochhammer + constants[:, None])
    return dataclasses.replace(compiled, data=mutated)


# -------------------------------------------------------------- T1: detailed balance


@dataclass(frozen=True)
class Balance:
    """T1: the steps of the package against the exact posterior, over all neighbours."""

    log_prior_ratio: float
    log_likelihood_ratio: float
    log_proposal_ratio: float
    log_acceptance: float
    detailed_balance: float  # of probability flows
    invariance: float  # of the posterior under one step
    n_wrong_states: int  # accepted states that are not what a fresh entry gives

    @property
    def worst_ratio(self) -> float:
        ratios = (self.log_prior_ratio, self.log_likelihood_ratio, self.log_proposal_ratio)
        return max(*ratios, self.log_acceptance)


def balance(
    case: Case,
    variant: Variant,
    *,
    compiled: CompiledProblem | None = None,
    drivers: Drivers | None = None,
    beta: float = 1.0,
    temperature: int = 0,
) -> Balance:
    """T1: every step from every list, evaluated and accepted by the package.

    With a beta, likelihood and antecedent weights count for less at every temperature.
    """
    compiled = compiled or case.compiled
    near = neighbours(variant, case.pool_size, temperature)
    ladder = beta * np.array(variant.kernel.betas)
    beta = float(ladder[temperature])
    number = {d: i for i, d in enumerate(near.lists)}
    owned = [(d, step) for d in near.lists for step in near.steps[d]]
    ends = np.array([(number[d], number[step.result]) for d, step in owned], dtype=np.int64)
    steps = np.array(
        [(OPTION_NAMES.index(s.option), s.position, s.target) for _, s in owned], dtype=np.int64
    )
    # of one antecedent, there may be nothing but its positions
    ends, steps = ends.reshape(-1, 2), steps.reshape(-1, 3)
    values, wrong = np.zeros((len(owned), 4)), np.zeros(len(owned), dtype=np.int64)
    tuning = variant.tuning(case.pool_size)
    state, fresh = (state_at(case, variant, (), temperature)[0] for _ in range(2))
    items, offsets = flat(near.lists)
    (drivers or production()).evaluate_steps(
        compiled.data,
        compiled.prior,
        tuning._replace(beta=ladder),
        temperature,
        state,
        fresh,
        items,
        offsets,
        ends,
        steps,
        values,
        wrong,
    )
    terms = np.array([log_terms(case)[d] for d in near.lists])
    changes = terms[ends[:, 1]] - terms[ends[:, 0]]
    proposal_ratios = np.array([near.log_ratio(d, step) for d, step in owned])
    logs = np.array([log_target(case, beta)[d] for d in near.lists])
    target = np.exp(logs - logsumexp(logs))
    if beta == 1.0:
        target = np.array([posterior(case)[d] for d in near.lists])
    flows = np.zeros((len(number), len(number)))
    probabilities = np.array([step.probability for _, step in owned])
    accepted = np.exp(np.minimum(0.0, values[:, 3]))
    np.add.at(flows, (ends[:, 0], ends[:, 1]), target[ends[:, 0]] * probabilities * accepted)
    return Balance(
        log_prior_ratio=largest(values[:, 0] - changes[:, 0]),
        log_likelihood_ratio=largest(values[:, 1] - changes[:, 1]),
        log_proposal_ratio=largest(values[:, 2] - proposal_ratios),
        log_acceptance=largest(
            values[:, 3] - (logs[ends[:, 1]] - logs[ends[:, 0]]) - proposal_ratios
        ),
        detailed_balance=largest((flows - flows.T).ravel()),
        invariance=largest(flows.sum(axis=0) - flows.sum(axis=1)),
        n_wrong_states=int((wrong > 0).sum()),
    )


# --------------------------------------------------------------- goodness of fit


def chi_square_p(observed: Counter, expected: dict, pool_by: Callable = lambda cell: None) -> float:
    """p-value of counts against expected counts; sparse cells are pooled, by kind first.

    A count in a cell that cannot occur gives 0.
    """
    if any(cell not in expected or expected[cell] <= 0 for cell in observed):
        return 0.0
    pooled: dict[object, list[float]] = {}
    for cell, e in expected.items():
        key = ("cell", cell) if e >= SMALLEST_CELL else ("pool", pool_by(cell))
        entry = pooled.setdefault(key, [0.0, 0.0])
        entry[0] += observed.get(cell, 0)
        entry[1] += e
    sparse = [entry for entry in pooled.values() if entry[1] < SMALLEST_CELL]
    cells = [entry for entry in pooled.values() if entry[1] >= SMALLEST_CELL]
    if sparse:
        rest = np.sum(sparse, axis=0)
        if rest[1] < SMALLEST_CELL and cells:  # too little to stand alone
            smallest = min(range(len(cells)), key=lambda i: cells[i][1])
            rest = rest + cells.pop(smallest)
        cells.append(list(rest))
    o, e = np.array(cells).T
    if len(cells) == 1:
        return 1.0
    return float(stats.chi2.sf(((o - e) ** 2 / e).sum(), len(cells) - 1))


def bonferroni(p_values: Iterable[float]) -> float:
    """One p-value for many: a bound on it holds for the family."""
    values = list(p_values)
    return min(1.0, min(values) * len(values))


# ---------------------------------------------------------------------- T2: proposals


def proposal_p(
    case: Case,
    variant: Variant,
    seed: int,
    n_proposals: int = 20_000,
    proposals: naive.Proposals | None = None,
    temperature: int = 0,
    drivers: Drivers | None = None,
) -> float:
    """T2: proposals from a list of each length against the enumerated distribution."""
    rng = np.random.default_rng(seed)
    pool_size = case.pool_size
    tuning = variant.tuning(pool_size)
    chain = make_chain(case, variant, [seed])
    proposals = proposals or variant.proposals(pool_size, temperature=temperature)
    propose_many = (drivers or production()).propose_many
    p_values = []
    for length in range(pool_size + 1):
        d = tuple(rng.permutation(pool_size)[:length].tolist())
        counts = np.zeros((len(OPTION_NAMES), pool_size + 1, pool_size + 1), dtype=np.int64)
        state, r = state_at(case, variant, d, temperature)
        propose_many(tuning, temperature, state, r, chain.stream, counts, n_proposals)
        observed = Counter(
            {
                (OPTION_NAMES[o], int(i), int(t)): int(counts[o, i, t])
                for o, i, t in zip(*np.nonzero(counts), strict=True)
            }
        )
        steps = naive.steps_from(proposals, d, pool_size)
        expected = {(s.option, s.position, s.target): n_proposals * s.probability for s in steps}
        p_values.append(chi_square_p(observed, expected, pool_by=lambda cell: cell[0]))
    return bonferroni(p_values)


# ------------------------------------------------------------------ T3: many chains


def run_from(
    case: Case,
    variant: Variant,
    starts: Sequence[Sequence[AntecedentList]],
    n_steps: int,
    seed: int,
    *,
    compiled: CompiledProblem | None = None,
    drivers: Drivers | None = None,
) -> list[list[AntecedentList]]:
    """Where chains of the package end that start from the given lists.

    Both are lists of every chain, by temperature.
    """
    compiled = compiled or case.compiled
    chain = make_chain(case, variant, [seed], steps_per_swap=STEPS_PER_SWAP)
    n_temperatures, n_chains = len(starts), len(starts[0])
    items, offsets = flat([d for together in zip(*starts, strict=True) for d in together])
    ends = np.zeros((n_chains, n_temperatures, case.pool_size), dtype=np.int64)
    lengths = np.zeros((n_chains, n_temperatures), dtype=np.int64)
    status = (drivers or production()).run_many(
        compiled.data,
        compiled.prior,
        chain.tuning,
        new_state(compiled, [()] * n_temperatures, case.pool_size),
        chain.counters,
        chain.buffer,
        chain.stream,
        items,
        offsets,
        n_steps,
        ends,
        lengths,
    )
    assert status == 0
    return [
        [tuple(ends[i, t, : lengths[i, t]].tolist()) for i in range(n_chains)]
        for t in range(n_temperatures)
    ]


def posterior_draws(
    case: Case, n: int, rng: np.random.Generator, beta: float = 1.0
) -> list[AntecedentList]:
    """Independent draws from the exact posterior, or from that of a warmer temperature."""
    target = tempered_posterior(case, beta)
    lists = list(target)
    return [lists[i] for i in rng.choice(len(lists), size=n, p=list(target.values()))]


def exact_starts(
    case: Case, variant: Variant, n: int, rng: np.random.Generator
) -> list[list[AntecedentList]]:
    """Independent draws from the exact target of every temperature."""
    return [posterior_draws(case, n, rng, beta) for beta in variant.kernel.betas]


def lists_p(case: Case, drawn: list[AntecedentList], beta: float = 1.0) -> float:
    """p-value of independent lists against an exact target, sparse ones pooled by length."""
    target = tempered_posterior(case, beta)
    expected = {d: len(drawn) * p for d, p in target.items()}
    return chi_square_p(Counter(drawn), expected, pool_by=len)


def many_chains_p(
    case: Case,
    variant: Variant,
    seed: int,
    n_chains: int = 20_000,
    n_steps: int = 30,
    **core: object,
) -> list[float]:
    """T3: chains from exact draws of every temperature's target end in such draws.

    One p-value for each temperature, the coldest first.
    """
    starts = exact_starts(case, variant, n_chains, np.random.default_rng(seed))
    ends = run_from(case, variant, starts, n_steps, seed, **core)
    betas = variant.kernel.betas
    return [lists_p(case, drawn, c) for drawn, c in zip(ends, betas, strict=True)]


# ------------------------------------------------------------------ swaps of lists


@dataclass(frozen=True)
class SwapBalance:
    """Swaps of neighbours' lists against the formula, over all pairs of lists."""

    acceptance: float
    balance: float  # of flows under the product of the two targets
    invariance: float  # of each of the two targets
    n_wrong: int  # what a swap should not have changed


def swap_balance(
    case: Case, variant: Variant, temperature: int, drivers: Drivers | None = None
) -> SwapBalance:
    """The package's acceptance of every swap between a temperature and the next.

    It is found as the share of all 2^53 uniforms that accept, by bisection. With L the log of what
    is tempered, the likelihood and what antecedent weights do to the prior, q the prior without
    them, and b > b' the inverse temperatures, swapping d and d' multiplies the product of the
    targets, q(d) exp(b L(d)) q(d') exp(b' L(d')), by exp((b - b') (L(d') - L(d))).
    """
    lists = naive.all_lists(case.pool_size)
    chain = make_chain(case, variant, [0], ())
    chain.counters.iteration[0] = 1
    items, offsets = flat(lists)
    thresholds = np.zeros((len(lists), len(lists)))
    n_wrong = (drivers or production()).swap_all(
        case.compiled.data,
        case.compiled.prior,
        chain.tuning,
        new_state(case.compiled, [()] * variant.n_temperatures, case.pool_size),
        chain.counters,
        chain.buffer,
        chain.stream,
        items,
        offsets,
        temperature,
        thresholds,
    )
    accepted = thresholds / 2.0**53
    b, warmer_b = variant.kernel.betas[temperature : temperature + 2]
    tempered = np.array([log_tempered(case)[d] for d in lists])
    gains = tempered[None, :] - tempered[:, None]
    expected = np.exp(np.minimum(0.0, (b - warmer_b) * gains))
    target = np.array([tempered_posterior(case, b)[d] for d in lists])
    warmer = np.array([tempered_posterior(case, warmer_b)[d] for d in lists])
    flows = np.outer(target, warmer) * accepted
    return SwapBalance(
        acceptance=largest((accepted - expected).ravel()),
        balance=largest((flows - flows.T).ravel()),
        invariance=largest(flows.sum(axis=0) - flows.sum(axis=1)),
        n_wrong=int(n_wrong),
    )


def trace_faults(
    case: Case, variant: Variant, n_iter: int, seed: int, steps_per_swap: int = 2
) -> tuple[int, int]:
    """Recorded draws that are not what the chain's own list became, and how many moved.

    The list at the coldest temperature takes a step in every iteration; it may be swapped
    only after that. The recorded label counts and log posterior are the reference's.
    """
    model, terms = case.model(), log_terms(case)
    chain = make_chain(case, variant, [seed], steps_per_swap=steps_per_swap)
    faults = n_swaps = 0
    presence = np.zeros_like(chain.counters.presence)
    for i in range(n_iter):
        own = int(chain.state.replica[0])
        runs = chain.run_to(i + 1)
        if (i + 1) % steps_per_swap == 0:
            for t, r in enumerate(chain.state.replica):
                presence[t, list(list_of(chain.state, r))] += 1
        faults += runs.n_draws.tolist() != [1]
        faults += lists_of(runs) != [list_of(chain.state, own)]
        n_swaps += own != chain.state.replica[0]
        for d, value in zip(lists_of(runs), runs.log_posterior.tolist(), strict=True):
            faults += abs(value - sum(terms[d])) > LOG_TERM
        if len(runs.n_draws) == 1:
            counts = naive.label_counts(model, lists_of(runs)[0])
            faults += not np.allclose(runs.label_counts * case.unit, counts)
    counters = chain.counters
    faults += int((counters.presence != presence).sum()) + (counters.iteration[0] != n_iter)
    faults += counters.n_rounds[0] != n_iter // steps_per_swap
    faults += counters.proposed.sum() != n_iter
    return int(faults), n_swaps


# ---------------------------------------------------------------- T4: one long chain


def patterns(case: Case, at_most: int = 6) -> list[frozenset[int]]:
    """Which antecedents are true of some observations, and of one nothing is true of."""
    seen = {frozenset(np.flatnonzero(column).tolist()) for column in case.truths.T}
    seen |= {frozenset()}
    return sorted(seen, key=lambda pattern: (len(pattern), sorted(pattern)))[:at_most]


@dataclass(frozen=True)
class Means:
    """What T4 averages: functions of a list, their values over all lists, and their means."""

    functions: Callable[[AntecedentList, np.ndarray], list[float]]
    table: np.ndarray
    expected: np.ndarray


def means_of(case: Case) -> Means:
    """m, inclusions and predicted probabilities."""
    model, target = case.model(), posterior(case)
    observations = patterns(case)

    def functions(d: AntecedentList, counts: np.ndarray) -> list[float]:
        values = [float(len(d)), *(float(a in d) for a in range(case.pool_size))]
        for pattern in observations:
            alphas = counts[naive.first_true(d, pattern)] + np.array(case.pseudocounts)
            values += (alphas / alphas.sum())[:-1].tolist()
        return values

    table = np.array([functions(d, np.array(naive.label_counts(model, d))) for d in target])
    return Means(functions, table, np.array(list(target.values())) @ table)


class Recorded:
    """The values of T4's functions by the counts that chains recorded, not the reference's."""

    def __init__(self, case: Case, means: Means) -> None:
        self._case, self._means = case, means
        self._counts: dict[AntecedentList, np.ndarray] = {}
        self._values: dict[AntecedentList, np.ndarray] = {}
        self.is_consistent = True  # a list's counts never depend on the way to it

    def mean(self, runs: RunLengthDraws) -> np.ndarray:
        """The means over the draws of a chain."""
        total, first = np.zeros(len(self._means.expected)), 0
        for d, n in zip(lists_of(runs), runs.n_draws.tolist(), strict=True):
            counts = runs.label_counts[first : first + len(d) + 1]
            first += len(d) + 1
            if d not in self._values:
                self._counts[d] = counts
                self._values[d] = np.array(self._means.functions(d, counts * self._case.unit))
            elif (self._counts[d] != counts).any():
                self.is_consistent = False
            total += n * self._values[d]
        return total / runs.n_draws.sum()


def long_chain_p(
    case: Case,
    variant: Variant,
    seed: int,
    n_iter: int = 60_000,
    compiled: CompiledProblem | None = None,
) -> float:
    """T4: means of m, inclusions and predicted probabilities, by their exact covariance.

    The exact covariance of a chain with warmer replicas is out of reach: it is cut into independent
    chains, each from exact draws for every temperature, whose covariance is estimated. They are
    ten times as long together: a mean of a few hundred draws that hold a rare list or do not is
    far from normal, and Hotelling's T2 relies on that.
    """
    means = means_of(case)
    recorded = Recorded(case, means)
    if variant.n_temperatures > 1:
        n_chains = 200
        starts = exact_starts(case, variant, n_chains, np.random.default_rng(seed))
        samples = []
        for k, (start, *replica_starts) in enumerate(zip(*starts, strict=True)):
            chain = make_chain(
                case,
                variant,
                [seed, k],
                start,
                compiled,
                replica_starts=replica_starts,
                steps_per_swap=STEPS_PER_SWAP,
            )
            runs = chain.run_to(10 * n_iter // n_chains)
            assert runs.n_draws.sum() == 10 * n_iter // n_chains
            samples.append(recorded.mean(runs))
        return independent_means_p(np.array(samples), means.expected) * recorded.is_consistent
    target = posterior(case)
    stationary = np.array(list(target.values()))
    matrix = naive.transition_matrix(case.model(), neighbours(variant, case.pool_size))
    covariance = naive.asymptotic_covariance(matrix, stationary, means.table)
    (start,) = posterior_draws(case, 1, np.random.default_rng(seed))
    runs = make_chain(case, variant, [seed], start, compiled).run_to(n_iter)
    assert runs.n_draws.sum() == n_iter
    difference = recorded.mean(runs) - means.expected
    return wald_p(difference, covariance / n_iter) * recorded.is_consistent


def independent_means_p(samples: np.ndarray, expected: np.ndarray) -> float:
    """p-value of means of independent chains (rows): Hotelling's T2, and Student's t each."""
    n = len(samples)
    difference = samples.mean(axis=0) - expected
    scale = samples.std(axis=0, ddof=1) / math.sqrt(n)
    varies = scale > 1e-12
    if largest(difference[~varies]) > 1e-9:  # what is constant must be met exactly
        return 0.0
    if not varies.any():
        return 1.0
    t_values = difference[varies] / scale[varies]
    correlation = np.atleast_2d(np.corrcoef(samples[:, varies], rowvar=False))
    eigenvalues, vectors = np.linalg.eigh(correlation)
    kept = eigenvalues > 1e-8
    rank = int(kept.sum())
    t2 = ((t_values @ vectors)[kept] ** 2 / eigenvalues[kept]).sum()
    joint = stats.f.sf(t2 * (n - rank) / rank / (n - 1), rank, n - rank)
    single = 2 * stats.t.sf(largest(t_values), n - 1)
    return bonferroni([joint, min(1.0, single * varies.sum())])


def wald_p(difference: np.ndarray, covariance: np.ndarray) -> float:
    """p-value of a difference whose covariance is known and may be singular."""
    scale = np.sqrt(np.diag(covariance))
    varies = scale > 1e-12
    if largest(difference[~varies]) > 1e-9:  # what is constant must be met exactly
        return 0.0
    scale = scale[varies]
    correlation = covariance[np.ix_(varies, varies)] / np.outer(scale, scale)
    eigenvalues, vectors = np.linalg.eigh(correlation)
    z = (difference[varies] / scale) @ vectors
    kept = eigenvalues > 1e-8
    joint = stats.chi2.sf((z[kept] ** 2 / eigenvalues[kept]).sum(), kept.sum())
    single = 2 * stats.norm.sf(largest(difference[varies] / scale))
    return bonferroni([joint, min(1.0, single * varies.sum())])


# ------------------------------------------------------------------- T5: prior draws


def prior_p(case: Case, drawn: list[AntecedentList]) -> float:
    """T5: independent lists against p(m), p(cardinalities) and p(a | its cardinality)."""
    model, n = case.model(), len(drawn)
    distinct = sorted(set(case.cardinalities))

    def used(d: AntecedentList) -> tuple[int, ...]:
        cardinalities = [case.cardinalities[a] for a in d]
        return tuple(cardinalities.count(c) for c in distinct)

    exact = {u: n * p for u, p in used_prior(case).items()}
    lengths = dict(enumerate(n * p for p in naive.length_prior(model)))
    firsts = naive.cardinality_prior(model, frozenset())
    n_some = sum(len(d) > 0 for d in drawn)
    # rarely empty cells apart, the marginal of each cardinality is sharper than the joint
    marginals = []
    for k in range(len(distinct)):
        expected: dict[int, float] = {}
        for u, e in exact.items():
            expected[u[k]] = expected.get(u[k], 0.0) + e
        marginals.append(chi_square_p(Counter(used(d)[k] for d in drawn), expected))
    first = {}
    for c, p in firsts.items():
        for a, q in naive.antecedent_prior(model, frozenset(), c).items():
            first[a] = n_some * p * q
    return bonferroni(
        [
            chi_square_p(Counter(len(d) for d in drawn), lengths),
            chi_square_p(Counter(map(used, drawn)), exact, pool_by=sum),
            chi_square_p(Counter(d[0] for d in drawn if d), first),
            *marginals,
        ]
    )


def prior_starts(
    case: Case, variant: Variant, starts: list[AntecedentList], seed: int
) -> list[list[AntecedentList]]:
    """The chains' starts given, and the warmer replicas' drawn from the prior by the package."""
    n_warmer = variant.n_temperatures - 1
    return [
        starts,
        *(_package_prior_draws(case, len(starts), seed, t) for t in range(n_warmer)),
    ]


def at_both_ends(by_temperature: list[list[AntecedentList]]) -> list[list[AntecedentList]]:
    """Lists at the coldest temperature, and at the warmest where there are several."""
    return [by_temperature[0], *by_temperature[1:][-1:]]


@cache
def _package_prior_draws(case: Case, n: int, *seed: int) -> list[AntecedentList]:
    rng, prior = np.random.default_rng(seed), case.problem.prior
    return [tuple(prior.draw(rng)) for _ in range(n)]
