"""Conditions broken over lines: between words, and never next to an operator."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

OPERATORS = frozenset(["=", "≠", "<", "≤", ">", "≥", "in"])


def display_width(text: str) -> int:
    """Columns of a terminal that a text takes."""
    return sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int) -> str:
    """The text and as many blanks as fill a width."""
    return text + " " * (width - display_width(text))


def wrap(conditions: Sequence[str], width: int) -> list[str]:
    """Lines of at most a width, broken between conditions where that suffices."""
    lines = [""]
    for i, condition in enumerate(conditions):
        part = f"and {condition}" if i else condition
        longer = f"{lines[-1]} {part}".lstrip()
        if display_width(longer) <= width:
            lines[-1] = longer
            continue
        broken = [part] if display_width(part) <= width else wrap_words(_phrases(part), width)
        if not lines[-1]:
            lines.pop()
        lines += broken
    return lines


def wrap_words(words: Iterable[str], width: int) -> list[str]:
    """Lines of at most a width; only a word that is longer than a line is cut."""
    lines = [""]
    for word in words:
        longer = f"{lines[-1]} {word}".lstrip() if lines[-1] else word
        if display_width(longer) <= width:
            lines[-1] = longer
            continue
        if lines[-1]:
            lines.append("")
        *whole, rest = _cut(word, max(2, width))
        lines[-1:] = [*whole, rest]
    return lines


def _phrases(condition: str) -> list[str]:
    """Words of a condition, an operator with its neighbours: "potassium level", "≤ 3", ..."""
    phrases: list[str] = []
    for word in condition.split(" "):
        joins = phrases and (word in OPERATORS or phrases[-1].rpartition(" ")[2] in OPERATORS)
        if joins:
            phrases[-1] += f" {word}"
        else:
            phrases.append(word)
    return phrases


def _cut(phrase: str, width: int) -> list[str]:
    """Pieces of a phrase that is wider than a line: an operator goes with what follows it."""
    units: list[str] = []
    for word in phrase.split(" "):
        if units and units[-1] in OPERATORS:
            units[-1] += f" {word}"
        else:
            units.append(word)
    pieces = [""]
    for unit in units:
        longer = f"{pieces[-1]} {unit}" if pieces[-1] else unit
        if display_width(longer) <= width:
            pieces[-1] = longer
            continue
        if pieces[-1]:
            pieces.append("")
        for character in unit:
            if display_width(pieces[-1]) + _columns(character) > width:
                pieces.append("")
            pieces[-1] += character
    return pieces
