"""The stroke cohort by plain SQL, written without a look at elseif.cohort."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd

COHORT = """
CREATE TEMP TABLE beneath AS
    SELECT ancestor_concept_id AS ancestor, descendant_concept_id AS id FROM concept_ancestor;
CREATE TEMP TABLE diagnosed AS
    SELECT person_id, min(condition_start_date) AS day
    FROM condition_occurrence
    WHERE condition_concept_id IN (SELECT id FROM beneath WHERE ancestor = 313217)
    GROUP BY person_id;
CREATE TEMP TABLE cohort AS
    SELECT DISTINCT person_id, day, year(day) - year_of_birth AS age,
           gender_concept_id = 8532 AS female
    FROM diagnosed JOIN person USING (person_id) JOIN observation_period USING (person_id)
    WHERE observation_period_start_date + 365 <= day AND observation_period_end_date >= day + 365;
CREATE TEMP TABLE event AS
    SELECT person_id, condition_concept_id AS id, condition_start_date AS event_day
    FROM condition_occurrence
    UNION ALL
    SELECT person_id, drug_concept_id, drug_exposure_start_date FROM drug_exposure;
CREATE TEMP TABLE feature AS
    SELECT DISTINCT person_id, id FROM cohort JOIN event USING (person_id)
    WHERE event_day < day AND id <> 0;
CREATE TEMP TABLE stroke AS
    SELECT DISTINCT person_id FROM cohort JOIN event USING (person_id)
    WHERE event_day BETWEEN day + 1 AND day + 365
    AND (id IN (372924, 375557, 441874) OR id IN (SELECT id FROM beneath WHERE ancestor = 443454));
"""


@contextmanager
def opened(path: Path, schema: str = "cdm") -> Iterator[duckdb.DuckDBPyConnection]:
    """A database to read, its tables named without the schema."""
    with duckdb.connect(str(path), read_only=True) as connection:
        connection.execute(f"SET search_path = '{schema}'")
        yield connection


def cohort(path: Path, schema: str = "cdm") -> tuple[pd.DataFrame, pd.DataFrame]:
    """Patients who qualify (age, sex, stroke), and their features by name, a row each."""
    with opened(path, schema) as connection:
        connection.execute(COHORT)
        people = connection.sql(
            "SELECT *, person_id IN (SELECT person_id FROM stroke) AS stroke FROM cohort "
            "ORDER BY person_id"
        ).df()
        features = connection.sql(
            "SELECT person_id, id, concept_name AS name FROM feature "
            "LEFT JOIN concept ON concept_id = id ORDER BY person_id, id"
        ).df()
    return people, features


def with_feature(people: pd.DataFrame, features: pd.DataFrame, name: str) -> np.ndarray:
    """Who of the patients has a feature."""
    return people["person_id"].isin(features.loc[features["name"] == name, "person_id"]).to_numpy()


def truth_of(condition: str, people: pd.DataFrame, features: pd.DataFrame) -> np.ndarray:
    """Whether a condition of a planted rule is true of each patient."""
    for operator in ("<=", ">"):
        column, result, bound = condition.partition(f" {operator} ")
        if result and column == "age":
            age = people["age"].to_numpy()
            return age <= int(bound) if operator == "<=" else age > int(bound)
    return with_feature(people, features, condition)
