"""A small OMOP database in a DuckDB file, for tests that need one and ask little of it."""

from __future__ import annotations

from pathlib import Path

import duckdb

N_PERSONS = 40
PASSWORD = "s3cret-pa55word"

TABLES = """
CREATE SCHEMA cdm;
CREATE TABLE cdm.person AS
  SELECT i::INTEGER person_id, CASE i % 3 WHEN 0 THEN 8532 WHEN 1 THEN 8507 ELSE 0 END
    ::INTEGER gender_concept_id, (1930 + i)::INTEGER year_of_birth FROM range(1, 41) t(i);
CREATE TABLE cdm.observation_period AS
  SELECT person_id, DATE '2010-01-01' observation_period_start_date,
    DATE '2015-12-31' observation_period_end_date FROM cdm.person;
CREATE TABLE cdm.condition_occurrence AS
  SELECT person_id, 313217::INTEGER condition_concept_id, DATE '2012-06-01' condition_start_date
    FROM cdm.person
  UNION ALL SELECT person_id, 443454, DATE '2012-06-02' FROM cdm.person WHERE person_id % 4 = 0
  UNION ALL SELECT person_id, 316139, DATE '2011-06-01' FROM cdm.person WHERE person_id % 2 = 0
  UNION ALL SELECT person_id, 7000, DATE '2012-06-01' FROM cdm.person
  UNION ALL SELECT person_id, 0, DATE '2011-06-01' FROM cdm.person WHERE person_id <= 5;
CREATE TABLE cdm.drug_exposure AS
  SELECT person_id, 8000::INTEGER drug_concept_id, DATE '2011-01-01' drug_exposure_start_date
    FROM cdm.person WHERE person_id % 5 = 0
  UNION ALL SELECT person_id, 8001, DATE '2011-01-01' FROM cdm.person WHERE person_id % 8 = 0;
CREATE TABLE cdm.concept AS SELECT * FROM (VALUES
  (313217, 'Atrial fibrillation'), (443454, 'Cerebral infarction'), (316139, 'Heart failure'),
  (8000, 'Aspirin')) AS t(concept_id, concept_name);
CREATE TABLE cdm.concept_ancestor AS
  SELECT concept_id ancestor_concept_id, concept_id descendant_concept_id FROM (
    SELECT concept_id FROM cdm.concept UNION SELECT * FROM (VALUES
      (316866), (201820), (373503), (4329847), (321052), (201826), (201254), (435216)
      ) AS t(concept_id));
"""


def make_database(path: Path) -> Path:
    """Forty persons with atrial fibrillation, of whom every fourth has a stroke."""
    with duckdb.connect(str(path)) as connection:
        connection.execute(TABLES)
    return path
