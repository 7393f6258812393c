"""A new DuckDB file with tables of OMOP's CDM 5.4, filled column by column."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.checks import check_schema
from elseif.errors import FileExistsAlreadyError, ParamError, ParamTypeError, install

if TYPE_CHECKING:
    import duckdb

RESERVED_SCHEMAS = ("information_schema", "pg_catalog", "temp")
FEMALE, MALE, NO_CONCEPT = 8532, 8507, 0

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
    "measurement": """measurement_id integer!, person_id integer!,
        measurement_concept_id integer!, measurement_date date!, measurement_datetime timestamp,
        measurement_time varchar(10), measurement_type_concept_id integer!,
        operator_concept_id integer, value_as_number numeric(18, 6), value_as_concept_id integer,
        unit_concept_id integer, range_low numeric, range_high numeric, provider_id integer,
        visit_occurrence_id integer, visit_detail_id integer,
        measurement_source_value varchar(50), measurement_source_concept_id integer,
        unit_source_value varchar(50), unit_source_concept_id integer,
        value_source_value varchar(50), measurement_event_id integer,
        meas_event_field_concept_id integer""",
    "death": """person_id integer!, death_date date!, death_datetime timestamp,
        death_type_concept_id integer, cause_concept_id integer, cause_source_value varchar(50),
        cause_source_concept_id integer""",
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

# id, name, domain, vocabulary, class and code of a concept
ConceptRow = tuple[int, str, str, str, str, str]
SEXES: tuple[ConceptRow, ...] = (
    (NO_CONCEPT, "No matching concept", "Metadata", "None", "Undefined", "No matching concept"),
    (FEMALE, "FEMALE", "Gender", "Gender", "Gender", "F"),
    (MALE, "MALE", "Gender", "Gender", "Gender", "M"),
)


def check_new_schema(schema: Any) -> None:
    """A name that every database takes, and that none keeps for itself; it is quoted anyway."""
    check_schema(schema)
    if schema.lower() in RESERVED_SCHEMAS:
        raise ParamError(f"schema is {schema!r}, which is reserved by the database.")


def new_file(path: Any, force: bool, beside: Callable[[Path], Path] | None = None) -> Path:
    """The path of a database that can be written, and with it the file that belongs to it."""
    if not isinstance(path, (str, os.PathLike)):
        raise ParamTypeError(f"path is {path!r}; it must be the name of a file.")
    target = Path(path)
    if not target.name or "\0" in str(target):
        raise ParamError(f"path is {str(path)!r}, which is not a valid file name.")
    if not target.parent.is_dir():
        raise ParamError(f"path is {str(target)!r}, but there is no folder {str(target.parent)!r}.")
    for file in (target,) if beside is None else (target, beside(target)):
        if file.is_dir():
            raise ParamError(f"path is {str(target)!r}, but {str(file)!r} is a folder.")
        if file.exists() and not force:
            raise FileExistsAlreadyError(
                f"{str(file)!r} exists already; force=True replaces it, or give another path."
            )
    return target


class CdmFile:
    """A new DuckDB file with empty tables to fill."""

    def __init__(self, path: Path, schema: str, tables: Iterable[str] = TABLES) -> None:
        try:
            import duckdb
            import pyarrow  # noqa: F401  (how rows are handed over)
        except ImportError:
            raise ParamError(f"A database needs DuckDB and pyarrow: {install('omop')}.") from None
        self.schema = schema
        self.n_rows = dict.fromkeys(tables, 0)
        self.connection: duckdb.DuckDBPyConnection = duckdb.connect(str(path))
        self.connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        for table in self.n_rows:
            declared = TABLES[table].replace("!", " NOT NULL")
            self.connection.execute(f'CREATE TABLE "{schema}".{table} ({declared})')

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

    def add_concepts(self, rows: Sequence[ConceptRow]) -> None:
        """Concepts, standard ones but for that of no match."""
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
                "concept_code": list(codes),
                "valid_start_date": np.full(len(rows), "1970-01-01", dtype="datetime64[D]"),
                "valid_end_date": np.full(len(rows), "2099-12-31", dtype="datetime64[D]"),
            },
        )

    def add_ancestors(self, rows: Sequence[tuple[int, int, int, int]]) -> None:
        """Ancestor, descendant, fewest and most steps between them."""
        columns = (
            "ancestor_concept_id",
            "descendant_concept_id",
            "min_levels_of_separation",
            "max_levels_of_separation",
        )
        pairs = np.array(rows, dtype=np.int32)
        self.add("concept_ancestor", dict(zip(columns, np.ascontiguousarray(pairs.T), strict=True)))

    def ids(self, table: str, n: int) -> np.ndarray:
        """Numbers of the next rows of a table."""
        first = 1 + self.n_rows[table]
        return np.arange(first, first + n, dtype=np.int32)


def dates(days: np.ndarray) -> np.ndarray:
    """Days since 1970 as dates."""
    return days.astype("datetime64[D]")
