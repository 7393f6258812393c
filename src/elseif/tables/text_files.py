"""Tables in files: CSV, TSV and Parquet, read strictly; a fault is named with its place."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from elseif.errors import DataError, ParamError
from elseif.memory import require_memory
from elseif.tables.date_texts import DATE_ORDERS, ORDERS
from elseif.tables.parquet import PARQUET_ENDINGS, check_regular_file, load_pyarrow
from elseif.tables.text_columns import Reading, TextColumn, decimal_sign
from elseif.tables.text_source import COMPRESSED_ENDINGS, SAVE_AS_CSV, TextLines, open_lines

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".tab")
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".numbers")
DELIMITERS = (",", ";", "\t", "|")
NAMED_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
ROWS_AT_ONCE = 50_000
# what a user says of a file as a whole; orders of dates are kept by column
READING_OPTIONS = ("sep", "decimal", "thousands", "encoding", "na_values", "date_format")
LINE = 50  # bytes by which a row's line is found again
CONVERT = (
    "Convert it to Parquet, of which columns are read one at a time, or put it into a database: "
    "fit learns from a table that stays there."
)


@dataclass(frozen=True)
class TextFormat:
    """How a text file is written, as far as a user says so; None is detected.

    Parameters
    ----------
    sep : str, default=None
        What separates fields: one character, or "tab".
    decimal : {".", ","}, default=None
        Decimal sign of numbers.
    thousands : str, default=None
        What sets thousands apart in numbers, such as "," in 12,345.
    encoding : str, default=None
        Encoding, by the name that Python has for it.
    na_values : collection of str, default=()
        Texts that mean a missing value, beside the usual ones.
    date_format : str, default=None
        How dates are written that do not begin with the year: "dmy" (day first), "mdy" (month
        first), or by the signs of ``strptime``, such as "%d.%m.%y".
    date_orders : mapping of str to {"dmy", "mdy"}, default={}
        Orders of day and month by column, for dates that do not show them.

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
    """A data frame from a file, by its ending: .csv, .tsv, .txt, also compressed, or .parquet.

    Separator, decimal sign and encoding of a text file are detected where only one reading makes
    sense; what is ambiguous is an error that says which setting decides it. Parquet is read
    whole, so that every fault in it is named at once; a file that does not fit into memory is
    opened as a ParquetTable instead.

    Parameters
    ----------
    path : str or Path
        The file.
    kinds : mapping of str to str, default=None
        Columns of text files that it calls "category" or "ordered" are taken as written; those
        that it calls "date", "dmy" or "mdy" (by the order of day and month) must be dates.
    text : TextFormat, default=None
        How a text file is written, where it should not be detected.
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
            f"{path.name}: the ending must be .csv, .tsv, .txt (also with .gz, .bz2, .xz or .zip) "
            "or .parquet."
        )
    check_regular_file(path)
    if ending in PARQUET_ENDINGS:
        return _read_parquet(path)
    usual = "," if ending == ".csv" else "\t"
    return _read_delimited(path, usual, text or TextFormat(), kinds or {}, needed)


def _ending(path: Path) -> str:
    """The ending that tells the format: of a compressed file the one before, or .csv."""
    ending = path.suffix.lower()
    return Path(path.stem).suffix.lower() or ".csv" if ending in COMPRESSED_ENDINGS else ending


def bytes_of_parquet(file: Any) -> int:
    """Memory that a Parquet file takes when it is read: rows by width, and text as it is stored."""
    schema, meta = file.schema_arrow, file.metadata
    is_flat = len(schema) == meta.num_columns
    total = 0
    for place in range(meta.num_columns):
        try:
            kind: Any = schema.field(place).type if is_flat else None
            total += -(-kind.bit_width * meta.num_rows // 8)
        except (AttributeError, ValueError):  # no fixed width: its bytes, and where values begin
            groups = (meta.row_group(g) for g in range(meta.num_row_groups))
            total += sum(group.column(place).total_uncompressed_size for group in groups)
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
    path: Path, lines: TextLines, columns: Sequence[TextColumn], n_read: int
) -> float:
    """Memory that a text file takes when it is read, from its first rows and its size.

    Of a compressed file, its size is that of what has been read: nothing is known of the rest.
    """
    is_compressed = path.suffix.lower() in COMPRESSED_ENDINGS
    size = lines.n_bytes if is_compressed else path.stat().st_size
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
        header, delimiter = _read_header(lines, text.delimiter, usual)
        columns = [TextColumn(name) for name in header]
        for chunk, ends in _row_chunks(lines, delimiter, len(header)):
            how.lines += ends
            for column, values in zip(columns, zip(*chunk, strict=True), strict=True):
                column.extend(values)
            if len(how.lines) == len(chunk) == ROWS_AT_ONCE:  # the first of several
                n_bytes = bytes_of_text(path, lines, columns, len(chunk))
                require_memory(f"Reading {path.name}", n_bytes, CONVERT)
    as_written = {name for name, kind in kinds.items() if kind in ("category", "ordered")}
    if needed is not None:
        how.is_free = False
        as_written |= set(header) - set(needed)
    to_parse = [column for column in columns if column.name not in as_written]
    how.thousands = text.thousands
    how.decimal = text.decimal or _other(text.thousands) or decimal_sign(to_parse, delimiter)
    how.told_orders = {name: kind for name, kind in kinds.items() if kind in ORDERS}
    how.date_orders = text.date_orders
    shown = {order for column in to_parse if (order := column.shown_order()) is not None}
    how.shown_order = next(iter(shown)) if len(shown) == 1 else None
    parsed = {
        c.name: c.categories(how)
        if c.name in as_written
        else c.parsed(how, is_date=kinds.get(c.name) in ("date", *ORDERS))
        for c in columns
    }
    frame = pd.DataFrame(parsed, columns=header)
    if how.found_orders:  # so that a model can read the next file as this one
        frame.attrs[DATE_ORDERS] = how.found_orders
    return frame


def _other(thousands: str | None) -> str | None:
    """The decimal sign that is left where one of the two sets thousands apart."""
    return {",": ".", ".": ","}.get(thousands or "")


def _read_header(lines: TextLines, given: str | None, usual: str) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter: the usual one, unless the line has another."""
    line = next(lines, "")
    if line[:4].lower() == "sep=" and len(line.rstrip("\r\n")) == 5:  # which Excel heeds
        given, line = given or line[4], next(lines, "")
    if not line.strip():
        raise lines.empty()
    begun = [line]  # a name in quotes may go on in the next line

    def fields(delimiter: str) -> list[str]:
        def header_lines() -> Iterator[str]:
            yield from begun
            for more in lines:
                begun.append(more)
                yield more

        return next(csv.reader(header_lines(), delimiter=delimiter, strict=True))

    try:
        delimiter = given or usual
        header = fields(delimiter)
        if len(header) == 1 and given is None:
            present = [d for d in DELIMITERS if d in header[0]]
            delimiter = max(present, key=header[0].count, default=usual)
            header = fields(delimiter)
    except csv.Error as error:
        raise lines.fault(1, None, _in_words(error)) from error
    nameless = [i + 1 for i, name in enumerate(header) if not name.strip()]
    if nameless:
        raise lines.fault(lines.n_read, None, f"column {nameless[0]} has no name")
    doubled = sorted(name for name, n in Counter(header).items() if n > 1)
    if doubled:
        raise lines.fault(lines.n_read, None, f"the column name {doubled[0]!r} occurs twice")
    return header, delimiter


def _in_words(error: csv.Error) -> str:
    return "a quote is opened and not closed" if "end of data" in str(error) else str(error)


def _row_chunks(
    lines: TextLines, delimiter: str, width: int
) -> Iterator[tuple[list[list[str]], Sequence[int]]]:
    """Rows some at a time, each as wide as the header, with the lines they end on."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    ends: list[int] = []
    while True:
        begin = lines.n_read + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise lines.fault(begin, None, _in_words(error)) from error
        if row is None:
            break
        if not row:
            continue  # an empty line
        if len(row) != width:
            what = f"{len(row)} fields where the header has {width}"
            if width == 1 or len(row) == 1:
                what += ". If another character separates the fields, pass it, such as sep='|'"
            raise lines.fault(begin, None, what)
        rows.append(row)
        ends.append(lines.n_read)
        if len(rows) >= ROWS_AT_ONCE:
            yield rows, ends
            rows, ends = [], []
    if rows:
        yield rows, ends
