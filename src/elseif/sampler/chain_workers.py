"""Where chains run: in threads, or in the processes and on the machines of joblib's back end.

In threads, chains share the data, and compiled code holds no lock that would serialise them. With
``joblib.parallel_config(backend="loky" | "dask" | "ray" ...)`` they run in other processes. The
packed data are sent to each process once, and a chain travels to and fro as a snapshot every few
seconds, so that progress is shown, checkpoints are written, and a process that dies costs only
those seconds. Draws are the same wherever chains run.
"""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from typing import Any

import joblib
import numpy as np

from elseif.bits.packing import zero_words
from elseif.errors import ResourceError
from elseif.model.problem import Problem
from elseif.parallel import MOST_RETRIES, is_lost_worker, works_here
from elseif.sampler.chain import Chain
from elseif.sampler.chain_snapshot import ChainSnapshot
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.correlation_neighbours import CorrelationNeighbours
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.run_length_draws import join_pages
from elseif.sampler.sharded_steps import SharedMessages

# seconds that a chain is away, at first and at most; each time twice as long
FIRST_STRETCH, LONGEST_STRETCH = 0.5, 20.0


class Paused(Exception):
    """A chain has finished a stretch and can continue."""


def are_shared(n_jobs: int | None) -> bool:
    """Whether chains run in this process: always, unless a back end of processes was requested."""
    return works_here() or n_jobs == 1


def run_in_threads(
    chains: Sequence[Chain], n_iter: int, n_jobs: int | None, heed: Callable[[int, Chain], None]
) -> bool:
    """Run chains in threads to a length; False if they have paused before.

    ``heed`` is called between batches with each chain's number and the chain; it may raise Paused.
    """
    gone = threading.Event()  # after Ctrl-C the first thread may end while others continue

    shards = chains[0].posed.problem.shards
    messages = None if shards is None else SharedMessages(shards, len(chains))
    if messages is not None:  # one message is of all chains, which wait for each other
        n_jobs = len(chains)

    def run(number: int, chain: Chain) -> bool:
        def at_pause(chain: Chain) -> None:
            if gone.is_set():
                raise Paused
            heed(number, chain)

        chain.at_pause = at_pause
        if messages is not None:
            chain.messages = messages, number
        try:
            chain.run(n_iter)
        except Paused:
            return False
        finally:
            chain.at_pause = chain.messages = None
            if messages is not None:
                messages.leave()
        return True

    work = joblib.Parallel(n_jobs=n_jobs, require="sharedmem", batch_size=1)
    try:
        return all(work(joblib.delayed(run)(k, chain) for k, chain in enumerate(chains)))
    except BaseException:
        gone.set()
        raise


@dataclass(frozen=True, eq=False)
class Shipped:
    """What workers need to know of a problem, sent to each that does not have it."""

    problem: Problem
    mix: MoveMix
    neighbours: CorrelationNeighbours | None
    token: str

    @classmethod
    def of(cls, posed: CompiledProblem, mix: MoveMix) -> Shipped:
        """The problem of some chains, with what took time to find out."""
        neighbours = posed.neighbours if mix.replace_by_neighbour > 0 else None
        return cls(posed.problem, mix, neighbours, uuid.uuid4().hex)

    def posed(self) -> CompiledProblem:
        """The problem as compiled code reads it, made once in each process."""
        with _LOCK:
            if self.token not in _KNOWN:
                _KNOWN.clear()
                problem = self.problem
                covers = zero_words(*problem.covers.shape)
                covers[:] = problem.covers  # which may be a file in memory
                layout, prior = _writable(problem.layout), _writable(problem.prior)
                posed = CompiledProblem.of(
                    replace(_writable(problem), covers=covers, layout=layout, prior=prior)
                )
                if self.neighbours is not None:
                    posed.__dict__["neighbours"] = _writable(self.neighbours)
                _KNOWN[self.token] = posed, self.mix
            return _KNOWN[self.token][0]


_KNOWN: dict[str, tuple[CompiledProblem, MoveMix]] = {}
_LOCK = threading.Lock()


def _writable(part: Any) -> Any:
    """A dataclass with writable copies of its arrays: Numba rejects read-only ones."""
    values = {field.name: getattr(part, field.name) for field in fields(part) if field.init}
    arrays = {k: v.copy() for k, v in values.items() if isinstance(v, np.ndarray)}
    return replace(part, **arrays)


