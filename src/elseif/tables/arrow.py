"""A column from pieces of pyarrow's arrays, of which only one is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import narwhals as nw
import numpy as np

from elseif.errors import DataError
from elseif.tables.columns import Column, Kind, boolean_column
from elseif.tables.values import (
    column_from_array,
    column_from_series,
    is_of_pandas,
    is_time,
    of_kind,
    recoded,
    refuse_mixture,
)


@dataclass(frozen=True)
class Pieces:
    """The values of one column, in order, for a single pass."""

    name: str
    type: Any  # pyarrow's, of the column as a whole
    n_rows: int
    arrays: Iterable[Any]  # pyarrow.Array

    def placed(self) -> Iterator[tuple[slice, Any]]:
        """Each piece with the rows that it holds; together they must be all rows."""
        at = 0
        for array in self.arrays:
            if at + len(array) > self.n_rows:
                break
            yield slice(at, at + len(array)), array
            at += len(array)
        else:
            if at == self.n_rows:
                return
        raise DataError(
            f"Column {self.name!r} no longer has the {self.n_rows:,} rows that were counted when "
            "the table was opened. Has it been written to since? Open it again."
        )


def column_from_pieces(pieces: Pieces, kind: Kind | None, allow_infinite: bool = False) -> Column:
    """A column of the given or inferred kind, equal to that of the same values in one array."""
    import pyarrow.types as types

    name, arrow_type = pieces.name, pieces.type
    if types.is_boolean(arrow_type):
        return of_kind(boolean_column(name, *_masks(pieces)), kind)
    if types.is_integer(arrow_type) or types.is_floating(arrow_type):
        return column_from_array(_numbers(pieces), name, kind, allow_infinite)
    if _is_dates(arrow_type):
        return of_kind(Column(name, Kind.DATE, pieces.n_rows, numbers=_dates(pieces)), kind)
    if _is_categories(arrow_type) and kind in (None, Kind.CATEGORY, Kind.ORDERED):
        codes, levels, clash = _codes(pieces)
        refuse_mixture(levels, name)
        ordered = getattr(arrow_type, "ordered", False)
        if kind is None and ordered and clash:
            raise DataError(f"Column {name!r} is ordered, but {clash}.")
        kind = kind or (Kind.ORDERED if ordered else Kind.CATEGORY)
        in_order = kind is Kind.ORDERED and ordered and not clash
        return recoded(codes, levels, name, kind, tuple(levels) if in_order else None)
    series = nw.from_native(_in_one(pieces), series_only=True)
    return column_from_series(series, name, kind, allow_infinite)


def labels_from_pieces(pieces: Pieces) -> Any:
    """A column as a pandas Series of labels: numbers and booleans stay what they are."""
    import pandas as pd
    import pyarrow.types as types

    values: Any
    arrow_type = pieces.type
    if types.is_boolean(arrow_type):
        values, missing = _masks(pieces)
        if missing is not None:
            values = values.astype(object)
            values[missing] = None
    elif types.is_integer(arrow_type) or types.is_floating(arrow_type):
        values = _numbers(pieces)
    elif _is_dates(arrow_type):
        values = _dates(pieces)
    elif _is_categories(arrow_type):
        codes, levels, _ = _codes(pieces)
        if types.is_dictionary(arrow_type):
            values = pd.Categorical.from_codes(codes, pd.Index(levels), ordered=arrow_type.ordered)
        else:
            texts = np.array([*levels, None], dtype=object)
            values = texts[codes]  # each text once in memory, however often it occurs
    else:
        values = np.empty(pieces.n_rows, dtype=object)
        for rows, array in pieces.placed():
            values[rows] = np.fromiter(array.to_pylist(), dtype=object, count=len(array))
    # or pandas would make its own text of objects
    dtype = object if isinstance(values, np.ndarray) and values.dtype.kind == "O" else None
    return pd.Series(values, name=pieces.name, dtype=dtype, copy=False)


def schema_of_pandas(schema: Any) -> Any:
    """A schema with the types that pandas has for its periods and intervals.

    pyarrow does not know them until pandas registers them, and reads the storage type instead.
    """
    names = [(field.metadata or {}).get(b"ARROW:extension:name", b"") for field in schema]
    if not any(name.startswith(b"pandas.") for name in names):
        return schema
    import pandas as pd
    import pyarrow as pa

    pa.array(pd.PeriodIndex([], freq="D").array)  # makes pandas register its types
    return pa.ipc.read_schema(schema.serialize())


def with_types_of_pandas(table: Any) -> Any:
    """A table of pyarrow with the types that pandas has for its periods and intervals."""
    import pyarrow as pa

    schema = schema_of_pandas(table.schema)
    if schema is table.schema:
        return table
    columns = [of_type(c, f.type) for c, f in zip(table.columns, schema, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def of_type(array: Any, arrow_type: Any) -> Any:
    """The storage type of pandas' own types; any other type unchanged."""
    if array.type != arrow_type and is_of_pandas(arrow_type):
        return arrow_type.wrap_array(array)
    return array


