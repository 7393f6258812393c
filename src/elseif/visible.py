"""Text made safe for a terminal: control characters are spelt out."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 200
_UNSEEN = re.compile(r"[^\x20-\x7e\xa1-\xac\xae-\u02ff]")  # where to look closer


def show_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name made safe for a terminal: shortened, with control characters spelt out.

    Parameters
    ----------
    name : str
        A name, a category, a label, a path: any text that somebody else wrote.
    longest : int
        Characters of the name to show; an ellipsis stands for the rest.

    Returns
    -------
    str
        The text to print.
    """
    return visible(name if len(name) <= longest else name[: longest - 1] + "…")


def visible(text: str, but: str = "") -> str:
    """The whole text, with control characters spelt out, except for those allowed.

    Parameters
    ----------
    text : str
        What is to be printed.
    but : str
        Control characters to keep, such as line ends.

    Returns
    -------
    str
        The text to print.
    """
    return _UNSEEN.sub(lambda match: match[0] if match[0] in but else _spelt_out(match[0]), text)


def is_unseen(character: str) -> bool:
    """Control, format (bidi overrides, zero-width) and line-separating characters.

    Parameters
    ----------
    character : str
        One character.

    Returns
    -------
    bool
        Whether the character is invisible.
    """
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def _spelt_out(character: str) -> str:
    if is_unseen(character):
        return character.encode("unicode_escape").decode("ascii")
    return character
