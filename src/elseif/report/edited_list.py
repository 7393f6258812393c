"""The edited list: a small JSON document of antecedents in order, written by the explorer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import OPERATORS, Condition
from elseif.errors import DataError, ParamError
from elseif.files.strict_json import parse
from elseif.files.unreadable import unreadable
from elseif.tables.times import as_date

FORMAT = "elseif edited list"
VERSION = 1
LARGEST = 16_000_000  # bytes: a list that people read takes thousands
KEYS = {"column", "operator", "value", "order"}


def read_edited_list(path: str | Path) -> list[Antecedent]:
    """Read a list that was edited and saved in the explorer.

    Parameters
    ----------
    path : str or path
        The file that the explorer saved.

    Returns
    -------
    list of Antecedent
        The antecedents in order, for `Draft.take`.

    Examples
    --------
    >>> from elseif.files import write_atomically
    >>> from elseif.report import read_edited_list
    >>> saved = '{"format": "elseif edited list", "version": 1, "antecedents": []}'
    >>> read_edited_list(write_atomically("edited.json", saved))
    []
    """
    path = Path(path)
    try:
        size = path.stat().st_size
        if size > LARGEST:
            raise DataError(f"{path} has {size:,} bytes; an edited list has at most {LARGEST:,}.")
        document = parse(path.read_bytes(), str(path))
    except OSError as error:
        raise DataError(unreadable(path, error)) from error
    except (ValueError, RecursionError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(
            f"{path} is not an edited list, which the explorer page saves as a JSON file."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise DataError(
            f"{path} is not an edited list: its format is not {FORMAT!r}. The "
            "explorer page saves edited lists."
        )
    if document.get("version") != VERSION:
        raise DataError(
            f"{path} has version {document.get('version')!r}; this elseif reads {VERSION}. "
            "Save the list again from a page of this version."
        )
    entries = document.get("antecedents")
    if not isinstance(entries, list):
        raise DataError(f"{path} contains no list of antecedents.")
    antecedents = [
        _antecedent(conditions, f"{path}, rule {j + 1}") for j, conditions in enumerate(entries)
    ]
    doubled = next((a for i, a in enumerate(antecedents) if a in antecedents[:i]), None)
    if doubled is not None:
        raise DataError(f"{path} has the rule {doubled.name!r} twice.")
    return antecedents


def antecedent_document(antecedent: Antecedent) -> str:
    """An antecedent as JSON, to the letter."""
    conditions = [
        {
            "column": condition.column,
            "operator": condition.operator,
            "value": _encoded(condition.value),
            "order": None if condition.order is None else [_encoded(v) for v in condition.order],
        }
        for condition in antecedent
    ]
    return json.dumps(conditions, allow_nan=False)


def _encoded(value: Any) -> Any:
    """A value in plain JSON where that has its type; dates and tuples say what they are."""
    if isinstance(value, tuple):
        return {"tuple": [_encoded(part) for part in value]}
    if isinstance(value, (np.datetime64,)) or hasattr(value, "isoformat"):
        return {"date": str(as_date(value))}
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ParamError(f"{value!r} cannot be stored in a file; make it text or a number.")


def _antecedent(conditions: Any, where: str) -> Antecedent:
    if not isinstance(conditions, list) or not conditions:
        raise DataError(f"{where}: a rule is a list of one or more conditions.")
    return Antecedent(_condition(part, where) for part in conditions)


def _condition(parts: Any, where: str) -> Condition:
    if not isinstance(parts, dict) or not {"column", "operator"} <= set(parts) <= KEYS:
        raise DataError(f"{where}: a condition has {', '.join(sorted(KEYS))} and nothing else.")
    column, operator, order = parts["column"], parts["operator"], parts.get("order")
    if not isinstance(column, str):
        raise DataError(f"{where}: a column's name is text, not {column!r}.")
    if operator not in OPERATORS:
        raise DataError(f"{where}: {operator!r} is not an operator.")
    if order is not None and not isinstance(order, list):
        raise DataError(f"{where}: the order of categories is a list.")
    value = _decoded(parts.get("value"), where)
    needs_none = operator.startswith("is ")
    needs_many = operator in ("in", "between")
    if needs_none != (value is None) or needs_many != isinstance(value, tuple):
        raise DataError(f"{where}: {operator!r} cannot have the value {value!r}.")
    if operator == "between" and len(value) != 2:
        raise DataError(f"{where}: 'between' needs two values, not {len(value)}.")
    levels = None if order is None else tuple(_decoded(v, where) for v in order)
    return Condition(column, operator, value, levels)


def _decoded(value: Any, where: str) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict) and set(value) == {"tuple"} and isinstance(value["tuple"], list):
        return tuple(_decoded(part, where) for part in value["tuple"])
    if isinstance(value, dict) and set(value) == {"date"}:
        try:
            return as_date(value["date"])
        except ValueError as error:
            raise DataError(f"{where}: {value['date']!r} is not a date.") from error
    raise DataError(f"{where}: {value!r} cannot be the value of a condition.")
