"""Columns of text to truth values, numbers, dates or categories."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from elseif.errors import DataError

# in every column; "none" in small letters is a level of many clinical scales
MISSING_WORDS = frozenset(
    {"", "NA", "N/A", "n/a", "NaN", "nan", "NAN", "NULL", "null", "Null", "None", "<NA>",
     "#N/A", "#NULL!"}
)  # fmt: skip
# missing among numbers, dates and truth values; in a column of words each may be a level, as
# "-" is of a rhesus factor
MISSING_SIGNS = frozenset({".", "-", "--", "?", "\N{EN DASH}", "\N{EM DASH}"})
TRUTH_WORDS = {"true": True, "false": False}
# digits and letters of other scripts look like numbers and are none
NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
COMMA_NUMBER = re.compile(r"[+-]?(\d+(,\d*)?|,\d+)([eE][+-]?\d+)?", re.ASCII)
# not what may be a thousand and some
CLEARLY_DECIMAL = re.compile(r"[+-]?(0+|\d{4,})?,\d*|[+-]?\d+,(\d{0,2}|\d{4,})", re.ASCII)
INFINITY = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE | re.ASCII)
ALMOST_NUMBER = re.compile(r"\s*[+-]?\d[\d., ]*\s*")
DATE = re.compile(r"\d{4}-\d{2}-\d{2}([ T]\d{2}:\d{2}(:\d{2}(\.\d+)?)?)?", re.ASCII)


@dataclass
class Reading:
    """How the texts of one file are read."""

    path: Path
    decimal: str = "."
    na_values: frozenset[str] = frozenset()
    lines: list[int] = field(default_factory=list)  # on which each row ends, for messages

    def is_missing(self, text: str, among_words: bool = False) -> bool:
        """Whether a text says that there is no value."""
        if text in self.na_values or text in MISSING_WORDS:
            return True
        return not among_words and text in MISSING_SIGNS

    def is_number(self, text: str) -> bool:
        """Whether a text is a number, with the decimal sign of the file."""
        pattern = NUMBER if self.decimal == "." else COMMA_NUMBER
        return pattern.fullmatch(text) is not None or INFINITY.fullmatch(text) is not None

    def number(self, text: str) -> float:
        """The number that a text is."""
        return float(text if self.decimal == "." else text.replace(",", "."))


class TextColumn:
    """A column as codes into its distinct texts, parsed once for each distinct text."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._codes: list[np.ndarray] = []
        self._place: dict[str, int] = {}

    def extend(self, values: Sequence[str]) -> None:
        """Append the texts of some rows."""
        place = self._place
        codes = [place.setdefault(value, len(place)) for value in values]
        self._codes.append(np.array(codes, dtype=np.int32))

    @property
    def texts(self) -> list[str]:
        """The distinct texts."""
        return list(self._place)

    def parsed(self, how: Reading) -> Any:
        """Truth values, numbers, dates, or categories: whatever all its texts are."""
        import pandas as pd

        codes, texts = self._all_codes(), self.texts
        known = [text for text in texts if not how.is_missing(text)]
        if known and all(text.lower() in TRUTH_WORDS for text in known):
            truth: list[Any] = [TRUTH_WORDS.get(text.lower()) for text in texts]
            return pd.array(np.array(truth, dtype=object)[codes], dtype="boolean")
        only_signs = not known and any(not how.is_missing(t, among_words=True) for t in texts)
        if not only_signs and all(how.is_number(text) for text in known):
            values = [np.nan if how.is_missing(text) else how.number(text) for text in texts]
            return np.array(values, dtype=float)[codes] if texts else np.empty(0)
        if known and all(DATE.fullmatch(text) for text in known):
            return self._dates(texts, codes, how)
        self._refuse_faulty_numbers(texts, codes, how)
        return self.categories(how)

    def categories(self, how: Reading) -> Any:
        """Its texts as categories."""
        import pandas as pd

        texts = self.texts
        categories = sorted(text for text in texts if not how.is_missing(text, among_words=True))
        place = {text: i for i, text in enumerate(categories)}
        recode = np.array([place.get(text, -1) for text in texts], dtype=np.int32)
        return pd.Categorical.from_codes(recode[self._all_codes()], pd.Index(categories))

    def _all_codes(self) -> np.ndarray:
        return np.concatenate(self._codes) if self._codes else np.empty(0, dtype=np.int32)

    def _dates(self, texts: list[str], codes: np.ndarray, how: Reading) -> np.ndarray:
        """Dates to the microsecond, which reach further back than pandas' nanoseconds."""
        dates = np.full(len(texts), np.datetime64("NaT", "us"), dtype="datetime64[us]")
        for i, text in enumerate(texts):
            if how.is_missing(text):
                continue
            try:
                dates[i] = np.datetime64(datetime.datetime.fromisoformat(text[:26]), "us")
            except ValueError as error:
                row = int(np.flatnonzero(codes == i)[0])
                raise DataError(
                    f"{how.path.name}, line {how.lines[row]}: column {self.name!r} has {text!r} "
                    f"among dates ({error}). Correct it, or call the column a category."
                ) from error
        return dates[codes]

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
            raise DataError(
                f"{how.path.name}, line {how.lines[row]}: column {self.name!r} has {text!r} among "
                f"numbers ({sum(counts[faulty]):,} of such). {advice(text, how)}"
            )


def _almost_advice(text: str, how: Reading) -> str:
    if how.decimal == "." and COMMA_NUMBER.fullmatch(text):
        return (
            "If it is a decimal comma, pass decimal=','; otherwise write numbers without thousands "
            "separators."
        )
    sign = "a point" if how.decimal == "." else "a comma"
    return f"Write numbers with {sign} for decimals, without blanks or thousands separators."


def _word_advice(text: str, how: Reading) -> str:
    return (
        f"If it stands for a missing value, pass na_values={text!r}; or call the column a "
        "category, or drop it."
    )


def decimal_sign(columns: Sequence[TextColumn], delimiter: str) -> str:
    """The decimal sign of a file: a comma only where nothing else can be meant.

    Some column must be all numbers with commas, one of which is no thousands separator, and
    no column may have numbers with points.
    """
    if delimiter == ",":
        return "."
    with_comma = False
    for column in columns:
        known = [text for text in column.texts if not _is_absent(text)]
        if not known or not all(NUMBER.fullmatch(t) or COMMA_NUMBER.fullmatch(t) for t in known):
            continue
        if any("." in text for text in known):
            return "."
        with_comma |= any(CLEARLY_DECIMAL.fullmatch(text) for text in known if "," in text)
    return "," if with_comma else "."


def _is_absent(text: str) -> bool:
    return text in MISSING_WORDS or text in MISSING_SIGNS
