"""A small study of stroke, run once by the program itself, for all tests that look at it."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.program import PROGRAM

SMALL = ["--patients", "300", "--folds", "2", "--only", "BRL,CHADS2,CHA2DS2-VASc,CART"]
TIMES = {"times", "seconds", "cpu_seconds", "command"}


@dataclass(frozen=True)
class Study:
    """A study that has been run: its folder, and what it printed."""

    out: Path
    stdout: str
    stderr: str

    def cohort_folder(self) -> Path:
        """The one cohort that was extracted."""
        (folder,) = self.out.glob("cohort-*")
        return folder

    def results(self) -> dict[str, Any]:
        return json.loads((self.out / "results.json").read_text("utf-8"))


def program(*arguments: object) -> subprocess.CompletedProcess[str]:
    """The program in a process of its own."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
    )


def without_times(result: Any) -> Any:
    """Results but for what differs from run to run."""
    if isinstance(result, dict):
        return {k: without_times(v) for k, v in result.items() if k not in TIMES}
    return [without_times(v) for v in result] if isinstance(result, list) else result


@pytest.fixture(scope="session")
def small_study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """300 synthetic patients, two folds, the list, both scores and one other classifier."""
    out = tmp_path_factory.mktemp("study") / "stroke"
    done = program("study", "stroke", "--out", out, *SMALL)
    assert done.returncode == 0, done.stderr
    return Study(out, done.stdout, done.stderr)
