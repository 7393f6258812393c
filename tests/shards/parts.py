"""A problem whose observations are in shards, of which some can be lost."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from elseif.bits.pattern_keys import CONDITIONS_IN_A_NUMBER
from elseif.model.problem import Problem
from elseif.shards.shard import Shard
from elseif.shards.shard_rows import ShardRows
from elseif.shards.shards import ShardLostError, Shards


class ShardHere:
    """A shard in this process."""

    def __init__(self, rows: ShardRows) -> None:
        self._rows = rows

    def start(self) -> None:
        self._shard = Shard(self._rows)

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        return getattr(self._shard, name)(*arguments)

    def answer(self, asked: Any) -> Any:
        return asked


class LosingShard(ShardHere):
    """A shard in this process that is lost at some of its calls."""

    def __init__(self, rows: ShardRows, lost_at: tuple[int, ...] = ()) -> None:
        super().__init__(rows)
        self._lost_at, self._n_asked, self.n_started = lost_at, 0, 0

    def start(self) -> None:
        self.n_started += 1
        super().start()

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        self._n_asked += 1
        if self._n_asked in self._lost_at:
            del self._shard
            raise ShardLostError("the process has ended")
        return super().ask(name, arguments)


def keys_of(truths: np.ndarray) -> np.ndarray:
    """Whole numbers with a bit for each condition (rows of truths)."""
    keys = np.zeros((truths.shape[1], -(-len(truths) // CONDITIONS_IN_A_NUMBER)), dtype=np.int64)
    for index, truth in enumerate(truths):
        number, bit = divmod(index, CONDITIONS_IN_A_NUMBER)
        keys[:, number] |= truth.astype(np.int64) << bit
    return keys


def parts_of(problem: Problem, n_shards: int) -> list[ShardRows]:
    """The observations of a problem, in parts that follow each other; antecedents as conditions."""
    layout = problem.layout
    truths = np.stack([layout.unpack(problem.cover(a)) for a in range(problem.pool_size)])
    keys, codes, weights = keys_of(truths), layout.row_labels(), layout.row_weights()
    used = np.flatnonzero(codes >= 0)
    return [
        ShardRows(keys[some], codes[some].astype(np.int64), weights[some], problem.n_labels)
        for some in np.array_split(used, n_shards)
    ]


def in_shards(problem: Problem, holders: list[Any], fetched: bool = True) -> Problem:
    """The same problem with its observations in shards; all of them are here, too, if fetched."""
    shards = Shards(holders, problem.n_labels, problem.layout.unit)
    members = np.arange(problem.pool_size)[:, None]
    shards.tell("hold", list(range(problem.pool_size)))
    shards.tell("pose", members, 1e9)
    return replace(
        problem,
        covers=np.zeros((problem.pool_size, 0), dtype=np.uint64),
        layout=problem.layout if fetched else shards.layout,
        condition_ids=members,
        shards=shards,
        small=problem if fetched else None,
    )
