"""A program that is interrupted while its rows are in shards, and says what it has then.

    python -m tests.shards.interrupted

A holder sends the signal itself, at messages of its own, so that the moment is always the same.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import Any

import numpy as np

from elseif.progress import Progress
from elseif.sampler import run_of_chains
from elseif.sampler.chains import Sampled, SamplerSettings, sample
from tests.shards.parts import ShardHere, in_shards, parts_of
from tests.shards.test_shards import assert_same, random_problem


class InterruptingShard(ShardHere):
    """A shard that interrupts the program at some of its messages."""

    def __init__(self, rows: Any, at: tuple[int, ...] = ()) -> None:
        super().__init__(rows)
        self._at, self.n_messages = at, 0

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        self.n_messages += name == "perform"
        if name == "perform" and self.n_messages in self._at:
            os.kill(os.getpid(), signal.SIGINT)
        return super().ask(name, arguments)


def drawn(at: tuple[int, ...], n_iter: int, holders: list[Any]) -> Sampled:
    """A run whose first shard interrupts it."""
    parts = parts_of(random_problem(600), 2)
    holders += [InterruptingShard(parts[0], at), ShardHere(parts[1])]
    problem = in_shards(random_problem(600), holders)
    how = SamplerSettings(n_chains=2, kernel="tempered", n_iter=n_iter)
    return sample(problem, how, np.random.SeedSequence(8), Progress())


def main() -> None:
    """Interrupt a run once, go on with it, and interrupt another twice."""
    run_of_chains.FIRST_RESULT = 250
    found = drawn((700,), 10**9, [])
    print(found.convergence.n_iter, found.convergence.ended_by)
    assert_same(found, drawn((), found.convergence.n_iter, []))
    assert_same(found.go_on(130, None, Progress(), None), drawn((), 630, []))
    holders: list[Any] = []
    try:
        drawn((700, 701, 702), 10**9, holders)
    except KeyboardInterrupt:
        print("ended")
    others = [each for each in threading.enumerate() if each is not threading.current_thread()]
    for thread in others:
        thread.join(20)
    print("soon" if holders[0].n_messages < 1_000 else holders[0].n_messages)


if __name__ == "__main__":
    main()
