"""The first line of a text file: column names and separator."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from elseif.tables.text_source import TextLines

DELIMITERS = (",", ";", "\t", "|")
ROWS_LOOKED_AT = 3  # where the names hold several delimiters
QUOTED = re.compile(r'"(?:[^"]|"")*"')


@dataclass(frozen=True)
class Header:
    """Names of the columns, what separates them, and fields at the end that have no name."""

    names: list[str]
    delimiter: str
    n_blank: int  # where every line ends with the delimiter
    has_row_names: bool = False  # the first column has no name, as pandas and R write row names

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
    delimiter = given or _delimiter("".join(first), lines.coming(ROWS_LOOKED_AT), usual)
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
    has_row_names = nameless == [1] and len(names) > 1
    if nameless and not has_row_names:
        raise lines.fault(lines.n_read, None, without_name(nameless[0]))
    doubled = sorted(name for name, n in Counter(names).items() if n > 1)
    if doubled:
        what = f"the column name {doubled[0]!r} occurs twice. Give one of the two another name"
        raise lines.fault(lines.n_read, None, what)
    return Header(names, delimiter, n_blank, has_row_names)


def without_name(place: int) -> str:
    """What is wrong with a column that has no name."""
    return f"column {place} has no name. Give it one in the first line"


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


def _delimiter(line: str, rows: Sequence[str], usual: str) -> str:
    """The delimiter that stands between the names, and as often in rows where there are several.

    A name such as "pressure, sitting" may hold the usual one.
    """
    outside = QUOTED.sub("", line)
    present = [delimiter for delimiter in DELIMITERS if delimiter in outside]
    if len(present) > 1:
        counts = [QUOTED.sub("", row) for row in rows if row.strip() and row.count('"') % 2 == 0]
        fitting = [
            delimiter
            for delimiter in present
            if counts and all(r.count(delimiter) == outside.count(delimiter) for r in counts)
        ]
        if fitting:
            return max(fitting, key=lambda each: (outside.count(each), each == usual))
    if usual in present:
        return usual
    return max(present, key=outside.count, default=usual)


def in_words(error: csv.Error) -> str:
    """What is wrong with quotes, in words."""
    text = str(error)
    if "end of data" in text:
        return "a quote is opened and not closed"
    if "expected after" in text:
        return "a quote within a value in quotes must be doubled"
    if "field limit" in text:
        most = csv.field_size_limit()
        return f"a value of more than {most:,} characters. See whether a quote is not closed"
    return text
