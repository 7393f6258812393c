"""A rule list as a table in LaTeX."""

from __future__ import annotations

import re
from typing import Any

from elseif.export.line_cells import table_cells
from elseif.export.plain import header
from elseif.fitted_model import as_model
from elseif.showing.list_text import shown_labels
from elseif.visible import show_name

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
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "…": r"\ldots{}",
}
OPERATORS = ("=", "!=", "in", *(f"{LATEX[sign]}{more}" for sign in "<>" for more in ("", "=")))
OPERATORS += tuple(LATEX[sign] for sign in "≤≥≠")
PACKAGES = r"\usepackage{array,booktabs,longtable,tabularx}"
BREAK = r"\penalty100{}"  # within a word, where no space is as good
# of what probabilities are made of, in ems of Computer Modern
WIDTHS = {**dict.fromkeys("0123456789–", 0.5), ".": 0.28, "(": 0.39, ")": 0.39, " ": 0.34}
WIDEST, WIDTH_OF_HEADS, WIDTH_OF_COUNTS = 0.84, 2.7, 5.5
LINES_OF_A_PAGE, LETTERS_OF_A_LINE = 40, 30
LONG_WORD, PIECE = 12, 8  # longer words may be broken after this many letters
JOINT = re.compile(r"(?<=[_/.:])(?=[^_/.:])")  # where a long word is broken rather than anywhere
RAGGED_RIGHT = r">{\raggedright\arraybackslash}"
RAGGED_LEFT = r">{\raggedleft\arraybackslash}"


def to_latex(
    model: Any, which: str | None = None, level: float = 0.95, document: bool = False
) -> str:
    """The list as a table as wide as the line; with document=True a whole document.

    The table needs array, booktabs and tabularx; if it is longer than a page, longtable. Characters
    beyond Latin need XeLaTeX or LuaLaTeX and a font that has them.
    """
    model = as_model(model)
    rule_list = model.chosen_list(which)
    titles, rows = table_cells(rule_list, level)
    lines = [f"% {line}" for line in header(model, rule_list)]
    if document:
        lines += [r"\documentclass{article}", PACKAGES, r"\begin{document}"]
    else:
        lines += [f"% In the preamble: {PACKAGES}"]
    labels = [show_name(rule_list.metadata.label_names[p]) for p in shown_labels(rule_list)]
    several = len(labels) > 1
    lines += _label_by_label(labels, rows, level) if several else _side_by_side(titles, rows)
    if document:
        lines.append(r"\end{document}")
    return "\n".join(lines) + "\n"


def _side_by_side(titles: list[str], rows: list[list[str]]) -> list[str]:
    """A line for each rule."""
    n_lines = sum(_lines(row[1]) for row in rows)
    return _table(titles, [[_line(row)] for row in rows], [row[2] for row in rows], n_lines)


def _label_by_label(labels: list[str], rows: list[list[str]], level: float) -> list[str]:
    """A line for each label of each rule, since no page is wide enough for many labels."""
    groups = []
    for head, condition, *shares, n in rows:
        below = [
            rf" & \quad {latex_escaped(label)} & {latex_escaped(share)} & \\"
            for label, share in zip(labels, shares, strict=True)
        ]
        groups.append([_line([head, condition, "", n]), *below])
    titles = ["", "condition", f"probability ({100 * level:g}% interval)", "n"]
    n_lines = sum(_lines(row[1]) for row in rows) + len(rows) * sum(map(_lines, labels))
    return _table(titles, groups, [share for row in rows for share in row[2:-1]], n_lines)


def _lines(text: str) -> int:
    """Lines that a text takes in the widest column, at a guess."""
    return 1 + len(text) // LETTERS_OF_A_LINE


def _table(
    titles: list[str], groups: list[list[str]], shares: list[str], n_lines: int
) -> list[str]:
    """Groups of lines, with a little room between groups of more than one.

    The third column is as wide as its widest cell, so that a longer title is broken into lines.
    A table that is longer than a page goes on over the next.
    """
    widest = max(sum(WIDTHS.get(c, WIDEST) for c in share) for share in shares) + 0.1
    body = [_line(titles).replace(r"\% interval)", r"\%~interval)"), r"\midrule"]
    if n_lines <= LINES_OF_A_PAGE:
        condition, name = "X", r"tabularx}{\linewidth"
    else:
        others = widest + WIDTH_OF_HEADS + WIDTH_OF_COUNTS
        condition = rf"p{{\dimexpr\linewidth-6\tabcolsep-{others:.1f}em\relax}}"
        name, body = "longtable", [*body, r"\endhead"]
    columns = rf"l{RAGGED_RIGHT}{condition}{RAGGED_LEFT}p{{{widest:.1f}em}}r"
    for position, group in enumerate(groups):
        if position and len(group) > 1:
            body.append(r"\addlinespace")
        body += group
    start = rf"\noindent\begin{{{name}}}{{@{{}}{columns}@{{}}}}"
    return [start, r"\toprule", *body, r"\bottomrule", rf"\end{{{name.split('}')[0]}}}"]


def _line(cells: list[str]) -> str:
    return " & ".join(map(latex_escaped, cells)) + r" \\"


def latex_escaped(text: str) -> str:
    """Text that LaTeX prints literally; a word too wide for any column may be broken.

    No line ends between an operator and its value.
    """
    words = [_escaped_word(word) for word in text.split(" ")]
    parts = [f"{word}{'~' if word in OPERATORS else ' '}" for word in words[:-1]]
    return "".join([*parts, words[-1]])


def _escaped_word(word: str) -> str:
    if len(word) <= LONG_WORD:
        return _escaped(word)
    pieces = [piece for part in JOINT.split(word) for piece in _pieces(part)]
    return BREAK.join(map(_escaped, pieces))


def _pieces(part: str) -> list[str]:
    """A part between joints, cut where it is long."""
    if len(part) <= LONG_WORD:
        return [part]
    return [part[start : start + PIECE] for start in range(0, len(part), PIECE)]


def _escaped(text: str) -> str:
    escaped = "".join(LATEX.get(c, c) for c in text)
    # two hyphens would become a dash, two commas a quotation mark
    return re.sub(r"([-,])(?=\1)", r"\1{}", escaped).replace("–", "--")
