"""Plan files: JSON that a coordinating site makes, or that is written by hand."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from elseif.antecedents.named_levels import without_order
from elseif.antecedents.own_antecedents import read_antecedents
from elseif.conditions.condition import FALSE, MISSING, TRUE, UNEQUAL, Condition
from elseif.errors import ElseifError, FederationError
from elseif.export.json_values import decode, decode_labels, encode, encode_labels, hashable
from elseif.federation.plan import CATEGORIES, Plan, PlanColumn, PlanTable
from elseif.federation.strict_file import (
    check_fields,
    check_list,
    check_text,
    read_document,
)
from elseif.files.atomic import write_atomically
from elseif.files.sealed import fingerprint
from elseif.tables.columns import Kind

FORMAT, VERSION = "elseif plan", 1
LARGEST_FILE = 50_000_000  # bytes
MOST_COLUMNS, MOST_ANTECEDENTS, MOST_LABELS = 10_000, 100_000, 100
MOST_LEVELS = 100_000
KINDS = tuple(kind.value for kind in Kind)


def save_plan(plan: Plan, path: str | os.PathLike[str], force: bool = False) -> Path:
    """Write a plan as JSON.

    Parameters
    ----------
    plan : Plan
        The plan.
    path : str or path
        The file.
    force : bool, default=False
        Replace a file that exists.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import make_plan, read_plan, save_plan
    >>> X, y = load_titanic()
    >>> plan = make_plan(X, y, name="Titanic")
    >>> read_plan(save_plan(plan, "titanic-plan.json")).sha256 == plan.sha256
    True
    """
    return write_atomically(path, plan_text(plan), force)


def plan_text(plan: Plan) -> str:
    """The text of a plan's file: an antecedent a line."""
    content = _content(plan)
    lines = ",\n".join("  " + json.dumps(each) for each in content.pop("antecedents"))
    columns = ",\n".join("  " + json.dumps(each) for each in content.pop("columns"))
    head = json.dumps({**content, "sha256": plan.sha256}, indent=1, allow_nan=False)
    return f'{head[:-2]},\n "columns": [\n{columns}\n ],\n "antecedents": [\n{lines}\n ]\n}}\n'


def plan_hash(plan: Plan) -> str:
    """SHA-256 of a plan's content."""
    return fingerprint(_content(plan))


def _content(plan: Plan) -> dict[str, Any]:
    label_type, labels = encode_labels(plan.classes)
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "name": plan.name,
        "outcome": {"name": plan.outcome, "label_type": label_type, "labels": labels},
        **({} if plan.cohort is None else {"cohort": plan.cohort}),
        "columns": [_column_content(column) for column in plan.columns],
        "antecedents": [[_condition_content(c) for c in a] for a in plan.antecedents],
    }


def _column_content(column: PlanColumn) -> dict[str, Any]:
    content: dict[str, Any] = {"name": column.name, "kind": column.kind.value}
    if column.kind in CATEGORIES:
        content["levels"] = [encode(level) for level in column.levels]
        content["other_levels"] = column.other_levels
    return content


def _condition_content(condition: Condition) -> list[Any]:
    parts = [condition.column, condition.operator]
    if condition.operator in (TRUE, FALSE, MISSING):
        return parts
    if isinstance(condition.value, tuple):
        return [*parts, [encode(v) for v in condition.value]]
    return [*parts, encode(condition.value)]


def read_plan(path: str | os.PathLike[str]) -> Plan:
    """Read a plan file, and check that it is one.

    Parameters
    ----------
    path : str or path
        The file.

    Returns
    -------
    Plan
        The plan.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import make_plan, read_plan, save_plan
    >>> X, y = load_titanic()
    >>> path = save_plan(make_plan(X, y), "plan.json")
    >>> read_plan(path).outcome
    'survival'
    """
    raw, name = read_document(path, FORMAT, VERSION, LARGEST_FILE)
    try:
        plan = _plan(raw, name)
    except FederationError:
        raise
    except (ElseifError, TypeError, ValueError, KeyError, OverflowError) as error:
        raise FederationError(f"{name}: {error}") from error
    checksum = raw.get("sha256")
    if checksum is not None and checksum != plan.sha256:
        raise FederationError(
            f"{name} was changed since its SHA-256 was written. If that was meant, delete the line "
            'of "sha256", and give the new plan to every site.'
        )
    return plan


