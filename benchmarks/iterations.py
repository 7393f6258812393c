"""Iterations a second of one chain on one thread, at the shape of the paper's stroke data."""

from __future__ import annotations

import time

import numpy as np
from problems import problem, stroke_shaped

from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS

N_ITER = 400_000


def stroke_problem(seed: int = 0) -> Problem:
    """The pool of 10 % support and cardinality 2, with the paper's prior."""
    shaped = stroke_shaped(seed=seed)
    return problem(shaped.X, shaped.y)


def main() -> None:
    posed = stroke_problem()
    compiled = CompiledProblem.of(posed)
    print(f"{posed.layout.n_rows:,} observations, {posed.pool_size:,} antecedents, one thread")
    print(f"{'kernel':<10}{'iterations / CPU s':>20}{'steps / CPU s':>15}{'length':>8}")
    for name, kernel in KERNELS.items():
        Chain(compiled, kernel, np.random.SeedSequence(0)).run(100)  # compiled by now
        chain = Chain(compiled, kernel, np.random.SeedSequence(1))
        chain.run(100_000)
        begin = time.process_time()
        runs = chain.run_to(100_000 + N_ITER)
        rate = N_ITER / (time.process_time() - begin)
        length = np.average(np.diff(runs.offsets), weights=runs.n_draws)
        # warmer replicas of a tempered chain take steps of their own
        per_swap = kernel.tuning(posed.pool_size).steps_per_swap
        steps = rate * per_swap.sum() / per_swap[0]
        print(f"{name:<10}{rate:>20,.0f}{steps:>15,.0f}{length:>8.1f}")


if __name__ == "__main__":
    main()
