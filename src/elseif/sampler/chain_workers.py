"""Where chains run: in threads, or wherever joblib's back end has its processes and machines.

In threads chains share the data, and compiled code holds no lock that would keep them apart. With
``joblib.parallel_config(backend="loky" | "dask" | "ray" ...)`` they run in other processes: the
data are sent there once, packed, and a chain goes there and back as a snapshot, for some seconds
at a time, so that progress is shown, checkpoints are written, and a process that dies costs those
seconds. Draws are the same wherever chains run.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import joblib
import numpy as np
from joblib.parallel import get_active_backend

from elseif.bits.packing import zero_words
from elseif.errors import ElseifError, SamplingError
from elseif.model.problem import Problem
from elseif.sampler.chain import Chain
from elseif.sampler.chain_snapshot import ChainSnapshot
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.correlation_neighbours import CorrelationNeighbours
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.run_length_draws import join_runs

# seconds that a chain is away, at first and at most; each time twice as long
FIRST_STRETCH, LONGEST_STRETCH = 0.5, 20.0
MOST_RETRIES = 3  # after workers that died, before the run is given up


class Paused(Exception):
    """A chain has come to the end of a stretch, and can go on."""


def are_shared(n_jobs: int | None) -> bool:
    """Whether chains run in this process: always, unless a back end of processes was asked for."""
    backend, _ = get_active_backend(prefer="threads")
    return bool(getattr(backend, "supports_sharedmem", False)) or n_jobs == 1


def run_in_threads(
    chains: Sequence[Chain], n_iter: int, n_jobs: int | None, heed: Callable[[int, Chain], None]
) -> bool:
    """Run chains to a length, in threads.

    Parameters
    ----------
    chains : sequence of Chain
        The chains.
    n_iter : int
        Iterations since their start.
    n_jobs : int or None
        Threads, as in joblib.
    heed : callable
        Called between batches with each chain's number and the chain; it may raise Paused.

    Returns
    -------
    bool
        False if chains have paused before their end.
    """
    gone = threading.Event()  # by Ctrl-C the first thread may end, and others would go on

    def run(number: int, chain: Chain) -> bool:
        def at_pause(chain: Chain) -> None:
            if gone.is_set():
                raise Paused
            heed(number, chain)

        chain.at_pause = at_pause
        try:
            chain.run(n_iter)
        except Paused:
            return False
        finally:
            chain.at_pause = None
        return True

    work = joblib.Parallel(n_jobs=n_jobs, require="sharedmem")
    try:
        return all(work(joblib.delayed(run)(k, chain) for k, chain in enumerate(chains)))
    except BaseException:
        gone.set()
        raise


@dataclass(frozen=True, eq=False)
class Shipped:
    """What workers need to know of a problem, sent to each once."""

    problem: Problem
    mix: MoveMix
    neighbours: CorrelationNeighbours | None
    token: str

    @classmethod
    def of(cls, posed: CompiledProblem, mix: MoveMix) -> Shipped:
        """The problem of some chains, with what took time to find out."""
        neighbours = posed.neighbours if mix.replace_by_neighbour > 0 else None
        return cls(posed.problem, mix, neighbours, uuid.uuid4().hex)

    def __sizeof__(self) -> int:  # by which Dask decides to send it once, not with every task
        return int(self.problem.covers.nbytes) + 1_000_000

    def posed(self) -> CompiledProblem:
        """The problem as compiled code reads it, made once in each process."""
        with _LOCK:
            if self.token not in _POSED:
                _POSED.clear()
                problem = self.problem
                covers = zero_words(*problem.covers.shape)
                covers[:] = problem.covers  # which may be a file in memory
                layout, prior = _writable(problem.layout), _writable(problem.prior)
                posed = CompiledProblem.of(
                    replace(_writable(problem), covers=covers, layout=layout, prior=prior)
                )
                if self.neighbours is not None:
                    posed.__dict__["neighbours"] = _writable(self.neighbours)
                _POSED[self.token] = posed
            return _POSED[self.token]


_POSED: dict[str, CompiledProblem] = {}
_LOCK = threading.Lock()


def _writable(part: Any) -> Any:
    """A dataclass whose arrays are its own: what arrives may be read only, another type to Numba."""
    values = {field.name: getattr(part, field.name) for field in fields(part) if field.init}
    arrays = {k: v.copy() for k, v in values.items() if isinstance(v, np.ndarray)}
    return replace(part, **arrays)


def run_stretch(
    shipped: Shipped, snapshot: ChainSnapshot, n_iter: int, seconds: float
) -> ChainSnapshot:
    """Go on with a chain for some seconds, in a worker.

    Parameters
    ----------
    shipped : Shipped
        The problem.
    snapshot : ChainSnapshot
        Where the chain is, without the draws that it has handed over.
    n_iter : int
        Iterations since its start that it is to reach.
    seconds : float
        About how long it may take.

    Returns
    -------
    ChainSnapshot
        Where it is then, with the draws of this stretch.
    """
    chain = Chain.restored(shipped.posed(), shipped.mix, snapshot)
    until = time.monotonic() + seconds

    def at_pause(chain: Chain) -> None:
        if time.monotonic() > until and chain.n_done > snapshot.n_done:
            raise Paused

    chain.at_pause = at_pause
    try:
        chain.run(n_iter)
    except Paused:
        pass
    return chain.snapshot()


def run_by_back_end(
    snapshots: Sequence[ChainSnapshot],
    shipped: Shipped,
    n_iter: int,
    n_jobs: int | None,
    at_round: Callable[[Sequence[ChainSnapshot]], bool],
) -> tuple[list[ChainSnapshot], bool]:
    """Run chains to a length in the processes of joblib's back end.

    Parameters
    ----------
    snapshots : sequence of ChainSnapshot
        Where they are.
    shipped : Shipped
        The problem.
    n_iter : int
        Iterations since their start.
    n_jobs : int or None
        Workers, as in joblib.
    at_round : callable
        Called with where they are, some seconds apart; False asks to pause.

    Returns
    -------
    list of ChainSnapshot
        Where they are then.
    bool
        False if they have paused before their end.
    """
    now, seconds, n_lost = list(snapshots), FIRST_STRETCH, 0
    while _unfinished(now, n_iter):
        try:
            with joblib.Parallel(n_jobs=n_jobs, prefer="threads") as work:
                while waiting := _unfinished(now, n_iter):
                    away = [now[k].without_pages() for k in waiting]
                    back = work(
                        joblib.delayed(run_stretch)(shipped, chain, n_iter, seconds)
                        for chain in away
                    )
                    for k, chain in zip(waiting, back, strict=True):
                        now[k] = _joined(now[k], chain)
                    seconds = min(2 * seconds, LONGEST_STRETCH)
                    if not at_round(now):
                        return now, not _unfinished(now, n_iter)
        except (ElseifError, MemoryError):
            raise
        except Exception as error:  # each back end has errors of its own for a worker that died
            n_lost += 1
            if n_lost > MOST_RETRIES:
                chains = ", ".join(str(k) for k in _unfinished(now, n_iter))
                raise SamplingError(
                    f"Workers that ran the chains {chains} ended {n_lost} times, the last time "
                    f"with {type(error).__name__}: {error}. They may lack memory: use fewer of "
                    "them, by n_jobs."
                ) from error
    return now, True


def _unfinished(snapshots: Sequence[ChainSnapshot], n_iter: int) -> list[int]:
    return [k for k, snapshot in enumerate(snapshots) if snapshot.n_done < n_iter]


def _joined(before: ChainSnapshot, after: ChainSnapshot) -> ChainSnapshot:
    """Where a chain is after a stretch, with the draws that it had handed over before it."""
    if after.kept_from != before.kept_from:
        return after
    return replace(after, pages=join_runs([before.pages, after.pages]))
