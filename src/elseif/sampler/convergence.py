"""Have the chains converged, in terms of what a reader takes from a fit?

Three levels: the list and its predictions, the share of each list, each inclusion probability.
A run has converged when the first two are steady; inclusions that are not are marked wherever they
are shown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from elseif.errors import SamplingError
from elseif.model.problem import Problem
from elseif.sampler.list_shares import (
    LARGEST_DEVIATION,
    ShareCheck,
    check_scored,
    check_shares,
    frequent_lists,
)
from elseif.sampler.quantity import (
    ENOUGH_ESS,
    INCLUSION,
    LARGEST_R_HAT,
    SHARE,
    SMALL_CARDINALITY_ERROR,
    SMALL_ERROR,
    SMALL_LENGTH_ERROR,
    Followed,
    Quantity,
    diagnose,
)
from elseif.sampler.rank_statistics import potential_scale_reduction
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.traces import MonitoredObservations, Traces
from elseif.showing.convergence_text import (
    convergence_sentence,
    convergence_text,
    convergence_verdict,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from elseif.sampler.warm_starts import WarmStarts

# the paper's threshold for Gelman and Rubin's R-hat of the log posterior
PAPER_R_HAT = 1.05
# inclusions between these are followed
LEAST_INCLUSION = 0.01


@dataclass(frozen=True, repr=False)
class Convergence:
    """Convergence diagnostics of the draws; NaN where something cannot be estimated.

    A run is ``"converged"`` when the list, its predictions and the share of each list are steady:
    each of these means has a negligible Monte Carlo standard error, or 200 effective draws, along
    the chains and by replica. Shares of lists must also agree with their posteriors, and lengths
    and inclusion probabilities with an exact sum over the lists made of the most frequently drawn
    antecedents. Inclusion probabilities that are not yet steady are in ``unsteady_inclusions``, and
    are marked where they are shown.

    Attributes
    ----------
    r_hat : float
        The paper's R-hat, of the log posterior.
    status : str
        "converged", "not converged" or "undetermined"; "warn" in older model files.
    quantities : tuple[Quantity, ...]
        Diagnostics of each monitored quantity.
    inclusion_r_hat : float
        Largest R-hat of the inclusion of an antecedent, among those with a probability of
        0.01 to 0.99.
    inclusion_difference : float
        Largest difference in inclusion between two chains.
    n_chains : int
        Number of chains.
    n_iter : int
        Iterations of each chain, including the discarded half.
    n_distinct : int
        Number of distinct lists.
    acceptance : dict[str, float]
        Share of proposals accepted by kind, since the last adaptation window.
    swap_rates : tuple[float, ...]
        Share of swaps accepted, by pair of temperatures.
    independent : bool
        Whether draws are independent draws from the enumerated posterior, not from a chain.
    share_deviation : tuple[float, float]
        Shares of the draws compared with log posteriors, in standard errors: the largest
        deviation, of drawn lists and of short ones that were scored before sampling, and the mean.
    restricted_deviation : tuple[float, float]
        Share of the draws that are made of the sixteen antecedents drawn most (1 for pools of up to
        twenty, which are summed whole), and the largest deviation of lengths and inclusions among
        them from the exact sum, in standard errors.
    ended_by : str
        "max_time" if that ended the run, "max_iter" if that did before it converged, "interrupted"
        if Ctrl-C did.
    scored_first : str
        Which short lists were scored before sampling, in a sentence; empty if none were.
    point_found_by : int | None
        Number of chains that sampled the point estimate.
    point_is_steady : bool | None
        Whether another run is expected to choose the same point estimate.
    names : Mapping[str, str]
        Names for people of quantities that are about a rule or a list.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> clf.convergence_.status
    'converged'
    >>> clf.convergence_.sentence().endswith("."), len(clf.convergence_.level("list")) > 0
    (True, True)
    >>> clf.convergence_.plot().savefig("convergence.png")
    """

    r_hat: float
    status: str
    quantities: tuple[Quantity, ...]
    inclusion_r_hat: float
    inclusion_difference: float
    n_chains: int
    n_iter: int
    n_distinct: int
    acceptance: dict[str, float] = field(default_factory=dict)
    swap_rates: tuple[float, ...] = ()
    independent: bool = False
    share_deviation: tuple[float, float] = (float("nan"), float("nan"))
    restricted_deviation: tuple[float, float] = (float("nan"), float("nan"))
    ended_by: str = ""
    scored_first: str = ""
    point_found_by: int | None = None
    point_is_steady: bool | None = None
    names: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def max_r_hat(self) -> float:
        """The largest rank-normalised split R-hat of all quantities."""
        return _largest([*(q.r_hat for q in self.quantities), self.inclusion_r_hat])

    @property
    def max_replica_r_hat(self) -> float:
        """The largest R-hat by replica of the list, its predictions and the shares of lists."""
        return _largest([q.r_hat_replica for q in self.quantities if q.level != INCLUSION])

    @property
    def min_ess(self) -> float:
        """The fewest effective draws of all quantities, by every count."""
        values = [q.ess for q in self.quantities if not np.isnan(q.ess)]
        return min(values, default=float("nan"))

    @property
    def unsteady(self) -> tuple[Quantity, ...]:
        """What is not yet steady, on all levels."""
        return tuple(q for q in self.quantities if not q.steady)

    @property
    def unsteady_inclusions(self) -> frozenset[int]:
        """The antecedents whose inclusion probability is not yet steady."""
        return frozenset(q.index for q in self.level(INCLUSION) if not q.steady)

    @property
    def shares_agree(self) -> bool:
        """Whether the shares of frequent lists are in proportion to their posteriors."""
        return ShareCheck(*self.share_deviation).passed

    @property
    def restricted_sum_agrees(self) -> bool:
        """Whether lengths and inclusion probabilities agree with the exact sum, if there is one."""
        return not self.restricted_deviation[1] > LARGEST_DEVIATION

    @property
    def verdict(self) -> str:
        """The status in words."""
        return convergence_verdict(self)

    @property
    def n_kept(self) -> int:
        """Draws of each chain that are kept: the second half."""
        return self.n_iter - self.n_iter // 2

    def level(self, level: str) -> tuple[Quantity, ...]:
        """The quantities of one level.

        Parameters
        ----------
        level : {"list", "share", "inclusion"}
            The level.

        Returns
        -------
        tuple of Quantity
            Its quantities.
        """
        return tuple(q for q in self.quantities if q.level == level)

    def __repr__(self) -> str:
        return f"Convergence(status={self.status!r}, r_hat={self.r_hat:.3f})"

    def __str__(self) -> str:
        return convergence_text(self)

    def sentence(self) -> str:
        """The verdict, what it is based on, and what is not yet steady.

        Returns
        -------
        str
            One or more sentences.
        """
        return convergence_sentence(self)

    def plot(self) -> Figure:
        """Draw R-hat and effective sample size of every quantity.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.
        """
        from elseif.showing.convergence_plot import plot_convergence  # loads matplotlib

        return plot_convergence(self.quantities, LARGEST_R_HAT, ENOUGH_ESS, self.names)

    def _repr_html_(self) -> str:
        from elseif.showing.convergence_html import convergence_html  # loaded in notebooks only

        return convergence_html(self)


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
    briefly: bool = False,
    starts: WarmStarts | None = None,
) -> Convergence:
    """Assess the convergence of the kept draws, in which every log posterior must be finite.

    ``independent`` draws are from the exact posterior. With ``briefly``, inclusion probabilities
    are left out if the run has not converged in any case, because it continues. ``starts`` has the
    lists that were scored before sampling.
    """
    for number, chain in enumerate(chains):
        refuse_not_finite(chain.log_posterior, f"chain {number}")
    traces = Traces(chains)
    quantities = diagnose(_of_lists(traces, problem, monitored), traces.list_of_draw, traces.groups)
    frequent = frequent_lists(traces.shares)
    of_shares = Followed(
        [f"share of list {i + 1}" for i in frequent],
        traces.is_list(frequent).astype(float),
        SHARE,
        frequent.tolist(),
        means=traces.shares[frequent],
    )
    quantities += diagnose(of_shares, traces.list_of_draw, traces.groups)
    check = check_shares(traces.shares[frequent], traces.share_log_posterior[frequent])
    if starts is not None and starts.best is not None:
        drawn = traces.shares, traces.share_log_posterior
        scored = traces.shares_of(starts.best.lists), starts.best.log_posterior
        check = replace(check, largest=float(np.fmax(check.largest, check_scored(drawn, scored))))
    r_hat = gelman_rubin(chains)
    status = status_of(r_hat, quantities, check, len(chains))
    if independent:  # what is said of the posterior comes from the sum, however few the draws
        status = "converged"
        quantities = [replace(q, steady=True) for q in quantities]
        check = ShareCheck(float("nan"), float("nan"))
    assessed = Convergence(
        r_hat=r_hat,
        status=status,
        quantities=tuple(quantities),
        inclusion_r_hat=float("nan"),
        inclusion_difference=float("nan"),
        n_chains=len(chains),
        n_iter=infos[0].n_iter,
        n_distinct=traces.n_distinct,
        acceptance=_acceptance(infos),
        swap_rates=_swap_rates(infos),
        independent=independent,
        share_deviation=(check.largest, check.mean),
        scored_first=starts.sentence() if starts is not None else "",
    )
    if briefly and not is_good_enough(assessed):
        return assessed
    inclusions, difference = _inclusions(chains, traces, problem.pool_size)
    if independent:
        inclusions = [replace(q, steady=True) for q in inclusions]
    assessed = replace(
        assessed,
        quantities=(*assessed.quantities, *inclusions),
        inclusion_r_hat=_largest([q.r_hat for q in inclusions]),
        inclusion_difference=difference,
    )
    # a sum takes longer than a short run; it is there to contradict what all else accepts
    if independent or not is_good_enough(assessed):
        return assessed
    best = starts.best if starts is not None else None
    return _compared_with_a_sum(assessed, chains, problem, best.lists if best is not None else ())


def _compared_with_a_sum(
    assessed: Convergence,
    chains: Sequence[RunLengthDraws],
    problem: Problem,
    short_lists: Sequence[tuple[int, ...]],
) -> Convergence:
    """The report with what exact sums say of the draws: where they contradict, not converged."""
    from elseif.sampler.restricted_sum import check_restricted  # compiled

    deviation = check_restricted(chains, problem, assessed.unsteady_inclusions, short_lists)
    checked = replace(assessed, restricted_deviation=deviation)
    if checked.status != "converged" or checked.restricted_sum_agrees:
        return checked
    return replace(checked, status="not converged")


def _of_lists(traces: Traces, problem: Problem, monitored: MonitoredObservations) -> Followed:
    """The first level: properties and predictions of the drawn lists."""
    predicted = traces.predicted(monitored, problem.pseudocounts, problem.layout.unit)
    n_predicted = predicted.shape[1]
    return Followed(
        [
            *("log posterior", "length", "average cardinality"),
            *(f"predicted probability {i + 1}" for i in range(n_predicted)),
        ],
        np.column_stack(
            [
                *(traces.log_posterior, traces.lengths),
                *(traces.average_cardinality(problem.prior.cardinalities), predicted),
            ]
        ),
        means=[*traces.overall_means(problem.prior.cardinalities), *[np.nan] * n_predicted],
        small_errors=[
            *(0.0, SMALL_LENGTH_ERROR, SMALL_CARDINALITY_ERROR),
            *[SMALL_ERROR] * n_predicted,
        ],
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


def _inclusions(
    chains: Sequence[RunLengthDraws], traces: Traces, pool_size: int
) -> tuple[list[Quantity], float]:
    """Every inclusion of .01 to .99, and the largest difference of one between two chains."""
    by_chain = np.stack([_inclusion(chain, pool_size) for chain in chains])
    difference = float((by_chain.max(axis=0) - by_chain.min(axis=0)).max(initial=0.0))
    if len(chains) < 2:
        difference = float("nan")
    overall = by_chain.mean(axis=0)
    inside = (overall >= LEAST_INCLUSION) & (overall <= 1 - LEAST_INCLUSION)
    # rarer ones too, where some chain has them often
    inside |= (overall < LEAST_INCLUSION) & (by_chain.max(axis=0) > 2 * LEAST_INCLUSION)
    followed = np.flatnonzero(inside)
    return diagnose(
        Followed(
            [f"inclusion of antecedent {a}" for a in followed],
            traces.presence(followed, pool_size).astype(float),
            INCLUSION,
            followed.tolist(),
            means=overall[followed],
        ),
        traces.list_of_draw,
        traces.groups,
    ), difference


def _inclusion(runs: RunLengthDraws, pool_size: int) -> np.ndarray:
    weights = np.repeat(runs.n_draws, runs.lengths)
    return np.bincount(runs.items, weights=weights, minlength=pool_size) / runs.n_draws.sum()


def status_of(
    r_hat: float, quantities: Sequence[Quantity], check: ShareCheck, n_chains: int
) -> str:
    """The verdict on the first two levels."""
    determined = [q for q in quantities if not np.isnan(q.r_hat)]
    if any(np.isinf(q.r_hat) for q in determined):
        return "not converged"
    if n_chains < 2 or np.isnan(r_hat) or not determined:
        return "undetermined"
    if r_hat >= PAPER_R_HAT or not check.passed:
        return "not converged"
    return "converged" if all(q.steady for q in quantities) else "not converged"


def is_good_enough(convergence: Convergence) -> bool:
    """Whether an automatic run may stop, and a fit needs no warning.

    That is so if the first two levels are steady, or nothing varies, and no exact sum contradicts.
    A single chain has no R-hat between chains: it may stop when all else is steady. Reports of
    older releases said "warn" when they accepted a run.
    """
    if convergence.status in ("converged", "warn"):
        return True
    if convergence.status != "undetermined":
        return False
    if convergence.n_chains > 1 and not np.isnan(convergence.r_hat):
        return False
    followed = [q for q in convergence.quantities if q.level != INCLUSION]
    return convergence.restricted_sum_agrees and all(q.steady for q in followed)


def _acceptance(infos: Sequence[ChainInfo]) -> dict[str, float]:
    rates: dict[str, float] = {}
    for option in infos[0].proposed:
        proposed = sum(info.proposed[option] for info in infos)
        if proposed:
            rates[option] = sum(info.accepted[option] for info in infos) / proposed
    return rates


def _swap_rates(infos: Sequence[ChainInfo]) -> tuple[float, ...]:
    """Share of swaps accepted, by pair of temperatures; a chain may have more than another."""
    n_pairs = max(len(info.swaps_proposed) for info in infos)
    counts = np.zeros((2, n_pairs))
    for info in infos:
        counts[0, : len(info.swaps_proposed)] += info.swaps_proposed
        counts[1, : len(info.swaps_accepted)] += info.swaps_accepted
    return tuple((counts[1] / np.maximum(counts[0], 1)).tolist())


def _largest(values: Sequence[float]) -> float:
    return float(np.fmax.reduce(values, initial=np.nan))
