"""From the bytes of a text file to lines: compression, encoding, and places of errors."""

from __future__ import annotations

import bz2
import codecs
import gzip
import io
import lzma
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, cast

from elseif.errors import DataError, ElseifError, ParamError, install

COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zip", ".zst")
# UTF-32 first: its mark begins with that of UTF-16
MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
SAVE_AS_CSV = "Save it as CSV: in Excel, File > Save As > CSV UTF-8 (comma delimited)"
# first bytes of files that are not text, whatever their names say
OTHER_FORMATS = (
    (b"PK\x03\x04", f"is an Excel workbook or a ZIP archive. {SAVE_AS_CSV}"),
    (b"\xd0\xcf\x11\xe0", f"is an old Excel workbook. {SAVE_AS_CSV}"),
    (b"PAR1", "is a Parquet file. Give its name the ending .parquet"),
    (b"\x1f\x8b", "is compressed by gzip. Give its name the ending .csv.gz"),
    (b"BZh", "is compressed by bzip2. Give its name the ending .csv.bz2"),
    (b"\xfd7zXZ\x00", "is compressed by xz. Give its name the ending .csv.xz"),
    (b"\x28\xb5\x2f\xfd", "is compressed by Zstandard. Give its name the ending .csv.zst"),
    (b"%PDF", "is a PDF file. Export the table as CSV"),
    (b"SAS     SAS", "is a SAS file. Export the table as CSV"),
    (b"$FL2", "is an SPSS file. Export the table as CSV"),
    (b"<stata_dta>", "is a Stata file. Export the table as CSV"),
    (b"SQLite format 3", "is an SQLite database. Export the table as CSV"),
    (b"7z\xbc\xaf", "is a 7z archive. Unpack it first"),
    (b"{\\rtf", "is an RTF document. Save the table as CSV"),
    (b'{"', "is a JSON file. Save the table as CSV or Parquet"),
    (b"[{", "is a JSON file. Save the table as CSV or Parquet"),
    (b"<?xml", "is an XML file. Save the table as CSV"),
    (b"ARROW1", "is a Feather file. Export the table as CSV or Parquet"),
    (b"\x89HDF", "is an HDF5 file. Export the table as CSV or Parquet"),
    (b"\x89PNG", "is a picture. Give the table itself as CSV"),
    (b"<html", "is a web page. Save the table as CSV"),
    (b"<!DOCTYPE html", "is a web page. Save the table as CSV"),
)
READ_AT_FIRST = 4096  # bytes from which format and encoding are detected
# characters of a line: more than any table has, and less than memory has room for
LONGEST_LINE = 1 << 26
AND_MORE = 1.25  # times what was read: least expected size of a compressed file that continues
AT_ONCE = 1 << 20  # bytes that are decoded together where a fault is looked for


class EncodingError(DataError):
    """A file is not text in the encoding that it was read in."""


