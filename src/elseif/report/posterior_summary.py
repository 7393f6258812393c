"""Convergence and posterior as plain data: words first, then numbers and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList
from elseif.report.decades import decade, in_decades
from elseif.report.wording import percent
from elseif.sampler.convergence import (
    LOOSE_ESS,
    PAPER_R_HAT,
    STRICT_ESS,
    STRICT_R_HAT,
    Convergence,
    Quantity,
)

TRACE_POINTS = 200  # of each chain
MOST_INCLUSIONS, LEAST_INCLUSION = 60, 0.01
MOST_LISTS = 10


@dataclass(frozen=True)
class Trace:
    """Log posterior along one chain's kept draws, evenly thinned."""

    chain: int
    draws: list[int]
    log_posterior: list[float]


@dataclass(frozen=True)
class ConvergenceSummary:
    """Whether the chains agree."""

    status: str
    words: list[str]
    r_hat: float
    max_r_hat: float
    min_ess: float
    inclusion_difference: float
    n_chains: int
    n_iter: int
    n_distinct: int
    quantities: list[Quantity]
    acceptance: list[tuple[str, float]]
    exchange: list[float]
    traces: list[Trace]
    independent: bool  # draws of the exact posterior, and no chains


@dataclass(frozen=True)
class GoodList:
    """One of the posterior's lists."""

    rules: list[str]
    share: str  # of the draws, in words
    probability: float | None  # the same; None where a minimum cell is held
    log_posterior_below_best: float | None  # None where a minimum cell is held
    is_shown: bool  # whether it is the list of this report


@dataclass(frozen=True)
class PosteriorSummary:
    """What the draws say together."""

    n_draws: int
    n_distinct: int
    mean_length: float
    mean_cardinality: float
    lengths: list[tuple[int, float]]  # number of rules, probability
    inclusion: list[tuple[str, float]]
    n_inclusion_left_out: int
    lists: list[GoodList]


def describe_convergence(
    convergence: Convergence | None, posterior: Posterior | None, with_traces: bool = True
) -> ConvergenceSummary | None:
    """The diagnostics, in words first; traces of log posteriors would tell counts."""
    if convergence is None:
        return None
    return ConvergenceSummary(
        convergence.status,
        _words(convergence),
        convergence.r_hat,
        convergence.max_r_hat,
        convergence.min_ess,
        convergence.inclusion_difference,
        convergence.n_chains,
        convergence.n_iter,
        convergence.n_distinct,
        [
            Quantity(_quantity_name(q.name, posterior), q.r_hat, q.ess_bulk, q.ess_tail)
            for q in convergence.quantities
        ],
        list(convergence.acceptance.items()),
        list(convergence.swap_rates),
        _traces(posterior) if posterior and with_traces and convergence.n_chains else [],
        convergence.independent,
    )


def describe_posterior(
    posterior: Posterior | None,
    shown: RuleList,
    convergence: Convergence | None,
    is_exact: bool = True,
) -> PosteriorSummary | None:
    """Lengths, inclusion and the other good lists; coarse where a minimum cell is held."""
    if posterior is None or (convergence is not None and not convergence.n_chains):
        return None
    # shares follow from counts: where a minimum cell is held they are told in coarse steps
    as_told = (lambda share, decimals: share) if is_exact else round
    lengths = np.bincount(posterior.distinct.lengths, weights=posterior.probabilities)
    shares = {name: as_told(p, 1) for name, p in posterior.inclusion().items()}
    inclusion = [(name, p) for name, p in shares.items() if p >= LEAST_INCLUSION]
    if not is_exact:
        inclusion.sort(key=lambda item: (-item[1], item[0]))
    told_lengths = [(m, as_told(float(p), 2)) for m, p in enumerate(lengths)]
    return PosteriorSummary(
        posterior.n_draws,
        len(posterior.distinct),
        as_told(posterior.mean_length, 1),
        as_told(posterior.mean_average_cardinality, 1),
        [(m, p) for m, p in told_lengths if p > 0],
        inclusion[:MOST_INCLUSIONS],
        max(0, len(inclusion) - MOST_INCLUSIONS),
        _good_lists(posterior, shown, is_exact),
    )


def _good_lists(posterior: Posterior, shown: RuleList, is_exact: bool) -> list[GoodList]:
    """The most probable lists, and the one of the report wherever it stands."""
    names = posterior.pool.names
    ours = tuple(a.name for a in shown.antecedents)
    rules = {
        i: tuple(names[a] for a in posterior.distinct.antecedent_list(i))
        for i in posterior.best_first.tolist()
    }
    chosen = list(rules)[:MOST_LISTS]
    if ours not in (rules[i] for i in chosen):
        chosen += [i for i in rules if rules[i] == ours][:1]
    if not is_exact:
        chosen = in_decades(posterior, chosen)
    best = float(posterior.distinct.log_posterior[posterior.best_first[0]])
    found = []
    for i in chosen:
        share, log_posterior = posterior.probabilities[i], posterior.distinct.log_posterior[i]
        found.append(
            GoodList(
                list(rules[i]),
                percent(share, 2) if is_exact else decade(share).text,
                float(share) if is_exact else None,
                best - float(log_posterior) if is_exact else None,
                rules[i] == ours,
            )
        )
    return found


def _words(convergence: Convergence) -> list[str]:
    """What a reader should take from the diagnostics."""
    if not convergence.n_chains:
        return ["There was one list only, so there was nothing to sample and nothing can differ."]
    told = [
        f"{convergence.verdict}.",
        f"{convergence.n_chains} independent {'chain' if convergence.n_chains == 1 else 'chains'} "
        f"of {convergence.n_iter:,} iterations each were run; the first half of each was "
        "discarded.",
    ]
    if convergence.independent:
        told[1] = (
            "The posterior was summed over all lists that the pool allows, so that no list could "
            f"be missed; {convergence.n_chains} times {convergence.n_kept:,} lists were drawn from "
            "it, each independent of the others."
        )
    if convergence.status == "converged":
        told.append("Another seed would be expected to lead to the same conclusions.")
    elif convergence.status == "warn":
        told.append(
            f"The stricter limits (R-hat below {STRICT_R_HAT}, at least {STRICT_ESS:.0f} effective "
            "draws) are not all met, so that details such as inclusion probabilities may change "
            "somewhat with another seed."
        )
    elif convergence.status == "not converged":
        told.append(
            f"The limits (R-hat below {PAPER_R_HAT}, at least {LOOSE_ESS:.0f} effective draws) are "
            "not met: another seed may give another list. Run longer before relying on this list."
        )
    else:
        told.append("At least two chains that move are needed to tell.")
    return told


def _quantity_name(name: str, posterior: Posterior | None) -> str:
    """Antecedents by their conditions rather than their number in the pool."""
    prefix = "inclusion of antecedent "
    number = name.removeprefix(prefix)
    if posterior is None or number == name or not number.isdecimal():
        return name
    if int(number) >= len(posterior.pool):
        return name
    return f"inclusion of {posterior.pool.names[int(number)]}"


def _traces(posterior: Posterior) -> list[Trace]:
    traces = []
    for c, chain in enumerate(posterior.chains):
        n_draws = int(chain.n_draws.sum())
        points = np.unique(np.linspace(0, n_draws - 1, min(TRACE_POINTS, n_draws)).astype(np.int64))
        values: Sequence[float] = posterior.distinct.log_posterior[chain.at(points)].tolist()
        traces.append(Trace(c + 1, (points + 1).tolist(), list(values)))
    return traces
