"""The SQL that each kind of database is asked, letter for letter.

ibis makes it, and a new release of ibis or sqlglot may make it otherwise: then read the
difference, and write the files anew with ``python -m tests.export.test_golden_sql``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elseif.cohort import load_definition
from elseif.cohort.cdm_layout import Layout, standard_layout
from elseif.cohort.engine import DIALECTS, Queries

HERE = Path(__file__).parent / "golden" / "sql"
INDEX, OUTCOME, SPAN = {313217, 4141360}, {443454, 372924}, (1, 1_000_000)


def sql_of(kind: str) -> str:
    """Every question of an extraction in one dialect."""
    ask = Queries(kind, standard_layout("cdm"))
    stroke = load_definition("stroke")
    new = replace(stroke, outcome_must_be_new=True)
    sets = {"index": INDEX, "outcome": OUTCOME}
    questions = {
        "what the database says that it is": ask.source_names(),
        "persons in the database": ask.persons_in_database(),
        "descendants of concepts": ask.descendants({313217, 443454}),
        "persons with the index condition": ask.index_persons(INDEX),
        "persons with the index condition, by strips of ids": ask.histogram(INDEX, SPAN, 245),
        "persons and the steps that they pass": ask.persons(stroke, sets, SPAN),
        "the same where the outcome must be new": ask.persons(new, sets, SPAN),
        "conditions before the index date": ask.features(stroke, sets, "condition", SPAN),
        "drugs before the index date": ask.features(stroke, sets, "drug", SPAN),
        "names of concepts": ask.names({313217, 1112807}),
        "records of groups": ask.records_by_group("drug", {"one": INDEX, "two": OUTCOME}),
        "holes among conditions": ask.event_issues("condition"),
        "holes among observation periods": ask.period_issues(),
        "holes among persons": ask.person_issues(),
    }
    return "".join(f"-- {what}\n{query.sql};\n\n" for what, query in questions.items())


@pytest.mark.parametrize("kind", DIALECTS)
def test_sql(kind: str) -> None:
    """What is asked has not changed unseen."""
    assert sql_of(kind) == (HERE / f"{kind}.sql").read_text("utf-8")


@pytest.mark.parametrize("kind", DIALECTS)
def test_nothing_is_written(kind: str) -> None:
    """Every statement is a SELECT of the schema's own tables."""
    statements = [part for part in sql_of(kind).split(";\n") if part.strip()]
    assert len(statements) == 14
    quote = "`" if kind == "spark" else '"'
    for statement in statements:
        code = "\n".join(line for line in statement.splitlines() if not line.startswith("--"))
        assert code.strip().startswith(("SELECT", "WITH"))
        words = set(code.upper().replace("(", " ").split())
        assert not words & {"CREATE", "INSERT", "UPDATE", "DELETE", "DROP", "TEMPORARY", "INTO"}
        assert f"{quote}cdm{quote}." in code


def test_dates_that_are_none_are_made_dates() -> None:
    """A column of times or texts is cut to its day before anything is compared."""
    tables = dict(standard_layout(None).tables)
    name, columns = tables["drug_exposure"]
    tables["drug_exposure"] = (
        name.upper(),
        {**columns, "drug_exposure_start_date": ("DRUG_EXPOSURE_START_DATE", "timestamp")},
    )
    ask = Queries("postgresql", Layout(None, tables))
    sql = ask.event_issues("drug").sql
    assert 'CAST("t0"."DRUG_EXPOSURE_START_DATE" AS DATE)' in sql
    assert 'FROM "DRUG_EXPOSURE" AS' in sql


if __name__ == "__main__":
    for each in DIALECTS:
        (HERE / f"{each}.sql").write_text(sql_of(each), "utf-8")
