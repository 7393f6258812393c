"""The synthetic database as a DuckDB file: tables of OMOP's CDM 5.4, written block by block."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from elseif.datasets.cdm_file import FEMALE, MALE, SEXES, CdmFile, ConceptRow, dates
from elseif.datasets.patients.people import LAST_DAY, People
from elseif.datasets.patients.planted import NOTICE, PlantedStroke
from elseif.datasets.patients.records import Records
from elseif.datasets.patients.vocabulary import (
    INDEX_CONCEPTS,
    LOCAL_VOCABULARY,
    PREDICTORS,
    SYNTHETIC_RECORD,
    Catalogue,
    ancestor_rows,
)

DAYS_SUPPLY = 30
TABLES = (
    *("person", "observation_period", "condition_occurrence", "drug_exposure"),
    *("concept", "concept_ancestor", "cdm_source"),
)


class Store(CdmFile):
    """A new DuckDB file with empty tables, to which blocks of persons are added."""

    def __init__(self, path: Path, schema: str) -> None:
        super().__init__(path, schema, TABLES)

    def __enter__(self) -> Store:
        return self

    def add_people(self, people: People, first_id: int) -> None:
        """Persons and their observation periods."""
        n = len(people)
        zeros = np.zeros(n, dtype=np.int32)
        self.add(
            "person",
            {
                "person_id": np.arange(first_id, first_id + n, dtype=np.int32),
                "gender_concept_id": np.where(people.female, FEMALE, MALE).astype(np.int32),
                "year_of_birth": people.year_of_birth.astype(np.int32),
                "race_concept_id": zeros,
                "ethnicity_concept_id": zeros,
            },
        )
        person, first, last = people.periods()
        self.add(
            "observation_period",
            {
                "observation_period_id": self.ids("observation_period", len(person)),
                "person_id": (first_id + person).astype(np.int32),
                "observation_period_start_date": dates(first),
                "observation_period_end_date": dates(last),
                "period_type_concept_id": _types(len(person)),
            },
        )

    def add_records(self, records: Records, first_id: int) -> None:
        """Conditions and drugs, ordered by person and day."""
        conditions = _in_order(records.take(np.flatnonzero(~records.drug)))
        self.add(
            "condition_occurrence",
            {
                "condition_occurrence_id": self.ids("condition_occurrence", len(conditions)),
                "person_id": (first_id + conditions.person).astype(np.int32),
                "condition_concept_id": conditions.concept.astype(np.int32),
                "condition_start_date": dates(conditions.day),
                "condition_type_concept_id": _types(len(conditions)),
            },
        )
        drugs = _in_order(records.take(np.flatnonzero(records.drug)))
        last = np.minimum(drugs.day + DAYS_SUPPLY - 1, drugs.last_day)
        self.add(
            "drug_exposure",
            {
                "drug_exposure_id": self.ids("drug_exposure", len(drugs)),
                "person_id": (first_id + drugs.person).astype(np.int32),
                "drug_concept_id": drugs.concept.astype(np.int32),
                "drug_exposure_start_date": dates(drugs.day),
                "drug_exposure_end_date": dates(last),
                "drug_type_concept_id": _types(len(drugs)),
                "days_supply": (last - drugs.day + 1).astype(np.int32),
            },
        )

    def add_vocabulary(self, catalogue: Catalogue) -> None:
        """Concepts and their hierarchy; a made-up concept is its own and only ancestor."""
        self.add_concepts(_concept_rows(catalogue))
        own = catalogue.ids[len(PREDICTORS) :]
        self.add_ancestors(ancestor_rows() + [(int(i), int(i), 0, 0) for i in own])

    def finish(self, planted: PlantedStroke) -> None:
        """What the database is, said inside it."""
        day = np.array([LAST_DAY]).astype("datetime64[D]")
        self.add(
            "cdm_source",
            {
                "cdm_source_name": ["SYNTHETIC patients with atrial fibrillation"],
                "cdm_source_abbreviation": ["SYNTHETIC"],
                "cdm_holder": ["nobody: made by elseif.datasets.make_stroke_cdm"],
                "source_description": [f"{NOTICE}\n{planted.to_json()}"],
                "source_release_date": day,
                "cdm_release_date": day,
                "cdm_version": ["5.4"],
                "cdm_version_concept_id": np.zeros(1, dtype=np.int32),
                "vocabulary_version": ["synthetic"],
            },
        )
        self.connection.execute("CHECKPOINT")


def _concept_rows(catalogue: Catalogue) -> list[ConceptRow]:
    """Id, name, domain, vocabulary, class and code of every concept."""
    known = [*INDEX_CONCEPTS, *PREDICTORS]
    rows = [
        (c.id, c.name, "Drug" if c.drug else "Condition", c.vocabulary, c.concept_class, c.code)
        for c in known
    ]
    made_up = slice(len(PREDICTORS), None)
    rows += [
        (int(i), name, "Drug" if drug else "Condition", LOCAL_VOCABULARY, "Synthetic", "")
        for i, name, drug in zip(
            catalogue.ids[made_up],
            catalogue.names[made_up],
            catalogue.drug[made_up],
            strict=True,
        )
    ]
    what = "Synthetic record: not of a real person"
    rows += [
        *SEXES,
        (SYNTHETIC_RECORD, what, "Type Concept", LOCAL_VOCABULARY, "Type Concept", ""),
    ]
    return [(*row[:5], row[5] or f"synthetic {row[0]}") for row in rows]


def _in_order(records: Records) -> Records:
    return records.take(np.argsort((records.person << 15) + records.day, kind="stable"))


def _types(n: int) -> np.ndarray:
    return np.full(n, SYNTHETIC_RECORD, dtype=np.int32)
