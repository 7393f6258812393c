"""Warm starts: every replica of every chain begins with a promising short list.

All lists of up to two rules are scored first, as far as a budget allows, and each replica draws its
start from them: the colder half in proportion to the posterior, the warmer half in proportion to
the prior times their own power of the likelihood. A pair of rules that matters only together is
thus in every chain from the beginning, a mode has replicas even if the path to it from the prior is
narrow, and the warmer replicas start more widely dispersed than the posterior.

The cost of a step is proportional to the number of observations. For a very large problem, each
chain starts from lists found by chains on a sample of its own. The draws that a chain keeps are
from the posterior of all observations, wherever it started.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from elseif.sampler.chain import AntecedentList, Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.ladder import nearest_rungs
from elseif.sampler.list_shares import ScoredLists
from elseif.sampler.move_mix import DEFAULT_KERNEL, KERNELS, MoveMix
from elseif.sampler.short_lists import ShortLists, score_short_lists

SAMPLE_WORDS = 2048  # about 131,000 observations
LEAST_FACTOR = 8  # a problem must be this many times the sample
N_ITER = 20_000
N_BEST = 100  # scored lists that the shares of draws are compared with: no more can have 1 % each


@dataclass(frozen=True)
class WarmStart:
    """The lists that a chain and its warmer replicas begin with; None draws them from the prior."""

    chain: AntecedentList | None = None
    replicas: tuple[AntecedentList, ...] | None = None


@dataclass(frozen=True)
class WarmStarts:
    """Where all chains begin, and what was scored to choose it."""

    chains: tuple[WarmStart, ...]
    n_scored: int = 0  # lists of up to two rules
    all_of_two: bool = False  # whether that is every one of them
    on_sample: bool = False  # whether on a sample of the observations
    # the best of them, by the posterior of all observations; None where it is not known
    best: ScoredLists | None = None

    def sentence(self) -> str:
        """What was scored, in words; empty if nothing was."""
        if not self.n_scored:
            return ""
        which = "all" if self.all_of_two else "the most promising"
        where = ", on a sample of the observations" if self.on_sample else ""
        return (
            f"Before sampling, {self.n_scored:,} lists were scored: {which} of up to two "
            f"rules{where}."
        )


def warm_starts(
    problem: Problem, kernel: MoveMix, seeds: Sequence[np.random.SeedSequence]
) -> WarmStarts:
    """Lists to start from, for each chain and its replicas; each chain's depend only on its seed.

    The paper's kernel starts from draws of the prior.
    """
    if kernel is KERNELS["paper"]:
        return WarmStarts(tuple(WarmStart() for _ in seeds))
    is_large = problem.layout.n_words >= LEAST_FACTOR * SAMPLE_WORDS
    looked_at = sample_of(problem, SAMPLE_WORDS) if is_large else problem.local()
    scored = score_short_lists(CompiledProblem.of(looked_at))
    starts = (
        _warm_starts_of_sample(problem, kernel, scored, seed)
        if is_large
        else _drawn(kernel, scored, seed)
        for seed in seeds
    )
    best = None if is_large else scored.best(N_BEST)
    return WarmStarts(tuple(starts), scored.n_scored, scored.all_of_two, is_large, best)


def _drawn(kernel: MoveMix, scored: ShortLists, seed: np.random.SeedSequence) -> WarmStart:
    """A scored list for each replica, by its temperature."""
    rng = np.random.Generator(np.random.PCG64(seed.spawn(1)[0]))
    n_cold = len(kernel.betas) // 2
    powers = [1.0] * n_cold + list(kernel.betas[n_cold:])
    lists = [scored.draw(power, rng.random()) for power in powers]
    return WarmStart(lists[0], tuple(lists[1:]))


def _warm_starts_of_sample(
    problem: Problem, kernel: MoveMix, scored: ShortLists, seed: np.random.SeedSequence
) -> WarmStart:
    """Where a chain and its replicas get to on a sample of the observations."""
    for_sample, for_chain = seed.spawn(2)
    sample = sample_of(problem, SAMPLE_WORDS, np.random.default_rng(for_sample))
    default = KERNELS[DEFAULT_KERNEL]
    start = _drawn(default, scored, for_chain)
    chain = Chain(
        CompiledProblem.of(sample), default, for_chain, start.chain, replica_starts=start.replicas
    )
    chain.run(N_ITER)
    lists = [chain.lists[t] for t in nearest_rungs(chain.tuning.beta, np.array(kernel.betas))]
    return WarmStart(lists[0], tuple(lists[1:]))
