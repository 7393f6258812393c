"""A few dozen persons whose right answer is written out, on each engine."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from elseif.cohort import Cohort, extract
from tests.cohort import handmade as made
from tests.cohort.comparing import (
    assert_as_reference,
    assert_equal_cohorts,
    assert_sound,
    catalogue_rows,
    features_of,
    groups_of,
)
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import DuckDBEngine, Engine
from tests.cohort.naive_extraction import naive_extraction


@pytest.fixture
def cohort(engine: Engine) -> Cohort:
    engine.load(made.TABLES)
    with engine.connect() as database:
        return extract(database, HANDMADE)


def test_answer_by_hand(cohort: Cohort) -> None:
    assert_sound(cohort)
    assert [int(person) for person in cohort.person_ids] == list(made.ANSWER)
    features, groups = features_of(cohort), groups_of(cohort)
    result = {
        int(person): (
            str(cohort.index_dates[i]),
            bool(cohort.outcome[i]),
            int(cohort.age[i]),
            str(cohort.sex[i]),
            features[int(person)],
            groups[int(person)],
        )
        for i, person in enumerate(cohort.person_ids)
    }
    assert result == made.ANSWER
    assert catalogue_rows(cohort) == made.CATALOGUE
    assert list(cohort.groups.columns) == ["hypertension", "diabetes", "occlusion"]
    steps = cohort.attrition[["persons", "removed"]].itertuples(index=False, name=None)
    assert list(steps) == made.ATTRITION
    issues = {
        what: (records, n) for what, records, n in cohort.quality_issues.itertuples(index=False)
    }
    assert issues == made.ISSUES


@pytest.mark.parametrize(
    ("sources", "names"),
    [(None, []), ([], []), ([("claims",), (None,), ("SYNTHETIC b",), ("claims",)],
                            ["SYNTHETIC b", "claims"])],
    ids=["no-table", "no-row", "rows"],
)  # fmt: skip
def test_a_database_says_what_it_is(
    engine: Engine, sources: list[tuple[str | None]] | None, names: list[str]
) -> None:
    """It may have no table for that, which is no reason to refuse it."""
    engine.load(replace(made.TABLES, sources=sources))
    with engine.connect() as database:
        assert sorted(database.source_names()) == names


@pytest.mark.parametrize("persons_a_batch", [2, 7, 1000])
def test_batches_change_nothing(duckdb_engine: DuckDBEngine, persons_a_batch: int) -> None:
    duckdb_engine.load(made.TABLES)
    with duckdb_engine.connect() as database:
        whole = extract(database, HANDMADE)
        parts = extract(database, HANDMADE, persons_a_batch=persons_a_batch)
    assert_equal_cohorts(whole, parts)


def test_reference_agrees_with_the_answer_by_hand() -> None:
    """The slow reference, which judges larger databases, is itself judged by hand."""
    reference = naive_extraction(made.TABLES.frames(), HANDMADE)
    result = {
        person: (
            str(patient.index_date),
            patient.outcome,
            patient.age,
            patient.sex,
            {reference.names[feature] for feature in patient.features},
            patient.groups,
        )
        for person, patient in reference.patients.items()
    }
    assert result == made.ANSWER


def test_rows_in_any_order(duckdb_engine: DuckDBEngine) -> None:
    """A table has no order: reversed rows, and every row of an event twice, change nothing."""
    doubled = made.Tables(
        made.PERSONS[::-1],
        made.PERIODS[::-1] * 2,
        made.CONDITIONS[::-1] * 2,
        made.DRUGS[::-1] * 2,
        made.CONCEPTS[::-1],
        made.ANCESTORS[::-1] * 2,
    )
    duckdb_engine.load(doubled)
    with duckdb_engine.connect() as database:
        cohort = extract(database, HANDMADE)
    assert_as_reference(cohort, naive_extraction(made.TABLES.frames(), HANDMADE))


def test_tables_for_a_classifier(duckdb_engine: DuckDBEngine) -> None:
    duckdb_engine.load(made.TABLES)
    with duckdb_engine.connect() as database:
        cohort = extract(database, HANDMADE)
    table = cohort.table()
    assert list(table.columns) == ["age", "sex", *(name for name, *_ in made.CATALOGUE)]
    assert table.shape == (17, 2 + 14)
    assert list(table.frame["age"]) == [age for _, _, age, *_ in made.ANSWER.values()]
    assert list(table.frame["sex"]) == [sex for _, _, _, sex, *_ in made.ANSWER.values()]
    labels = cohort.labels()
    assert labels.dtype == bool
    assert labels.name == "stroke"
    assert list(labels) == [outcome for _, outcome, *_ in made.ANSWER.values()]
    assert {key: list(value) for key, value in cohort.cuts.items()} == {"age": [50, 60, 70, 80]}
    scores = cohort.score_table()
    assert list(scores.columns) == ["age", "sex", "hypertension", "diabetes", "occlusion"]
    assert list(np.flatnonzero(scores["hypertension"])) == [14]  # person 29
    assert list(np.flatnonzero(scores["diabetes"])) == [15]  # person 30
    assert list(np.flatnonzero(scores["occlusion"])) == [4]  # person 7
