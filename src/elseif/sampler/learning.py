"""Hyperparameters learnt from the evidence: those that make the observed labels most probable.

For pools that are summed over, the evidence p(y | x, lambda, eta, alpha) is computed exactly and
maximised. For larger ones it is maximised by Monte Carlo (Geyer and Thompson 1992): with draws d of
the posterior under one choice of hyperparameters, the evidence under another is that under the
first times the mean of p(d, y | other) / p(d, y | first), both of which are known. A few rounds of
chains follow the maximum until it no longer moves, up to the noise of the draws: short runs while
it is far away, then runs as long as the first run of a fit.
"""

from __future__ import annotations

import time
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
SHORT_ROUND = 32_000  # iterations of a chain while the maximum is far away
SETTLED = 0.02  # a change of the logarithms that does not matter
NOISY = 2.0  # standard errors that two estimates of one maximum may be apart
MOST_NOISE = 0.2  # of a logarithm: values that differ by more have not settled
LONGEST_STEP = float(np.log(4))  # of a logarithm in one round
MOST_WEIGHED = 8192  # draws that are reweighted, evenly spaced: neighbours hardly differ
ENOUGH = 0.2  # share of the draws that must still count under what they are reweighted to

Values = dict[str, float]


@dataclass(frozen=True)
class Learnt:
    """What was learnt, and the problem with it."""

    problem: Problem
    values: Values
    note: str | None


@dataclass(frozen=True)
class SearchEnd:
    """Where a search by chains ended."""

    logs: np.ndarray
    errors: np.ndarray  # standard errors of the logarithms, by the differences between chains
    settled: bool
    out_of_time: bool = False


def learn(
    problem: Problem,
    names: Sequence[str],
    settings: SamplerSettings,
    seed: np.random.SeedSequence,
    progress: Progress,
) -> Learnt:
    """Learn hyperparameters by maximising the evidence, to four significant digits.

    ``names`` are among "expected_length", "expected_cardinality" and "pseudocounts" (one number,
    the same for every label). The problem has any value for these; ``settings`` say how the
    posterior will be sampled.
    """
    if not names or not problem.pool_size:
        values = {name: FIRST[name] for name in names}
        return Learnt(with_values(problem, values), values, None)
    is_exact = kernel_for(problem, settings) == "exact"
    # a pool of one cardinality is the same under any expected one
    one_cardinality = len(problem.prior.distinct_cardinalities) == 1
    open_names = [n for n in names if not (n == CARDINALITY and one_cardinality)]
    doubts = ""
    if is_exact:
        learnt = _learn_exactly(problem, open_names, progress)
    else:
        search = _learn_by_chains(problem, open_names, settings, seed, progress)
        learnt = dict(zip(open_names, np.exp(search.logs).tolist(), strict=True))
        doubts = _doubts(search, open_names)
    values = {name: float(f"{learnt.get(name, FIRST[name]):.{DIGITS}g}") for name in names}
    return Learnt(with_values(problem, values), values, _note(problem, values, is_exact) + doubts)


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


def _note(problem: Problem, values: Values, is_exact: bool) -> str:
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
        note += (
            " All antecedents have one cardinality, so the expected cardinality cannot be learnt."
        )
    return note


def _doubts(search: SearchEnd, names: Sequence[str]) -> str:
    """What a search by chains leaves uncertain, in words."""
    doubtful = [
        f"{name} by {error:.0%}"
        for name, error in zip(names, search.errors.tolist(), strict=True)
        if error > SETTLED
    ]
    note = (
        f" By chance in the chains, values may be off: {', '.join(doubtful)}." if doubtful else ""
    )
    if search.out_of_time:
        return note + " max_time ended the search for them before they had settled."
    return note if search.settled else note + " They still changed from round to round."


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
) -> SearchEnd:
    """Follow the maximum from round to round of chains, until it has settled or time is up."""
    limits = ranges_of(problem)
    bounds = np.log([limits[name] for name in names]).reshape(-1, 2)
    logs = np.clip(np.log([FIRST[name] for name in names]), bounds[:, 0], bounds[:, 1])
    errors = np.zeros(len(names))
    full = min(first_run(KERNELS[kernel_for(problem, settings)]), settings.max_iter)
    n_iter = min(full, SHORT_ROUND)
    ends = None if settings.max_time is None else time.monotonic() + settings.max_time
    # separate seeds: the fit that follows equals one with the learnt values given as numbers
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, OWN_SEEDS))
    for number, round_seed in enumerate(own.spawn(MOST_ROUNDS), 1):
        left = None if ends is None else ends - time.monotonic()
        if left is not None and left <= 0:
            return SearchEnd(logs, errors, settled=False, out_of_time=True)
        posed = with_values(problem, dict(zip(names, np.exp(logs).tolist(), strict=True)))
        asked = replace(settings, n_iter=n_iter, max_time=left)
        drawn = sample(posed, asked, round_seed, progress, f"learn-{number}")
        if drawn.convergence.ended_by == "interrupted":  # what was learnt is incomplete
            raise KeyboardInterrupt
        if drawn.convergence.ended_by == "max_time":  # too few draws to go by
            return SearchEnd(logs, errors, settled=False, out_of_time=True)
        weighed = Reweighted(drawn.chains, posed, MOST_WEIGHED)
        following, inside = next_values(weighed, names, logs, bounds)
        change, stays = np.abs(following - logs), False
        if inside and change.max(initial=0.0) <= MOST_NOISE:
            before, errors = errors, _errors(drawn.chains, posed, names, logs, bounds)
            stays = bool(np.all(change <= np.maximum(NOISY * np.hypot(before, errors), SETTLED)))
        logs = following
        if stays and n_iter == full:
            return SearchEnd(logs, errors, settled=True)
        if stays:
            n_iter = full
    return SearchEnd(logs, errors, settled=False)


