"""Columns of text to booleans, numbers, dates or categories."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.tables.date_texts import (
    ORDERS,
    depends_on_order,
    find_order,
    has_short_year,
    is_spelt_as_date,
    parse_date,
    short_format,
    shown_order,
)
from elseif.tables.thousands import certain_separator, without_thousands

# in every column; "none" in small letters is a level of many clinical scales
MISSING_WORDS = frozenset(
    {"", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "NULL", "null", "Null", "None", "<NA>",
     "#N/A", "#NULL!"}
)  # fmt: skip
# missing among numbers, dates and truth values; in a column of words each may be a level, as
# "-" is of a rhesus factor
MISSING_SIGNS = frozenset({".", "-", "--", "?", "\N{EN DASH}", "\N{EM DASH}"})
TRUTH_WORDS = {"true": True, "false": False}
# digits and letters of other scripts look like numbers but are not
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA_NUMBER = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII)
# not what may be a thousand and some
CLEARLY_DECIMAL = re.compile(r"[+-]?(0+|\d{4,})?,\d*|[+-]?\d+,(\d{0,2}|\d{4,})", re.ASCII)
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
ALMOST_NUMBER = re.compile(r"\s*[+-]?\d[\d., ]*\s*")


@dataclass
class Reading:
    """How the texts of one file are read."""

    path: Path
    decimal: str = "."
    thousands: str | None = None  # the separator, if it was given
    na_values: frozenset[str] = frozenset()
    levels: Mapping[str, Collection[str]] = field(default_factory=dict)  # known, by column
    lines: list[int] = field(default_factory=list)  # on which each row ends, for messages
    is_free: bool = True  # whether a column may be made a category, or be left out
    date_format: str | None = None  # given: an order of day and month, or a strptime format
    given_orders: Mapping[str, str] = field(default_factory=dict)  # of day and month, by column
    date_orders: Mapping[str, str] = field(default_factory=dict)  # the same, where none is shown
    shown_order: str | None = None  # of day and month, by other columns of the file
    found_orders: dict[str, str] = field(default_factory=dict)  # filled in by columns of dates

    def is_missing(self, text: str, among_words: bool = False) -> bool:
        """Whether a text says that there is no value."""
        if text in self.na_values or text in MISSING_WORDS or text.isspace():
            return True
        return not among_words and text in MISSING_SIGNS

    def is_number(self, text: str, thousands: str | None = None) -> bool:
        """Whether a text is a number, with the decimal sign of the file."""
        text = self._whole(text, thousands)
        pattern = NUMBER if self.decimal == "." else COMMA_NUMBER
        return pattern.fullmatch(text) is not None or INFINITY.fullmatch(text) is not None

    def number(self, text: str, thousands: str | None = None) -> float:
        """The number that a text is."""
        text = self._whole(text, thousands)
        return float(text if self.decimal == "." else text.replace(",", "."))

    def _whole(self, text: str, thousands: str | None) -> str:
        text = plain_number(text)
        separator = self.thousands or thousands
        if separator is None:
            return text
        return without_thousands(text, separator, self.decimal) or text

    @property
    def strptime(self) -> str | None:
        """The strptime format of dates, if one was given."""
        return None if self.date_format in ORDERS else self.date_format

    def is_date(self, text: str) -> bool:
        """Whether a text is written as a date."""
        text = text.strip()
        if is_spelt_as_date(text):
            return True
        try:
            return self.strptime is not None and bool(parse_date(text, written=self.strptime))
        except ValueError:
            return False

    def order(self, name: str, texts: Sequence[str]) -> str | None:
        """The order of day and month in a column of dates; None if it is unknown."""
        order = self.date_format if self.date_format in ORDERS else self.given_orders.get(name)
        if order is not None:
            return order
        return find_order(texts, (self.date_orders.get(name), self.shown_order))


def plain_number(text: str) -> str:
    """A number with the minus of keyboards, whatever a typesetter made of it."""
    return text.replace("\N{MINUS SIGN}", "-", 1)


# bytes of a row's code and value; and of a distinct text beside its letters, with its place
CODE, VALUE, TEXT = 4, 8, 200
SOME_TEXTS = 1000  # whose lengths stand for those of all


class TextColumn:
    """A column as codes into its distinct texts, parsed once for each distinct text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: list[np.ndarray] = []
        self._place: dict[str, int] = {}

    def extend(self, values: Sequence[str]) -> None:
        """Append the texts of some rows."""
        code_of = self._place
        codes = [code_of.setdefault(value, len(code_of)) for value in values]
        self._codes.append(np.array(codes, dtype=np.int32))

    def bytes_of_all(self, n_read: int, n_rows: int) -> float:
        """Memory of all rows of the column, expected after some of them.

        A code for each row and its value, and the distinct texts: where most of those so far
        occur once, as many more are expected.
        """
        n_texts = len(self._place)
        share = n_rows / n_read if 2 * n_texts > n_read else 1.0
        length = sum(map(len, islice(self._place, SOME_TEXTS))) / max(1, min(n_texts, SOME_TEXTS))
        return n_rows * (CODE + VALUE) + n_texts * share * (TEXT + length)

    def are_row_names(self) -> bool:
        """Whether its texts tell the rows apart, as numbers of rows or names do."""
        codes, texts = self._all_codes(), self.texts
        return len(texts) == len(codes) and all(
            text.isdecimal() or (text and NUMBER.fullmatch(text) is None) for text in texts
        )

    @property
    def texts(self) -> list[str]:
        """The distinct texts."""
        return list(self._place)

    def parsed(self, how: Reading, is_date: bool = False) -> Any:
        """Truth values, numbers, dates or categories: whatever fits all its texts, or was given."""
        import pandas as pd

        codes, texts = self._all_codes(), self.texts
        known = [text for text in texts if not how.is_missing(text)]
        if is_date:
            return self._dates(texts, codes, how)
        if known and all(text.strip().lower() in TRUTH_WORDS for text in known):
            truth: list[Any] = [TRUTH_WORDS.get(text.strip().lower()) for text in texts]
            return pd.array(np.array(truth, dtype=object)[codes], dtype="boolean")
        only_signs = not known and any(not how.is_missing(t, among_words=True) for t in texts)
        sign = certain_separator([plain_number(text) for text in known], how.decimal)
        if not only_signs and all(how.is_number(text, sign) for text in known):
            values = [np.nan if how.is_missing(text) else how.number(text, sign) for text in texts]
            return np.array(values, dtype=float)[codes] if texts else np.empty(0)
        if self._are_dates(texts, codes, how):
            return self._dates(texts, codes, how)
        self._refuse_faulty_numbers(texts, codes, how)
        return self.categories(how)

    def categories(self, how: Reading) -> Any:
        """Its texts as categories."""
        import pandas as pd

        texts = self.texts
        levels = set(how.levels.get(self.name, ())) - how.na_values
        categories = sorted(
            text for text in texts if text in levels or not how.is_missing(text, among_words=True)
        )
        rank_of = {text: i for i, text in enumerate(categories)}
        recode = np.array([rank_of.get(text, -1) for text in texts], dtype=np.int32)
        return pd.Categorical.from_codes(recode[self._all_codes()], pd.Index(categories))

    def _all_codes(self) -> np.ndarray:
        return np.concatenate(self._codes) if self._codes else np.empty(0, dtype=np.int32)

    def shown_order(self) -> str | None:
        """The order of day and month that its texts show, where all are dates with slashes."""
        known = [text.strip() for text in self.texts if not _is_absent(text)]
        if not known or not all(map(is_spelt_as_date, known)):
            return None
        return shown_order(known)

    def _are_dates(self, texts: list[str], codes: np.ndarray, how: Reading) -> bool:
        """Whether most texts are dates; others among them are reported when they are read."""
        counts = np.bincount(codes, minlength=len(texts))
        known = [(t, n) for t, n in zip(texts, counts, strict=True) if not how.is_missing(t)]
        n_dates = sum(n for text, n in known if how.is_date(text))
        if not n_dates and len(known) > 1 and all(has_short_year(text) for text, _ in known):
            raise self._no_century(known[0][0], codes, how)
        return 2 * n_dates > sum(n for _, n in known)

    def _no_century(self, text: str, codes: np.ndarray, how: Reading) -> DataError:
        row = int(np.flatnonzero(codes == self._place[text])[0])
        other = f"; kinds={{{self.name!r}: 'category'}} treats them as categories"
        return self._fault(
            row,
            how,
            f"has {text!r}, a date without its century. Write years with four digits, or say how "
            f"dates are written by date_format={short_format(self.texts)!r}"
            f"{other if how.is_free else ''}",
        )

    def _dates(self, texts: list[str], codes: np.ndarray, how: Reading) -> np.ndarray:
        """Dates to the microsecond, which reach further back than pandas' nanoseconds."""
        known = [text.strip() for text in texts if not how.is_missing(text)]
        order = how.order(self.name, [text for text in known if how.is_date(text)])
        example = depends_on_order(known)
        if order is None:
            raise DataError(
                f"{how.path.name}: column {self.name!r} has dates such as {example!r}, and nothing "
                "shows whether the day or the month comes first: set date_format='dmy' or "
                "date_format='mdy'."
            )
        dates = np.full(len(texts), np.datetime64("NaT", "us"), dtype="datetime64[us]")
        for i, text in enumerate(texts):
            if how.is_missing(text):
                continue
            try:
                dates[i] = parse_date(text.strip(), order, how.strptime)
            except ValueError as error:
                if has_short_year(text):
                    raise self._no_century(text, codes, how) from error
                row = int(np.flatnonzero(codes == i)[0])
                raise self._fault(
                    row, how, _among_dates(text, self.name, order, how, error)
                ) from error
        if example is not None and how.strptime is None:
            how.found_orders[self.name] = order
        return dates[codes]

    def _fault(self, row: int, how: Reading, what: str) -> DataError:
        where = f"{how.path.name}, line {how.lines[row]}"
        return DataError(f"{where}: column {self.name!r} {what}.")

    def _refuse_faulty_numbers(self, texts: list[str], codes: np.ndarray, how: Reading) -> None:
        """Numbers with a decimal comma or blanks, and words among numbers, are no categories."""
        counts = np.bincount(codes, minlength=len(texts))
        kinds = [
            "missing" if how.is_missing(t) else "number" if how.is_number(t) else
            "almost" if ALMOST_NUMBER.fullmatch(t) else "word"
            for t in texts
        ]  # fmt: skip
        n = {
            kind: sum(c for c, k in zip(counts, kinds, strict=True) if k == kind) for kind in kinds
        }
        n_numbers = n.get("number", 0) + n.get("almost", 0)
        for wanted, advice in (("almost", _almost_advice), ("word", _word_advice)):
            faulty = [i for i, kind in enumerate(kinds) if kind == wanted]
            if not faulty or n_numbers <= n.get("word", 0):
                continue
            row = int(np.flatnonzero(np.isin(codes, faulty))[0])
            text = texts[codes[row]]
            fault = f"has {text!r} among numbers ({sum(counts[faulty]):,} of such)"
            where = _lone_line(row, len(codes), int(sum(counts[faulty])), how)
            raise self._fault(row, how, f"{fault}. {where}{advice(text, self.name, how)}")


