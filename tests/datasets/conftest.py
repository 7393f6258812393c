"""The database of R's nafld data, made once for all tests that look at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from elseif.datasets import NafldFacts, make_nafld_cdm


@pytest.fixture(scope="session")
def nafld(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, NafldFacts]:
    """The file, and what was written into it."""
    path = tmp_path_factory.mktemp("nafld") / "nafld.duckdb"
    return path, make_nafld_cdm(path)
