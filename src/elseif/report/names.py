"""Names in pages: escaped, shortened if long, with invisible characters spelt out."""

from __future__ import annotations

import re

from elseif.visible import show_name

LONGEST_SHOWN = 80
# a date, a number with an exponent
HYPHENATED = re.compile(r"\b(?:\d{4}-\d{2}-\d{2}|\d+(?:\.\d+)?e-\d+)\b")
WITH_UNDERSCORES = re.compile(r"[^\s_]+(?:_+[^\s_]+)+")
AFTER_UNDERSCORE = re.compile(r"(?<=_)(?=[^_])")
_BEFORE_VALUE = re.compile(r"(?<= )(<=|>=|!=|<|>|=|≤|≥|≠|in) (?=\S)")


def shown(name: object) -> str:
    """A name as a page prints it: shortened, with invisible characters spelt out."""
    return show_name(str(name), LONGEST_SHOWN)


def spelt_out(name: object) -> str:
    """The whole name, with invisible characters spelt out."""
    text = str(name)
    return show_name(text, len(text))


def unbroken(condition: str) -> str:
    """A condition whose lines are not broken between an operator and its value."""
    return _BEFORE_VALUE.sub("\\1\u00a0", condition)
