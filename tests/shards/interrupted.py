"""A program that is interrupted while its rows are in shards, and says what it has then.

    python -m tests.shards.interrupted

A holder sends the signal itself, at messages of its own, so that the moment is always the same.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np

from elseif.progress import Progress
from elseif.sampler import run_of_chains
from elseif.sampler.chains import Sampled, SamplerSettings, sample
from elseif.shards.shards import ShardLostError
from tests.shards.parts import ShardHere, in_shards, parts_of
from tests.shards.test_shards import assert_same, random_problem


class InterruptingShard(ShardHere):
    """A shard that interrupts the program at some of its messages, and may end with that."""

    def __init__(self, rows: Any, at: tuple[int, ...] = (), ends: bool = False) -> None:
        super().__init__(rows)
        self._at, self._ends = at, ends
        self.n_messages = self.n_started = 0

    def start(self) -> None:
        self.n_started += 1
        super().start()

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        self.n_messages += name == "perform"
        if name == "perform" and self.n_messages in self._at:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.2)  # until the first thread knows
        if self._ends and self._at and self.n_messages >= self._at[0]:
            raise ShardLostError("the worker heard of Ctrl-C too")
        return super().ask(name, arguments)


def drawn(at: tuple[int, ...], n_iter: int, holders: list[Any], ends: bool = False) -> Sampled:
    """A run whose first shard interrupts it."""
    parts = parts_of(random_problem(600), 2)
    holders += [InterruptingShard(parts[0], at, ends), ShardHere(parts[1])]
    problem = in_shards(random_problem(600), holders)
    how = SamplerSettings(n_chains=2, kernel="tempered", n_iter=n_iter)
    return sample(problem, how, np.random.SeedSequence(8), Progress())


def main() -> None:
    """Interrupt a run once, go on with it; one whose shard is lost by that; and one twice."""
    run_of_chains.FIRST_RESULT = 250
    shares = drawn((700,), 10**9, [])
    print(shares.convergence.n_iter, shares.convergence.ended_by)
    assert_same(shares, drawn((), shares.convergence.n_iter, []))
    assert_same(shares.go_on(130, None, Progress(), None), drawn((), 630, []))
    holders: list[Any] = []
    shares = drawn((700,), 10**9, holders, ends=True)
    assert_same(shares, drawn((), 500, []))
    print("lost", holders[0].n_started, shares.convergence.ended_by)
    holders.clear()
    try:
        drawn((700, 701), 10**9, holders)
    except KeyboardInterrupt:
        print("ended")
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    for thread in others:
        thread.join(20)
    print("soon" if holders[0].n_messages < 1_000 else holders[0].n_messages)


if __name__ == "__main__":
    main()
