"""Everything that is written goes through one writer: whole, or not at all."""

from __future__ import annotations

import ast
import ctypes
import os
from pathlib import Path
from typing import Any

import pytest

import elseif
from elseif.cohort import connect, extract, read_cohort
from elseif.errors import ElseifError, ResourceError
from elseif.files.atomic import write_atomically
from tests.cli.test_cut_short import mount
from tests.cohort.extracting import N_PERSONS, make_database

# the database of these tests is small: some groups of the definition are in nobody's records
pytestmark = pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")

SOURCE = Path(elseif.__file__).parent
WRITERS = {"write_text", "write_bytes", "to_parquet", "tofile", "savez", "touch", "write_table"}
WRITERS |= {"NamedTemporaryFile", "mkstemp", "mkdtemp", "TemporaryDirectory", "TemporaryFile"}
# where each may be, and why
ALLOWED = {
    ("cli/output.py", "open"): "the system's own place for nothing",
    ("cohort/part_files.py", "write_table"): "into a file of the one writer",
    ("evaluation/comparison/through_r.py", "open"): "in a private folder, for R",
    ("evaluation/comparison/through_r.py", "tofile"): "in a private folder, for R",
    ("evaluation/comparison/through_r.py", "write_bytes"): "in a private folder, for R",
    ("files/folders.py", "TemporaryFile"): "nameless and empty",
    ("files/temporary.py", "open"): "standard input, in a private folder",
}


def writes(call: ast.Call) -> str | None:
    """The name of a call that writes a file of its own; None of any other."""
    name = getattr(call.func, "attr", getattr(call.func, "id", ""))
    if name in WRITERS:
        return str(name)
    given = [*call.args[:2], *(word.value for word in call.keywords if word.arg == "mode")]
    modes = [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, str)]
    is_written = any(len(mode) <= 3 and set(mode) & set("wax+") for mode in modes)
    if name == "open" and is_written and getattr(call.func, "value", None) is None:
        return "open"
    return "open" if name == "open" and is_written and len(call.args) == 1 else None


def test_no_file_is_written_in_another_way() -> None:
    result = {
        (str(path.relative_to(SOURCE)), name)
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Call) and (name := writes(node))
    }
    assert result == set(ALLOWED)


def test_a_full_disk_while_extracting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever write fails: a sentence, no cohort, nothing half; then it is continued."""
    path, real = make_database(tmp_path / "omop.duckdb"), os.write
    calls, fails_at = 0, -1

    def write(handle: int, data: Any) -> int:
        nonlocal calls
        calls += 1
        if calls == fails_at:
            raise OSError(28, "No space left on device")
        return real(handle, data)

    monkeypatch.setattr(os, "write", write)
    with connect(path, "cdm") as database:
        extract(database, "stroke", folder=tmp_path / "whole")
        n_writes = calls
        assert n_writes >= 7  # plan, three parts, a receipt, the catalogue, the manifest
        for fails_at in {1, *range(2, n_writes, 7), n_writes}:
            folder, calls = tmp_path / f"cohort-{fails_at}", 0
            with pytest.raises(ResourceError, match="No space left on device"):
                extract(database, "stroke", folder=folder)
            assert folder.exists() == (fails_at > 1)
            assert fails_at == 1 or not [p for p in folder.iterdir() if p.name.startswith(".")]
            with pytest.raises(ElseifError):
                read_cohort(folder)
            assert len(extract(database, "stroke", folder=folder)) == N_PERSONS
            assert len(read_cohort(folder)) == N_PERSONS


def test_a_real_disk_that_is_full(tmp_path: Path) -> None:
    """The earlier file is whole, and nothing is left beside it."""
    mount(tmp_path, 16 * 4096)
    try:
        path = tmp_path / "a"
        write_atomically(path, b"old " * 1000)
        with pytest.raises(ResourceError, match=r"65,536 bytes .*No space left on device"):
            write_atomically(path, b"new " * 16_384, force=True)
        assert path.read_bytes() == b"old " * 1000
        assert [p.name for p in tmp_path.iterdir()] == ["a"]
        write_atomically(path, b"new " * 2000, force=True)
        assert path.read_bytes() == b"new " * 2000
    finally:
        ctypes.CDLL(None).umount2(os.fsencode(tmp_path), 2)
