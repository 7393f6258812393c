"""SQL over the common data model gives every person the risk that the extracted rows have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from elseif import BayesianRuleListClassifier
from elseif.cli.main import run
from elseif.cohort import Cohort, connect, extract, load_definition
from elseif.cohort.cdm_layout import standard_layout
from elseif.cohort.inclusion import Inclusion
from elseif.cohort.scoring_queries import ScoringQueries
from elseif.datasets import load_titanic, make_stroke_cdm
from elseif.errors import ExportError, ParamError
from elseif.export import save_model
from elseif.fitted_model import FittedModel
from elseif.ohdsi import to_cdm_sql
from elseif.ohdsi.cdm_sql import check_definition
from tests.cohort import handmade as made
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import DuckDBEngine, Engine, PostgresServer, SparkEngine
from tests.ohdsi.models import asking_for_everything


def answers(engine: Engine, sql: str) -> dict[int, tuple[str, int, float]]:
    """Index date, rule and risk of each person, as a database finds them."""
    if isinstance(engine, PostgresServer):
        with engine.owner() as connection:
            cursor = connection.execute(sql)
            rows, names = cursor.fetchall(), [column.name for column in cursor.description or ()]
    elif isinstance(engine, SparkEngine):
        frame = engine.session.sql(sql).toArrow()
        names = frame.column_names
        rows = [tuple(row[name] for name in names) for row in frame.to_pylist()]
    else:
        assert isinstance(engine, DuckDBEngine)
        with duckdb.connect(str(engine.path), read_only=True) as connection:
            result = connection.execute(sql)
            rows, names = result.fetchall(), [column[0] for column in result.description]
    index = [names.index(n) for n in ("person_id", "index_date", "elseif_rule")]
    risk = names.index("elseif_probability_2")
    return {
        int(row[index[0]]): (str(row[index[1]]), int(row[index[2]]), float(row[risk]))
        for row in rows
    }


def expected(model: FittedModel, cohort: Cohort) -> dict[int, tuple[str, int, float]]:
    table = cohort.table()
    line = model.rule_list.captured_in(model.read(table)) + 1
    risk = model.predict_proba(table)[:, 1]
    return {
        int(person): (str(day), int(rule), float(p))
        for person, day, rule, p in zip(
            cohort.person_ids, cohort.index_dates, line, risk, strict=True
        )
    }


def dialect(engine: Engine) -> str:
    names = {PostgresServer: "postgres", SparkEngine: "spark", DuckDBEngine: "duckdb"}
    return names[type(engine)]


def run_sql(engine: Engine, *statements: str) -> None:
    if isinstance(engine, PostgresServer):
        with engine.owner() as connection:
            for statement in statements:
                connection.execute(statement)
    else:
        assert isinstance(engine, DuckDBEngine)
        with duckdb.connect(str(engine.path)) as connection:
            for statement in statements:
                connection.execute(statement)


@pytest.mark.parametrize("must_be_new", [False, True])
def test_every_person_of_the_handmade_database(sql_engine: Engine, must_be_new: bool) -> None:
    check_every_person(sql_engine, must_be_new)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::ResourceWarning")  # pyspark leaves its socket to be collected
def test_every_person_on_spark(spark: SparkEngine) -> None:
    check_every_person(spark, must_be_new=True)


def check_every_person(sql_engine: Engine, must_be_new: bool) -> None:
    sql_engine.load(made.TABLES)
    definition = replace(HANDMADE, outcome_must_be_new=must_be_new)
    with sql_engine.connect() as database:
        cohort = extract(database, definition)
    model = asking_for_everything(cohort)
    sql = to_cdm_sql(model, dialect=dialect(sql_engine), schema="cdm")
    scored = answers(sql_engine, sql)
    wanted = expected(model, cohort)
    assert len({rule for _, rule, _ in wanted.values()}) > 3  # or nothing was compared
    assert {person: scored[person] for person in wanted} == wanted
    # the others are those whom only the time after the index date keeps out of the cohort
    with sql_engine.connect() as database:
        shorter = replace(definition, observation_after=1, outcome_window=(1, 1))
        at_once = extract(database, shorter)
    assert set(scored) >= set(at_once.person_ids.tolist())


def test_a_table_of_index_dates(sql_engine: Engine) -> None:
    sql_engine.load(made.TABLES)
    with sql_engine.connect() as database:
        cohort = extract(database, HANDMADE)
    model = asking_for_everything(cohort)
    values = ", ".join(
        f"({int(p)}, DATE '{day}')"
        for p, day in zip(cohort.person_ids, cohort.index_dates, strict=True)
    )
    run_sql(
        sql_engine,
        "CREATE TABLE cdm.my_patients (person_id BIGINT, index_date DATE)",
        f"INSERT INTO cdm.my_patients VALUES {values}",
    )
    sql = to_cdm_sql(
        model, dialect=dialect(sql_engine), schema="cdm", index_table="cdm.my_patients"
    )
    assert answers(sql_engine, sql) == expected(model, cohort)
    assert "observation_period" not in sql


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cdm") / "one.duckdb"
    make_stroke_cdm(path, n_patients=300, n_others=30, n_concepts=77, random_state=0)
    return path


def test_from_the_command_line(
    database: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with connect(database, "cdm") as source:
        cohort = extract(source, load_definition("stroke"))
    model = asking_for_everything(cohort)
    save_model(model, tmp_path / "model.json", posterior=None)
    out = tmp_path / "score.sql"
    options = ["--to", "cdm-sql", "--schema", "cdm", "--out", str(out)]
    assert run(["export", str(tmp_path / "model.json"), *options]) == 0
    engine = DuckDBEngine(database.parent)
    engine.path = database
    scored = answers(engine, out.read_text())
    wanted = expected(model, cohort)
    assert {person: scored[person] for person in wanted} == wanted
    assert "SYNTHETIC" in out.read_text()
    table = ["--to", "cdm-sql", "--table", "x"]
    assert run(["export", str(tmp_path / "model.json"), *table]) == 2
    assert "not an option of cdm-sql" in capsys.readouterr().err


def test_what_cannot_be_said(database: Path) -> None:
    X, y = load_titanic()
    clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    with pytest.raises(ExportError, match="not learnt from a cohort"):
        to_cdm_sql(clf)
    with connect(database, "cdm") as source:
        cohort = extract(source, load_definition("stroke"))
    model = asking_for_everything(cohort)
    with pytest.raises(ParamError, match="dialect is 'oracle'"):
        to_cdm_sql(model, dialect="oracle")
    assert model.cohort is not None
    nameless: dict[str, Any] = {**model.cohort, "concepts": []}
    with pytest.raises(ExportError, match="has no concept id"):
        to_cdm_sql(replace(model, cohort=nameless))
    assert "`condition_occurrence`" in to_cdm_sql(model, dialect="spark")
    assert np.isfinite(model.n)


def test_what_the_statement_does_not_ask_for_is_refused() -> None:
    """Of the first record inside an observation period, days may be 0, and still be asked for."""
    definition = load_definition("stroke")
    check_definition(definition, None)
    for days in (0, 30):
        narrower = replace(definition, first_after_days=days)
        with pytest.raises(ExportError, match="first_after_days"):
            check_definition(narrower, None)
        check_definition(narrower, "people")  # whoever made the table has seen to it
    adults = replace(definition, inclusion=Inclusion(age=(18, None)))
    with pytest.raises(ExportError, match="inclusion criteria"):
        check_definition(adults, None)


@pytest.mark.parametrize(
    ("table", "written"),
    [
        ("people", '"cdm"."people"'),
        ("results.people", '"results"."people"'),
        ("db.results.people", '"db"."results"."people"'),
    ],
)
def test_a_table_of_index_dates_anywhere(table: str, written: str) -> None:
    """Schema and catalogue are names of their own."""
    asked = ScoringQueries("duckdb", standard_layout("cdm")).scored_people(
        load_definition("stroke"), {"c": ("condition", 1)}, table
    )
    assert written in asked.sql
    for wrong in ("a.b.c.d", "a..b", ""):
        with pytest.raises(ParamError, match=r"must be TABLE, SCHEMA\.TABLE or"):
            ScoringQueries("duckdb", standard_layout("cdm")).scored_people(
                load_definition("stroke"), {"c": ("condition", 1)}, wrong
            )
