"""What a chain leaves behind: its draws as run lengths, and how it got on. No compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class RunLengthDraws:
    """Draws of a chain, in order: a list is written once for as long as the chain stayed."""

    n_draws: np.ndarray  # int64 (runs,)
    log_posterior: np.ndarray  # float64 (runs,)
    offsets: np.ndarray  # int64 (runs + 1,), into items
    items: np.ndarray  # int32: the lists, one after another
    label_counts: np.ndarray  # int64 (items + runs, labels): rules and default of each list
    # int16 (runs,): which replica of the chain held the list; None for independent draws
    replica: np.ndarray | None = None

    @property
    def lengths(self) -> np.ndarray:
        """Length of each run's list."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class ChainInfo:
    """A chain's statistics for people: steps proposed and accepted by option."""

    start: tuple[int, ...]
    n_iter: int
    proposed: dict[str, int]  # since the last adaptation window
    accepted: dict[str, int]
    betas: tuple[float, ...] = (1.0,)
    swaps_proposed: tuple[int, ...] = ()  # between neighbours in temperature
    swaps_accepted: tuple[int, ...] = ()


def join_runs(pieces: Sequence[RunLengthDraws]) -> RunLengthDraws:
    """Runs of consecutive stretches as one; a run of no draw is left out."""
    lengths = np.concatenate([piece.lengths for piece in pieces])
    n_draws = np.concatenate([piece.n_draws for piece in pieces])
    kept = n_draws > 0
    replicas = [piece.replica for piece in pieces if piece.replica is not None]
    return RunLengthDraws(
        n_draws=n_draws[kept],
        log_posterior=np.concatenate([piece.log_posterior for piece in pieces])[kept],
        offsets=np.concatenate([[0], np.cumsum(lengths[kept])]),
        items=np.concatenate([piece.items for piece in pieces])[np.repeat(kept, lengths)],
        label_counts=np.concatenate([piece.label_counts for piece in pieces])[
            np.repeat(kept, lengths + 1)
        ],
        replica=np.concatenate(replicas)[kept] if len(replicas) == len(pieces) else None,
    )


def join_pages(pages: Sequence[RunLengthDraws]) -> RunLengthDraws:
    """Pages of one chain joined: a stay that continues across pages is one run.

    So the runs do not depend on where pages begin and end.
    """
    pages = [join_runs([page]) for page in pages]
    pages = [page for page in pages if len(page.n_draws)] or pages[:1]
    n_draws = [page.n_draws.copy() for page in pages]
    last = n_draws[0]  # of the page that has the run in which the last page ended
    for k in range(1, len(pages)):
        if _goes_on(pages[k - 1], pages[k]):
            last[-1] += n_draws[k][0]
            n_draws[k][0] = 0
            if len(n_draws[k]) == 1:
                continue
        last = n_draws[k]
    return join_runs([replace(p, n_draws=n) for p, n in zip(pages, n_draws, strict=True)])


def _goes_on(page: RunLengthDraws, following: RunLengthDraws) -> bool:
    """Whether a page begins with the list, of the same replica, that another has ended with."""
    ended = page.items[page.offsets[-2] :]
    begun = following.items[: following.offsets[1]]
    replicas = (page.replica, following.replica)
    same = replicas[0] is None or replicas[1] is None or replicas[0][-1] == replicas[1][0]
    return bool(same) and np.array_equal(ended, begun)


def last_draws(runs: RunLengthDraws, n: int) -> RunLengthDraws:
    """The last n draws; a run that began before them is shortened."""
    before = int(runs.n_draws.sum()) - n
    if before <= 0:
        return runs
    ends = np.cumsum(runs.n_draws)
    return join_runs([replace(runs, n_draws=np.clip(ends - before, 0, runs.n_draws))])


def distinct_lists(runs: RunLengthDraws) -> tuple[np.ndarray, np.ndarray]:
    """The first run of each distinct list, in order, and each run's place among them."""
    fingerprints = _fingerprints(runs)
    _, first, list_of_run = np.unique(fingerprints, return_index=True, return_inverse=True)
    if _differ_somewhere(runs, first[list_of_run]):
        return _distinct_by_dictionary(runs)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order], rank[list_of_run]


def _fingerprints(runs: RunLengthDraws) -> np.ndarray:
    """64 bits for each list: equal lists have equal ones, others almost never."""
    position = np.arange(len(runs.items)) - np.repeat(runs.offsets[:-1], runs.lengths)
    mixed = runs.items.astype(np.uint64) + np.uint64(1)
    mixed += position.astype(np.uint64) << np.uint64(32)
    # the finaliser of splitmix64 (Steele, Lea and Flood 2014)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    total = np.concatenate([np.zeros(1, dtype=np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return total[runs.offsets[1:]] - total[runs.offsets[:-1]]


def _differ_somewhere(runs: RunLengthDraws, other: np.ndarray) -> bool:
    """Whether some run's list differs from that of the run it is paired with."""
    if not np.array_equal(runs.lengths, runs.lengths[other]):
        return True
    position = np.arange(len(runs.items)) - np.repeat(runs.offsets[:-1], runs.lengths)
    theirs = runs.items[np.repeat(runs.offsets[:-1][other], runs.lengths) + position]
    return not np.array_equal(runs.items, theirs)


def _distinct_by_dictionary(runs: RunLengthDraws) -> tuple[np.ndarray, np.ndarray]:
    """distinct_lists without fingerprints, for the day when two of them collide."""
    number_of: dict[bytes, int] = {}
    first: list[int] = []
    distinct = np.empty(len(runs.n_draws), dtype=np.int64)
    for run, (start, stop) in enumerate(zip(runs.offsets[:-1], runs.offsets[1:], strict=True)):
        number = number_of.setdefault(runs.items[start:stop].tobytes(), len(first))
        if number == len(first):
            first.append(run)
        distinct[run] = number
    return np.array(first, dtype=np.int64), distinct
