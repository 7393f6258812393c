"""Dates as people write them: year, day or month first, or the month by its English name."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence

import numpy as np

from elseif.tables.times import ISO_DATE, as_date

DAY_FIRST, MONTH_FIRST = "dmy", "mdy"
ORDERS = (DAY_FIRST, MONTH_FIRST)
DATE_ORDERS = "elseif: order of day and month"  # among the attributes of a data frame from a file
_TIME = r"(?:(?:[T,] ?| )(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<part>\d{1,9}))?)?(?: ?(?P<half>[AaPp])\.?[Mm]\.?)?)?"  # noqa: E501
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL = ("january", "february", "march", "april", "may", "june", "july", "august", "september",
         "october", "november", "december")  # fmt: skip
_MONTH = rf"(?P<month>{'|'.join([*_FULL, 'sept', *_MONTHS])})\.?"
# as ISO 8601 writes a date, with as much of a time as there is
YEAR_FIRST = re.compile(
    r"(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})" + _TIME, re.ASCII
)
# ... and a time with its zone
ZONED_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}\S*", re.ASCII)
YEAR_LAST = re.compile(
    r"(?P<first>\d{1,2})(?P<sep>[-/.])(?P<second_part>\d{1,2})(?P=sep)(?P<year>\d{4})" + _TIME,
    re.ASCII,
)
NAMED_MONTH = (
    re.compile(rf"(?P<day>\d{{1,2}})[ .-]?[ ]?{_MONTH}[ -]?(?P<year>\d{{4}})" + _TIME, re.I | re.A),
    re.compile(rf"{_MONTH} (?P<day>\d{{1,2}}),? (?P<year>\d{{4}})" + _TIME, re.I | re.A),
)
SHORT_YEAR = re.compile(r"(\d{1,2})([-/.])(\d{1,2})\2\d{2}", re.ASCII)


def is_spelt_as_date(text: str) -> bool:
    """Whether a text looks like a date with a full year, even if it is not in the calendar.

    "31.12.2021" and "31DEC2021" do, "31.12.21" does not.
    """
    return any(p.fullmatch(text) for p in (YEAR_FIRST, YEAR_LAST, *NAMED_MONTH, ZONED_TIME))


def has_short_year(text: str) -> bool:
    """Whether a text may be a date with a two-digit year."""
    match = SHORT_YEAR.fullmatch(text)
    if match is None:
        return False
    first, second = int(match[1]), int(match[3])
    return 1 <= min(first, second) <= 12 and max(first, second) <= 31


def short_format(texts: Iterable[str]) -> str:
    """How dates with two-digit years are written, by the signs of strptime."""
    matches = [one for text in texts if (one := SHORT_YEAR.fullmatch(text)) is not None]
    month_first = any(int(one[3]) > 12 for one in matches)
    return matches[0][2].join(["%m", "%d", "%y"] if month_first else ["%d", "%m", "%y"])


def possible_orders(texts: Iterable[str]) -> set[str]:
    """The orders of day and month in which all texts are dates, of those that begin with either.

    Texts with points are written day first unless that is impossible. An order that no text
    depends on, as in 05/05/2021 alone, is possible as well.
    """
    possible = set(ORDERS)
    texts = [text for text in texts if YEAR_LAST.fullmatch(text)]
    for text in texts:
        possible -= {order for order in tuple(possible) if not _is_date(text, order)}
    with_points = bool(texts) and all("." in text.partition(" ")[0] for text in texts)
    return {DAY_FIRST} if with_points and DAY_FIRST in possible else possible


def find_order(texts: Sequence[str], otherwise: Iterable[str | None] = ()) -> str | None:
    """The order of day and month ("dmy" or "mdy") in texts, or else the first of ``otherwise``.

    None if the dates depend on it and nothing shows it. If no order makes all texts dates, one of
    them all the same: the text that is not a date will be named in a message.
    """
    possible = possible_orders(texts)
    if len(possible) == 1:
        return next(iter(possible))
    if not possible or depends_on_order(texts) is None:
        return DAY_FIRST
    return next((order for order in otherwise if order is not None), None)


def shown_order(texts: Iterable[str]) -> str | None:
    """The order that dates with slashes or dashes show, which holds for others of their file."""
    possible = possible_orders(t for t in texts if "." not in t.partition(" ")[0])
    return next(iter(possible)) if len(possible) == 1 else None


def depends_on_order(texts: Iterable[str]) -> str | None:
    """A text that is another date with the month first than with the day first, if there is one."""
    for text in texts:
        match = YEAR_LAST.fullmatch(text)
        if match is not None and int(match["first"]) != int(match["second_part"]):
            return text
    return None


def parse_date(text: str, order: str = DAY_FIRST, written: str | None = None) -> np.datetime64:
    """Parse a date with a full year, or one as ``written`` says; ValueError if the text is not one.

    ``order`` decides what 03/04/2021 means; ``written`` is a format of ``strptime``. The result is
    to the microsecond, and times with a zone are converted to UTC.
    """
    if written is not None:
        try:
            return as_date(datetime.datetime.strptime(text, written))
        except ValueError:
            if not YEAR_FIRST.fullmatch(text):
                raise
    if ISO_DATE.fullmatch(text):
        return as_date(text)
    if (match := YEAR_FIRST.fullmatch(text)) is not None:
        return _date(match, int(match["month"]), int(match["day"]))
    if (match := YEAR_LAST.fullmatch(text)) is not None:
        first, second = int(match["first"]), int(match["second_part"])
        month, day = (second, first) if order == DAY_FIRST else (first, second)
        return _date(match, month, day)
    for pattern in NAMED_MONTH:
        if (match := pattern.fullmatch(text)) is not None:
            month = _MONTHS.index(match["month"].lower()[:3]) + 1
            return _date(match, month, int(match["day"]))
    if ZONED_TIME.fullmatch(text):
        return as_date(datetime.datetime.fromisoformat(text))
    raise ValueError(f"{text!r} is not a date")


def _is_date(text: str, order: str) -> bool:
    try:
        parse_date(text, order)
    except ValueError:
        return False
    return True


def _date(match: re.Match[str], month: int, day: int) -> np.datetime64:
    hour = int(match["hour"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError(f"{match[0]!r} is not a time")
        hour = hour % 12 + 12 * (match["half"].lower() == "p")
    part = (match["part"] or "").ljust(6, "0")[:6]
    return as_date(
        datetime.datetime(
            int(match["year"]),
            month,
            day,
            hour,
            int(match["minute"] or 0),
            int(match["second"] or 0),
            int(part),
        )
    )
