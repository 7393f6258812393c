"""The best drawn list that has what is wanted and lacks what is not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.errors import ParamError
from elseif.posterior.draws import Posterior
from elseif.showing.visible import show_name
from elseif.tables.conditions import Condition
from elseif.tables.reading import Table


@dataclass(frozen=True)
class Wish:
    """Something that a list may have: antecedents of the pool any of which grants it."""

    text: str
    antecedents: frozenset[int]


@dataclass(frozen=True)
class Wanted:
    """What a list must have, and what it must not."""

    must: tuple[Wish, ...]
    must_not: tuple[Wish, ...]

    @classmethod
    def read(
        cls,
        must: Any,
        must_not: Any,
        read: Callable[[Any], Antecedent],
        pool: Pool,
        table: Table,
    ) -> Wanted:
        """Wishes as the user writes them: one, or a list of them."""
        wanted = cls(
            tuple(_wish(entry, read, pool, table) for entry in _entries(must)),
            tuple(_wish(entry, read, pool, table) for entry in _entries(must_not)),
        )
        if not wanted.must and not wanted.must_not:
            raise ParamError("Say what the list must have (must=) or must not have (must_not=).")
        return wanted

    @property
    def text(self) -> str:
        """The wishes in words."""
        parts = [f"with {wish.text}" for wish in self.must]
        parts += [f"without {wish.text}" for wish in self.must_not]
        return " and ".join(parts)

    def granted(self, items: Iterable[int]) -> bool:
        """Whether a list has all that it must and nothing that it must not."""
        found = frozenset(items)
        has_all = all(wish.antecedents & found for wish in self.must)
        return has_all and not any(wish.antecedents & found for wish in self.must_not)


def best_list(posterior: Posterior, wanted: Wanted) -> int:
    """The most probable drawn list that grants the wishes, by its place in ``distinct``."""
    for i in posterior.best_first:
        if wanted.granted(posterior.distinct.antecedent_list(int(i))):
            return int(i)
    raise ParamError(
        f"None of the {len(posterior.distinct):,} lists drawn is one {wanted.text}. Fit again with "
        "antecedents= set to those that may be used, or edit the list by hand."
    )


def _entries(told: Any) -> list[Any]:
    """A list of wishes; a tuple, a text or an antecedent is one wish."""
    if isinstance(told, list):
        return told
    if isinstance(told, tuple) and not told and not isinstance(told, Antecedent):
        return []
    return [told]


def _wish(entry: Any, read: Callable[[Any], Antecedent], pool: Pool, table: Table) -> Wish:
    if isinstance(entry, str) and entry in table:
        holders = [a for a, antecedent in enumerate(pool) if entry in antecedent.columns]
        return Wish(f"column {show_name(entry, 80)!r}", frozenset(holders))
    if isinstance(entry, str):
        named = [condition for condition in pool.conditions if condition.name == entry]
        if named:
            return _condition_wish(named[0], pool)
    antecedent = read(entry)
    if len(antecedent) == 1 and not isinstance(entry, Antecedent):
        return _condition_wish(antecedent[0], pool)
    same = [a for a, known in enumerate(pool) if known == antecedent]
    return Wish(f"the rule '{show_name(antecedent.name, 80)}'", frozenset(same))


def _condition_wish(condition: Condition, pool: Pool) -> Wish:
    number = np.array([known == condition for known in pool.conditions], dtype=bool)
    owners = np.repeat(np.arange(len(pool)), pool.cardinalities)
    holders = owners[number[pool.condition_ids]]
    return Wish(f"'{show_name(condition.name, 80)}'", frozenset(holders.tolist()))
