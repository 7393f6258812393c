"""Tables in files: CSV, TSV and Parquet, read strictly, with the place of every error."""

from __future__ import annotations

import csv
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elseif.errors import DataError, ParamError
from elseif.memory import require_memory
from elseif.tables.date_texts import DATE_ORDERS, ORDERS
from elseif.tables.parquet import PARQUET_ENDINGS, check_regular_file, load_pyarrow
from elseif.tables.text_columns import Reading, TextColumn, decimal_sign
from elseif.tables.text_header import Header, in_words, read_header, without_name
from elseif.tables.text_source import (
    AND_MORE,
    COMPRESSED_ENDINGS,
    SAVE_AS_CSV,
    TextLines,
    open_lines,
)

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".tab")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
_EXPORT = "Export the table as CSV or Parquet."
OTHER_ENDINGS = {
    **dict.fromkeys((".7z", ".rar", ".tar", ".tgz", ".lz4"), "Unpack it first."),
    **dict.fromkeys((".dta", ".sav", ".sas7bdat", ".xpt", ".rds", ".rdata", ".json"), _EXPORT),
    **dict.fromkeys((".feather", ".arrow", ".db", ".sqlite", ".html", ".xml", ".pdf"), _EXPORT),
}
ROWS_AT_ONCE = 50_000
BYTES_AT_ONCE = 1 << 25  # of long rows
# what a user says of a file as a whole; orders of dates are kept by column
READING_OPTIONS = ("sep", "decimal", "thousands", "encoding", "na_values", "date_format")
LINE = 50  # bytes by which a row's line is found again
CONVERT = (
    "Convert it to Parquet, of which columns are read one at a time, or put it into a database: "
    "fit learns from a table that stays there."
)


