"""Checks that a snapshot can be one of a chain over a problem, before compiled code uses it.

Compiled code does not check indices. A snapshot read from a file may be crafted and have a valid
checksum, so every number that is used as an index, a size or a probability is checked here.
"""

from __future__ import annotations

import numpy as np

from elseif import compiled
from elseif.files.array_file import DamagedFileError
from elseif.sampler.chain import Room
from elseif.sampler.chain_snapshot import PAGE, ChainSnapshot
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.move_mix import MoveMix

MOST_ITERATIONS = 2**53
LARGEST_LOG = 1e15  # of a posterior: that of any table that fits into a machine is smaller
# types of what a snapshot holds, in the order of its fields
_TYPES = {
    "start": "i8", "stream": "u8", "addition_weights": "f8", "beta": "f8", "lists": "i8",
    "replica": "i8", "turn": "i8", "block": "i8",
}  # fmt: skip
_PAGE_TYPES = ("i8", "i8", "i4", "i8", "f8", "i2")


def check_snapshot(
    snapshot: ChainSnapshot, posed: CompiledProblem, mix: MoveMix, max_memory: float
) -> None:
    """Raise DamagedFileError unless a chain can continue from a snapshot that was read.

    ``max_memory`` limits the state of a chain if its lists do not explain its size.
    """
    pool_size, n_labels = posed.problem.pool_size, posed.problem.n_labels
    n_rungs = len(snapshot.beta)
    _need(_shapes_fit(snapshot, pool_size), "its arrays do not fit together")
    most = max(len(mix.betas), mix.rungs.most if mix.rungs else 1)
    _need(1 <= n_rungs <= most, "it has another number of temperatures")
    _need(len(snapshot.lists) == n_rungs, "it has a list too many or too few")
    beta, weights = snapshot.beta, snapshot.addition_weights
    falls = beta[0] == 1 and beta[-1] >= 0 and bool(np.all(np.diff(beta) < 0))
    _need(falls, "its temperatures do not form a ladder")
    sums_to_1 = np.allclose(weights.sum(axis=1), 1, atol=1e-6)
    _need(bool(np.all(weights >= 0)) and bool(sums_to_1), "its proposal probabilities are invalid")
    _need(sorted(snapshot.replica.tolist()) == list(range(n_rungs)), "its replicas are mixed up")
    _need(bool(snapshot.stream.any()), "its random numbers have no state")
    _check_counters(snapshot)
    _check_turn(snapshot, mix)
    _check_lists(snapshot.lists, pool_size)
    _check_lists(snapshot.start[None, :], pool_size)
    _check_block(snapshot, mix, pool_size)
    _check_room(snapshot, posed, max_memory)
    _check_draws(snapshot, posed, most, n_labels)


def _need(holds: bool, fault: str) -> None:
    if not holds:
        raise DamagedFileError(fault)


def _shapes_fit(snapshot: ChainSnapshot, pool_size: int) -> bool:
    n_rungs = snapshot.beta.shape[0] if snapshot.beta.ndim == 1 else -1
    shapes = {
        "stream": (4,), "addition_weights": (n_rungs, pool_size), "beta": (n_rungs,),
        "replica": (n_rungs,), "turn": (3,),
    }  # fmt: skip
    counters = [
        (1,), (compiled.N_OPTIONS,), (compiled.N_OPTIONS,), (1,), (n_rungs, pool_size),
        (n_rungs,), (n_rungs,),
    ]  # fmt: skip
    return (
        all(getattr(snapshot, name).shape == shape for name, shape in shapes.items())
        and all(getattr(snapshot, name).dtype == dtype for name, dtype in _TYPES.items())
        and [part.shape for part in snapshot.counters] == counters
        and all(part.dtype == np.int64 for part in snapshot.counters)
        and snapshot.lists.ndim == 2
        and snapshot.start.ndim == 1
        and snapshot.block.ndim == 1
        and all(part.dtype == t for part, t in zip(snapshot.page, _PAGE_TYPES, strict=True))
    )


def _check_counters(snapshot: ChainSnapshot) -> None:
    n_done = snapshot.n_done
    _need(all(part.min() >= 0 for part in snapshot.counters), "a counter is negative")
    _need(n_done <= MOST_ITERATIONS, "it has done more iterations than there are")
    order = 0 <= snapshot.kept_from <= snapshot.page_begin <= n_done
    _need(order and 0 <= snapshot.adapted_until <= n_done, "its iterations are out of order")


def _check_turn(snapshot: ChainSnapshot, mix: MoveMix) -> None:
    temperature, steps_left, n_rounds = snapshot.turn.tolist()
    most = max(mix.steps_per_swap, mix.warm_steps_per_swap)
    fits = 0 <= temperature <= len(snapshot.beta) and 0 <= steps_left <= most and n_rounds >= 0
    _need(fits, "its turn is none")


