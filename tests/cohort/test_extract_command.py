"""elseif extract on a server: what it prints, what it returns, and what it never shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from elseif.cohort import read_cohort
from tests.cohort import handmade as made
from tests.cohort.engines import PASSWORD, PostgresServer, free_port

SCHEMA = "verb"
LOST = 6


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    program = "import sys; from elseif.cli.main import main; sys.exit(main())"
    return subprocess.run(
        [sys.executable, "-c", program, "extract", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def assert_no_secret(done: subprocess.CompletedProcess[str]) -> None:
    assert "Tr0ub4dor" not in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_extract_from_a_server(postgres: PostgresServer, tmp_path: Path) -> None:
    """The stroke definition on the persons made by hand; the password in the environment."""
    postgres.load(made.TABLES, SCHEMA)
    url = f"postgresql://reader@127.0.0.1:{postgres.port}/postgres"
    folder = tmp_path / "cohort"
    done = run("--database", url, "--schema", SCHEMA, "--out", str(folder), PGPASSWORD=PASSWORD)
    assert done.returncode == 0, done.stderr
    assert_no_secret(done)
    # 16 and 17 have a kind that the definition by hand excludes, and the shipped one does not
    cohort = read_cohort(folder)
    assert {int(person) for person in cohort.person_ids} == {*made.ANSWER, 16}
    text = " ".join(done.stdout.split())
    assert "18 persons" in text
    assert "observation periods of nobody in person: 2 records of 2 persons" in text
    for path in folder.rglob("*"):
        assert b"Tr0ub4dor" not in path.read_bytes()


@pytest.mark.parametrize("fault", ["password", "schema", "table", "absent"])
def test_faults_are_sentences(postgres: PostgresServer, tmp_path: Path, fault: str) -> None:
    postgres.load(made.TABLES, SCHEMA)
    url, schema = postgres.url(), SCHEMA
    if fault == "password":
        url = postgres.url(password="wrong-Tr0ub4dor")
    elif fault == "schema":
        schema = "verb; DROP TABLE verb.person"
    elif fault == "table":
        with postgres.owner() as owner:
            owner.execute(f"DROP TABLE {SCHEMA}.drug_exposure")
    else:
        url = "duckdb:///nothing.duckdb"
    folder = tmp_path / "cohort"
    done = run("--database", url, "--schema", schema, "--out", str(folder))
    assert_no_secret(done)
    assert done.returncode == (2 if fault == "schema" else LOST), done.stderr
    words = {
        "password": "refuses the user or the password",
        "schema": "not a valid schema name",
        "table": "lacks drug_exposure",
        "absent": "does not exist",
    }
    assert words[fault] in " ".join(done.stderr.split())
    assert not list(folder.glob("*")) or fault == "table"
    with postgres.owner() as owner:
        row = owner.execute(f"SELECT count(*) FROM {SCHEMA}.person").fetchone()
    assert row == (len(made.PERSONS),)


def test_server_is_not_there(tmp_path: Path) -> None:
    """Half a minute of patience is for people: here the wait ends at once."""
    url = f"postgresql://reader:hush-Tr0ub4dor@127.0.0.1:{free_port()}/postgres"
    program = (
        "import sys, elseif.cohort.database as d; d.WAITS = (0.01,); "
        "from elseif.cli.main import main; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "extract", "--database", url, "--out", str(tmp_path / "c")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert_no_secret(done)
    assert done.returncode == LOST, done.stderr
    assert "cannot be reached" in " ".join(done.stderr.split())
