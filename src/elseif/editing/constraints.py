"""The best drawn list that contains what it must and nothing that it must not."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import Condition
from elseif.errors import ParamError
from elseif.posterior.draws import Posterior
from elseif.tables.reading import Table
from elseif.visible import show_name


@dataclass(frozen=True)
class Constraint:
    """A constraint on a list, satisfied by any of some antecedents of the pool."""

    text: str
    antecedents: frozenset[int]


@dataclass(frozen=True)
class Constraints:
    """What a list must have, and what it must not."""

    must: tuple[Constraint, ...]
    must_not: tuple[Constraint, ...]

    @classmethod
    def read(
        cls,
        must: Any,
        must_not: Any,
        read: Callable[[Any], Antecedent],
        pool: Pool,
        table: Table,
    ) -> Constraints:
        """Constraints as the user writes them: one, or a list of them."""
        constraints = cls(
            tuple(_constraint(entry, read, pool, table) for entry in _entries(must)),
            tuple(_constraint(entry, read, pool, table) for entry in _entries(must_not)),
        )
        if not constraints.must and not constraints.must_not:
            raise ParamError("Say what the list must have (must=) or must not have (must_not=).")
        return constraints

    @property
    def text(self) -> str:
        """The constraints in words."""
        parts = [f"with {constraint.text}" for constraint in self.must]
        parts += [f"without {constraint.text}" for constraint in self.must_not]
        return " and ".join(parts)

    def satisfied_by(self, items: Iterable[int]) -> bool:
        """Whether a list satisfies all constraints."""
        in_list = frozenset(items)
        has_all = all(constraint.antecedents & in_list for constraint in self.must)
        return has_all and not any(constraint.antecedents & in_list for constraint in self.must_not)


def best_list(posterior: Posterior, constraints: Constraints) -> int:
    """The most probable drawn list that satisfies the constraints, by its place in ``distinct``."""
    for i in posterior.best_first:
        if constraints.satisfied_by(posterior.distinct.antecedent_list(int(i))):
            return int(i)
    raise ParamError(
        f"None of the {len(posterior.distinct):,} lists drawn is one {constraints.text}. Fit again "
        "with antecedents= set to those that may be used, or edit the list by hand."
    )


def _entries(given: Any) -> list[Any]:
    """A list of constraints; a tuple, a text or an antecedent is one constraint."""
    if isinstance(given, list):
        return given
    if isinstance(given, tuple) and not given and not isinstance(given, Antecedent):
        return []
    return [given]


def _constraint(
    entry: Any, read: Callable[[Any], Antecedent], pool: Pool, table: Table
) -> Constraint:
    if isinstance(entry, str) and entry in table:
        holders = [a for a, antecedent in enumerate(pool) if entry in antecedent.columns]
        return Constraint(f"column {show_name(entry, 80)!r}", frozenset(holders))
    if isinstance(entry, str):
        named = [condition for condition in pool.conditions if condition.name == entry]
        if named:
            return _condition_constraint(named[0], pool)
    antecedent = read(entry)
    if len(antecedent) == 1 and not isinstance(entry, Antecedent):
        return _condition_constraint(antecedent[0], pool)
    same = [a for a, known in enumerate(pool) if known == antecedent]
    return Constraint(f"the rule '{show_name(antecedent.name, 80)}'", frozenset(same))


def _condition_constraint(condition: Condition, pool: Pool) -> Constraint:
    number = np.array([known == condition for known in pool.conditions], dtype=bool)
    owners = np.repeat(np.arange(len(pool)), pool.cardinalities)
    holders = owners[number[pool.condition_ids]]
    return Constraint(f"'{show_name(condition.name, 80)}'", frozenset(holders.tolist()))