def _is_dates(arrow_type: Any) -> bool:
    import pyarrow.types as types

    return bool(types.is_date(arrow_type) or types.is_timestamp(arrow_type))


def _is_categories(arrow_type: Any) -> bool:
    import pyarrow.types as types

    if types.is_dictionary(arrow_type):
        return not is_time(arrow_type.value_type)
    return is_text(arrow_type)


def is_text(arrow_type: Any) -> bool:
    """Whether a type of pyarrow's is text, in any of its encodings."""
    import pyarrow.types as types

    return bool(
        types.is_string(arrow_type)
        or types.is_large_string(arrow_type)
        or types.is_string_view(arrow_type)
    )


def _masks(pieces: Pieces) -> tuple[np.ndarray, np.ndarray | None]:
    """Which values are true, and which are missing if any are."""
    values = np.empty(pieces.n_rows, dtype=bool)
    missing: np.ndarray | None = None
    for rows, array in pieces.placed():
        if array.null_count:
            if missing is None:
                missing = np.zeros(pieces.n_rows, dtype=bool)
            missing[rows] = array.is_null().to_numpy(zero_copy_only=False)
            array = array.fill_null(False)
        values[rows] = array.to_numpy(zero_copy_only=False)
    return values, missing


def _numbers(pieces: Pieces) -> np.ndarray:
    """Numbers as they are; as floats, with NaN, if integers are missing."""
    import pyarrow as pa

    own = np.dtype(pieces.type.to_pandas_dtype())
    numbers = np.empty(pieces.n_rows, dtype=np.float64 if own.kind == "f" else own)
    for rows, array in pieces.placed():
        if array.null_count and numbers.dtype.kind != "f":
            numbers = numbers.astype(np.float64)
        if array.null_count:
            array = array.cast(pa.float64(), safe=False)
        numbers[rows] = array.to_numpy(zero_copy_only=False)
    return numbers


def _dates(pieces: Pieces) -> np.ndarray:
    """Dates and times to the microsecond, in UTC, with NaT where missing."""
    import pyarrow as pa

    dates = np.empty(pieces.n_rows, dtype="datetime64[us]")
    for rows, array in pieces.placed():
        series = nw.from_native(pa.chunked_array([array]), series_only=True)
        dates[rows] = column_from_series(series, pieces.name, Kind.DATE).numbers
    return dates


def _codes(pieces: Pieces) -> tuple[np.ndarray, list[Any], str]:
    """Codes into distinct values, -1 where missing; each piece may number them in its own way.

    Also, if two pieces have them in different orders, where that is.
    """
    import pyarrow as pa

    codes = np.empty(pieces.n_rows, dtype=np.int32)
    position: dict[Any, int] = {}
    clash = ""
    for rows, array in pieces.placed():
        encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
        levels = encoded.dictionary.to_pylist()
        codes_of_levels = [
            -1 if level is None else position.setdefault(level, len(position)) for level in levels
        ]
        if not clash and codes_of_levels != sorted(codes_of_levels):
            clash = (
                f"its categories are in another order from row {rows.start:,} on: "
                f"{', '.join(map(repr, levels[:10]))}; taken together, "
                f"{', '.join(map(repr, list(position)[:10]))}. Choose one by "
                f"kinds={{{pieces.name!r}: [...]}}, or 'category'"
            )
        recode = np.array([*codes_of_levels, -1], dtype=np.int32)
        indices = encoded.indices.cast(pa.int64()).fill_null(-1)
        codes[rows] = recode[indices.to_numpy(zero_copy_only=False)]
    return codes, list(position), clash


def _in_one(pieces: Pieces) -> Any:
    """All values at once, for the few types that cannot be read in pieces."""
    import pyarrow as pa

    return pa.chunked_array([array for _, array in pieces.placed()], type=pieces.type)
