"""Accepted runs on pools of real tables, compared with the exact sum over all their lists.

The antecedents are those that a default fit of a public table would mine. Pools of 22 are taken
from them: few enough to be summed exactly, and more than the sums with which a run checks itself
(20 antecedents) and than the blocks that long runs redraw (18). They are taken in three ways: the
antecedents that would be the best single rules, which are near-copies of each other; half of these
and half at random; and all at random. Runs of the default kernel are followed to their end, and an
accepted one is wrong by the criteria of ``false_convergence``.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from problems import problem
from public_tables import SMALL, PublicTable, public_tables

from elseif.bits.counting import cover_label_counts
from elseif.model.likelihood import rule_log_likelihoods
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chains import FIRST_RUN, SamplerSettings, sample
from elseif.sampler.convergence import is_good_enough
from elseif.sampler.exact_sum import ExactSum

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.sampler.checks_convergence import ERRORS, Summary, promised_draws

POOL = 22
N_EXACT = 400_000  # independent draws from the sum over all lists
WAYS = ("strongest", "half strongest", "random")


@dataclass(frozen=True)
class Outcome:
    """One run."""

    accepted: bool
    errors: float  # the largest error, in standard errors that the verdict promises
    n_iter: int
    seconds: float


def sub_problem(posed: Problem, chosen: np.ndarray) -> Problem:
    """The problem with some of its antecedents."""
    prior = posed.prior
    covers = posed.covers_at(chosen, slice(None))
    fewer = ListPrior(
        prior.cardinalities[chosen],
        prior.expected_length,
        prior.expected_cardinality,
        np.ones(len(chosen)),
    )
    return Problem(covers, posed.layout, posed.pseudocounts, fewer)


def by_evidence(posed: Problem) -> np.ndarray:
    """Antecedents, the best single rule first; one of those with equal covers."""
    covers = posed.covers_at(np.arange(posed.pool_size), slice(None))
    distinct = np.unique(covers, axis=0, return_index=True)[1]
    counts = cover_label_counts(covers[distinct], posed.layout)
    rest = posed.layout.label_totals - counts
    both = rule_log_likelihoods(np.stack([counts, rest], axis=1), posed.pseudocounts)
    ranked: np.ndarray = distinct[np.argsort(-both.sum(axis=1), kind="stable")]
    return ranked


def pools(posed: Problem, seed: int) -> Iterator[tuple[str, Problem]]:
    """Pools of 22, taken in three ways; none of a table that has fewer antecedents."""
    ranked = by_evidence(posed)
    if len(ranked) < POOL:
        return
    rng = np.random.default_rng(seed)
    half = POOL // 2
    others = rng.permutation(ranked[half:])[: POOL - half]
    chosen = (ranked[:POOL], np.append(ranked[:half], others), rng.permutation(ranked)[:POOL])
    for way, antecedents in zip(WAYS, chosen, strict=True):
        yield way, sub_problem(posed, np.sort(antecedents))


def run(posed: Problem, exact: Summary, seed: int) -> Outcome:
    """A run of the default kernel, as ``fit`` would continue and end it."""
    settings = SamplerSettings("tempered", n_jobs=1)
    begin = time.process_time()
    result = sample(posed, settings, np.random.SeedSequence((20260301, seed)), Progress())
    seconds = time.process_time() - begin
    verdict = result.convergence
    errors = Summary.of(result.chains, posed.pool_size).errors_off(
        exact, promised_draws(verdict), verdict.unsteady_inclusions
    )
    return Outcome(is_good_enough(verdict), errors, verdict.n_iter, seconds)


def line(name: str, outcomes: list[Outcome]) -> str:
    accepted = [o for o in outcomes if o.accepted]
    wrong = sum(o.errors > ERRORS for o in accepted)
    first = sum(o.n_iter <= FIRST_RUN for o in accepted)
    return (
        f"{name:<18}{len(accepted):>5} of {len(outcomes):<5}{first:>7}{wrong:>7}"
        f"{max((o.errors for o in accepted), default=0):>9.1f}"
        f"{np.mean([o.n_iter for o in outcomes]) / 1000:>8.0f}k"
        f"{np.mean([o.seconds for o in outcomes]):>8.2f}"
    )


def study(tables: list[PublicTable], n_seeds: int) -> dict[str, list[Outcome]]:
    """The runs of all pools, by the way in which these were taken."""
    outcomes: dict[str, list[Outcome]] = {way: [] for way in WAYS}
    for number, table in enumerate(tables):
        whole = problem(*table.load())
        of_table: list[Outcome] = []
        for way, posed in pools(whole, number):
            drawn = ExactSum.of(posed).draw(N_EXACT, np.random.default_rng(0))
            exact = Summary.of([drawn], posed.pool_size)
            runs = [run(posed, exact, seed) for seed in range(n_seeds)]
            outcomes[way] += runs
            of_table += runs
        print(line(table.name, of_table) if of_table else f"{table.name:<18}too few", flush=True)
    return outcomes


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each pool")
    parser.add_argument("--tables", nargs="+", default=[], help="else all of fewer than 1,500 rows")
    options = parser.parse_args(arguments or [])
    tables = public_tables(names=options.tables)
    if not options.tables:
        tables = [table for table in tables if len(table.load()[1]) < SMALL]
    heads = f"{'tables':<18}{'accepted':>13}{'first':>8}{'wrong':>7}{'worst':>9}"
    print(f"{heads}{'length':>9}{'CPU s':>8}")
    print(f"first: after {FIRST_RUN:,} iterations; worst: in standard errors, {ERRORS:.0f} allowed")
    outcomes = study(tables, options.seeds)
    for way, runs in outcomes.items():
        print(line(way, runs))
    print(line("all", [run for runs in outcomes.values() for run in runs]))


if __name__ == "__main__":
    main(sys.argv[1:])
