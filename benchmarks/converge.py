"""CPU time until three chains have converged, over many seeds, and whether they stay so.

By two criteria: the paper's, R-hat of the log posterior below 1.05, and the stricter one of an
automatic run, which also wants rank-normalised R-hats and effective draws of everything that is
followed. Lengths are doubled until the chains agree. Then the chains run four times as long, and
must still have the paper's R-hat below 1.05. The yardstick is the time that imodels' core takes
for 500 iterations of one chain on the same problem, measured in the same run.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
from iterations import stroke_problem
from peers import time_imodels
from problems import problem

from elseif.datasets import load_tictactoe
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chains import (
    FIRST_RUN,
    Sampled,
    SamplerSettings,
    growing,
    sample,
)
from elseif.sampler.convergence import PAPER_R_HAT, is_good_enough

N_CHAINS = 3
LONGER = 4
N_PEER_ITERATIONS = 500


@dataclass(frozen=True)
class Outcome:
    """How an automatic run of one seed ended, and the run of four times its length."""

    seconds: float
    n_iter: int
    length: float
    converged: bool
    stayed: bool


def run_seed(posed: Problem, seed: int, strict: bool) -> Outcome:
    lengths = [None] if strict else growing(FIRST_RUN, 2_000_000)
    for n_iter in lengths:
        begin = time.process_time()
        sampled = run(posed, seed, n_iter)
        # a run is continued by the next, so that the time of the last is that of all
        seconds = time.process_time() - begin
        convergence = sampled.convergence
        converged = is_good_enough(convergence) if strict else convergence.r_hat < PAPER_R_HAT
        if converged:
            break
    longer = run(posed, seed, LONGER * convergence.n_iter)
    means = [np.average(c.lengths, weights=c.n_draws) for c in sampled.chains]
    stayed = longer.convergence.r_hat < PAPER_R_HAT
    return Outcome(seconds, convergence.n_iter, float(np.mean(means)), converged, stayed)


def run(posed: Problem, seed: int, n_iter: int | None) -> Sampled:
    settings = SamplerSettings(n_chains=N_CHAINS, n_iter=n_iter)
    return sample(posed, settings, np.random.SeedSequence((20150101, seed)), Progress())


def study(name: str, posed: Problem, n_seeds: int) -> None:
    run_seed(posed, n_seeds, strict=True)  # loads and compiles
    print(f"{name}: {posed.layout.n_rows:,} observations, {posed.pool_size:,} antecedents")
    chain = run(posed, 1, 20_000).chains[0]
    last = tuple(chain.items[chain.offsets[-2] :].tolist())
    peer = time_imodels(posed, last, N_PEER_ITERATIONS)
    yardstick = None if peer is None else N_PEER_ITERATIONS * peer.seconds
    if peer is not None:
        print(
            f"  {N_PEER_ITERATIONS} iterations of imodels' core: {yardstick:.2f} s (mean list "
            f"length {peer.length:.1f})"
        )
    for strict in (False, True):
        outcomes = []
        for seed in range(n_seeds):
            outcomes.append(run_seed(posed, seed, strict))
            if sys.stderr.isatty():
                print(f"\r{seed + 1} of {n_seeds} seeds", end="", file=sys.stderr, flush=True)
        if sys.stderr.isatty():
            print(file=sys.stderr)
        criterion = "the stricter criterion" if strict else "R-hat below 1.05"
        tell(criterion, outcomes, yardstick)


def tell(criterion: str, outcomes: list[Outcome], yardstick: float | None) -> None:
    n_seeds = len(outcomes)
    quartiles = np.percentile([o.seconds for o in outcomes], [25, 50, 75, 95])
    kept = sum(o.converged and o.stayed for o in outcomes)
    iterations = np.percentile([o.n_iter for o in outcomes], [25, 50, 75]).astype(int)
    print(
        f"  {criterion}: CPU time until {N_CHAINS} chains converged, quartiles "
        f"{quartiles[0]:.2f}, {quartiles[1]:.2f}, {quartiles[2]:.2f} s, 95 % within "
        f"{quartiles[3]:.2f} s; iterations of a chain {', '.join(f'{n:,}' for n in iterations)}; "
        f"mean list length {np.mean([o.length for o in outcomes]):.1f}"
    )
    print(
        f"    converged in {sum(o.converged for o in outcomes)} of {n_seeds} seeds, and still so "
        f"after {LONGER} times as long in {kept}",
        flush=True,
    )
    if yardstick is None:
        return
    in_time = sum(o.converged and o.stayed and o.seconds <= yardstick for o in outcomes)
    print(
        f"    the median is {quartiles[1] / yardstick:.2f} of the yardstick; {in_time} of "
        f"{n_seeds} seeds converged within it and stayed so",
        flush=True,
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    n_seeds = parser.parse_args(arguments or []).seeds
    print(f"{n_seeds} seeds, one thread")
    study("stroke-shaped", stroke_problem(), n_seeds)
    study("tic-tac-toe", problem(*load_tictactoe(), 0.05, 3, 8.0, 3.0), n_seeds)


if __name__ == "__main__":
    main(sys.argv[1:])
