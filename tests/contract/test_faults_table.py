"""The table of faults in the documentation is the one that the tests make."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "scripts" / "write_faults.py"


def test_the_table_is_current() -> None:
    if not SCRIPT.exists():
        pytest.skip("installed without the scripts of the repository")
    spec = importlib.util.spec_from_file_location("write_faults", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = script  # where dataclasses look
    spec.loader.exec_module(script)
    faults = script.faults()
    assert len(faults) > 50
    assert {f"{n}" for n in range(49, 57)} <= {fault.number for fault in faults}
    current = script.PAGE.read_text(encoding="utf-8")
    assert current == script.page(), "run python scripts/write_faults.py"
