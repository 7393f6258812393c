"""Types of the model file's fields: numbers within bounds, names, and lists of either."""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeVar

from pydantic import BeforeValidator, FailFast, Field

LARGEST_WHOLE = 2**63 - 1
LARGEST_CHAIN = 2**32
MOST_UNKNOWN = 5  # unknown fields that are each named in the message
MOST_NAMED = 1000  # settings, versions, sorts of proposals
Whole = Annotated[int, Field(ge=0, le=LARGEST_WHOLE)]
Finite = Annotated[float, Field(allow_inf_nan=False)]
Count = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Positive = Annotated[float, Field(gt=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
Special = Literal["NaN", "Infinity", "-Infinity"]
Number = Finite | Special
Sha256 = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
LabelType = Annotated[
    str,
    Field(
        pattern=r"^(bool|u?int(8|16|32|64)|float(16|32|64)|U[0-9]{1,6}|object"
        r"|datetime64\[(Y|M|W|D|h|m|s|ms|us|ns)\])$"
    ),
]
Operator = Literal[
    "is true", "is false", "=", "!=", "in", ">", "<=", ">=", "<", "between", "is missing"
]
KindName = Literal["boolean", "numeric", "category", "ordered", "date"]

Item = TypeVar("Item")
# a million wrong values would else be a million errors, each with its place and reason
Many = Annotated[list[Item], FailFast()]


def check_number(given: Any) -> Any:
    """Refuse too many values before each of them is looked at."""
    if isinstance(given, dict) and len(given) > MOST_NAMED:
        raise ValueError(f"it has {len(given):,} entries; at most {MOST_NAMED:,} are possible")
    return given


Named = Annotated[dict[str, Item], BeforeValidator(check_number), Field(max_length=MOST_NAMED)]


def check_names(given: Any) -> Any:
    """Refuse a list of names at the first that is not text."""
    if isinstance(given, list) and any(type(name) is not str for name in given):
        raise ValueError("a name is not text")
    return given


def check_shares(given: Any) -> Any:
    """Refuse a list with many invalid shares at once: each would be an error."""
    if isinstance(given, list):
        wrong = (type(s) not in (int, float) or not 0 <= s <= 1 for s in given)
        if sum(wrong) > MOST_UNKNOWN:
            raise ValueError("some shares are not numbers between 0 and 1")
    return given


def check_aliases(given: Any) -> Any:
    """Refuse a list of names at the first invalid one."""
    for names in given.values() if isinstance(given, dict) else ():
        if not isinstance(check_names(names), list):
            raise ValueError("the aliases of an antecedent are not a list of names")
    return given