def _check_lists(lists: np.ndarray, pool_size: int) -> None:
    """Antecedents of the pool, each once, then -1."""
    for row in lists:
        items = row[row >= 0]
        _need(bool(np.all(row[: len(items)] >= 0)), "a list has a gap")
        fits = bool(np.all(row >= -1)) and (not len(items) or int(items.max()) < pool_size)
        _need(fits, "a list holds an antecedent that the pool does not")
        _need(len(np.unique(items)) == len(items), "a list holds an antecedent twice")


def _check_block(snapshot: ChainSnapshot, mix: MoveMix, pool_size: int) -> None:
    """Antecedents of the pool in its order, as many as are summed over, and a redraw to come."""
    block = snapshot.block
    if not len(block):
        return
    few = mix.redraws is not None and len(block) <= mix.redraws.size
    _need(few, "it redraws from too many antecedents")
    assert mix.redraws is not None
    in_pool = block[0] >= 0 and int(block[-1]) < pool_size and bool(np.all(np.diff(block) > 0))
    _need(bool(in_pool), "it redraws from antecedents that the pool does not have")
    to_come = snapshot.next_redraw - snapshot.n_done
    _need(0 <= to_come <= mix.redraws.every, "its next redraw is out of order")


def _check_room(snapshot: ChainSnapshot, posed: CompiledProblem, max_memory: float) -> None:
    longest, pool_size = int((snapshot.lists >= 0).sum(axis=1).max()), posed.problem.pool_size
    capacity, room = snapshot.capacity, Room()
    _need(longest <= capacity <= pool_size, "its lists do not fit into its room")
    explained = min(max(room.capacity, 4 * longest, 4 * len(snapshot.start)), pool_size)
    n_bytes = len(snapshot.beta) * (capacity + 1) * len(posed.data.everyone) * 8
    _need(capacity <= explained or n_bytes <= max_memory, "it asks for more memory than allowed")
    _need(0 < snapshot.n_items <= max(room.n_items, 4 * capacity), "its page has no such room")


def _check_draws(snapshot: ChainSnapshot, posed: CompiledProblem, most: int, n_labels: int) -> None:
    pages, page = snapshot.pages, dict(zip(PAGE, snapshot.page, strict=True))
    replicas = pages.replica
    _need(replicas is not None and replicas.dtype == np.int16, "its draws have no replicas")
    assert replicas is not None
    parts = (pages.offsets, pages.items, pages.label_counts, pages.log_posterior, replicas)
    types = [part.dtype == t for part, t in zip(parts, _PAGE_TYPES[1:], strict=True)]
    _need(all(types) and pages.n_draws.dtype == np.int64, "its draws are of other types")
    _check_runs(parts, len(pages.n_draws), posed, most, n_labels)
    _check_runs(snapshot.page[1:], len(page["starts"]), posed, most, n_labels)
    begin, n_done = snapshot.page_begin, snapshot.n_done
    kept = begin - snapshot.kept_from
    counted = bool(np.all(pages.n_draws > 0)) and int(pages.n_draws.sum()) == kept
    _need(counted and bool(np.all(pages.n_draws <= kept)), "its draws are not as many as it kept")
    starts = page["starts"]
    room = Room()
    fits = 0 < len(starts) <= room.n_runs and len(page["items"]) <= snapshot.n_items
    _need(fits, "its page is too long")
    in_order = bool(np.all(np.diff(starts) >= 0)) and starts[0] >= 0 and starts[-1] <= n_done + 1
    _need(in_order, "its page is out of order")


def _check_runs(
    parts: tuple[np.ndarray, ...], n_runs: int, posed: CompiledProblem, most: int, n_labels: int
) -> None:
    offsets, items, counts, log_posterior, replicas = parts
    dims = (offsets.ndim, items.ndim, counts.ndim, log_posterior.ndim, replicas.ndim)
    _need(dims == (1, 1, 2, 1, 1), "its draws have another shape")
    pool_size = posed.problem.pool_size
    shapes = (
        len(offsets) == n_runs + 1
        and len(log_posterior) == len(replicas) == n_runs
        and counts.shape == (len(items) + n_runs, n_labels)
    )
    _need(shapes, "its draws do not fit together")
    whole = offsets[0] == 0 and offsets[-1] == len(items) and bool(np.all(np.diff(offsets) >= 0))
    _need(bool(whole), "its draws are out of order")
    known = not len(items) or (int(items.min()) >= 0 and int(items.max()) < pool_size)
    _need(known, "a draw holds an antecedent that the pool does not")
    _need(bool(np.all((replicas >= 0) & (replicas < most))), "a draw is of no replica")
    _need(bool(np.all(np.abs(log_posterior) < LARGEST_LOG)), "a log posterior is none")
    if n_runs:
        totals = np.add.reduceat(counts, offsets[:-1] + np.arange(n_runs), axis=0)
        everyone = posed.problem.layout.label_totals
        right = bool(np.all(counts >= 0)) and bool(np.all(totals == everyone))
        _need(right, "the label counts of a list are not those of all observations")
