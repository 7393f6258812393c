"""A table in Parquet files, of which one column at a time is read."""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from elseif.errors import DataError, ParamError, ResourceError, install
from elseif.tables.arrow import (
    Pieces,
    column_from_pieces,
    is_text,
    labels_from_pieces,
    of_type,
    schema_of_pandas,
)
from elseif.tables.columns import Column, Kind

PARQUET_ENDINGS = (".parquet", ".pq")
ROWS_AT_ONCE = 1 << 19  # of a column, read together
BUFFER_BYTES = 1 << 22  # of a file, read ahead

Value = TypeVar("Value")


class ParquetTable:
    """A table in Parquet files that need not fit into memory.

    Opening it reads only the schema. ``fit`` and ``predict`` read one column at a time, and only
    the columns that they need.

    Parameters
    ----------
    source : str, path or sequence of these
        A Parquet file, several, or a folder of them.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier, ParquetTable
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic()
    >>> X.assign(outcome=y).to_parquet("titanic.parquet")
    >>> table = ParquetTable("titanic.parquet")
    >>> clf = BayesianRuleListClassifier(random_state=0)
    >>> clf.fit(table.drop("outcome"), table["outcome"]).n_features_in_
    3
    >>> table.select("class", "sex").columns
    ['class', 'sex']
    >>> table.to_frame().num_rows
    2201
    """

    def __init__(self, source: str | Path | Sequence[str | Path]) -> None:
        self._files = tuple(_open(path) for path in _paths(source))
        self._types = _common_types(self._files)
        self.columns = list(self._types)

    def __len__(self) -> int:
        return sum(file.n_rows for file in self._files)

    def __contains__(self, name: object) -> bool:
        return name in self.columns

    def __repr__(self) -> str:
        files = self._files[0].path.name if len(self._files) == 1 else f"{len(self._files)} files"
        return f"<ParquetTable of {files}: {len(self):,} rows, {len(self.columns):,} columns>"

    def __getitem__(self, name: str) -> Any:
        """One column as a pandas Series, such as the labels."""
        self._known([name])
        return _if_it_fits(lambda: labels_from_pieces(self._pieces(name)), name)

    def drop(self, *names: str) -> ParquetTable:
        """Leave out some columns.

        Parameters
        ----------
        *names : str
            The columns to leave out.

        Returns
        -------
        ParquetTable
            The table with the other columns.
        """
        left_out = set(self._known(names))
        return self._with([name for name in self.columns if name not in left_out])

    def select(self, *names: str) -> ParquetTable:
        """Take some columns.

        Parameters
        ----------
        *names : str
            The columns, in the order wanted.

        Returns
        -------
        ParquetTable
            The table with these columns.
        """
        return self._with(list(dict.fromkeys(self._known(names))))

    def to_frame(self) -> Any:
        """Read the whole table into memory, for what needs rows, such as folds.

        Returns
        -------
        pyarrow.Table
            All columns and rows.
        """
        pa, _ = load_pyarrow()
        columns = []
        for name in self.columns:
            pieces = list(self._pieces(name).arrays)
            columns.append(pa.chunked_array(pieces, None if pieces else self._types[name]))
        return pa.table(columns, names=self.columns)

    def read(
        self, position: int, name: str, kind: Kind | None, allow_infinite: bool = False
    ) -> Column:
        """Read a column by its position, for a table that may call it by another name.

        Parameters
        ----------
        position : int
            The column's place.
        name : str
            What to call it in messages.
        kind : Kind or None
            Its kind, if that is not to be inferred.
        allow_infinite : bool, default=False
            Whether infinite numbers are accepted.

        Returns
        -------
        Column
            The column.
        """
        pieces = self._pieces(self.columns[position], name)
        return _if_it_fits(lambda: column_from_pieces(pieces, kind, allow_infinite), name)

    def _with(self, names: list[str]) -> ParquetTable:
        other = copy.copy(self)
        other.columns = names
        return other

    def _known(self, names: Sequence[str]) -> Sequence[str]:
        for name in names:
            if name not in self.columns:
                shown = ", ".join(map(repr, self.columns[:5]))
                more = ", ..." if len(self.columns) > 5 else ""
                raise ParamError(f"The table has no column {name!r}; it has {shown}{more}.")
        return names

    def _pieces(self, column: str, name: str | None = None) -> Pieces:
        arrays = (array for file in self._files for array in file.arrays(column))
        arrow_type = self._types[column]
        return Pieces(
            name or column, arrow_type, len(self), (_of_type(a, arrow_type) for a in arrays)
        )


def _if_it_fits(read: Callable[[], Value], column: str) -> Value:
    """What is read of a column; one column must fit into memory."""
    try:
        return read()
    except MemoryError as error:
        raise ResourceError(
            f"Column {column!r} does not fit into memory: {error}. Leave it out by drop, or use "
            "fewer rows."
        ) from error


