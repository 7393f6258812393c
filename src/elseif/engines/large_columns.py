"""Numbers and dates with so many distinct values that the engine finds their cut points."""

from __future__ import annotations

from typing import Any

import narwhals as nw

from elseif.conditions.binarise import (
    DESCRIPTION_LENGTH,
    EVIDENCE,
    Binarising,
    ColumnReport,
    cut_conditions,
    given_cuts,
)
from elseif.conditions.condition import MISSING, Condition
from elseif.conditions.cut_points import cuts_of
from elseif.conditions.evidence_cuts import N_FINE, joined_parts
from elseif.conditions.identifiers import WITH_EVIDENCE, keeping, may_be_numbered
from elseif.conditions.training_range import left_out_at_each_end, range_between
from elseif.engines.expressions import is_missing
from elseif.engines.lazy_table import COUNT, VALUE, LazyLabels, LazyTable
from elseif.engines.ordered_column import EngineOrder
from elseif.engines.patterns import SHARE_OF_MEMORY
from elseif.errors import ResourceError
from elseif.memory import enough, in_words
from elseif.tables.columns import Column, Kind
from elseif.tables.values import refuse_infinite

FIRST_ROWS = 1024  # enough to distinguish most measurements from identifiers


def large_column_conditions(
    table: LazyTable, labels: LazyLabels, how: Binarising, name: str, allow_infinite: bool
) -> tuple[list[Condition], ColumnReport]:
    """The conditions on a column whose values stay in the engine, and its report.

    They are those of the same column in memory.
    """
    kind = _kind(table, how, name)
    n_missing, n_infinite = _odd_values(table, name)
    if n_infinite and not allow_infinite:
        refuse_infinite(name, n_infinite)
    _refuse_identifier(table, labels, how, name, n_missing)
    ordered = EngineOrder(table, labels, name, kind)
    cuts = _cuts(ordered, how, name, labels)
    conditions = list(cut_conditions(Column(name, kind, 0), cuts, how))
    people = left_out_at_each_end(ordered.n_rows) if conditions else None
    extremes = None if people is None else ordered.nth_from_the_ends(people)
    if n_missing and how.allow_missing:
        conditions.append(Condition(name, MISSING))
    report = ColumnReport(
        name=name,
        kind=kind,
        n_missing=n_missing,
        n_conditions=len(conditions),
        cuts=tuple(cuts),
        excluded=None if conditions else "constant in the rows that are used",
        range=None
        if extremes is None or people is None
        else range_between(*extremes, kind, people),
    )
    return conditions, report


def refuse_many_values(
    name: str, n_values: int, n_bytes: float, max_memory: float, is_decimal: bool
) -> None:
    """Raise for a column of which every distinct value would have to be fetched."""
    # an engine compares decimals exactly, and would cut elsewhere than the floats of a table
    otherwise = (
        "Convert the column from decimals to floats" if is_decimal else "Leave the column out"
    )
    raise ResourceError(
        f"Column {name!r} has {n_values:,} distinct values by label, which take "
        f"{in_words(n_bytes)}; a quarter of max_memory={max_memory:.3g} bytes may be used for "
        f"them. {otherwise}, or set max_memory={enough(n_bytes / SHARE_OF_MEMORY)}."
    )


def _kind(table: LazyTable, how: Binarising, name: str) -> Kind:
    given = how.kinds.get(name)
    if given is not None:
        return given
    return Kind.NUMERIC if table.dtype(name).is_numeric() else Kind.DATE


def can_be_cut_in_engine(table: LazyTable, how: Binarising, name: str) -> bool:
    """Whether the engine can find the cut points of a column: by size, and not by every value."""
    dtype = table.dtype(name)
    is_number = dtype.is_numeric() and not dtype.is_decimal()
    is_date = dtype in (nw.Date, nw.Datetime) and not getattr(dtype, "time_zone", None)
    by_size = is_number or is_date
    is_as_given = how.kinds.get(name) in (None, Kind.NUMERIC if is_number else Kind.DATE)
    method = how.cuts.get(name)
    method = method if isinstance(method, str) else how.cutting if method is None else None
    return by_size and is_as_given and method != DESCRIPTION_LENGTH


def _odd_values(table: LazyTable, name: str) -> tuple[int, int]:
    """How many rows lack a value, and how many have an infinite one."""
    cell, dtype = table.cell(name), table.dtype(name)
    missing = is_missing(cell, dtype).cast(nw.Int64).alias("missing")
    infinite: Any = nw.lit(0, dtype=nw.Int64)
    if dtype.is_float():
        is_infinite = (cell == float("inf")) | (cell == float("-inf"))
        infinite = is_infinite.fill_null(False).cast(nw.Int64)
    rows = table.frame.select(missing, infinite.alias("infinite"))
    counts = rows.select(nw.col("missing").sum(), nw.col("infinite").sum()).collect("pyarrow")
    return int(counts["missing"][0] or 0), int(counts["infinite"][0] or 0)


def _refuse_identifier(
    table: LazyTable, labels: LazyLabels, how: Binarising, name: str, n_missing: int
) -> None:
    """Ask for the kind of a column of integers that are too many to examine."""
    dtype = table.dtype(name)
    if name in how.kinds or name in how.cuts or not dtype.is_numeric():
        return
    cell = table.cell(name).cast(nw.Float64).alias(VALUE)
    first = table.frame.filter(~is_missing(table.cell(name), dtype)).select(cell).head(FIRST_ROWS)
    if not may_be_numbered(first.collect("pyarrow")[VALUE].to_numpy()):
        return
    values = table.frame.select(cell).group_by(VALUE).agg(nw.len().alias(COUNT))
    n_distinct = int(values.select(nw.len()).collect("pyarrow")[0, 0])
    if n_distinct < WITH_EVIDENCE * (labels.n_rows - n_missing):
        return
    raise ResourceError(
        f"Column {name!r} holds {n_distinct:,} distinct whole numbers in {labels.n_rows:,} rows: "
        "too many to tell whether they are identifiers. Leave the column out if they are; "
        f"{keeping(name, Kind.NUMERIC)}."
    )


def _cuts(ordered: EngineOrder, how: Binarising, name: str, labels: LazyLabels) -> list[Any]:
    given = how.cuts.get(name)
    if given is not None and not isinstance(given, str):
        return given_cuts(Column(name, ordered.kind, 0), given)
    if (given or how.cutting) != EVIDENCE:
        return cuts_of(ordered, how.n_quantiles)
    cuts = cuts_of(ordered, max(how.n_quantiles, N_FINE))
    return joined_parts(cuts, ordered.by_label(cuts) * labels.unit) if len(cuts) > 1 else cuts
