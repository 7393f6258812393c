"""Features, criteria and outcomes, cell by cell: engines against plain Python over the rows."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import ibis
import numpy as np
import pytest

from elseif.cohort import Cohort, CohortDefinition, Database, extract, read_cohort
from tests.cohort.comparing import assert_equal_cohorts
from tests.cohort.engines import DuckDBEngine, Engine, arrow_tables
from tests.cohort.naive_features import FAR, Answer, Key, covariate_id, naive_features
from tests.cohort.rich import DEFINITIONS, rich_database, rich_definition

pytestmark = pytest.mark.filterwarnings("ignore:.*values in other units:UserWarning")
VALUES = ("count", "distinct", "total", "last")


def key_of(domain: str, feature: str, concept: int, unit: int) -> Key:
    """What a column of the catalogue is, in the words of the reference."""
    *parts, window = feature.split(", ")
    days = re.fullmatch(r"(any|-?\d+) to (-?\d+)", window)
    low, high = (FAR, -1) if days is None else (days[1], int(days[2]))
    rollup, what, target = "", "recorded", concept
    for part in parts:
        least = re.fullmatch(r"at least (\d+)", part)
        if least:
            what = f"recorded {least[1]}"
        elif part in VALUES:
            what = part
        elif part.startswith("group "):
            rollup, target = "groups, ", part.removeprefix("group ")  # type: ignore[assignment]
        else:
            rollup = f"{part}, "
    first = FAR if low == "any" else int(low)
    return domain, f"{rollup}{what}", (first, high), target, unit


def assert_as_rows(cohort: Cohort, answer: Answer) -> None:
    """Members, steps, outcomes, truths, numbers and groups are those of the reference."""
    assert [int(person) for person in cohort.person_ids] == list(answer.members)
    assert list(cohort.attrition["persons"]) == answer.attrition
    people = list(answer.members.values())
    assert list(cohort.index_dates) == [np.datetime64(person.index_date) for person in people]
    for name in cohort.definition.outcome_names:
        assert cohort.labels(name).tolist() == [person.outcomes[name] for person in people]
    columns = ["domain", "feature", "concept_id"]
    keys = [key_of(*row, 0) for row in cohort.catalogue[columns].itertuples(index=False)]
    assert len(set(keys)) == len(keys)
    matrix = cohort.features.toarray()
    result = [{keys[j] for j in np.flatnonzero(row)} for row in matrix]
    assert result == [person.truths for person in people]
    for name in cohort.groups:
        assert cohort.groups[name].tolist() == [name in person.groups for person in people]
    assert_numbers(cohort, people)


def assert_numbers(cohort: Cohort, people: list[Any]) -> None:
    """Numbers of the unit that most members have; counts are 0 and values missing elsewhere."""
    table, values = cohort.number_catalogue, cohort.values
    assert list(values.columns) == list(table["name"])
    every = {key for person in people for key in person.numbers}
    kept = {}
    for key in sorted(every, key=str):
        n = sum(key in person.numbers for person in people)
        best = kept.get(key[:4])
        if best is None or (n, -key[4]) > best[0]:
            kept[key[:4]] = ((n, -key[4]), key)
    columns = ["domain", "feature", "concept_id", "unit_concept_id"]
    keys = [key_of(*row) for row in table[columns].itertuples(index=False)]
    of_domain = {key for key in keys if "distinct" in key[1] or "total" in key[1]}
    of_groups = {key for key in keys if isinstance(key[3], str)}
    assert set(keys) == {key for _, key in kept.values()} | of_domain | of_groups
    for key, name in zip(keys, table["name"], strict=True):
        missing = math.nan if key[1] == "last" else 0
        expected = [person.numbers.get(key, missing) for person in people]
        np.testing.assert_array_equal(values[name].to_numpy(), expected)


def test_every_engine_against_the_rows(engine: Engine, tmp_path: Path) -> None:
    """One database, every definition; a folder gives the same cohort again."""
    tables = rich_database()
    engine.load(tables)
    with engine.connect() as database:
        # Spark takes a second for a query, however few its rows
        persons_a_batch = 1000 if database.kind == "spark" else 30
        for name in DEFINITIONS:
            definition = rich_definition(name)
            answer = naive_features(tables, definition.as_dict())
            assert len(answer.members) > 5, name
            cohort = extract(
                database, definition, folder=tmp_path / name, persons_a_batch=persons_a_batch
            )
            assert_as_rows(cohort, answer)
            again = read_cohort(tmp_path / name)
            assert_equal_cohorts(cohort, again)
            assert cohort.values.equals(again.values)
            assert cohort.table().columns == again.table().columns
            assert again.labels(definition.outcome_names[-1]).equals(
                cohort.labels(definition.outcome_names[-1])
            )


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 5))
def test_other_databases(seed: int) -> None:
    """More persons at the edges, on DuckDB in memory, whole and in small ranges."""
    tables = rich_database(seed, n_persons=60)
    backend = ibis.duckdb.connect()
    backend.raw_sql("CREATE SCHEMA cdm")
    for name, table in arrow_tables(tables).items():
        backend.create_table(name, table, database="cdm")
    database = Database.from_backend(backend, "cdm")
    for name in DEFINITIONS:
        definition = rich_definition(name)
        answer = naive_features(tables, definition.as_dict())
        for persons_a_batch in (7, 1000):
            assert_as_rows(extract(database, definition, persons_a_batch=persons_a_batch), answer)
    backend.disconnect()


def test_covariate_ids(duckdb_engine: DuckDBEngine) -> None:
    """Of every column, FeatureExtraction's id, or 0 where it has no such covariate."""
    duckdb_engine.load(rich_database())
    n_ids = 0
    for name in ("truths", "numbers"):
        definition = rich_definition(name)
        with duckdb_engine.connect() as database:
            cohort = extract(database, definition)
        expected = by_key(definition)
        for table in (cohort.catalogue.assign(unit_concept_id=0), cohort.number_catalogue):
            for _, concept, domain, covariate, feature, unit in table.itertuples(index=False):
                key = key_of(domain, feature, 0, 0)
                if isinstance(key[3], str):  # a group is a covariate if it is one concept
                    concept = {"heart_disease": 10}.get(key[3], 0)
                least = int(key[1].split()[-1]) if key[1][-1].isdigit() else 1
                spec = expected[domain, re.sub(r"at least \d+, ", "", feature)]
                assert covariate == covariate_id(spec, concept, unit, least), (feature, concept)
                n_ids += covariate > 0
        covariate_ids = {c["column"]: c["covariate_id"] for c in cohort.origin()["concepts"]}
        assert list(covariate_ids) == list(cohort.table().columns)[2:]
    assert n_ids > 20


def by_key(definition: CohortDefinition) -> dict[tuple[str, str], dict[str, Any]]:
    """The features of a definition as plain data, by what its columns say."""
    result = {}
    for feature in definition.features:
        key = re.sub(r"at least \d+, ", "", feature.keys[0])
        names = [key]
        if feature.rollup == "groups":
            names = [key.replace("groups", f"group {name}") for name in definition.groups]
        result |= {(feature.domain, name): feature.as_dict() for name in names}
    return result
