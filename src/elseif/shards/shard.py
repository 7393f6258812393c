"""A shard: a part of the observations, packed, with the state of every list that is sampled.

It counts among its own observations. The caller adds up the counts of all shards; a shard knows
nothing of the others, of the prior or of a model.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from elseif import compiled
from elseif.bits.counting import conjunction_counts
from elseif.bits.packing import make_layout, zero_words
from elseif.bits.pattern_keys import keys_of, sum_of_digests, truth_of
from elseif.compiled import exact_sum, split_step
from elseif.memory import require_memory
from elseif.shards.shard_rows import LOAD, ShardRows

TOO_LITTLE = "Have more workers hold the rows, by n_shards, or set n_chains to fewer chains."


class Shard:
    """A part of the observations."""

    def __init__(self, rows: ShardRows) -> None:
        self._keys: np.ndarray | None = rows.keys
        self._layout = make_layout(rows.codes, rows.n_labels, rows.weights)
        self._everyone = self._layout.everyone()
        self._covers = zero_words(0, self._layout.n_words)
        self._data: compiled.Data | None = None
        self._states: dict[int, compiled.State] = {}  # of the chains, by their number

    # ------------------------------------------------------------- what is held

    def section_sizes(self) -> list[tuple[int, int, int]]:
        """Label, weight and number of bits of each section."""
        layout = self._layout
        sections = zip(layout.section_labels, layout.section_weights, strict=True)
        return [
            (int(label), int(weight), len(layout.section_rows(s)))
            for s, (label, weight) in enumerate(sections)
        ]

    def n_rows(self) -> int:
        """How many patterns are here."""
        return self._layout.n_rows

    def digest(self) -> np.ndarray:
        """Four numbers that add up, over shards, to a fingerprint of the observations.

        As far as the conditions that are held do.
        """
        layout = self._layout
        keys = keys_of(map(layout.unpack, self._covers), layout.n_rows)
        return sum_of_digests(keys, layout.row_labels(), layout.row_weights())

    def hold(self, places: Sequence[int]) -> None:
        """Hold the packed covers of some conditions, by their place in the patterns."""
        assert self._keys is not None
        layout = self._layout
        require_memory(
            f"The packed covers of {len(places):,} conditions in a shard",
            len(places) * layout.n_words * 8,
            "Have more workers hold the rows, by n_shards.",
        )
        self._covers = zero_words(len(places), layout.n_words)
        for i, condition in enumerate(places):
            self._covers[i] = layout.pack(truth_of(self._keys, int(condition)))

    def pose(self, members: np.ndarray, max_bytes: float) -> None:
        """Have antecedents as conjunctions of the conditions that are held.

        Their own covers are made where they take no more bytes than allowed.
        """
        layout, n_labels = self._layout, len(self._layout.label_totals)
        self._keys = None  # covers say all that is needed from now on
        covers, condition_ids = self._covers, members.astype(np.int64)
        if len(members) * layout.n_words * 8 <= max_bytes:
            joined = zero_words(len(members), layout.n_words)
            compiled.join_covers(covers, members.astype(np.int32), joined)
            covers, condition_ids = joined, np.empty((len(members), 0), dtype=np.int64)
        self._data = compiled.Data(
            covers=covers,
            condition_ids=condition_ids,
            everyone=self._everyone,
            section_starts=layout.section_starts,
            section_labels=layout.section_labels,
            section_weights=layout.section_weights,
            pseudocounts=np.zeros(n_labels),
            pseudocount_total=0.0,
            log_pochhammer=np.zeros((n_labels + 1, 1)),
            count_unit=1.0,
        )

    # ----------------------------------------------------------- what is counted

    def conjunctions(self, members: np.ndarray) -> np.ndarray:
        """Label counts of conjunctions of the conditions that are held."""
        return conjunction_counts(self._covers, members.astype(np.int32), self._layout)

    def digests(self, members: np.ndarray) -> list[bytes]:
        """A digest of each conjunction's cover."""
        digests = []
        for row in members:
            cover = np.bitwise_and.reduce(self._covers[row[row >= 0]], axis=0)
            digests.append(hashlib.blake2b(cover.data, digest_size=16).digest())
        return digests

    def among_remaining(
        self, members: np.ndarray, captured_by: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Label counts among observations that no given conjunction captures.

        Of the members, and of single conditions, with those of everybody who remains as the last.
        """
        remaining = self._everyone.copy()
        for conjunction in captured_by:
            remaining &= ~np.bitwise_and.reduce(self._covers[conjunction], axis=0)
        covers = zero_words(len(self._covers) + 1, self._layout.n_words)
        np.bitwise_and(self._covers, remaining, out=covers[:-1])
        covers[-1] = remaining
        own = np.arange(len(covers), dtype=np.int32)[:, None]
        return (
            conjunction_counts(covers, members.astype(np.int32), self._layout),
            conjunction_counts(covers, own, self._layout),
        )

    def truth_at(self, ranks: Sequence[tuple[int, int, np.ndarray]]) -> np.ndarray:
        """Whether conditions are true of some observations, as packed bits for each condition.

        Observations are given by label and weight of a section, and their ranks in it.
        """
        layout = self._layout
        sections = zip(layout.section_labels, layout.section_weights, strict=True)
        starts = {
            (int(label), int(weight)): int(layout.section_starts[s]) * 64
            for s, (label, weight) in enumerate(sections)
        }
        some = [starts[label, weight] + within for label, weight, within in ranks if len(within)]
        bits = np.concatenate(some) if some else np.zeros(0, dtype=np.int64)
        words, shifts = bits // 64, (bits % 64).astype(np.uint64)
        packed = np.zeros((len(self._covers), -(-len(bits) // 8)), dtype=np.uint8)
        for row, cover in zip(packed, self._covers, strict=True):
            row[:] = np.packbits((cover[words] >> shifts & np.uint64(1)).astype(bool))
        return packed

    def patterns(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Subsets of some antecedents, as their complements, and label counts of what they cover.

        Only those that occur here.
        """
        data = self._posed()
        counts = np.zeros((1 << len(chosen), len(self._layout.label_totals)), dtype=np.int64)
        words = np.zeros(len(chosen), dtype=np.uint64)
        exact_sum.count_patterns(data, chosen, words, 0, self._layout.n_words, counts)
        rows = np.flatnonzero(counts.any(axis=1))
        return rows, counts[rows]

    def count_lists(self, lists: Sequence[Sequence[int]]) -> np.ndarray:
        """Label counts of what each rule of some lists captures, the default rules included."""
        counts = []
        for antecedents in lists:
            captured = self._captured(antecedents)
            own = np.arange(len(captured), dtype=np.int32)[:, None]
            counts.append(conjunction_counts(captured, own, self._layout))
        return np.concatenate(counts)

    # --------------------------------------------------------------- what is sampled

    def perform(self, requests: Sequence[tuple[Any, ...]]) -> list[np.ndarray | None]:
        """Handle the requests of chains, each a tuple that begins with its kind.

        (LOAD, chain, lists, rows) brings a chain's replicas to some lists; (STEP, chain, accepted,
        proposals) writes the changes that were accepted before, and counts new proposals.
        """
        done: list[np.ndarray | None] = []
        for what, chain, *arguments in requests:
            perform = self._load if what == LOAD else self._step
            done.append(perform(chain, *arguments))
        return done

    def _load(self, chain: int, lists: Sequence[Sequence[int]], rows: np.ndarray) -> None:
        n_replicas, n_rows = rows.shape
        n_words, n_labels = self._layout.n_words, len(self._layout.label_totals)
        self._states.pop(chain, None)
        n_bytes = rows.size * n_words * 8
        require_memory("The lists of a chain in a shard", n_bytes, TOO_LITTLE)
        state = _empty_state(n_replicas, n_rows - 1, n_words, n_labels)
        state.rows[:] = rows
        for r, antecedents in enumerate(lists):
            state.length[r] = len(antecedents)
            state.antecedent_list[r, : len(antecedents)] = antecedents
            state.captured[rows[r, : len(antecedents) + 1]] = self._captured(antecedents)
        self._states[chain] = state

    def _step(self, chain: int, accepted: np.ndarray | None, proposals: np.ndarray) -> np.ndarray:
        data, state = self._posed(), self._states[chain]
        proposals = np.array(proposals)  # what arrives may be read only, which compiled code minds
        if accepted is not None:
            split_step.apply_changes(data, state, np.array(accepted))
        counts = np.zeros(
            (len(proposals), shape_of_counts(proposals), len(state.pending_counts)), dtype=np.int64
        )
        split_step.count_changes(data, state, proposals, counts)
        return counts

    def _captured(self, antecedents: Sequence[int]) -> np.ndarray:
        """What each rule of a list captures, the default rule's last."""
        data = self._posed()
        captured = zero_words(len(antecedents) + 1, self._layout.n_words)
        left = self._everyone.copy()
        is_lazy = data.condition_ids.shape[1] > 0
        for j, a in enumerate(antecedents):
            parts = data.condition_ids[a] if is_lazy else np.array([a])
            cover = np.bitwise_and.reduce(data.covers[parts[parts >= 0]], axis=0)
            np.bitwise_and(left, cover, out=captured[j])
            left ^= captured[j]
        captured[-1] = left
        return captured

    def _posed(self) -> compiled.Data:
        assert self._data is not None, "a shard is asked for antecedents before it has them"
        return self._data


def shape_of_counts(proposals: np.ndarray) -> int:
    """How many rows of counts the proposal needs that concerns most rules."""
    change = split_step.FIRST_OF_CHANGE
    first, last = proposals[:, change + 5], proposals[:, change + 6]
    return split_step.OTHERS + max(0, int((last - first + 1).max(initial=0)))


def _empty_state(n_replicas: int, capacity: int, n_words: int, n_labels: int) -> compiled.State:
    """A state with room for lists and what they capture, and none for what a prior needs."""
    whole = np.zeros(0, dtype=np.int64)
    return compiled.State(
        replica=whole,
        temperature=whole,
        steps_left=whole,
        n_swap_rounds=whole,
        length=np.zeros(n_replicas, dtype=np.int64),
        log_posterior=np.zeros(0),
        log_tempered=np.zeros(0),
        antecedent_list=np.zeros((n_replicas, capacity), dtype=np.int64),
        rows=np.zeros((n_replicas, capacity + 1), dtype=np.int64),
        captured=zero_words(n_replicas * (capacity + 1), n_words),
        label_counts=np.zeros((0, n_labels), dtype=np.int64),
        log_likelihoods=np.zeros(0),
        in_list=np.zeros((0, 0), dtype=bool),
        used=np.zeros((0, 0), dtype=np.int64),
        new_counts=np.zeros((capacity + 1, n_labels), dtype=np.int64),
        rule_counts=np.zeros((1, n_labels), dtype=np.int64),
        pending=zero_words(compiled.BLOCK_WORDS),
        pending_counts=np.zeros(n_labels, dtype=np.int64),
        trial=whole,
        trial_used=whole,
        lazy_cover=zero_words(compiled.BLOCK_WORDS),
        position_weights=np.zeros(0),
    )
