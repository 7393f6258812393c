"""The first line of a text file: column names and separator."""

from __future__ import annotations

import csv
import re
from collections import Counter
from dataclasses import dataclass

from elseif.tables.text_source import TextLines

DELIMITERS = (",", ";", "\t", "|")
QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Header:
    """Names of the columns, what separates them, and fields at the end that have no name."""

    names: list[str]
    delimiter: str
    n_blank: int  # where every line ends with the delimiter

    @property
    def width(self) -> int:
        """Fields that every row must have."""
        return len(self.names) + self.n_blank


def read_header(lines: TextLines, given: str | None, usual: str) -> Header:
    """Read the first line; the delimiter is the usual one, unless the line has another."""
    line = next(lines, "")
    if line[:4].lower() == "sep=" and len(line.rstrip("\r\n")) == 5:  # which Excel heeds
        given, line = given or line[4], next(lines, "")
    if not line.strip():
        raise lines.empty()
    first = [line]
    while _ends_in_quotes("".join(first), given) and (more := next(lines, "")):
        first.append(more)
    delimiter = given or _delimiter("".join(first), usual)
    unread = iter(first)
    try:
        names = next(csv.reader(unread, delimiter=delimiter, strict=True))
    except csv.Error as error:
        raise lines.fault(1, None, in_words(error)) from error
    if list(unread):  # rows that would be lost
        raise lines.fault(1, None, "a quote in the names of the columns is not closed")
    n_named = max((i + 1 for i, name in enumerate(names) if name.strip()), default=len(names))
    names, n_blank = names[:n_named], len(names) - n_named
    nameless = [i + 1 for i, name in enumerate(names) if not name.strip()]
    if nameless:
        what = f"column {nameless[0]} has no name. Give it one in the first line"
        raise lines.fault(lines.n_read, None, what)
    doubled = sorted(name for name, n in Counter(names).items() if n > 1)
    if doubled:
        what = f"the column name {doubled[0]!r} occurs twice. Give one of the two another name"
        raise lines.fault(lines.n_read, None, what)
    return Header(names, delimiter, n_blank)


def _ends_in_quotes(text: str, given: str | None) -> bool:
    """Whether a quoted name continues on the next line.

    Only a quote that begins a field opens it: in `size 5",y` it is part of the name.
    """
    delimiters = given or DELIMITERS
    inside, begins, closed = False, True, False
    for character in text:
        if inside:
            inside = character != '"'
            closed = not inside
        else:
            inside = character == '"' and (begins or closed)  # a doubled quote is one of the name's
            closed = False
        begins = not inside and character in delimiters
    return inside


def _delimiter(line: str, usual: str) -> str:
    """The usual delimiter, or another that stands between names where that one does not."""
    outside = QUOTED.sub("", line)
    if usual in outside:
        return usual
    present = [delimiter for delimiter in DELIMITERS if delimiter in outside]
    return max(present, key=outside.count, default=usual)


def in_words(error: csv.Error) -> str:
    """What is wrong with quotes, in words."""
    return "a quote is opened and not closed" if "end of data" in str(error) else str(error)
