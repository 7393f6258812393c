"""Extractions that are killed, run out of disk, or meet each other in one folder."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from elseif.cohort import Cohort, connect, extract, read_cohort
from elseif.errors import ElseifError
from tests.cli.program import by_signal, heed_interrupts
from tests.cohort.child import BATCH, REFUSED
from tests.cohort.comparing import assert_equal_cohorts
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import write_duckdb
from tests.cohort.extracting import make_database
from tests.cohort.test_reference import medium_database

ROOT = Path(__file__).parents[2]
# the program, sent a signal half a second after it has asked for drugs, and left to end by itself
STOPPED = """
import os, threading
from elseif.cli import interrupts
from elseif.cli.main import main
interrupts.PATIENCE = 30
from elseif.cohort.drivers import DuckDBDriver
ask = DuckDBDriver.stream
def stream(self, sql, schema):
    if "drug_exposure" in sql:
        threading.Timer(0.5, os.kill, (os.getpid(), {number})).start()
    yield from ask(self, sql, schema)
DuckDBDriver.stream = stream
main()
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_duckdb(tmp_path_factory.mktemp("omop") / "omop.duckdb", medium_database(seed=2))


@pytest.fixture(scope="module")
def whole(path: Path) -> Cohort:
    """What an undisturbed extraction gives, without a folder."""
    with connect(str(path), "cdm") as database:
        return extract(database, HANDMADE)


def start(path: Path, folder: Path, *how: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.cohort.child", str(path), str(folder), *how]
    return subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def assert_no_cohort(folder: Path) -> None:
    with pytest.raises(ElseifError, match=folder.name):
        read_cohort(folder)
    assert not list(folder.rglob("manifest*"))


def continued(path: Path, folder: Path) -> Cohort:
    with connect(str(path), "cdm") as database:
        return extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)


@pytest.mark.parametrize(
    ("file", "n_kept"),
    [
        ("1", 0),
        ("12", 6),  # the plan, two ranges with three tables and a receipt each, and half a third
        ("manifest.json", 9),
    ],
)
def test_killed_and_continued(
    path: Path, whole: Cohort, tmp_path: Path, file: str, n_kept: int
) -> None:
    folder = tmp_path / "cohort"
    child = start(path, folder, "die-at-file", file)
    _, complaint = child.communicate()
    assert child.returncode == -signal.SIGKILL, complaint
    assert_no_cohort(folder)
    there = {p: p.stat().st_mtime_ns for p in folder.rglob("*.parquet")}
    assert_equal_cohorts(continued(path, folder), whole)
    assert_equal_cohorts(read_cohort(folder), whole)
    kept = [p for p, time in there.items() if p.exists() and p.stat().st_mtime_ns == time]
    assert len(kept) >= n_kept  # what was finished is not asked again


def test_no_room_for_a_part(path: Path, whole: Cohort, tmp_path: Path) -> None:
    """A file that cannot be written whole: a sentence, no cohort, and then it continues."""
    folder = tmp_path / "cohort"
    child = start(path, folder, "full-at-bytes", "1500")
    _, complaint = child.communicate()
    assert child.returncode == REFUSED, complaint
    assert complaint.strip().endswith(".")
    assert "Traceback" not in complaint
    assert_no_cohort(folder)
    assert_equal_cohorts(continued(path, folder), whole)
    assert_equal_cohorts(read_cohort(folder), whole)


def test_two_at_once(path: Path, whole: Cohort, tmp_path: Path) -> None:
    """Either both end with the same cohort, or one says that the other is at work."""
    folder, sign = tmp_path / "cohort", tmp_path / "go"
    children = [start(path, folder, "wait-for", str(sign)) for _ in range(2)]
    sign.touch()
    complaints = [child.communicate()[1] for child in children]
    codes = [child.returncode for child in children]
    assert 0 in codes, complaints
    assert set(codes) <= {0, REFUSED}, complaints
    assert_equal_cohorts(read_cohort(folder), whole)


def test_a_finished_extraction_is_read(path: Path, whole: Cohort, tmp_path: Path) -> None:
    """Asked again with the same definition, a finished folder gives what it has."""
    folder = tmp_path / "cohort"
    first = continued(path, folder)
    there = {p: p.stat().st_mtime_ns for p in folder.rglob("*")}
    assert_equal_cohorts(first, whole)
    assert_equal_cohorts(continued(path, folder), whole)
    assert {p: p.stat().st_mtime_ns for p in folder.rglob("*")} == there


def test_another_definition_in_the_folder(path: Path, tmp_path: Path) -> None:
    """Parts of two definitions are never mixed."""
    from dataclasses import replace

    folder = tmp_path / "cohort"
    continued(path, folder)
    other = replace(HANDMADE, outcome_window=(1, 30))
    with connect(str(path), "cdm") as database:
        with pytest.raises(ElseifError, match=folder.name):
            extract(database, other, folder=folder, persons_a_batch=BATCH)
        fresh = extract(database, other, folder=tmp_path / "other", persons_a_batch=BATCH)
    assert fresh.outcome.sum() < read_cohort(folder).outcome.sum()


@pytest.mark.parametrize("damage", ["cut", "removed", "swapped", "edited", "manifest"])
def test_damaged_folder(path: Path, tmp_path: Path, damage: str) -> None:
    """A part or a manifest that is not what was written is no cohort."""
    folder = tmp_path / "cohort"
    continued(path, folder)
    parts = sorted(folder.rglob("*.parquet"))
    if damage == "cut":
        parts[0].write_bytes(parts[0].read_bytes()[:-20])
    elif damage == "removed":
        parts[0].unlink()
    elif damage == "swapped":
        one, two = parts[0].read_bytes(), parts[1].read_bytes()
        parts[0].write_bytes(two)
        parts[1].write_bytes(one)
    elif damage == "edited":  # a year older, which no count shows
        persons = folder / "persons-00000.parquet"
        table = pq.read_table(persons, partitioning=None)
        older = pc.add(table["age"], 1)
        index = table.column_names.index("age")
        pq.write_table(table.set_column(index, "age", older), persons)
    else:
        (manifest,) = folder.glob("manifest*")
        manifest.write_bytes(manifest.read_bytes()[:-20])
    with pytest.raises(ElseifError, match="cohort"):
        read_cohort(folder)


def test_folder_that_is_none(tmp_path: Path) -> None:
    for folder in (tmp_path, tmp_path / "nothing"):
        with pytest.raises(ElseifError, match=folder.name):
            read_cohort(folder)


@by_signal
def test_the_program_stopped_within_a_question(
    tmp_path: Path, number: signal.Signals, code: int, line: str
) -> None:
    """DuckDB makes an error of its own of an interrupt; the program says what is so."""
    path, folder = make_database(tmp_path / "omop.duckdb"), tmp_path / "cohort"
    with duckdb.connect(str(path)) as connection:  # a table that takes hours to be counted
        connection.execute(
            "ALTER TABLE cdm.drug_exposure RENAME TO drugs; CREATE VIEW cdm.drug_exposure AS "
            "SELECT d.* FROM cdm.drugs d, range(4000000) a, range(4000000) b "
            "WHERE d.person_id + a.range + b.range < 0"
        )
    command = ["extract", "--database", str(path), "--schema", "cdm", "--out", str(folder)]
    done = subprocess.run(
        [sys.executable, "-c", STOPPED.format(number=int(number)), *command],
        capture_output=True, text=True, check=False, timeout=120,
        preexec_fn=heed_interrupts,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (
        code,
        f"elseif: {line}: finished parts are kept in {folder}, and the same command continues\n",
    )
