"""Tables in files: CSV, TSV and Parquet, read strictly; a fault is named with its place."""

from __future__ import annotations

import codecs
import csv
import datetime
import re
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from elseif.errors import DataError, ParamError
from elseif.tables.parquet import PARQUET_ENDINGS, check_regular_file, load_pyarrow

MISSING_WORDS = frozenset({"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})
TRUTH_WORDS = {"true": True, "false": False}
# digits and letters of other scripts look like numbers and are none
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
ALMOST_NUMBER = re.compile(r"\s*[+-]?\d[\d., ]*\s*")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?", re.ASCII)
ROWS_AT_ONCE = 50_000


def read_file(path: str | Path, kinds: Mapping[str, str] | None = None) -> Any:
    """A data frame from a file, by its ending: .csv, .tsv, .txt (tabs) or .parquet.

    Columns of text files that kinds calls "category" or "ordered" are taken as written.
    Parquet is read whole, so that every fault in it is named at once; a file that does not
    fit into memory is opened as a ParquetTable instead.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", ".txt", *PARQUET_ENDINGS):
        raise ParamError(f"{path.name}: the ending must be .csv, .tsv, .txt or .parquet.")
    check_regular_file(path)
    if ending in PARQUET_ENDINGS:
        return _read_parquet(path)
    as_written = {n for n, kind in (kinds or {}).items() if kind in ("category", "ordered")}
    return _read_delimited(path, "," if ending == ".csv" else "\t", as_written)


def _read_parquet(path: Path) -> Any:
    pa, pq = load_pyarrow()
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        raise DataError(f"{path.name} is not a readable Parquet file: {error}") from error
    groups = []
    for number in range(file.num_row_groups):
        try:
            groups.append(file.read_row_group(number))
        except (pa.ArrowException, OSError, ValueError) as error:
            raise DataError(f"{path.name}: row group {number} cannot be read: {error}") from error
    return pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()


def _read_delimited(path: Path, delimiter: str, as_written: set[str]) -> Any:
    import pandas as pd  # loaded when a file is read

    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = _Lines(file, path)
        header, delimiter = _read_header(lines, delimiter)
        columns = [_TextColumn(name) for name in header]
        numbers: list[int] = []  # the line on which each row ends, for messages
        for chunk, ends in _row_chunks(lines, delimiter, len(header)):
            numbers += ends
            for column, values in zip(columns, zip(*chunk, strict=True), strict=True):
                column.extend(values)
    parsed = {
        c.name: c.categories() if c.name in as_written else c.parsed(path, numbers) for c in columns
    }
    return pd.DataFrame(parsed, columns=header)


class _Lines:
    """Lines of a file, which knows where each begins, and refuses what is no text."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file, self._path = file, path
        with path.open("rb") as start:
            has_mark = start.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8
        self._starts = array("q", [0])  # byte at which each line begins
        self._next = len(codecs.BOM_UTF8) if has_mark else 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        try:
            line = self._file.readline()
        except UnicodeDecodeError as error:
            what = f"not UTF-8 ({error.reason}). Save the file as UTF-8"
            raise self.fault(*self._bad_byte(), what) from error
        if not line:
            raise StopIteration
        if "\0" in line:
            byte = self._next + len(line[: line.index("\0")].encode())
            raise self.fault(self.n_read + 1, byte, "a NUL character")
        self._next += len(line.encode())
        self._starts.append(self._next)
        return line

    @property
    def n_read(self) -> int:
        """Number of lines so far."""
        return len(self._starts) - 1

    def fault(self, line: int, byte: int | None, what: str) -> DataError:
        """An error with its place; without a byte, that at which the line begins."""
        where = self._starts[line - 1] if byte is None else byte
        return DataError(f"{self._path.name}, line {line}, byte {where}: {what}.")

    def empty(self) -> DataError:
        """The error of a file without a header."""
        return DataError(f"{self._path.name} is empty: its first line must name the columns.")

    def _bad_byte(self) -> tuple[int, int]:
        """Line and byte offset of the first byte that is not UTF-8."""
        content = self._path.read_bytes()
        try:
            content.decode("utf-8")
        except UnicodeDecodeError as error:
            before = content[: error.start]
            ends = before.count(b"\n") + before.count(b"\r") - before.count(b"\r\n")
            return ends + 1, error.start
        return self.n_read + 1, len(content)


def _read_header(lines: _Lines, delimiter: str) -> tuple[list[str], str]:
    """Names of the columns, and the delimiter: a semicolon where there is no comma."""
    line = next(lines, "")
    if not line.strip():
        raise lines.empty()
    begun = [line]  # a name in quotes may go on in the next line

    def header_lines() -> Iterator[str]:
        yield from begun
        for more in lines:
            begun.append(more)
            yield more

    try:
        header = next(csv.reader(header_lines(), delimiter=delimiter, strict=True))
        if len(header) == 1 and delimiter == "," and ";" in header[0]:
            delimiter = ";"
            header = next(csv.reader(header_lines(), delimiter=";", strict=True))
    except csv.Error as error:
        raise lines.fault(1, None, _in_words(error)) from error
    nameless = [i + 1 for i, name in enumerate(header) if not name.strip()]
    if nameless:
        raise lines.fault(1, None, f"column {nameless[0]} has no name")
    doubled = sorted(name for name, n in Counter(header).items() if n > 1)
    if doubled:
        raise lines.fault(1, None, f"the column name {doubled[0]!r} stands twice")
    return header, delimiter


def _in_words(error: csv.Error) -> str:
    return "a quote is opened and not closed" if "end of data" in str(error) else str(error)


def _row_chunks(
    lines: _Lines, delimiter: str, width: int
) -> Iterator[tuple[list[list[str]], list[int]]]:
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
            raise lines.fault(begin, None, what)
        rows.append(row)
        ends.append(lines.n_read)
        if len(rows) >= ROWS_AT_ONCE:
            yield rows, ends
            rows, ends = [], []
    if rows:
        yield rows, ends


class _TextColumn:
    """A column as codes into its distinct texts, parsed once for each distinct text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: list[np.ndarray] = []
        self._place: dict[str, int] = {}

    def extend(self, values: Sequence[str]) -> None:
        place = self._place
        codes = [place.setdefault(value, len(place)) for value in values]
        self._codes.append(np.array(codes, dtype=np.int32))

    def parsed(self, path: Path, lines: Sequence[int]) -> Any:
        """Truth values, numbers, dates, or categories: whatever all its texts are."""
        import pandas as pd

        codes, texts = self._all_codes(), list(self._place)
        known = [text for text in texts if text not in MISSING_WORDS]
        if known and all(text.lower() in TRUTH_WORDS for text in known):
            truth: list[Any] = [TRUTH_WORDS.get(text.lower()) for text in texts]
            return pd.array(np.array(truth, dtype=object)[codes], dtype="boolean")
        if all(NUMBER.fullmatch(text) or INFINITY.fullmatch(text) for text in known):
            values = [np.nan if text in MISSING_WORDS else float(text) for text in texts]
            return np.array(values, dtype=float)[codes] if texts else np.empty(0)
        if all(DATE.fullmatch(text) for text in known):
            return self._dates(texts, codes, path, lines)
        self._refuse_faulty_numbers(texts, codes, path, lines)
        return self.categories()

    def categories(self) -> Any:
        """Its texts as categories."""
        import pandas as pd

        texts = list(self._place)
        categories = sorted(text for text in texts if text not in MISSING_WORDS)
        place = {text: i for i, text in enumerate(categories)}
        recode = np.array([place.get(text, -1) for text in texts], dtype=np.int32)
        return pd.Categorical.from_codes(recode[self._all_codes()], pd.Index(categories))

    def _all_codes(self) -> np.ndarray:
        return np.concatenate(self._codes) if self._codes else np.empty(0, dtype=np.int32)

    def _dates(
        self, texts: list[str], codes: np.ndarray, path: Path, lines: Sequence[int]
    ) -> np.ndarray:
        """Dates to the microsecond, which reach further back than pandas' nanoseconds."""
        dates = np.full(len(texts), np.datetime64("NaT"), dtype="datetime64[us]")
        for i, text in enumerate(texts):
            if text in MISSING_WORDS:
                continue
            try:
                dates[i] = np.datetime64(datetime.datetime.fromisoformat(text[:26]), "us")
            except ValueError as error:
                row = int(np.flatnonzero(codes == i)[0])
                raise DataError(
                    f"{path.name}, line {lines[row]}: column {self.name!r} has {text!r} among "
                    f"dates ({error}). Correct it, or call the column a category."
                ) from error
        return dates[codes]

    def _refuse_faulty_numbers(
        self, texts: list[str], codes: np.ndarray, path: Path, lines: Sequence[int]
    ) -> None:
        """Numbers with a decimal comma or blanks, and words among numbers, are no categories."""
        counts = np.bincount(codes, minlength=len(texts))
        kinds = [
            "missing" if t in MISSING_WORDS else "number" if NUMBER.fullmatch(t) else
            "almost" if ALMOST_NUMBER.fullmatch(t) else "word"
            for t in texts
        ]  # fmt: skip
        n = {
            kind: sum(c for c, k in zip(counts, kinds, strict=True) if k == kind) for kind in kinds
        }
        n_numbers = n.get("number", 0) + n.get("almost", 0)
        for wanted, advice in (
            ("almost", "Write numbers with a point and without blanks."),
            ("word", "Leave a missing number empty, or call the column a category."),
        ):
            faulty = [i for i, kind in enumerate(kinds) if kind == wanted]
            if not faulty or n_numbers <= n.get("word", 0):
                continue
            row = int(np.flatnonzero(np.isin(codes, faulty))[0])
            raise DataError(
                f"{path.name}, line {lines[row]}: column {self.name!r} has "
                f"{texts[codes[row]]!r} among numbers ({sum(counts[faulty]):,} of such). {advice}"
            )
