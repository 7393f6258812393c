"""What is checked before the first person is read: tables, concepts, ranges, issues."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.cohort.attrition import attrition_table, database_issues, step_names
from elseif.cohort.cdm_layout import CDM, CLASSES, EVENTS, LEVELS, NUMBERS, RESULTS, SOURCE
from elseif.cohort.concept_sets import find_members
from elseif.cohort.database import Database
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.feature import CLASSES as ROLLUP_CLASSES, Ancestors
from elseif.errors import DatabaseError

STRIPS = 4_096  # of ids, in which persons are counted to find ranges of about the same size


class EmptyCohortError(DatabaseError):
    """Nobody belongs to a cohort."""


@dataclass(frozen=True)
class ExtractionPlan:
    """What is known before the first person is read."""

    definition: CohortDefinition
    queries: Any
    members: dict[str, frozenset[int]]  # concept ids of index, outcome and each group
    lacking: tuple[str, ...]  # what the vocabulary lacks for them, in sentences
    n_persons: int  # in the database
    n_index_persons: int
    ends: tuple[int, int]  # least and greatest id of persons with the index condition


def make_plan(database: Database, definition: CohortDefinition) -> ExtractionPlan:
    """Look at the database before anything is read from it."""
    queries = database.queries(_tables(definition), _columns(definition))
    people = database.numbers(queries.persons_in_database())
    _check_persons(database, queries, people["rows"] - people["persons"])
    members, lacking = find_members(database, queries, definition)
    index_persons = database.numbers(queries.index_persons(definition, members))
    plan = ExtractionPlan(
        definition,
        queries,
        members,
        lacking,
        people["persons"],
        index_persons["persons"],
        (index_persons["least"], index_persons["most"]),
    )
    if not plan.n_index_persons:
        raise empty_cohort(database, definition, [0] * len(step_names(definition)))
    return plan


def _tables(definition: CohortDefinition) -> list[str]:
    """The tables that a definition needs, in the order of the common data model."""
    unused = set(EVENTS.values()) - {EVENTS[domain] for domain in definition.event_domains}
    unused |= {SOURCE, *(() if definition.cohort_ids else RESULTS)}
    return [table for table in CDM if table not in unused]


def _columns(definition: CohortDefinition) -> set[str]:
    """The columns that it needs beside the usual ones."""
    columns: set[str] = set()
    for feature in definition.columns:
        if feature.rollup in ROLLUP_CLASSES:
            columns.update(CLASSES)
        if isinstance(feature.rollup, Ancestors):
            columns.update(LEVELS)
        if feature.value == "last":
            columns.update(NUMBERS[feature.domain])
    return columns


def _check_persons(database: Database, queries: Any, n_doubled: int) -> None:
    """Refuse ids that do not identify a person."""
    if n_doubled:
        raise DatabaseError(
            f"The table person of {database.label} has {n_doubled:,} rows too many: their "
            "person_id is that of another row. Every person must have one row."
        )
    fractional = queries.fractional_persons()
    n_fractional = 0 if fractional is None else database.numbers(fractional)["persons"]
    if n_fractional:
        raise DatabaseError(
            f"The table person of {database.label} has {n_fractional:,} rows whose person_id is "
            "not a whole number. Give persons whole numbers as ids in every table."
        )


def find_spans(
    database: Database, plan: ExtractionPlan, persons_a_batch: int
) -> list[tuple[int, int]]:
    """Ranges of person ids, each with about ``persons_a_batch`` who have the index condition."""
    return _split(database, plan, plan.ends, plan.n_index_persons, persons_a_batch)


def _split(
    database: Database,
    plan: ExtractionPlan,
    ends: tuple[int, int],
    n_persons: int,
    persons_a_batch: int,
) -> list[tuple[int, int]]:
    """Ranges within a range, for ids however unevenly spread."""
    if n_persons <= persons_a_batch or ends[0] == ends[1]:
        return [ends]
    width = max(1, -(-(ends[1] - ends[0] + 1) // STRIPS))
    rows = database.fetch(plan.queries.histogram(plan.definition, plan.members, ends, width))
    strips = [(row["persons"], row["least"], row["most"]) for row in rows.to_pylist()]
    if len(strips) == 1:  # ids so large that they differ by less than a number can show
        return [ends]
    spans: list[tuple[int, int]] = []
    n_open, begin, end = 0, 0, 0
    for n, least, most in strips:
        if n_open and n_open + n > persons_a_batch:
            spans.append((begin, end))
            n_open = 0
        if n > persons_a_batch:
            spans += _split(database, plan, (least, most), n, persons_a_batch)
            continue
        begin = begin if n_open else least
        n_open, end = n_open + n, most
    if n_open:
        spans.append((begin, end))
    return spans


def find_quality_issues(
    database: Database, definition: CohortDefinition, plan: ExtractionPlan
) -> tuple[list[tuple[str, int, int]], dict[str, int]]:
    """What the whole database lacks, and how many records it has."""
    queries = plan.queries
    answers = {
        "observation_period": database.numbers(queries.period_issues()),
        "person": database.numbers(queries.person_issues()),
    }
    for domain in _domains(definition):
        answers[domain] = database.numbers(queries.event_issues(domain))
    totals = {"observation_period": answers["observation_period"]["total"]}
    totals |= {EVENTS[domain]: answers[domain]["total"] for domain in _domains(definition)}
    return database_issues(answers), totals | _entries(database, definition, plan)


def count_records(
    database: Database, definition: CohortDefinition, plan: ExtractionPlan
) -> dict[str, int]:
    """How many records the database has now, as ``find_quality_issues`` has counted them once."""
    tables = ["observation_period", *(EVENTS[domain] for domain in _domains(definition))]
    n_records = {
        table: database.numbers(plan.queries.n_records(table))["total"] for table in tables
    }
    return n_records | _entries(database, definition, plan)


def _entries(
    database: Database, definition: CohortDefinition, plan: ExtractionPlan
) -> dict[str, int]:
    """How many entries there are of the cohorts that exist; other cohorts may come and go."""
    if not definition.cohort_ids:
        return {}
    return {"cohort": database.numbers(plan.queries.n_entries(definition.cohort_ids))["total"]}


def _domains(definition: CohortDefinition) -> list[str]:
    """What is read: of a plain definition conditions first, and then drugs."""
    return list(definition.event_domains)


def empty_cohort(
    database: Database, definition: CohortDefinition, counts: list[int]
) -> EmptyCohortError:
    """The error of a cohort without members, which says where they were lost."""
    steps = attrition_table(definition, counts, 0).itertuples(index=False)
    losses = "; ".join(
        f"{persons:,} {f'(-{removed:,}) ' if removed else ''}{step}"
        for step, persons, removed, _ in steps
    )
    return EmptyCohortError(
        f"Nobody in {database.label} belongs to the cohort. Of its persons, step by step, {losses}."
    )
