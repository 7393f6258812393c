"""One session of each engine for all tests of this folder, and what third parties do."""

from pathlib import Path

import pytest

from tests.engines.frames import in_engine

__all__ = ["in_engine"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Allow for sockets that pyspark drops and for an old name of DuckDB's that ibis calls."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(
                pytest.mark.filterwarnings(
                    r"ignore:fetch_arrow_table\(\) is deprecated:DeprecationWarning"
                )
            )
            if "spark" in item.name:
                for message in ("unclosed <socket", "Exception ignored in. <socket"):
                    item.add_marker(pytest.mark.filterwarnings(f"ignore:{message}"))
