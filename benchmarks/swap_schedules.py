"""How many steps to take between swaps: schedules of the default kernel on the problems to tune on.

    python benchmarks/swap_schedules.py --schedules 15,5 15,2 8,1 --only stroke

A schedule is the number of steps of the chain, and of each warmer replica, between two proposals to
swap lists. Chains of all schedules alternate, and times are CPU seconds. Effective draws are those
of `between_chains.py`, with the variance of a draw and the mean of all schedules together: the
fewest of any quantity, and the harmonic mean over the quantities, which depends less on the
luck of one rare mode. Ratios are to the first schedule.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time

import numpy as np
from between_chains import LEAST_SHARE, SMALLEST, means_of
from kernel_problems import FOR_TUNING

from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS, MoveMix
from elseif.sampler.warm_starts import warm_starts


def kernel_of(schedule: str) -> MoveMix:
    """The default kernel with other numbers of steps between swaps."""
    steps, warm_steps = (int(part) for part in schedule.split(","))
    return dataclasses.replace(
        KERNELS["tempered"], steps_per_swap=steps, warm_steps_per_swap=warm_steps
    )


def inverse_draws(means: np.ndarray, pooled: np.ndarray) -> np.ndarray:
    """One over the effective draws of a chain, for each quantity that is followed."""
    shares = pooled[2:]
    followed = (shares > LEAST_SHARE) & (shares < 1 - LEAST_SHARE)
    columns = [True, False, *followed]
    variance = np.array([pooled[1] - pooled[0] ** 2, *(shares * (1 - shares))[followed]])
    off = ((means[:, columns] - pooled[columns]) ** 2).mean(axis=0)
    inverse: np.ndarray = np.maximum(off, SMALLEST) / variance
    return inverse


def measure(name: str, schedules: list[str], n_chains: int) -> dict[str, tuple[float, ...]]:
    """For each schedule: rungs, fewest and mean effective draws of a chain, CPU seconds of one."""
    make, n_iter = FOR_TUNING[name]
    posed = make()
    compiled = CompiledProblem.of(posed)
    seeds = np.random.SeedSequence(777).spawn(n_chains)
    kernels = {schedule: kernel_of(schedule) for schedule in schedules}
    starts = warm_starts(posed, KERNELS["tempered"], seeds).chains
    Chain(compiled, KERNELS["tempered"], np.random.SeedSequence(0)).run(500)  # compiles
    means: dict[str, list[np.ndarray]] = {schedule: [] for schedule in schedules}
    seconds: dict[str, list[float]] = {schedule: [] for schedule in schedules}
    n_rungs: dict[str, list[int]] = {schedule: [] for schedule in schedules}
    for seed, start in zip(seeds, starts, strict=True):
        for schedule, kernel in kernels.items():
            chain = Chain(compiled, kernel, seed, start.chain, replica_starts=start.replicas)
            begin = time.process_time()
            draws = chain.run(n_iter)
            seconds[schedule].append(time.process_time() - begin)
            means[schedule].append(means_of(draws, posed.pool_size))
            n_rungs[schedule].append(len(chain.info.betas))
    pooled = np.mean([np.mean(means[schedule], axis=0) for schedule in schedules], axis=0)
    measured = {}
    for schedule in schedules:
        inverse = inverse_draws(np.stack(means[schedule]), pooled)
        measured[schedule] = (
            float(np.mean(n_rungs[schedule])),
            float(1 / inverse.max()),
            float(1 / inverse.mean()),
            float(np.mean(seconds[schedule])),
        )
    return measured


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=32, help="chains of each schedule")
    parser.add_argument("--schedules", nargs="+", default=["15,5", "15,2", "8,1", "5,1"])
    parser.add_argument("--only", nargs="+", default=[""], help="problems whose names begin so")
    options = parser.parse_args(arguments or [])
    print(
        f"{'problem':<28}{'schedule':<10}{'rungs':>6}{'fewest':>8}{'mean':>7}{'CPU s':>8}"
        f"{'rate, fewest':>14}{'rate, mean':>12}{'CPU':>7}"
    )
    ratios: dict[str, list[list[float]]] = {schedule: [] for schedule in options.schedules}
    for name in FOR_TUNING:
        if not any(name.startswith(begins) for begins in options.only):
            continue
        measured = measure(name, options.schedules, options.seeds)
        _, *first = measured[options.schedules[0]]
        for schedule, (rungs, fewest, mean, seconds) in measured.items():
            cost = seconds / first[2]
            ratios[schedule].append([fewest / first[0] / cost, mean / first[1] / cost, cost])
            shown = "x{:<13.2f}x{:<11.2f}x{:.2f}".format(*ratios[schedule][-1])
            print(
                f"{name:<28}{schedule:<10}{rungs:>6.1f}{fewest:>8.0f}{mean:>7.0f}{seconds:>8.3f}"
                f"  {shown}",
                flush=True,
            )
    for schedule, of_problems in ratios.items():
        shown = "x{:<13.2f}x{:<11.2f}x{:.2f}".format(*np.exp(np.log(of_problems).mean(axis=0)))
        print(f"{'geometric mean':<28}{schedule:<10}{'':>29}  {shown}")


if __name__ == "__main__":
    main(sys.argv[1:])
