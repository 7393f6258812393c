"""What a killed process leaves behind goes at the next run; what a living one uses stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from elseif.cohort import connect, extract, read_cohort
from elseif.files.atomic import new_file, write_atomically
from elseif.files.temporary import remove_leftovers, temporary_folder
from elseif.studies.kept_results import FileKeeper
from tests.cohort.extracting import N_PERSONS, make_database
from tests.files.conftest import Start, kill, line_of, names

# the database of these tests is small: some groups of the definition are in nobody's records
pytestmark = pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")

# writes one file, and is killed, or waits, when all of it is on the disk but its name
WRITER = """
import os, sys
from elseif.files.atomic import new_file
with new_file(sys.argv[1], private=True) as file:
    file.write(b"rows " * 1000)
    print("written", flush=True)
    sys.stdin.read()
"""
FOLDER = """
import sys
from elseif.files.temporary import temporary_folder
with temporary_folder("elseif-test") as folder:
    (folder / "rows").write_text("rows")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_a_killed_writer(tmp_path: Path, start: Start) -> None:
    """Its file is removed at the next write in the folder, not while it lives."""
    living, dead = start(WRITER, tmp_path / "a"), start(WRITER, tmp_path / "b")
    assert [line_of(living), line_of(dead)] == ["written", "written"]
    assert len(names(tmp_path)) == 2
    kill(dead)
    write_atomically(tmp_path / "c", b"new")
    left = names(tmp_path)
    assert left[-1] == "c"
    assert [name.startswith(".a.") for name in left] == [True, False]
    living.communicate("")
    assert living.returncode == 0
    assert names(tmp_path) == ["a", "c"]
    assert (tmp_path / "a").read_bytes() == b"rows " * 1000


def test_a_writer_of_this_process(tmp_path: Path) -> None:
    """Two files of one process, of which one ends before the other."""
    with new_file(tmp_path / "a") as file:
        write_atomically(tmp_path / "b", b"b")
        remove_leftovers(tmp_path)
        file.write(b"a")
    assert names(tmp_path) == ["a", "b"]


def test_files_of_others(tmp_path: Path) -> None:
    """Another name, a link, a folder that is a link: none is ours to remove."""
    theirs = [".notes.tmp-today", "elseif-tmp-0123abcd", ".a.elseif-tmp-0123ABCD"]
    for name in theirs:
        (tmp_path / name).touch()
    (tmp_path / ".l.elseif-tmp-0123abcd").symlink_to(tmp_path / theirs[0])
    before = names(tmp_path)
    remove_leftovers(tmp_path)
    assert names(tmp_path) == before
    remove_leftovers(tmp_path / "not there")


def test_of_another_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / ".a.elseif-tmp-0123abcd").touch()
    monkeypatch.setattr(os, "geteuid", lambda: tmp_path.stat().st_uid + 1)
    remove_leftovers(tmp_path)
    assert names(tmp_path) == [".a.elseif-tmp-0123abcd"]


def test_folders(tmp_path: Path, start: Start) -> None:
    """The same of folders in the system's place for temporary ones."""
    living, dead = (start(FOLDER, TMPDIR=str(tmp_path)) for _ in range(2))
    kept, left = Path(line_of(living)), Path(line_of(dead))
    kill(dead)
    assert left.exists()
    with temporary_folder("elseif-test", tmp_path) as folder:
        assert sorted(tmp_path.iterdir()) == sorted([folder, kept])
    assert (kept / "rows").read_text() == "rows"
    living.communicate("")
    assert list(tmp_path.iterdir()) == []


def test_a_killed_extraction(tmp_path: Path) -> None:
    """Rows in hidden files go with the next extraction."""
    path, folder = make_database(tmp_path / "omop.duckdb"), tmp_path / "cohort"
    child = subprocess.run(
        [sys.executable, "-m", "tests.cohort.child", path, folder, "die-at-file", "2"],
        cwd=Path(__file__).parents[2], check=False, capture_output=True,
    )  # fmt: skip
    assert child.returncode == -signal.SIGKILL, child.stderr
    hidden = [name for name in names(folder) if "elseif-tmp" in name]
    assert len(hidden) == 1
    (folder / "plan.json").unlink()  # of another definition
    with connect(path, "cdm") as database:
        assert len(extract(database, "stroke", folder=folder)) == N_PERSONS
    assert len(read_cohort(folder)) == N_PERSONS
    assert not [name for name in names(folder) if name.startswith(".")]


def test_a_killed_study(tmp_path: Path, start: Start) -> None:
    """What a study has kept half is gone when it is run again."""
    (tmp_path / "kept").mkdir()
    child = start(WRITER, tmp_path / "kept" / "scores.json")
    assert line_of(child) == "written"
    kill(child)
    FileKeeper(tmp_path / "kept").make_folder()
    assert names(tmp_path / "kept") == []
