"""One session of each engine for all tests of this folder, and what third parties do."""

import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engines.frames import in_engine

__all__ = ["in_engine"]


@pytest.fixture(autouse=True)
def _few_draws() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The chains have not converged")
        warnings.filterwarnings("ignore", ".*steady.*")
        yield


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow for sockets that pyspark drops and for old names of DuckDB's that ibis calls."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            for name in ("fetch_arrow_table", "fetch_record_batch"):
                said = rf"ignore:{name}\(\) is deprecated:DeprecationWarning"
                item.add_marker(pytest.mark.filterwarnings(said))
            if "spark" in item.name:
                for message in ("unclosed <socket", "Exception ignored in. <socket"):
                    item.add_marker(pytest.mark.filterwarnings(f"ignore:{message}"))
