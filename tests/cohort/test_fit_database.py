"""elseif fit --database URL --table NAME: the list of the same table in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pytest
from psycopg import sql

from elseif.cli.main import run
from elseif.export.model_file import read_model
from tests.cli.conftest import Ended, Run, elseif
from tests.cohort.engines import PASSWORD, READER, PostgresServer
from tests.engines.frames import mixed_table

__all__ = ["elseif"]
LEARN = ["--label", "outcome", "--positive", "ill", "--weight", "weight", "--drop", "patient id"]
QUICK = ["--n-iter", "1000", "--n-chains", "2", "--quiet"]
KINDS = {"f": "double precision", "i": "bigint", "b": "boolean", "M": "timestamp", "O": "text"}


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    return mixed_table(500)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory, table: pd.DataFrame) -> Path:
    """The table as a file, in a DuckDB file, and the model of the first."""
    folder = tmp_path_factory.mktemp("people")
    table.to_csv(folder / "people.csv", index=False)
    with duckdb.connect(str(folder / "people.duckdb")) as connection:
        connection.register("frame", table)
        connection.execute("CREATE TABLE people AS SELECT * FROM frame")
        connection.execute("CREATE SCHEMA study; CREATE VIEW study.cases AS FROM people")
    assert run(["fit", str(folder / "people.csv"), "--model", str(folder / "file.json"),
                *LEARN, *QUICK]) == 0  # fmt: skip
    return folder


def content(path: Path) -> list[Any]:
    """What two models of the same draws have in common."""
    model = read_model(path)
    assert model.posterior is not None
    return [
        str(model.rule_list), str(model.map_rule_list), model.posterior.lists().to_csv(),
        [a.name for a in model.pool], model.rule_list.classes.tolist(), model.fit_report.columns,
    ]  # fmt: skip


def fitted(elseif: Run, url: str, folder: Path, *more: str) -> Ended:
    given = ["fit", "--database", url, *more, *LEARN, *QUICK]
    return elseif(*given, "--model", folder / "own.json", "--force")


def test_duckdb(elseif: Run, folder: Path) -> None:
    url = f"duckdb:///{folder}/people.duckdb"
    for where in (["--table", "people"], ["--table", "cases", "--schema", "study"]):
        ended = fitted(elseif, url, folder, *where)
        assert ended.code == 0, ended.err
        assert f"500 rows of the table {where[1]}" in ended.out
        assert "Probability of ill" in ended.out
        assert content(folder / "own.json") == content(folder / "file.json")


def test_postgresql(
    elseif: Run, folder: Path, table: pd.DataFrame, postgres: PostgresServer
) -> None:
    with postgres.owner() as connection, connection.cursor() as cursor:
        cursor.execute("CREATE SCHEMA study")
        columns = [
            sql.SQL("{} " + KINDS[table[name].dtype.kind]).format(sql.Identifier(name))  # type: ignore[arg-type]
            for name in table.columns
        ]
        name = sql.Identifier("study", "people")
        cursor.execute(sql.SQL("CREATE TABLE {} ({})").format(name, sql.SQL(", ").join(columns)))
        with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(name)) as copy:
            for row in table.astype(object).where(table.notna(), None).to_numpy().tolist():
                copy.write_row(row)
        reader = sql.Identifier(READER)
        cursor.execute(sql.SQL("GRANT USAGE ON SCHEMA study TO {}").format(reader))
        cursor.execute(sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA study TO {}").format(reader))
    ended = fitted(elseif, postgres.url(), folder, "--table", "people", "--schema", "study")
    assert ended.code == 0, ended.err
    assert content(folder / "own.json") == content(folder / "file.json")
    lost = fitted(elseif, postgres.url(), folder, "--table", "peopel", "--schema", "study")
    assert lost.code == 6
    assert "has no table 'peopel' in the schema study; did you mean 'people'?" in lost.err
    refused = fitted(elseif, postgres.url(password="wrong-one"), folder, "--table", "people")
    assert refused.code == 6
    for secret in (PASSWORD, "wrong-one", READER):
        assert secret not in ended.out + ended.err + lost.err + refused.err
        assert secret not in (folder / "own.json").read_text()


def test_what_else_is_written(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """A calculator and a checkpoint's folder; predictions and reports take a file of rows."""
    url = f"duckdb:///{folder}/people.duckdb"
    page, kept = tmp_path / "page.html", tmp_path / "kept"
    ended = fitted(elseif, url, folder, "--table", "people", "--calculator", str(page),
                   "--checkpoint", str(kept), "--pseudocounts", "ill=1", "--pseudocounts",
                   "well=1")  # fmt: skip
    assert ended.code == 0, ended.err
    assert page.exists()
    assert not kept.exists()
    predicted = elseif("predict", folder / "own.json", folder / "people.csv")
    expected = elseif("predict", folder / "file.json", folder / "people.csv")
    assert predicted.code == 0, predicted.err
    assert predicted.out == expected.out


