"""Rows of an engine's frame in batches, never all of them together."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import narwhals as nw


def can_stream(frame: nw.LazyFrame[Any]) -> bool:
    """Whether an engine can return its rows in batches."""
    return _reader_of(frame) is not None


def row_batches(frame: nw.LazyFrame[Any], n_rows: int) -> Iterator[nw.DataFrame[Any]]:
    """Batches of about ``n_rows`` rows of a frame, in the order of the engine.

    Spark and Dask compute one partition at a time, whatever this number is.
    """
    reader = _reader_of(frame)
    assert reader is not None, "asked for batches of an engine that has none"
    for batch in reader(frame.to_native(), n_rows):
        answer = nw.from_native(batch, eager_only=True)
        for start in range(0, len(answer), n_rows):  # batches larger than requested
            yield answer[start : start + n_rows]


def _reader_of(frame: nw.LazyFrame[Any]) -> Any:
    kind = frame.implementation
    if kind.is_duckdb():
        return _of_duckdb
    if kind.is_polars():
        return _of_polars
    if kind.is_pyspark() or kind.is_pyspark_connect():
        return _of_spark
    if kind.is_ibis():
        return _of_ibis
    return _of_dask if kind.is_dask() else None


def _of_duckdb(relation: Any, n_rows: int) -> Iterator[Any]:
    # the name of DuckDB since 1.4, and the one before
    read = getattr(relation, "to_arrow_reader", None) or relation.fetch_arrow_reader
    return _tables(read(n_rows))


def _of_ibis(table: Any, n_rows: int) -> Iterator[Any]:
    return _tables(table.to_pyarrow_batches(chunk_size=n_rows))


def _tables(batches: Any) -> Iterator[Any]:
    import pyarrow as pa

    for batch in batches:
        yield pa.Table.from_batches([batch])


def _of_polars(frame: Any, n_rows: int) -> Iterator[Any]:
    if hasattr(frame, "collect_batches"):
        yield from frame.collect_batches(chunk_size=n_rows, maintain_order=True, engine="streaming")
        return
    start = 0  # polars before 1.34: a query for each part
    while len(some := frame.slice(start, n_rows).collect()):
        yield some
        start += n_rows


def _of_spark(frame: Any, n_rows: int) -> Iterator[Any]:
    import pyarrow as pa

    names = list(frame.columns)
    rows = frame.toLocalIterator()
    while some := list(islice(rows, n_rows)):
        columns = zip(*some, strict=True)
        yield pa.table(dict(zip(names, map(list, columns), strict=True)))


def _of_dask(frame: Any, n_rows: int) -> Iterator[Any]:
    for partition in range(frame.npartitions):
        yield frame.partitions[partition].compute()
