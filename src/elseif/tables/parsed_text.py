"""Text columns parsed as numbers, booleans or dates, as files are read."""

from __future__ import annotations

import numpy as np

from elseif.errors import DataError
from elseif.tables.columns import Column, Kind
from elseif.tables.date_texts import depends_on_order, find_order, parse_date
from elseif.tables.text_columns import INFINITY, MISSING_WORDS, NUMBER, TRUTH_WORDS


def parse_texts(texts: np.ndarray, missing: np.ndarray, name: str, kind: Kind) -> np.ndarray:
    """Numbers or truth values (as 1 and 0) from texts, with NaN where values are missing."""
    values = np.full(len(texts), np.nan)
    parsed: dict[str, float] = dict.fromkeys(MISSING_WORDS, np.nan)
    for row in np.flatnonzero(~missing).tolist():
        text = str(texts[row])
        if text not in parsed:
            if kind is Kind.BOOLEAN and text.lower() in TRUTH_WORDS:
                parsed[text] = float(TRUTH_WORDS[text.lower()])
            elif NUMBER.fullmatch(text) or INFINITY.fullmatch(text):
                parsed[text] = float(text)
            else:
                raise DataError(
                    f"Column {name!r} should be {kind}, but holds text such as {text!r} "
                    f"(row {row})."
                )
        values[row] = parsed[text]
    return values


def dates_of_texts(
    column: Column, order_given: str | None = None, otherwise: str | None = None
) -> Column:
    """A column of dates from one of texts, each distinct text parsed once.

    ``order_given`` is the order of day and month that the user gave, ``otherwise`` the one to use
    if the texts do not show it. The column records the order if it mattered.
    """
    assert column.codes is not None
    name, texts = column.name, [str(category) for category in column.categories]
    known = [text for text in texts if text not in MISSING_WORDS]
    order = order_given or find_order(known, (otherwise,))
    example = depends_on_order(known)
    if order is None:
        raise DataError(
            f"Column {name!r} has dates such as {example!r}, and nothing shows whether the day or "
            f"the month comes first: set kinds={{{name!r}: 'dmy'}} or kinds={{{name!r}: 'mdy'}}."
        )
    dates = np.full(len(texts) + 1, np.datetime64("NaT", "us"), dtype="datetime64[us]")
    for code, text in enumerate(texts):
        if text in MISSING_WORDS:
            continue
        try:
            dates[code] = parse_date(text, order)
        except ValueError:
            row = int(np.flatnonzero(column.codes == code)[0])
            raise DataError(
                f"Column {name!r} should be date, but holds text such as {text!r} (row {row}). "
                "Write dates as 2021-12-31, or convert the column first."
            ) from None
    return Column(
        name,
        Kind.DATE,
        column.n_rows,
        numbers=dates[column.codes],
        date_order=None if example is None else order,
    )
