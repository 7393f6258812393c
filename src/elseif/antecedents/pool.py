"""The pool: the collection of antecedents that lists are made of (section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition


@dataclass(frozen=True, eq=False)
class Pool:
    """Antecedents in canonical order: by cardinality, then by their conditions.

    The conditions of antecedent i are numbers ``condition_ids[offsets[i] : offsets[i + 1]]``,
    so that one long conjunction takes no room in all the others.
    """

    conditions: tuple[Condition, ...]  # in canonical order
    offsets: np.ndarray  # int64 (antecedents + 1,), into condition_ids
    condition_ids: np.ndarray  # int32: into conditions
    supports: np.ndarray  # share of the observations that each covers
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)  # same cover, left out

    @classmethod
    def from_members(
        cls,
        conditions: tuple[Condition, ...],
        members: np.ndarray,
        supports: np.ndarray,
        aliases: dict[str, tuple[str, ...]] | None = None,
    ) -> Pool:
        """A pool from rows of condition numbers, padded with -1."""
        is_condition = members >= 0
        offsets = np.concatenate([[0], np.cumsum(is_condition.sum(axis=1))]).astype(np.int64)
        return cls(
            conditions, offsets, members[is_condition].astype(np.int32), supports, aliases or {}
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Antecedent]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> Antecedent:
        position = range(len(self))[index]
        first, end = self.offsets[position : position + 2]
        return Antecedent(self.conditions[c] for c in self.condition_ids[first:end])

    def __repr__(self) -> str:
        by_size = np.bincount(self.cardinalities)[1:].tolist()
        sizes = ", ".join(f"{n} of cardinality {c}" for c, n in enumerate(by_size, 1) if n)
        return f"Pool({len(self)} antecedents: {sizes or 'none'})"

    @cached_property
    def antecedents(self) -> tuple[Antecedent, ...]:
        return tuple(self)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """A name for each antecedent; a twin of the same spelling gets a number."""
        plain = [antecedent.name for antecedent in self.antecedents]
        taken = set(plain)  # a column may itself be named "a and b (2)"
        numbers: dict[str, Iterator[int]] = {}  # those that a name has not had
        names = []
        for name in plain:
            shown = name
            if name in numbers:
                shown = next(s for k in numbers[name] if (s := f"{name} ({k})") not in taken)
            else:
                numbers[name] = count(2)
            names.append(shown)
        return tuple(names)

    @cached_property
    def cardinalities(self) -> np.ndarray:
        return np.diff(self.offsets)

    @cached_property
    def members(self) -> np.ndarray:
        """Antecedents as rows of condition numbers, -1 for none: int32, as samplers read them."""
        rows = np.full((len(self), int(self.cardinalities.max(initial=1))), -1, dtype=np.int32)
        rows[np.arange(rows.shape[1]) < self.cardinalities[:, None]] = self.condition_ids
        return rows

    def conditions_of(self, antecedents: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The condition numbers of some antecedents one after another, and where each begins."""
        sizes = self.cardinalities[antecedents]
        starts = np.cumsum(sizes) - sizes
        within = np.arange(int(sizes.sum())) - np.repeat(starts, sizes)
        return self.condition_ids[np.repeat(self.offsets[antecedents], sizes) + within], starts


def canonical_order(members: np.ndarray) -> np.ndarray:
    """Positions of antecedents sorted by cardinality, then by their conditions."""
    cardinalities = (members >= 0).sum(axis=1)
    return np.lexsort((*members.T[::-1], cardinalities))


def pool_members(antecedents: Sequence[Antecedent], conditions: Sequence[Condition]) -> np.ndarray:
    """Antecedents as rows of condition numbers."""
    position = {condition: i for i, condition in enumerate(conditions)}
    width = max((len(a) for a in antecedents), default=1)
    members = np.full((len(antecedents), width), -1, dtype=np.int32)
    for row, antecedent in zip(members, antecedents, strict=True):
        row[: len(antecedent)] = sorted(position[c] for c in antecedent)
    return members


def pool_of(antecedents: Sequence[Antecedent]) -> Pool:
    """A pool of some antecedents, of unknown support."""
    conditions = tuple(dict.fromkeys(c for antecedent in antecedents for c in antecedent))
    supports = np.full(len(antecedents), np.nan)
    return Pool.from_members(conditions, pool_members(antecedents, conditions), supports)
