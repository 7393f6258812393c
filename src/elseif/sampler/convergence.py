"""Have the chains arrived? The paper's criterion, and a stricter report beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from elseif.errors import SamplingError
from elseif.model.problem import Problem
from elseif.sampler.rank_statistics import potential_scale_reduction, rank_statistics, split_r_hat
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.traces import MonitoredObservations, Traces

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# the paper's threshold for Gelman and Rubin's R-hat of the log posterior
PAPER_R_HAT = 1.05
# rank-normalised split R-hat (Vehtari et al. 2021), and effective draws over all chains
STRICT_R_HAT, STRICT_ESS = 1.01, 400.0
LOOSE_R_HAT, LOOSE_ESS = 1.05, 100.0

IN_WORDS = {
    "converged": "The chains agree",
    "warn": "The chains agree by the paper's criterion; for steadier details run them longer",
    "not converged": "The chains do not agree",
    "undetermined": "Whether the chains agree cannot be said",
}

# of draws from the sum over all lists, which no chain can have failed to make
EXACT_IN_WORDS = {
    "converged": "All lists were weighed",
    "warn": "All lists were weighed; for steadier details draw more of them",
    "not converged": "All lists were weighed, but too few of them drawn",
}

FEWEST_DRAWS = 8  # of a chain, for the rank statistics to mean something
WORST_INCLUSIONS = 8  # whose effective number of draws is computed


@dataclass(frozen=True)
class Quantity:
    """Diagnostics of one quantity: rank-normalised split R-hat, bulk and tail ESS."""

    name: str
    r_hat: float
    ess_bulk: float
    ess_tail: float


@dataclass(frozen=True, repr=False)
class Convergence:
    """What can be said of convergence; NaN stands for what cannot be."""

    r_hat: float  # the paper's, on the log posterior
    status: str  # "converged", "warn", "not converged" or "undetermined"
    quantities: tuple[Quantity, ...]
    inclusion_r_hat: float  # the largest, over antecedents of inclusion .01 to .99
    inclusion_difference: float  # the largest between two chains
    n_chains: int
    n_iter: int  # iterations of each chain, the discarded half included
    n_distinct: int
    acceptance: dict[str, float] = field(default_factory=dict)  # by option, since the last window
    swap_rates: tuple[float, ...] = ()  # share of swaps accepted, by pair of temperatures
    independent: bool = False  # draws of the posterior summed over all lists, not of a chain

    @property
    def max_r_hat(self) -> float:
        """The largest rank-normalised split R-hat of all quantities."""
        return _largest([*(q.r_hat for q in self.quantities), self.inclusion_r_hat])

    @property
    def min_ess(self) -> float:
        """The smallest bulk effective number of draws of all quantities."""
        values = [q.ess_bulk for q in self.quantities if not np.isnan(q.ess_bulk)]
        return min(values, default=float("nan"))

    @property
    def verdict(self) -> str:
        """The status in words."""
        words = EXACT_IN_WORDS if self.independent and self.status in EXACT_IN_WORDS else IN_WORDS
        return words[self.status]

    @property
    def n_kept(self) -> int:
        """Draws of each chain that are kept: the second half."""
        return self.n_iter - self.n_iter // 2

    def __repr__(self) -> str:
        return f"Convergence(status={self.status!r}, r_hat={self.r_hat:.3f})"

    def __str__(self) -> str:
        return "\n".join(
            [
                f"{self.verdict} ({self.status})",
                f"  {self._run_in_words()}"
                f"{'' if self.independent else ', the first half discarded'}",
                f"  R-hat of the log posterior, as in the paper  {_shown(self.r_hat)}",
                f"  largest rank-normalised split R-hat          {_shown(self.max_r_hat)}",
                f"  fewest effective draws                       {_shown(self.min_ess, 0)}",
                f"  largest difference of inclusion              "
                f"{_shown(self.inclusion_difference)}",
                f"  distinct lists                               {self.n_distinct:,}",
            ]
        )

    def sentence(self) -> str:
        """The verdict in one sentence, with what it rests on."""
        if not self.n_chains:
            return "Nothing was sampled: the default rule is the only list."
        r_hat = "" if np.isnan(self.r_hat) else f", R-hat {self.r_hat:.3f}"
        return f"{self.verdict}: {self._run_in_words()}{r_hat}."

    def _run_in_words(self) -> str:
        """How many chains ran for how long, or how many draws were made without any."""
        if self.independent:
            return f"{self.n_chains} x {self.n_kept:,} independent draws of the exact posterior"
        chains = "1 chain" if self.n_chains == 1 else f"{self.n_chains} chains"
        return f"{chains} of {self.n_iter:,} iterations"

    def plot(self) -> Figure:
        """R-hat and effective draws of every quantity, as a matplotlib figure."""
        from elseif.showing.convergence_plot import plot_convergence  # loads matplotlib

        limits = (STRICT_R_HAT, LOOSE_R_HAT), (STRICT_ESS, LOOSE_ESS)
        return plot_convergence(self.quantities, *limits)

    def _repr_html_(self) -> str:
        from elseif.showing.convergence_html import convergence_html  # loaded in notebooks only

        return convergence_html(str(self))


def nothing_to_sample() -> Convergence:
    """The report when there is one list only: nothing varies, so nothing can be said."""
    nan = float("nan")
    return Convergence(nan, "undetermined", (), nan, nan, 0, 0, 1)


def gelman_rubin(chains: Sequence[RunLengthDraws]) -> float:
    """R-hat of Gelman and Rubin (1992) on the log posterior, over all kept draws."""
    if len(chains) < 2:
        return float("nan")
    n = int(chains[0].n_draws.sum())
    if n < 2:
        return float("nan")
    means = np.array([np.average(c.log_posterior, weights=c.n_draws) for c in chains])
    squares = [
        np.sum(c.n_draws * (c.log_posterior - mean) ** 2)
        for c, mean in zip(chains, means, strict=True)
    ]
    within = float(np.mean(squares)) / (n - 1)
    between = float(np.var(means, ddof=1))
    # a chain that never left its list has a variance of rounding errors alone
    if within < 1e-18:
        return float("nan") if between < 1e-18 else float("inf")
    return float(potential_scale_reduction(within, between, n))


def assess(
    chains: Sequence[RunLengthDraws],
    infos: Sequence[ChainInfo],
    problem: Problem,
    monitored: MonitoredObservations,
    independent: bool = False,
) -> Convergence:
    """The convergence report of the kept draws, of which every log posterior must be a number."""
    for number, chain in enumerate(chains):
        refuse_not_finite(chain.log_posterior, f"chain {number}")
    traces = Traces(chains)
    predicted = traces.predicted(monitored, problem.pseudocounts, problem.layout.unit)
    inclusion_r_hat, difference, worst = _inclusions(chains, traces, problem.pool_size)
    names = [
        *("log posterior", "length", "average cardinality"),
        *(f"predicted probability {i + 1}" for i in range(predicted.shape[1])),
        *(f"inclusion of antecedent {a}" for a in worst),
    ]
    values = np.column_stack(
        [
            *(traces.log_posterior, traces.lengths),
            *(traces.average_cardinality(problem.prior.cardinalities), predicted),
            traces.presence(worst, problem.pool_size),
        ]
    )
    quantities = diagnose(names, values, traces.place)
    r_hat = gelman_rubin(chains)
    status = _status(r_hat, quantities, inclusion_r_hat, len(chains))
    if independent:
        status = _status_of_exact_draws(sum(int(chain.n_draws.sum()) for chain in chains))
    return Convergence(
        r_hat=r_hat,
        status=status,
        quantities=tuple(quantities),
        inclusion_r_hat=inclusion_r_hat,
        inclusion_difference=difference,
        n_chains=len(chains),
        n_iter=infos[0].n_iter,
        n_distinct=traces.n_distinct,
        acceptance=_acceptance(infos),
        swap_rates=_swap_rates(infos),
        independent=independent,
    )


def refuse_not_finite(log_posterior: np.ndarray, of: str) -> None:
    """Raise where a log posterior is not a finite number: no verdict could be given of it."""
    faulty = np.flatnonzero(~np.isfinite(log_posterior))
    if len(faulty):
        raise SamplingError(
            f"The log posterior of {len(faulty):,} lists of {of} is not a finite number "
            f"({log_posterior[faulty[0]]}). The pseudocounts, the weights or the prior are too far "
            "from 1 to be computed with."
        )


def diagnose(names: Sequence[str], values: np.ndarray, place: np.ndarray) -> list[Quantity]:
    """Rank-normalised split R-hat and ESS of each quantity.

    values has a row for each list and a column for each quantity; place, (chains, draws), says
    at which list a chain is.
    """
    along = np.take(values, place, axis=0)
    still = np.all(along == along[:, :1], axis=(0, 1))
    same = np.all(along == along[:1, :1], axis=(0, 1))
    r_hat = np.where(same, np.nan, np.inf)
    ess = np.full((2, len(names)), np.nan)
    if place.shape[1] < FEWEST_DRAWS:
        still[:] = True
    if not np.all(still):
        r_hat[~still], ess[0, ~still], ess[1, ~still] = rank_statistics(values[:, ~still].T, place)
    return [
        Quantity(name, float(r), float(bulk), float(tail))
        for name, r, bulk, tail in zip(names, r_hat, *ess, strict=True)
    ]


def _inclusions(
    chains: Sequence[RunLengthDraws], traces: Traces, pool_size: int
) -> tuple[float, float, np.ndarray]:
    """Largest R-hat and largest difference between chains, and the worst antecedents."""
    by_chain = np.stack([_inclusion(chain, pool_size) for chain in chains])
    difference = float((by_chain.max(axis=0) - by_chain.min(axis=0)).max(initial=0.0))
    if len(chains) < 2:
        difference = float("nan")
    overall = by_chain.mean(axis=0)
    monitored = np.flatnonzero((overall >= 0.01) & (overall <= 0.99))
    if not len(monitored):
        return float("nan"), difference, monitored
    r_hats = split_r_hat(traces.presence(monitored, pool_size)[traces.place])
    worst = monitored[np.argsort(-r_hats, kind="stable")[:WORST_INCLUSIONS]]
    return _largest(r_hats.tolist()), difference, worst


def _inclusion(runs: RunLengthDraws, pool_size: int) -> np.ndarray:
    weights = np.repeat(runs.n_draws, runs.lengths)
    return np.bincount(runs.items, weights=weights, minlength=pool_size) / runs.n_draws.sum()


def _status(
    r_hat: float, quantities: Sequence[Quantity], inclusion_r_hat: float, n_chains: int
) -> str:
    """How far the run can be trusted."""
    determined = [q for q in quantities if not np.isnan(q.r_hat)]
    if any(np.isinf(q.r_hat) for q in determined):
        return "not converged"
    if n_chains < 2 or np.isnan(r_hat) or not determined:
        return "undetermined"
    largest = _largest([q.r_hat for q in determined])
    fewest = min((q.ess_bulk for q in determined if not np.isnan(q.ess_bulk)), default=0.0)
    inclusion = 1.0 if np.isnan(inclusion_r_hat) else inclusion_r_hat
    if r_hat >= PAPER_R_HAT or largest >= LOOSE_R_HAT or fewest < LOOSE_ESS:
        return "not converged"
    if inclusion >= LOOSE_R_HAT:
        return "not converged"
    main = [q.r_hat for q in determined if not q.name.startswith("inclusion")]
    if _largest(main) >= STRICT_R_HAT or fewest < STRICT_ESS:
        return "warn"
    return "converged"


def _status_of_exact_draws(n_draws: int) -> str:
    """Independent draws of the posterior are right however few; of few, details are not steady."""
    if n_draws < LOOSE_ESS:
        return "not converged"
    return "warn" if n_draws < STRICT_ESS else "converged"


def is_good_enough(convergence: Convergence) -> bool:
    """Whether an automatic run may stop: the paper's criterion, and at worst a warning.

    A single chain has no R-hat between chains: it may stop when its halves agree.
    """
    if convergence.status in ("converged", "warn"):
        return True
    if convergence.status != "undetermined":
        return False
    r_hat, ess = convergence.max_r_hat, convergence.min_ess
    if np.isnan(r_hat):  # nothing varies, unless effective draws say otherwise
        return bool(np.isnan(ess) or ess >= LOOSE_ESS)
    return convergence.n_chains == 1 and r_hat < LOOSE_R_HAT and ess >= LOOSE_ESS


def _acceptance(infos: Sequence[ChainInfo]) -> dict[str, float]:
    rates: dict[str, float] = {}
    for option in infos[0].proposed:
        proposed = sum(info.proposed[option] for info in infos)
        if proposed:
            rates[option] = sum(info.accepted[option] for info in infos) / proposed
    return rates


def _swap_rates(infos: Sequence[ChainInfo]) -> tuple[float, ...]:
    proposed = np.sum([info.swaps_proposed for info in infos], axis=0)
    accepted = np.sum([info.swaps_accepted for info in infos], axis=0)
    return tuple((accepted / np.maximum(proposed, 1)).tolist())


def _largest(values: Sequence[float]) -> float:
    return max((v for v in values if not np.isnan(v)), default=float("nan"))


def _shown(value: float, decimals: int = 3) -> str:
    return "not available" if np.isnan(value) else f"{value:,.{decimals}f}"
