"""Enumerations in sentences, and texts cut to a length."""

from __future__ import annotations

from collections.abc import Sequence


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Texts as an enumeration, such as "a, b and c"."""
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def clipped(text: str, most: int) -> str:
    """A text clipped to a maximum length, with an ellipsis if it was longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
