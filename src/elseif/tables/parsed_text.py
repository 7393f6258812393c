"""Text that stands for numbers, truth values or dates, read as files are read."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.tables.columns import Kind
from elseif.tables.text_columns import INFINITY, MISSING_WORDS, NUMBER, TRUTH_WORDS
from elseif.tables.times import ISO_DATE, as_date

# as ISO 8601 writes a time with its zone, which ISO_DATE leaves out
ZONED_TIME = re.compile(r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}\S*", re.ASCII)


def parse_texts(texts: np.ndarray, missing: np.ndarray, name: str, kind: Kind) -> np.ndarray:
    """Numbers, truth values (as 1 and 0) or dates from texts, as a column of that kind needs.

    Parameters
    ----------
    texts : ndarray of object
        Text, but for the rows that are missing.
    missing : ndarray of bool
        Rows without a value.
    name : str
        The column's name, for messages.
    kind : Kind
        BOOLEAN, NUMERIC or DATE.

    Returns
    -------
    ndarray
        float64 with NaN, or datetime64 with NaT, where values are missing.
    """
    is_date = kind is Kind.DATE
    none: Any = np.datetime64("NaT", "us") if is_date else np.nan
    parse: Callable[[str], Any] = _date if is_date else _number
    values = np.full(len(texts), none, dtype="datetime64[us]" if is_date else np.float64)
    parsed: dict[str, Any] = dict.fromkeys(MISSING_WORDS, none)
    for row in np.flatnonzero(~missing).tolist():
        text = str(texts[row])
        if text not in parsed:
            try:
                if kind is Kind.BOOLEAN and text.lower() in TRUTH_WORDS:
                    parsed[text] = float(TRUTH_WORDS[text.lower()])
                else:
                    parsed[text] = parse(text)
            except ValueError:
                advice = (
                    " Write dates as 2021-12-31, or convert the column first." if is_date else ""
                )
                raise DataError(
                    f"Column {name!r} should be {kind}, but holds text such as {text!r} "
                    f"(row {row}).{advice}"
                ) from None
        values[row] = parsed[text]
    return values


def _number(text: str) -> float:
    if not (NUMBER.fullmatch(text) or INFINITY.fullmatch(text)):
        raise ValueError(text)
    return float(text)


def _date(text: str) -> np.datetime64:
    if ISO_DATE.fullmatch(text):
        return as_date(text)
    if ZONED_TIME.fullmatch(text):
        return as_date(datetime.datetime.fromisoformat(text))
    raise ValueError(text)
