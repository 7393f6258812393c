"""Reading tables of any kind: data frames, arrays and sparse matrices, as named columns."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Protocol

import narwhals as nw
import numpy as np
from scipy import sparse

from elseif.bits.mask import Mask
from elseif.checks import did_you_mean
from elseif.errors import DataError, DataTypeError, ParamError, ParamTypeError
from elseif.tables.arrow import column_from_pieces, with_types_of_pandas
from elseif.tables.boolean_arrays import FindBooleans, booleans_of_frame, booleans_of_sparse
from elseif.tables.columns import Column, Kind, column_of_mask
from elseif.tables.date_texts import DATE_ORDERS, ORDERS
from elseif.tables.families import category_form
from elseif.tables.look_alikes import look_alikes
from elseif.tables.parquet import ParquetTable, dataset_column, dataset_length
from elseif.tables.parsed_text import dates_of_texts
from elseif.tables.sparse_table import SparseTable
from elseif.tables.values import column_from_array, column_from_series, of_kind, unmasked

# conditions of a list come back to a few columns; a large table is still read column by column
MOST_REMEMBERED = 8
MOST_BYTES = 1 << 28  # of remembered columns, and of columns of an array turned round together


class Table:
    """Named columns, each converted when it is requested."""

    def __init__(
        self,
        names: Sequence[str],
        n_rows: int,
        get: Callable[[int, str, Kind | None], Column],
        named: bool,
        booleans: Sequence[Mask] | None = None,
        find_booleans: FindBooleans | None = None,
    ) -> None:
        self.names = list(names)
        self.n_rows = n_rows
        self.named = named  # whether the names are the user's
        self.source: Any = None  # the container that was read, from which folds take rows
        self.booleans = booleans  # for a table of nothing but booleans: the mask of each column
        self._get = get
        self._find_booleans = find_booleans
        self._place = _places_by_name(tuple(names))
        self._latest: dict[tuple[str, Kind | None], Column] = {}
        # how many values of boolean columns read so far are neither 0 nor 1, and one of them
        self.other_numbers: dict[str, tuple[int, float]] = {}
        # orders of day and month in dates: given; for texts that show none; and of the file
        self.given_orders: dict[str, str] = {}
        self.date_orders: dict[str, str] = {}
        self.file_orders: dict[str, str] = {}

    def column(self, name: str, kind: Kind | None = None) -> Column:
        """A column, of the given or inferred kind; the latest few are cached."""
        key = (name, kind)
        if key not in self._latest:
            self._make_room()
            self._latest[key] = column = self._read(name, kind)
            if column.kind is Kind.BOOLEAN and column.numbers is not None:
                neither = column.numbers[column.is_neither()]
                if len(neither):
                    self.other_numbers[name] = (len(neither), float(neither[0]))
        return self._latest[key]

    def column_once(self, name: str, kind: Kind | None = None) -> Column:
        """A column that need not be remembered: its values live as long as the caller's use."""
        known = self._latest.get((name, kind))
        return self._read(name, kind) if known is None else known

    def _read(self, name: str, kind: Kind | None) -> Column:
        index = self._place[name]
        if kind is not Kind.DATE:
            column = self._get(index, name, kind)
        else:
            column = self._get(index, name, None)
            if column.categories and all(type(each) is str for each in column.categories):
                column = dates_of_texts(
                    column, self.given_orders.get(name), self.date_orders.get(name)
                )
            elif column.kind is not Kind.DATE:
                column = self._get(index, name, kind)  # which says what is wrong
        if column.kind is Kind.DATE and name in self.file_orders:
            column = replace(column, date_order=self.file_orders[name])
        return column

    def _make_room(self) -> None:
        """Forget the oldest columns before another is read."""
        while len(self._latest) >= MOST_REMEMBERED or (
            sum(column.n_bytes for column in self._latest.values()) > MOST_BYTES
        ):
            del self._latest[next(iter(self._latest))]

    def boolean_arrays(self, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Those columns, among the named, that hold nothing but true and false, as arrays."""
        known = [name for name in names if name in self._place]
        if self._find_booleans is None or not known:
            return {}
        arrays = self._find_booleans([self._place[name] for name in known])
        return {n: array for n, array in zip(known, arrays, strict=True) if array is not None}

    def renamed(self, names: Sequence[str], named: bool = False) -> Table:
        """The same columns under other names, which are the user's or not."""
        table = Table(names, self.n_rows, self._get, named, self.booleans, self._find_booleans)
        table.source = self.source
        new = dict(zip(self.names, names, strict=True))
        table.file_orders = {new[name]: order for name, order in self.file_orders.items()}
        return table

    def take(self, rows: np.ndarray) -> Table:
        """The table of chosen rows, in their order; columns keep the kind that all rows have."""

        def get(index: int, name: str, kind: Kind | None) -> Column:
            return replace(self.column(self.names[index], kind).take(rows), name=name)

        return Table(self.names, len(rows), get, self.named)

    def __contains__(self, name: str) -> bool:
        return name in self._place


def read_table(X: Any, allow_infinite: bool = False) -> Table:
    """A table from pandas, polars, pyarrow, Parquet, NumPy, SciPy sparse or nested lists."""
    if isinstance(X, Table):
        return X
    table = _read(X, allow_infinite)
    table.source = X
    attributes = getattr(X, "attrs", None)  # of pandas
    if isinstance(attributes, dict):
        orders = attributes.get(DATE_ORDERS, {})
        table.file_orders = {name: orders[name] for name in orders if name in table}
    return table


def _read(X: Any, allow_infinite: bool) -> Table:
    X = unmasked(X)
    if isinstance(X, ParquetTable):
        return _read_parquet(X, allow_infinite)
    if isinstance(X, SparseTable):
        return _read_sparse_table(X, allow_infinite)
    if type(X).__module__ == "pyarrow._dataset" and hasattr(X, "to_batches"):
        return _read_dataset(X, allow_infinite)
    X = whole_batch(X)
    # of pandas and pyarrow names come first: narwhals has its own words for doubled ones
    frame = None if hasattr(X, "iloc") or hasattr(X, "column_names") else eager_frame(X)
    columns: Any = getattr(X, "columns", None)  # once: a wide frame of polars makes them anew
    named = not _are_default_names(columns)
    raw = _own_names(X, columns)
    if raw is not None and named:
        _checked_names(raw)
    if frame is None:
        frame = eager_frame(X)
    if isinstance(frame, nw.DataFrame):
        if not named:
            names = _places(frame.shape[1])
        elif raw is not None:
            names = raw
        else:
            names = columns if frame.implementation.is_polars() else list(frame.columns)

        def from_frame(index: int, name: str, kind: Kind | None) -> Column:
            return column_from_series(frame[:, index], name, kind, allow_infinite)

        table = Table(
            names,
            frame.shape[0],
            from_frame,
            named=named,
            find_booleans=partial(booleans_of_frame, frame),
        )
        return _non_empty(table)
    if sparse.issparse(X):
        return _read_sparse(X, allow_infinite)
    return _read_array(X, allow_infinite)


def whole_batch(X: Any) -> Any:
    """A batch of pyarrow as a table of it, with its types; anything else as it is."""
    if type(X).__module__ == "pyarrow.lib" and type(X).__name__ == "RecordBatch":
        import pyarrow as pa

        X = pa.Table.from_batches([X])
    if type(X).__module__ == "pyarrow.lib" and type(X).__name__ == "Table":
        return with_types_of_pandas(X)
    return X


def eager_frame(X: Any) -> Any:
    """A data frame behind one interface; other objects unchanged; lazy frames are refused."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return frame
    if isinstance(nw.from_native(X, pass_through=True), nw.LazyFrame):
        raise DataTypeError(
            f"X is a {type(X).__name__}, which has yet to be computed and whose rows have no order "
            "until then. Compute it, for example by X.df() of DuckDB or X.collect() of polars, "
            "and take the labels from the same result."
        )
    return X


def _read_parquet(X: ParquetTable, allow_infinite: bool) -> Table:
    def from_parquet(index: int, name: str, kind: Kind | None) -> Column:
        return X.read(index, name, kind, allow_infinite)

    return _non_empty(Table(_checked_names(X.columns), len(X), from_parquet, named=True))


def _read_sparse_table(X: SparseTable, allow_infinite: bool) -> Table:
    names = _checked_names(X.columns)  # before narwhals, which has its own words for doubled names
    frame, n_before = nw.from_native(X.frame, eager_only=True), X.frame.shape[1]

    def get(index: int, name: str, kind: Kind | None) -> Column:
        if index < n_before:
            return column_from_series(frame[:, index], name, kind, allow_infinite)
        return of_kind(column_of_mask(name, X.mask(index - n_before)), kind)

    def booleans(places: Sequence[int]) -> list[np.ndarray | None]:
        arrays: list[np.ndarray | None] = [None] * len(places)
        wide = [i for i, index in enumerate(places) if index >= n_before]
        columns = [places[i] - n_before for i in wide]
        for i, array in zip(wide, booleans_of_sparse(X.matrix, columns), strict=True):
            arrays[i] = array
        return arrays

    return _non_empty(Table(names, len(X), get, named=True, find_booleans=booleans))


def _read_dataset(X: Any, allow_infinite: bool) -> Table:
    """A table from a pyarrow Dataset, whatever its files, partitions and filter."""
    names, n_rows = _checked_names(X.schema.names), dataset_length(X)

    def from_dataset(index: int, name: str, kind: Kind | None) -> Column:
        return column_from_pieces(
            dataset_column(X, names[index], name, n_rows), kind, allow_infinite
        )

    return _non_empty(Table(names, n_rows, from_dataset, named=True))


@lru_cache(maxsize=4)
def _places_by_name(names: tuple[str, ...]) -> dict[str, int]:
    """The index of each column; cached, because wide tables are often reused."""
    return {name: i for i, name in enumerate(names)}


class HasColumns(Protocol):
    """A table to which ``kinds`` can be applied: in memory or in an engine."""

    names: list[str]
    given_orders: dict[str, str]

    def __contains__(self, name: str) -> bool: ...


def parse_kinds(
    kinds: Mapping[str, Any] | None, table: HasColumns
) -> tuple[dict[str, Kind], dict[str, tuple[Any, ...]]]:
    """Column kinds given by the user, checked, and the orders of those given by their levels.

    A kind may also be the order of day and month in dates, by which the table then reads texts.
    """
    parsed: dict[str, Kind] = {}
    orders: dict[str, tuple[Any, ...]] = {}
    if kinds is not None and not isinstance(kinds, Mapping):
        raise ParamTypeError(f"kinds must be a dict by column, not {kinds!r}.")
    for name, kind in (kinds or {}).items():
        if name not in table:
            raise ParamError(
                f"kinds: the table has no column {name!r}; {did_you_mean(name, table.names)}"
            )
        if isinstance(kind, (list, tuple)):
            parsed[name], orders[name] = Kind.ORDERED, _levels_once(name, kind)
            continue
        try:
            if kind in ORDERS:
                parsed[name], table.given_orders[name] = Kind.DATE, str(kind)
            else:
                parsed[name] = Kind(kind)
        except ValueError:
            allowed = ", ".join(map(repr, (*(k.value for k in Kind), *ORDERS)))
            raise ParamError(
                f"kinds[{name!r}] is {kind!r}; it must be one of {allowed}, or a list of the "
                "column's categories in their order."
            ) from None
    return parsed, orders


def _levels_once(name: str, levels: Sequence[Any]) -> tuple[Any, ...]:
    """Levels in the given order, each of them once."""
    levels = [category_form(level) for level in levels]
    for i, level in enumerate(levels):
        if isinstance(level, (list, dict, set)) or level in levels[:i]:
            raise ParamError(
                f"kinds[{name!r}] is {levels!r}; it must name each category once, and {level!r} "
                "is given twice or is not a category."
            )
    return tuple(levels)


def _own_names(X: Any, columns: Any) -> list[Any] | None:
    """The names of a data frame of pandas or a table of pyarrow, as they are."""
    if hasattr(columns, "nlevels"):  # pandas
        return list(columns.tolist())
    names = getattr(X, "column_names", None)  # pyarrow
    return names if isinstance(names, list) else None


def _are_default_names(columns: Any) -> bool:
    """Whether nobody named the columns: pandas then numbers them 0, 1, 2, ..."""
    return type(columns).__name__ == "RangeIndex" and columns.start == 0 and columns.step == 1


def _places(n: int) -> list[str]:
    """Names for columns that have none, as scikit-learn makes them."""
    return [f"x{i}" for i in range(n)]


def _checked_names(names: list[Any]) -> list[str]:
    """Names must be unique strings: rules are written with them."""
    odd = [name for name in names if not isinstance(name, str)]
    if odd:
        raise DataError(
            f"Column names must be strings; found {_first(odd)}. "
            "Rename them, for example X.columns = X.columns.astype(str)."
        )
    unique = len(set(names)) == len(names)
    if unique and "".join(names).isascii():  # then they differ to the eye too
        return names
    places: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        places.setdefault(name, []).append(index)
    doubled = [f"{name!r} at {p}" for name, p in places.items() if len(p) > 1]
    if doubled:
        raise DataError(f"Column names must be unique; found {', '.join(doubled[:5])}.")
    for twins in look_alikes(names):
        warnings.warn(
            f"Columns {', '.join(map(ascii, twins))} look alike but are spelt with "
            "different characters.",
            UserWarning,
            stacklevel=2,
        )
    return names


def _read_array(X: Any, allow_infinite: bool) -> Table:
    try:
        array = np.asarray(X)
        if array.dtype.kind in "US" and not isinstance(X, np.ndarray):
            array = np.array(X, dtype=object)  # NumPy would turn numbers among texts into text
    except (TypeError, ValueError) as error:
        raise DataTypeError(f"X cannot be read as a table: {error}.") from error
    if array.dtype.kind == "O" and array.ndim == 0:
        raise DataTypeError(
            f"X must be a data frame, a 2-D array or a sparse matrix, not {type(X).__name__}."
            f"{_made_a_table(X)}"
        )
    if array.ndim == 1 and len(array) and isinstance(array[0], Mapping):
        raise DataError(f"X is a list of dicts.{_made_a_table(X)}")
    if array.ndim == 1 and hasattr(X, "iloc"):
        raise DataError(
            "Expected 2D array, got 1D array instead: X is a Series. Give a table, of one row for "
            "example X.iloc[[0]], or of one column X[['age']]."
        )
    if array.ndim != 2:
        raise DataError(
            f"Expected 2D array, got {'scalar' if array.ndim == 0 else f'{array.ndim}D'} array "
            "instead. Reshape your data either using array.reshape(-1, 1) if your data has a "
            "single feature or array.reshape(1, -1) if it contains a single sample."
        )
    if array.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers.")

    names = _places(array.shape[1])
    if array.dtype.kind == "b" and array.size and array[:: max(1, len(array) // 64)].mean() < 0.1:
        return _boolean_table(names, _sparse_columns(array))
    blocks = _ColumnBlocks(array)

    def from_array(index: int, name: str, kind: Kind | None) -> Column:
        return column_from_array(blocks.column(index), name, kind, allow_infinite)

    return _non_empty(Table(names, array.shape[0], from_array, named=False))


def _made_a_table(X: Any) -> str:
    """How to turn another object into a table."""
    if isinstance(X, (str, os.PathLike)):
        return " Read a file by elseif.tables.read_file(X)."
    if isinstance(X, Mapping):
        example = "[X]" if all(np.ndim(value) == 0 for value in X.values()) else "X"
        return f" Make it one: pandas.DataFrame({example})."
    return " Make it a data frame: pandas.DataFrame(X)." if isinstance(X, list) else ""


def _sparse_columns(array: np.ndarray) -> sparse.csc_array:
    """A sparse matrix of ones from a boolean array, several times faster than SciPy's own."""
    if array.flags.f_contiguous:
        return _sparse_rows(array.T).T.tocsc()
    return _sparse_rows(array).tocsc()


def _sparse_rows(array: np.ndarray) -> sparse.csr_array:
    rows, columns = np.divmod(np.flatnonzero(array), array.shape[1])
    starts = np.searchsorted(rows, np.arange(len(array) + 1))
    ones = np.ones(len(columns), dtype=bool)
    return sparse.csr_array((ones, columns, starts), shape=array.shape)


class _ColumnBlocks:
    """Columns of a row-major array, turned round some at a time: a column alone is slow."""

    MOST_COLUMNS = 64

    def __init__(self, array: np.ndarray) -> None:
        self._array = array
        bytes_each = max(1, len(array) * array.itemsize)
        self._width = max(1, min(self.MOST_COLUMNS, MOST_BYTES // bytes_each))
        self._number = -1
        self._block = array[:, :0].T

    def column(self, index: int) -> np.ndarray:
        number, offset = divmod(index, self._width)
        if number != self._number:
            columns = self._array[:, number * self._width : (number + 1) * self._width]
            self._block, self._number = np.ascontiguousarray(columns.T), number
        return self._block[offset]


def _boolean_table(names: list[str], columns: sparse.csc_array) -> Table:
    """A table of booleans from a canonical sparse matrix of ones."""
    n_rows = columns.shape[0]
    rows = np.split(columns.indices, columns.indptr[1:-1])
    masks = [Mask.of_rows(some, n_rows) for some in rows]

    def from_masks(index: int, name: str, kind: Kind | None) -> Column:
        return of_kind(column_of_mask(name, masks[index]), kind)

    return _non_empty(Table(names, n_rows, from_masks, named=False, booleans=masks))


def _read_sparse(X: Any, allow_infinite: bool) -> Table:
    if X.dtype.kind == "c":
        raise DataError("Complex data not supported: X holds complex numbers.")
    columns = sparse.csc_array(X, copy=True)  # canonical form is made in place
    columns.sum_duplicates()
    columns.eliminate_zeros()
    names = _places(columns.shape[1])
    if np.all(columns.data == 1):
        return _boolean_table(names, columns)

    def from_sparse(index: int, name: str, kind: Kind | None) -> Column:
        start, stop = columns.indptr[index], columns.indptr[index + 1]
        rows, values = columns.indices[start:stop], columns.data[start:stop]
        if kind in (None, Kind.BOOLEAN) and np.all(values == 1):
            return column_of_mask(name, Mask.of_rows(rows, columns.shape[0]))
        dense = np.zeros(columns.shape[0], dtype=values.dtype)
        dense[rows] = values
        return column_from_array(dense, name, kind, allow_infinite)

    return _non_empty(Table(names, columns.shape[0], from_sparse, named=False))


def _non_empty(table: Table) -> Table:
    shape = f"(shape=({table.n_rows}, {len(table.names)}))"
    if not table.names:
        raise DataError(f"X has no columns: 0 feature(s) {shape} while a minimum of 1 is required.")
    return table


def _first(values: Sequence[Any], most: int = 5) -> str:
    shown = ", ".join(repr(v) for v in values[:most])
    return shown if len(values) <= most else f"{shown} and {len(values) - most} more"
