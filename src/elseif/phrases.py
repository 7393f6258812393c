"""Enumerations in sentences, and texts cut to a length."""

from __future__ import annotations

from collections.abc import Sequence


def joined(parts: Sequence[str], word: str = "and") -> str:
    """Texts as an enumeration, such as "a, b and c"."""
    return f"{', '.join(parts[:-1])} {word} {parts[-1]}" if len(parts) > 1 else "".join(parts)


def counted(n: float, one: str, several: str | None = None) -> str:
    """A number of things, such as "1 rule" or "2,000 rules"."""
    return f"{n:,.10g} {one if n == 1 else several or f'{one}s'}"


def clipped(text: str, most: int) -> str:
    """A text clipped to a maximum length, with an ellipsis if it was longer."""
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"
