"""FEEL, the language of DMN: names, literals, and conditions as unary tests.

All conditions of a rule on one column become one cell of a decision table. Their conjunction is
worked out here, so that a cell needs no more than S-FEEL, which every engine has: values or ranges
set apart by commas, of which one must be true, or ``null``. A missing value is null, of which no
comparison is true.
"""

from __future__ import annotations

import operator
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.condition import (
    ABOVE,
    AT_LEAST,
    AT_MOST,
    BELOW,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
)
from elseif.export.plain import DATE, NUMBER, Test, date_parts
from elseif.visible import is_unseen

ANY = "-"
KEYWORDS = frozenset([
    "and", "between", "context", "date", "duration", "else", "every", "external", "false", "for",
    "function", "if", "in", "instance", "list", "not", "null", "of", "or", "return", "satisfies",
    "some", "then", "time", "true",
])  # fmt: skip
LONGEST_NAME = 60
ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t"}
COMPARISONS = {
    ABOVE: operator.gt,
    AT_LEAST: operator.ge,
    BELOW: operator.lt,
    AT_MOST: operator.le,
    UNEQUAL: operator.ne,
}


# ------------------------------------------------------------------------ names and literals


def feel_names(columns: Iterable[str], taken: Iterable[str]) -> dict[str, str]:
    """A name in FEEL for each column: its own where FEEL can write it, else one made of it."""
    columns, names = list(columns), dict[str, str]()
    used = {name.casefold() for name in taken} | KEYWORDS
    for column in columns:  # those that keep their names come first
        if re.fullmatch(r"[A-Za-z_]\w{0,59}", column, re.ASCII) and column.casefold() not in used:
            names[column] = column
            used.add(column.casefold())
    for column in columns:
        if column not in names:
            names[column] = _new_name(column, used)
            used.add(names[column].casefold())
    return names


def _new_name(column: str, used: set[str]) -> str:
    plain = unicodedata.normalize("NFKD", column).encode("ascii", "ignore").decode()
    word = re.sub(r"\W+", "_", plain, flags=re.ASCII).strip("_")[:LONGEST_NAME]
    word = word if re.match(r"[A-Za-z]", word) else f"input_{word}".rstrip("_")
    if word.casefold() not in used:
        return word
    return next(
        made for k in range(2, len(used) + 3) if (made := f"{word}_{k}").casefold() not in used
    )


def feel_number(value: float) -> str:
    """A number with all its digits and without an exponent."""
    return np.format_float_positional(value, trim="-")


def feel_text(text: str) -> str:
    """Text in quotes, with what cannot be seen spelt out."""
    return '"' + "".join(map(_feel_character, text)) + '"'


def _feel_character(character: str) -> str:
    if character in ESCAPES:
        return ESCAPES[character]
    if not is_unseen(character):
        return character
    code = ord(character)
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:06x}"


def feel_value(value: Any) -> str:
    """A truth value, number, date or text as FEEL writes it."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, np.datetime64):
        text = date_parts(value).replace(" ", "T").removesuffix(".000000")
        return f'date and time("{text}")'
    if isinstance(value, int):
        return str(value)
    return feel_number(value) if isinstance(value, float) else feel_text(value)


# ------------------------------------------------------------------------------- unary tests


@dataclass(frozen=True)
class _Range:
    """Values between two ends, each with whether it belongs; None is no end."""

    low: Any = None
    high: Any = None
    has_low: bool = False
    has_high: bool = False

    def text(self) -> str:
        if self.low is None:
            return f"{'<=' if self.has_high else '<'} {feel_value(self.high)}"
        if self.high is None:
            return f"{'>=' if self.has_low else '>'} {feel_value(self.low)}"
        ends = "[" if self.has_low else "(", "]" if self.has_high else ")"
        return f"{ends[0]}{feel_value(self.low)}..{feel_value(self.high)}{ends[1]}"

    @property
    def is_empty(self) -> bool:
        if self.low is None or self.high is None:
            return False
        return self.low > self.high or (
            self.low == self.high and not (self.has_low and self.has_high)
        )


def unary_test(tests: Sequence[Test]) -> str | None:
    """All tests on one column as one cell; None where no value makes all of them true."""
    missing = [test for test in tests if test.operator == MISSING]
    if not tests:
        return ANY
    if missing:
        return "null" if len(missing) == len(tests) else None
    sets = [_values(test) for test in tests if test.operator in (ONE_OF, TRUE, FALSE)]
    others = [test for test in tests if test.operator in COMPARISONS]
    if sets:
        kept = [value for value in sets[0] if all(value in each for each in sets[1:])]
        kept = [v for v in kept if all(COMPARISONS[t.operator](v, t.value) for t in others)]
        return ", ".join(map(feel_value, dict.fromkeys(kept))) or None
    if tests[0].sort in (NUMBER, DATE):
        return ", ".join(each.text() for each in _ranges(others)) or None
    excluded = ", ".join(dict.fromkeys(feel_value(test.value) for test in others))
    return f"not(null, {excluded})"  # of a missing value, "unequal" is not true


def _values(test: Test) -> tuple[Any, ...]:
    return test.values if test.operator == ONE_OF else (test.operator == TRUE,)


def _ranges(tests: Sequence[Test]) -> list[_Range]:
    """Numbers or dates that make comparisons true: a range, broken where a value is unequal."""
    lows = [(t.value, t.operator == ABOVE) for t in tests if t.operator in (ABOVE, AT_LEAST)]
    highs = [(t.value, t.operator == AT_MOST) for t in tests if t.operator in (BELOW, AT_MOST)]
    low, is_above = max(lows, default=(None, True))  # of equal ends the stricter
    high, is_at_most = min(highs, default=(None, False))
    ranges, rest = [], _Range(low, high, not is_above, is_at_most)
    for value in sorted({t.value for t in tests if t.operator == UNEQUAL}):
        ranges.append(_cut_high(rest, value))
        rest = _cut_low(rest, value)
    return [each for each in (*ranges, rest) if not each.is_empty]


def _cut_high(whole: _Range, value: Any) -> _Range:
    """The part of a range below a value."""
    if whole.high is not None and whole.high < value:
        return whole
    return _Range(whole.low, value, whole.has_low, False)


def _cut_low(whole: _Range, value: Any) -> _Range:
    """The part of a range above a value."""
    if whole.low is not None and whole.low > value:
        return whole
    return _Range(value, whole.high, False, whole.has_high)
