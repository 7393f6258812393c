"""Text that is numbers or dates: as categories, its values are too many to be conditions."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from elseif.errors import ValuesShownWarning

NUMBERS, DATES = "numbers", "dates"
FEWEST = 20  # different values
MOST_ODD = 0.1  # of the values may be spelt otherwise
SPELLINGS = (
    (NUMBERS, re.compile(r"[+-]?\d+([.,]\d+)?"), "pandas.to_numeric(..., errors='coerce')"),
    (DATES, re.compile(r"\d{4}-\d{2}-\d{2}.*|\d{1,2}[./]\d{1,2}[./]\d{4}"), "pandas.to_datetime"),
)


@dataclass(frozen=True)
class Hidden:
    """What texts are, how they are converted, and those that are not."""

    what: str
    remedy: str
    odd: list[str]


def hidden_in(values: Sequence[Any]) -> Hidden | None:
    """Whether most texts among some values are numbers, or most are dates."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts:
        return None
    for what, pattern, remedy in SPELLINGS:
        odd = [text for text in texts if not pattern.fullmatch(text.strip())]
        if len(odd) <= MOST_ODD * len(texts):
            return Hidden(what, remedy, odd)
    return None


def warn_of_hidden_numbers(name: str, categories: Sequence[Any]) -> None:
    """Warn of a column of text whose values are mostly numbers or dates."""
    if len(categories) < FEWEST:
        return
    hidden = hidden_in(categories)
    if hidden is not None:
        text = f"Column {name!r} is text, but its {len(categories)} values are {hidden.what}"
        advice = f"Convert it with {hidden.remedy}, or say kinds={{{name!r}: 'category'}}."
        beside = f" (but {hidden.odd[0]!r})" if hidden.odd else ""
        warnings.warn(
            ValuesShownWarning(f"{text}{beside}. {advice}", f"{text}. {advice}"), stacklevel=3
        )
