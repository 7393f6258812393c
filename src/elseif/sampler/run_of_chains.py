"""A run of several chains that can be made longer: in threads, within a time, bit for bit."""

from __future__ import annotations

import time
from collections.abc import Sequence

import joblib
import numpy as np

from elseif.model.problem import Problem
from elseif.progress import Progress, polled
from elseif.sampler.chain import Chain
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.convergence import Convergence, assess
from elseif.sampler.monitored import choose_monitored
from elseif.sampler.move_mix import MoveMix
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws
from elseif.sampler.warm_starts import WarmStarts
from elseif.sampler.warm_up import FIRST_WINDOW

# the shortest run that ends where an adaptation window does; twice as long again and again
FIRST_STOP = 2 * FIRST_WINDOW
# compiled code is loaded in the first iterations, and their time says nothing of the others'
FEW = 2
# of the time that is left, how much a stretch may be expected to take
SHARE_OF_REST = 0.9
# bytes of a chain's state that are kept twice, to go on from where a window ends
LARGEST_COPY = 1 << 27


class RunOfChains:
    """Chains that are always at the same iteration, and can go on from there.

    A run of n iterations adapts in windows of its first half alone. One that is made longer needs
    the windows of the longer run: where these were passed without adapting, the chains go back
    to the last one, of which a copy is kept, or to the start where that would take too much room.
    So the draws are those of one run of that length, however it came about.

    Parameters
    ----------
    problem : Problem
        The posterior to draw from.
    kernel : MoveMix
        How to propose.
    seeds : sequence of SeedSequence
        One for each chain.
    starts : WarmStarts
        The lists where each chain and its replicas start, and what was scored to find them.
    n_jobs : int, default=None
        Threads, as in joblib.
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
        self._begin()

    def _begin(self) -> None:
        self._chains = [
            Chain(self._posed, self._kernel, seed, start.chain, replica_starts=start.replicas)
            for seed, start in zip(self._seeds, self._starts.chains, strict=True)
        ]
        self._copies: list[Chain] = []  # at the last end of a window that the run went past
        self._seconds = float("nan")  # of an iteration of all chains
        self.draws: list[RunLengthDraws] = []
        self.n_iter = 0

    @property
    def infos(self) -> tuple[ChainInfo, ...]:
        """How each chain got on."""
        return tuple(chain.info for chain in self._chains)

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

    def advance(self, n_iter: int, deadline: float | None, progress: Progress) -> bool:
        """Run to a length, or to whatever length can be reached in time.

        Parameters
        ----------
        n_iter : int
            Iterations of each chain since its start.
        deadline : float or None
            By ``time.monotonic``; a run of 250 iterations is made in any case.
        progress : Progress
            Told how it gets on.

        Returns
        -------
        bool
            Whether the length was reached.
        """
        if not self._chains:  # an earlier call was interrupted
            self._begin()
        n_iter = self._in_reach(n_iter, deadline)
        self._go_back(n_iter)
        for stop in self._stops(n_iter, deadline is not None):
            if stop <= self.n_iter:
                continue
            within = self._within(stop, deadline)
            if within > self.n_iter:
                self._keep_copies(within)
                self._run(within, progress)
            if within < stop:
                return False
        return True

    def _stops(self, n_iter: int, in_time: bool) -> list[int]:
        """Lengths on the way that are whole runs by themselves.

        The last window's end before n_iter, where a copy may be kept; all of them where time may
        be up at any.
        """
        ends = []
        end = FIRST_STOP
        while end < n_iter:
            ends.append(end)
            end *= 2
        return [FEW, *ends, n_iter] if in_time and n_iter > FEW else [*ends[-1:], n_iter]

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

    def _run(self, n_iter: int, progress: Progress) -> None:
        """Run the chains in threads; compiled code holds no lock that would keep them apart."""
        chains, began = self._chains, time.monotonic()
        work = joblib.Parallel(n_jobs=self._n_jobs, require="sharedmem")
        with (
            progress.stage(f"sampling {n_iter:,} x {len(chains)}", n_iter * len(chains)) as report,
            polled(report, lambda: sum(chain.n_done for chain in chains)),
        ):
            try:
                self.draws = work(joblib.delayed(chain.run)(n_iter) for chain in chains)
            except BaseException:  # Ctrl-C as well: the other threads would go on without us
                for chain in chains:
                    chain.stop()
                self._chains = []
                raise
        if n_iter > FEW:
            self._seconds = (time.monotonic() - began) / (n_iter - self.n_iter)
        self.n_iter = n_iter
