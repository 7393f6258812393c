"""Conditions on the columns of an engine's table, and the patterns of their truth values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.bits.packed_mask import PackedMask
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.binarise import (
    Binarised,
    Binarising,
    ColumnReport,
    column_conditions,
    in_order,
    refuse_missing,
)
from elseif.conditions.condition import Condition
from elseif.conditions.levels import short_scale
from elseif.engines.expressions import condition_expression
from elseif.engines.large_columns import (
    can_be_cut_in_engine,
    large_column_conditions,
    refuse_many_values,
)
from elseif.engines.lazy_table import ColumnCounts, LazyLabels, LazyTable
from elseif.engines.patterns import SHARE_OF_MEMORY, Patterns, count_patterns
from elseif.progress import Progress
from elseif.tables.columns import Column, Kind
from elseif.tables.families import family
from elseif.tables.values import refuse_other_numbers

BYTES_OF_A_VALUE = 120  # with label and count, as the engine, Arrow and we hold it at a time


@dataclass(frozen=True, eq=False)
class EngineConditions:
    """Conditions on the columns of an engine's table, and how the engine evaluates them."""

    conditions: list[Condition]
    expressions: list[Any]
    reports: list[ColumnReport]
    scales: dict[str, tuple[Any, ...]]

    def binarised(self, truths: list[PackedMask]) -> Binarised:
        """As of a table in memory, with the truths of its observations."""
        return Binarised(self.conditions, truths, self.reports, [], self.scales)


def conditions_in_engine(
    table: LazyTable,
    labels: LazyLabels,
    how: Binarising,
    *,
    allow_infinite: bool = False,
    max_memory: float = 4e9,
    progress: Progress | None = None,
) -> EngineConditions:
    """Every condition on every column, found by queries of the engine."""
    conditions: list[Condition] = []
    expressions: list[Any] = []
    reports: list[ColumnReport] = []
    scales: dict[str, tuple[Any, ...]] = {}
    lacking: dict[str, int] = {}
    with (progress or Progress()).stage("counting columns", len(table.names)) as report:
        for done, name in enumerate(table.names):
            report(done)
            if _is_large(table, labels, how, name, max_memory):
                of_column, column_report = large_column_conditions(
                    table, labels, how, name, allow_infinite
                )
                if column_report.n_missing and not how.allow_missing:
                    lacking[name] = column_report.n_missing
                    continue
                reports.append(column_report)
                scales[name] = ()
                conditions.extend(of_column)
                # of numbers and dates, only the kind matters
                column = Column(name, column_report.kind, 0)
                expressions.extend(
                    condition_expression(c, table.cell(name), column, (), table.dtype(name))
                    for c in of_column
                )
                continue
            counts = _column(table, labels, how, name, allow_infinite)
            column = counts.groups
            refuse_other_numbers(column, counts.labels.repeats)
            if column.n_missing and not how.allow_missing:
                lacking[name] = counts.n_missing
                continue
            of_column, column_report = column_conditions(column, counts.labels, how)
            reports.append(column_report)
            scales[name] = short_scale(column, counts.labels)
            conditions.extend(of_column)
            expressions.extend(
                condition_expression(
                    c, table.cell(name), counts.groups, counts.values, table.dtype(name)
                )
                for c in of_column
            )
    refuse_missing(lacking)
    return EngineConditions(conditions, expressions, reports, scales)


def binarise_in_engine(
    table: LazyTable, labels: LazyLabels, made: EngineConditions, max_memory: float = 4e9
) -> tuple[Binarised, Patterns, BitLayout]:
    """Count the patterns of all conditions.

    The binarised table has one observation for each pattern and label.
    """
    patterns = count_patterns(table, labels, made.conditions, made.expressions, max_memory)
    of_patterns = patterns.labels
    layout = make_layout(
        of_patterns.codes, len(of_patterns.classes), of_patterns.weights, of_patterns.unit
    )
    return made.binarised(patterns.masks(layout)), patterns, layout


def _column(
    table: LazyTable, labels: LazyLabels, how: Binarising, name: str, allow_infinite: bool
) -> ColumnCounts:
    """The counts of a column, with the given kind and order."""
    counts = table.column(name, labels, how.kinds.get(name), allow_infinite)
    is_given = name in how.kinds or name not in how.cuts
    # numbers that happen to be 0 and 1 can be cut; truth values stay what they are
    if counts.groups.kind is Kind.BOOLEAN and not is_given and not _has_truth_values(counts):
        counts = table.column(name, labels, Kind.NUMERIC, allow_infinite)
    if name in how.orders:
        return ColumnCounts(in_order(counts.groups, how.orders[name]), counts.values, counts.labels)
    return counts


def _is_large(
    table: LazyTable, labels: LazyLabels, how: Binarising, name: str, max_memory: float
) -> bool:
    """Whether a column has more distinct values than may be fetched, and can do without."""
    bytes_each = BYTES_OF_A_VALUE if table.weight is None else BYTES_OF_A_VALUE + 8
    room = max_memory * SHARE_OF_MEMORY
    if labels.n_rows * bytes_each <= room:
        return False
    n_groups = table.n_values(name, labels)  # worth a query to know
    if n_groups * bytes_each <= room:
        return False
    if not can_be_cut_in_engine(table, how, name):
        is_decimal = table.dtype(name).is_decimal()
        refuse_many_values(name, n_groups, n_groups * bytes_each, max_memory, is_decimal)
    return True


def _has_truth_values(counts: ColumnCounts) -> bool:
    return any(family(value) == "boolean" for value in counts.values if value is not None)
