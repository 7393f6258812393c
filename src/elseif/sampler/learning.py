"""Hyperparameters learnt by evidence: those under which the observed labels are most probable.

For pools that are summed over, the evidence p(y | x, lambda, eta, alpha) is computed exactly and
maximised. For larger ones it is maximised by Monte Carlo (Geyer and Thompson 1992): with draws d
of the posterior under one choice of hyperparameters, the evidence under another is that under the
first times the mean of p(d, y | other) / p(d, y | first), each of which is known. A few rounds of
chains follow the maximum until it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import gammaln, logsumexp

from elseif.model.likelihood import rule_log_likelihoods
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chains import SamplerSettings, first_run, kernel_for, sample
from elseif.sampler.exact_sum import ExactSum, cover_patterns
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs

LENGTH, CARDINALITY, PSEUDOCOUNTS = "expected_length", "expected_cardinality", "pseudocounts"
# where the maximum is looked for, and where the search begins
RANGES = {LENGTH: (0.1, 100.0), CARDINALITY: (0.1, 10.0), PSEUDOCOUNTS: (0.01, 100.0)}
FIRST = {LENGTH: 3.0, CARDINALITY: 1.0, PSEUDOCOUNTS: 1.0}
DIGITS = 4  # significant ones of what was learnt
GRID = {1: 9, 2: 5}  # points of each, before the best of them is refined
PRECISE = 1e-5  # of logarithms, exactly computed
MOST_ROUNDS = 12
OWN_SEEDS = 2**31  # far from the numbers of chains
SETTLED = 0.02  # a change of the logarithms that is within the chains' noise
LONGEST_STEP = float(np.log(2))  # of a logarithm in one round
ENOUGH = 0.2  # share of the draws that must still count under what they are reweighted to

Values = dict[str, float]


@dataclass(frozen=True)
class Learnt:
    """What was learnt, and the problem with it."""

    problem: Problem
    values: Values
    note: str | None


def learn(
    problem: Problem,
    names: Sequence[str],
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> Learnt:
    """Learn hyperparameters by maximising the evidence.

    Parameters
    ----------
    problem : Problem
        With any value for what is to be learnt.
    names : sequence of str
        Among "expected_length", "expected_cardinality" and "pseudocounts"; of these one number,
        the same for every label, is learnt.
    settings : SamplerSettings
        How the posterior will be sampled.
    seed : SeedSequence
        Of the chains, where there are any.
    progress : Progress
        Where to say how it goes.

    Returns
    -------
    Learnt
        The values, to four significant digits.
    """
    if not names or not problem.pool_size:
        values = {name: FIRST[name] for name in names}
        return Learnt(with_values(problem, values), values, None)
    is_exact = kernel_for(problem, settings) == "exact"
    # a pool of one cardinality is the same under any expected one
    one_cardinality = len(problem.prior.distinct_cardinalities) == 1
    open_names = [n for n in names if not (n == CARDINALITY and one_cardinality)]
    settled = True
    if is_exact:
        learnt = _learn_exactly(problem, open_names, progress)
    else:
        learnt, settled = _learn_by_chains(problem, open_names, settings, seed, progress)
    values = {name: float(f"{learnt.get(name, FIRST[name]):.{DIGITS}g}") for name in names}
    return Learnt(with_values(problem, values), values, _note(problem, values, is_exact, settled))


def with_values(problem: Problem, values: Mapping[str, float]) -> Problem:
    """The problem with other hyperparameters."""
    prior = problem.prior
    changed = ListPrior(
        prior.cardinalities,
        values.get(LENGTH, prior.expected_length),
        values.get(CARDINALITY, prior.expected_cardinality),
        prior.weights,
    )
    alphas = problem.pseudocounts
    if PSEUDOCOUNTS in values:
        alphas = np.full(problem.n_labels, values[PSEUDOCOUNTS])
    return replace(problem, prior=changed, pseudocounts=alphas)


def ranges_of(problem: Problem) -> dict[str, tuple[float, float]]:
    """Where the maximum is looked for: no more rules are expected than there are antecedents."""
    low, high = RANGES[LENGTH]
    return {**RANGES, LENGTH: (low, min(high, float(max(1, problem.pool_size))))}


def _note(problem: Problem, values: Values, is_exact: bool, settled: bool) -> str:
    how = "computed exactly" if is_exact else "estimated by chains"
    parts, at_end = [], []
    for name, value in values.items():
        low, high = ranges_of(problem)[name]
        parts.append(f"{name}={value:g} (within {low:g} to {high:g})")
        if not low * (1 + 1e-3) < value < high * (1 - 1e-3):
            at_end.append(name)
    note = f"Learnt by maximising the evidence, {how}: {', '.join(parts)}."
    if at_end:
        note += f" At the end of its range: {', '.join(at_end)}."
    if CARDINALITY in values and len(problem.prior.distinct_cardinalities) == 1:
        note += " All antecedents have one cardinality, so nothing can be learnt of the expected."
    return note if settled else f"{note} It still changed from round to round."


# ------------------------------------------------------------------------- small pools


def _learn_exactly(problem: Problem, names: Sequence[str], progress: Progress) -> Values:
    """The maximum of the exact evidence: a grid, and the best of it refined.

    The expected length needs no search of its own: the evidence of lists of each length gives that
    of every expected length at once.
    """
    patterns, limits = cover_patterns(problem), ranges_of(problem)
    searched = [name for name in names if name != LENGTH]
    best: tuple[float, Values] = (-np.inf, {})

    def evidence(logs: Sequence[float]) -> float:
        nonlocal best
        values = dict(zip(searched, np.exp(logs).tolist(), strict=True))
        posed = with_values(problem, values)
        summed = ExactSum(patterns, posed.prior, posed.pseudocounts, posed.layout.unit)
        log_evidence = summed.log_evidence
        if LENGTH in names:
            by_length = _evidence_by_length(summed, posed.prior)
            values[LENGTH], log_evidence = _best_length(by_length, limits[LENGTH])
        if log_evidence > best[0]:
            best = log_evidence, values
        return log_evidence

    with progress.stage(f"learning {', '.join(names)} by exact evidence", 1):
        _maximise(evidence, [np.log(limits[name]) for name in searched])
    return best[1]


def _evidence_by_length(summed: ExactSum, prior: ListPrior) -> np.ndarray:
    """Log evidence of the lists of each length, given that length."""
    with np.errstate(divide="ignore"):
        log_shares = np.log(summed.summaries().length_probabilities)
    log_evidence: np.ndarray = summed.log_evidence + log_shares - prior.log_length
    return log_evidence


def _best_length(by_length: np.ndarray, limits: tuple[float, float]) -> tuple[float, float]:
    """The expected length of highest evidence, and its log evidence."""
    m = np.arange(len(by_length))

    def evidence(log_length: float) -> float:
        log_mass = m * log_length - gammaln(m + 1)
        return float(logsumexp(log_mass - logsumexp(log_mass) + by_length))

    first, last = np.log(limits).tolist()
    logs = np.linspace(first, last, 200)
    highest = int(np.argmax([evidence(log) for log in logs]))
    low, high = logs[max(highest - 1, 0)], logs[min(highest + 1, len(logs) - 1)]
    log_length = _refined(evidence, low, high)
    return float(np.exp(log_length)), evidence(log_length)


def _refined(function: Callable[[float], float], low: float, high: float) -> float:
    """Where a function is highest between two points, which are looked at as well."""
    options = {"xatol": PRECISE}
    search: Any = optimize.minimize_scalar
    result = search(lambda x: -function(x), bounds=(low, high), method="bounded", options=options)
    return float(max((float(result.x), low, high), key=function))


def _maximise(function: Callable[[Sequence[float]], float], limits: Sequence[np.ndarray]) -> None:
    """Look for the maximum of a function of up to two variables; it remembers the best itself."""
    if not limits:
        function([])
        return
    axes = [np.linspace(low, high, GRID[len(limits)]) for low, high in limits]
    points = list(product(*axes))
    start = points[int(np.argmax([function(point) for point in points]))]
    if len(limits) == 1:
        step = axes[0][1] - axes[0][0]
        low, high = np.clip([start[0] - step, start[0] + step], *limits[0])
        _refined(lambda x: function([x]), low, high)
        return
    search: Any = optimize.minimize
    options = {"eps": 1e-4, "ftol": 1e-13, "gtol": 1e-6}
    search(lambda x: -function(x), start, method="L-BFGS-B", bounds=limits, options=options)


# ------------------------------------------------------------------------ larger pools


def _learn_by_chains(
    problem: Problem,
    names: Sequence[str],
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> tuple[Values, bool]:
    """Follow the maximum from round to round of chains; and whether it has settled."""
    limits = ranges_of(problem)
    bounds = np.log([limits[name] for name in names])
    start = np.clip(np.log([FIRST[name] for name in names]), bounds[:, 0], bounds[:, 1])
    kernel = KERNELS[kernel_for(problem, settings)]
    n_iter = min(first_run(kernel), settings.max_iter)
    short = replace(settings, n_iter=n_iter)
    logs = start
    # seeds of their own: the fit that follows is that with the learnt values told as numbers
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, OWN_SEEDS))
    for number, round_seed in enumerate(own.spawn(MOST_ROUNDS), 1):
        posed = with_values(problem, dict(zip(names, np.exp(logs).tolist(), strict=True)))
        drawn = sample(posed, short, round_seed, progress, f"learn-{number}")
        if drawn.convergence.ended_by == "interrupted":  # what was learnt is not the fit's
            raise KeyboardInterrupt
        runs = drawn.chains
        weighed = Reweighted(runs, posed)
        following = _next_values(weighed, names, logs, bounds)
        change = np.abs(following - logs).max(initial=0.0)
        logs = following
        if change < SETTLED:
            return dict(zip(names, np.exp(logs).tolist(), strict=True)), True
    return dict(zip(names, np.exp(logs).tolist(), strict=True)), False


def _next_values(
    weighed: Reweighted, names: Sequence[str], logs: np.ndarray, bounds: np.ndarray
) -> np.ndarray:
    """The maximum of the estimated evidence, no further than the draws can tell."""
    step = LONGEST_STEP
    while True:
        near = np.clip([logs - step, logs + step], bounds[:, 0], bounds[:, 1]).T

        def values(point: np.ndarray) -> Values:
            return dict(zip(names, np.exp(point).tolist(), strict=True))

        search: Any = optimize.minimize
        best = search(
            lambda x: -weighed.log_evidence(values(x)), logs, method="L-BFGS-B", bounds=near
        ).x
        if weighed.share_that_counts(values(best)) >= ENOUGH or step < SETTLED:
            return np.asarray(best)
        step /= 2


class Reweighted:
    """Draws under one choice of hyperparameters, weighed as another choice would.

    Parameters
    ----------
    runs : sequence of RunLengthDraws
        Draws of the posterior.
    problem : Problem
        With the hyperparameters that they were drawn under.
    """

    def __init__(self, runs: Sequence[RunLengthDraws], problem: Problem) -> None:
        joined = join_runs(list(runs))
        first, distinct = distinct_lists(joined)
        n_draws = np.bincount(distinct, weights=joined.n_draws)
        self._problem = problem
        self._log_shares = np.log(n_draws / n_draws.sum())
        self._lengths = joined.lengths[first]
        starts = joined.offsets[:-1][first]
        rows = starts + first
        rows = np.concatenate(
            [joined.label_counts[r : r + m + 1] for r, m in zip(rows, self._lengths, strict=True)]
        )
        # the same rule stands in many lists
        self._counts, places = np.unique(rows, axis=0, return_inverse=True)
        self._rows = places.ravel()
        self._starts = np.cumsum(self._lengths + 1) - self._lengths - 1
        prior = problem.prior
        classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
        lists = np.full((len(first), max(1, int(self._lengths.max()))), -1, dtype=np.int64)
        position = np.arange(lists.shape[1])
        inside = position < self._lengths[:, None]
        lists[inside] = classes[joined.items[(starts[:, None] + position)[inside]]]
        # the prior of cardinalities depends on the classes of the rules alone
        self._sequences, sequence = np.unique(lists, axis=0, return_inverse=True)
        self._sequence = sequence.ravel()
        self._class_sizes = np.bincount(classes, minlength=len(prior.distinct_cardinalities))
        self._likelihoods: dict[bytes, np.ndarray] = {}
        self._priors: dict[float, np.ndarray] = {}
        self._reference = self._log_joint(problem)

    def log_evidence(self, values: Mapping[str, float]) -> float:
        """Log evidence under other values, relative to that of the draws' own."""
        return float(logsumexp(self._log_weights(values)))

    def share_that_counts(self, values: Mapping[str, float]) -> float:
        """Kish's effective share of the draws under other values."""
        weights = np.exp(self._log_weights(values) - self._log_shares)
        shares = np.exp(self._log_shares)
        return float((shares @ weights) ** 2 / (shares @ weights**2))

    def _log_weights(self, values: Mapping[str, float]) -> np.ndarray:
        other = self._log_joint(with_values(self._problem, values))
        log_weights: np.ndarray = self._log_shares + other - self._reference
        return log_weights

    def _log_joint(self, problem: Problem) -> np.ndarray:
        """Log prior and likelihood of each list, up to what no hyperparameter changes."""
        alphas, eta = problem.pseudocounts.tobytes(), problem.prior.expected_cardinality
        if alphas not in self._likelihoods:
            terms = rule_log_likelihoods(self._counts * problem.layout.unit, problem.pseudocounts)
            self._likelihoods = {alphas: np.add.reduceat(terms[self._rows], self._starts)}
        if eta not in self._priors:
            self._priors = {eta: self._log_classes(problem.prior)[self._sequence]}
        log_joint: np.ndarray = (
            self._likelihoods[alphas] + self._priors[eta] + problem.prior.log_length[self._lengths]
        )
        return log_joint

    def _log_classes(self, prior: ListPrior) -> np.ndarray:
        """Log prior of the cardinalities of each sequence of rules."""
        left = np.tile(self._class_sizes, (len(self._sequences), 1))
        total = np.zeros(len(self._sequences))
        for classes in self._sequences.T:
            rows = np.flatnonzero(classes >= 0)
            available = np.where(left[rows] > 0, prior.log_mass, -np.inf)
            total[rows] += prior.log_mass[classes[rows]] - logsumexp(available, axis=1)
            left[rows, classes[rows]] -= 1
        return total
