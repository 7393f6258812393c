"""Chains whose observations are in shards: the same steps, split where observations are counted.

A chain draws the random numbers of a whole round at once, so that all its replicas can propose
simultaneously. The proposals of all replicas of all chains go to every shard in one message,
together with the previously accepted ones. Shards answer with counts, which are added up here, and
each chain decides. A round leaves the chain in the same state as ``compiled.advance``.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif import compiled
from elseif.compiled import split_step
from elseif.compiled.uniforms import draw_uniforms
from elseif.sampler.init_state import grown, list_of
from elseif.shards.shard_rows import LOAD, STEP
from elseif.shards.shards import Shards

if TYPE_CHECKING:
    from elseif.sampler.chain import Chain


class SharedMessages:
    """Requests of several chains to the shards, in one message.

    A message waits for a request from each of the ``n_chains`` that has not finished.
    """

    def __init__(self, shards: Shards, n_chains: int) -> None:
        self._shards, self._n_chains = shards, n_chains
        self._changed = threading.Condition()
        self._waiting: dict[int, tuple[Any, ...]] = {}
        self._answers: dict[int, Any] = {}
        self._failure: BaseException | None = None
        self._loaded: dict[int, compiled.State] = {}  # states of chains that the shards have
        self._accepted: dict[int, np.ndarray] = {}  # what each made of its last proposals
        shards.restoring = self._loads

    def ask(self, number: int, request: tuple[Any, ...]) -> np.ndarray | None:
        """The sum of what all shards answer to a chain's request."""
        with self._changed:
            self._waiting[number] = request
            self._send_if_all_wait()
            while number not in self._answers and self._failure is None:
                self._changed.wait()
            if self._failure is not None:
                raise self._failure
            answer: np.ndarray | None = self._answers.pop(number)
            return answer

    def leave(self) -> None:
        """Wait no longer for one of the chains."""
        with self._changed:
            self._n_chains -= 1
            self._send_if_all_wait()

    def count(self, number: int, state: compiled.State, proposals: np.ndarray) -> np.ndarray:
        """What a chain's proposals would transfer, counted by all shards.

        Shards that do not know the chain's lists are brought to them first.
        """
        if self._loaded.get(number) is not state:
            self._loaded.pop(number, None)
            self._accepted.pop(number, None)
            self.ask(number, _load(number, state))
            self._loaded[number] = state
        counts = self.ask(number, (STEP, number, self._accepted.pop(number, None), proposals))
        assert counts is not None
        return counts

    def decided(self, number: int, accepted: np.ndarray) -> None:
        """Send what a chain accepted to the shards with its next message."""
        self._accepted[number] = accepted

    def _send_if_all_wait(self) -> None:
        if not self._waiting or len(self._waiting) < self._n_chains or self._failure is not None:
            return
        numbers = sorted(self._waiting)
        requests = [self._waiting[number] for number in numbers]
        try:
            answers = self._shards.call("perform", requests)
        except BaseException as error:  # every chain gets it
            self._failure = error
        else:
            for i, number in enumerate(numbers):
                parts = [answer[i] for answer in answers]
                self._answers[number] = None if parts[0] is None else np.sum(parts, axis=0)
        self._waiting.clear()
        self._changed.notify_all()

    def _loads(self) -> list[tuple[Any, ...]]:
        """What brings a new shard to the present lists of all chains."""
        return [_load(number, state) for number, state in self._loaded.items()]


def _load(number: int, state: compiled.State) -> tuple[Any, ...]:
    lists = [list(list_of(state, r)) for r in range(len(state.length))]
    return LOAD, number, lists, state.rows.copy()


def advance_on_shards(chain: Chain, messages: SharedMessages, number: int, until: int) -> int:
    """Advance a chain until an iteration, or until the page of its draws is full.

    Between rounds the chain's ``at_pause`` is called. Returns compiled.REACHED,
    compiled.NEEDS_BUFFER or compiled.NOT_FINITE.
    """
    while True:
        state, info, tuning = chain.state, chain.counters, chain.tuning
        n_temperatures, t = len(state.replica), int(state.temperature[0])
        if t == n_temperatures:
            if n_temperatures > 1 and not _room_for(chain, 1):
                return compiled.NEEDS_BUFFER
            split_step.end_round(tuning, state, info, chain.buffer, chain.stream)
            continue
        if t == 0 and chain.at_pause is not None:
            chain.at_pause(chain)
        steps = np.zeros(n_temperatures, dtype=np.int64)
        steps[t] = state.steps_left[0]
        is_whole = True
        if t == 0:
            n_more = min(until - chain.n_done, _room_for(chain, int(steps[0])))
            if n_more <= 0 < steps[0]:
                return compiled.REACHED if chain.n_done >= until else compiled.NEEDS_BUFFER
            is_whole = n_more >= steps[0]
            steps[0] = min(steps[0], n_more)
        if is_whole:  # then the warmer replicas go along
            steps[t + 1 :] = tuning.steps_per_swap[t + 1 :]
        if not _take_steps(chain, messages, number, steps):
            return compiled.NOT_FINITE
        state = chain.state
        if is_whole:
            state.temperature[0], state.steps_left[0] = n_temperatures, 0
        else:
            state.steps_left[0] -= steps[t]


def _take_steps(chain: Chain, messages: SharedMessages, number: int, steps: np.ndarray) -> bool:
    """Some steps at each temperature, all temperatures at once; False for a ratio of NaN."""
    uniforms = np.empty((int(steps.sum()), 4))
    # in the order of a chain that takes one step after another
    draw_uniforms(chain.stream, uniforms)
    first = np.concatenate([[0], np.cumsum(steps)[:-1]])
    posed, tuning = chain.posed, chain.tuning
    for i in range(int(steps.max(initial=0))):
        temperatures = np.flatnonzero(steps > i)
        if not _have_rows(chain.state, chain.state.replica[temperatures]):
            chain.state = grown(posed, chain.state)
        state, numbers = chain.state, uniforms[first[temperatures] + i]
        proposals = np.zeros((len(temperatures), split_step.N_COLUMNS), dtype=np.int64)
        split_step.propose_steps(tuning, state, temperatures, numbers, proposals)
        counts = messages.count(number, state, proposals)
        accepted = np.zeros(len(temperatures), dtype=bool)
        is_number = split_step.decide_steps(
            posed.data, posed.prior, tuning, state, chain.counters, chain.buffer,
            proposals, counts, numbers, accepted,
        )  # fmt: skip
        if not is_number:
            return False
        messages.decided(number, proposals[accepted])
    return True


def _have_rows(state: compiled.State, replicas: np.ndarray) -> bool:
    """Whether the lists of some replicas can grow by one rule."""
    capacity, pool_size = state.rows.shape[1] - 1, state.in_list.shape[1]
    return bool((state.length[replicas] < capacity).all()) or capacity == pool_size


def _room_for(chain: Chain, n_runs: int) -> int:
    """How many more runs of the longest lists can be recorded, up to ``n_runs``."""
    state, buffer = chain.state, chain.buffer
    # lists may grow at each step
    run, longest = int(buffer.n_runs[0]), state.rows.shape[1] + n_runs
    of_runs = len(buffer.starts) - 1 - run
    of_items = (len(buffer.items) - int(buffer.offsets[run])) // longest
    return max(0, min(n_runs, of_runs, of_items))
