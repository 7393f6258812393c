"""The tables of a small OMOP database as rows, and as data frames."""

from __future__ import annotations

from collections.abc import Sequence
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
WITH_SOURCE = {**COLUMNS, "cdm_source": {"cdm_source_name": "text"}}
_PANDAS = {"integer": "Int64", "date": "object", "text": "object"}


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

    def rows(self) -> dict[str, list[tuple[object, ...]]]:
        """All rows, by the name of the table."""
        found: dict[str, list[tuple[object, ...]]] = {
            "person": list(self.persons),
            "observation_period": _numbered(self.periods),
            "condition_occurrence": _numbered(self.conditions),
            "drug_exposure": _numbered(self.drugs),
            "concept": list(self.concepts),
            "concept_ancestor": list(self.ancestors),
        }
        if self.sources is not None:
            found["cdm_source"] = list(self.sources)
        return found

    def frames(self) -> dict[str, pd.DataFrame]:
        """All rows as data frames, by the name of the table."""
        return {
            table: pd.DataFrame(
                {
                    name: pd.Series([row[i] for row in rows], dtype=_PANDAS[kind])
                    for i, (name, kind) in enumerate(WITH_SOURCE[table].items())
                }
            )
            for table, rows in self.rows().items()
        }


def _numbered(rows: Sequence[tuple[object, ...]]) -> list[tuple[object, ...]]:
    return [(number, *row) for number, row in enumerate(rows, start=1)]
