"""A rule list as a table in LaTeX."""

from __future__ import annotations

import re
from typing import Any

from elseif.export.line_cells import table_cells
from elseif.export.plain import chosen_list, header
from elseif.fitted_model import as_model

LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\char34{}",
    "'": r"\char39{}",
    "`": r"\char96{}",
}


def to_latex(model: Any, which: str = "point", level: float = 0.95, document: bool = False) -> str:
    """The list as a LaTeX table without packages; with document=True a whole document.

    Characters beyond Latin need XeLaTeX or LuaLaTeX and a font that has them.
    """
    model = as_model(model)
    rule_list = chosen_list(model, which)
    titles, rows = table_cells(rule_list, level)
    lines = [f"% {line}" for line in header(model, rule_list, which)]
    if document:
        lines += [r"\documentclass{article}", r"\begin{document}"]
    lines += [r"\begin{tabular}{lp{0.4\textwidth}" + "r" * (len(titles) - 2) + "}", r"\hline"]
    lines += [" & ".join(map(latex_escaped, titles)) + r" \\", r"\hline"]
    lines += [" & ".join(map(latex_escaped, row)) + r" \\" for row in rows]
    lines += [r"\hline", r"\end{tabular}"]
    if document:
        lines.append(r"\end{document}")
    return "\n".join(lines) + "\n"


def latex_escaped(text: str) -> str:
    """Text that LaTeX sets as it is."""
    escaped = "".join(LATEX.get(c, c) for c in text)
    # two hyphens would become a dash, two commas a quotation mark
    return re.sub(r"([-,])(?=\1)", r"\1{}", escaped).replace("–", "--")