def _plan(raw: Mapping[str, Any], name: str) -> Plan:
    fields = ("format", "format_version", "name", "outcome", "columns", "antecedents")
    check_fields(raw, fields, ("cohort", "sha256"), name)
    outcome = raw["outcome"]
    check_fields(outcome, ("name", "labels"), ("label_type",), f"{name}: outcome")
    labels = check_list(outcome["labels"], f"{name}: labels", 2, MOST_LABELS)
    columns = tuple(
        _column(each, name)
        for each in check_list(raw["columns"], f"{name}: columns", 1, MOST_COLUMNS)
    )
    known = {column.name: column for column in columns}
    if len(known) < len(columns):
        raise FederationError(f"{name} names a column twice.")
    stated = check_list(raw["antecedents"], f"{name}: antecedents", 1, MOST_ANTECEDENTS)
    given = [tuple(_condition(c, name) for c in check_list(a, name, 1, 100)) for a in stated]
    kinds = {column.name: column.kind for column in columns}
    table: Any = PlanTable(columns)
    read = read_antecedents(given, table, kinds)
    is_open = {column.name for column in columns if column.other_levels}
    antecedents = tuple(
        type(a)(without_order(c, is_open) if c.operator == UNEQUAL else c for c in a) for a in read
    )
    used = {c.column for a in antecedents for c in a}
    unused = [column.name for column in columns if column.name not in used]
    if unused:
        raise FederationError(f"{name} has a column {unused[0]!r:.100} that no antecedent uses.")
    classes = decode_labels(_label_type(outcome, labels), labels)
    if len(set(hashable(classes.tolist()))) < len(classes):
        raise FederationError(f"{name} names a label twice.")
    return Plan(
        name=check_text(raw["name"], f"{name}: name"),
        outcome=None
        if outcome["name"] is None
        else check_text(outcome["name"], f"{name}: outcome"),
        classes=classes,
        columns=columns,
        antecedents=antecedents,
        cohort=_cohort(raw.get("cohort"), known, name),
    )


def _label_type(outcome: Mapping[str, Any], labels: list[Any]) -> str:
    """The type of the labels, which a plan written by hand may omit."""
    import re

    if "label_type" in outcome:
        label_type = outcome["label_type"]
        pattern = r"bool|u?int(8|16|32|64)|float(16|32|64)|U[0-9]{1,6}|object"
        if not isinstance(label_type, str) or not re.fullmatch(pattern, label_type):
            raise FederationError(
                f"label_type is {label_type!r:.60}, which is not a type of labels."
            )
        return label_type
    types = {type(label) for label in labels}
    if types == {bool}:
        return "bool"
    if types == {int}:
        return "int64"
    if types == {str}:
        return "object"
    raise FederationError("The labels must be all text, all whole numbers, or true and false.")


def _column(raw: Any, name: str) -> PlanColumn:
    check_fields(raw, ("name", "kind"), ("levels", "other_levels"), f"{name}: a column")
    column = check_text(raw["name"], f"{name}: name of a column")
    if raw["kind"] not in KINDS:
        raise FederationError(
            f"{name}: the kind of {column!r:.100} is {raw['kind']!r:.60}; it must be one of "
            f"{', '.join(KINDS)}."
        )
    kind = Kind(raw["kind"])
    if kind not in CATEGORIES:
        if "levels" in raw or "other_levels" in raw:
            raise FederationError(f"{name}: {column!r:.100} is {kind.value} and has no levels.")
        return PlanColumn(column, kind)
    levels = check_list(raw.get("levels"), f"{name}: levels of {column!r:.100}", 1, MOST_LEVELS)
    read = hashable([decode(level) for level in levels])
    if len(set(read)) < len(read) or not all(isinstance(v, (str, int, float)) for v in read):
        raise FederationError(
            f"{name}: the levels of {column!r:.100} must be texts, numbers or truth values, each "
            "once."
        )
    is_open = raw.get("other_levels", True)
    if not isinstance(is_open, bool):
        raise FederationError(f"{name}: other_levels of {column!r:.100} must be true or false.")
    return PlanColumn(column, kind, tuple(read), is_open)


def _condition(raw: Any, name: str) -> Any:
    """A condition as the reader of antecedents takes it."""
    if isinstance(raw, str):
        return raw
    parts = check_list(raw, f"{name}: a condition", 2, 3)
    if len(parts) == 2:
        return tuple(parts)
    column, operator, value = parts
    decoded = [decode(v) for v in value] if isinstance(value, list) else decode(value)
    return (column, operator, decoded)


def _cohort(raw: Any, columns: Mapping[str, PlanColumn], name: str) -> dict[str, Any] | None:
    """The cohort, as far as a site needs it, checked as in a model file."""
    if raw is None:
        return None
    from elseif.export.origin_parts import CohortPart

    part = CohortPart.model_validate(raw)
    if fingerprint(part.definition) != part.definition_sha256:
        raise FederationError(f"{name}: the definition is not the one that its SHA-256 is of.")
    if not all(concept.column in columns for concept in part.concepts):
        raise FederationError(f"{name}: a concept is of a column that the plan does not have.")
    return part.model_dump()
