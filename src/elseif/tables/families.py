"""The type of a value, and the canonical form of a category."""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Container
from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.tables.text_columns import NUMBER, TRUTH_WORDS

CATEGORY_FAMILIES = ("boolean", "number", "text")
WRITTEN = ("interval", "period")  # of pandas: kept as pandas writes them, such as "(20, 40]"


def family(value: Any) -> str:
    """The type of a value, in plain words."""
    if isinstance(value, (bool, np.bool_)):
        return "boolean"
    # before numbers: to NumPy durations are integers, and complex numbers are numbers
    if isinstance(value, (datetime.timedelta, np.timedelta64)):
        return "duration"
    if isinstance(value, (complex, np.complexfloating)):
        return "complex number"
    if isinstance(value, (int, float, np.number, decimal.Decimal)):
        return "number"
    if isinstance(value, str):
        return "text"
    if isinstance(value, (datetime.date, np.datetime64)):
        return "date"
    name = type(value).__name__
    if name.lower() in WRITTEN and type(value).__module__.split(".")[0] == "pandas":
        return name.lower()
    return name


def is_missing(value: Any) -> bool:
    """Whether a value is missing: None, NaN, NaT or pandas' NA."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return bool(np.isnan(value))
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    return type(value).__name__ in ("NAType", "NaTType")


def category_form(value: Any) -> Any:
    """A category in its stored form: a boolean, a number or text."""
    kind = family(value)
    if kind in WRITTEN:
        return str(value)
    return float(value) if isinstance(value, decimal.Decimal) else value


def meant_level(category: Any, levels: Container[Any]) -> Any:
    """The level that a category means where one is text and the other a number; else itself.

    Only as it is usually written: 1 is "1" or "1.0", but no "01".
    """
    if category in levels:
        return category
    forms: list[Any] = []
    if isinstance(category, str):
        if NUMBER.fullmatch(category):
            forms = [float(category)]
        elif category.lower() in TRUTH_WORDS:
            forms = [TRUTH_WORDS[category.lower()]]
    elif isinstance(category, (bool, np.bool_)):
        forms = [str(category), str(category).lower(), str(category).upper()]
    elif isinstance(category, (int, float, np.number)):
        number = float(category)
        forms = [str(int(number)), repr(number)] if number.is_integer() else [repr(number)]
    return next((form for form in forms if form in levels), category)


def as_float(value: Any, name: str) -> float:
    """A number as a 64-bit float; an error if it is too large."""
    try:
        return float(value)
    except OverflowError:
        raise DataError(
            f"Column {name!r} holds a number of {len(str(abs(int(value)))):,} digits, which is too "
            "large for a 64-bit float. Correct it, or make it missing."
        ) from None
