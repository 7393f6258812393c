"""Which kernel gets there: every kernel on every problem, with the same number of steps.

A tempered chain spends its steps on all its temperatures, so it is given fewer iterations.
What counts is whether four chains agree, the fewest effective draws of anything followed (log
posterior, length, predictions, inclusions) a CPU second, and the CPU time of an automatic run
until it is accepted as converged ("-" where it is not within MOST_ITERATIONS).
"""

from __future__ import annotations

import time

import numpy as np
from iterations import stroke_problem
from problems import noisy_copies, problem

from elseif.datasets import load_tictactoe, load_titanic, make_rule_list_problem
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chain import Chain
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import assess, is_good_enough
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import KERNELS

N_CHAINS = 4
MOST_ITERATIONS = 512_000  # of an automatic run


def problems() -> dict[str, tuple[Problem, int]]:
    """Problems and the number of steps a chain is given."""
    small, large = (make_rule_list_problem(n, random_state=n) for n in (100, 5000))
    return {
        "Titanic, the paper's split": (problem(*load_titanic("paper")), 250_000),
        "Titanic, all": (problem(*load_titanic()), 500_000),
        "tic-tac-toe": (problem(*load_tictactoe(), 0.05, 3, 8.0, 3.0), 500_000),
        "stroke-shaped": (stroke_problem(), 1_000_000),
        "simulation, n = 100": (problem(small.X, small.y, cardinality=1), 250_000),
        "simulation, n = 5,000": (problem(large.X, large.y, cardinality=1), 250_000),
        "correlated conditions": (problem(*noisy_copies(2000, 4, 12, 0.03, 0), 0.1, 1), 500_000),
        "two distant lists": (problem(*noisy_copies(4000, 5, 2, 0.002, 1), 0.1, 1), 500_000),
    }


def seconds_to_converge(posed: Problem, kernel: str) -> str:
    """CPU seconds and iterations of an automatic run, all that it needs included."""
    settings = SamplerSettings(kernel, N_CHAINS, max_iter=MOST_ITERATIONS, n_jobs=1)
    begin = time.process_time()
    found = sample(posed, settings, np.random.SeedSequence(1), Progress()).convergence
    seconds = time.process_time() - begin
    return f"{seconds:.2f} ({found.n_iter:,})" if is_good_enough(found) else "-"


def main() -> None:
    print(f"{N_CHAINS} chains, one thread")
    print(
        f"{'problem':<28}{'pool':>6}  {'kernel':<10}{'iterations':>11}{'CPU s':>7}{'length':>7}"
        f"{'R-hat':>7}{'rank R-hat':>11}{'ESS':>7}{'ESS/s':>7}{'s to converge':>18}  status"
    )
    for name, (posed, n_steps) in problems().items():
        compiled, monitored = CompiledProblem.of(posed), choose_monitored(posed)
        for kernel_name, kernel in KERNELS.items():
            steps = kernel.tuning(posed.pool_size).steps_per_swap
            n_iter = int(n_steps * steps[0] / steps.sum())
            seeds = np.random.SeedSequence(0).spawn(N_CHAINS)
            chains = [Chain(compiled, kernel, seed) for seed in seeds]
            begin = time.process_time()
            runs = [chain.run(n_iter) for chain in chains]
            seconds = time.process_time() - begin
            found = assess(runs, [chain.info for chain in chains], posed, monitored)
            length = np.mean([np.average(run.lengths, weights=run.n_draws) for run in runs])
            print(
                f"{name:<28}{posed.pool_size:>6,}  {kernel_name:<10}{n_iter:>11,}{seconds:>7.2f}"
                f"{length:>7.1f}{found.r_hat:>7.3f}{found.max_r_hat:>11.3f}{found.min_ess:>7.0f}"
                f"{found.min_ess / seconds:>7.0f}{seconds_to_converge(posed, kernel_name):>18}"
                f"  {found.status}"
                f"{'' if not found.swap_rates else f'; swaps {min(found.swap_rates):.2f} or more'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
