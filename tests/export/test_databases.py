"""SQL in the databases themselves: names that are taken, truth values of any type, collations."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import psycopg
import pytest

from elseif import export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.conditions.fit_report import FitReport
from elseif.errors import ExportError, ParamError
from elseif.export.sql import CASELESS, DIALECTS
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind
from tests.cohort.engines import NotHere, PostgresServer
from tests.export.mariadb import MariaDB
from tests.export.running import expected
from tests.export.tables import NAMES, every_operator, frame, model_of

NEW = ("elseif_rule", "elseif_label", "elseif_probability_1", "elseif_probability_2")


def started(server: Any) -> Any:
    """A server that runs, or a test that is skipped with the reason; in CI it fails."""
    try:
        server = server()
        server.start()
    except NotHere as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))
    return server


@pytest.fixture(scope="module")
def postgres() -> Iterator[PostgresServer]:
    server = started(PostgresServer)
    yield server
    server.stop()


@pytest.fixture(scope="module")
def mariadb() -> Iterator[MariaDB]:
    server = started(MariaDB)
    yield server
    server.stop()


def model_on(conditions: list[Condition], reports: list[ColumnReport]) -> FittedModel:
    """A model whose list has a rule for each condition."""
    kinds = {report.name: report.kind for report in reports}
    metadata = ModelMetadata(np.array(["no", "yes"], dtype=object), np.ones(2), kinds)
    counts = np.arange(2 * len(conditions) + 2).reshape(-1, 2) ** 2
    rule_list = make_rule_list([Antecedent([c]) for c in conditions], counts, metadata)
    whole = model_of(every_operator())
    return replace(
        whole,
        rule_list=rule_list,
        map_rule_list=rule_list,
        fit_report=FitReport(tuple(reports), int(counts.sum()), 0, {}),
        feature_names=list(kinds),
        n_features=len(kinds),
    )


# ------------------------------------------------------------------- names


@pytest.mark.fault(
    "27",
    "SQL for a table that was scored before; names that are too long or that a database "
    "cannot tell apart",
    "an ambiguous name is an error in the database; `ExportError` or `ParamError` at export",
)
@pytest.mark.parametrize("taken", [*NEW, "ELSEIF_RULE", "Elseif_Label"])
def test_a_table_that_was_scored_before_is_an_error(taken: str) -> None:
    """Its old column would be read for the new one; expressions alone read no such column."""
    model, X = model_of(every_operator()), frame(50)
    query = str(export_model(model, "sql", dialect="duckdb", table="person"))
    scored = X.assign(**{taken: 1}).astype({"city": str, "stage": str})
    connection = duckdb.connect()
    connection.register("person", scored)
    with pytest.raises(duckdb.BinderException, match=rf"(?i)ambiguous.*{taken}"):
        connection.execute(query)
    parts = export_model(model, "sql", dialect="duckdb")
    assert len(connection.execute(f"SELECT {parts} FROM person").df()) == 50
    names = ", ".join(f'"{name}"' for name in scored.columns)
    lite = sqlite3.connect(":memory:")
    lite.execute(f"CREATE TABLE person ({names})")
    with pytest.raises(sqlite3.OperationalError, match=rf"(?i)ambiguous column name: {taken}"):
        lite.execute(str(export_model(model, "sql", dialect="sqlite", table="person")))
    lite.close()


def test_scoring_twice_in_postgres(postgres: PostgresServer) -> None:
    model = model_on([Condition("smoker", "is true")], [ColumnReport("smoker", Kind.BOOLEAN)])
    query = str(export_model(model, "sql", dialect="postgres", table="person"))
    with postgres.owner() as connection:
        connection.execute("CREATE TEMP TABLE person AS SELECT true AS smoker")
        connection.execute(f"CREATE TEMP TABLE scored AS {query}")
        again = str(export_model(model, "sql", dialect="postgres", table="scored"))
        with pytest.raises(psycopg.errors.AmbiguousColumn):
            connection.execute(again)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("name", NEW)
def test_a_column_of_the_model_with_a_new_name_is_refused(dialect: str, name: str) -> None:
    """Until it is given another."""
    names = (name, *NAMES[1:])
    model = model_of(every_operator(names))
    for table in (None, "person"):
        with pytest.raises(ParamError, match="as a new column is called"):
            export_model(model, "sql", dialect=dialect, table=table)
    renamed = {name: "smoker"}
    assert name in str(export_model(model, "sql", dialect=dialect, columns=renamed))
    if dialect == "duckdb":
        with pytest.raises(ExportError, match="which PMML uses for a result"):
            export_model(model, "pmml")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_names_that_differ_in_capitals_alone(dialect: str) -> None:
    """Are one column in most databases, and two in the others."""
    model = model_of(every_operator(("AGE", *NAMES[1:])))
    if dialect not in CASELESS:
        assert '"AGE"' in str(export_model(model, "sql", dialect=dialect))
        return
    with pytest.raises(ParamError, match="two columns of the model would be 'age'"):
        export_model(model, "sql", dialect=dialect)


@pytest.mark.parametrize(
    ("dialect", "most"), [("postgres", 63), ("mysql", 64), ("tsql", 128), ("bigquery", 300)]
)
def test_the_name_of_a_table_that_is_too_long(dialect: str, most: int) -> None:
    """PostgreSQL would cut it off and read another table; the advice is about tables."""
    model = model_of(every_operator())
    export_model(model, "sql", dialect=dialect, table=("s" * most, "t" * most))
    for table in ("t" * (most + 1), ("s" * (most + 1), "person"), "é" * (most // 2 + 1)):
        with pytest.raises(ExportError, match=f"at most {most}. Rename the table"):
            export_model(model, "sql", dialect=dialect, table=table)


# ------------------------------------------------------------- truth values

TRUTHS = [True, False, None]
POSTGRES_TYPES = {
    "boolean": (True, False, None),
    "smallint": (1, 0, None),
    "integer": (1, 0, None),
    "bigint": (1, 0, None),
    "numeric(3,1)": (1, 0, None),
    "double precision": (1.0, 0.0, float("nan")),
    "real": (1.0, 0.0, None),
}


def truth_model() -> FittedModel:
    """Rules for missing, false, and true values, and a category of truth values."""
    conditions = [
        Condition("a", "is missing"),
        Condition("a", "is false"),
        Condition("b", "is true"),
        Condition("c", "=", True),
        Condition("c", "!=", True),
    ]
    reports = [
        ColumnReport("a", Kind.BOOLEAN),
        ColumnReport("b", Kind.BOOLEAN),
        ColumnReport("c", Kind.CATEGORY, levels=(False, True)),
    ]
    return model_on(conditions, reports)


def truth_rows() -> pd.DataFrame:
    rows = [(a, b, c) for a in TRUTHS for b in TRUTHS for c in TRUTHS]
    return pd.DataFrame(rows, columns=["a", "b", "c"], dtype=object)


@pytest.mark.parametrize("held", POSTGRES_TYPES)
def test_truth_values_of_any_type_in_postgres(postgres: PostgresServer, held: str) -> None:
    """A column of 0 and 1 may be boolean or a number in the database."""
    model, X = truth_model(), truth_rows()
    spelt = dict(zip(TRUTHS, POSTGRES_TYPES[held], strict=True))
    query = str(export_model(model, "sql", dialect="postgres", table="person"))
    with postgres.owner() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE TEMP TABLE person (id int, a {held}, b {held}, c {held})")
        rows = [(i, *(spelt[v] for v in row)) for i, row in enumerate(X.itertuples(index=False))]
        cursor.executemany("INSERT INTO person VALUES (%s, %s, %s, %s)", rows)
        cursor.execute(f"SELECT elseif_rule FROM ({query}) AS scored ORDER BY id")
        result = [rule for (rule,) in cursor.fetchall()]
        cursor.execute("DROP TABLE person")
    assert result == expected(model, X)[1].tolist()


@pytest.mark.parametrize("held", ["BOOLEAN", "UTINYINT", "INTEGER", "DECIMAL(3,1)", "DOUBLE"])
def test_truth_values_of_any_type_in_duckdb(held: str) -> None:
    model, X = truth_model(), truth_rows()
    nothing = float("nan") if held == "DOUBLE" else None
    spelt = dict(zip(TRUTHS, [1, 0, nothing], strict=True))
    connection = duckdb.connect()
    connection.execute(f"CREATE TABLE person (id INTEGER, a {held}, b {held}, c {held})")
    for i, row in enumerate(X.itertuples(index=False)):
        connection.execute("INSERT INTO person VALUES (?, ?, ?, ?)", [i, *(spelt[v] for v in row)])
    query = export_model(model, "sql", dialect="duckdb", table="person")
    result = connection.execute(f"SELECT elseif_rule FROM ({query}) ORDER BY id").fetchall()
    assert [rule for (rule,) in result] == expected(model, X)[1].tolist()


# --------------------------------------------------------------- collations

WORDS = ("a", "A", "a ", "ä", "Ä", "ss", "ß", "", " ", "it's", "back\\slash", "🫀", "e\u0301", "é")


@pytest.mark.parametrize("column", ["utf8mb4", "latin1"])
def test_mariadb_compares_text_by_its_bytes(mariadb: MariaDB, column: str) -> None:
    """Its collations take capitals, accents and blanks at the end for nothing."""
    words = [
        w
        for w in WORDS
        if column == "utf8mb4" or w.encode("latin-1", "ignore").decode("latin-1") == w
    ]
    conditions = [Condition("word", "=", word) for word in words[::2]]
    conditions.append(Condition("word", "in", tuple(words[1:4:2])))
    model = model_on(conditions, [ColumnReport("word", Kind.CATEGORY, levels=tuple(words))])
    X = pd.DataFrame({"word": pd.Series([*words, None], dtype=object)})
    query = str(export_model(model, "sql", dialect="mysql", table="person"))
    values = ", ".join(
        f"({i}, NULL)"
        if word is None
        else f"({i}, CONVERT(0x{word.encode().hex()} USING utf8mb4))"
        if word
        else f"({i}, '')"
        for i, word in enumerate(X["word"])
    )
    rows = mariadb.ask(
        f"CREATE DATABASE {column}; USE {column};"
        f"CREATE TABLE person (id INT, word VARCHAR(20) CHARACTER SET {column});"
        f"INSERT INTO person VALUES {values};"
        f"SELECT elseif_rule FROM (\n{query}\n) AS scored ORDER BY id;"
    )
    assert [int(rule) for (rule,) in rows[1:]] == expected(model, X)[1].tolist()


def test_a_whole_list_in_mariadb(mariadb: MariaDB) -> None:
    """Every operator on every kind of column, with missing values."""
    model, X = model_of(every_operator()), frame(200, seed=11)
    types = ["BOOL", "DOUBLE", "VARCHAR(20)", "VARCHAR(20)", "DATETIME(6)", "INT", "TINYINT"]
    columns = ", ".join(f"`{name}` {kind}" for name, kind in zip(NAMES, types, strict=True))
    values = ",\n".join(
        f"({i}, {', '.join(map(_literal, row))})" for i, row in enumerate(X.itertuples(index=False))
    )
    query = str(export_model(model, "sql", dialect="mysql", table="person"))
    rows = mariadb.ask(
        "CREATE DATABASE whole CHARACTER SET utf8mb4; USE whole;"
        f"CREATE TABLE person (id INT, {columns}); INSERT INTO person VALUES {values};"
        "SELECT elseif_rule, elseif_label, elseif_probability_1, elseif_probability_2"
        f" FROM (\n{query}\n) AS scored ORDER BY id;"
    )
    shares, rules, labels = expected(model, X)
    assert [int(row[0]) for row in rows[1:]] == rules.tolist()
    assert [row[1] for row in rows[1:]] == labels
    array = np.array([[float(v) for v in row[2:]] for row in rows[1:]])
    np.testing.assert_allclose(array, shares, rtol=0, atol=1e-12)


def _literal(value: Any) -> str:
    if pd.isna(value):
        return "NULL"
    if isinstance(value, str):
        return f"CONVERT(0x{value.encode().hex()} USING utf8mb4)"
    return f"'{value}'" if isinstance(value, pd.Timestamp) else str(value)
