"""The training data: each column, by label, as plain data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import value_text
from elseif.conditions.fit_report import NOT_USED, TOO_RARE, FitReport, vague_reason
from elseif.conditions.identifiers import is_personal
from elseif.conditions.levels import FEWEST_OF_A_LEVEL
from elseif.disclosure.published_cells import Cells
from elseif.evaluation.subgroups import MOST_GROUPS
from elseif.report.grouping import is_large_enough, merged, plain_count
from elseif.tables.columns import Column, Kind
from elseif.tables.reading import Table

MOST_COLUMNS = 60  # described on a page: those of the list first, then the frequent ones
WITH_SUPPORT = re.compile(rf"{TOO_RARE}=([\d.e+-]+)")


@dataclass(frozen=True)
class LevelCounts:
    """One value of a column, or "missing": how many have it, in all and by label."""

    name: str
    counts: list[float]  # all, then each label
    shares: list[float | None]
    is_missing: bool = False


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
    levels: list[LevelCounts] = field(default_factory=list)


@dataclass(frozen=True)
class PeopleSummary:
    """The training table: one group for all, and one for each label."""

    groups: list[str]
    n: list[float]
    columns: list[ColumnSummary]
    n_columns_left_out: int


def describe_people(
    table: Table,
    rows: np.ndarray,
    label_names: Sequence[str],
    report: FitReport,
    in_list: set[str],
    cells: Cells,
) -> PeopleSummary:
    """Every column by label, of the rows that have a label and a weight."""
    everybody = _with_sum(cells.by_label(np.ones(len(rows), dtype=bool)))
    known = [column for column in report.columns if column.name in table]
    order = sorted(known, key=lambda column: column.name not in in_list)
    if len(order) > MOST_COLUMNS:
        order.sort(key=lambda column: (column.name not in in_list, _rarity(table, column, cells)))
    columns = []
    for column in order[:MOST_COLUMNS]:
        quartiles: list[Quartiles | None] = []
        levels: list[LevelCounts] = []
        if _may_be_described(column, cells):
            values = table.column(column.name, column.kind).take(rows)
            quartiles, levels = _described(values, cells, everybody)
        columns.append(
            ColumnSummary(
                column.name,
                column.kind.value,
                column.name in in_list,
                [value_text(cut) for cut in column.cuts],
                _reason(column.excluded, cells),
                quartiles,
                levels,
            )
        )
    return PeopleSummary(
        ["all", *label_names],
        [plain_count(n) for n in everybody],
        columns,
        max(0, len(order) - MOST_COLUMNS),
    )


def _reason(excluded: str | None, cells: Cells) -> str | None:
    """Why a column was left out, without what its analyst may write to keep it."""
    if excluded is None:
        return None
    reason = excluded if cells.rounding is None else vague_reason(excluded)
    return None if reason is None else WITH_SUPPORT.sub(_in_cases, reason.split("; kinds=")[0])


def _in_cases(match: re.Match[str]) -> str:
    """A minimum support in words for readers who know no settings."""
    support = float(match[1])
    needed = f"{100 * support:.6g}% of the cases" if support < 1 else f"{support:,g} cases"
    return f"no condition on it holds for {needed}"


def _may_be_described(column: ColumnReport, cells: Cells) -> bool:
    """Whether a column's values may be shown: never of an identifier, and under a minimum cell
    only of a column that could have been used.
    """
    if cells.rounding is None or column.excluded is None:
        return not is_personal(column.excluded)
    return column.excluded.startswith(NOT_USED)


def _with_sum(by_label: np.ndarray) -> np.ndarray:
    """Numbers of all, then of each label."""
    return np.concatenate([[by_label.sum()], by_label])


def _rarity(table: Table, column: ColumnReport, cells: Cells) -> float:
    """The rarity of a boolean column; columns of other kinds come first."""
    if column.kind is not Kind.BOOLEAN:
        return -float("inf")
    n_true = table.column_once(column.name, Kind.BOOLEAN).n_true
    return -n_true if cells.rounding is None else -cells.rounding.count(n_true)


def _described(
    column: Column, cells: Cells, everybody: np.ndarray
) -> tuple[list[Quartiles | None], list[LevelCounts]]:
    missing = column.is_missing()
    if column.numbers is not None and column.kind is not Kind.BOOLEAN:
        levels = [("missing", missing)] if missing.any() else []
        shown = _levels(levels, cells, everybody, missing)
        return _quartiles_by_label(column.numbers, missing, cells), shown
    if column.kind is Kind.BOOLEAN:
        named = [("yes", column.is_true()), ("no", column.is_false())]
        if (neither := column.is_neither()).any():
            named.append(("neither", neither))
    else:
        named = _categories(column, cells)
    if missing.any():
        named.append(("missing", missing))
    cells.parted([mask for _, mask in named])
    return [], _levels(named, cells, everybody, missing)


def _categories(column: Column, cells: Cells) -> list[tuple[str, np.ndarray]]:
    """The most frequent categories, and together the others, which may be of few people."""
    assert column.codes is not None
    codes = column.codes
    named = [(value_text(name), codes == i) for i, name in enumerate(column.categories)]
    if cells.rounding is not None:
        return merged(named, cells, MOST_GROUPS - 1)
    counts = np.bincount(codes[codes >= 0], minlength=len(column.categories))
    order = np.arange(len(counts))
    most = len(order)
    if column.kind is Kind.CATEGORY:
        order = np.argsort(-counts, kind="stable")
        most = most if most <= MOST_GROUPS else MOST_GROUPS - 1
    kept = [i for i in order[:most] if counts[i] >= FEWEST_OF_A_LEVEL]
    rest = np.setdiff1d(order[counts[order] > 0], kept)
    others = "1 other category" if len(rest) == 1 else f"{len(rest)} other categories"
    return [*(named[i] for i in kept), *([(others, np.isin(codes, rest))] if len(rest) else [])]


def _levels(
    named: Sequence[tuple[str, np.ndarray]],
    cells: Cells,
    everybody: np.ndarray,
    missing: np.ndarray,
) -> list[LevelCounts]:
    """Counts of each level, in all and by label, with their shares."""
    levels = []
    for name, members in named:
        counts = _with_sum(cells.by_label(members))
        shares = [float(n / m) if m else None for n, m in zip(counts, everybody, strict=True)]
        shown_counts = [plain_count(n) for n in counts]
        levels.append(LevelCounts(name, shown_counts, shares, is_missing=members is missing))
    return levels


def _quartiles_by_label(
    numbers: np.ndarray, missing: np.ndarray, cells: Cells
) -> list[Quartiles | None]:
    by_label = [~missing & (cells.codes == label) for label in range(cells.n_labels)]
    if cells.rounding is not None:
        cells.by_label(~missing)  # the presence of quartiles depends on this number
    return [
        _quartiles(numbers[members], cells) if is_large_enough(members, cells) else None
        for members in [~missing, *by_label]
    ]


def _quartiles(values: np.ndarray, cells: Cells) -> Quartiles:
    # of dates, and of values of which none is to be averaged with another, one that occurs
    is_exact = values.dtype.kind == "f" and cells.rounding is None and np.isfinite(values).all()
    quartiles = np.quantile(
        np.sort(values), [0.25, 0.5, 0.75], method="linear" if is_exact else "inverted_cdf"
    )
    if values.dtype.kind == "f":
        # no more of one person's value is shown than a reader needs
        shown = [float(v) if cells.rounding is None else float(f"{v:.3g}") for v in quartiles]
        return Quartiles(*(f"{v:.6g}" for v in shown))
    if cells.rounding is not None and values.dtype.kind == "M":
        return Quartiles(*(str(v.astype("datetime64[M]")) for v in quartiles))
    return Quartiles(*(value_text(v) for v in quartiles))
