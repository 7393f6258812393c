"""One Markov chain over antecedent lists (section 2.6)."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from elseif import compiled
from elseif.errors import SamplingError
from elseif.sampler.block_redraws import Block, choose_block
from elseif.sampler.chain_snapshot import ChainSnapshot, lists_as_array, no_runs
from elseif.sampler.compiled_problem import CompiledProblem
from elseif.sampler.init_state import (
    grown,
    list_of,
    new_state,
    restored_state,
    with_list,
    with_replicas_of,
)
from elseif.sampler.ladder import adapt_ladder, nearest_rungs
from elseif.sampler.move_mix import MoveMix, cumulative_weights
from elseif.sampler.run_length_draws import ChainInfo, RunLengthDraws, join_pages, last_draws
from elseif.sampler.trace_buffer import draws_between, filled_buffer, has_room, new_buffer
from elseif.sampler.warm_up import AdaptationWindow

if TYPE_CHECKING:
    from elseif.sampler.sharded_steps import SharedMessages

# seconds that compiled code runs at a time, about, and the iterations to begin with
MOMENT = 0.02
FIRST_BATCH = 64

AntecedentList = tuple[int, ...]


@dataclass(frozen=True)
class Room:
    """Memory of a chain: it grows with the lists, and no draw depends on it."""

    capacity: int = 16  # length of list to begin with
    # a chain hands its draws over whenever this many runs or list entries are recorded
    n_runs: int = 8192
    n_items: int = 8 * 8192


class Chain:
    """A chain that starts from a list, or from a draw of the prior, and can be continued.

    With several temperatures it has warmer replicas (parallel tempering), each of which samples the
    prior times a lower power of the likelihood, moves more freely, and swaps its list with that of
    its colder neighbour. The chain's own target is the posterior, and only its draws are kept.

    Parameters
    ----------
    posed : CompiledProblem
        The posterior to draw from.
    mix : MoveMix
        The kernel.
    seed : SeedSequence
        The source of all randomness of the chain.
    start, replica_starts : lists, default=None
        The lists to start from, of the chain and of the warmer replicas; None draws them from the
        prior.
    tuning : Tuning, default=None
        The proposal distribution to begin with; None is the kernel's before any adaptation.
    block : ndarray of int, default=None
        Antecedents from which lists are redrawn until the first window ends.
    room : Room, default=None
        Memory to begin with.
    """

    def __init__(
        self,
        posed: CompiledProblem,
        mix: MoveMix,
        seed: np.random.SeedSequence,
        start: AntecedentList | None = None,
        *,
        replica_starts: Sequence[AntecedentList] | None = None,
        tuning: compiled.Tuning | None = None,
        block: np.ndarray | None = None,
        room: Room | None = None,
    ) -> None:
        self._posed, self._mix, self._room = posed, mix, room or Room()
        prior = posed.problem.prior
        if tuning is None:
            neighbours = posed.neighbours if mix.replace_by_neighbour > 0 else None
            tuning = mix.tuning(prior.pool_size, neighbours=neighbours)
        self.tuning = tuning
        rng = np.random.Generator(np.random.PCG64(seed))
        lists = [tuple(prior.draw(rng)) for _ in mix.betas]
        if start is not None:
            lists[0] = start
        if replica_starts is not None:
            lists[1:] = replica_starts
        self.start = lists[0]
        self.stream = rng.integers(0, 2**64, size=4, dtype=np.uint64)
        self.counters = new_counters(prior.pool_size, len(mix.betas))
        self._adapted_until = 0
        self._block = None if block is None else Block(posed, block)
        self._next_redraw = 0 if mix.redraws is None else mix.redraws.every
        self._batch = FIRST_BATCH
        self.at_pause: Callable[[Chain], None] | None = None
        # what it shares with other chains whose observations are in shards, and its number there
        self.messages: tuple[SharedMessages, int] | None = None
        first_steps = int(self.tuning.steps_per_swap[0])
        self.state = new_state(posed, lists, self._room.capacity, first_steps)
        self.buffer = self._new_buffer()
        self.begin_draws()

    @classmethod
    def restored(cls, posed: CompiledProblem, mix: MoveMix, snapshot: ChainSnapshot) -> Chain:
        """The chain of a snapshot accepted by ``check_snapshot``; it continues like the original.

        What the rules of its lists capture is counted again.
        """
        chain = cls.__new__(cls)
        chain._posed, chain._mix, chain._room = posed, mix, Room()
        neighbours = posed.neighbours if mix.replace_by_neighbour > 0 else None
        weights = snapshot.addition_weights.copy()
        tuning = mix.tuning(posed.problem.prior.pool_size, weights, neighbours)
        chain.tuning = tuning._replace(
            addition_weights=weights,
            cumulative=cumulative_weights(weights),
            uniform=bool(snapshot.uniform),
            beta=snapshot.beta.copy(),
        )
        chain.start = tuple(snapshot.start.tolist())
        chain.stream = snapshot.stream.copy()
        chain.counters = compiled.Info(*(part.copy() for part in snapshot.counters))
        chain._adapted_until, chain._batch = snapshot.adapted_until, FIRST_BATCH
        chain._block = Block(posed, snapshot.block) if len(snapshot.block) else None
        chain._next_redraw = snapshot.next_redraw
        chain.at_pause = chain.messages = None
        chain.state = restored_state(
            posed, snapshot.lists, snapshot.capacity, snapshot.replica, snapshot.turn
        )
        n_labels = chain.state.label_counts.shape[1]
        chain.buffer = filled_buffer(
            new_buffer(chain._room.n_runs, snapshot.n_items, n_labels), snapshot.page
        )
        chain._pages = [snapshot.pages]
        chain._kept_from, chain._page_begin = snapshot.kept_from, snapshot.page_begin
        return chain

    def snapshot(self) -> ChainSnapshot:
        """Copies of everything needed to continue from here, if need be in another process.

        It contains counts of observations, but no observations.
        """
        state, buffer = self.state, self.buffer
        n = int(buffer.n_runs[0])
        page = (
            buffer.starts[:n].copy(),
            buffer.offsets[: n + 1].copy(),
            buffer.items[: buffer.offsets[n]].copy(),
            buffer.label_counts[: buffer.offsets[n] + n].copy(),
            buffer.log_posterior[:n].copy(),
            buffer.replica[:n].copy(),
        )
        return ChainSnapshot(
            adapted_until=self._adapted_until,
            capacity=state.antecedent_list.shape[1],
            n_items=len(buffer.items),
            kept_from=self._kept_from,
            page_begin=self._page_begin,
            uniform=self.tuning.uniform,
            next_redraw=self._next_redraw,
            start=np.array(self.start, dtype=np.int64),
            stream=self.stream.copy(),
            counters=tuple(part.copy() for part in self.counters),
            addition_weights=self.tuning.addition_weights.copy(),
            beta=self.tuning.beta.copy(),
            lists=lists_as_array([list_of(state, r) for r in range(len(state.length))]),
            replica=state.replica.copy(),
            turn=np.array(
                [state.temperature[0], state.steps_left[0], state.n_swap_rounds[0]], dtype=np.int64
            ),
            block=np.zeros(0, dtype=np.int64) if self._block is None else self._block.antecedents,
            pages=join_pages(self._pages) if self._pages else no_runs(buffer.label_counts.shape[1]),
            page=page,
        )

    @property
    def posed(self) -> CompiledProblem:
        """The posterior to draw from."""
        return self._posed

    @property
    def antecedent_list(self) -> AntecedentList:
        """The list where the chain is now."""
        return list_of(self.state, int(self.state.replica[0]))

    @property
    def lists(self) -> list[AntecedentList]:
        """The list of every temperature, the coldest first."""
        return [list_of(self.state, int(r)) for r in self.state.replica]

    @property
    def n_done(self) -> int:
        """Iterations so far; can be read while the chain runs."""
        return int(self.counters.iteration[0])

    @property
    def info(self) -> ChainInfo:
        """How the chain got on since the last adaptation window."""
        names, counters = compiled.OPTION_NAMES, self.counters
        return ChainInfo(
            start=self.start,
            n_iter=self.n_done,
            proposed=dict(zip(names, counters.proposed.tolist(), strict=True)),
            accepted=dict(zip(names, counters.accepted.tolist(), strict=True)),
            betas=tuple(self.tuning.beta.tolist()),
            swaps_proposed=tuple(counters.swaps_proposed[:-1].tolist()),
            swaps_accepted=tuple(counters.swaps_accepted[:-1].tolist()),
        )

    def run(self, n_iter: int) -> RunLengthDraws:
        """Warm up for the first half of the iterations, and return the draws of the second.

        ``n_iter`` counts from the start of the chain. It can be called again with a larger number,
        unless the chain has passed the next adaptation window: the result is that of a new chain of
        that length.
        """
        if self.n_done > n_iter:
            raise SamplingError(
                f"A chain that has done {self.n_done:,} iterations cannot go back to {n_iter:,}. "
                "Start a new chain."
            )
        begin = n_iter // 2
        for window in self._mix.warm_up(n_iter):
            if window.until > self._adapted_until:
                self._run_window(window)
        if self.n_done <= begin:
            self._advance(begin, keep=False)
            self.begin_draws()
        self._advance(n_iter, keep=True)
        return last_draws(join_pages([*self._pages, self._page()]), n_iter - begin)

    def _run_window(self, window: AdaptationWindow) -> None:
        """Iterate to the end of an adaptation window, and adapt to it."""
        if self.n_done > window.until:
            raise SamplingError(
                f"A chain that has done {self.n_done:,} iterations cannot go back to the "
                f"adaptation window that ends at {window.until:,}. Start a new chain."
            )
        self._advance(window.until, keep=False)
        self._adapted_until = window.until
        if window.adapt:
            self._choose_block()
            self.adapt()
        self.reset()

    def run_to(self, iteration: int) -> RunLengthDraws:
        """Iterate up to the given iteration; the draws since the last call are returned."""
        self.begin_draws()
        self._advance(iteration, keep=True)
        return join_pages([*self._pages, self._page()])

    def begin_draws(self) -> None:
        """Keep the draws of all iterations from the next on."""
        self._pages: list[RunLengthDraws] = []
        self._kept_from = self.n_done
        self._new_page()

    def adapt(self) -> None:
        """Adapt proposals to the lists since the reset, and space the temperatures."""
        counters, tuning = self.counters, self.tuning
        inclusion = counters.presence / max(int(counters.n_rounds[0]), 1)
        betas = adapt_ladder(
            tuning.beta, counters.swaps_proposed, counters.swaps_accepted, self._mix.rungs
        )
        rungs = nearest_rungs(tuning.beta, betas)
        adapted = self._mix.tuning(inclusion.shape[1], inclusion[rungs])
        self.tuning = adapted._replace(
            beta=betas, neighbours=tuning.neighbours, first_neighbour=tuning.first_neighbour
        )
        if len(rungs) != len(inclusion):
            self.state = with_replicas_of(self._posed, self.state, rungs)
            self.counters = new_counters(inclusion.shape[1], len(rungs), self.n_done)

    def _choose_block(self) -> None:
        """Freeze what lists are redrawn from, until the end of the next window."""
        redraws = self._mix.redraws
        if redraws is None or self.n_done < redraws.after:
            return
        self._block = choose_block(self._posed, redraws, self.counters.presence[0])
        self._next_redraw = self.n_done + redraws.every

    def _redraw(self, keep: bool) -> None:
        """Replace a list of the block by a draw from all of them, for the iterations to come."""
        block, redraws = self._block, self._mix.redraws
        assert block is not None
        assert redraws is not None
        self._next_redraw += redraws.every
        now = self.antecedent_list
        if not block.has(now):
            return
        drawn = block.draw(self.stream)
        if drawn == now:
            return
        self.state = with_list(self._posed, self.state, int(self.state.replica[0]), drawn)
        if not has_room(self.buffer, self.state.rows.shape[1]):
            self._hand_over(keep)
        compiled.write_run(self.state, self.buffer, self.n_done + 1)

    def reset(self) -> None:
        """Reset the counts: of the lists' antecedents, and of steps and swaps for the report."""
        for name, counts in self.counters._asdict().items():
            if name != "iteration":
                counts[:] = 0

    def copy(self) -> Chain:
        """A copy of the chain from which to continue later; the problem is shared."""
        shared = {id(part): part for part in (self._posed, self._mix)}
        return copy.deepcopy(self, shared)

    def _advance(self, iteration: int, keep: bool) -> None:
        """Iterate up to the given iteration, making room where it is needed.

        Compiled code is called for a moment at a time: in between, Python heeds Ctrl-C, and
        ``at_pause`` may take a snapshot, or end the run by an error. Draws do not depend on where
        a batch ends, and the run can be taken up again.
        """
        while True:
            if self.at_pause is not None:
                self.at_pause(self)
            stop = iteration if self._block is None else min(iteration, self._next_redraw)
            until, began = min(stop, self.n_done + self._batch), time.perf_counter()
            if self._posed.problem.shards is not None:
                until, status = stop, self._advance_on_shards(stop)
            else:
                status = self._advance_here(until)
            if status == compiled.REACHED:
                if self._block is not None and until == self._next_redraw:
                    self._redraw(keep)
                if until == iteration:
                    return
                took = time.perf_counter() - began
                if took >= MOMENT:
                    self._batch = max(1, self._batch // 2)
                elif until < stop:
                    self._batch *= 2
                continue
            if status == compiled.NOT_FINITE:
                raise SamplingError(
                    "The posterior of a proposal is not a number, at iteration "
                    f"{self.n_done} from the list {self.antecedent_list}."
                )
            if status == compiled.NEEDS_ROWS:
                self.state = grown(self._posed, self.state)
            self._hand_over(keep)

    def _hand_over(self, keep: bool) -> None:
        """Begin a new page, and keep the draws of the last one if they are wanted."""
        if keep:
            self._pages.append(self._page())
        else:
            self._kept_from = self.n_done
        self._new_page()

    def _advance_here(self, until: int) -> int:
        return compiled.advance(
            self._posed.data,
            self._posed.prior,
            self.tuning,
            self.state,
            self.counters,
            self.buffer,
            self.stream,
            until,
        )

    def _advance_on_shards(self, until: int) -> int:
        from elseif.sampler.sharded_steps import SharedMessages, advance_on_shards

        shards = self._posed.problem.shards
        assert shards is not None
        messages, number = self.messages or (SharedMessages(shards, 1), 0)
        return advance_on_shards(self, messages, number, until)

    @property
    def _n_items(self) -> int:
        """Room for list entries: that of some of the longest lists at least."""
        return max(self._room.n_items, 4 * self.state.antecedent_list.shape[1])

    def _new_buffer(self) -> compiled.TraceBuffer:
        n_labels = self.state.label_counts.shape[1]
        return new_buffer(self._room.n_runs, self._n_items, n_labels)

    def _new_page(self) -> None:
        """Start recording afresh; the first run is the list where the chain is."""
        if len(self.buffer.items) < self._n_items:
            self.buffer = self._new_buffer()
        self._page_begin = self.n_done
        self.buffer.n_runs[0] = 0
        compiled.write_run(self.state, self.buffer, self.n_done)

    def _page(self) -> RunLengthDraws:
        """The recorded draws of iterations after the page began, up to now."""
        return draws_between(self.buffer, self._page_begin, self.n_done)


def new_counters(pool_size: int, n_temperatures: int, n_done: int = 0) -> compiled.Info:
    """Counters of a chain that has done some iterations."""
    return compiled.Info(
        iteration=np.array([n_done], dtype=np.int64),
        proposed=np.zeros(compiled.N_OPTIONS, dtype=np.int64),
        accepted=np.zeros(compiled.N_OPTIONS, dtype=np.int64),
        n_rounds=np.zeros(1, dtype=np.int64),
        presence=np.zeros((n_temperatures, pool_size), dtype=np.int64),
        swaps_proposed=np.zeros(n_temperatures, dtype=np.int64),
        swaps_accepted=np.zeros(n_temperatures, dtype=np.int64),
    )
