"""Checks of the values in a cohort definition, each with a message."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Any

from elseif.checks import did_you_mean
from elseif.errors import ParamError, ParamTypeError

LARGEST_ID = 2**31 - 1  # concept ids are integers of the common data model
LONGEST_SPAN = 36_525  # days: a hundred years
ANY = "any"
_NAME = re.compile(r"[a-z][a-z0-9_]*")

Window = tuple[int | None, int]  # first and last day from the index date; None for any time before
ANY_TIME_BEFORE: Window = (None, -1)


def as_tuple(key: str, value: Any) -> tuple[Any, ...]:
    """A sequence of values, but not a text."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParamTypeError(f"{key} must be a list, not {value!r:.80}.")
    return tuple(value)


def check_whole(what: str, value: Any, least: int, most: int) -> None:
    """A whole number in a range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise ParamTypeError(f"{what} must be a whole number, not {value!r:.80}.")
    if not least <= value <= most:
        raise ParamError(f"{what} must be between {least:,} and {most:,}, not {value:,}.")


def check_text(what: str, value: Any) -> None:
    """One line of text."""
    if not isinstance(value, str):
        raise ParamTypeError(f"{what} must be text, not {value!r:.80}.")
    if not value.strip() or not value.isprintable():
        raise ParamError(f"{what} must be one line of text, not {value!r:.80}.")


def check_name(what: str, value: Any) -> None:
    """A name that can be a column's."""
    check_text(what, value)
    if not _NAME.fullmatch(value) or len(value) > 63:
        raise ParamError(
            f"{what} must consist of lower-case letters, digits and underscores, begin with a "
            f"letter, and have at most 63 characters; {value!r:.100} does not."
        )


def check_flag(what: str, value: Any) -> None:
    """True or False."""
    if not isinstance(value, bool):
        raise ParamTypeError(f"{what} must be True or False, not {value!r:.100}.")


def check_choice(what: str, value: Any, known: Collection[str]) -> None:
    """One of a few words."""
    if not isinstance(value, str):
        raise ParamTypeError(f"{what} must be one of {', '.join(known)}, not {value!r:.80}.")
    if value not in known:
        raise ParamError(
            f"{what} must be one of {', '.join(known)}, not {value!r:.80}{_hint(value, known)}"
        )


def _hint(value: str, known: Collection[str]) -> str:
    said = did_you_mean(value, known)
    return f"; {said}" if said.startswith("did") else "."


def read_choices(what: str, value: Any, known: Collection[str]) -> tuple[str, ...]:
    """One word or several, each once, in the order in which they are known."""
    choices = (value,) if isinstance(value, str) else as_tuple(what, value)
    for each in choices:
        check_choice(what, each, known)
    if not choices or len(set(choices)) < len(choices):
        raise ParamError(f"{what} must have each of its words once, not {list(choices)!r:.80}.")
    return tuple(each for each in known if each in choices)


def read_range(
    what: str, value: Any, least: int, most: int
) -> tuple[int | None, int | None] | None:
    """Two whole numbers, either of which may be open; None for no range."""
    if value is None:
        return None
    ends = as_tuple(what, value)
    if len(ends) != 2:
        raise ParamError(
            f"{what} must be two numbers, the least and the most, not {list(ends)!r:.80}."
        )
    for end in ends:
        if end is not None:
            check_whole(f"{what}: each", end, least, most)
    if ends == (None, None):
        raise ParamError(f"{what} must have a least or a most; leave it out for neither.")
    if None not in ends and ends[0] > ends[1]:
        raise ParamError(f"{what} must begin with the least, which {list(ends)} does not.")
    return ends[0], ends[1]


def read_window(what: str, value: Any, latest: int = -1) -> Window:
    """Days before the index date: "any", or the first and the last of them."""
    if value == ANY:
        return ANY_TIME_BEFORE
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise ParamTypeError(
            f"{what} must be 'any' or two days such as [-365, -1], not {value!r:.80}."
        )
    days = tuple(value)
    if len(days) != 2:
        raise ParamError(f"{what} must be two days, the first and the last, not {days!r:.80}.")
    first, last = days
    check_whole(f"{what}: its last day", last, -LONGEST_SPAN, latest)
    if first in (None, ANY):
        return None, last
    check_whole(f"{what}: its first day", first, -LONGEST_SPAN, last)
    return first, last


def window_as_data(window: Window) -> str | list[Any]:
    """A window as a definition file has it."""
    if window == ANY_TIME_BEFORE:
        return ANY
    return [ANY if window[0] is None else window[0], window[1]]


def window_text(window: Window) -> str:
    """A window in words, to follow what was recorded."""
    first, last = window
    if first is None:
        return {-1: "any time before", 0: "on or before"}.get(last, f"by day {last}")
    if last == -1:
        return f"in the {-first:,} days before" if first != -1 else "on the day before"
    if last == 0:
        return f"in the {-first:,} days before or on" if first else "on"
    return f"on days {first} to {last} from"
