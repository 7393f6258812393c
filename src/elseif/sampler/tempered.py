"""A chain with warmer companions, which carry it from one good list to another."""

from __future__ import annotations

import math

import numpy as np

from elseif.model.problem import Problem
from elseif.sampler.chain import Chain, ChainInfo, CompiledProblem
from elseif.sampler.proposals import Kernel
from elseif.sampler.runs import Runs

# iterations between two attempts to exchange lists
SWAP_EVERY = 100


class TemperedChain:
    """Parallel tempering: the same problem at several powers of the likelihood.

    The less the likelihood counts, the more freely a companion walks. Neighbours in the
    ladder exchange lists with the probability that leaves every one's own target
    unchanged, and only the draws of the coldest, whose target is the posterior, are kept.
    """

    def __init__(
        self,
        problem: Problem,
        compiled: CompiledProblem,
        kernel: Kernel,
        seed: np.random.SeedSequence,
    ) -> None:
        self._kernel = kernel
        ladder = kernel.coldnesses
        # children named by number, not spawned: the same seed always gives the same ones
        children = [
            np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, i))
            for i in range(len(ladder) + 1)
        ]
        self._rng = np.random.Generator(np.random.PCG64(children.pop()))
        self._replicas = [Chain(problem, compiled, kernel, child) for child in children]
        for replica, coldness in zip(self._replicas, ladder, strict=True):
            replica.set_coldness(coldness)
        self._n_rounds = 0

    @property
    def n_done(self) -> int:
        """Iterations of the coldest so far."""
        return self._replicas[0].n_done

    @property
    def info(self) -> ChainInfo:
        return self._replicas[0].info

    def run(self, n_iter: int) -> Runs:
        """Warm up for the first half of the iterations, and return the draws of the second."""
        coldest = self._replicas[0]
        for stage in self._kernel.warm_up(n_iter):
            coldest.forget()
            self._advance(stage.until, keep=False)
            if stage.learn:
                coldest.learn()
        coldest.begin_draws()
        self._advance(n_iter, keep=True)
        return coldest.take_draws()

    def _advance(self, iteration: int, keep: bool) -> None:
        while self.n_done < iteration:
            until = min(self.n_done + SWAP_EVERY, iteration)
            for i, replica in enumerate(self._replicas):
                replica.advance(until, keep=keep and i == 0)
            self._exchange()

    def _exchange(self) -> None:
        """Offer an exchange to every other pair of neighbours, by turns."""
        ladder = self._kernel.coldnesses
        for i in range(self._n_rounds % 2, len(ladder) - 1, 2):
            colder, warmer = self._replicas[i], self._replicas[i + 1]
            gain = warmer.log_likelihood - colder.log_likelihood
            log_ratio = (ladder[i] - ladder[i + 1]) * gain
            if math.log1p(-self._rng.random()) < log_ratio:
                if i == 0:
                    colder.trade_and_record(warmer)
                else:
                    colder.trade(warmer)
        self._n_rounds += 1
