"""What the cohort room loads, and what it says when something is not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import elseif.cohort
from elseif.cohort import connect, load_definition
from elseif.errors import ParamError
from tests.cohort.extracting import make_database

NAMES_ALONE = """
import sys
from elseif.cohort import *
import elseif.cli.main
heavy = {"ibis", "duckdb", "psycopg", "pyspark", "pyarrow", "yaml", "sklearn", "numba", "pandas"}
print(sorted(heavy & set(sys.modules)))
"""


def test_names_load_nothing_heavy() -> None:
    """Databases are loaded when one is opened, not when the room is entered."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", NAMES_ALONE],
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr


def test_public_names() -> None:
    """Each is there and says what it is."""
    assert dir(elseif.cohort) == sorted(elseif.cohort.__all__)
    for name in elseif.cohort.__all__:
        assert getattr(elseif.cohort, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = elseif.cohort.nonsense


@pytest.mark.parametrize("module", ["ibis", "duckdb", "pyarrow"])
def test_what_is_not_installed(
    module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sentence says what to install."""
    path = make_database(tmp_path / "omop.duckdb")
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ParamError, match=rf"needs {module}: pip install '\.\[omop\]'"):
        connect(path, "cdm")


def test_drivers_that_are_not_installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PostgreSQL, Spark and YAML each have their own."""
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(ParamError, match=r"A PostgreSQL database needs psycopg: pip install"):
        connect("postgresql://localhost/omop")
    with pytest.raises(ParamError, match=r"Spark needs pyspark: .*'\.\[omop,spark\]'"):
        connect(f"spark://{tmp_path}")
    with pytest.raises(ParamError, match="need PyYAML"):
        load_definition("stroke")
