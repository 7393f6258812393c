"""The synthetic database as a DuckDB file: tables of OMOP's CDM 5.4, written block by block."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.checks import check_schema
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
from elseif.errors import ParamError, install

if TYPE_CHECKING:
    import duckdb

RESERVED_SCHEMAS = ("information_schema", "pg_catalog", "temp")
FEMALE, MALE, NO_CONCEPT = 8532, 8507, 0
DAYS_SUPPLY = 30

# columns with their types; those that end in ! may not be null
TABLES = {
    "person": """person_id integer!, gender_concept_id integer!, year_of_birth integer!,
        month_of_birth integer, day_of_birth integer, birth_datetime timestamp,
        race_concept_id integer!, ethnicity_concept_id integer!, location_id integer,
        provider_id integer, care_site_id integer, person_source_value varchar(50),
        gender_source_value varchar(50), gender_source_concept_id integer,
        race_source_value varchar(50), race_source_concept_id integer,
        ethnicity_source_value varchar(50), ethnicity_source_concept_id integer""",
    "observation_period": """observation_period_id integer!, person_id integer!,
        observation_period_start_date date!, observation_period_end_date date!,
        period_type_concept_id integer!""",
    "condition_occurrence": """condition_occurrence_id integer!, person_id integer!,
        condition_concept_id integer!, condition_start_date date!,
        condition_start_datetime timestamp, condition_end_date date,
        condition_end_datetime timestamp, condition_type_concept_id integer!,
        condition_status_concept_id integer, stop_reason varchar(20), provider_id integer,
        visit_occurrence_id integer, visit_detail_id integer, condition_source_value varchar(50),
        condition_source_concept_id integer, condition_status_source_value varchar(50)""",
    "drug_exposure": """drug_exposure_id integer!, person_id integer!, drug_concept_id integer!,
        drug_exposure_start_date date!, drug_exposure_start_datetime timestamp,
        drug_exposure_end_date date!, drug_exposure_end_datetime timestamp,
        verbatim_end_date date, drug_type_concept_id integer!, stop_reason varchar(20),
        refills integer, quantity numeric, days_supply integer, sig text,
        route_concept_id integer, lot_number varchar(50), provider_id integer,
        visit_occurrence_id integer, visit_detail_id integer, drug_source_value varchar(50),
        drug_source_concept_id integer, route_source_value varchar(50),
        dose_unit_source_value varchar(50)""",
    "concept": """concept_id integer!, concept_name varchar(255)!, domain_id varchar(20)!,
        vocabulary_id varchar(20)!, concept_class_id varchar(20)!, standard_concept varchar(1),
        concept_code varchar(50)!, valid_start_date date!, valid_end_date date!,
        invalid_reason varchar(1)""",
    "concept_ancestor": """ancestor_concept_id integer!, descendant_concept_id integer!,
        min_levels_of_separation integer!, max_levels_of_separation integer!""",
    "cdm_source": """cdm_source_name varchar(255)!, cdm_source_abbreviation varchar(25)!,
        cdm_holder varchar(255)!, source_description text,
        source_documentation_reference varchar(255), cdm_etl_reference varchar(255),
        source_release_date date!, cdm_release_date date!, cdm_version varchar(10),
        cdm_version_concept_id integer!, vocabulary_version varchar(20)!""",
}


def check_new_schema(schema: Any) -> None:
    """A name that every database takes, and that none keeps for itself; it is quoted anyway."""
    check_schema(schema)
    if schema.lower() in RESERVED_SCHEMAS:
        raise ParamError(f"schema is {schema!r}, which the database keeps for itself.")


class Store:
    """A new DuckDB file with empty tables, to which blocks of persons are added."""

    def __init__(self, path: Path, schema: str) -> None:
        try:
            import duckdb
            import pyarrow  # noqa: F401  (how blocks are handed over)
        except ImportError:
            raise ParamError(
                f"A synthetic database needs DuckDB and pyarrow: {install('omop')}."
            ) from None
        self.schema = schema
        self.n_rows = dict.fromkeys(TABLES, 0)
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(str(path))
        self.connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        for table, columns in TABLES.items():
            declared = columns.replace("!", " NOT NULL")
            self.connection.execute(f'CREATE TABLE "{schema}".{table} ({declared})')

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def add(self, table: str, columns: dict[str, Any]) -> None:
        """Rows by column; columns that are not named stay null."""
        import pyarrow as pa

        block = pa.table(columns)
        self.connection.register("block", block)
        self.connection.execute(f'INSERT INTO "{self.schema}".{table} BY NAME SELECT * FROM block')
        self.connection.unregister("block")
        self.n_rows[table] += block.num_rows

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
                "observation_period_id": self._ids("observation_period", len(person)),
                "person_id": (first_id + person).astype(np.int32),
                "observation_period_start_date": _dates(first),
                "observation_period_end_date": _dates(last),
                "period_type_concept_id": _types(len(person)),
            },
        )

    def add_records(self, records: Records, first_id: int) -> None:
        """Conditions and drugs, ordered by person and day."""
        conditions = _in_order(records.take(np.flatnonzero(~records.drug)))
        self.add(
            "condition_occurrence",
            {
                "condition_occurrence_id": self._ids("condition_occurrence", len(conditions)),
                "person_id": (first_id + conditions.person).astype(np.int32),
                "condition_concept_id": conditions.concept.astype(np.int32),
                "condition_start_date": _dates(conditions.day),
                "condition_type_concept_id": _types(len(conditions)),
            },
        )
        drugs = _in_order(records.take(np.flatnonzero(records.drug)))
        last = np.minimum(drugs.day + DAYS_SUPPLY - 1, drugs.last_day)
        self.add(
            "drug_exposure",
            {
                "drug_exposure_id": self._ids("drug_exposure", len(drugs)),
                "person_id": (first_id + drugs.person).astype(np.int32),
                "drug_concept_id": drugs.concept.astype(np.int32),
                "drug_exposure_start_date": _dates(drugs.day),
                "drug_exposure_end_date": _dates(last),
                "drug_type_concept_id": _types(len(drugs)),
                "days_supply": (last - drugs.day + 1).astype(np.int32),
            },
        )

    def add_vocabulary(self, catalogue: Catalogue) -> None:
        """Concepts and their hierarchy; a made-up concept is its own and only ancestor."""
        rows = _concept_rows(catalogue)
        ids, names, domains, vocabularies, classes, codes = zip(*rows, strict=True)
        self.add(
            "concept",
            {
                "concept_id": np.array(ids, dtype=np.int32),
                "concept_name": list(names),
                "domain_id": list(domains),
                "vocabulary_id": list(vocabularies),
                "concept_class_id": list(classes),
                "standard_concept": [None if i == NO_CONCEPT else "S" for i in ids],
                "concept_code": [
                    code or f"synthetic {i}" for i, code in zip(ids, codes, strict=True)
                ],
                "valid_start_date": np.full(len(rows), "1970-01-01", dtype="datetime64[D]"),
                "valid_end_date": np.full(len(rows), "2099-12-31", dtype="datetime64[D]"),
            },
        )
        own = catalogue.ids[len(PREDICTORS) :]
        pairs = np.array(ancestor_rows() + [(int(i), int(i), 0, 0) for i in own], dtype=np.int32)
        columns = (
            "ancestor_concept_id",
            "descendant_concept_id",
            "min_levels_of_separation",
            "max_levels_of_separation",
        )
        self.add("concept_ancestor", dict(zip(columns, np.ascontiguousarray(pairs.T), strict=True)))

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

    def _ids(self, table: str, n: int) -> np.ndarray:
        first = 1 + self.n_rows[table]
        return np.arange(first, first + n, dtype=np.int32)


def _concept_rows(catalogue: Catalogue) -> list[tuple[int, str, str, str, str, str]]:
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
    rows += [
        (
            NO_CONCEPT,
            "No matching concept",
            "Metadata",
            "None",
            "Undefined",
            "No matching concept",
        ),
        (FEMALE, "FEMALE", "Gender", "Gender", "Gender", "F"),
        (MALE, "MALE", "Gender", "Gender", "Gender", "M"),
        (
            SYNTHETIC_RECORD,
            "Synthetic record: not of a real person",
            "Type Concept",
            LOCAL_VOCABULARY,
            "Type Concept",
            "",
        ),
    ]
    return rows


def _in_order(records: Records) -> Records:
    return records.take(np.argsort((records.person << 15) + records.day, kind="stable"))


def _dates(days: np.ndarray) -> np.ndarray:
    return days.astype("datetime64[D]")


def _types(n: int) -> np.ndarray:
    return np.full(n, SYNTHETIC_RECORD, dtype=np.int32)
