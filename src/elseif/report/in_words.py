"""Columns and levels of a report, with the names in a labels file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from elseif.antecedents.display_labels import DisplayLabels
from elseif.evaluation.subgroups import Grouping
from elseif.posterior.rule_list import ModelMetadata
from elseif.report.training_people import ColumnSummary, PeopleSummary
from elseif.tables.columns import Kind

TRUTHS = {"yes": True, "no": False}


def people_in_words(people: PeopleSummary, display: DisplayLabels) -> PeopleSummary:
    """The table of people with names of columns and levels as people read them, and units."""
    return replace(people, columns=[_column(column, display) for column in people.columns])


def _column(column: ColumnSummary, display: DisplayLabels) -> ColumnSummary:
    unit = display.unit(column.name)
    name = display.column(column.name) + (f" ({unit})" if unit else "")
    is_boolean = column.kind == "boolean"
    levels = [
        replace(level, name=_level(column.name, level.name, is_boolean, display))
        for level in column.levels
    ]
    return replace(column, name=name, levels=levels)


def _level(column: str, level: str, is_boolean: bool, display: DisplayLabels) -> str:
    if is_boolean:
        truth = TRUTHS.get(level)
        return level if truth is None else display.truth(column, truth) or level
    return display.level(column, level)


def groups_in_words(groups: Sequence[Grouping], metadata: ModelMetadata) -> list[Grouping]:
    """Groups of people to compare, as people read them."""
    display = metadata.display
    worded = []
    for group in groups:
        is_boolean = metadata.kinds.get(group.column) is Kind.BOOLEAN
        names = (_level(group.column, name, is_boolean, display) for name in group.names)
        worded.append(replace(group, column=display.column(group.column), names=tuple(names)))
    return worded
