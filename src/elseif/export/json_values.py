"""Python values as JSON and back, each of its own type: 1, 1.0, True and "1" stay apart."""

from __future__ import annotations

import datetime
import decimal
import math
from collections import Counter
from collections.abc import Mapping, Set
from numbers import Integral, Real
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import ModelFileError
from elseif.tables.times import ISO_DATE, as_date

SPECIAL = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
LARGEST_PLAIN = 2**63 - 1
MOST_COLLIDING = 100  # of one hash; of numbers that nobody chose for it, a handful at most
WIDEST_TEXT = 256  # characters of labels in an array of text, where each takes as much room


def encode(value: Any) -> Any:
    """A value as JSON: plain where JSON has its type, else an object that names the type."""
    if value is None or isinstance(value, (bool, np.bool_)):
        return None if value is None else bool(value)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Integral):
        whole = int(value)
        return whole if abs(whole) <= LARGEST_PLAIN else {"integer": str(whole)}
    if isinstance(value, (np.datetime64, datetime.date)):
        return {"date": date_text(value)}
    if isinstance(value, (Real, decimal.Decimal)):
        return encode_number(float(value), {"number": special_name(float(value))})
    return _encode_many(value)


def _encode_many(value: Any) -> Any:
    if isinstance(value, Condition):
        parts = (value.column, value.operator, value.value)
        return {"condition": [encode(part) for part in parts]}
    if isinstance(value, Mapping):
        return {"dict": [[encode(k), encode(v)] for k, v in value.items()]}
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, Antecedent)):
        return {"tuple": [encode(part) for part in value]}
    if isinstance(value, (list, range)):
        return {"list": [encode(part) for part in value]}
    if isinstance(value, Set):
        return {"set": [encode(part) for part in sorted(value, key=repr)]}
    return {"not stored": type(value).__name__}


def decode(value: Any) -> Any:
    """The value that ``encode`` turned into JSON; None for values that were not stored."""
    if not isinstance(value, dict):
        return value
    (kind, content), *rest = value.items()
    if rest:
        raise ModelFileError(f"A value of the types {', '.join(map(repr, value))} at once.")
    if kind == "integer":
        return _decode_integer(content)
    if kind == "number":
        return SPECIAL[content]
    if kind == "date":
        return decode_date(content)
    if kind == "condition":
        return Condition(*(decode(part) for part in content))
    if kind == "dict":
        keys = hashable([decode(k) for k, _ in content])
        return dict(zip(keys, (decode(v) for _, v in content), strict=True))
    if kind == "set":
        return set(hashable([decode(part) for part in content]))
    if kind == "not stored":
        return None
    parts = [decode(part) for part in content]
    return tuple(parts) if kind == "tuple" else parts


def hashable(values: list[Any]) -> list[Any]:
    """The same values, refused where a set of them would take the square of their number."""
    try:
        most = max(Counter(map(hash, values)).values(), default=0)
    except TypeError as error:
        raise ModelFileError(f"a key or member of a set is not possible ({error})") from error
    if most > MOST_COLLIDING:
        raise ModelFileError(
            f"{most:,} values have the same hash, which does not happen in real data"
        )
    return values


def _decode_integer(text: str) -> int:
    if len(text) > 1000 or not text.removeprefix("-").isdecimal():
        raise ModelFileError(f"{text[:40]!r} is not a whole number.")
    return int(text)


def encode_number(value: float, special: Any = None) -> Any:
    """A float in JSON; if not finite, its name or a given value."""
    if math.isfinite(value):
        return float(value)
    return special_name(value) if special is None else special


def special_name(value: float) -> str | None:
    """The name of a non-finite number in a file."""
    if math.isfinite(value):
        return None
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def decode_number(value: float | str) -> float:
    """The number that encode_number wrote."""
    return SPECIAL[value] if isinstance(value, str) else float(value)


def date_text(value: Any) -> str:
    """A date as ISO 8601, in UTC without saying so, as columns are read."""
    if getattr(value, "tzinfo", None) is not None:
        value = value.astimezone(datetime.UTC).replace(tzinfo=None)
    return str(np.datetime64(value).astype("datetime64[us]"))


def decode_date(text: str) -> np.datetime64:
    """A date from its ISO text, to the microsecond."""
    try:
        date = as_date(text)
    except ValueError as error:
        raise ModelFileError(f"{text[:40]!r} is not a date.") from error
    if np.isnat(date):
        raise ModelFileError(f"{text[:40]!r} is not a date.")
    return date


def encode_labels(classes: np.ndarray) -> tuple[str, list[Any]]:
    """The type of labels, and the labels."""
    kind = classes.dtype.kind
    if kind == "M":
        return str(classes.dtype), [{"date": str(label)} for label in classes]
    if kind not in "biufUO":
        raise ModelFileError(
            f"The labels are of dtype {classes.dtype}, which a model file cannot hold; "
            "use truth values, numbers, text or dates."
        )
    labels = [
        {"date": label.isoformat()} if type(label) is datetime.date else encode(label)
        for label in classes.tolist()
    ]
    unknown = [
        i for i, label in enumerate(labels) if isinstance(label, dict) and "date" not in label
    ]
    unknown = [i for i in unknown if "integer" not in labels[i]]
    if unknown:
        raise ModelFileError(
            f"The label {classes[unknown[0]]!r} is a {type(classes[unknown[0]]).__name__}, which "
            "a model file cannot hold; use truth values, numbers, text or dates."
        )
    # text says its width, as NumPy does; the order of bytes is the machine's own matter
    return (f"U{classes.dtype.itemsize // 4}" if kind == "U" else classes.dtype.name), labels


def decode_labels(dtype: str, labels: list[Any]) -> np.ndarray:
    """Labels as they were in classes."""
    if dtype.startswith("datetime64"):
        return _decode_dates(dtype, [label["date"] for label in labels])
    values = [_decode_label(label) for label in labels]
    # a prediction has the labels' type: as objects, long texts are stored once
    if dtype == "object" or (dtype[0] == "U" and int(dtype[1:]) > WIDEST_TEXT):
        made = np.empty(len(values), dtype=object)
        made[:] = values
        return made
    with np.errstate(over="ignore"):
        return np.array(values, dtype=dtype)


def _decode_label(label: Any) -> Any:
    """A label of Python's own type: a date without a time stays one."""
    value = decode(label)
    if not isinstance(value, np.datetime64):
        return value
    is_day = len(label["date"].lstrip("+-")) == len("2020-01-01")
    return value.astype("datetime64[D]").item() if is_day else value.item()


def _decode_dates(dtype: str, texts: list[str]) -> np.ndarray:
    """Dates of a type, checked to be in its range: NumPy would silently wrap others."""
    for text in texts:
        if not ISO_DATE.fullmatch(text):
            raise ModelFileError(f"{text[:40]!r} is not a date.")
    try:
        made = np.array(texts, dtype="datetime64").astype(dtype)
    except (OverflowError, ValueError):  # since NumPy 2.5; earlier ones wrap round
        made = np.array([], dtype=dtype)
    if [str(date) for date in made] != texts:
        raise ModelFileError(f"the dates are not of type {dtype}")
    return made
