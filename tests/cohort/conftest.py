"""Engines that are started once a worker, and skipped with a reason where they cannot be had."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cohort.engines import DuckDBEngine, Engine, NotHere, PostgresServer, SparkEngine


@pytest.fixture(scope="session")
def duckdb_engine(tmp_path_factory: pytest.TempPathFactory) -> DuckDBEngine:
    return DuckDBEngine(tmp_path_factory.mktemp("duckdb"))


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    """A PostgreSQL server of this worker's own."""
    server = PostgresServer()
    try:
        _or_skip(server.start)
        yield server
    finally:
        server.stop()


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkEngine]:
    """Spark in local mode, in this worker's own process."""
    folder: Path = tmp_path_factory.mktemp("spark")
    made: list[SparkEngine] = []
    _or_skip(lambda: made.append(SparkEngine(folder)))
    yield made[0]
    made[0].stop()


@pytest.fixture(params=["duckdb", "postgresql", "spark"])
def engine(request: pytest.FixtureRequest) -> Engine:
    """Each engine in turn."""
    fixtures = {"duckdb": "duckdb_engine", "postgresql": "postgres", "spark": "spark"}
    return request.getfixturevalue(fixtures[request.param])


@pytest.fixture(params=["duckdb", "postgresql"])
def sql_engine(request: pytest.FixtureRequest) -> Engine:
    """The engines that answer in an instant, where Spark's dialect is not in question."""
    fixtures = {"duckdb": "duckdb_engine", "postgresql": "postgres"}
    return request.getfixturevalue(fixtures[request.param])


def _or_skip(start: Callable[[], None]) -> None:
    try:
        start()
    except NotHere as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow for what third parties do: pyspark drops sockets, ibis calls DuckDB by an old name."""
    for item in items:
        if Path(__file__).parent not in item.path.parents:
            continue
        item.add_marker(
            pytest.mark.filterwarnings(
                r"ignore:fetch_arrow_table\(\) is deprecated:DeprecationWarning:ibis\."
            )
        )
        # what vocabularies and cohorts lack is said, and these are as small as can be
        for message in ("The table concept_ancestor of .* has no row", "Nobody in the cohort has"):
            item.add_marker(pytest.mark.filterwarnings(f"ignore:{message}:UserWarning"))
        if "spark" in item.name:
            for message in ("unclosed <socket", "Exception ignored in. <socket"):
                item.add_marker(pytest.mark.filterwarnings(f"ignore:{message}"))