def test_a_minimum_cell(elseif: Run, folder: Path, tmp_path: Path) -> None:
    """The model and the calculator have rounded counts, as of a file of the same rows."""
    url, page = f"duckdb:///{folder}/people.duckdb", tmp_path / "page.html"
    ended = fitted(elseif, url, folder, "--table", "people", "--min-cell", "5", "--calculator",
                   str(page))  # fmt: skip
    assert ended.code == 0, ended.err
    model = json.loads((folder / "own.json").read_text())
    assert model["training"]["rounding"]["min_cell"] == 5
    assert model["posterior"] is None
    step = model["training"]["rounding"]["step"]
    assert all(n % step == 0 for rule in model["rule_list"] for n in rule["label_counts"])
    assert f"multiples of {step}" in page.read_text()


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["--table", "poeple"], "has no table 'poeple'; did you mean 'people'?"),
        (["--table", "people", "--schema", "stduy"], "has no table in the schema stduy"),
        ([], "--database needs --table NAME"),
        (["--table", "people", "people.csv"], "is a file, and --database is given as well"),
        (["--table", "people", "--report", "r.html"], "--report needs the rows"),
        (["--table", "people", "--min-cell", "5"], "--min-cell rounds the counts in files"),
        (["--table", "people", "--weight", "wieght"], "no column 'wieght' (--weight); did you"),
        (["--table", "people", "--positive", "il"], "--positive is 'il'"),
    ],
)
def test_refusals(elseif: Run, folder: Path, given: list[str], said: str) -> None:
    ended = elseif("fit", "--database", f"duckdb:///{folder}/people.duckdb",
                   "--label", "outcome", "--positive", "ill", *given)  # fmt: skip
    assert ended.code in (2, 3, 6)
    assert said in ended.err
    assert "Traceback" not in ended.err


def test_a_view_that_fails(elseif: Run, tmp_path: Path) -> None:
    """The error names it, and not the tables of a cohort."""
    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.execute(
            "CREATE VIEW cases AS SELECT CAST('x' || i AS INTEGER) a, i % 2 y FROM range(9) t(i)"
        )
    ended = elseif("fit", "--database", f"duckdb:///{path}", "--table", "cases", "--label", "y")
    assert ended.code == 6
    assert "holds 'x0', which cannot be read as a date or as a whole number" in ended.err
    assert "Look for it in cases; correct it" in ended.err


def test_options_that_go_together(elseif: Run, folder: Path) -> None:
    assert "--table goes with --database" in elseif("fit", "x.csv", "--table", "people").err
    assert "fit needs TABLE" in elseif("fit", "--label", "outcome").err
    unlabelled = elseif("fit", "--database", folder / "people.duckdb", "--table", "people")
    assert "--label COLUMN is needed" in unlabelled.err
    unordered = elseif("fit", "--database", folder / "people.duckdb", "--table", "people",
                       "--label", "outcome")  # fmt: skip
    assert "say whose probability is wanted, by --positive ill" in unordered.err
