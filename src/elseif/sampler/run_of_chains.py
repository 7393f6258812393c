"""A run of several chains that can be made longer: in threads, within a time, bit for bit."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from elseif.files.array_file import DamagedFileError
from elseif.model.problem import Problem
from elseif.progress import Progress, Report, polled
from elseif.sampler.chain import Chain
from elseif.sampler.chain_snapshot import ChainSnapshot
from elseif.sampler.chain_workers import (
    Paused,
    Shipped,
    Workers,
    are_shared,
    run_in_threads,
)
from elseif.sampler.checkpoints import PartOfFit, SavedChain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import Convergence, assess
from elseif.sampler.interruption import RunInterrupted
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.snapshot_checks import check_snapshot
from elseif.sampler.warm_starts import WarmStarts
from elseif.sampler.warm_up import FIRST_WINDOW

# the shortest run that ends where an adaptation window does; twice as long again and again
FIRST_STOP = 2 * FIRST_WINDOW
# from this length on, a run stops at each of them: if it is interrupted, that is the result
FIRST_RESULT = 16 * FIRST_STOP
# compiled code is loaded in the first iterations, and their time says nothing of the others'
FEW = 2
# of the time that is left, how much a stretch may be expected to take
SHARE_OF_REST = 0.9
# bytes of a chain's state that are kept twice, to continue from the end of a window
LARGEST_COPY = 1 << 27


class RunOfChains:
    """Chains that are always at the same iteration, and can be continued.

    A run of n iterations adapts only in windows of its first half, and a longer run has windows of
    its own. If these were passed without adapting, the chains return to the last one, of which a
    copy is kept, or to the start if a copy would take too much memory. So the draws are always
    those of a single run of that length.
    """

    def __init__(
        self,
        problem: Problem,
        kernel: MoveMix,
        seeds: Sequence[np.random.SeedSequence],
        starts: WarmStarts,
        n_jobs: int | None = None,
    ) -> None:
        self._problem, self._kernel, self._n_jobs = problem, kernel, n_jobs
        self._posed = CompiledProblem.of(problem)
        self._monitored = choose_monitored(problem)
        self._seeds, self._starts = list(seeds), starts
        self._kept: PartOfFit | None = None
        self._finished: tuple[int, float | None] | None = None  # what checkpoints hold whole
        self._workers, self._shipped = Workers(n_jobs), Shipped.of(self._posed, kernel)
        self.draws: list[RunLengthDraws] = []
        self.infos: tuple[ChainInfo, ...] = ()  # how each chain got on
        self._chains: list[Chain] = []
        self._forget()

    def _forget(self) -> None:
        """Forget all copies: continue from the start only."""
        self._chains.clear()
        self._copies: list[Chain] = []  # at the last end of a window that the run went past
        self._seconds = float("nan")  # of an iteration of all chains
        self.n_iter = 0
        self.pending: int | None = None  # a length that chains are on the way to, past n_iter

    def _begin(self) -> None:
        self._forget()
        self._chains = [self._new_chain(k) for k in range(len(self._seeds))]

    def _new_chain(self, k: int) -> Chain:
        start = self._starts.chains[k]
        return Chain(
            self._posed, self._kernel, self._seeds[k], start.chain, replica_starts=start.replicas
        )

    def keep_in(
        self, kept: PartOfFit | None, at_most: int, max_memory: float
    ) -> tuple[float, float | None]:
        """Write checkpoints from now on, and continue from those that are ahead of the chains.

        Checkpoints beyond ``at_most`` iterations are of no use. Returns the seconds of earlier
        sampling, and the max_time that ended the run, if it is at its end.
        """
        self._kept, self._finished = kept, None
        usable = [] if kept is None else self._usable(kept, at_most, max_memory)
        ahead = [saved for saved in usable if saved is not None and saved.target > self.n_iter]
        if kept is None or not ahead:
            return 0.0, None
        latest = max(ahead, key=lambda saved: saved.target)
        self._forget()
        for k, saved in enumerate(usable):
            if saved is None or not self._leads_to(saved.snapshot, latest.target):
                self._chains.append(self._new_chain(k))
                continue
            self._chains.append(Chain.restored(self._posed, self._kernel, saved.snapshot))
            kept.take(k, saved)
        self.n_iter, self.pending = latest.begin, latest.target
        self._seconds = latest.seconds_each
        if all(chain.n_done == latest.begin == latest.target for chain in self._chains):
            self._finished = (latest.target, latest.cut_short)
        return kept.seconds_before, latest.cut_short

    def _usable(self, kept: PartOfFit, at_most: int, max_memory: float) -> list[SavedChain | None]:
        """The newest usable file of each chain; warns about files of another problem."""
        usable: list[SavedChain | None] = []
        for k, files in enumerate(kept.found):
            usable.append(None)
            for saved in files:
                try:
                    check_snapshot(saved.snapshot, self._posed, self._kernel, max_memory)
                except DamagedFileError as error:
                    kept.checkpoints.tell_of_damage([f"chain {k}: {error}"])
                    continue
                if saved.target <= at_most:
                    usable[-1] = saved
                    break
        kept.found = []
        return usable

    def _leads_to(self, snapshot: ChainSnapshot, n_iter: int) -> bool:
        """Whether a chain can continue to a run of this length: it has missed no window of it."""
        missed = [w for w in self._windows(n_iter) if snapshot.adapted_until < w < snapshot.n_done]
        has_draws = min(snapshot.n_done, snapshot.kept_from) <= n_iter // 2
        return snapshot.n_done <= n_iter and not missed and has_draws

    def assess(self, briefly: bool = False) -> Convergence:
        """The convergence report of the draws so far."""
        return assess(
            self.draws,
            self.infos,
            self._problem,
            self._monitored,
            briefly=briefly,
            starts=self._starts,
        )

    def advance(
        self,
        n_iter: int,
        deadline: float | None,
        progress: Progress,
        asked: threading.Event | None = None,
    ) -> bool:
        """Run to ``n_iter`` iterations since the start, or as far as possible until the deadline.

        At least 250 iterations are run. If ``asked`` is set, the chains pause and RunInterrupted is
        raised; the draws up to the last stop remain, and the next call continues. Returns whether
        the length was reached.
        """
        asked = asked or threading.Event()
        is_past = self.pending is not None and self.pending > n_iter
        if is_past or not self._chains:  # of the first call, or after one that ended by an error
            self._begin()
        with self._watched(n_iter, deadline, progress) as run:
            if self.pending is not None:
                run(self.pending, asked)
            n_iter = self._in_reach(n_iter, deadline)
            self._go_back(n_iter)
            for stop in self._stops(n_iter, deadline is not None):
                if stop <= self.n_iter:
                    continue
                within = self._within(stop, deadline)
                if within > self.n_iter:
                    self._keep_copies(within)
                    run(within, asked)
                if within < stop:
                    return False
        return True

    def release_workers(self) -> None:
        """Release the workers of other processes until chains continue."""
        self._workers.release()

    def finish(self, cut_short: float | None = None) -> None:
        """Have the checkpoints hold the whole run, and the max_time that has ended it here."""
        if self.pending is None and self._finished != (self.n_iter, cut_short):
            self._save_all((self.n_iter, self.n_iter), cut_short)
            self._finished = (self.n_iter, cut_short)
        self._warn_of_failure()

    def _stops(self, n_iter: int, in_time: bool) -> list[int]:
        """Lengths on the way that are whole runs by themselves.

        The ends of windows before n_iter, at which the run is a result if it is interrupted, and
        of which the last may be kept as a copy; also the short ones where time may be up at any.
        """
        ends = []
        end = FIRST_STOP
        while end < n_iter:
            ends.append(end)
            end *= 2
        if in_time and n_iter > FEW:
            return [FEW, *ends, n_iter]
        return [*(end for end in ends if end >= FIRST_RESULT or end == ends[-1]), n_iter]

    def _within(self, stop: int, deadline: float | None) -> int:
        """The length up to a stop that can be reached in time."""
        if deadline is None or stop <= FIRST_STOP:
            return stop
        n_more = stop - self.n_iter
        if n_more * self._seconds <= deadline - time.monotonic():
            return stop
        return self.n_iter + min(n_more - 1, self._n_in_time(deadline))

    def _n_in_time(self, deadline: float) -> int:
        """Iterations that can be made in time, going by the last ones."""
        rest = deadline - time.monotonic()
        return 0 if np.isnan(self._seconds) else max(0, int(SHARE_OF_REST * rest / self._seconds))

    def _in_reach(self, n_iter: int, deadline: float | None) -> int:
        """No length for which chains would go back further than time lets them get again."""
        missed = self._missed(n_iter)
        if deadline is None or not missed:
            return n_iter
        start = missed[0] if self._has_copies(missed[0]) else 0
        reached = start + self._n_in_time(deadline)
        return n_iter if reached >= 2 * missed[0] else min(n_iter, 2 * missed[0] - 1)

    def _missed(self, n_iter: int) -> list[int]:
        """Windows of a longer run that this one has passed without adapting."""
        return [w for w in self._windows(n_iter) if self.n_iter // 2 < w < self.n_iter]

    def _has_copies(self, window: int) -> bool:
        return bool(self._copies) and self._copies[0].n_done == window

    def _windows(self, n_iter: int) -> list[int]:
        return [window.until for window in self._kernel.warm_up(n_iter)]

    def _go_back(self, n_iter: int) -> None:
        """To the copies, or to the start, where a window was passed without adapting to it."""
        missed, seconds = self._missed(n_iter), self._seconds
        if not missed:
            return
        if self._has_copies(missed[0]):
            self._chains, self._copies = self._copies, []
            self.n_iter = missed[0]
        else:
            self._begin()
        self._seconds = seconds

    def _keep_copies(self, n_iter: int) -> None:
        """Copies of the chains, where they are about to go past the end of a window."""
        is_end = self.n_iter >= FIRST_STOP and self.n_iter in self._windows(2 * self.n_iter)
        if not is_end or n_iter >= 2 * self.n_iter:
            return
        n_bytes = sum(part.nbytes for chain in self._chains for part in chain.state)
        if n_bytes <= LARGEST_COPY:
            self._copies = [chain.copy() for chain in self._chains]

    @contextmanager
    def _watched(
        self, n_iter: int, deadline: float | None, progress: Progress
    ) -> Iterator[Callable[[int, threading.Event], None]]:
        """Show one bar for all that is run, or one for each stop where the end is not known."""
        n_chains = len(self._chains)

        def bar(length: int) -> Any:
            return progress.stage(f"sampling {length:,} x {n_chains}", length * n_chains)

        if deadline is None:
            with bar(n_iter) as report:
                yield lambda length, asked: self._run(length, report, asked)
        else:

            def run(length: int, asked: threading.Event) -> None:
                with bar(length) as report:
                    self._run(length, report, asked)

            yield run

    def _run(self, n_iter: int, report: Report, asked: threading.Event) -> None:
        """Run the chains to a length; RunInterrupted if they were asked to pause before it."""
        began, self.pending = time.monotonic(), n_iter
        n_before = sum(chain.n_done for chain in self._chains)
        try:
            is_whole = self._run_to(n_iter, report, asked)
            draws = [chain.run(n_iter) for chain in self._chains] if is_whole else []
        except BaseException:  # a chain may be in the middle of a step
            self._chains, self._copies, self.pending = [], [], None
            raise
        self._warn_of_failure()
        if not is_whole:
            self._save_all((self.n_iter, n_iter))
            raise RunInterrupted
        n_more = (n_iter * len(self._chains) - n_before) / len(self._chains)
        if n_iter > FEW and n_more > 0:
            self._seconds = (time.monotonic() - began) / n_more
        self.draws, self.n_iter, self.pending = draws, n_iter, None
        self.infos = tuple(chain.info for chain in self._chains)

    def _run_to(self, n_iter: int, report: Report, asked: threading.Event) -> bool:
        chains, kept, phase = self._chains, self._kept, (self.n_iter, n_iter)
        if self._problem.shards is not None:
            self._problem.shards.is_ending = asked.is_set
        if self._problem.shards is not None or are_shared(self._n_jobs):

            def heed(k: int, chain: Chain) -> None:
                if asked.is_set():
                    raise Paused
                if kept is not None and kept.is_due(k):
                    kept.save(k, chain.snapshot(), phase, self._seconds)

            with polled(report, lambda: sum(chain.n_done for chain in chains)):
                return run_in_threads(chains, n_iter, self._n_jobs, heed)

        def at_round(now: Sequence[ChainSnapshot]) -> bool:
            report(sum(snapshot.n_done for snapshot in now))
            for k, snapshot in enumerate(now):
                if kept is not None and kept.is_due(k):
                    kept.save(k, snapshot, phase, self._seconds)
            return not asked.is_set()

        snapshots = [chain.snapshot() for chain in chains]
        done, is_whole = self._workers.run(snapshots, self._shipped, n_iter, at_round)
        self._chains = [Chain.restored(self._posed, self._kernel, each) for each in done]
        return is_whole

    def _warn_of_failure(self) -> None:
        if self._kept is not None and self._kept.failure is not None:
            self._kept.checkpoints.warn_of_failure(self._kept.failure)

    def _save_all(self, phase: tuple[int, int], cut_short: float | None = None) -> None:
        if self._kept is not None:
            for k, chain in enumerate(self._chains):
                self._kept.save(k, chain.snapshot(), phase, self._seconds, cut_short)
