"""Text columns of numbers or dates, which have too many values to be categories."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from elseif.errors import ValuesShownWarning
from elseif.tables.date_texts import is_spelt_as_date

NUMBERS, DATES = "numbers", "dates"
SIGNED = "numbers with a sign, such as % or €"
SIGN = r"[%€$£¥]"
FEWEST = 20  # different values
MOST_ODD = 0.1  # of the values may be spelt otherwise
SPELLINGS = (
    (NUMBERS, re.compile(r"[+-]?\d+([.,]\d+)?").fullmatch, "numeric"),
    (DATES, is_spelt_as_date, "date"),
    (SIGNED, re.compile(rf"{SIGN}? ?[+-]?\d[\d.,]* ?{SIGN}?").fullmatch, ""),
)


@dataclass(frozen=True)
class Hidden:
    """What kind of values texts are, and which of them are not."""

    what: str
    kind: str
    odd: list[str]


def hidden_in(values: Sequence[Any]) -> Hidden | None:
    """Whether most texts among some values are numbers, or most are dates."""
    texts = [value for value in values if isinstance(value, str)]
    if not texts:
        return None
    for what, is_spelt_so, kind in SPELLINGS:
        odd = [text for text in texts if not is_spelt_so(text.strip())]
        if len(odd) <= MOST_ODD * len(texts):
            return Hidden(what, kind, odd)
    return None


def warn_of_hidden_numbers(name: str, categories: Sequence[Any]) -> None:
    """Warn of a column of text whose values are mostly numbers or dates."""
    if len(categories) < FEWEST:
        return
    hidden = hidden_in(categories)
    if hidden is not None:
        text = f"Column {name!r} is text, but its {len(categories)} values are {hidden.what}"
        to_read = f"Set kinds={{{name!r}: {hidden.kind!r}}} to have them read as such"
        if hidden.what == SIGNED:
            to_read = "Remove the signs to have them read as numbers"
        advice = f"{to_read}, or set kinds={{{name!r}: 'category'}}."
        beside = f" (but {hidden.odd[0]!r})" if hidden.odd else ""
        warnings.warn(
            ValuesShownWarning(f"{text}{beside}. {advice}", f"{text}. {advice}"), stacklevel=3
        )