@dataclass(frozen=True)
class TextFormat:
    """The format of a text file; settings that are None are detected.

    Parameters
    ----------
    sep : str, default=None
        What separates fields: one character, or "tab".
    decimal : {".", ","}, default=None
        Decimal sign of numbers.
    thousands : str, default=None
        Thousands separator of numbers, such as "," in 12,345.
    encoding : str, default=None
        Encoding, by its name in Python.
    na_values : collection of str, default=()
        Texts that mean a missing value, in addition to the usual ones.
    date_format : str, default=None
        Format of dates that do not begin with the year: "dmy" (day first), "mdy" (month first), or
        a ``strptime`` format such as "%d.%m.%y".
    date_orders : mapping of str to {"dmy", "mdy"}, default={}
        Order of day and month by column, for dates from which it cannot be inferred.
    levels : mapping of str to collection of str, default={}
        Categories by column, for those that are usually read as missing, such as "None".

    Examples
    --------
    >>> from elseif.tables import TextFormat
    >>> TextFormat(sep=";", decimal=",").delimiter
    ';'
    """

    sep: str | None = None
    decimal: str | None = None
    thousands: str | None = None
    encoding: str | None = None
    na_values: Collection[str] = ()
    date_format: str | None = None
    date_orders: Mapping[str, str] = field(default_factory=dict)
    levels: Mapping[str, Collection[str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.delimiter is not None and (len(self.delimiter) != 1 or self.delimiter in '"\r\n\0'):
            raise ParamError(f"sep is {self.sep!r}; it must be one character, or 'tab'.")
        if self.decimal not in (None, ".", ","):
            raise ParamError(f"decimal is {self.decimal!r}; it must be '.' or ','.")
        if self.thousands is not None and (
            len(self.thousands) != 1 or self.thousands.isalnum() or self.thousands == self.decimal
        ):
            raise ParamError(
                f"thousands is {self.thousands!r}; it must be one character, and another than "
                "that of decimals."
            )
        written = self.date_format
        if written not in (None, *ORDERS) and "%" not in str(written):
            raise ParamError(
                f"date_format is {written!r}; it must be 'dmy' (day first), 'mdy' (month first) "
                "or a pattern such as '%d.%m.%y'."
            )

    @property
    def delimiter(self) -> str | None:
        """The character that separates fields, if it is given."""
        return None if self.sep is None else NAMED_DELIMITERS.get(self.sep.lower(), self.sep)


def read_file(
    path: str | Path,
    kinds: Mapping[str, str] | None = None,
    text: TextFormat | None = None,
    needed: Collection[str] | None = None,
) -> Any:
    """Read a file: .csv, .tsv or .txt, also compressed, or .parquet.

    Separator, decimal sign and encoding of a text file are detected if only one reading makes
    sense; if the file is ambiguous, an error says which setting to use. Parquet is read whole, so
    that all faults are reported at once; for a file that does not fit into memory, use a
    ParquetTable instead.

    Parameters
    ----------
    path : str or Path
        The file.
    kinds : mapping of str to str, default=None
        Columns of text files that it calls "category" or "ordered" are taken as written; those
        that it calls "date", "dmy" or "mdy" (by the order of day and month) must be dates.
    text : TextFormat, default=None
        The format of a text file, where it should not be detected.
    needed : collection of str, default=None
        Columns of a text file whose values are needed: others are not parsed, so that faults in
        them do not matter. None for all.

    Returns
    -------
    DataFrame or pyarrow.Table
        The table.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from elseif.tables import read_file
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "ages.csv"
    >>> _ = path.write_text("age;smoker\\n61,5;true\\n47,25;n/a\\n")
    >>> read_file(path)["age"].tolist()
    [61.5, 47.25]
    """
    path = Path(path)
    ending = _ending(path)
    if ending in SPREADSHEETS:
        raise ParamError(f"{path.name} is a spreadsheet. {SAVE_AS_CSV}.")
    if ending not in (*TEXT_ENDINGS, *PARQUET_ENDINGS):
        raise ParamError(
            f"{path.name}: the ending must be .csv, .tsv, .txt (also with .gz, .bz2, .xz, .zip or "
            f".zst) or .parquet. {OTHER_ENDINGS.get(ending, '')}".rstrip()
        )
    check_regular_file(path)
    if ending in PARQUET_ENDINGS:
        return _read_parquet(path)
    return _read_delimited(path, _usual(ending), text or TextFormat(), kinds or {}, needed)


def column_names(path: Path, text: TextFormat) -> list[str]:
    """The names in the first line of a text file."""
    with open_lines(path, text.encoding) as lines:
        header = read_header(lines, text.delimiter, _usual(_ending(path)))
    return header.names[header.has_row_names :]


def _usual(ending: str) -> str:
    """What separates fields by the ending of a file, unless its first line has another."""
    return "," if ending == ".csv" else "\t"


def _ending(path: Path) -> str:
    """The extension that gives the format: of a compressed file the inner one, or .csv."""
    ending = path.suffix.lower()
    return Path(path.stem).suffix.lower() or ".csv" if ending in COMPRESSED_ENDINGS else ending


def bytes_of_parquet(file: Any) -> int:
    """Memory that a Parquet file takes when it is read: rows by width, and text as it is stored."""
    schema, meta = file.schema_arrow, file.metadata
    is_flat = len(schema) == meta.num_columns
    total = 0
    for index in range(meta.num_columns):
        try:
            kind: Any = schema.field(index).type if is_flat else None
            total += -(-kind.bit_width * meta.num_rows // 8)
        except (AttributeError, ValueError):  # no fixed width: its bytes, and where values begin
            groups = (meta.row_group(g) for g in range(meta.num_row_groups))
            total += sum(group.column(index).total_uncompressed_size for group in groups)
            total += 8 * meta.num_rows
    return int(total)


def _read_parquet(path: Path) -> Any:
    pa, pq = load_pyarrow()
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path.name} is not a readable Parquet file: {error}") from error
    require_memory(
        f"Reading {path.name} whole",
        bytes_of_parquet(file),
        "Fit elseif.ParquetTable(path) instead, which reads a column at a time.",
    )
    groups = []
    for number in range(file.num_row_groups):
        try:
            groups.append(file.read_row_group(number))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"{path.name}: row group {number} cannot be read: {error}") from error
    return pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()


def bytes_of_text(
    lines: TextLines, columns: Sequence[TextColumn], n_read: int, so_far: bool = False
) -> float:
    """Memory that a text file takes when it is read, from its rows so far and its size.

    Of a compressed file, the rest is expected to be as the part that was read.
    """
    size = lines.n_bytes if so_far else lines.n_bytes_expected
    n_rows = round(n_read * size / lines.n_bytes)
    return n_rows * LINE + sum(column.bytes_of_all(n_read, n_rows) for column in columns)


def _read_delimited(
    path: Path,
    usual: str,
    text: TextFormat,
    kinds: Mapping[str, str],
    needed: Collection[str] | None,
) -> Any:
    import pandas as pd  # loaded when a file is read

    how = Reading(path, na_values=frozenset(text.na_values), date_format=text.date_format)
    with open_lines(path, text.encoding) as lines:
        header = read_header(lines, text.delimiter, usual)
        columns = [TextColumn(name) for name in header.names]
        next_check = 1.0  # rows, by which memory is estimated
        for chunk, ends in _row_chunks(lines, header):
            how.lines += ends
            for column, values in zip(columns, zip(*chunk, strict=True), strict=True):
                column.extend(values)
            n_rows = len(how.lines)
            if n_rows >= next_check and lines.n_bytes < lines.n_bytes_expected:
                # compressed content may change its nature further on
                next_check = AND_MORE * n_rows if lines.is_compressed else float("inf")
                n_bytes = bytes_of_text(lines, columns, n_rows)
                taken = 0.0 if n_rows == len(chunk) else bytes_of_text(lines, columns, n_rows, True)
                require_memory(f"Reading {path.name}", n_bytes - taken, CONVERT)
        if header.has_row_names and not columns.pop(0).are_row_names():
            raise lines.fault(1, None, without_name(1))
    as_written = {name for name, kind in kinds.items() if kind in ("category", "ordered")}
    if needed is not None:
        how.is_free = False
        as_written |= set(header.names) - set(needed)
    to_parse = [column for column in columns if column.name not in as_written]
    how.thousands = text.thousands
    how.decimal = text.decimal or _other(text.thousands) or decimal_sign(to_parse, header.delimiter)
    how.given_orders = {name: kind for name, kind in kinds.items() if kind in ORDERS}
    how.date_orders = text.date_orders
    how.levels = text.levels
    shown = {order for column in to_parse if (order := column.shown_order()) is not None}
    how.shown_order = next(iter(shown)) if len(shown) == 1 else None
    parsed = {
        c.name: c.categories(how)
        if c.name in as_written
        else c.parsed(how, is_date=kinds.get(c.name) in ("date", *ORDERS))
        for c in columns
    }
    frame = pd.DataFrame(parsed, columns=[column.name for column in columns])
    if how.found_orders:  # so that a model can read the next file as this one
        frame.attrs[DATE_ORDERS] = how.found_orders
    return frame


def _other(thousands: str | None) -> str | None:
    """The decimal sign that is left where one of the two sets thousands apart."""
    return {",": ".", ".": ","}.get(thousands or "")


def _row_chunks(
    lines: TextLines, header: Header
) -> Iterator[tuple[list[list[str]], Sequence[int]]]:
    """Rows some at a time, each as wide as the header, with the lines they end on."""
    reader = csv.reader(lines, delimiter=header.delimiter, strict=True)
    n_named, width = len(header.names), header.width
    rows: list[list[str]] = []
    ends: list[int] = []
    first = lines.n_bytes
    while True:
        begin = lines.n_read + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise lines.fault(begin, None, in_words(error)) from error
        if row is None:
            break
        if not row:
            continue  # an empty line
        if len(row) != width:
            raise lines.fault(begin, None, _width_fault(len(row), width))
        if any(field.strip() for field in row[n_named:]):
            what = f"column {n_named + 1} has a value and no name. Give it one in the first line"
            raise lines.fault(begin, None, what)
        rows.append(row[:n_named])
        ends.append(lines.n_read)
        if len(rows) >= ROWS_AT_ONCE or lines.n_bytes - first >= BYTES_AT_ONCE:
            yield rows, ends
            rows, ends, first = [], [], lines.n_bytes
    if rows:
        yield rows, ends


def _width_fault(n_fields: int, width: int) -> str:
    """What is wrong with a row that is wider or narrower than the header."""
    fields = "1 field" if n_fields == 1 else f"{n_fields} fields"
    what = f"{fields} where the header has {width}"
    if n_fields == width + 1 and width > 1:
        return (
            f"{what}. If rows begin with a name, give that column a name in the first line; if a "
            "value holds the separator, put it in quotes"
        )
    if width > 1 and n_fields > 1:
        return what
    hints = ["If another character separates the fields, pass it, such as sep='|'"]
    if width == 1:
        hints.append("if a title stands above the names of the columns, delete it")
    return f"{what}. {'; '.join(hints)}"