@dataclass(frozen=True)
class _File:
    """One Parquet file, whose footer has been read."""

    path: Path
    footer: Any  # pyarrow.parquet.FileMetaData
    schema: Any  # pyarrow.Schema

    @property
    def n_rows(self) -> int:
        return int(self.footer.num_rows)

    def arrays(self, column: str) -> Iterator[Any]:
        """A column's values, some rows at a time."""
        pa, pq = load_pyarrow()
        # text comes as codes, so that no text is made twice
        as_codes = [column] if is_text(self.schema.field(column).type) else None
        group = 0
        try:
            with pq.ParquetFile(
                self.path,
                metadata=self.footer,
                read_dictionary=as_codes,
                buffer_size=BUFFER_BYTES,
                pre_buffer=False,
            ) as file:
                for group in range(self.footer.num_row_groups):
                    for batch in file.iter_batches(ROWS_AT_ONCE, [group], [column]):
                        # a name with a point may also bring a part of another column
                        yield batch.column(batch.schema.get_field_index(column))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(
                f"{self.path.name}: row group {group} cannot be read, column {column!r}: {error}"
            ) from error


def load_pyarrow() -> tuple[Any, Any]:
    """pyarrow and its Parquet part, loaded when a file is opened."""
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ParamError(f"Parquet files need pyarrow: {install('files')}.") from None
    return pa, pq


def _paths(source: str | Path | Sequence[str | Path]) -> list[Path]:
    """The files of a table, in the order given, or by name in a folder."""
    if not isinstance(source, (str, Path)):
        paths = [Path(path) for path in source]
        if not paths:
            raise ParamError("ParquetTable needs at least one file.")
        return paths
    path = Path(source)
    if not path.is_dir():
        return [path]
    paths = sorted(p for p in path.iterdir() if p.suffix.lower() in PARQUET_ENDINGS and p.is_file())
    if not paths:
        raise DataError(
            f"{path} is a folder without a Parquet file. Give a file, or a folder that has Parquet "
            "files in it; files in further folders must be moved there."
        )
    return paths


def check_regular_file(path: Path) -> None:
    """Refuse anything that is not a regular file before reading it."""
    if not path.exists():
        raise DataError(f"{path}: there is no such file.")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file.")
    if not path.is_file():
        raise DataError(
            f"{path} is not a regular file but a pipe, a socket or a device. A table is read more "
            "than once: write it to a file first."
        )


def _open(path: Path) -> _File:
    pa, pq = load_pyarrow()
    check_regular_file(path)
    try:
        with pq.ParquetFile(path) as file:
            footer, schema = file.metadata, schema_of_pandas(file.schema_arrow)
            n_rows = [footer.row_group(i).num_rows for i in range(footer.num_row_groups)]
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path.name} is not a readable Parquet file: {error}") from error
    if sum(n_rows) != footer.num_rows or min(n_rows, default=0) < 0:
        raise DataError(
            f"{path.name} is not a readable Parquet file: its footer counts {footer.num_rows:,} "
            f"rows in all, but {sum(n_rows):,} in its row groups."
        )
    doubled = [name for name, n in Counter(schema.names).items() if n > 1]
    if doubled:
        raise DataError(f"{path.name}: column names must be unique; found twice: {doubled[0]!r}.")
    return _File(path, footer, schema)


def _common_types(files: Iterable[_File]) -> dict[str, Any]:
    """The type of each column, which every file must agree on; an empty column has none."""
    pa, _ = load_pyarrow()
    first, *others = files
    types = {field.name: field.type for field in first.schema}
    owners = dict.fromkeys(types, first)
    for file in others:
        types_of_file = {field.name: field.type for field in file.schema}
        for name in types.keys() ^ types_of_file.keys():
            has, lacks = (first, file) if name in types else (file, first)
            raise DataError(
                f"{has.path.name} has a column {name!r}, which {lacks.path.name} lacks."
            )
        for name, column_type in types_of_file.items():
            if pa.types.is_null(types[name]):
                types[name], owners[name] = column_type, file
            elif not pa.types.is_null(column_type) and not _same_type(types[name], column_type):
                raise DataError(
                    f"{file.path.name}: column {name!r} holds {column_type}, but {types[name]} in "
                    f"{owners[name].path.name}. Write all files with one type."
                )
    return types


def _same_type(one: Any, other: Any) -> bool:
    """Whether two types of pyarrow's hold the same values, however they are encoded."""
    pa, _ = load_pyarrow()
    if is_text(one) and is_text(other):
        return True
    if pa.types.is_dictionary(one) and pa.types.is_dictionary(other):
        return one.ordered == other.ordered and _same_type(one.value_type, other.value_type)
    return bool(one.equals(other))


def _of_type(array: Any, arrow_type: Any) -> Any:
    """A piece of a file in which the column is empty takes the type of the others."""
    pa, _ = load_pyarrow()
    if pa.types.is_null(array.type) and not pa.types.is_null(arrow_type):
        return pa.nulls(len(array), arrow_type)
    return of_type(array, arrow_type)


def dataset_length(dataset: Any) -> int:
    """Number of rows of a pyarrow Dataset, after its filter."""
    pa, _ = load_pyarrow()
    try:
        return int(dataset.count_rows())
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"The dataset cannot be read: {error}") from error


def dataset_column(dataset: Any, column: str, name: str, n_rows: int) -> Pieces:
    """A column of a pyarrow Dataset, batch by batch."""
    pa, _ = load_pyarrow()
    arrow_type = schema_of_pandas(dataset.schema).field(column).type

    def arrays() -> Iterator[Any]:
        try:
            for batch in dataset.to_batches(columns=[column]):
                yield of_type(batch.column(0), arrow_type)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"Column {column!r} of the dataset cannot be read: {error}") from error

    return Pieces(name, arrow_type, n_rows, arrays())
