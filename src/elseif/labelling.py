"""A model with other display labels, and a labels file to fill in."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from elseif.antecedents.display_labels import DisplayLabels, level_key
from elseif.antecedents.labels_file import (
    LONGEST,
    check_display_labels,
    check_named_conditions,
    read_display_labels,
)
from elseif.conditions.binarise import ColumnReport
from elseif.posterior.rule_list import with_display
from elseif.tables.columns import Kind

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel

MOST_COLUMNS = 200  # in a file to fill in
MOST_LEVELS = 50
HEAD = """\
# Names, units and words to show instead of those of the table, read with --labels. What is left
# empty or taken out keeps the name that it has.
"""
_PLAIN = re.compile(r"[A-Za-z][\w.<>=%/()-]*( [\w.<>=%/()-]+)*")


def relabelled(model: FittedModel, labels: Any) -> FittedModel:
    """The model with labels from a file, a dict or an object, checked against its columns."""
    display = read_display_labels(labels)
    columns = model.feature_names or list(model.metadata.kinds)
    classes = model.metadata.classes.tolist()
    check_display_labels(display, columns, model.fit_report.columns, classes)
    check_named_conditions(display, columns, lambda: iter(model.pool))
    return model_with_display(model, display)


def model_with_display(model: FittedModel, display: DisplayLabels) -> FittedModel:
    """The model with these labels in all of its lists."""
    posterior, path = copy.copy(model.posterior), copy.copy(model.projection_path)
    if posterior is not None:
        posterior.metadata = replace(posterior.metadata, display=display)
    if path is not None:
        path.lists = tuple(with_display(each, display) for each in path.lists)
    projected = model.projected_rule_list
    return replace(
        model,
        rule_list=with_display(model.rule_list, display),
        map_rule_list=with_display(model.map_rule_list, display),
        projected_rule_list=None if projected is None else with_display(projected, display),
        posterior=posterior,
        projection_path=path,
    )


def labels_template(model: FittedModel) -> str:
    """A labels file (YAML) to fill in for a model; unedited, it changes nothing."""
    lines = [HEAD, *_outcome_lines(model), "", "columns:"]
    used = {condition.column for condition in model.pool.conditions}
    first = {name for each in model.lists for a in each.antecedents for name in a.columns}
    columns = [column for column in model.fit_report.columns if column.name in used]
    columns.sort(key=lambda column: column.name not in first)
    for column in columns[:MOST_COLUMNS]:
        lines += _column_lines(column, model.metadata.display)
    if len(columns) > MOST_COLUMNS:
        lines.append(f"# and {len(columns) - MOST_COLUMNS:,} more columns, which no list has")
    lines += ["", "# a name for a whole condition, such as: adult men", "conditions:"]
    named = model.metadata.display.conditions
    antecedents = dict.fromkeys(a.name for each in model.lists for a in each.antecedents)
    for key in dict.fromkeys([*named, *antecedents]):
        lines.append(_entry(2, key, named.get(key)))
    return "\n".join(lines) + "\n"


def _outcome_lines(model: FittedModel) -> Iterator[str]:
    metadata = model.metadata
    yield "outcome:"
    if len(metadata.classes) == 2:
        yield _entry(2, "name", metadata.display.outcome.name) + '  # after "Probability of"'
        yield _entry(2, "event", metadata.label_names[1])
        yield _entry(2, "no_event", metadata.label_names[0])
        return
    yield "  labels:"
    for label, name in zip(metadata.classes.tolist(), metadata.label_names, strict=True):
        yield _entry(4, level_key(label), name)


def _column_lines(column: ColumnReport, display: DisplayLabels) -> Iterator[str]:
    yield f"  {_scalar(column.name)}:"
    yield _entry(4, "name", display.column(column.name))
    if column.kind is Kind.NUMERIC:
        yield _entry(4, "unit", display.unit(column.name))
    yield _entry(4, "question", display.question(column.name))
    if column.kind is Kind.BOOLEAN:
        levels = {
            "true": display.truth(column.name, True),
            "false": display.truth(column.name, False),
        }
    elif column.kind in (Kind.CATEGORY, Kind.ORDERED):
        shown = column.levels[:MOST_LEVELS]
        levels = {level_key(level): display.value(column.name, level) for level in shown}
    else:
        return
    yield "    levels:"
    for level, name in levels.items():
        yield _entry(6, level, name)


def _entry(indent: int, key: str, value: str | None) -> str:
    """A key with its name; empty if a labels file cannot contain the name."""
    is_possible = value is not None and value == " ".join(value.split()) and len(value) <= LONGEST
    return f"{' ' * indent}{_scalar(key)}:" + (f" {_scalar(str(value))}" if is_possible else "")


def _scalar(text: str) -> str:
    """A text in YAML, quoted if it could be read as something else."""
    if _PLAIN.fullmatch(text) and text.isascii():
        return text
    import yaml  # loaded by those who write such a file

    quoted: str = yaml.safe_dump(text, default_style='"', allow_unicode=True, width=10**9)
    return quoted.rstrip("\n")
