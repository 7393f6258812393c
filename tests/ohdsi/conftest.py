"""The engines of the cohort's tests."""

from __future__ import annotations

from tests.cohort.conftest import duckdb_engine, postgres, spark, sql_engine

__all__ = ["duckdb_engine", "postgres", "spark", "sql_engine"]
