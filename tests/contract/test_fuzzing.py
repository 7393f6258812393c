"""Mutated model files, checkpoints, tables, YAML, requests, arguments: an error is a sentence.

Every trial can be made again by its name, which a fault tells: ``random.Random(name)`` draws the
same mutation. See tests/contract/fuzzing.py.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import elseif

ROOT = Path(__file__).parents[2]
# so many trials that all kinds together take about a minute
N_TRIALS = {
    "model": 1500,
    "definition": 1500,
    "yaml": 1500,
    "request": 1500,
    "table": 300,
    "arguments": 300,
    "checkpoint": 200,
}


@pytest.mark.fault(
    "",
    "randomly modified model files, checkpoints, tables, definitions, labels files, FHIR "
    "bindings, arguments and requests to a server",
    "an error is a one-line message with one of the [exit codes](cli.md), or one of the statuses "
    "of [the server](serving.md)",
)
@pytest.mark.slow
@pytest.mark.parametrize("kind", N_TRIALS)
def test_only_sentences_come_out(kind: str, tmp_path: Path) -> None:
    """No traceback, no code that is not documented, no hang, and memory within a limit."""
    source = Path(elseif.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "tests.contract.fuzzing", kind, "1", str(N_TRIALS[kind])],
        cwd=tmp_path,
        env={"PYTHONPATH": f"{source}:{ROOT}", "NUMBA_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    *faults, end = [json.loads(line) for line in done.stdout.splitlines()] or [None]
    assert done.returncode == 0, f"ended by {done.returncode}: {done.stderr[-2000:]}"
    assert not faults, faults[:20]
    assert end == {"done": N_TRIALS[kind]}
    assert not list(tmp_path.iterdir()), "a trial wrote into the current folder"
