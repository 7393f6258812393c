"""Databases as users have them: a file named like its schema, Spark Connect; and what failed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow.parquet as pq
import pytest

from elseif.cli.main import run
from elseif.cohort import connect, extract, read_cohort
from tests.cohort.comparing import assert_equal_cohorts
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import arrow_tables
from tests.cohort.extracting import N_PERSONS, make_database
from tests.cohort.handmade import TABLES


def test_a_file_that_is_named_like_its_schema(tmp_path: Path) -> None:
    """In cdm.duckdb, DuckDB cannot tell "cdm" the file from "cdm" the schema."""
    plain = make_database(tmp_path / "plain.duckdb")
    same = tmp_path / "cdm.duckdb"
    shutil.copy(plain, same)
    command = ["extract", "--database", str(same), "--schema", "cdm", "--out", str(tmp_path / "c")]
    assert run(command) == 0
    with connect(plain, schema="cdm") as database:
        assert_equal_cohorts(read_cohort(tmp_path / "c"), extract(database, "stroke"))
        assert len(read_cohort(tmp_path / "c")) == N_PERSONS


def test_nobody_leaves_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An extraction that finds nobody leaves no plan; a study that fails, no lock."""
    path = make_database(tmp_path / "omop.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "UPDATE cdm.observation_period SET observation_period_end_date = DATE '2012-06-02'"
        )
    source = ["--database", str(path), "--schema", "cdm"]
    there = tmp_path / "there"
    there.mkdir()
    for out in (tmp_path / "new", there):
        assert run(["extract", *source, "--out", str(out), "--persons-a-batch", "7"]) == 6
        assert "Nobody in the DuckDB file omop.duckdb" in capsys.readouterr().err
        assert not out.exists() or not list(out.iterdir())
    for out in (tmp_path / "study", there):
        assert run(["study", "stroke", *source, "--out", str(out)]) == 6
        assert not out.exists() or not list(out.iterdir())


@pytest.mark.slow
def test_spark_connect(tmp_path: Path) -> None:
    """SPARK_REMOTE is heeded: a server of Spark Connect gives the cohort that DuckDB gives."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("Java is not installed; scripts/install_for_tests.sh installs it.")
    folder = tmp_path / "tables"
    folder.mkdir()
    for name, table in arrow_tables(TABLES).items():
        pq.write_table(table, folder / f"{name}.parquet")
    program = (
        "import sys; from tests.cohort.definitions import HANDMADE; "
        "from elseif.cohort import connect, extract\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "from pyspark.sql import SparkSession\n"
        "if sys.argv[3] == 'active': SparkSession.builder.remote('local[1]').getOrCreate()\n"
        "with connect(sys.argv[1]) as database: extract(database, HANDMADE, folder=sys.argv[2])"
    )
    with duckdb.connect(str(tmp_path / "omop.duckdb")) as connection:
        for name in arrow_tables(TABLES):
            connection.execute(
                f"CREATE TABLE {name} AS SELECT * FROM read_parquet('{folder}/{name}.parquet')"
            )
    with connect(tmp_path / "omop.duckdb") as database:
        expected = extract(database, HANDMADE)
    for how in ("remote", "active"):
        out = tmp_path / how
        environment = dict(os.environ)
        if how == "remote":
            environment["SPARK_REMOTE"] = "local[1]"
        done = subprocess.run(
            [sys.executable, "-c", program, f"spark://{folder}", str(out), how],
            capture_output=True, text=True, check=False, env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-2000:]
        assert_equal_cohorts(read_cohort(out), expected)