class TextLines:
    """Lines of a file; knows the byte at which each begins, and refuses what is not text."""

    def __init__(
        self, path: Path, file: BinaryIO, encoding: str | None, size: Callable[[int], float]
    ) -> None:
        self._path, self._file, self._size = path, file, size
        self.encoding, n_mark = _encoding(path, file, encoding)
        self._starts = array("q", [n_mark])
        self._next = n_mark
        self._text = self._open(n_mark)
        self._ahead: list[str] = []

    def _open(self, begin: int) -> io.TextIOWrapper:
        self._file.seek(begin)
        return io.TextIOWrapper(self._file, encoding=self.encoding, newline="")

    def __iter__(self) -> Iterator[str]:
        return self

    def _line(self) -> str:
        try:
            return self._text.readline(LONGEST_LINE)
        except UnicodeDecodeError as error:
            raise self._not_text(error) from error

    def __next__(self) -> str:
        line = self._ahead.pop(0) if self._ahead else self._line()
        if not line:
            raise StopIteration
        if len(line) == LONGEST_LINE:
            what = (
                f"a line of more than {LONGEST_LINE:,} characters, which cannot be a row of a table"
            )
            raise DataError(f"{self._path.name}, line {self.n_read + 1}: {what}.")
        if "\0" in line:
            byte = self._next + self._n_bytes(line[: line.index("\0")])
            raise self.fault(self.n_read + 1, byte, "a NUL character")
        self._next += self._n_bytes(line)
        self._starts.append(self._next)
        return line

    def coming(self, n: int) -> list[str]:
        """The next lines, at most so many; they are still to be read."""
        while len(self._ahead) < n and (line := self._line()):
            self._ahead.append(line)
        return self._ahead[:n]

    @property
    def n_bytes(self) -> int:
        """Bytes of the lines so far, as text that is not compressed."""
        return self._next

    @property
    def is_compressed(self) -> bool:
        """Whether the size of the lines is not that of the file."""
        return self._path.suffix.lower() in COMPRESSED_ENDINGS

    @property
    def n_bytes_expected(self) -> float:
        """Bytes of all lines: known, or, of a compressed file, as the part read so far says.

        Some more are always to be expected of one that is compressed: a few of its bytes can
        stand for gigabytes.
        """
        least = self._next * (AND_MORE if self.is_compressed else 1.0)
        return max(least, self._size(self._next))

    @property
    def n_read(self) -> int:
        """Number of lines so far."""
        return len(self._starts) - 1

    def fault(
        self, line: int, byte: int | None, what: str, kind: type[DataError] = DataError
    ) -> DataError:
        """An error with its place; without a byte, that at which the line begins."""
        where = self._starts[line - 1] if byte is None else byte
        return kind(f"{self._path.name}, line {line}, byte {where}: {what}.")

    def empty(self) -> DataError:
        """The error of a file without a header."""
        return DataError(f"{self._path.name} is empty: its first line must name the columns.")

    def _n_bytes(self, text: str) -> int:
        return len(text.encode(self.encoding))

    def _not_text(self, error: UnicodeDecodeError) -> DataError:
        """What is wrong with the first byte that cannot be decoded, and where it is."""
        what = f"not {self.encoding.upper()} ({error.reason})"
        if self.encoding == "utf-8":
            what += (
                ". Save the file as UTF-8, or pass its encoding: that of Excel on Windows is often "
                "encoding='cp1252'"
            )
        self._text.detach()
        self._file.seek(0)
        decoder = codecs.getincrementaldecoder(self.encoding)()
        ends, last, n_read = 0, "", 0
        while True:  # a part at a time: the rest may not fit into memory
            content = self._file.read(AT_ONCE)
            n_read += len(content)
            try:
                text = decoder.decode(content, final=not content)
            except UnicodeDecodeError as first:
                byte = n_read - len(first.object) + first.start
                before = first.object[: first.start].decode(self.encoding, errors="replace")
                lines = ends + _line_ends(last, before) + 1
                return EncodingError(f"{self._path.name}, line {lines}, byte {byte}: {what}.")
            if not content:
                return self.fault(self.n_read + 1, n_read, what, EncodingError)
            ends += _line_ends(last, text)
            last = text[-1:] or last


def _line_ends(last: str, text: str) -> int:
    """Ends of lines in a text that follows another, given the last character of that."""
    both = last + text
    n_ends = both.count("\n") + both.count("\r") - both.count("\r\n")
    return n_ends - (last in ("\n", "\r"))


@contextmanager
def open_lines(path: Path, encoding: str | None = None) -> Iterator[TextLines]:
    """The lines of a text file, decompressed by the last ending of its name, with places of faults.

    Without an encoding, UTF-8 is assumed, or UTF-16 or UTF-32 if the first bytes show it.
    """
    try:
        with _decompressed(path) as (file, size):
            yield TextLines(path, file, encoding, size)
    except ElseifError:  # some of which are OSErrors too
        raise
    except (gzip.BadGzipFile, lzma.LZMAError, EOFError, zlib.error, zipfile.BadZipFile) as error:
        raise DataError(f"{path.name} cannot be decompressed: {error}.") from error
    except OSError as error:
        if error.errno is not None or path.suffix.lower() not in COMPRESSED_ENDINGS:
            raise
        # bz2 says by an OSError without a number that the bytes are no bzip2
        raise DataError(f"{path.name} cannot be decompressed: {error}.") from error


def _is_aside(info: zipfile.ZipInfo) -> bool:
    """Whether it is a folder, or what macOS adds to every archive."""
    path = PurePosixPath(info.filename)
    return info.is_dir() or path.parts[0] == "__MACOSX" or path.name == ".DS_Store"


