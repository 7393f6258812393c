"""A rule list as a table in Markdown."""

from __future__ import annotations

import re
from typing import Any

from elseif.export.line_cells import table_cells
from elseif.export.plain import header
from elseif.fitted_model import as_model

# What would be mark-up inside a cell, and only there: "age <= 60" and "heart_rate" need nothing.
MARKDOWN = re.compile(
    r"""
    [\\`*|~$^]                # code, emphasis, the next cell, strike-through, mathematics
    | (?<![^\W_])_ | _(?![^\W_])  # emphasis, which begins and ends at the edge of a word
    | \[(?=.*\])              # a link or a footnote
    | <(?=[A-Za-z/!?])        # a tag or an address
    | &(?=\#?\w+;)            # an entity
    | :(?=//|[\w+-]+:)        # an address or a picture such as :smile:
    | @(?=\w)                 # a person
    | (?<=www)\.
    """,
    re.IGNORECASE | re.VERBOSE,
)
WIDEST = 60  # a longer cell is not waited for by the others of its column


def to_markdown(model: Any, which: str | None = None, level: float = 0.95) -> str:
    """The list as a table in Markdown, with nothing in a name taken for mark-up."""
    model = as_model(model)
    rule_list = model.chosen_list(which)
    titles, rows = table_cells(rule_list, level)
    cells = [[markdown_escaped(cell) for cell in row] for row in (titles, *rows)]
    widths = [_width([row[k] for row in cells]) for k in range(len(titles))]
    numbers = [k > 1 for k in range(len(titles))]  # which are right-aligned
    rule = ["-" * (width - is_number) for width, is_number in zip(widths, numbers, strict=True)]
    rule = [
        f"{line}:" if is_number else line for line, is_number in zip(rule, numbers, strict=True)
    ]
    lines = [_line(row, widths, numbers) for row in (cells[0], rule, *cells[1:])]
    notes = " ".join(header(model, rule_list))
    return "\n".join([*lines, "", markdown_escaped(notes)]) + "\n"


def _width(cells: list[str]) -> int:
    return max(3, *(len(cell) for cell in cells if len(cell) <= WIDEST), 3)


def _line(cells: list[str], widths: list[int], numbers: list[bool]) -> str:
    """One line, readable as plain text: cells below each other."""
    parts = zip(cells, widths, numbers, strict=True)
    padded = [cell.rjust(width) if right else cell.ljust(width) for cell, width, right in parts]
    return f"| {' | '.join(padded)} |"


def markdown_escaped(text: str) -> str:
    """Text that Markdown shows literally; blanks that would be collapsed are kept."""
    escaped = MARKDOWN.sub(r"\\\g<0>", text)
    return re.sub(r"^ | $|(?<= ) ", "&#32;", escaped)
