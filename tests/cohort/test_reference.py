"""The extraction equals the slow reference, on small random databases and on a larger one."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import ibis
import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from elseif.cohort import CohortDefinition, Concept, ConceptSet, Database, extract
from elseif.errors import DatabaseError, ParamError
from tests.cohort.comparing import assert_as_reference
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import Engine, arrow_tables
from tests.cohort.naive_extraction import members, naive_extraction
from tests.cohort.rows import Tables

# few days, few concepts and few persons, so that every edge is met often; the days lie around
# the end of a leap year
DAYS = [date(2016, 12, 26) + timedelta(days=n) for n in range(12)]
IDS = st.integers(1, 12)
CONCEPTS = st.sampled_from([0, 1, 2, 3, 4, 5, 6, 2_000_000_000])
DAY = st.sampled_from(DAYS)


@st.composite
def periods(draw: st.DrawFn) -> tuple[int, date, date]:
    start, end = sorted((draw(DAY), draw(DAY)))
    return draw(IDS), start, end


def events(concepts: st.SearchStrategy[int] = CONCEPTS) -> st.SearchStrategy[list]:
    return st.lists(st.tuples(IDS, concepts, DAY), max_size=40)


@st.composite
def databases(draw: st.DrawFn) -> Tables:
    people = draw(st.sets(IDS, min_size=1))
    genders = st.sampled_from([8532, 8507, 0, None])
    years = st.sampled_from([None, 1895, 1896, 1897, 1950, 2016, 2017, 2018])
    # a few diagnoses at least, so that most databases have a cohort
    diagnoses = st.lists(st.tuples(IDS, st.sampled_from([1, 2]), DAY), min_size=1, max_size=15)
    return Tables(
        persons=[(person, draw(genders), draw(years)) for person in people],
        periods=draw(st.lists(periods(), max_size=8))
        + [(person, DAYS[0], DAYS[-1]) for person in draw(st.sets(IDS, min_size=1))],
        conditions=draw(events()) + draw(diagnoses),
        drugs=draw(events()),
        concepts=draw(
            st.lists(
                st.tuples(CONCEPTS, st.sampled_from(["a", "b", "c", None])),
                unique_by=lambda row: row[0],
            )
        ),
        ancestors=draw(st.lists(st.tuples(CONCEPTS, CONCEPTS), max_size=8)),
    )


@st.composite
def concept_sets(draw: st.DrawFn, name: str, least: tuple[int, ...]) -> ConceptSet:
    ids = st.sampled_from([1, 2, 3, 4, 5, 6, 2_000_000_000])
    include = draw(st.sets(st.sampled_from(least), min_size=1)) | draw(st.sets(ids, max_size=1))
    exclude = draw(st.sets(ids, max_size=1))
    return ConceptSet(
        name=name,
        include=tuple(Concept(i, f"concept {i}", draw(st.booleans())) for i in sorted(include)),
        exclude=tuple(Concept(i, f"concept {i}", draw(st.booleans())) for i in sorted(exclude)),
    )


@st.composite
def definitions(draw: st.DrawFn) -> CohortDefinition:
    low, high = sorted((draw(st.integers(1, 4)), draw(st.integers(1, 4))))
    domains = draw(st.sampled_from([("condition", "drug"), ("condition",), ("drug",)]))
    groups = {"one": (3, 4, 5), "two": (1, 6)} if "condition" in domains else {}
    return CohortDefinition(
        name="random",
        title="A random definition",
        index=draw(concept_sets("index", (1, 2))),
        outcome=draw(concept_sets("outcome", (2, 3, 4))),
        observation_before=draw(st.integers(0, 4)),
        observation_after=draw(st.integers(high, 5)),
        outcome_window=(low, high),
        outcome_must_be_new=draw(st.booleans()),
        include_all_outcomes=draw(st.booleans()),
        domains=domains,
        groups={name: draw(concept_sets(name, least)) for name, least in groups.items()},
    )


@given(databases(), definitions(), st.sampled_from([3, 100]))
@settings(max_examples=25)
def test_small_random_databases(
    tables: Tables, definition: CohortDefinition, persons_a_batch: int
) -> None:
    compare(tables, definition, persons_a_batch)


@pytest.mark.slow
@given(databases(), definitions(), st.sampled_from([1, 3, 100]))
@settings(max_examples=300)
def test_many_random_databases(
    tables: Tables, definition: CohortDefinition, persons_a_batch: int
) -> None:
    compare(tables, definition, persons_a_batch)


def compare(tables: Tables, definition: CohortDefinition, persons_a_batch: int) -> None:
    """An extraction from DuckDB in memory, held to the slow reference."""
    reference = naive_extraction(tables.frames(), definition)
    backend = ibis.duckdb.connect()
    try:
        backend.raw_sql("CREATE SCHEMA cdm")
        for name, table in arrow_tables(tables).items():
            backend.create_table(name, table, database="cdm")
        database = Database.from_backend(backend, "cdm")
        if is_drug_group(tables, definition) and not includes_nothing(tables, definition):
            with pytest.raises(ParamError, match="domains leaves drugs out"):
                extract(database, definition, persons_a_batch=persons_a_batch)
        elif includes_nothing(tables, definition):
            with pytest.raises(ParamError, match="it excludes as well"):
                extract(database, definition, persons_a_batch=persons_a_batch)
        elif reference.patients:
            cohort = extract(database, definition, persons_a_batch=persons_a_batch)
            assert_as_reference(cohort, reference)
        else:
            with pytest.raises(DatabaseError):
                extract(database, definition, persons_a_batch=persons_a_batch)
    finally:
        backend.disconnect()


FIRST, BEFORE = date(2015, 1, 1), date(2014, 1, 1)


def one_person(**events: list[tuple[int, int, date]]) -> Tables:
    """A person with the index condition, 1, in a vocabulary that has concept 0 beneath 3."""
    return Tables(
        persons=[(7, 8532, 1950)],
        periods=[(7, date(2010, 1, 1), date(2020, 1, 1))],
        conditions=[(7, 1, FIRST), *events.get("conditions", [])],
        drugs=events.get("drugs", []),
        concepts=[(1, "index"), (2, "outcome"), (3, "group")],
        ancestors=[(1, 1), (2, 2), (3, 3), (3, 0), (1, 0)],
    )


def sets_of_one(**more: Any) -> CohortDefinition:
    index, outcome, group = (
        ConceptSet(name, (Concept(i, name),))
        for i, name in enumerate(("index", "outcome", "group"), 1)
    )
    return CohortDefinition("one", "One", index, outcome, groups={"group": group}, **more)


@pytest.mark.parametrize(
    ("events", "has_group"),
    [
        ({"conditions": [(7, 3, BEFORE)]}, True),
        ({"drugs": [(7, 3, BEFORE)]}, True),  # any concept of the set that was recorded
        ({"drugs": [(7, 3, FIRST)]}, False),
        ({"conditions": [(7, 0, BEFORE)]}, False),  # no concept, and no index date either
        ({"drugs": [(7, 0, BEFORE)]}, False),
    ],
    ids=["condition", "drug", "on-the-day", "concept-0", "drug-0"],
)
def test_what_counts_for_a_group(
    events: dict[str, list[tuple[int, int, date]]], has_group: bool
) -> None:
    """Reference and extraction agree on records of drugs and of concept 0, and with the docs."""
    tables, definition = one_person(**events), sets_of_one()
    compare(tables, definition, 100)
    patient = naive_extraction(tables.frames(), definition).patients[7]
    assert patient.index_date == FIRST
    assert patient.groups == ({"group"} if has_group else set())


def is_drug_group(tables: Tables, definition: CohortDefinition) -> bool:
    """Whether a group is recorded as drugs alone, and drugs are not read."""
    ancestors = tables.frames()["concept_ancestor"]
    conditions, drugs = ({c for _, c, _ in rows} for rows in (tables.conditions, tables.drugs))
    return "drug" not in definition.domains and any(
        drugs & ids and not conditions & ids
        for ids in (members(group, ancestors) for group in definition.groups.values())
    )


def includes_nothing(tables: Tables, definition: CohortDefinition) -> bool:
    """Whether a set excludes all that it includes, as far as this vocabulary goes."""
    ancestors = tables.frames()["concept_ancestor"]
    return not all(members(s, ancestors) for s in (definition.index, definition.outcome))


def medium_database(seed: int = 0, n_persons: int = 300) -> Tables:
    """Persons whose diagnoses, strokes and periods crowd around the edges of the year."""
    rng = np.random.default_rng(seed)
    index = date(2015, 6, 1)
    edges = np.array([-366, -365, -364, -30, -1, 0, 1, 30, 364, 365, 366, 400])
    conditions, drugs, persons, periods = [], [], [], []
    from tests.cohort import handmade as made

    some_conditions = [made.COUGH, made.ESSENTIAL, made.STEROID_DIABETES, made.DIABETES, 0]
    some_conditions += list(range(2_000_001_000, 2_000_001_040))
    some_drugs = [made.WARFARIN, made.ASPIRIN, made.OTHER_ASPIRIN, 0]
    some_drugs += list(range(2_000_002_000, 2_000_002_040))
    for person in rng.permutation(np.arange(1, 10 * n_persons, 10)).tolist():
        if rng.random() < 0.97:
            born = None if rng.random() < 0.02 else int(rng.integers(1890, 2020))
            persons.append((person, int(rng.choice([8532, 8507, 0])), born))
        for _ in range(int(rng.integers(1, 3))):
            shorter, longer = int(rng.choice([364, 365, 900])), int(rng.choice([364, 365, 900]))
            start, end = index - timedelta(days=shorter), index + timedelta(days=longer)
            periods.append((person, start, end))
        for _ in range(int(rng.choice([0, 1, 1, 1, 2]))):
            kinds = [made.AF, made.PAROXYSMAL, made.AFTER_SURGERY]
            day = index + timedelta(days=int(rng.choice([0, 0, 0, 0, 1, -1])))
            conditions.append((person, int(rng.choice(kinds, p=[0.6, 0.3, 0.1])), day))
        for _ in range(int(rng.integers(0, 2))):
            kinds = [made.INFARCTION, made.LACUNAR, made.OCCLUSION, made.OCCLUSION_LEFT]
            day = index + timedelta(days=int(rng.choice(edges)))
            conditions.append((person, int(rng.choice(kinds)), day))
        for _ in range(int(rng.integers(0, 12))):
            day = index + timedelta(days=int(rng.choice(edges)))
            conditions.append((person, int(rng.choice(some_conditions)), day))
            drugs.append((person, int(rng.choice(some_drugs)), day))
    names = [(c, f"Thing {c % 30}") for c in (*some_conditions, *some_drugs) if c % 7]
    concepts = made.CONCEPTS + [row for row in names if row[0] > 2_000_000_999]
    return Tables(persons, periods, conditions, drugs, concepts, made.ANCESTORS)


def test_medium_database_on_every_engine(engine: Engine) -> None:
    """Equal to one reference, cell by cell, and so to each other."""
    tables = medium_database()
    reference = naive_extraction(tables.frames(), HANDMADE)
    assert 30 < len(reference.patients) < 270
    assert sum(patient.outcome for patient in reference.patients.values()) > 10
    assert all(count for count in reference.reasons.values())
    engine.load(tables)
    with engine.connect() as database:
        cohort = extract(database, HANDMADE, persons_a_batch=40)
    assert_as_reference(cohort, reference)
