"""Runs chains for `two_versions.py`, with whatever version of the package is on the path.

Reads a line of JSON for each chain and answers with one: CPU seconds, and the means of what is
followed. Only names that earlier versions have too are imported at the top.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from importlib.util import find_spec

import numpy as np
from between_chains import means_of
from kernel_problems import COMPARED, FOR_TUNING

import elseif
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.warm_starts import warm_starts

REDRAWS = "elseif.sampler.block_redraws"  # a module that earlier versions do not have


class Worker:
    """One problem at a time."""

    def __init__(self) -> None:
        self.name = ""

    def pose(self, name: str, n_chains: int) -> None:
        """Make the problem, its seeds and starts, and compile all that its chains use."""
        make, self.n_iter = {**COMPARED, **FOR_TUNING}[name]
        self.posed = make()
        self.compiled = CompiledProblem.of(self.posed)
        self.kernel = KERNELS["tempered"]
        self.seeds = np.random.SeedSequence(20260401).spawn(n_chains)
        Chain(self.compiled, self.kernel, np.random.SeedSequence(0)).run(500)
        if find_spec(REDRAWS) is not None:
            block = import_module(REDRAWS).Block(self.compiled, np.arange(2))
            block.draw(np.arange(1, 5, dtype=np.uint64))
        self._starts()
        begin = time.process_time()
        self.starts = self._starts()
        self.seconds_to_start = time.process_time() - begin
        self.name = name

    def _starts(self) -> list:
        """Options that start each chain; earlier versions began with draws of the prior."""
        starts = warm_starts(self.posed, self.kernel, self.seeds)
        if isinstance(starts, list):
            return [{"start": start} for start in starts]
        return [{"start": s.chain, "replica_starts": s.replicas} for s in starts.chains]

    def run(self, k: int, n_iter: int | None) -> dict:
        """Chain number k."""
        chain = Chain(self.compiled, self.kernel, self.seeds[k], **self.starts[k])
        begin = time.process_time()
        draws = chain.run(n_iter or self.n_iter)
        seconds = time.process_time() - begin
        return {
            "means": means_of(draws, self.posed.pool_size).tolist(),
            "seconds": seconds,
            "length": float(np.average(draws.lengths, weights=draws.n_draws)),
            "n_rungs": len(chain.info.betas),
            "seconds_to_start": self.seconds_to_start,
        }


def main() -> None:
    worker = Worker()
    print(json.dumps({"source": elseif.__file__}), flush=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["problem"] != worker.name:
            worker.pose(asked["problem"], asked["n_chains"])
        print(json.dumps(worker.run(asked["chain"], asked["n_iter"])), flush=True)


if __name__ == "__main__":
    main()
