"""Convergence and posterior as plain data: words first, then numbers and traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.export.disclosed import coarse_diagnostics, first_digit
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList
from elseif.report.decades import decade, in_decades
from elseif.report.wording import percent
from elseif.sampler.convergence import Convergence
from elseif.showing.convergence_text import (
    convergence_rows,
    unsteady_sentences,
    unsteady_words,
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
class QuantitySummary:
    """One quantity that was followed along the chains."""

    name: str
    r_hat: float
    ess_bulk: float
    ess_tail: float
    mean: float | None  # None under a minimum cell
    mcse: float | None
    ess_replica: float
    steady: bool


@dataclass(frozen=True)
class ConvergenceSummary:
    """Whether the chains have converged."""

    status: str
    words: list[str]
    r_hat: float
    max_r_hat: float
    min_ess: float
    inclusion_difference: float
    n_chains: int
    n_iter: int
    n_distinct: int
    quantities: list[QuantitySummary]
    acceptance: list[tuple[str, float]]
    exchange: list[float]
    traces: list[Trace]
    independent: bool  # draws of the exact posterior, and no chains
    summed: bool  # what is said comes from the sum over all lists, not from draws
    point_is_steady: bool | None  # whether another run would choose the same list
    rows: list[tuple[str, str]]  # the three levels and the diagnostics, as they are read


@dataclass(frozen=True)
class GoodList:
    """One of the posterior's lists."""

    rules: list[str]
    share: str  # of the draws, in words
    probability: float | None  # the same; None under a minimum cell
    log_posterior_below_best: float | None  # None under a minimum cell
    is_shown: bool  # whether it is the list of this report
    rank: int | None  # by posterior probability among all lists drawn; None under a minimum cell


@dataclass(frozen=True)
class PosteriorSummary:
    """Summaries of the draws."""

    n_draws: int
    n_distinct: int
    mean_length: float
    mean_cardinality: float
    lengths: list[tuple[int, float]]  # number of rules, probability
    inclusion: list[tuple[str, float]]
    n_inclusion_left_out: int
    lists: list[GoodList]
    unsteady_inclusions: list[str]


def describe_convergence(
    convergence: Convergence | None, posterior: Posterior | None, with_traces: bool = True
) -> ConvergenceSummary | None:
    """The diagnostics, in words first; traces of log posteriors would reveal counts.

    Without traces, under a minimum cell, means and standard errors are left out everywhere, and
    the rest has few digits.
    """
    if convergence is None:
        return None
    if not with_traces:
        convergence = coarse_diagnostics(convergence)
    is_summed = posterior is not None and posterior.exact is not None
    return ConvergenceSummary(
        convergence.status,
        _words(convergence, is_summed),
        convergence.r_hat,
        convergence.max_r_hat,
        convergence.min_ess,
        convergence.inclusion_difference,
        convergence.n_chains,
        convergence.n_iter,
        convergence.n_distinct,
        [
            QuantitySummary(
                _quantity_name(q.name, posterior),
                q.r_hat,
                q.ess_bulk,
                q.ess_tail,
                q.mean if with_traces else None,
                q.mcse if with_traces else None,
                q.ess_replica,
                q.steady,
            )
            for q in convergence.quantities
        ],
        list(convergence.acceptance.items()),
        list(convergence.swap_rates),
        _traces(posterior) if posterior and with_traces and convergence.n_chains else [],
        convergence.independent,
        is_summed,
        convergence.point_is_steady,
        convergence_rows(convergence),
    )


def describe_posterior(
    posterior: Posterior | None,
    shown: RuleList,
    convergence: Convergence | None,
    is_exact: bool = True,
) -> PosteriorSummary | None:
    """Lengths, inclusion and the other good lists; coarse under a minimum cell."""
    if posterior is None or (convergence is not None and not convergence.n_chains):
        return None
    # shares follow from counts: under a minimum cell they are given in coarse steps
    as_shown = (lambda share, decimals: share) if is_exact else round
    lengths = posterior.length_probabilities
    probabilities = posterior.inclusion()
    unsteady = {probabilities.text(name) for name in probabilities.unsteady}
    shares = [(probabilities.text(name), as_shown(p, 1)) for name, p in probabilities.items()]
    inclusion = [(name, p) for name, p in shares if p >= LEAST_INCLUSION]
    if not is_exact:
        inclusion.sort(key=lambda item: (-item[1], item[0]))
    shown_lengths = [(m, as_shown(float(p), 1)) for m, p in enumerate(lengths)]
    return PosteriorSummary(
        posterior.n_draws,
        len(posterior.distinct) if is_exact else int(first_digit(len(posterior.distinct))),
        as_shown(posterior.mean_length, 1),
        as_shown(posterior.mean_average_cardinality, 1),
        [(m, p) for m, p in shown_lengths if p > 0],
        inclusion[:MOST_INCLUSIONS],
        max(0, len(inclusion) - MOST_INCLUSIONS),
        _good_lists(posterior, shown, is_exact),
        [name for name, _ in inclusion[:MOST_INCLUSIONS] if name in unsteady],
    )


