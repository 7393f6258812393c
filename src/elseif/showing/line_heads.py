"""The words that open the lines of a list: if, else if, else."""

from __future__ import annotations


def line_head(position: int, length: int) -> str:
    """The word that opens a line of a list, by its position and the number of rules."""
    if length == 0:
        return "always"
    return "else" if position == length else "if" if position == 0 else "else if"
