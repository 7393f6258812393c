"""The SQL that each kind of database is asked, letter for letter.

ibis makes it, and a new release of ibis or sqlglot may make it otherwise: then read the
difference, and write the files anew with ``python -m tests.export.test_golden_sql``.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from elseif.cohort import load_definition
from elseif.cohort.cdm_layout import CLASSES, LEVELS, NUMBERS, Layout, standard_layout
from elseif.cohort.definition_file import definition_from
from elseif.cohort.engine import DIALECTS, Queries

HERE = Path(__file__).parent / "golden" / "sql"
ASPIRIN = {"name": "aspirin", "domain": "drug", "include": [{"id": 1112807, "name": "aspirin"}]}
RICH = {
    "name": "rich",
    "title": "All that a definition can ask for",
    "index": {"name": "exposed", "cohort": 7},
    "outcome": {"name": "event", "cohort": 8},
    "outcomes": {"aspirin": {key: ASPIRIN[key] for key in ("domain", "include")}},
    "first_after_days": 365,
    "features": [
        {"domain": "drug", "rollup": "ingredient", "window": [-365, -1], "at_least": [1, 2]},
        {"domain": "condition", "rollup": {"below": 441840, "level": 3}},
        {"domain": "measurement", "value": "last", "window": [-365, -31]},
    ],
    "groups": {"aspirin": {"include": ASPIRIN["include"]}},
    "inclusion": {
        "age": [18, None],
        "sex": ["female"],
        "index_year": [2010, 2020],
        "prior": [{**ASPIRIN, "window": [-30, 0], "at_least": 2}],
        "no_prior": [{**ASPIRIN, "observed": True}],
    },
}
INDEX, OUTCOME, SPAN = {313217, 4141360}, {443454, 372924}, (1, 1_000_000)


def sql_of(kind: str) -> str:
    """Every question of an extraction in one dialect."""
    more = [*CLASSES, *LEVELS, *NUMBERS["measurement"]]
    ask = Queries(kind, standard_layout("cdm", more))
    stroke = load_definition("stroke")
    new = replace(stroke, outcome_must_be_new=True)
    sets = {"index": INDEX, "outcome": OUTCOME}
    rich = definition_from(RICH, "rich.yaml")
    plain = replace(stroke, features=rich.features, groups={})
    all_sets = {name: {number} for number, name in enumerate(rich.concept_sets, 1)}
    questions = {
        "what the database says that it is": ask.source_names(),
        "persons in the database": ask.persons_in_database(),
        "descendants of concepts": ask.descendants({313217, 443454}),
        "persons with the index condition": ask.index_persons(stroke, sets),
        "persons with the index condition, by strips of ids": ask.histogram(
            stroke, sets, SPAN, 245
        ),
        "persons and the steps that they pass": ask.persons(stroke, sets, SPAN),
        "the same where the outcome must be new": ask.persons(new, sets, SPAN),
        "conditions before the index date": ask.features(stroke, sets, 0, SPAN),
        "drugs before the index date": ask.features(stroke, sets, 1, SPAN),
        "names of concepts": ask.names({313217, 1112807}),
        "records of groups": ask.records_by_group("drug", {"one": INDEX, "two": OUTCOME}),
        "holes among conditions": ask.event_issues("condition"),
        "holes among observation periods": ask.period_issues(),
        "holes among persons": ask.person_issues(),
        "persons by every criterion, with two outcomes": ask.persons(rich, all_sets, SPAN),
        "ingredients, and how often": ask.features(plain, sets, 0, SPAN),
        "ancestors at a level": ask.features(plain, sets, 1, SPAN),
        "last values": ask.features(plain, sets, 2, SPAN),
        "entries into cohorts": ask.n_entries([7, 8]),
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
    assert len(statements) == 19
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
