"""All shards of a table, as seen by the process that queries them: counts are added up here.

A shard is reached through a holder, which knows where it is. A lost shard is rebuilt from its rows,
receives the same calls as before, and is brought to the current lists of the chains.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, Protocol

import numpy as np

from elseif.bits.packing import WORD_BITS, BitLayout, layout_of_sections
from elseif.errors import ResourceError
from elseif.shards.shard_rows import STEP

AT_ONCE = 1 << 16  # conjunctions that are counted for one message
MOST_LOSSES = 3  # of one shard in a row, before the work is given up


class ShardLostError(Exception):
    """The process that held a shard has ended."""


class Holder(Protocol):
    """Where a shard is."""

    def start(self) -> None:
        """Make the shard, from its rows."""

    def ask(self, name: str, arguments: tuple[Any, ...]) -> Any:
        """Start calling a method of the shard; ShardLostError if the shard is gone."""

    def answer(self, asked: Any) -> Any:
        """The result of the call; ShardLostError if the shard is gone."""


class Shards:
    """The observations of a table in shards, in the order of the observations."""

    def __init__(self, holders: Sequence[Holder], n_labels: int, unit: float = 1.0) -> None:
        self._holders, self._n_labels, self._unit = list(holders), n_labels, unit
        self._state_calls: list[tuple[str, tuple[Any, ...]]] = []  # calls that a new shard repeats
        self._without_lists: set[int] = set()  # new shards, which know of no chain
        self._lock = threading.RLock()
        # what brings a new shard to the lists of chains that are under way
        self.restoring: Callable[[], list[tuple[Any, ...]]] | None = None
        # whether the work is to end: then a shard that is lost is not made again
        self.is_ending: Callable[[], bool] | None = None
        self.n_messages = self.n_lost = 0
        for holder in self._holders:
            with suppress(ShardLostError):  # which the first message finds out
                holder.start()
        sizes = self.call("section_sizes")
        sections = sorted({(label, weight) for each in sizes for label, weight, _ in each})
        known = [{(label, weight): n for label, weight, n in each} for each in sizes]
        # bits of each section (columns) in each shard (rows)
        self._sizes = np.array(
            [[each.get(section, 0) for section in sections] for each in known], dtype=np.int64
        ).reshape(len(known), len(sections))
        # the layout that the observations would have on one machine; it has no rows here
        n_rows = sum(self.call("n_rows"))
        self.layout = layout_of_sections(sections, self._sizes.sum(axis=0), n_labels, n_rows, unit)

    def __len__(self) -> int:
        return len(self._holders)

    def call(self, name: str, *arguments: Any) -> list[Any]:
        """Call a method of every shard, all at the same time; answers in the shards' order."""
        return self.call_each(name, [arguments] * len(self._holders))

    def tell(self, name: str, *arguments: Any) -> None:
        """Call a method that has to be repeated on a shard that replaces a lost one.

        Of several calls of a method, the last is what counts.
        """
        self.call(name, *arguments)
        earlier = [call for call in self._state_calls if call[0] != name]
        self._state_calls = [*earlier, (name, arguments)]

    def call_each(self, name: str, arguments: Sequence[tuple[Any, ...]]) -> list[Any]:
        """Call a method of every shard, each with its own arguments."""
        with self._lock:
            self.n_messages += 1
            asked = [self._ask(k, name, given) for k, given in enumerate(arguments)]
            return [
                self._answer(k, each, name, given)
                for k, (each, given) in enumerate(zip(asked, arguments, strict=True))
            ]

    def _ask(self, k: int, name: str, arguments: tuple[Any, ...]) -> Any:
        holder = self._holders[k]
        try:
            if name == "perform" and k in self._without_lists:
                if self.restoring is not None:
                    holder.answer(holder.ask(name, (self.restoring(),)))
                self._without_lists.discard(k)
                # lists are those of the present: what was accepted is in them already
                arguments = (without_accepted(arguments[0]),)
            return holder.ask(name, arguments)
        except ShardLostError as error:
            return error

    def _answer(self, k: int, asked: Any, name: str, arguments: tuple[Any, ...]) -> Any:
        for _ in range(MOST_LOSSES):
            try:
                if isinstance(asked, ShardLostError):
                    raise asked
                return self._holders[k].answer(asked)
            except ShardLostError as error:
                lost = error
                self.n_lost += 1
                if self.is_ending is not None and self.is_ending():
                    raise ResourceError(f"Shard {k + 1} of {len(self)} was lost: {lost}.") from None
                asked = self._again(k, name, arguments)
        raise ResourceError(
            f"The worker that held shard {k + 1} of {len(self)} ended {MOST_LOSSES} times, the "
            f"last time with: {lost}. It may lack memory: have more workers hold the rows, by "
            "n_shards."
        )

    def _again(self, k: int, name: str, arguments: tuple[Any, ...]) -> Any:
        """Rebuild a shard from its rows, bring it up to date, and repeat the request."""
        holder = self._holders[k]
        self._without_lists.add(k)
        try:
            holder.start()
            for method, given in self._state_calls:
                holder.answer(holder.ask(method, given))
        except ShardLostError as error:
            return error
        return self._ask(k, name, arguments)

    # ------------------------------------------------------------------- counts

    def total(self, name: str, *arguments: Any) -> np.ndarray:
        """The sum of what a method of every shard returns."""
        whole: np.ndarray = np.sum(self.call(name, *arguments), axis=0)
        return whole

    def conjunctions(self, members: np.ndarray) -> np.ndarray:
        """Label counts of conjunctions of the conditions that are held, many at a time."""
        parts = [np.zeros((0, self._n_labels), dtype=np.int64)]
        for start in range(0, len(members), AT_ONCE):
            parts.append(self.total("conjunctions", members[start : start + AT_ONCE]))
        return np.concatenate(parts)

    def among_remaining(
        self, members: np.ndarray, captured_by: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Label counts among those whom no given conjunction captures, of members and conditions.

        Everybody who remains comes last.
        """
        of_members, of_conditions = zip(
            *self.call("among_remaining", members, list(captured_by)), strict=True
        )
        return np.sum(of_members, axis=0), np.sum(of_conditions, axis=0)

    def fingerprint(self) -> np.ndarray:
        """Four numbers that identify the observations, however they are divided into shards."""
        whole: np.ndarray = np.add.reduce(self.call("digest"), axis=0, dtype=np.uint64)
        return whole

    def same_covers(self, members: np.ndarray) -> list[list[int]]:
        """Positions of conjunctions with the same cover, grouped."""
        groups: dict[tuple[bytes, ...], list[int]] = {}
        for member, digests in enumerate(zip(*self.call("digests", members), strict=True)):
            groups.setdefault(digests, []).append(member)
        return list(groups.values())

    def patterns(self, chosen: np.ndarray) -> np.ndarray:
        """Label counts by the complement of the subset of some antecedents that covers."""
        counts = np.zeros((1 << len(chosen), self._n_labels), dtype=np.int64)
        for places, n_rows in self.call("patterns", np.asarray(chosen, dtype=np.int64)):
            counts[places] += n_rows
        return counts

    def words(self, words: np.ndarray, starts: np.ndarray) -> tuple[np.ndarray, BitLayout]:
        """Some words of the conditions' covers, as on one machine, and the layout of these words.

        ``words`` are in ascending order; those of section s begin at ``starts[s]``. The rows of the
        layout are numbers of bits.
        """
        layout = self.layout
        ends = np.cumsum(self._sizes, axis=0)
        asked: list[list[tuple[int, int, np.ndarray]]] = [[] for _ in self._holders]
        places: list[list[np.ndarray]] = [[] for _ in self._holders]
        is_real = np.zeros(len(words) * WORD_BITS, dtype=bool)
        for s in range(len(layout.section_labels)):
            some = words[starts[s] : starts[s + 1]] - layout.section_starts[s]
            ranks = (some[:, None] * WORD_BITS + np.arange(WORD_BITS)).ravel()
            at = starts[s] * WORD_BITS + np.arange(len(ranks))
            is_real[at] = ranks < ends[-1, s]
            for k in range(len(self._holders)):
                first = ends[k, s] - self._sizes[k, s]
                inside = (ranks >= first) & (ranks < ends[k, s])
                if inside.any():
                    section = int(layout.section_labels[s]), int(layout.section_weights[s])
                    asked[k].append((*section, ranks[inside] - first))
                    places[k].append(at[inside])
        answers = self.call_each("truth_at", [(each,) for each in asked])
        by_shard = [
            np.concatenate(each) if each else np.zeros(0, dtype=np.int64) for each in places
        ]
        n_bits = len(words) * WORD_BITS
        covers = np.zeros((len(answers[0]), len(words)), dtype=np.uint64)
        for i, cover in enumerate(covers):
            bits = np.zeros(n_bits, dtype=bool)
            for at, packed in zip(by_shard, answers, strict=True):
                bits[at] = np.unpackbits(packed[i], count=len(at)).astype(bool)
            cover[:] = np.packbits(bits, bitorder="little").view(np.uint64)
        return covers, self._layout_of(starts, is_real)

    def _layout_of(self, starts: np.ndarray, is_real: np.ndarray) -> BitLayout:
        layout, n_bits = self.layout, len(is_real)
        sizes = np.add.reduceat(is_real, starts[:-1] * WORD_BITS) if n_bits else np.zeros(0)
        totals = np.zeros(self._n_labels, dtype=np.int64)
        np.add.at(totals, layout.section_labels, sizes.astype(np.int64) * layout.section_weights)
        return BitLayout(
            row_of_bit=np.where(is_real, np.arange(n_bits), n_bits),
            section_starts=starts.astype(np.int64),
            section_labels=layout.section_labels,
            section_weights=layout.section_weights,
            label_totals=totals,
            n_rows=n_bits,
            unit=self._unit,
        )

    def all_words(self) -> tuple[np.ndarray, BitLayout]:
        """All words of the conditions' covers, for tables that are not large."""
        return self.words(np.arange(self.layout.n_words), self.layout.section_starts)


def without_accepted(requests: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Requests of chains to a shard whose lists are those of the present already."""
    return [
        (what, chain, None, *rest[1:]) if what == STEP else (what, chain, *rest)
        for what, chain, *rest in requests
    ]
