"""Strict reading of JSON: anything ambiguous or invalid is refused."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

from elseif.errors import ModelFileError

LARGEST_FILE = 200_000_000  # bytes
DEEPEST = 64
LONGEST_INTEGER = 19  # digits; larger ones are written as text

# every quote begins a string that runs to its end or to that of the file: linear time
_STRINGS = re.compile(rb'"[^"\\]*+(?:\\(?:.|\Z)[^"\\]*+)*+(?:"|\Z)', re.DOTALL)
_CHUNK = 1 << 22


def parse(content: bytes, name: str) -> Any:
    """The value that a JSON text stands for, or a ModelFileError that names the fault."""
    if len(content) > LARGEST_FILE:
        raise ModelFileError(
            f"{name} has {len(content):,} bytes; a model file has at most {LARGEST_FILE:,}."
        )
    depth = nesting(content)
    if depth > DEEPEST:
        raise ModelFileError(
            f"{name} nests {depth:,} levels deep; a model file has at most {DEEPEST}."
        )
    try:
        text = content.decode("utf-8")
        return json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_constant,
            parse_float=_float,
            parse_int=_integer,
        )
    except UnicodeDecodeError as error:
        raise ModelFileError(
            f"{name} is not UTF-8 text (byte {error.start:,}): it is damaged or not a model file."
        ) from error
    except json.JSONDecodeError as error:
        raise ModelFileError(
            f"{name} is not whole JSON (line {error.lineno}, column {error.colno}: {error.msg}): "
            "it is damaged, cut short, or not a model file."
        ) from error
    except _Refused as error:
        raise ModelFileError(f"{name} holds {error}; a model file has none.") from error


def nesting(content: bytes) -> int:
    """How deep brackets nest, found without recursion."""
    bare = _STRINGS.sub(b"", content)
    depth = deepest = 0
    for start in range(0, len(bare), _CHUNK):
        chunk = np.frombuffer(
            bare, dtype=np.uint8, count=min(_CHUNK, len(bare) - start), offset=start
        )
        steps = np.isin(chunk, (ord("["), ord("{"))).astype(np.int8)
        steps -= np.isin(chunk, (ord("]"), ord("}"))).astype(np.int8)
        levels = depth + np.cumsum(steps, dtype=np.int64)
        deepest = max(deepest, int(levels.max()))
        depth = int(levels[-1])
    return deepest


class _Refused(ValueError):
    """What strict JSON does not have."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        seen: set[str] = set()
        doubled = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise _Refused(f"the key {doubled[:100]!r} twice in one object")
    return made


def _constant(text: str) -> Any:
    raise _Refused(f"{text}, which is not JSON")


def _float(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise _Refused(f"{text[:40]}, which is too large a number")
    return value


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > LONGEST_INTEGER:
        raise _Refused(f"a whole number of {len(text):,} characters")
    return int(text)