def _among_dates(text: str, name: str, order: str, how: Reading, error: ValueError) -> str:
    """What is wrong with a text among dates, and what to do."""
    if not how.is_date(text):
        return f"has {text!r} among dates. {_word_advice(text, name, how)}"
    said = {"dmy": "the day", "mdy": "the month"}[order]
    first = f" with {said} first" if depends_on_order([text]) else ""
    return (
        f"has {text!r} among dates, which is none{first} ({error}). Correct it, or say how dates "
        "are written by date_format"
    )


def _lone_line(row: int, n_rows: int, n_faulty: int, how: Reading) -> str:
    """What to do if the only odd value is in the first or the last row."""
    if n_faulty > 1 or n_rows < 3 or row not in (0, n_rows - 1):
        return ""
    what = "a second header, such as units" if row == 0 else "a total or a remark"
    return f"If line {how.lines[row]} is {what}, delete it. "


def _almost_advice(text: str, name: str, how: Reading) -> str:
    if 0 < text.strip().count(" ") == name.strip().count(" "):
        return "If blanks separate the fields, pass sep=' '"
    if how.decimal == "." and COMMA_NUMBER.fullmatch(text):
        return (
            "If it is a decimal comma, pass decimal=','; if commas set thousands apart, pass "
            "thousands=','"
        )
    sign = "a point" if how.decimal == "." else "a comma"
    advice = f"Write numbers with {sign} for decimals, without blanks"
    if how.decimal == "," and NUMBER.fullmatch(text):
        return f"{advice}; if points set thousands apart, pass thousands='.'"
    return f"{advice} or thousands separators"


def _word_advice(text: str, name: str, how: Reading) -> str:
    missing = f"If it stands for a missing value, pass na_values={text!r}"
    if not how.is_free:
        return f"{missing}; otherwise correct it"
    return f"{missing}; or call the column a category by kinds={{{name!r}: 'category'}}, or drop it"


def decimal_sign(columns: Sequence[TextColumn], delimiter: str) -> str:
    """The decimal sign of a file: a comma only if it is unambiguous.

    Some column must be all numbers with commas, one of which is no thousands separator, and
    no column may have numbers with points.
    """
    if delimiter == ",":
        return "."
    with_comma = False
    for column in columns:
        known = [plain_number(text) for text in column.texts if not _is_absent(text)]
        if any("," in t and certain_separator([t], ",") for t in known):  # 1.234,5
            with_comma = True
            continue
        if not known or not all(NUMBER.fullmatch(t) or COMMA_NUMBER.fullmatch(t) for t in known):
            continue
        if any("." in text for text in known):
            return "."
        with_comma |= any(CLEARLY_DECIMAL.fullmatch(text) for text in known if "," in text)
    return "," if with_comma else "."


def _is_absent(text: str) -> bool:
    return text in MISSING_WORDS or text in MISSING_SIGNS or text.isspace()
