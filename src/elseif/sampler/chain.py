"""One Markov chain over antecedent lists (section 2.6)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif import kernels
from elseif.errors import SamplingError
from elseif.model.problem import Problem
from elseif.sampler.proposals import Kernel
from elseif.sampler.runs import Runs, join_runs
from elseif.sampler.tables import data_tables, prior_tables

FIRST_CAPACITY = 16
# a chain hands its draws over whenever this many runs or list entries are recorded
RECORD_RUNS = 8192
RECORD_ITEMS = 8 * RECORD_RUNS
OPTION_NAMES = ("move", "add", "remove", "replace")


@dataclass(frozen=True)
class ChainInfo:
    """What a person wants to know of a chain: steps proposed and accepted by option."""

    start: tuple[int, ...]
    n_iter: int
    proposed: dict[str, int]
    accepted: dict[str, int]


@dataclass(frozen=True)
class CompiledProblem:
    """A problem's tables, made once and read by every chain."""

    data: kernels.Data
    prior: kernels.Prior

    @classmethod
    def of(cls, problem: Problem) -> CompiledProblem:
        return cls(data_tables(problem), prior_tables(problem.prior))


class Chain:
    """A chain that starts from a draw of the prior and can be run further and further."""

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
        self._additions = kernel.additions(problem.pool_size)
        rng = np.random.Generator(np.random.PCG64(seed))
        drawn = tuple(problem.prior.draw(rng))
        self.start = drawn if start is None else start
        self._seed = rng.integers(0, 2**64, size=4, dtype=np.uint64)
        self._tally = _new_tally(problem.pool_size)
        self._state = self._state_at(self.start, FIRST_CAPACITY)
        self._record = self._new_record()
        self.begin_draws()

    @property
    def antecedent_list(self) -> tuple[int, ...]:
        """The list where the chain is now."""
        return tuple(self._state.antecedent_list[: self._state.length[0]].tolist())

    @property
    def n_done(self) -> int:
        """Iterations so far; can be read while the chain runs."""
        return int(self._tally.iteration[0])

    @property
    def info(self) -> ChainInfo:
        return ChainInfo(
            start=self.start,
            n_iter=int(self._tally.iteration[0]),
            proposed=dict(zip(OPTION_NAMES, self._tally.proposed.tolist(), strict=True)),
            accepted=dict(zip(OPTION_NAMES, self._tally.accepted.tolist(), strict=True)),
        )

    def run(self, n_iter: int) -> Runs:
        """Warm up for the first half of the iterations, and return the draws of the second."""
        for stage in self._kernel.warm_up(n_iter):
            self.set_coldness(stage.coldness)
            self.forget()
            self.advance(stage.until, keep=False)
            if stage.learn:
                self.learn()
        self.set_coldness(1.0)
        return self.run_to(n_iter)

    def run_to(self, iteration: int) -> Runs:
        """Iterate up to the given iteration; the draws since the last call are returned."""
        self.begin_draws()
        self.advance(iteration, keep=True)
        return self.take_draws()

    def advance(self, iteration: int, keep: bool) -> None:
        """Iterate up to the given iteration, keeping what begin_draws began or nothing."""
        while True:
            status = kernels.advance(
                self._data,
                self._prior,
                self._additions,
                self._state,
                self._tally,
                self._record,
                self._seed,
                iteration,
            )
            if status == kernels.RUNNING:
                return
            if status == kernels.NOT_FINITE:
                raise SamplingError(
                    "The posterior of a proposal is not a number, at iteration "
                    f"{self.n_done} from the list {self.antecedent_list}."
                )
            if status == kernels.NEEDS_ROWS:
                self._state = self._state_at(self.antecedent_list, 2 * self._capacity)
            if keep:
                self._pages.append(self._page())
            self._new_page()

    def begin_draws(self) -> None:
        """Keep the draws of all iterations from the next on."""
        self._pages: list[Runs] = []
        self._new_page()

    def take_draws(self) -> Runs:
        """The draws since begin_draws."""
        return join_runs([*self._pages, self._page()])

    def trade(self, other: Chain) -> None:
        """Take over another chain's list and give it one's own; nothing is recorded."""
        self._state, other._state = other._state, self._state

    def trade_and_record(self, other: Chain) -> None:
        """Trade as a part of the present iteration, whose draw is the list taken over."""
        self._count_presence()
        self.trade(other)
        self._tally.entered[:] = self.n_done
        run = int(self._record.n_runs[0])
        n_items = int(self._record.offsets[run]) + 2 * self._capacity
        if run + 2 >= RECORD_RUNS or n_items > len(self._record.items):
            self._pages.append(self._page())
            self._new_page()
        else:
            kernels.write_run(self._state, self._tally, self._record)

    @property
    def log_likelihood(self) -> float:
        """log p(y | x, d) of the list where the chain is now."""
        rows = self._state.rows[: self._state.length[0] + 1]
        return float(self._state.log_likelihoods[rows].sum())

    def set_coldness(self, coldness: float) -> None:
        """Sample p(d) p(y | x, d)^coldness from now on."""
        self._additions = self._additions._replace(coldness=coldness)

    def learn(self) -> None:
        """Propose in future what the list has held since forget was called."""
        self._count_presence()
        self._tally.entered[:] = self.n_done
        coldness = self._additions.coldness
        self._additions = self._kernel.additions(len(self._tally.presence), self._tally.presence)
        self.set_coldness(coldness)

    def forget(self) -> None:
        """Begin to count anew how long each antecedent is in the list."""
        self._tally.presence[:] = 0
        self._tally.entered[:] = self.n_done

    def _count_presence(self) -> None:
        """Add the stays of what is in the list now."""
        tally, inside = self._tally, self._state.in_list
        tally.presence[inside] += self.n_done - tally.entered[inside]

    @property
    def _capacity(self) -> int:
        return len(self._state.antecedent_list)

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
        kernels.write_run(self._state, self._tally, self._record)

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

    def _state_at(self, antecedent_list: tuple[int, ...], capacity: int) -> kernels.State:
        """A state with room for longer lists, entered at the given one."""
        pool_size, n_words = self._data.covers.shape
        n_labels, n_classes = len(self._data.pseudocounts), len(self._prior.class_sizes)
        capacity = min(max(capacity, 2 * len(antecedent_list)), pool_size)
        state = kernels.State(
            length=np.zeros(1, dtype=np.int64),
            log_posterior=np.zeros(1),
            antecedent_list=np.zeros(capacity, dtype=np.int64),
            rows=np.arange(capacity + 1),
            captured=np.zeros((capacity + 1, n_words), dtype=np.uint64),
            label_counts=np.zeros((capacity + 1, n_labels), dtype=np.int64),
            log_likelihoods=np.zeros(capacity + 1),
            in_list=np.zeros(pool_size, dtype=bool),
            used=np.zeros(n_classes, dtype=np.int64),
            new_counts=np.zeros((capacity + 1, n_labels), dtype=np.int64),
            arriving=np.zeros((1, n_labels), dtype=np.int64),
            pending=np.zeros(n_words, dtype=np.uint64),
            pending_counts=np.zeros(n_labels, dtype=np.int64),
            trial=np.zeros(capacity + 1, dtype=np.int64),
            trial_used=np.zeros(n_classes, dtype=np.int64),
        )
        kernels.enter_list(
            self._data, self._prior, state, np.array(antecedent_list, dtype=np.int64)
        )
        return state


def _new_tally(pool_size: int) -> kernels.Tally:
    return kernels.Tally(
        iteration=np.zeros(1, dtype=np.int64),
        proposed=np.zeros(kernels.N_OPTIONS, dtype=np.int64),
        accepted=np.zeros(kernels.N_OPTIONS, dtype=np.int64),
        entered=np.zeros(pool_size, dtype=np.int64),
        presence=np.zeros(pool_size, dtype=np.int64),
    )
