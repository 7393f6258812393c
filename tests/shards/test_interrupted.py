"""Ctrl-C while rows are in shards: what there is, as with rows on one machine."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import heed_interrupts


@pytest.mark.fault(50, "Ctrl-C during a fit whose rows are in shards",
                   "as in Python with rows in memory: the longest whole run, which `sample_more` "
                   "continues with the draws of an uninterrupted one")  # fmt: skip
def test_ctrl_c_gives_what_there_is() -> None:
    """Once: the last whole run, which goes on; again: the end of all chains.

    A worker that was started in the same terminal ends by the same Ctrl-C: it is not waited for.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.shards.interrupted"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        preexec_fn=heed_interrupts,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["500 interrupted", "lost 1 interrupted", "ended", "soon"]
