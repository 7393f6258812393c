"""Rows of an engine's table, streamed and packed if they have too many patterns to count."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from elseif.bits.packing import BitLayout, layout_of_counts
from elseif.bits.streamed_covers import StreamedCovers, bytes_of_streaming
from elseif.engines.lazy_table import LazyLabels, LazyTable
from elseif.engines.patterns import COPIES, SHARE_OF_MEMORY, arrays_of, rows_of_patterns
from elseif.engines.row_batches import can_stream, row_batches
from elseif.errors import DataError, ResourceError
from elseif.memory import enough, in_words, require_memory
from elseif.progress import Progress

MOST_ROWS_AT_ONCE, LEAST_ROWS_AT_ONCE = 1 << 16, 1 << 10
BITS_OF_A_ROW = 128  # bytes of each whole number while its bits are turned into words


def stream_covers(
    table: LazyTable,
    labels: LazyLabels,
    expressions: Sequence[Any],
    max_memory: float,
    progress: Progress | None = None,
) -> tuple[StreamedCovers, BitLayout]:
    """Have the engine evaluate the conditions of each row, and pack them as they arrive.

    The rows are never together in memory: only the bits of conditions and one batch of rows are.
    """
    groups = labels.groups
    layout = layout_of_counts(
        groups.codes, groups.weights, groups.n, len(labels.classes), labels.unit
    )
    rows, names = rows_of_patterns(table, labels, expressions)
    bytes_each = COPIES * 8 * (len(names) + 2) + BITS_OF_A_ROW * len(names)
    at_once = int(max_memory * SHARE_OF_MEMORY / bytes_each)
    at_once = min(max(at_once, LEAST_ROWS_AT_ONCE), MOST_ROWS_AT_ONCE, max(labels.n_rows, 1))
    needed = bytes_of_streaming(layout, len(expressions)) + at_once * bytes_each
    _refuse_too_large(labels, len(expressions), needed, max_memory)
    covers = StreamedCovers(layout, len(expressions))
    done = 0
    with (progress or Progress()).stage("streaming rows", labels.n_rows) as report:
        for batch in row_batches(rows, at_once):
            covers.add(*arrays_of(batch, names, labels))
            done += len(batch)
            report(min(done, labels.n_rows))
    if not covers.is_whole() or done != labels.n_rows:
        raise DataError(
            f"The table had {labels.n_rows:,} rows when they were counted, and {done:,} or "
            "other ones when they were read: something is changing it. Fit a table that does "
            "not change, such as a copy."
        )
    return covers, layout


def may_stream(table: LazyTable) -> bool:
    """Whether the engine of a table can return its rows in batches."""
    return can_stream(table.frame)


def _refuse_too_large(
    labels: LazyLabels, n_conditions: int, needed: float, max_memory: float
) -> None:
    what = f"{n_conditions} conditions of {labels.n_rows:,} rows as packed bits"
    others = "leave out columns, or have the workers of a Dask cluster hold the rows, by n_shards."
    if needed > max_memory:
        raise ResourceError(
            f"{what} would take about {in_words(needed)}, above max_memory={max_memory:.3g} bytes. "
            f"Set max_memory={enough(needed)}, {others}"
        )
    require_memory(what, needed, f"{others[0].upper()}{others[1:]}")
