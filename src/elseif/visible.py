"""Text made safe for a terminal: control characters are spelt out."""

from __future__ import annotations

import re
import unicodedata

LONGEST_NAME = 200
_UNSEEN = re.compile(r"[^\x20-\x7e\xa1-\xac\xae-\u02ff]")  # where to look closer


def show_name(name: str, longest: int = LONGEST_NAME) -> str:
    """A name, category, label or path made safe for a terminal.

    Control characters are spelt out, and what is longer than ``longest`` is cut at an ellipsis.
    """
    return visible(name if len(name) <= longest else name[: longest - 1] + "…")


def show_ends(name: str, longest: int) -> str:
    """The same of a rule or a list, cut in its middle: its end has the value that it compares."""
    end = longest // 3
    cut = f"{name[: longest - end - 1]}…{name[-end:]}"
    return visible(name if len(name) <= longest else cut)


def visible(text: str, but: str = "") -> str:
    """The whole text with control characters spelt out, except for those in ``but``."""
    return _UNSEEN.sub(lambda match: match[0] if match[0] in but else _spelt_out(match[0]), text)


def is_unseen(character: str) -> bool:
    """Whether a character is a control, format (bidi, zero-width) or line-separating character."""
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp", "Cs")


def _spelt_out(character: str) -> str:
    if is_unseen(character):
        return character.encode("unicode_escape").decode("ascii")
    return character