def _good_lists(posterior: Posterior, shown: RuleList, is_exact: bool) -> list[GoodList]:
    """The most probable lists, and that of the report wherever it ranks."""
    ours, pool = shown.antecedents, posterior.pool.antecedents
    rules = {
        i: tuple(pool[a] for a in posterior.distinct.antecedent_list(i))
        for i in posterior.best_first.tolist()
    }
    chosen = list(rules)[:MOST_LISTS]
    if ours not in (rules[i] for i in chosen):
        chosen += [i for i in rules if rules[i] == ours][:1]
    if not is_exact:
        chosen = in_decades(posterior, chosen)
    rank_of = {i: rank for rank, i in enumerate(rules, start=1)}
    best = float(posterior.distinct.log_posterior[posterior.best_first[0]])
    lists = []
    for i in chosen:
        share, log_posterior = posterior.list_probabilities[i], posterior.distinct.log_posterior[i]
        lists.append(
            GoodList(
                [posterior.text(a) for a in posterior.distinct.antecedent_list(i)],
                percent(share, 2) if is_exact else decade(share).text,
                float(share) if is_exact else None,
                best - float(log_posterior) if is_exact else None,
                rules[i] == ours,
                rank_of[i] if is_exact else None,
            )
        )
    return lists


def _words(convergence: Convergence, is_summed: bool) -> list[str]:
    """What the diagnostics mean for a reader."""
    if not convergence.n_chains:
        return ["There is only one possible list, so there was nothing to sample."]
    sentences = [
        f"{convergence.verdict}.",
        f"One chain of {convergence.n_iter:,} iterations was run; its first half was discarded."
        if convergence.n_chains == 1
        else f"{convergence.n_chains} independent chains of {convergence.n_iter:,} iterations each "
        "were run; the first half of each was discarded.",
    ]
    if convergence.independent:
        sentences[1] = (
            "The sum is over all lists that can be made from the pool, so none could be missed; "
            f"{convergence.n_chains} times {convergence.n_kept:,} lists were drawn from "
            "it independently."
        )
    unsteady = [] if is_summed else unsteady_words(convergence)
    if is_summed:
        sentences.append(
            "The list, the probabilities of lists, lengths and rules, and the predictions come "
            "from the sum: another seed gives the same ones."
        )
    elif convergence.status in ("converged", "warn"):
        sentences.append(
            "Another seed would be expected to lead to the same predictions and shares of lists, "
            "within the standard errors below."
        )
        sentences += unsteady_sentences(convergence)
    elif convergence.status == "not converged":
        what = f" Not yet steady: {', '.join(unsteady)}." if unsteady else ""
        sentences.append(
            f"Another seed may give another list.{what} Run longer before relying on this list."
        )
    else:
        sentences.append("At least two chains that move are needed to judge convergence.")
    return sentences


def _quantity_name(name: str, posterior: Posterior | None) -> str:
    """Antecedents by their conditions rather than their number in the pool."""
    prefix = "inclusion of antecedent "
    number = name.removeprefix(prefix)
    if posterior is None or number == name or not number.isdecimal():
        return name
    if int(number) >= len(posterior.pool):
        return name
    return f"inclusion of {posterior.text(int(number))}"


def _traces(posterior: Posterior) -> list[Trace]:
    traces = []
    for c, chain in enumerate(posterior.chains):
        n_draws = int(chain.n_draws.sum())
        points = np.unique(np.linspace(0, n_draws - 1, min(TRACE_POINTS, n_draws)).astype(np.int64))
        values: Sequence[float] = posterior.distinct.log_posterior[chain.at(points)].tolist()
        traces.append(Trace(c + 1, (points + 1).tolist(), list(values)))
    return traces
