"""CSV that is safe to open in a spreadsheet: no cell is run as a formula."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping, Sequence

FORMULA_SIGNS = "=+-@\N{MINUS SIGN}"


def csv_text(columns: Mapping[str, Sequence[object]]) -> str:
    """Columns as CSV; a text that a spreadsheet would take for a formula gets a leading quote."""
    out = io.StringIO()
    plain = csv.writer(out, lineterminator="\n")
    # a carriage return ends a line too, but some releases of Python leave it without quotes
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in [tuple(columns), *zip(*columns.values(), strict=True)]:
        has_return = any(isinstance(value, str) and "\r" in value for value in row)
        (quoted if has_return else plain).writerow([harmless(value) for value in row])
    return out.getvalue()


def harmless(value: object) -> object:
    """A cell that is not read as a formula; numbers are unchanged."""
    return f"'{value}" if isinstance(value, str) and _may_be_formula(value) else value


def _may_be_formula(text: str) -> bool:
    """Whether a text begins with a sign of a formula, in any width, or with a control character.

    What is not seen, such as a byte order mark, may be dropped before the text is looked at.
    """
    for character in text:
        category = unicodedata.category(character)
        if category == "Cf":
            continue
        return category == "Cc" or unicodedata.normalize("NFKC", character)[0] in FORMULA_SIGNS
    return False
