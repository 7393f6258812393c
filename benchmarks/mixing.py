"""Which kernel gets there: every kernel on every problem, with the same number of iterations.

What counts is effective draws a CPU second, and the CPU time of an automatic run until it is
accepted as converged ("-" where it is not within MOST_ITERATIONS). `earlier` is the tempered kernel
as it was: six temperatures, of which the warmest is the likelihood's power of 0.1.

Many chains are run, each from its own seed, and effective draws are those of `between_chains.py`.
The interval of a ratio is that of 90 % of the bootstrap samples of chains. `two_versions.py`
compares with the code of an earlier version itself.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence

import numpy as np
from between_chains import Measured, means_of, ratio_of_rates, shown_ratio
from kernel_problems import COMPARED

from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler import move_mix
from elseif.sampler.chain import Chain
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import is_good_enough
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.warm_starts import WarmStart, warm_starts

N_CHAINS = 4  # of an automatic run
MOST_ITERATIONS = 512_000  # of an automatic run
EARLIER = dataclasses.replace(
    KERNELS["tempered"],
    betas=(1.0, 0.78, 0.55, 0.36, 0.21, 0.1),
    rungs=None,
    steps_per_swap=20,
    warm_steps_per_swap=10,
)


def run(measured: Measured, posed: Problem, chain: Chain, n_iter: int) -> None:
    """Run one more chain."""
    begin = time.process_time()
    draws = chain.run(n_iter)
    measured.seconds.append(time.process_time() - begin)
    measured.means.append(means_of(draws, posed.pool_size))
    measured.length.append(float(np.average(draws.lengths, weights=draws.n_draws)))
    measured.n_rungs.append(len(chain.info.betas))


def seconds_to_converge(posed: Problem, kernel: str) -> str:
    """CPU seconds and iterations of an automatic run, all that it needs included."""
    if kernel not in move_mix.KERNELS:
        return ""
    settings = SamplerSettings(kernel, N_CHAINS, max_iter=MOST_ITERATIONS, n_jobs=1)
    begin = time.process_time()
    convergence = sample(posed, settings, np.random.SeedSequence(1), Progress()).convergence
    seconds = time.process_time() - begin
    return f"{seconds:.2f} ({convergence.n_iter:,})" if is_good_enough(convergence) else "-"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24, help="chains of each kernel")
    parser.add_argument("--only", default="", help="problems whose name begins so")
    parser.add_argument("--kernels", nargs="+", default=["paper", "earlier", "tempered"])
    parser.add_argument("--quickly", action="store_true", help="without times to converge")
    options = parser.parse_args(arguments or [])
    print(f"one thread, {options.seeds} chains; rate: effective draws a CPU second")
    print(
        f"{'problem':<28}{'kernel':<10}{'iterations':>11}{'CPU s':>7}{'rungs':>6}{'length':>7}"
        f"{'draws':>7}{'rate':>7}{'ratio':>19}{'s to converge':>18}"
    )
    ratios = []
    for name, (make, n_iter) in COMPARED.items():
        if not name.startswith(options.only):
            continue
        posed = make()
        measured = measure(posed, n_iter, options.kernels, options.seeds)
        for kernel_name, m in measured.items():
            ratio = ""
            if kernel_name == "tempered" and "earlier" in measured:
                times, samples = ratio_of_rates(m, measured["earlier"])
                ratios.append(times)
                ratio = shown_ratio(times, samples)
            print(
                f"{name:<28}{kernel_name:<10}{n_iter:>11,}{np.mean(m.seconds):>7.2f}"
                f"{np.mean(m.n_rungs):>6.1f}{np.mean(m.length):>7.1f}"
                f"{m.effective_draws():>7.0f}{m.rate():>7.0f}{ratio:>19}"
                f"{'' if options.quickly else seconds_to_converge(posed, kernel_name):>18}",
                flush=True,
            )
    if ratios:
        print(f"tempered against earlier, geometric mean: {np.exp(np.mean(np.log(ratios))):.2f}")


def measure(
    posed: Problem, n_iter: int, names: Sequence[str], n_chains: int
) -> dict[str, Measured]:
    """Chains of each kernel, by turns, so that a busy machine slows all alike."""
    compiled = CompiledProblem.of(posed)
    kernels = {name: {**KERNELS, "earlier": EARLIER}[name] for name in names}
    measured = {name: Measured() for name in names}
    seeds = np.random.SeedSequence(20260401).spawn(n_chains)
    starts = {name: warm_starts(posed, kernel, seeds).chains for name, kernel in kernels.items()}
    starts["earlier"] = (WarmStart(),) * n_chains  # which began with draws of the prior
    for kernel in kernels.values():  # compiles, and finds the neighbours
        Chain(compiled, kernel, np.random.SeedSequence(0)).run(500)
    for k, seed in enumerate(seeds):
        for name, kernel in kernels.items():
            start = starts[name][k]
            chain = Chain(compiled, kernel, seed, start.chain, replica_starts=start.replicas)
            run(measured[name], posed, chain, n_iter)
    return measured


if __name__ == "__main__":
    main(sys.argv[1:])