def run_stretch(
    shipped: Shipped | str, snapshot: ChainSnapshot, n_iter: int, seconds: float
) -> ChainSnapshot | None:
    """Continue a chain in a worker for some seconds, up to ``n_iter`` since its start.

    The snapshot comes without the draws that it has handed over, and is returned with those of this
    stretch. ``shipped`` is the problem or the token of one that the worker may have; None is
    returned if it does not have it, as after a restart.
    """
    if isinstance(shipped, str):
        with _LOCK:
            known = _KNOWN.get(shipped)
        if known is None:
            return None
        posed, mix = known
    else:
        posed, mix = shipped.posed(), shipped.mix
    chain = Chain.restored(posed, mix, snapshot)
    until = time.monotonic() + seconds

    def at_pause(chain: Chain) -> None:
        if time.monotonic() > until and chain.n_done > snapshot.n_done:
            raise Paused

    chain.at_pause = at_pause
    with suppress(Paused):
        chain.run(n_iter)
    return chain.snapshot()


class Workers:
    """The workers of joblib's back end, kept as long as chains need them."""

    def __init__(self, n_jobs: int | None) -> None:
        self._n_jobs = n_jobs
        self._open: Any = None
        self._was_sent = False  # whether some workers have the problem

    def run(
        self,
        snapshots: Sequence[ChainSnapshot],
        shipped: Shipped,
        n_iter: int,
        at_round: Callable[[Sequence[ChainSnapshot]], bool],
    ) -> tuple[list[ChainSnapshot], bool]:
        """Run chains to a length; False, with the snapshots, if they have paused before.

        The problem is sent to workers that do not have it. ``at_round`` is called every few seconds
        with the current snapshots; if it returns False, the chains pause.
        """
        now, seconds, n_lost = list(snapshots), FIRST_STRETCH, 0
        while waiting := _unfinished(now, n_iter):
            try:
                back = self._stretch(now, waiting, shipped, n_iter, seconds)
            except BaseException as error:
                self.release()
                n_lost += 1
                if not is_lost_worker(error):
                    raise
                if n_lost > MOST_RETRIES:
                    raise ResourceError(
                        f"Workers that ran the chains {', '.join(map(str, waiting))} ended "
                        f"{n_lost} times, the last time with {type(error).__name__}: {error}. They "
                        "may lack memory: use fewer of them, by n_jobs."
                    ) from error
                continue
            for k, chain in back.items():
                now[k] = _joined(now[k], chain)
            seconds = min(2 * seconds, LONGEST_STRETCH)
            if not at_round(now):
                break
        return now, not _unfinished(now, n_iter)

    def _stretch(
        self,
        now: Sequence[ChainSnapshot],
        waiting: Sequence[int],
        shipped: Shipped,
        n_iter: int,
        seconds: float,
    ) -> dict[int, ChainSnapshot]:
        """The chains after some seconds; the problem is sent to workers that lack it."""
        back: dict[int, ChainSnapshot] = {}
        for what in (shipped.token, shipped) if self._was_sent else (shipped,):
            left = [k for k in waiting if k not in back]
            if left:
                done = self._work()(
                    joblib.delayed(run_stretch)(what, now[k].without_pages(), n_iter, seconds)
                    for k in left
                )
                back |= {k: each for k, each in zip(left, done, strict=True) if each is not None}
        self._was_sent = True
        return back

    def release(self) -> None:
        """Let the workers go."""
        if self._open is not None:
            work, self._open = self._open, None
            with suppress(Exception):  # those that died cannot be let go
                work.__exit__(None, None, None)

    def _work(self) -> Any:
        if self._open is None:
            self._open = joblib.Parallel(n_jobs=self._n_jobs, prefer="threads").__enter__()
        return self._open


def _unfinished(snapshots: Sequence[ChainSnapshot], n_iter: int) -> list[int]:
    return [k for k, snapshot in enumerate(snapshots) if snapshot.n_done < n_iter]


def _joined(before: ChainSnapshot, after: ChainSnapshot) -> ChainSnapshot:
    """Where a chain is after a stretch, with the draws that it had handed over before it."""
    if after.kept_from != before.kept_from:
        return after
    return replace(after, pages=join_pages([before.pages, after.pages]))
