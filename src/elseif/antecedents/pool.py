"""The pool: the collection of antecedents that lists are made of (section 2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.tables.conditions import Condition


@dataclass(frozen=True, eq=False)
class Pool:
    """Antecedents in canonical order: by cardinality, then by their conditions."""

    conditions: tuple[Condition, ...]  # in canonical order
    members: np.ndarray  # int32 (antecedents, most conditions): condition numbers, -1 for none
    supports: np.ndarray  # share of the observations that each covers
    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)  # same cover, left out

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[Antecedent]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> Antecedent:
        return Antecedent(self.conditions[c] for c in self.members[index] if c >= 0)

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
        first: set[str] = set()
        names = []
        for name in plain:
            shown = name
            if name in first:
                shown = next(s for k in count(2) if (s := f"{name} ({k})") not in taken)
                taken.add(shown)
            first.add(name)
            names.append(shown)
        return tuple(names)

    @cached_property
    def cardinalities(self) -> np.ndarray:
        return (self.members >= 0).sum(axis=1).astype(np.int64)


def canonical_order(members: np.ndarray) -> np.ndarray:
    """Places of antecedents sorted by cardinality, then by their conditions."""
    cardinalities = (members >= 0).sum(axis=1)
    return np.lexsort((*members.T[::-1], cardinalities))


def pool_members(antecedents: Sequence[Antecedent], conditions: Sequence[Condition]) -> np.ndarray:
    """Antecedents as rows of condition numbers."""
    place = {condition: i for i, condition in enumerate(conditions)}
    width = max((len(a) for a in antecedents), default=1)
    members = np.full((len(antecedents), width), -1, dtype=np.int32)
    for row, antecedent in zip(members, antecedents, strict=True):
        row[: len(antecedent)] = sorted(place[c] for c in antecedent)
    return members
