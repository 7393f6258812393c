"""A small file that would fill the memory is refused after a little of it was read."""

from __future__ import annotations

import bz2
import gzip
import lzma
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import memory
from elseif.errors import DataError, ElseifError, ResourceError
from elseif.tables import read_file, text_files, text_source
from tests.cli.program import run_here

AVAILABLE = 20e6  # bytes that tests pretend to have; xz takes 8 MB for itself


def zstandard(path: Path, content: Iterator[bytes]) -> None:
    pa = pytest.importorskip("pyarrow")
    with pa.CompressedOutputStream(str(path), "zstd") as file:
        for part in content:
            file.write(part)


def zipped(path: Path, content: Iterator[bytes]) -> None:
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("t.csv", "w") as file,
    ):
        for part in content:
            file.write(part)


def by(opened: Callable[..., Any]) -> Callable[[Path, Iterator[bytes]], None]:
    def write(path: Path, content: Iterator[bytes]) -> None:
        with opened(path, "wb") as file:
            for part in content:
                file.write(part)

    return write


PACKERS = {
    ".csv.gz": by(gzip.open),
    ".csv.bz2": by(bz2.open),
    ".csv.xz": by(lzma.open),
    ".csv.zip": zipped,
    ".csv.zst": zstandard,
}


def rows(n: int) -> Iterator[bytes]:
    yield b"a,b,c\n"
    for _ in range(n // 10_000):
        yield b"1,2,3\n" * 10_000


@pytest.fixture
def little_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is allocated counts against what there is."""
    monkeypatch.setattr(
        memory, "available_memory", lambda: AVAILABLE - tracemalloc.get_traced_memory()[0]
    )
    monkeypatch.setattr(text_files, "ROWS_AT_ONCE", 2_000)
    monkeypatch.setattr(text_source, "LONGEST_LINE", 1 << 16)


def peak_of_refusal(path: Path, kind: type[ElseifError], words: str) -> int:
    tracemalloc.start()
    try:
        with pytest.raises(kind, match=words):
            read_file(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("ending", PACKERS)
@pytest.mark.fault(57, "a small compressed file that would fill the memory, or a line without end",
                   "`ResourceError` or `DataError` after reading a small part of it")  # fmt: skip
def test_many_rows(ending: str, tmp_path: Path) -> None:
    """Rows that take 25 MB, in some kilobytes."""
    path = tmp_path / f"t{ending}"
    PACKERS[ending](path, rows(300_000))
    assert path.stat().st_size < 20_000
    peak = peak_of_refusal(path, ResourceError, "Reading t.csv.* would take about .* Convert it")
    assert peak < AVAILABLE


@pytest.mark.usefixtures("little_memory")
@pytest.mark.parametrize("ending", PACKERS)
def test_one_line(ending: str, tmp_path: Path) -> None:
    """A line of ten million characters is read no further than a row can be long."""
    path = tmp_path / f"t{ending}"
    PACKERS[ending](path, iter([b"a,b\n", *[b"1," * 500_000] * 10]))
    peak = peak_of_refusal(path, DataError, "line 2: a line of more than 65,536 characters")
    assert peak < AVAILABLE


@pytest.mark.usefixtures("little_memory")
def test_a_byte_that_is_no_text_late_in_a_bomb(tmp_path: Path) -> None:
    """Its place is found without the rest in memory."""
    path = tmp_path / "t.csv.gz"
    parts = [*rows(20_000), b"\xff\n", *[b"1,2,3\n" * 200_000] * 10]
    PACKERS[".csv.gz"](path, iter(parts))
    peak = peak_of_refusal(path, DataError, "line 20002, byte 120006: not UTF-8")
    assert peak < AVAILABLE


@pytest.mark.parametrize("ending", PACKERS)
def test_what_fits_is_read(ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ordinary compressed tables are estimated at about what they take, and read."""
    rng, n = np.random.default_rng(0), 6_000
    table = pd.DataFrame({"age": rng.integers(20, 90, n), "value": rng.random(n).round(6)})
    path = tmp_path / f"t{ending}"
    PACKERS[ending](path, iter([table.to_csv(index=False).encode()]))
    monkeypatch.setattr(text_files, "ROWS_AT_ONCE", 2_000)
    estimates: list[float] = []
    monkeypatch.setattr(
        text_files, "require_memory", lambda what, n_bytes, advice: estimates.append(n_bytes)
    )
    tracemalloc.start()
    try:
        read = read_file(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    pd.testing.assert_frame_equal(read, table, check_dtype=False)
    assert 0 < estimates[0] < 4 * peak


def test_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence, and the exit code of what the machine lacks."""
    path = tmp_path / "t.csv.gz"
    monkeypatch.setattr(text_source, "LONGEST_LINE", 1 << 16)
    PACKERS[".csv.gz"](path, iter([b"a,b\n", b"1," * 500_000]))
    ended = run_here("fit", str(path), "--label", "b", "--model", str(tmp_path / "m.json"))
    assert ended.code == 3
    assert "a line of more than 65,536 characters" in ended.err
    assert "Traceback" not in ended.err
