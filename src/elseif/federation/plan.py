"""The plan that sites agree on: columns, conditions, antecedents and labels, but no counts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import (
    BETWEEN,
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    UNEQUAL,
    Condition,
)
from elseif.disclosure.rounding import check_min_cell
from elseif.errors import DataError, DisclosureError, ParamError
from elseif.explaining.cells import cells_of_column
from elseif.tables.columns import Column, Kind

CATEGORIES = (Kind.CATEGORY, Kind.ORDERED)


@dataclass(frozen=True)
class PlanColumn:
    """A column that the plan asks every site for.

    Attributes
    ----------
    name : str
        Its name.
    kind : Kind
        Its kind.
    levels : tuple
        Categories that conditions may name, in their order if they have one.
    other_levels : bool
        Whether sites may have categories that the plan does not name.

    Examples
    --------
    >>> from elseif.federation import PlanColumn
    >>> PlanColumn("sex", "category", ("female", "male")).other_levels
    True
    """

    name: str
    kind: Kind
    levels: tuple[Any, ...] = ()
    other_levels: bool = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", Kind(self.kind))


@dataclass(frozen=True, eq=False)
class Plan:
    """What sites count, agreed in advance.

    Attributes
    ----------
    name : str
        What the plan is called.
    outcome : str | None
        Column of the label.
    classes : ndarray
        The labels, in their order.
    columns : tuple[PlanColumn, ...]
        Columns that conditions are about.
    antecedents : tuple[Antecedent, ...]
        The pool that lists are made of.
    cohort : dict | None
        The cohort of the table that the plan was made from: definition and concepts.
    notes : tuple[str, ...]
        What was left out of the plan, and why; not part of the file.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y, name="Titanic")
    >>> [column.name for column in plan.columns], len(plan.antecedents), plan.n_patterns
    (['age', 'class', 'sex'], 15, 30)
    """

    name: str
    outcome: str | None
    classes: np.ndarray
    columns: tuple[PlanColumn, ...]
    antecedents: tuple[Antecedent, ...]
    cohort: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def sha256(self) -> str:
        """SHA-256 of what sites agreed on: two plans that ask for the same counts have the same."""
        from elseif.federation.plan_file import plan_hash

        return plan_hash(self)

    @cached_property
    def conditions(self) -> dict[str, tuple[Condition, ...]]:
        """The conditions of the pool by column."""
        distinct = sorted({c for a in self.antecedents for c in a}, key=Condition.sort_key)
        return {
            column.name: tuple(c for c in distinct if c.column == column.name)
            for column in self.columns
        }

    @cached_property
    def cells(self) -> dict[str, tuple[tuple[bool, ...], ...]]:
        """For each column, the ways in which its conditions can be true or false together."""
        return {c.name: cells_of_plan_column(c, self.conditions[c.name]) for c in self.columns}

    @property
    def n_patterns(self) -> int:
        """How many patterns of conditions are possible."""
        n = 1
        for cells in self.cells.values():
            n *= len(cells)
        return n

    @property
    def kinds(self) -> dict[str, Kind]:
        """Kinds of the columns."""
        return {column.name: column.kind for column in self.columns}


def cells_of_plan_column(
    column: PlanColumn, conditions: Sequence[Condition]
) -> tuple[tuple[bool, ...], ...]:
    """The distinct truths of the conditions on a column, each once.

    Missing values have a cell of their own where a condition asks for them; else they are in that
    of any value for which no condition is true, and sites do not distinguish the two.
    """
    levels = column.levels or None
    truths = [c.truth for c in cells_of_column(column.name, column.kind, conditions, levels)]
    if column.kind in CATEGORIES:
        truths.append(tuple(c.operator == UNEQUAL and not c.order for c in conditions))
    return tuple(dict.fromkeys(truths))


def empty_column(column: PlanColumn) -> Column:
    """A column of the kind and the levels that the plan states, without rows."""
    if column.kind in CATEGORIES:
        none = np.zeros(0, dtype=np.int64)
        return Column(column.name, column.kind, 0, codes=none, categories=column.levels)
    if column.kind is Kind.BOOLEAN:
        from elseif.tables.columns import boolean_column

        return boolean_column(column.name, np.zeros(0, dtype=bool))
    dtype = "datetime64[us]" if column.kind is Kind.DATE else np.float64
    return Column(column.name, column.kind, 0, numbers=np.zeros(0, dtype=dtype))


class PlanTable:
    """The columns of a plan as a table without rows, by which antecedents are checked."""

    def __init__(self, columns: Iterable[PlanColumn]) -> None:
        self._columns = {column.name: empty_column(column) for column in columns}
        self.names = list(self._columns)

    def __contains__(self, name: str) -> bool:
        return name in self._columns

    def column(self, name: str, kind: Kind | None = None) -> Column:
        """A column by its name."""
        return self._columns[name]


def make_plan(
    X: Any, y: Any, *, name: str = "plan", min_cell: int | None = None, **settings: Any
) -> Plan:
    """Make a plan from the data of one site: its conditions, its frequent antecedents, its labels.

    The plan contains no counts. It does contain cut points and the names of frequent categories of
    these data, which the site thereby reveals to the others.

    Parameters
    ----------
    X, y : table and labels
        Data of the coordinating site, in any form that ``fit`` takes.
    name : str, default="plan"
        What the plan is called.
    min_cell : int, default=None
        Leave out antecedents that name, or need the order of, categories of fewer people.
    **settings
        Settings of `BayesianRuleListClassifier` that make the pool, such as ``min_support``,
        ``max_cardinality``, ``cuts``, ``kinds`` or ``antecedents``.

    Returns
    -------
    Plan
        The plan, to be saved with `save_plan` and sent to all sites.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import make_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y, min_support=0.3, max_cardinality=1)
    >>> [antecedent.name for antecedent in plan.antecedents]
    ['age = adult', 'class = 3rd', 'class = crew', 'sex = male']
    """
    from elseif.antecedents.named_levels import only_named_levels
    from elseif.bits.packing import make_layout
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.federation.strict_file import check_text
    from elseif.parameters import check_parameters, settings_of, without_learn
    from elseif.tables.labels import name_of, read_pseudocounts
    from elseif.tables.origin import origin_of
    from elseif.tables.reading import read_table
    from elseif.training_labels import training_labels

    check_text(name, "The name of the plan")
    smallest = check_min_cell(min_cell)
    classifier = BayesianRuleListClassifier(**settings)
    check_parameters(classifier)
    table = read_table(X, allow_infinite=classifier.infinite == "outer")
    labels = training_labels(classifier, y, None, table)
    layout = make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)
    with_defaults, _ = without_learn(settings_of(classifier))
    pseudocounts = read_pseudocounts(with_defaults["pseudocounts"], labels.classes)
    binarised, mined = classifier._pool(table, labels, layout, pseudocounts)
    reports, conditions = only_named_levels(binarised, mined.pool.conditions)
    by_place = [mined.pool.condition_ids[a:b] for a, b in _pairs(mined.pool.offsets)]
    antecedents = [Antecedent(conditions[i] for i in places) for places in by_place]
    known = {report.name: report for report in reports}
    notes: tuple[str, ...] = ()
    if smallest is not None:
        antecedents, notes = _without_rare_levels(antecedents, table, known, smallest)
    if not antecedents:
        raise DataError("The plan would be empty: no antecedent reaches the support.")
    used = sorted({c.column for a in antecedents for c in a})
    columns = [PlanColumn(n, known[n].kind, *_levels(n, known[n].kind, antecedents)) for n in used]
    return Plan(
        name=name,
        outcome=name_of(y),
        classes=labels.classes,
        columns=tuple(columns),
        antecedents=tuple(antecedents),
        cohort=origin_of(X, set(used)),
        notes=notes,
    )


def _pairs(offsets: np.ndarray) -> Iterable[tuple[int, int]]:
    return zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)


def _levels(
    name: str, kind: Kind, antecedents: Iterable[Antecedent]
) -> tuple[tuple[Any, ...], bool]:
    """Categories that conditions on a column name, and whether they distinguish any others."""
    if kind not in CATEGORIES:
        return (), True
    conditions = [c for a in antecedents for c in a if c.column == name]
    order = next((c.order for c in conditions if c.order), None)
    is_closed = any(c.order for c in conditions if c.operator == UNEQUAL)
    if order is not None:
        return tuple(order), not is_closed
    named: dict[Any, None] = {}
    for condition in conditions:
        named |= dict.fromkeys(named_levels(condition))
    return tuple(sorted(named, key=lambda v: (str(type(v)), v))), True


def named_levels(condition: Condition) -> tuple[Any, ...]:
    """The categories that a condition names as its value."""
    if condition.operator == MISSING:
        return ()
    several = condition.operator in (ONE_OF, BETWEEN)
    return tuple(condition.value) if several else (condition.value,)


def _without_rare_levels(
    antecedents: Sequence[Antecedent], table: Any, known: Mapping[str, Any], min_cell: int
) -> tuple[list[Antecedent], tuple[str, ...]]:
    """Antecedents that reveal no category of fewer people than the minimum cell."""
    rare: dict[str, set[Any]] = {}
    for name in {c.column for a in antecedents for c in a}:
        if known[name].kind in CATEGORIES:
            column = table.column(name, known[name].kind)
            counts = np.bincount(column.codes[column.codes >= 0], minlength=len(column.categories))
            rare[name] = {v for v, n in zip(column.categories, counts, strict=True) if n < min_cell}
    kept = [a for a in antecedents if not any(_tells(c, rare.get(c.column, ())) for c in a)]
    dropped = sorted({n for a in antecedents for n in a.columns if rare.get(n)})
    if len(kept) == len(antecedents):
        return list(antecedents), ()
    if not kept:
        raise DisclosureError(
            f"Every antecedent would reveal a category of fewer than {min_cell} people: group "
            "rare categories (group_rare), or leave the columns out."
        )
    return kept, (
        f"{len(antecedents) - len(kept):,} antecedents were left out because they would reveal "
        f"categories of fewer than {min_cell} people, of {', '.join(map(repr, dropped))}.",
    )


def _tells(condition: Condition, rare: Collection[Any]) -> bool:
    needs_order = condition.operator in (*NUMERIC_OPERATORS, UNEQUAL)
    levels = (*named_levels(condition), *((condition.order or ()) if needs_order else ()))
    return any(level in rare for level in levels)


def check_plan_matches(plan: Plan, sha256: str, name: str) -> None:
    """Refuse counts that were made under another plan."""
    if plan.sha256 != sha256:
        raise ParamError(
            f"{name} was counted under another plan (SHA-256 {sha256[:12]}...) than "
            f"{plan.name!r} ({plan.sha256[:12]}...): its patterns stand for other conditions. Ask "
            "the site to count again under this plan."
        )
