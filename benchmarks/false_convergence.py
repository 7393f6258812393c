"""How often a run says that it has converged, and is wrong: by the length of the first run.

Chains of the default kernel start from scored lists, as those of a fit do, and are assessed after
16,000, 32,000 ... iterations; a run that begins with one of these lengths ends at the first that
is good enough. What it says there is held to a reference: draws from the sum over all lists
where the pool allows it, else four chains of a million iterations from other seeds. The kernel is
given by name: a fit with default settings would sum over the lists of the smallest pools.

A run is wrong if the mean log posterior, the share of lists of any length, the inclusion of any
antecedent that is not marked as unsteady or the share of the reference's most frequent list is off
by more than four of the standard errors that the verdict promises: those of 200 effective draws, or
0.02 of a probability. The last column is the yardstick that shows that wrong runs can be seen: what
the paper's R-hat alone would have accepted, held to 100 effective draws and all inclusions.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from iterations import stroke_problem
from problems import noisy_copies, planted, problem, stroke_shaped

from elseif.datasets import load_tictactoe, load_titanic, make_rule_list_problem
from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.chains import FIRST_RUN
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import PAPER_R_HAT, assess, is_good_enough
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS
from elseif.sampler.warm_starts import WarmStarts, warm_starts

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.sampler.checks_convergence import ERRORS, Summary, promised_draws

KERNEL = KERNELS[DEFAULT_KERNEL]
N_CHAINS = 4
LENGTHS = tuple(16_000 * 2**k for k in range(7))  # to 1,024,000
FIRST_LENGTHS = (16_000, 32_000, 64_000, 128_000)
LARGEST_SUM, N_EXACT, N_REFERENCE = 20, 400_000, 1_000_000
LOOSE_ESS = 100.0  # promised by nobody: for what R-hat alone would accept


@dataclass(frozen=True)
class Moment:
    """One run at one length."""

    n_iter: int
    good: bool
    wrong: bool
    r_hat_alone: bool  # whether the paper's criterion accepts it
    wrong_for_100: bool  # whether it is wrong by the looser promise


@dataclass
class Outcomes:
    """The fits of one kind of problem."""

    pool_sizes: set[int] = field(default_factory=set)
    fits: list[list[Moment]] = field(default_factory=list)

    def ends(self, first: int) -> list[Moment | None]:
        """Where the runs ended that began with a length; None where they did not."""
        return [
            next((m for m in moments if m.good and m.n_iter >= first), None)
            for moments in self.fits
        ]

    def wrong_by_r_hat_alone(self, first: int) -> int:
        ends = [
            next((m for m in moments if m.r_hat_alone and m.n_iter >= first), None)
            for moments in self.fits
        ]
        return sum(m is not None and m.wrong_for_100 for m in ends)


def reference(posed: Problem, compiled: CompiledProblem) -> Summary:
    if posed.pool_size <= LARGEST_SUM:
        drawn = ExactSum.of(posed).draw(N_EXACT, np.random.default_rng(0))
        return Summary.of([drawn], posed.pool_size)
    chains, starts = _chains(posed, compiled, 20151104)
    runs = [chain.run(N_REFERENCE) for chain in chains]
    infos = [chain.info for chain in chains]
    convergence = assess(runs, infos, posed, choose_monitored(posed), starts=starts)
    if not is_good_enough(convergence):
        print(f"  a reference has not converged: {convergence!r}", flush=True)
    return Summary.of(runs, posed.pool_size)


def _chains(
    posed: Problem, compiled: CompiledProblem, seed: int | tuple[int, ...]
) -> tuple[list[Chain], WarmStarts]:
    """Chains where a fit would begin them, and the lists that were scored for it."""
    seeds = np.random.SeedSequence(seed).spawn(N_CHAINS)
    starts = warm_starts(posed, KERNEL, seeds)
    chains = [
        Chain(compiled, KERNEL, child, start.chain, replica_starts=start.replicas)
        for child, start in zip(seeds, starts.chains, strict=True)
    ]
    return chains, starts


def follow(posed: Problem, compiled: CompiledProblem, exact: Summary, seed: int) -> list[Moment]:
    """One fit, looked at after every doubling until it would have ended from any first length."""
    chains, starts = _chains(posed, compiled, (20150901, seed))
    monitored = choose_monitored(posed)
    moments: list[Moment] = []
    for n_iter in LENGTHS:
        runs = [chain.run(n_iter) for chain in chains]
        infos = [chain.info for chain in chains]
        convergence = assess(runs, infos, posed, monitored, starts=starts)
        summary, unsteady = Summary.of(runs, posed.pool_size), convergence.unsteady_inclusions
        moments.append(
            Moment(
                n_iter=n_iter,
                good=is_good_enough(convergence),
                wrong=summary.errors_off(exact, promised_draws(convergence), unsteady) > ERRORS,
                r_hat_alone=convergence.r_hat < PAPER_R_HAT,
                wrong_for_100=summary.errors_off(exact, LOOSE_ESS) > ERRORS,
            )
        )
        if moments[-1].good and n_iter >= FIRST_LENGTHS[-1]:
            break
    return moments


def problems(n_seeds: int) -> Iterator[tuple[str, Problem, int]]:
    """Kinds of problems, each of several data sets, with the number of fits for each."""
    few = max(n_seeds // 5, 1)
    yield "Titanic, the paper's split", problem(*load_titanic("paper")), n_seeds
    yield "Titanic, all", problem(*load_titanic()), n_seeds
    rng = np.random.default_rng(0)
    for k in range(n_seeds):
        n, noise = int(rng.integers(200, 4000)), float(rng.choice([0.002, 0.01, 0.03, 0.1]))
        copies = noisy_copies(n, 5, 4, noise, k)
        yield "five hidden conditions, 4 copies", problem(*copies, 0.1, 1), 1
    for k in range(5):
        copies = noisy_copies(2000, 5, 2, 0.002, k)
        yield "two distant lists, pairs too", problem(*copies, 0.1, 2), few
    for k in range(5):
        yield "correlated conditions", problem(*noisy_copies(2000, 4, 12, 0.03, k), 0.1, 1), few
    for k in range(5):
        X, _ = noisy_copies(300, 6, 3, 0.1, k)
        labels = np.random.default_rng(k).integers(0, 2, size=300)
        yield "labels of chance alone", problem(X, labels, 0.05, 2), few
    for n in (100, 1000, 5000):
        made = make_rule_list_problem(n, random_state=n)
        yield f"simulation, n = {n:,}", problem(made.X, made.y, cardinality=1), n_seeds
    yield "tic-tac-toe", problem(*load_tictactoe(), 0.05, 3, 8.0, 3.0), n_seeds
    yield "planted list of 7", planted(2000, 3000, 7).problem, n_seeds
    for k in range(5):
        shaped = stroke_shaped(2000, 1000, seed=k + 1)
        yield "stroke-shaped, 2,000 patients", problem(shaped.X, shaped.y), few
    yield "stroke-shaped, 12,586 patients", stroke_problem(), n_seeds


def study(n_seeds: int, begins: str) -> dict[str, Outcomes]:
    kinds: dict[str, Outcomes] = {}
    for name, posed, n_fits in problems(n_seeds):
        if not name.startswith(begins):
            continue
        compiled = CompiledProblem.of(posed)
        exact = reference(posed, compiled)
        outcomes = kinds.setdefault(name, Outcomes())
        outcomes.pool_sizes.add(posed.pool_size)
        seeds = range(len(outcomes.fits), len(outcomes.fits) + n_fits)
        outcomes.fits += [follow(posed, compiled, exact, seed) for seed in seeds]
        if len(outcomes.fits) >= n_seeds // 5 * 5:
            print(line(name, outcomes), flush=True)
    return kinds


def line(name: str, outcomes: Outcomes) -> str:
    cells = []
    for first in FIRST_LENGTHS:
        ends = outcomes.ends(first)
        ended = [m for m in ends if m is not None]
        mean = np.mean([m.n_iter for m in ended]) / 1000 if ended else float("nan")
        cells.append(f"{sum(m.wrong for m in ended):>4} of {len(ended):<3} ({mean:>4.0f}k)")
    sizes = sorted(outcomes.pool_sizes)
    pool = f"{sizes[0]:,}" if len(sizes) == 1 else f"{sizes[0]:,}-{sizes[-1]:,}"
    alone = f"{outcomes.wrong_by_r_hat_alone(16_000)}, {outcomes.wrong_by_r_hat_alone(FIRST_RUN)}"
    return f"{name:<34}{pool:>12}{len(outcomes.fits):>6}" + "".join(cells) + f"{alone:>10}"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=40, help="fits of each kind of problem")
    parser.add_argument("--only", default="", help="problems whose name begins so")
    options = parser.parse_args(arguments or [])
    print(
        "wrong runs of those that were good enough (mean iterations of a chain), by the first run;"
    )
    print(f"at last, wrong runs had R-hat below 1.05 been enough, from 16,000, {FIRST_RUN:,} on")
    heads = [f"{first // 1000:,}k" for first in FIRST_LENGTHS]
    print(
        f"{'problem':<34}{'pool':>12}{'fits':>6}"
        + "".join(f"{head:>18}" for head in heads)
        + f"{'R-hat':>10}"
    )
    kinds = study(options.seeds, options.only)
    everything = Outcomes(fits=[fit for kind in kinds.values() for fit in kind.fits])
    everything.pool_sizes = {size for kind in kinds.values() for size in kind.pool_sizes}
    print(line("all", everything))


if __name__ == "__main__":
    main(sys.argv[1:])
