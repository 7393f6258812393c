"""Checks of values given by users; errors say what was found and what is allowed."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable
from numbers import Integral, Real
from typing import Any

from elseif.errors import ParamError, ParamTypeError

LARGEST_NUMBER = 1.7976931348623157e308  # of 64 bits
SHORTEST_PART = 3  # characters of a part of a name by which the whole is found
LONGEST_MISSPELT = 1_000  # characters of a name that is compared with others, letter by letter
SCHEMA_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]{0,62}")


def is_number(value: Any, sort: type = Real) -> bool:
    """Whether a value is a number; unlike in Python, booleans and NumPy durations are not."""
    return isinstance(value, sort) and type(value).__name__ not in ("bool", "timedelta64")


def check_number(name: str, value: Any) -> None:
    """A number of any size."""
    if not is_number(value):
        raise ParamTypeError(f"{name} is {value!r}; it must be a number.")


def check_positive(name: str, value: Any) -> None:
    """A finite number above 0."""
    check_number(name, value)
    if not 0 < value <= LARGEST_NUMBER:
        raise ParamError(f"{name} is {shortened(value)}; it must be finite and above 0.")


def check_count(name: str, value: Any, at_least: int = 1, at_most: int | None = None) -> None:
    """A whole number within bounds."""
    if not is_number(value, Integral):
        raise ParamTypeError(f"{name} is {value!r}; it must be a whole number.")
    if int(value) < at_least:
        raise ParamError(f"{name} is {shortened(value)}; it must be {at_least} or more.")
    if at_most is not None and int(value) > at_most:
        raise ParamError(f"{name} is {shortened(value)}; it must be {at_most:,} or less.")


def check_share(name: str, value: Any) -> None:
    """A number between 0 and 1."""
    check_number(name, value)
    if not 0 < value < 1:
        raise ParamError(f"{name} is {shortened(value)}; it must be between 0 and 1.")


def check_one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    """One of a few words."""
    if not isinstance(value, str) or value not in allowed:
        raise ParamError(f"{name} is {value!r}; it must be one of {', '.join(map(repr, allowed))}.")


def check_flag(name: str, value: Any) -> None:
    """Raise unless a value is True or False: a word such as "no" would count as true."""
    # NumPy's booleans are no integers, and NumPy is not loaded for a check
    if not isinstance(value, (bool, Integral)) and type(value).__name__ not in ("bool_", "bool"):
        raise ParamTypeError(f"{name} is {value!r}; it must be True or False.")


def check_schema(schema: Any) -> None:
    """Raise unless a name is a valid schema name in every database."""
    if not isinstance(schema, str):
        raise ParamTypeError(f"The name of a schema must be text, not a {type(schema).__name__}.")
    if not SCHEMA_NAME.fullmatch(schema):
        raise ParamError(
            f"{schema!r:.80} is not a valid schema name: it must begin with a letter or an "
            "underscore and continue with letters, digits, _ or $, 63 characters at most."
        )


def shortened(value: Any) -> str:
    """A number as text, shortened if it has very many digits."""
    return f"{value!r:.60}"


def check_level(level: Any) -> None:
    """The level of a credible interval: a number between 0 and 1."""
    if not isinstance(level, Real) or not 0 < float(level) < 1:
        raise ParamError(f"level is {level!r}; it must be between 0 and 1.")


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most similar to a misspelt one.

    Case, blanks and punctuation do not count. A name that is spelt nearly the same comes first,
    then one that begins with the name or contains it, if it is the only one, then one that is
    somewhat similar: "stoke" gives "stroke", "sepsis" gives "Sepsis within 30 d".
    """
    folded: dict[str, str] = {}
    for each in known:
        folded.setdefault(_folded(each), each)
    wanted = _folded(name)
    if len(wanted) > LONGEST_MISSPELT:
        return None
    near = difflib.get_close_matches(wanted, folded, n=5, cutoff=0.8)
    if near:  # letters in another order are the likeliest slip: lable is label, not table
        return folded[min(near, key=lambda each: sorted(each) != sorted(wanted))]
    parts = (str.startswith, _holds_words, _is_held_by, _holds)
    for is_like in parts if len(wanted) >= SHORTEST_PART else ():
        alike = [each for key, each in folded.items() if key and is_like(key, wanted)]
        if alike:
            return alike[0] if len(alike) == 1 else None
    near = difflib.get_close_matches(wanted, folded, n=1, cutoff=0.6)
    return folded[near[0]] if near else None


def _folded(name: str) -> str:
    return " ".join(re.findall(r"[^\W_]+", str(name).casefold()))


def _holds_words(key: str, wanted: str) -> bool:
    return f" {wanted} " in f" {key} "


def _is_held_by(key: str, wanted: str) -> bool:
    return len(key) >= SHORTEST_PART and f" {key} " in f" {wanted} "


def _holds(key: str, wanted: str) -> bool:
    return wanted in key


def did_you_mean(name: str, known: Iterable[str], most: int = 5) -> str:
    """A hint for an unknown name: the most similar known one, or some of those that exist."""
    names = list(known)
    near = nearest_name(name, names)
    if near is not None:
        return f"did you mean {near!r:.100}?"
    shown = ", ".join(f"{each!r:.60}" for each in names[:most])
    return (
        f"there are {shown}{', ...' if len(names) > most else ''}." if names else "there is none."
    )
