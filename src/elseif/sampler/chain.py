"""One Markov chain over antecedent lists (section 2.6)."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from elseif import kernels
from elseif.bits.packing import zero_words
from elseif.errors import SamplingError
from elseif.model.problem import Problem
from elseif.sampler.entering import enter_list
from elseif.sampler.ladder import respaced
from elseif.sampler.likeness import Likeness, find_likeness
from elseif.sampler.proposals import Kernel
from elseif.sampler.runs import ChainInfo, Runs, join_runs, last_draws
from elseif.sampler.tables import data_tables, prior_tables
from elseif.sampler.warm_up import Stage

FIRST_CAPACITY = 16
# a chain hands its draws over whenever this many runs or list entries are recorded
RECORD_RUNS = 8192
RECORD_ITEMS = 8 * RECORD_RUNS
# seconds that compiled code runs at a time, about, and the iterations to begin with
MOMENT = 0.02
FIRST_BATCH = 64
OPTION_NAMES = ("move", "add", "remove", "replace", "replace by similar")


@dataclass(frozen=True)
class CompiledProblem:
    """A problem's tables, made once and read by every chain."""

    problem: Problem
    data: kernels.Data
    prior: kernels.Prior

    @classmethod
    def of(cls, problem: Problem) -> CompiledProblem:
        return cls(problem, data_tables(problem), prior_tables(problem.prior))

    @cached_property
    def likeness(self) -> Likeness:
        """Which antecedents are alike, for kernels that ask."""
        return find_likeness(self.problem)


