"""The synthetic patients through the extraction: cell by cell what plain SQL finds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from elseif.cohort import Cohort, connect, extract, load_definition
from elseif.datasets import PlantedStroke, make_stroke_cdm
from tests.datasets.helpers import cohort as by_sql

SCHEMA = "omop$54"


@pytest.fixture(scope="module")
def extracted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, PlantedStroke, Cohort]:
    """A database, what was planted, and the cohort of the stroke study."""
    path = tmp_path_factory.mktemp("cdm") / "stroke.duckdb"
    planted = make_stroke_cdm(path, n_patients=800, n_others=600, n_concepts=500, schema=SCHEMA)
    with connect(path, SCHEMA) as database:
        return path, planted, extract(database, load_definition("stroke"))


def test_the_extraction_finds_what_was_planted(
    extracted: tuple[Path, PlantedStroke, Cohort],
) -> None:
    """Exactly n_patients rows and n_concepts columns, and the strokes that were drawn."""
    _, planted, cohort = extracted
    assert cohort.features.shape == (800, 500)
    assert int(cohort.outcome.sum()) == planted.n_strokes
    names = set(cohort.catalogue["name"])
    conditions = {c for rule in planted.rules for c in rule.antecedent if "age" not in c.split()}
    assert len(conditions) == 5
    assert conditions <= names


def test_the_extraction_agrees_with_plain_sql(
    extracted: tuple[Path, PlantedStroke, Cohort],
) -> None:
    """Every patient, label, age, sex and feature."""
    path, _, cohort = extracted
    people, features = by_sql(path, SCHEMA)
    np.testing.assert_array_equal(cohort.person_ids, people["person_id"])
    np.testing.assert_array_equal(cohort.outcome, people["stroke"])
    np.testing.assert_array_equal(cohort.age, people["age"])
    np.testing.assert_array_equal(np.asarray(cohort.sex) == "female", people["female"])
    rows, columns = cohort.features.nonzero()
    ids = cohort.catalogue["concept_id"].to_numpy()[columns]
    names = set(zip(cohort.person_ids[rows].tolist(), ids.tolist(), strict=True))
    assert names == set(zip(features["person_id"], features["id"], strict=True))


def test_every_kind_of_person_is_stopped_where_it_should_be(
    extracted: tuple[Path, PlantedStroke, Cohort],
) -> None:
    """The attrition counts the kinds that were made."""
    _, planted, cohort = extracted
    persons = planted.persons
    removed = cohort.attrition["removed"].to_list()
    entered = int(cohort.attrition["persons"].iloc[0])
    assert entered == sum(persons.values()) - persons["no atrial fibrillation"]
    short = [n for kind, n in persons.items() if "before" in kind or "start of" in kind]
    assert len(short) == 1
    early = persons["first diagnosed in an earlier, short observation period"]
    after = persons["observed for less than 365 days after the diagnosis"]
    assert removed[-3] == persons["diagnosed between two observation periods"]
    assert removed[-2] + removed[-1] == short[0] + early + after
    assert removed[-2] >= short[0]
