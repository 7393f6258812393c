"""The rooms of pages are quick to enter."""

from __future__ import annotations

import subprocess
import sys

CODE = """
import sys
import elseif.report.page, elseif.report.calculator, elseif.report.explorer
heavy = {"jinja2", "numba", "sklearn", "matplotlib", "pandas", "pydantic"}
print(sorted(heavy & set(sys.modules)))
"""


def test_nothing_heavy_is_imported() -> None:
    """Jinja2 comes with the first page; the rest is not needed at all."""
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
