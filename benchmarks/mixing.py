"""Which kernel gets there: every kernel on every problem, with the same number of iterations.

What counts is effective draws a CPU second, and the CPU time of an automatic run until it is
accepted as converged ("-" where it is not within MOST_ITERATIONS). `earlier` is the tempered kernel
as it was: six temperatures, of which the warmest is the likelihood's power of 0.1.

Many chains are run, each from its own seed. The variance of a draw over the variance of the chains'
means is a chain's number of effective draws, with no assumption on how draws follow each other;
the fewest count, of the log posterior, the shares of each length and the inclusions of .01 to
.99. An estimate from a few chains by their autocorrelation would be higher for those that happen
to miss a rare mode. The interval of a ratio is that of 90 % of the bootstrap samples of chains.
"""

from __future__ import annotations

import argparse
import dataclasses
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from iterations import stroke_problem
from problems import noisy_copies, problem

from elseif.datasets import load_tictactoe, load_titanic, make_rule_list_problem
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
LEAST_SHARE = 0.01  # inclusions and lengths between this and the rest are followed
SMALLEST = 1e-12  # a variance of chains that never differ
N_BOOTSTRAP = 500
MOST_ITERATIONS = 512_000  # of an automatic run
EARLIER = dataclasses.replace(
    KERNELS["tempered"],
    betas=(1.0, 0.78, 0.55, 0.36, 0.21, 0.1),
    rungs=None,
    steps_per_swap=20,
    warm_steps_per_swap=10,
)


def problems() -> dict[str, tuple[Problem, int]]:
    """Problems, and the number of iterations a chain is given."""
    small, large = (make_rule_list_problem(n, random_state=n) for n in (100, 5000))
    return {
        "Titanic, the paper's split": (problem(*load_titanic("paper")), 128_000),
        "Titanic, all": (problem(*load_titanic()), 256_000),
        "tic-tac-toe": (problem(*load_tictactoe(), 0.05, 3, 8.0, 3.0), 128_000),
        "stroke-shaped": (stroke_problem(), 256_000),
        "simulation, n = 100": (problem(small.X, small.y, cardinality=1), 128_000),
        "simulation, n = 5,000": (problem(large.X, large.y, cardinality=1), 128_000),
        "correlated conditions": (problem(*noisy_copies(2000, 4, 12, 0.03, 0), 0.1, 1), 128_000),
        "two distant lists": (problem(*noisy_copies(4000, 5, 2, 0.002, 1), 0.1, 1), 128_000),
    }


@dataclass
class Measured:
    """Chains of one kernel on one problem, each from its own seed."""

    # of each chain: the log posterior, its square, every inclusion and the share of every length
    means: list[np.ndarray] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    length: list[float] = field(default_factory=list)
    n_rungs: list[int] = field(default_factory=list)

    def effective_draws(self, chains: np.ndarray | slice = slice(None)) -> float:
        """The fewest effective draws of a chain, by some chains or all."""
        means = np.stack(self.means)[chains]
        mean = means.mean(axis=0)
        shares = mean[2:]
        followed = (shares > LEAST_SHARE) & (shares < 1 - LEAST_SHARE)
        variance = np.array([mean[1] - mean[0] ** 2, *(shares * (1 - shares))[followed]])
        between = means[:, [True, False, *followed]].var(axis=0, ddof=1)
        return float(np.min(variance / np.maximum(between, SMALLEST)))

    def rate(self, chains: np.ndarray | slice = slice(None)) -> float:
        """Effective draws a CPU second."""
        return self.effective_draws(chains) / float(np.mean(self.seconds))

    def add(self, posed: Problem, chain: Chain, n_iter: int) -> None:
        """Run one more chain."""
        begin = time.process_time()
        draws = chain.run(n_iter)
        self.seconds.append(time.process_time() - begin)
        share = draws.n_draws / draws.n_draws.sum()
        pool_size = posed.pool_size
        inclusion = np.bincount(draws.items, np.repeat(share, draws.lengths), minlength=pool_size)
        lengths = np.bincount(draws.lengths, share, minlength=pool_size + 1)
        moments = [share @ draws.log_posterior, share @ draws.log_posterior**2]
        self.means.append(np.concatenate([moments, inclusion, lengths]))
        self.length.append(float(share @ draws.lengths))
        self.n_rungs.append(len(chain.info.betas))


def interval(one: Measured, other: Measured) -> tuple[float, float, float]:
    """How many times the rate of another kernel, and the interval of 90 %."""
    rng = np.random.default_rng(0)
    n = len(one.means)
    samples = rng.integers(0, n, size=(N_BOOTSTRAP, n)), rng.integers(0, n, size=(N_BOOTSTRAP, n))
    ratios = [one.rate(a) / other.rate(b) for a, b in zip(*samples, strict=True)]
    low, high = np.quantile(ratios, [0.05, 0.95])
    return one.rate() / other.rate(), float(low), float(high)


def seconds_to_converge(posed: Problem, kernel: str) -> str:
    """CPU seconds and iterations of an automatic run, all that it needs included."""
    if kernel not in move_mix.KERNELS:
        return ""
    settings = SamplerSettings(kernel, N_CHAINS, max_iter=MOST_ITERATIONS, n_jobs=1)
    begin = time.process_time()
    found = sample(posed, settings, np.random.SeedSequence(1), Progress()).convergence
    seconds = time.process_time() - begin
    return f"{seconds:.2f} ({found.n_iter:,})" if is_good_enough(found) else "-"


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=24, help="chains of each kernel")
    parser.add_argument("--only", default="", help="problems whose name begins so")
    parser.add_argument("--kernels", nargs="+", default=["paper", "earlier", "tempered"])
    parser.add_argument("--quickly", action="store_true", help="without times to converge")
    told = parser.parse_args(arguments or [])
    print(f"one thread, {told.seeds} chains; rate: effective draws a CPU second")
    print(
        f"{'problem':<28}{'kernel':<10}{'iterations':>11}{'CPU s':>7}{'rungs':>6}{'length':>7}"
        f"{'draws':>7}{'rate':>7}{'ratio':>19}{'s to converge':>18}"
    )
    ratios = []
    for name, (posed, n_iter) in problems().items():
        if not name.startswith(told.only):
            continue
        measured = measure(posed, n_iter, told.kernels, told.seeds)
        for kernel_name, m in measured.items():
            ratio = ""
            if kernel_name == "tempered" and "earlier" in measured:
                times, low, high = interval(m, measured["earlier"])
                ratios.append(times)
                ratio = f"{times:.2f} ({low:.2f}-{high:.2f})"
            print(
                f"{name:<28}{kernel_name:<10}{n_iter:>11,}{np.mean(m.seconds):>7.2f}"
                f"{np.mean(m.n_rungs):>6.1f}{np.mean(m.length):>7.1f}"
                f"{m.effective_draws():>7.0f}{m.rate():>7.0f}{ratio:>19}"
                f"{'' if told.quickly else seconds_to_converge(posed, kernel_name):>18}",
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
            measured[name].add(posed, chain, n_iter)
    return measured


if __name__ == "__main__":
    main(sys.argv[1:])
