"""The user's own antecedents and weights, read and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.errors import ParamError, ParamTypeError
from elseif.tables.binarise import in_order
from elseif.tables.columns import Column, Kind
from elseif.tables.conditions import (
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    NUMERIC_OPERATORS,
    ONE_OF,
    OPERATORS,
    TRUE,
    UNEQUAL,
    Condition,
)
from elseif.tables.reading import Table

SPELLINGS = {"==": EQUAL, "is": EQUAL, "is not": UNEQUAL, "<>": UNEQUAL, "≤": "<=", "≥": ">="}


def read_antecedents(
    antecedents: Any,
    table: Table,
    kinds: Mapping[str, Kind],
    orders: Mapping[str, tuple[Any, ...]] | None = None,
) -> list[Antecedent]:
    """Conjunctions, each a tuple of column names and (column, operator, value) triples."""
    if isinstance(antecedents, (str, bytes)) or not isinstance(antecedents, Iterable):
        raise ParamTypeError(
            "antecedents must be a list of tuples of conditions, "
            f"such as [('f1', 'f2'), (('age', '>', 60),)], not {antecedents!r}."
        )

    def column(name: str) -> Column:
        read = table.column(name, kinds.get(name))
        return in_order(read, orders[name]) if orders and name in orders else read

    read = [Antecedent(_conjunction(entry, table, column)) for entry in antecedents]
    seen: set[Antecedent] = set()
    for entry, antecedent in zip(antecedents, read, strict=True):
        if not antecedent:
            raise ParamError(
                f"antecedents: {entry!r} has no condition; the default rule is implied."
            )
        if antecedent in seen:
            raise ParamError(f"antecedents: {antecedent.name!r} is given more than once.")
        seen.add(antecedent)
    return read


def _conjunction(entry: Any, table: Table, column: Callable[[str], Column]) -> set[Condition]:
    if isinstance(entry, Antecedent):
        return set(entry)
    if isinstance(entry, (str, Condition)) or _is_triple(entry, table):
        entry = (entry,)
    if not isinstance(entry, (tuple, list, set, frozenset)):
        raise ParamTypeError(f"antecedents: {entry!r} is not a tuple of conditions.")
    return {_condition(part, table, column) for part in entry}


def _is_triple(entry: Any, table: Table) -> bool:
    """Whether ("age", ">", 60) stands for one condition rather than three columns."""
    return (
        isinstance(entry, (tuple, list))
        and len(entry) in (2, 3)
        and isinstance(entry[0], str)
        and isinstance(entry[1], str)
        and entry[1] not in table
        and SPELLINGS.get(entry[1], entry[1]) in OPERATORS
    )


def _condition(part: Any, table: Table, get_column: Callable[[str], Column]) -> Condition:
    if isinstance(part, Condition):
        part = (part.column, part.operator, part.value)
    if isinstance(part, str):
        part = (part, TRUE, None)
    if not (isinstance(part, (tuple, list)) and len(part) in (2, 3)):
        raise ParamTypeError(
            f"antecedents: {part!r} is neither a column name nor (column, operator, value)."
        )
    name, operator, value = part if len(part) == 3 else (*part, None)
    operator = SPELLINGS.get(operator, operator)
    if name not in table:
        raise ParamError(f"antecedents: the table has no column {name!r}.")
    column = get_column(name)
    if operator not in OPERATORS:
        allowed = ", ".join(map(repr, OPERATORS))
        raise ParamError(f"antecedents: operator {operator!r} on {name!r}; use one of {allowed}.")
    if operator == MISSING:
        return Condition(name, MISSING)
    if column.kind is Kind.BOOLEAN:
        return _boolean_condition(name, operator, value)
    if operator in (TRUE, FALSE):
        raise ParamError(
            f"antecedents: {name!r} is a {column.kind} column; "
            f"write ({name!r}, operator, value) to say what of it is meant."
        )
    return _valued_condition(column, operator, value)


def _boolean_condition(name: str, operator: str, value: Any) -> Condition:
    if operator in (TRUE, FALSE):
        return Condition(name, operator)
    if operator in (EQUAL, UNEQUAL) and value in (0, 1):
        return Condition(name, TRUE if bool(value) == (operator == EQUAL) else FALSE)
    raise ParamError(f"antecedents: {name!r} is a boolean column; {operator} {value!r} is not.")


def _valued_condition(column: Column, operator: str, value: Any) -> Condition:
    if operator == ONE_OF:
        value = tuple(value)
    if operator == BETWEEN:
        low, high = value
        value = (low, high)
    if column.codes is None:
        parts = value if isinstance(value, tuple) else (value,)
        if column.kind is Kind.DATE:
            parts = tuple(np.datetime64(v, "us") for v in parts)
        elif any(isinstance(v, (str, bytes)) or not math.isfinite(v) for v in parts):
            raise ParamError(f"antecedents: {column.name!r} is numeric; {value!r} is no number.")
        return Condition(column.name, operator, parts if isinstance(value, tuple) else parts[0])
    parts = value if isinstance(value, tuple) else (value,)
    unknown = [v for v in parts if v not in column.categories]
    if unknown:
        known = ", ".join(repr(c) for c in column.categories[:10])
        raise ParamError(f"antecedents: {column.name!r} has no {unknown[0]!r}; it has {known}.")
    if operator in NUMERIC_OPERATORS and column.kind is not Kind.ORDERED:
        raise ParamError(
            f"antecedents: {column.name!r} is an unordered category; {operator} needs an order. "
            f"Say kinds={{{column.name!r}: 'ordered'}} if it has one."
        )
    ordered = operator in NUMERIC_OPERATORS or operator == UNEQUAL
    return Condition(column.name, operator, value, column.categories if ordered else None)


def read_weights(
    weights: Mapping[Any, float] | None, pool: Pool, columns: Iterable[str]
) -> np.ndarray:
    """The weight w(a) of each antecedent.

    A key is a column, a condition's name, an antecedent's name, or a tuple of
    conditions' names. What is said of a whole antecedent holds; else the weights of
    its columns and conditions multiply.
    """
    result = np.ones(len(pool))
    if weights is None:
        return result
    if not isinstance(weights, Mapping):
        raise ParamTypeError(f"antecedent_weights must be a dict, not {weights!r}.")
    by_key: dict[Any, float] = {}
    for key, weight in weights.items():
        if isinstance(weight, (str, bytes)) or not (math.isfinite(weight) and weight > 0):
            raise ParamError(
                f"antecedent_weights[{key!r}] is {weight!r}; a weight is a positive number."
            )
        by_key[frozenset(map(str, key)) if isinstance(key, (tuple, list)) else key] = float(weight)
    known: set[Any] = set(columns)
    for a, antecedent in enumerate(pool):
        names = frozenset(condition.name for condition in antecedent)
        parts = [*antecedent.columns, *(n for n in names if n not in antecedent.columns)]
        known |= {names, pool.names[a], *parts}
        if names in by_key:
            result[a] = by_key[names]
        elif antecedent.cardinality > 1 and pool.names[a] in by_key:
            result[a] = by_key[pool.names[a]]
        else:
            result[a] = math.prod(by_key.get(part, 1.0) for part in parts)
    unknown = [key for key in by_key if key not in known]
    if unknown:
        shown = tuple(unknown[0]) if isinstance(unknown[0], frozenset) else unknown[0]
        raise ParamError(
            f"antecedent_weights: {shown!r} is neither a column, a condition nor an antecedent "
            "of the pool."
        )
    return result
