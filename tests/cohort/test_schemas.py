"""Vocabulary and results in schemas of their own, through Python and the command line."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from elseif.cli.main import run
from elseif.cohort import Database, connect, extract, load_definition
from elseif.errors import DatabaseError, FileExistsAlreadyError, ParamError
from tests.cohort.comparing import assert_equal_cohorts
from tests.cohort.engines import DuckDBEngine, Engine, PostgresServer
from tests.cohort.rich import DEFINITIONS, rich_database, rich_definition
from tests.cohort.rows import Tables

WHOLE = rich_database(n_persons=30)
NOBODY = Tables(persons=[], periods=[], conditions=[], drugs=[])
# a definition that needs both: an existing cohort, and drugs rolled up to ingredients
NEEDY = {**DEFINITIONS["cohorts"], "features": [{"domain": "drug", "rollup": "ingredient"}]}


@pytest.fixture
def split(sql_engine: Engine) -> Engine:
    """Patients, vocabulary and cohorts in schemas of their own, and all of them in one."""
    sql_engine.load(WHOLE, "whole")
    bare = replace(WHOLE, concepts=[], ancestors=[], cohorts=None, classes=None, levels=None)
    sql_engine.load(bare, "cdm")
    words = {"concepts": WHOLE.concepts, "ancestors": WHOLE.ancestors, "classes": WHOLE.classes}
    sql_engine.load(replace(NOBODY, **words), "vocab")
    sql_engine.load(replace(NOBODY, cohorts=WHOLE.cohorts), "results")
    return sql_engine


def address(engine: Engine) -> str:
    return engine.url() if isinstance(engine, PostgresServer) else str(engine.path)  # type: ignore[attr-defined]


def test_three_schemas_are_as_one(split: Engine, tmp_path: Path) -> None:
    """The same cohort as from one schema; without them, what is missing is named at once."""
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump(NEEDY))
    definition = load_definition(own)
    with connect(address(split), "whole") as database:
        whole = extract(database, definition)
    schemas = {"vocabulary_schema": "vocab", "results_schema": "results"}
    with connect(address(split), "cdm", **schemas) as database:
        assert_equal_cohorts(extract(database, definition, folder=tmp_path / "a"), whole)
        backend = Database.from_backend(database.backend, "cdm", **schemas)
        assert_equal_cohorts(extract(backend, definition), whole)
    with connect(address(split), "cdm") as database:
        with pytest.raises(DatabaseError) as caught:
            extract(database, definition)
        assert "lacks cohort, concept.concept_class_id" in str(caught.value)
        with pytest.raises(FileExistsAlreadyError, match="another database or schema"):
            extract(database, definition, folder=tmp_path / "a")
    with (
        connect(address(split), "cdm", results_schema="vocab", vocabulary_schema="x") as database,
        pytest.raises(DatabaseError) as caught,
    ):
        extract(database, definition)
    assert "schema x," in str(caught.value)
    assert "schema vocab," in str(caught.value)


def test_schemas_by_the_command_line(
    duckdb_engine: DuckDBEngine, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    bare = replace(WHOLE, cohorts=None)
    duckdb_engine.load(bare, "cdm")
    duckdb_engine.load(replace(NOBODY, cohorts=WHOLE.cohorts), "results")
    own = tmp_path / "own.yaml"
    own.write_text(yaml.safe_dump(NEEDY))
    command = ["extract", "--database", str(duckdb_engine.path), "--schema", "cdm", "--definition"]
    command += [str(own), "--out", str(tmp_path / "cohort"), "--quiet"]
    assert run(command) != 0
    assert "lacks cohort" in " ".join(capsys.readouterr().err.split())
    assert run([*command, "--results-schema", "results", "--vocabulary-schema", "cdm"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "are in the cohort exposed" in said
    assert "with stroke in the same days" in said
    model = ["--model", str(tmp_path / "model.json"), "--n-iter", "200", "--quiet"]
    assert run(["fit", str(tmp_path / "cohort"), "--label", "strike", *model]) == 2
    assert "are 'event', 'stroke'" in " ".join(capsys.readouterr().err.split())


def test_names_of_schemas_are_names() -> None:
    with pytest.raises(ParamError, match="is not a valid schema name"):
        connect("a.duckdb", "cdm", results_schema="results; DROP TABLE cohort")


def test_a_cohort_that_has_no_entries(duckdb_engine: DuckDBEngine) -> None:
    """Said as of any other index event."""
    duckdb_engine.load(replace(WHOLE, cohorts=[]))
    with (
        duckdb_engine.connect() as database,
        pytest.raises(DatabaseError, match="0 are in the cohort exposed"),
    ):
        extract(database, rich_definition("cohorts"))
