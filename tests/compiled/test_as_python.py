"""All of elseif.compiled runs as plain Python with NUMBA_DISABLE_JIT=1, and does the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def run(*command: str, as_python: bool) -> subprocess.CompletedProcess[str]:
    """A program of the repository's root, compiled or not."""
    return subprocess.run(
        [sys.executable, "-m", *command],
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": str(int(as_python))},
        capture_output=True,
        text=True,
        check=False,
    )


def test_draws_are_those_of_compiled_code() -> None:
    """Bit for bit: chains of every kernel, growing room, lazy covers, weights, mining, a sum."""
    compiled, python = (run("tests.compiled.draws", as_python=flag) for flag in (False, True))
    assert compiled.returncode == python.returncode == 0, compiled.stderr + python.stderr
    lines = python.stdout.splitlines()
    assert len(lines) == len(set(lines)) == 11
    assert lines == compiled.stdout.splitlines()


def test_exact_tests_hold_in_plain_python() -> None:
    """T0, T1 and the books of swaps, on pools of three antecedents (exact/conftest.py)."""
    done = run("pytest", "-q", "-n0", "tests/sampler/exact", as_python=True)
    assert done.returncode == 0, done.stdout
    assert "passed" in done.stdout
    assert "deselected" in done.stdout
