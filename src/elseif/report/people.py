"""Who the list was trained on: each column, by label, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from elseif.evaluation.subgroups import MOST_GROUPS
from elseif.report.small_cells import WITHHELD, Count, SmallCells, plain_count
from elseif.tables.binarise import ColumnReport
from elseif.tables.columns import Column, Kind
from elseif.tables.conditions import value_text
from elseif.tables.fit_report import FitReport
from elseif.tables.reading import Table

MOST_COLUMNS = 60  # described on a page: those of the list first, then the frequent ones


@dataclass(frozen=True)
class Level:
    """One value of a column, or "missing": how many have it, in all and by label."""

    name: str
    counts: list[Count]  # all, then each label
    shares: list[float | None]


@dataclass(frozen=True)
class Quartiles:
    """First quartile, median and third quartile as texts; None where nobody has a value."""

    low: str
    median: str
    high: str


@dataclass(frozen=True)
class ColumnSummary:
    """One column of the training table."""

    name: str
    kind: str
    in_list: bool
    cuts: list[str]
    left_out: str | None
    quartiles: list[Quartiles | None] = field(default_factory=list)  # all, then each label
    levels: list[Level] = field(default_factory=list)


@dataclass(frozen=True)
class People:
    """The training table: one group for all, and one for each label."""

    groups: list[str]
    n: list[Count]
    columns: list[ColumnSummary]
    n_columns_left_out: int


def describe_people(
    table: Table,
    rows: np.ndarray,
    labels: np.ndarray,
    label_names: Sequence[str],
    report: FitReport,
    in_list: set[str],
    cells: SmallCells,
) -> People:
    """Every column by label, of the rows that have a label and a weight."""
    members = [np.arange(len(rows))] + [
        np.flatnonzero(labels == place) for place in range(len(label_names))
    ]
    known = [column for column in report.columns if column.name in table]
    order = sorted(known, key=lambda column: column.name not in in_list)
    if len(order) > MOST_COLUMNS:
        order.sort(key=lambda column: (column.name not in in_list, _rarity(table, column)))
    columns = []
    for column in order[:MOST_COLUMNS]:
        values = table.column(column.name, column.kind)
        quartiles, levels = _described(values, rows, members, cells)
        columns.append(
            ColumnSummary(
                column.name,
                column.kind.value,
                column.name in in_list,
                [value_text(cut) for cut in column.cuts],
                column.excluded,
                quartiles,
                levels,
            )
        )
    counts = np.array([len(m) for m in members[1:]])
    hidden = cells.hidden(counts[:, None])
    by_label: list[Count] = [
        WITHHELD if hide else plain_count(n) for n, hide in zip(counts, hidden, strict=True)
    ]
    return People(
        ["all", *label_names],
        [len(rows), *by_label],
        columns,
        max(0, len(order) - MOST_COLUMNS),
    )


def _rarity(table: Table, column: ColumnReport) -> float:
    """The share that lacks what a boolean column says; columns of other kinds come first."""
    if column.kind is not Kind.BOOLEAN:
        return -1.0
    return 1 - table.column_once(column.name, Kind.BOOLEAN).n_true / max(1, table.n_rows)


def _described(
    column: Column, rows: np.ndarray, members: Sequence[np.ndarray], cells: SmallCells
) -> tuple[list[Quartiles | None], list[Level]]:
    missing = column.is_missing()[rows]
    if column.numbers is not None:
        numbers = column.numbers[rows]
        quartiles = [_quartiles(numbers[m][~missing[m]], cells) for m in members]
        levels = [("missing", missing)] if missing.any() else []
        return quartiles, _levels(levels, ~missing, members, cells)
    if column.kind is Kind.BOOLEAN:
        true = column.is_true()[rows]
        named = [("yes", true), ("no", ~true & ~missing)]
    else:
        named = _categories(column, rows)
    if missing.any():
        named.append(("missing", missing))
    return [], _levels(named, None, members, cells)


def _categories(column: Column, rows: np.ndarray) -> list[tuple[str, np.ndarray]]:
    """The most frequent categories, and the others together."""
    assert column.codes is not None
    codes = column.codes[rows]
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    order = np.argsort(-counts, kind="stable") if column.kind is Kind.CATEGORY else None
    if order is None or len(order) <= MOST_GROUPS:
        order = np.arange(len(counts)) if order is None else order
        return [(value_text(column.categories[i]), codes == i) for i in order]
    kept, rest = order[: MOST_GROUPS - 1], order[MOST_GROUPS - 1 :]
    named = [(value_text(column.categories[i]), codes == i) for i in kept]
    return [*named, (f"{len(rest)} other categories", np.isin(codes, rest))]


def _levels(
    named: Sequence[tuple[str, np.ndarray]],
    remainder: np.ndarray | None,
    members: Sequence[np.ndarray],
    cells: SmallCells,
) -> list[Level]:
    """Counts of each level by group; the remainder is not shown but can be told from totals."""
    masks = [mask for _, mask in named] + ([] if remainder is None else [remainder])
    table = np.array([[np.count_nonzero(mask[m]) for m in members] for mask in masks])
    # cells by label add up to the whole: they decide which rows are shown
    hidden = cells.hidden(table[:, 1:]) if len(table) else np.zeros(0, dtype=bool)
    levels = []
    for (name, _), counts, hide in zip(named, table, hidden, strict=False):
        shares = [
            None if hide or not len(m) else float(n / len(m))
            for n, m in zip(counts, members, strict=True)
        ]
        shown: list[Count] = [WITHHELD if hide else int(n) for n in counts]
        levels.append(Level(name, shown, shares))
    return levels


def _quartiles(values: np.ndarray, cells: SmallCells) -> Quartiles | None:
    if not len(values) or bool(cells.is_small(len(values))):
        return None
    # a value that occurs, so that dates and whole numbers stay what they are
    found = np.quantile(np.sort(values), [0.25, 0.5, 0.75], method="inverted_cdf")
    if values.dtype.kind == "f":
        return Quartiles(*(f"{float(v):.6g}" for v in found))
    return Quartiles(*(value_text(v) for v in found))