class Chain:
    """A chain that starts from a list, or a draw of the prior, and can be run on and on.

    With a kernel of several temperatures it has warmer companions (parallel tempering):
    each samples the prior times a lower power of the likelihood, walks the more freely,
    and hands good lists on to its colder neighbour. The chain's own target is the
    posterior, and its draws alone are kept.
    """

    def __init__(
        self,
        problem: Problem,
        compiled: CompiledProblem,
        kernel: Kernel,
        seed: np.random.SeedSequence,
        start: tuple[int, ...] | None = None,
    ) -> None:
        self._kernel = kernel
        self._data, self._prior = compiled.data, compiled.prior
        self._likeness = compiled.likeness if kernel.replace_by_similar > 0 else None
        self._additions = kernel.additions(problem.pool_size, likeness=self._likeness)
        rng = np.random.Generator(np.random.PCG64(seed))
        starts = [tuple(problem.prior.draw(rng)) for _ in kernel.coldnesses]
        if start is not None:
            starts[0] = start
        self.start = starts[0]
        self._seed = rng.integers(0, 2**64, size=4, dtype=np.uint64)
        self._tally = _new_tally(problem.pool_size, len(kernel.coldnesses))
        self._ladder = np.array(kernel.coldnesses, dtype=float)
        self._warmed_until = 0
        self._stopped, self._batch = False, FIRST_BATCH
        self._state = self._state_at(starts, FIRST_CAPACITY)
        self._record = self._new_record()
        self.begin_draws()

    @property
    def antecedent_list(self) -> tuple[int, ...]:
        """The list where the chain is now."""
        return self._list_of(int(self._state.replica[0]))

    @property
    def n_done(self) -> int:
        """Iterations so far; can be read while the chain runs."""
        return int(self._tally.iteration[0])

    @property
    def info(self) -> ChainInfo:
        return ChainInfo(
            start=self.start,
            n_iter=self.n_done,
            proposed=dict(zip(OPTION_NAMES, self._tally.proposed.tolist(), strict=True)),
            accepted=dict(zip(OPTION_NAMES, self._tally.accepted.tolist(), strict=True)),
            coldnesses=tuple(self._ladder.tolist()),
            offered=tuple(self._tally.offered[:-1].tolist()),
            exchanged=tuple(self._tally.exchanged[:-1].tolist()),
        )

    def run(self, n_iter: int) -> Runs:
        """Warm up for the first half of the iterations, and return the draws of the second.

        May be called again with a larger number where the kernel continues, and the chain has
        not gone past the next stage: the result is that of a new chain run for so long.
        """
        if self.n_done > n_iter:
            raise SamplingError(
                f"A chain that has done {self.n_done:,} iterations cannot go back to {n_iter:,}. "
                "Start a new chain."
            )
        begin = n_iter // 2
        for stage in self._kernel.warm_up(n_iter):
            if stage.until > self._warmed_until:
                self._do_stage(stage)
        if self.n_done <= begin:
            self._advance(begin, keep=False)
            self.begin_draws()
        self._advance(n_iter, keep=True)
        return last_draws(join_runs([*self._pages, self._page()]), n_iter - begin)

    def _do_stage(self, stage: Stage) -> None:
        """Iterate to the end of a stage, and learn from it."""
        if self.n_done > stage.until:
            raise SamplingError(
                f"A chain that has done {self.n_done:,} iterations cannot go back to the stage of "
                f"its warm-up that ends at {stage.until:,}. Start a new chain."
            )
        self._scale_coldness(stage.coldness)
        self._advance(stage.until, keep=False)
        self._warmed_until = stage.until
        if stage.learn:
            self.learn()
            self._ladder = respaced(self._ladder, self._tally.offered, self._tally.exchanged)
        self._scale_coldness(1.0)
        self.forget()

    def run_to(self, iteration: int) -> Runs:
        """Iterate up to the given iteration; the draws since the last call are returned."""
        self.begin_draws()
        self._advance(iteration, keep=True)
        return join_runs([*self._pages, self._page()])

    def begin_draws(self) -> None:
        """Keep the draws of all iterations from the next on."""
        self._pages: list[Runs] = []
        self._new_page()

    def learn(self) -> None:
        """Propose in future what the list has held since forget was called."""
        presence, coldness = self._tally.presence, self._additions.coldness
        inclusion = presence / max(int(self._tally.n_rounds[0]), 1)
        self._additions = self._kernel.additions(presence.shape[1], inclusion, self._likeness)
        self._additions = self._additions._replace(coldness=coldness)

    def forget(self) -> None:
        """Begin to count anew: what the lists hold, and the steps and exchanges for the report."""
        tally = self._tally
        for counts in (tally.n_rounds, tally.presence, tally.proposed, tally.accepted):
            counts[:] = 0
        for counts in (tally.offered, tally.exchanged):
            counts[:] = 0

    def _scale_coldness(self, coldness: float) -> None:
        """Let the likelihood count for less at every temperature."""
        self._additions = self._additions._replace(coldness=coldness * self._ladder)

    def stop(self) -> None:
        """Have a run that goes on in another thread end soon, by an error."""
        self._stopped = True

    def _advance(self, iteration: int, keep: bool) -> None:
        """Iterate up to the given iteration, making room where it is needed.

        Compiled code is called for a moment at a time: in between, Python heeds Ctrl-C, and the
        chain its being stopped. Draws do not depend on where a batch ends.
        """
        while True:
            if self._stopped:
                raise SamplingError("The chain was stopped before its end.")
            until, began = min(iteration, self.n_done + self._batch), time.perf_counter()
            status = kernels.advance(
                self._data,
                self._prior,
                self._additions,
                self._state,
                self._tally,
                self._record,
                self._seed,
                until,
            )
            if status == kernels.REACHED:
                if until == iteration:
                    return
                took = time.perf_counter() - began
                self._batch = max(1, 2 * self._batch if took < MOMENT else self._batch // 2)
                continue
            if status == kernels.NOT_FINITE:
                raise SamplingError(
                    "The posterior of a proposal is not a number, at iteration "
                    f"{self.n_done} from the list {self.antecedent_list}."
                )
            if status == kernels.NEEDS_ROWS:
                self._grow()
            if keep:
                self._pages.append(self._page())
            self._new_page()

    def _list_of(self, replica: int) -> tuple[int, ...]:
        length = self._state.length[replica]
        return tuple(self._state.antecedent_list[replica, :length].tolist())

    @property
    def _capacity(self) -> int:
        return int(self._state.antecedent_list.shape[1])

    def _grow(self) -> None:
        """Give every replica room for lists of twice the length."""
        old = self._state
        lists = [self._list_of(r) for r in range(len(old.length))]
        self._state = self._state_at(lists, 2 * self._capacity)
        for name in ("at", "replica", "cursor"):
            getattr(self._state, name)[:] = getattr(old, name)

    def _new_record(self) -> kernels.Record:
        n_items = max(RECORD_ITEMS, 4 * self._capacity)
        return kernels.Record(
            n_runs=np.zeros(1, dtype=np.int64),
            starts=np.zeros(RECORD_RUNS, dtype=np.int64),
            offsets=np.zeros(RECORD_RUNS + 1, dtype=np.int64),
            items=np.zeros(n_items, dtype=np.int32),
            label_counts=np.zeros((n_items + RECORD_RUNS, len(self._data.pseudocounts)), np.int64),
            log_posterior=np.zeros(RECORD_RUNS),
        )

    def _new_page(self) -> None:
        """Start recording afresh; the first run is the list where the chain is."""
        if len(self._record.items) < 4 * self._capacity:
            self._record = self._new_record()
        self._page_begin = self.n_done
        self._record.n_runs[0] = 0
        at_work = int(self._state.at[0])
        self._state.at[0] = self._state.replica[0]
        kernels.write_run(self._state, self._record, self.n_done)
        self._state.at[0] = at_work

    def _page(self) -> Runs:
        """The recorded draws of iterations after the page began, up to now."""
        record, n = self._record, int(self._record.n_runs[0])
        ends = np.append(record.starts[1:n], self.n_done + 1)
        starts = np.maximum(record.starts[:n], self._page_begin + 1)
        return Runs(
            n_draws=np.maximum(ends, self._page_begin + 1) - starts,
            log_posterior=record.log_posterior[:n].copy(),
            offsets=record.offsets[: n + 1].copy(),
            items=record.items[: record.offsets[n]].copy(),
            label_counts=record.label_counts[: record.offsets[n] + n].copy(),
        )

    def _state_at(self, lists: Sequence[tuple[int, ...]], capacity: int) -> kernels.State:
        """A state with room for longer lists, one replica entered at each list."""
        pool_size, n_words = len(self._prior.classes), len(self._data.everyone)
        n_labels, n_classes = len(self._data.pseudocounts), len(self._prior.class_sizes)
        longest = max(len(antecedent_list) for antecedent_list in lists)
        capacity = min(max(capacity, 2 * longest), pool_size)
        n_replicas = len(lists)
        n_rows = n_replicas * (capacity + 1)
        state = kernels.State(
            at=np.zeros(1, dtype=np.int64),
            replica=np.arange(n_replicas),
            cursor=np.array([0, self._additions.turns[0], 0]),
            length=np.zeros(n_replicas, dtype=np.int64),
            log_posterior=np.zeros(n_replicas),
            antecedent_list=np.zeros((n_replicas, capacity), dtype=np.int64),
            rows=np.zeros((n_replicas, capacity + 1), dtype=np.int64),
            captured=zero_words(n_rows, n_words),
            label_counts=np.zeros((n_rows, n_labels), dtype=np.int64),
            log_likelihoods=np.zeros(n_rows),
            in_list=np.zeros((n_replicas, pool_size), dtype=bool),
            used=np.zeros((n_replicas, n_classes), dtype=np.int64),
            new_counts=np.zeros((capacity + 1, n_labels), dtype=np.int64),
            arriving=np.zeros((1, n_labels), dtype=np.int64),
            pending=zero_words(kernels.JOINED_WORDS),
            pending_counts=np.zeros(n_labels, dtype=np.int64),
            trial=np.zeros(capacity + 1, dtype=np.int64),
            trial_used=np.zeros(n_classes, dtype=np.int64),
            joined=zero_words(kernels.JOINED_WORDS),
        )
        for r, antecedent_list in enumerate(lists):
            enter_list(self._data, self._prior, state, r, antecedent_list)
        return state


def _new_tally(pool_size: int, n_temperatures: int) -> kernels.Tally:
    return kernels.Tally(
        iteration=np.zeros(1, dtype=np.int64),
        proposed=np.zeros(kernels.N_OPTIONS, dtype=np.int64),
        accepted=np.zeros(kernels.N_OPTIONS, dtype=np.int64),
        n_rounds=np.zeros(1, dtype=np.int64),
        presence=np.zeros((n_temperatures, pool_size), dtype=np.int64),
        offered=np.zeros(n_temperatures, dtype=np.int64),
        exchanged=np.zeros(n_temperatures, dtype=np.int64),
    )
