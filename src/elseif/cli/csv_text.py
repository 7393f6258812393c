"""CSV that a spreadsheet shows and does not run."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

FORMULA_SIGNS = ("=", "+", "-", "@", "\t", "\r")


def csv_text(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns as CSV; a text that a spreadsheet would take for a formula gets a leading quote."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([harmless(name) for name in columns])
    for row in zip(*columns.values(), strict=True):
        writer.writerow([harmless(value) for value in row])
    return out.getvalue()


def harmless(value: object) -> object:
    """A cell that is no formula; numbers stay as they are."""
    if isinstance(value, str) and value.startswith(FORMULA_SIGNS):
        return f"'{value}"
    return value