def _errors(
    chains: Sequence[RunLengthDraws],
    problem: Problem,
    names: Sequence[str],
    logs: np.ndarray,
    bounds: np.ndarray,
) -> np.ndarray:
    """Standard errors of the maximum, by where each chain alone would have it."""
    if len(chains) < 2:
        return np.zeros(len(logs))
    each = [
        next_values(Reweighted([chain], problem, MOST_WEIGHED), names, logs, bounds)[0]
        for chain in chains
    ]
    errors: np.ndarray = np.std(each, axis=0, ddof=1) / np.sqrt(len(chains))
    return errors


def next_values(
    weighed: Reweighted, names: Sequence[str], logs: np.ndarray, bounds: np.ndarray
) -> tuple[np.ndarray, bool]:
    """The maximum of the estimated evidence, no further away than the draws support.

    Also returns whether it is the maximum, rather than the end of what the draws support.
    """
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
            ends = (np.abs(best - logs) > step - PRECISE) & (best > bounds[:, 0] + PRECISE)
            ends &= best < bounds[:, 1] - PRECISE
            return np.asarray(best), not np.any(ends)
        step /= 2


class Reweighted:
    """Draws from the posterior of one choice of hyperparameters, reweighted to another.

    Only ``most`` draws are used, evenly spaced; None uses all.
    """

    def __init__(
        self, runs: Sequence[RunLengthDraws], problem: Problem, most: int | None = None
    ) -> None:
        joined = join_runs(list(runs))
        first, distinct = distinct_lists(joined)
        n_draws = np.bincount(distinct, weights=_evenly_spaced(joined.n_draws, most))
        first, n_draws = first[n_draws > 0], n_draws[n_draws > 0]
        self._problem = problem
        self._log_shares = np.log(n_draws / n_draws.sum())
        self._lengths = joined.lengths[first]
        starts = joined.offsets[:-1][first]
        n_lines = self._lengths + 1
        self._starts = np.cumsum(n_lines) - n_lines
        lines = np.arange(n_lines.sum()) + np.repeat(starts + first - self._starts, n_lines)
        # the same rule occurs in many lists
        self._counts, self._rows = distinct_rows(joined.label_counts[lines])
        prior = problem.prior
        classes = np.searchsorted(prior.distinct_cardinalities, prior.cardinalities)
        lists = np.full((len(first), max(1, int(self._lengths.max()))), -1, dtype=np.int64)
        position = np.arange(lists.shape[1])
        inside = position < self._lengths[:, None]
        lists[inside] = classes[joined.items[(starts[:, None] + position)[inside]]]
        # the prior of cardinalities depends on the classes of the rules alone
        self._sequences, self._sequence = distinct_rows(lists)
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


def distinct_rows(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The distinct rows of a table of whole numbers, and the index of each row among them."""
    least = rows.min(axis=0)
    sizes = rows.max(axis=0) - least + 1
    if np.log2(sizes.astype(float)).sum() < 62:  # a row as one number, which sorts much faster
        keys = np.ravel_multi_index(tuple((rows - least).T), tuple(sizes.tolist()))
        _, first, places = np.unique(keys, return_index=True, return_inverse=True)
        return rows[first], places.ravel()
    distinct, places = np.unique(rows, axis=0, return_inverse=True)
    return distinct, places.ravel()


def _evenly_spaced(n_draws: np.ndarray, most: int | None) -> np.ndarray:
    """How many of ``most`` evenly spaced draws are in each run; all if there are no more."""
    ends = np.cumsum(n_draws)
    if most is None or ends[-1] <= most:
        return n_draws
    taken = (np.arange(most) * 2 + 1) * int(ends[-1]) // (2 * most)
    return np.bincount(np.searchsorted(ends, taken, side="right"), minlength=len(n_draws))
