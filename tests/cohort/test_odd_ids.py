"""Ids of persons of types other than whole numbers, which some databases have."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pytest

from elseif.cohort import connect, extract
from elseif.errors import DatabaseError
from tests.cohort.extracting import N_PERSONS, make_database

TABLES = ("person", "observation_period", "condition_occurrence", "drug_exposure")


def with_ids(path: Path, ids: str) -> Path:
    """The little database with ids of persons made by an expression."""
    make_database(path)
    with duckdb.connect(str(path)) as connection:
        for table in TABLES:
            connection.execute(
                f"CREATE TABLE cdm.other AS SELECT * REPLACE ({ids} AS person_id) FROM cdm.{table}"
            )
            connection.execute(f"DROP TABLE cdm.{table}")
            connection.execute(f"ALTER TABLE cdm.other RENAME TO {table}")
    return path


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(38, 0)", "DECIMAL(20, 2)", "HUGEINT"])
def test_whole_numbers_of_any_type(tmp_path: Path, kind: str) -> None:
    """They are whole numbers, whatever their type could hold."""
    with connect(with_ids(tmp_path / "a.duckdb", f"CAST(person_id AS {kind})"), "cdm") as database:
        cohort = extract(database, "stroke")
    assert len(cohort) == N_PERSONS
    assert np.unique(cohort.person_ids).size == N_PERSONS


@pytest.mark.parametrize("kind", ["DOUBLE", "DECIMAL(20, 2)"])
def test_fractions_are_refused(tmp_path: Path, kind: str) -> None:
    """Rounded, they would make one person of several."""
    path = with_ids(tmp_path / "a.duckdb", f"CAST(person_id / 4.0 AS {kind})")
    with (
        connect(path, "cdm") as database,
        pytest.raises(DatabaseError, match="rows whose person_id is not a whole number"),
    ):
        extract(database, "stroke")
