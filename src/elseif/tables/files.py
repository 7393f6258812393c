"""Tables in files: CSV, TSV and Parquet, read strictly; a fault is named with its place."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from elseif.errors import DataError, ParamError

MISSING_WORDS = frozenset({"", "NA", "N/A", "NaN", "nan", "NULL", "null", "None", "<NA>"})
TRUTH_WORDS = {"true": True, "false": False}
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
ALMOST_NUMBER = re.compile(r"\s*[+-]?\d[\d., ]*\s*")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?")
ROWS_AT_ONCE = 50_000


def read_file(path: str | Path, kinds: Mapping[str, str] | None = None) -> Any:
    """A data frame from a file, by its ending: .csv, .tsv, .txt (tabs) or .parquet.

    Columns of text files that kinds calls "category" or "ordered" are taken as written.
    """
    path = Path(path)
    ending = path.suffix.lower()
    if ending not in (".csv", ".tsv", ".txt", ".parquet", ".pq"):
        raise ParamError(f"{path.name}: the ending must be .csv, .tsv, .txt or .parquet.")
    if not path.exists():
        raise DataError(f"{path}: there is no such file.")
    if path.is_dir():
        raise DataError(f"{path} is a folder, not a file.")
    if ending in (".parquet", ".pq"):
        return _read_parquet(path)
    as_written = {n for n, kind in (kinds or {}).items() if kind in ("category", "ordered")}
    return _read_delimited(path, "," if ending == ".csv" else "\t", as_written)


def _read_parquet(path: Path) -> Any:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise ParamError("Parquet files need pyarrow: pip install 'elseif[files]'.") from None
    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowInvalid, OSError) as error:
        raise DataError(f"{path.name} is not a readable Parquet file: {error}") from error
    groups = []
    for number in range(file.num_row_groups):
        try:
            groups.append(file.read_row_group(number))
        except (pa.ArrowException, OSError) as error:
            raise DataError(f"{path.name}: row group {number} cannot be read: {error}") from error
    return pa.concat_tables(groups) if groups else file.schema_arrow.empty_table()


def _read_delimited(path: Path, delimiter: str, as_written: set[str]) -> Any:
    import pandas as pd  # loaded when a file is read

    with path.open(encoding="utf-8-sig", newline="") as file:
        lines = _checked_lines(file, path)
        try:
            header = next(csv.reader([_first_line(lines, path)], delimiter=delimiter, strict=True))
            if len(header) == 1 and delimiter == "," and ";" in header[0]:
                delimiter = ";"
                header = next(csv.reader(header, delimiter=";", strict=True))
        except csv.Error as error:
            raise DataError(f"{path.name}, line 1: {error}.") from error
        _check_header(header, path)
        columns = [_TextColumn(name) for name in header]
        numbers: list[int] = []  # the line on which each row ends, for messages
        for chunk, ends in _row_chunks(lines, delimiter, len(header), path):
            numbers += ends
            for column, values in zip(columns, zip(*chunk, strict=True), strict=True):
                column.extend(values)
    parsed = {
        c.name: c.categories() if c.name in as_written else c.parsed(path, numbers) for c in columns
    }
    return pd.DataFrame(parsed, columns=header)


def _first_line(lines: Iterator[str], path: Path) -> str:
    line = next(lines, None)
    if line is None or not line.strip():
        raise DataError(f"{path.name} is empty: its first line must name the columns.")
    return line


def _checked_lines(file: TextIO, path: Path) -> Iterator[str]:
    """Lines of a file, with the place of a byte that has no business in a table."""
    number, offset = 0, 0
    while True:
        try:
            line = file.readline()
        except UnicodeDecodeError as error:
            where = _bad_byte(path)
            raise DataError(
                f"{path.name}, {where}: not UTF-8 ({error.reason}). Save the file as UTF-8."
            ) from error
        if not line:
            return
        number += 1
        if "\0" in line:
            byte = offset + len(line[: line.index("\0")].encode())
            raise DataError(f"{path.name}, line {number}, byte {byte}: a NUL character.")
        offset += len(line.encode())
        yield line


def _bad_byte(path: Path) -> str:
    """Line and byte offset of the first byte that is not UTF-8."""
    number, offset = 1, 0
    with path.open("rb") as file:
        for line in file:
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                return f"line {number}, byte {offset + error.start}"
            number += 1
            offset += len(line)
    return "at its end"


def _check_header(header: Sequence[str], path: Path) -> None:
    nameless = [i + 1 for i, name in enumerate(header) if not name.strip()]
    if nameless:
        raise DataError(f"{path.name}, line 1: column {nameless[0]} has no name.")
    doubled = sorted({name for name in header if list(header).count(name) > 1})
    if doubled:
        raise DataError(f"{path.name}, line 1: the column name {doubled[0]!r} stands twice.")


def _row_chunks(
    lines: Iterator[str], delimiter: str, width: int, path: Path
) -> Iterator[tuple[list[list[str]], list[int]]]:
    """Rows some at a time, each as wide as the header, with the lines they end on."""
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    rows: list[list[str]] = []
    ends: list[int] = []
    while True:
        begin = reader.line_num + 2  # the header was line 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            what = "a quote is opened and not closed" if "end of data" in str(error) else error
            raise DataError(f"{path.name}, line {begin}: {what}.") from error
        if row is None:
            break
        if not row:
            continue  # an empty line
        if len(row) != width:
            raise DataError(
                f"{path.name}, line {begin}: {len(row)} fields where the header has {width}."
            )
        rows.append(row)
        ends.append(reader.line_num + 1)
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
            return pd.to_datetime(self._texts(texts, codes), format="ISO8601")
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

    def _texts(self, texts: list[str], codes: np.ndarray) -> np.ndarray:
        blanked = [None if text in MISSING_WORDS else text for text in texts]
        return np.array(blanked, dtype=object)[codes]

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
