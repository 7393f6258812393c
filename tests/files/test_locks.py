"""One run at a time in a folder; a lock ends with its process, however that ends."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from elseif.cli.main import run
from elseif.cohort import connect, extract, read_cohort
from elseif.errors import ElseifError, ResourceError
from elseif.files.locks import only_run_in
from tests.cohort.extracting import N_PERSONS, make_database
from tests.files.conftest import Start, kill, line_of, names

# the database of these tests is small: some groups of the definition are in nobody's records
pytestmark = pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")

HOLDER = """
import sys
from pathlib import Path
from elseif.files.locks import only_run_in
with only_run_in(Path(sys.argv[1]), sys.argv[2]):
    print("held", flush=True)
    sys.stdin.read()
"""
# an extraction that has written its plan, and waits before it asks for the first drugs
EXTRACTION = """
import os, sys
from elseif.cohort import connect, extract
from elseif.cohort.drivers import DuckDBDriver
ask = DuckDBDriver.stream
def stream(self, sql, schema):
    if "drug_exposure" in sql and os.path.exists(os.path.join(sys.argv[2], "plan.json")):
        print("waits", flush=True)
        sys.stdin.read()
    yield from ask(self, sql, schema)
DuckDBDriver.stream = stream
with connect(sys.argv[1], "cdm") as database:
    extract(database, "stroke", folder=sys.argv[2])
"""


@pytest.mark.fault(
    "56",
    "two runs in one folder, a run that was killed",
    "`ResourceError` for the second; a lock ends with its process, and leftover files "
    "are removed by the next run",
)
def test_one_run_at_a_time(tmp_path: Path) -> None:
    """A second run in a folder is refused; after the first it may, and no lock is left."""
    second = only_run_in(tmp_path, "study")
    with (
        only_run_in(tmp_path, "study"),
        pytest.raises(ResourceError, match="Another study is using"),
    ):
        second.__enter__()
    assert names(tmp_path) == []
    with only_run_in(tmp_path, "study"):
        pass
    with (
        pytest.raises(ResourceError, match="Cannot write into"),
        only_run_in(tmp_path / "none", "study"),
    ):
        pass


def test_the_lock_of_a_killed_process(tmp_path: Path, start: Start) -> None:
    """It hinders nobody."""
    child = start(HOLDER, tmp_path, "study")
    assert line_of(child) == "held"
    with pytest.raises(ResourceError, match="is using"), only_run_in(tmp_path, "study"):
        pass
    kill(child)
    assert names(tmp_path) == [".elseif.lock"]
    with only_run_in(tmp_path, "study"):
        pass
    assert names(tmp_path) == []


def test_two_extractions_into_one_folder(
    tmp_path: Path, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second is refused in one sentence; the first ends as if it had been alone."""
    path, folder = make_database(tmp_path / "omop.duckdb"), tmp_path / "cohort"
    command = ["extract", "--database", str(path), "--schema", "cdm", "--out", str(folder)]
    first = start(EXTRACTION, path, folder)
    assert line_of(first) == "waits"
    assert run(command) == 4
    assert capsys.readouterr().err == (
        f"elseif: Another extraction is using {folder}. Wait for it to end, or use another "
        "folder: --out.\n"
    )
    first.communicate("")
    assert first.returncode == 0
    assert len(read_cohort(folder)) == N_PERSONS
    assert not [name for name in names(folder) if name.startswith(".")]
    assert run(command) == 0


def test_a_killed_extraction_is_continued(tmp_path: Path, start: Start) -> None:
    path, folder = make_database(tmp_path / "omop.duckdb"), tmp_path / "cohort"
    first = start(EXTRACTION, path, folder)
    assert line_of(first) == "waits"
    kill(first)
    with connect(path, "cdm") as database:
        assert len(extract(database, "stroke", folder=folder)) == N_PERSONS
    assert not [name for name in names(folder) if name.startswith(".")]


@pytest.mark.parametrize("is_there", [True, False])
def test_an_extraction_of_nobody(tmp_path: Path, is_there: bool) -> None:
    """Those with the condition are lost at a later step: nothing is left that hinders the next."""
    path, folder = make_database(tmp_path / "omop.duckdb"), tmp_path / "cohort"
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE cdm.person SET year_of_birth = 1500")
    if is_there:
        folder.mkdir()
    with (
        connect(path, "cdm") as database,
        pytest.raises(ElseifError, match="Nobody in the DuckDB file"),
    ):
        extract(database, "stroke", folder=folder, persons_a_batch=15)
    assert folder.exists() == is_there
    assert not is_there or names(folder) == []
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE cdm.person SET year_of_birth = 1950")
    with connect(path, "cdm") as database:
        assert len(extract(database, "stroke", folder=folder)) == N_PERSONS


def test_a_study_that_fails(tmp_path: Path) -> None:
    """It leaves nothing, neither a lock nor a folder, and files of others are still refused."""
    path, out = make_database(tmp_path / "omop.duckdb"), tmp_path / "study"
    command = ["study", "stroke", "--database", str(path), "--out", str(out)]
    assert run(command) == 6  # there are no such tables outside the schema cdm
    assert not out.exists()
    out.mkdir()
    assert run(command) == 6
    assert names(out) == []
    (out / "report.html").write_text("mine")
    assert run([*command, "--schema", "cdm"]) == 2
    assert names(out) == ["report.html"]


def test_two_studies_in_one_folder(
    tmp_path: Path, start: Start, capsys: pytest.CaptureFixture[str]
) -> None:
    child = start(HOLDER, tmp_path, "study")
    assert line_of(child) == "held"
    command = ["study", "stroke", "--out", str(tmp_path)]
    assert run(command) == 4
    assert f"Another study is using {tmp_path}." in capsys.readouterr().err
    child.communicate("")
    assert child.returncode == 0