@contextmanager
def _decompressed(path: Path) -> Iterator[tuple[BinaryIO, Callable[[int], float]]]:
    """A file without its compression, and how large that is, given how much of it was read."""
    ending, n_bytes = path.suffix.lower(), path.stat().st_size
    if ending == ".zip":
        with zipfile.ZipFile(path) as archive:
            members = [info for info in archive.infolist() if not _is_aside(info)]
            if len(members) != 1:
                raise DataError(
                    f"{path.name} holds {len(members)} files; it must hold one table. Unpack it, "
                    "and give the table."
                )
            if members[0].flag_bits & 1:
                raise DataError(f"{path.name} is encrypted. Unpack it, and give the table.")
            with archive.open(members[0]) as file:
                yield cast(BinaryIO, file), lambda n_read: float(members[0].file_size)
        return
    with path.open("rb") as packed:
        opened: dict[str, Callable[[], Any]] = {
            ".gz": lambda: gzip.GzipFile(fileobj=packed),
            ".bz2": lambda: bz2.BZ2File(packed),
            ".xz": lambda: lzma.LZMAFile(packed),  # noqa: SIM115
            ".zst": lambda: io.BufferedReader(ZstandardFile(packed)),
        }
        if ending not in opened:
            yield packed, lambda n_read: float(n_bytes)
            return

        def size(n_read: int) -> float:
            """The rest is expected to be compressed as much as what was read."""
            return n_read * n_bytes / max(1, packed.tell())

        with opened[ending]() as file:
            yield cast(BinaryIO, file), size


class ZstandardFile(io.RawIOBase):
    """A file compressed by Zstandard, decompressed by pyarrow."""

    def __init__(self, packed: BinaryIO) -> None:
        self._packed = packed
        self._begin()

    def _begin(self) -> None:
        try:
            import pyarrow as pa
        except ImportError:
            raise ParamError(f"Zstandard needs pyarrow: {install('files')}.") from None
        self._packed.seek(0)
        # what closes it must not close the file beneath, from which it may begin again
        self._stream = pa.CompressedInputStream(
            pa.PythonFile(NotClosed(self._packed), mode="r"), "zstd"
        )
        self._place = 0

    def readable(self) -> bool:
        """Whether it can be read, as any can."""
        return True

    def seekable(self) -> bool:
        """Whether it can begin again, as any can."""
        return True

    def readinto(self, room: Any) -> int:
        """Read as much as there is room for."""
        try:
            content = self._stream.read(len(room))
        except OSError as error:
            raise EOFError(f"{error}") from error
        room[: len(content)] = content
        self._place += len(content)
        return len(content)

    def tell(self) -> int:
        """How much was read."""
        return self._place

    def seek(self, target: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place: forwards, or from the beginning again."""
        if whence == io.SEEK_CUR:
            target += self._place
        if target < self._place:
            self._begin()
        while self._place < target and self.read(min(target - self._place, AT_ONCE)):
            pass
        return self._place


class NotClosed(io.RawIOBase):
    """A file that stays open when it is closed."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def readable(self) -> bool:
        """Whether it can be read, as any can."""
        return True

    def readinto(self, room: Any) -> int:
        """Read as much as there is room for."""
        content = self._file.read(len(room))
        room[: len(content)] = content
        return len(content)


def _encoding(path: Path, file: BinaryIO, given: str | None) -> tuple[str, int]:
    """The encoding of a file, and the length of its byte order mark."""
    start = file.read(READ_AT_FIRST)
    for begin, what in OTHER_FORMATS:
        if start.startswith(begin):
            if "is compressed" in what and path.suffix.lower() in COMPRESSED_ENDINGS:
                what = "holds what is compressed once more. Unpack it first"
            raise DataError(f"{path.name} {what}.")
    mark, by_mark = next(((m, e) for m, e in MARKS if start.startswith(m)), (b"", None))
    if given is not None:
        try:
            codec = codecs.lookup(given)
            b"a".decode(codec.name, "ignore")  # not every codec is one of texts
        except LookupError as error:
            raise ParamError(
                f"encoding is {given!r}, which Python does not know; common ones are 'utf-8', "
                "'cp1252', 'latin-1' and 'utf-16'."
            ) from error
        name = {"utf-8-sig": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}.get(
            codec.name, codec.name
        )
        same = by_mark is not None and by_mark.split("-")[:2] == name.split("-")[:2]
        return (by_mark or name, len(mark)) if same else (name, 0)
    return (by_mark, len(mark)) if by_mark is not None else (_without_mark(start), 0)


def _without_mark(start: bytes) -> str:
    """UTF-16 of a text that is mostly ASCII has a zero in every other byte; else UTF-8."""
    even, odd = start[0::2], start[1::2]
    if len(start) >= 4 and start.count(0) > 0.3 * len(start):
        if not even.count(0) and odd.count(0) > 0.6 * len(odd):
            return "utf-16-le"
        if not odd.count(0) and even.count(0) > 0.6 * len(even):
            return "utf-16-be"
    return "utf-8"
