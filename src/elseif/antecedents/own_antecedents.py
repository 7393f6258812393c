"""The user's own antecedents and weights, read and checked."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.checks import LARGEST_NUMBER, did_you_mean, is_number, nearest_name
from elseif.conditions.binarise import in_order
from elseif.conditions.condition import (
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
from elseif.errors import ParamError, ParamTypeError
from elseif.tables.columns import Column, Kind
from elseif.tables.families import category_form, family
from elseif.tables.reading import Table
from elseif.tables.times import as_date
from elseif.tables.values import refuse_other_numbers

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

    antecedents = list(antecedents)

    def column(name: str) -> Column:
        read = table.column(name, kinds.get(name))
        refuse_other_numbers(read)
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
    if not isinstance(name, str) or name not in table:
        raise ParamError(
            f"antecedents: the table has no column {name!r}; {did_you_mean(str(name), table.names)}"
        )
    column = get_column(name)
    if isinstance(operator, str):
        operator = SPELLINGS.get(operator, operator)
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
            f"write ({name!r}, operator, value) to say which of its values are meant."
        )
    return _valued_condition(column, operator, value)


def _boolean_condition(name: str, operator: str, value: Any) -> Condition:
    if operator in (TRUE, FALSE):
        return Condition(name, operator)
    is_truth = isinstance(value, (bool, np.bool_, int, float, np.number)) and value in (0, 1)
    if operator in (EQUAL, UNEQUAL) and is_truth:
        return Condition(name, TRUE if bool(value) == (operator == EQUAL) else FALSE)
    raise ParamError(f"antecedents: {name!r} is a boolean column; {operator} {value!r} is not.")


def _valued_condition(column: Column, operator: str, value: Any) -> Condition:
    name = column.name
    parts = _values(name, operator, value)
    if operator in NUMERIC_OPERATORS and column.kind is Kind.CATEGORY:
        raise ParamError(
            f"antecedents: {name!r} is an unordered category; {operator} needs an order. "
            "If it has one, give kinds a list of its categories, from the lowest to the highest."
        )
    if column.codes is not None:
        parts = _known_categories(column, parts)
        ranks: list[Any] = [column.categories.index(part) for part in parts]
    else:
        to_value = as_date if column.kind is Kind.DATE else _number
        try:
            parts = ranks = [to_value(part) for part in parts]
        except (TypeError, ValueError, OverflowError) as error:
            what = "a column of dates" if column.kind is Kind.DATE else "numeric"
            noun = "date" if column.kind is Kind.DATE else "number"
            raise ParamError(
                f"antecedents: {name!r} is {what}; {value!r} is not a {noun}."
            ) from error
    if operator == BETWEEN and not ranks[0] < ranks[1]:
        raise ParamError(
            f"antecedents: {name!r} between {value!r} can never be true; give the smaller value "
            "first."
        )
    if operator == ONE_OF:  # the same set is the same condition, in whatever order it is given
        parts = [parts[i] for i in sorted(range(len(parts)), key=ranks.__getitem__)]
        parts = list(dict.fromkeys(parts))
    needs_order = operator in NUMERIC_OPERATORS or operator == UNEQUAL
    order = column.categories if column.codes is not None and needs_order else None
    several = operator in (ONE_OF, BETWEEN)
    return Condition(name, operator, tuple(parts) if several else parts[0], order)


def _values(name: str, operator: str, value: Any) -> list[Any]:
    """The values that an operator needs: one, two for an interval, or any number of them."""
    if operator not in (ONE_OF, BETWEEN):
        return [value]
    parts = [] if isinstance(value, (str, bytes)) or not isinstance(value, Iterable) else [*value]
    if operator == BETWEEN and len(parts) != 2:
        raise ParamError(
            f"antecedents: {name!r} between {value!r}; it needs two values, (low, high)."
        )
    if not parts:
        raise ParamError(f"antecedents: {name!r} in {value!r}; it needs a list of values.")
    return parts


def _number(value: Any) -> Any:
    if family(value) != "number" or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a number")
    return value


def _known_categories(column: Column, parts: list[Any]) -> list[Any]:
    known = set(column.categories)
    parts = list(map(category_form, parts))
    for part in parts:
        if not isinstance(part, Hashable) or part not in known:
            shown = ", ".join(repr(c) for c in column.categories[:10])
            raise ParamError(f"antecedents: {column.name!r} has no {part!r}; it has {shown}.")
    return parts


def read_weights(
    weights: Mapping[Any, float] | None, pool: Pool, columns: Collection[str]
) -> np.ndarray:
    """The weight w(a) of each antecedent.

    A key is a column, a condition's name, an antecedent's name, or a tuple of
    conditions' names. What is said of a whole antecedent holds; else the weights of
    its columns and conditions multiply.
    """
    check_weights(weights)
    result = np.ones(len(pool))
    if weights is None:
        return result
    by_key: dict[Any, float] = {}
    for key, weight in weights.items():
        if isinstance(key, Condition):
            key = key.name
        by_key[frozenset(map(str, key)) if isinstance(key, tuple) else key] = float(weight)
    known: set[Any] = set(columns)
    for a, antecedent in enumerate(pool):
        names = frozenset(condition.name for condition in antecedent)
        twins = {twin for name in names for twin in pool.aliases.get(name, ())}
        parts = [*antecedent.columns, *sorted((names | twins) - set(antecedent.columns))]
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
        near = nearest_name(shown, columns) if isinstance(shown, str) else None
        raise ParamError(
            f"antecedent_weights: {shown!r} is neither a column, a condition nor an antecedent "
            f"of the pool{'.' if near is None else f'; did you mean {near!r}?'}"
        )
    if not np.all(np.isfinite(result) & (result > 0)):
        worst = pool.names[int(np.argmin(np.isfinite(result) & (result > 0)))]
        raise ParamError(
            f"antecedent_weights: the weights of the parts of {worst!r} multiply to a number "
            "that is too large or too small; only the ratios of weights matter."
        )
    return result


def check_weights(weights: Any) -> None:
    """Raise for weights that are not positive numbers; their keys are not checked."""
    if weights is None:
        return
    if not isinstance(weights, Mapping):
        raise ParamTypeError(f"antecedent_weights must be a dict, not {weights!r}.")
    for key, weight in weights.items():
        if not (is_number(weight) and 0 < weight <= LARGEST_NUMBER):
            raise ParamError(
                f"antecedent_weights[{key!r}] is {weight!r:.60}; a weight is a positive number."
            )
