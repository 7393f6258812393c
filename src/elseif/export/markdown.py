"""A rule list as a table in Markdown."""

from __future__ import annotations

import re
from typing import Any

from elseif.export.line_cells import table_cells
from elseif.export.plain import chosen_list, header
from elseif.fitted_model import as_model

# what mark-up is made of inside a cell, mentions, mathematics and bare addresses included
MARKDOWN = re.compile(r"([\\`*_\[\]<>|&~$:@^]|(?<=www)\.)", re.IGNORECASE)


def to_markdown(model: Any, which: str = "point", level: float = 0.95) -> str:
    """The list as a table in Markdown, with nothing in a name taken for mark-up."""
    model = as_model(model)
    rule_list = chosen_list(model, which)
    titles, rows = table_cells(rule_list, level)
    lines = [
        "| " + " | ".join(map(markdown_escaped, titles)) + " |",
        "|" + "|".join([" --- ", " --- "] + [" ---: "] * (len(titles) - 2)) + "|",
    ]
    lines += ["| " + " | ".join(map(markdown_escaped, row)) + " |" for row in rows]
    notes = " ".join(header(model, rule_list, which))
    return "\n".join([*lines, "", markdown_escaped(notes)]) + "\n"


def markdown_escaped(text: str) -> str:
    """Text that Markdown shows as it is; a blank that would vanish is kept."""
    escaped = MARKDOWN.sub(r"\\\1", text)
    return re.sub(r"^ | $|(?<= ) ", "&#32;", escaped)
