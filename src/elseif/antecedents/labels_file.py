"""Display labels from a YAML file or a dict, read strictly and checked against a model."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

from elseif.antecedents.antecedent import Antecedent, with_intervals
from elseif.antecedents.display_labels import (
    MOST_NAMED_TOGETHER,
    SIGNS,
    ColumnLabels,
    DisplayLabels,
    OutcomeLabels,
    level_key,
    spellings,
)
from elseif.checks import did_you_mean
from elseif.conditions.binarise import ColumnReport
from elseif.errors import ParamError, ParamTypeError
from elseif.files.strict_yaml import parse_yaml, yaml_text
from elseif.tables.columns import Kind

MOST_NAMED = 1000  # columns, levels or conditions
LONGEST = 200  # characters of a name, which is what texts show of one
IN_COLUMN = ("name", "unit", "question", "levels")
IN_OUTCOME = ("name", "event", "no_event", "labels")
PARTS = ("outcome", "columns", "conditions")
TRUTHS = ("true", "false")


def read_display_labels(source: Any) -> DisplayLabels:
    """Read display labels from a YAML file or its contents; None gives empty ones.

    Whether they fit a model is checked elsewhere.
    """
    if source is None:
        return DisplayLabels()
    if isinstance(source, DisplayLabels):
        return source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        content = parse_yaml(yaml_text(path, "a labels file"), path.name, only_text=True)
        return _labels({} if content is None or content == "" else content, path.name)
    if isinstance(source, Mapping):
        return _labels(source, "labels")
    raise ParamTypeError(
        f"labels is {source!r:.80}; it must be a YAML file or a dict with the keys "
        f"{', '.join(PARTS)}."
    )


def _labels(content: Any, file: str) -> DisplayLabels:
    given = _keys(content, file, PARTS)
    columns = {
        name: _column(value, f"{file}: columns: {name!s:.80}")
        for name, value in _mapping(given.get("columns"), f"{file}: columns").items()
    }
    conditions = {
        plain_spelling(key): name
        for key, name in _texts(given.get("conditions"), f"{file}: conditions").items()
    }
    labels = DisplayLabels(columns, _outcome(given.get("outcome"), f"{file}: outcome"), conditions)
    _refuse_twins({n: labels.column(n) for n in columns}, f"{file}: columns")
    _refuse_twins(conditions, f"{file}: conditions")
    return labels


def _column(value: Any, where: str) -> ColumnLabels:
    if isinstance(value, str):
        return ColumnLabels(name=_text(value, where))
    given = _keys(value, where, IN_COLUMN)
    name, unit, question = (_text(given.get(key), f"{where}: {key}") for key in IN_COLUMN[:3])
    levels = _texts(given.get("levels"), f"{where}: levels")
    _refuse_twins(levels, f"{where}: levels")
    return ColumnLabels(name, unit, question, levels)


def _outcome(value: Any, where: str) -> OutcomeLabels:
    if isinstance(value, str):
        return OutcomeLabels(name=_text(value, where))
    given = _keys(value, where, IN_OUTCOME)
    name, event, no_event = (_text(given.get(key), f"{where}: {key}") for key in IN_OUTCOME[:3])
    labels = _texts(given.get("labels"), f"{where}: labels")
    if labels and (event or no_event):
        raise ParamError(f"{where}: name the labels under labels, or by event and no_event.")
    if event is not None and event == no_event:
        raise ParamError(f"{where}: event and no_event are both {event!r}.")
    _refuse_twins(labels, f"{where}: labels")
    return OutcomeLabels(name, event, no_event, labels)


def _keys(content: Any, where: str, allowed: Sequence[str]) -> dict[str, Any]:
    given = _mapping(content, where)
    for key in given:
        if key not in allowed:
            raise ParamError(
                f"{where} has the unknown key {key!r:.100}; {did_you_mean(key, allowed)}"
            )
    return given


def _mapping(content: Any, where: str) -> dict[str, Any]:
    if content is None or content == "":  # a heading with nothing below it
        return {}
    if not isinstance(content, Mapping):
        raise ParamTypeError(f"{where} must be keys and values, not {content!r:.80}.")
    if len(content) > MOST_NAMED:
        raise ParamError(f"{where} has {len(content):,} keys; at most {MOST_NAMED:,} are possible.")
    return {level_key(key): value for key, value in content.items()}


def _texts(content: Any, where: str) -> dict[str, str]:
    """Names by key; an empty entry keeps the existing name."""
    read = {k: _text(v, f"{where}: {k!s:.80}") for k, v in _mapping(content, where).items()}
    return {key: name for key, name in read.items() if name is not None}


def _text(value: Any, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise ParamTypeError(f"{where} is {value!r:.80}; it must be text.")
    text = " ".join(value.split())
    if len(text) > LONGEST:
        raise ParamError(f"{where} has {len(text):,} characters; at most {LONGEST} are possible.")
    return text or None


def _refuse_twins(names: Mapping[str, str], where: str) -> None:
    """Refuse two things with the same name: readers of the list could not distinguish them."""
    first: dict[str, str] = {}
    for key, name in names.items():
        if name in first:
            raise ParamError(
                f"{where}: {first[name]!r:.80} and {key!r:.80} would both be shown as {name!r:.80}."
            )
        first[name] = key


def plain_spelling(condition: str) -> str:
    """A condition as programs spell it: <= for ≤, and single blanks."""
    for operator, sign in SIGNS.items():
        condition = condition.replace(sign, operator)
    return " ".join(condition.split())


# ------------------------------------------------------------------- against a model


def check_display_labels(
    labels: DisplayLabels,
    columns: Sequence[str],
    reports: Iterable[ColumnReport],
    classes: Sequence[Any],
) -> None:
    """Refuse labels for columns, levels and outcomes that a model does not have."""
    if not labels:
        return
    known = {report.name: report for report in reports}
    for name, of_column in labels.columns.items():
        if name not in columns:
            raise ParamError(
                f"labels: columns: the model has no column {name!r:.100}; "
                f"{did_you_mean(name, columns)}"
            )
        report = known.get(name)
        if report is not None:
            _check_levels(of_column, report)
    shown = {name: labels.column(name) for name in columns}
    _refuse_twins(shown, "labels: columns")
    _check_outcome(labels.outcome, classes)


def _check_levels(labels: ColumnLabels, report: ColumnReport) -> None:
    where = f"labels: columns: {report.name:.80}"
    if report.kind not in (Kind.CATEGORY, Kind.ORDERED, Kind.BOOLEAN):
        if labels.levels:
            how = f" To name its values, fit with kinds={{{report.name!r}: 'category'}}."
            raise ParamError(
                f"{where}: levels are for categories; this column is {report.kind}."
                f"{how if report.kind is Kind.NUMERIC else ''}"
            )
        return
    levels = TRUTHS if report.kind is Kind.BOOLEAN else tuple(map(level_key, report.levels))
    if labels.unit is not None:
        raise ParamError(f"{where}: unit is for numbers; this column is {report.kind}.")
    # of a column with many levels the model keeps some names, and of one left out none
    if report.excluded is None and not report.n_other_levels:
        for level in labels.levels:
            if level not in levels:
                truth = {"1": "true", "0": "false"}.get(level) if levels == TRUTHS else None
                meant = f"it is read as {truth!r}." if truth else did_you_mean(level, levels)
                raise ParamError(f"{where}: levels: the column has no {level!r:.80}; {meant}")
    _refuse_twins({level: labels.levels.get(level, level) for level in levels}, f"{where}: levels")


def _check_outcome(outcome: OutcomeLabels, classes: Sequence[Any]) -> None:
    where, known = "labels: outcome", [level_key(label) for label in classes]
    if len(known) != 2:
        for key in ("event", "no_event", "name"):
            if getattr(outcome, key) is not None:
                raise ParamError(
                    f"{where}: {key} is for two labels, and the model has {len(known)}: name them "
                    "under labels."
                )
    for label in outcome.labels:
        if label not in known:
            raise ParamError(
                f"{where}: labels: the model has no {label!r:.80}; {did_you_mean(label, known)}"
            )


def check_named_conditions(
    labels: DisplayLabels, columns: Sequence[str], antecedents: Callable[[], Iterable[Antecedent]]
) -> None:
    """Refuse names for conditions on unknown columns; note those that no rule could have."""
    if not labels.conditions:
        return
    known = {
        key
        for antecedent in antecedents()
        for size in range(1, min(len(antecedent), MOST_NAMED_TOGETHER) + 1)
        for some in combinations(with_intervals(antecedent), size)
        for key in spellings(some)
    }
    for key in labels.conditions:
        if key in known:
            continue
        hint = did_you_mean(key, sorted(known), most=0)
        if not any(column in key for column in columns):
            hint = hint if hint.startswith("did") else did_you_mean(key, columns)
            raise ParamError(
                f"labels: conditions: {key!r:.100} is about no column of the model; {hint}"
            )
        warnings.warn(
            f"labels: conditions: no rule of the model has the condition {key!r:.100}"
            f"{f'; {hint}' if hint.startswith('did') else '.'}",
            UserWarning,
            stacklevel=4,
        )
