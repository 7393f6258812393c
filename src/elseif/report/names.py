"""Names in pages: never parsed, shown whole or shortened, invisible characters spelt out."""

from __future__ import annotations

from elseif.visible import show_name

LONGEST_SHOWN = 80


def shown(name: object) -> str:
    """A name as a page prints it: shortened, with invisible characters spelt out."""
    return show_name(str(name), LONGEST_SHOWN)


def spelt_out(name: object) -> str:
    """The whole name, with invisible characters spelt out."""
    text = str(name)
    return show_name(text, len(text))
