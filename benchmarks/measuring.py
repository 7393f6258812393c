"""What the races share: CPU time, and what an iteration of a chain takes."""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws, join_runs

SHORTEST_STRETCH = 0.02  # seconds: below, the clock's own steps would count


@dataclass(frozen=True)
class Timed:
    """CPU time of an iteration, and what the chain did meanwhile."""

    seconds: float  # of one iteration, in the quickest stretch
    runs: RunLengthDraws  # the draws of all stretches
    proposed: dict[str, int]
    accepted: dict[str, int]

    @property
    def rate(self) -> float:
        return 1 / self.seconds

    @property
    def length(self) -> float:
        return float(np.average(self.runs.lengths, weights=self.runs.n_draws))


def cpu_time(work: Callable[[], Any], repeats: int = 3) -> tuple[float, Any]:
    """The least CPU time of a few repeats, and what the work returned."""
    best, result = float("inf"), None
    for _ in range(repeats):
        begin = time.process_time()
        result = work()
        best = min(best, time.process_time() - begin)
    return best, result


def cpu_time_of_process(
    command: Sequence[str], environment: Mapping[str, str] | None = None, repeats: int = 5
) -> float:
    """The least CPU time of a few runs of a program."""
    times = []
    for _ in range(repeats):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return min(times)


def time_chain(
    posed: Problem,
    kernel: MoveMix,
    warm_up: int,
    start: tuple[int, ...] | None = None,
    stretch: float = 0.2,
    n_stretches: int = 5,
) -> Timed:
    """CPU time of an iteration of one chain, once it has warmed up.

    The chain goes on in stretches of about the same CPU time; the quickest counts, because
    whatever else the machine does can only make a stretch slower.
    """
    compiled = CompiledProblem.of(posed)
    Chain(compiled, kernel, np.random.SeedSequence(0), start=start).run(100)  # compiles
    chain = Chain(compiled, kernel, np.random.SeedSequence(1), start=start)
    chain.run(warm_up)
    n_iter, seconds = 100, 0.0
    while True:
        begin = time.process_time()
        chain.run_to(chain.n_done + n_iter)
        seconds = time.process_time() - begin
        if seconds > SHORTEST_STRETCH:
            break
        n_iter *= 2
    n_iter = max(100, int(n_iter * stretch / seconds))
    before, best, pieces = chain.info, float("inf"), []
    for _ in range(n_stretches):
        begin = time.process_time()
        pieces.append(chain.run_to(chain.n_done + n_iter))
        best = min(best, time.process_time() - begin)
    proposed, accepted = _steps_between(before, chain.info)
    return Timed(best / n_iter, join_runs(pieces), proposed, accepted)


def _steps_between(before: ChainInfo, after: ChainInfo) -> tuple[dict[str, int], dict[str, int]]:
    proposed = {option: after.proposed[option] - n for option, n in before.proposed.items()}
    accepted = {option: after.accepted[option] - n for option, n in before.accepted.items()}
    return proposed, accepted


def shown(seconds: float) -> str:
    """A time with a unit that suits it."""
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:,.3g} {unit}"
    return f"{seconds / 1e-9:,.3g} ns"
