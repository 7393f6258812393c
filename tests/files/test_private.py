"""Rows about people are for their owner's eyes alone, from the first byte on."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, save_model
from elseif.cli.main import run
from elseif.cohort import connect, extract, read_cohort
from elseif.errors import FileExistsAlreadyError, ResourceError
from tests.cohort.extracting import N_PERSONS, make_database

# the database of these tests is small: some groups of the definition are in nobody's records
pytestmark = pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")


@pytest.fixture(autouse=True)
def open_mask() -> Iterator[None]:
    """The most careless user: new files are readable and writable by everybody."""
    earlier = os.umask(0)
    yield
    os.umask(earlier)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "omop.duckdb")


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def extract_into(path: Path, folder: Path, **more: Any) -> None:
    with connect(path, "cdm") as database:
        extract(database, "stroke", folder=folder, **more)


def watch_first_bytes(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The modes of files and of their folders at the time of every write."""
    seen: list[int] = []
    write = os.write

    def watched(handle: int, data: Any) -> int:
        name = Path(os.readlink(f"/proc/self/fd/{handle}"))
        if stat.S_ISREG(os.fstat(handle).st_mode):
            seen.extend([stat.S_IMODE(os.fstat(handle).st_mode), mode(name.parent)])
        return write(handle, data)

    monkeypatch.setattr(os, "write", watched)
    return seen


@pytest.mark.fault(
    "",
    "rows about people in a folder that other users can read",
    "folders have mode 700 and files mode 600 before the first byte is written; a folder "
    "owned by another user is refused",
)
@pytest.mark.parametrize("how", ["new", "below new ones", "empty", "begun"])
def test_a_cohort(how: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A new folder, one that was there for everybody, one that an earlier release has begun."""
    folder = tmp_path / ("a/b/cohort" if how == "below new ones" else "cohort")
    if how == "empty":
        folder.mkdir()
    if how == "begun":
        extract_into(path, folder)
        for file in folder.iterdir():
            file.chmod(0o644)
        folder.chmod(0o755)
    seen = watch_first_bytes(monkeypatch)
    extract_into(path, folder, persons_a_batch=15)
    assert mode(folder) == 0o700
    files = list(folder.iterdir())
    assert len(files) >= 5
    assert {mode(file) for file in files} == {0o600}
    assert set(seen) == (set() if how == "begun" else {0o600, 0o700})
    assert len(read_cohort(folder)) == N_PERSONS


def test_a_folder_of_somebody_else(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its owner could open it again."""
    folder = tmp_path / "cohort"
    folder.mkdir()
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.raises(FileExistsAlreadyError, match="belongs to another user"):
        extract_into(path, folder)
    assert list(folder.iterdir()) == []


def test_a_disk_without_permissions(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a folder stays open to everybody, no rows are written."""
    folder = tmp_path / "cohort"
    folder.mkdir(mode=0o777)
    monkeypatch.setattr(Path, "chmod", lambda *_: None)
    with pytest.raises(ResourceError, match="cannot be restricted to you"):
        extract_into(path, folder)
    assert list(folder.iterdir()) == []


def test_rows_that_memory_cannot_hold(path: Path) -> None:
    """DuckDB's folder for them is private, has a name that nobody can guess, and goes."""
    code = (
        "import os, sys; os.umask(0); from elseif.cohort import connect; "
        "database = connect(sys.argv[1], 'cdm'); "
        "print(database.backend.con.execute("
        "\"SELECT current_setting('temp_directory')\").fetchone()[0]); "
        "sys.stdout.flush(); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(path)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    ) as child:  # fmt: skip
        assert child.stdout is not None
        folder = Path(child.stdout.readline().strip())
        result = folder.stat()
        assert stat.S_IMODE(result.st_mode) == 0o700
        assert str(child.pid) not in folder.name
        child.communicate("")
    assert child.returncode == 0
    assert not folder.exists()


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    X = pd.DataFrame({"a": [True, False] * 20, "b": [False, False, True, True] * 10})
    y = ["y", "n", "y", "n", "y", "n", "y", "y"] * 5
    return BayesianRuleListClassifier(random_state=0).fit(X, y)


def test_predictions(
    fitted: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A row of the answer is a row of the table; --force makes nothing readable that was not."""
    model, table, out = tmp_path / "m.json", tmp_path / "t.csv", tmp_path / "p.csv"
    save_model(fitted, model)
    table.write_text("a,b\ntrue,false\nfalse,false\n")
    command = ["predict", str(model), str(table), "--out", str(out)]
    tmp_path.chmod(0o700)
    seen = watch_first_bytes(monkeypatch)
    assert run(command) == 0
    assert mode(out) == 0o600
    assert seen == [0o600, 0o700]
    for earlier, later in ((0o644, 0o600), (0o600, 0o600), (0o400, 0o400)):
        out.chmod(earlier)
        assert run([*command, "--force"]) == 0
        assert mode(out) == later
    assert out.read_text().count("\n") == 3


def test_a_stricter_mode_is_kept(
    fitted: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A model, a report or an export is like any file, unless its owner has closed it."""
    model, listed = tmp_path / "m.json", tmp_path / "list.md"
    save_model(fitted, model)
    assert mode(model) == 0o666
    seen = watch_first_bytes(monkeypatch)
    for earlier in (0o600, 0o640, 0o644):
        model.chmod(earlier)
        save_model(fitted, model, force=True)
        assert mode(model) == earlier
        assert seen[0] == earlier
        seen.clear()
    os.umask(0o077)
    model.chmod(0o644)
    save_model(fitted, model, force=True)
    assert mode(model) == 0o600  # no mode is wider than the system's mask allows
    os.umask(0o022)
    listed.touch(mode=0o600)
    to_list = ["export", str(model), "--to", "markdown", "--out", str(listed), "--force"]
    assert run(to_list) == 0
    assert mode(listed) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files to others")
def test_a_group_that_may_read_is_the_same_group(
    fitted: BayesianRuleListClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the group cannot be kept, no group may read."""
    model = tmp_path / "m.json"
    save_model(fitted, model)
    os.chown(model, 1234, 2345)
    model.chmod(0o640)
    save_model(fitted, model, force=True)
    assert (model.stat().st_uid, model.stat().st_gid, mode(model)) == (1234, 2345, 0o640)

    def not_allowed(*_: int) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "fchown", not_allowed)
    save_model(fitted, model, force=True)
    assert (model.stat().st_gid, mode(model)) == (os.getegid(), 0o600)
