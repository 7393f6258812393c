"""Warm starts for the chains of a very large problem: lists found on a sample of it.

A step costs what the observations cost, and a chain that starts from a draw of the prior spends
thousands of steps on finding the first good list. On a sample they cost next to nothing. Every
chain has a sample of its own, so that chains begin further apart than the posterior is wide. What
a chain keeps, it draws from the posterior of all observations, wherever it began.
"""

from __future__ import annotations

import numpy as np

from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS, MoveMix

SAMPLE_WORDS = 2048  # about 131,000 observations
LEAST_FACTOR = 8  # a problem must be so many times the sample
N_ITER = 20_000


def warm_starts(
    problem: Problem, kernel: MoveMix, seeds: list[np.random.SeedSequence]
) -> list[tuple[int, ...] | None]:
    """A list to begin with for each chain; None, a draw of the prior, unless very large.

    The paper's kernel begins as the paper has it.
    """
    small = problem.layout.n_words < LEAST_FACTOR * SAMPLE_WORDS
    if small or kernel is KERNELS["paper"]:
        return [None] * len(seeds)
    lists: list[tuple[int, ...] | None] = []
    for seed in seeds:
        for_sample, for_chain = seed.spawn(2)
        sample = sample_of(problem, SAMPLE_WORDS, np.random.default_rng(for_sample))
        chain = Chain(CompiledProblem.of(sample), KERNELS[DEFAULT_KERNEL], for_chain)
        chain.run(N_ITER)
        lists.append(chain.antecedent_list)
    return lists
