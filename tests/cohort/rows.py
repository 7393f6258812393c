"""The tables of a small OMOP database as rows, and as data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

import pandas as pd

# columns of the common data model 5.4 with the types that its DDL gives them
COLUMNS: dict[str, dict[str, str]] = {
    "person": {
        "person_id": "integer",
        "gender_concept_id": "integer",
        "year_of_birth": "integer",
    },
    "observation_period": {
        "observation_period_id": "integer",
        "person_id": "integer",
        "observation_period_start_date": "date",
        "observation_period_end_date": "date",
    },
    "condition_occurrence": {
        "condition_occurrence_id": "integer",
        "person_id": "integer",
        "condition_concept_id": "integer",
        "condition_start_date": "date",
    },
    "drug_exposure": {
        "drug_exposure_id": "integer",
        "person_id": "integer",
        "drug_concept_id": "integer",
        "drug_exposure_start_date": "date",
    },
    "concept": {"concept_id": "integer", "concept_name": "text"},
    "concept_ancestor": {"ancestor_concept_id": "integer", "descendant_concept_id": "integer"},
}
_VALUED = {"value_as_number": "number", "unit_concept_id": "integer"}
# tables that only some databases here have
MORE = {
    "cdm_source": {"cdm_source_name": "text"},
    "procedure_occurrence": {
        "procedure_occurrence_id": "integer",
        "person_id": "integer",
        "procedure_concept_id": "integer",
        "procedure_date": "date",
    },
    "visit_occurrence": {
        "visit_occurrence_id": "integer",
        "person_id": "integer",
        "visit_concept_id": "integer",
        "visit_start_date": "date",
    },
    "measurement": {
        "measurement_id": "integer",
        "person_id": "integer",
        "measurement_concept_id": "integer",
        "measurement_date": "date",
        **_VALUED,
    },
    "observation": {
        "observation_id": "integer",
        "person_id": "integer",
        "observation_concept_id": "integer",
        "observation_date": "date",
        **_VALUED,
    },
    "cohort": {
        "cohort_definition_id": "integer",
        "subject_id": "integer",
        "cohort_start_date": "date",
        "cohort_end_date": "date",
    },
}
WITH_SOURCE = {**COLUMNS, **MORE}
VOCABULARY = ("concept", "concept_ancestor")
_CLASSES = {"concept_class_id": "text", "standard_concept": "text"}
_LEVELS = {"min_levels_of_separation": "integer"}
_PANDAS = {"integer": "Int64", "date": "object", "text": "object", "number": "float64"}


@dataclass(frozen=True)
class Tables:
    """Rows of each table; the tables of events get a running number in front."""

    persons: Sequence[tuple[int | None, int | None, int | None]]
    periods: Sequence[tuple[int | None, date | None, date | None]]
    conditions: Sequence[tuple[int | None, int | None, date | None]]
    drugs: Sequence[tuple[int | None, int | None, date | None]]
    concepts: Sequence[tuple[int, str | None]] = field(default=())
    ancestors: Sequence[tuple[int, int]] = field(default=())
    sources: Sequence[tuple[str | None]] | None = None  # None for no such table
    procedures: Sequence[tuple[int, int, date]] | None = None
    visits: Sequence[tuple[int, int, date]] | None = None
    measurements: Sequence[tuple[int, int, date, float | None, int | None]] | None = None
    observations: Sequence[tuple[int, int, date, float | None, int | None]] | None = None
    cohorts: Sequence[tuple[int, int, date, date]] | None = None
    classes: Mapping[int, tuple[str, str]] | None = None  # of concepts; None for no such columns
    levels: Mapping[tuple[int, int], int] | None = None  # of ancestors; None for no such column

    def columns(self, table: str) -> dict[str, str]:
        """The columns of a table of this database."""
        more: dict[str, str] = {}
        if table == "concept" and self.classes is not None:
            more = _CLASSES
        if table == "concept_ancestor" and self.levels is not None:
            more = _LEVELS
        return {**WITH_SOURCE[table], **more}

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """All rows, by the name of the table."""
        result: dict[str, list[tuple[object, ...]]] = {
            "person": list(self.persons),
            "observation_period": _numbered(self.periods),
            "condition_occurrence": _numbered(self.conditions),
            "drug_exposure": _numbered(self.drugs),
            "concept": list(self.concepts),
            "concept_ancestor": list(self.ancestors),
        }
        if self.sources is not None:
            result["cdm_source"] = list(self.sources)
        for table, rows in (
            ("procedure_occurrence", self.procedures),
            ("visit_occurrence", self.visits),
            ("measurement", self.measurements),
            ("observation", self.observations),
        ):
            if rows is not None:
                result[table] = _numbered(rows)
        if self.cohorts is not None:
            result["cohort"] = list(self.cohorts)
        if self.classes is not None:
            classes = self.classes
            result["concept"] = [(*r, *classes.get(r[0], ("", "S"))) for r in self.concepts]
        if self.levels is not None:
            levels = self.levels
            result["concept_ancestor"] = [
                (*r, levels.get(r, int(r[0] != r[1]))) for r in self.ancestors
            ]
        return result

    def frames(self) -> dict[str, pd.DataFrame]:
        """All rows as data frames, by the name of the table."""
        return {
            table: pd.DataFrame(
                {
                    name: pd.Series([row[i] for row in rows], dtype=_PANDAS[kind])
                    for i, (name, kind) in enumerate(self.columns(table).items())
                }
            )
            for table, rows in self.rows().items()
        }


def _numbered(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [(number, *row) for number, row in enumerate(rows, start=1)]
