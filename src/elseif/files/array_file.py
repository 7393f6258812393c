"""Files of plain arrays with a checksum; reading runs no code and takes memory as its size says.

A line that names the format, a line with the SHA-256 of all that follows, a line of JSON with the
header and each array's name, type and shape, and the bytes of the arrays one after another.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elseif.files.atomic import new_file

MAGIC = b"elseif arrays 1\n"
LONGEST_HEADER = 1_000_000  # bytes
TYPES = ("<i2", "<i4", "<i8", "<u8", "<f8", "|b1")
_HASH_BYTES = 64
# neither through a link, nor waiting for the writer of a pipe
_SAFELY = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class DamagedFileError(ValueError):
    """A file of arrays is not as it was written."""


@dataclass(frozen=True, eq=False)
class ArrayFile:
    """What a file of arrays holds."""

    header: dict[str, Any]
    arrays: dict[str, np.ndarray]


def write_arrays(path: Path, header: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> int:
    """Write named arrays and a header atomically, readable by their owner only; returns the size.

    Arrays are of booleans, whole numbers or 64-bit floats; the header is JSON.
    """
    parts = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    table = [[name, array.dtype.str, list(array.shape)] for name, array in parts.items()]
    text = json.dumps({"header": dict(header), "arrays": table}, allow_nan=False)
    line = text.encode("ascii") + b"\n"
    pieces: list[Any] = [line]  # no copies: arrays may be large
    flat: list[Any] = [array.reshape(-1) for array in parts.values() if array.size]
    pieces += [memoryview(array).cast("B") for array in flat]
    total = hashlib.sha256()
    for piece in pieces:
        total.update(piece)
    size = len(MAGIC) + _HASH_BYTES + 1 + sum(len(piece) for piece in pieces)
    with new_file(path, force=True, private=True, size=size) as file:
        file.write(MAGIC + total.hexdigest().encode("ascii") + b"\n")
        for piece in pieces:
            file.write(piece)
    return size


def read_arrays(path: Path) -> ArrayFile:
    """Read a file that ``write_arrays`` has written; a DamagedFileError says what is wrong with it.

    The arrays take as much memory as the file is long.
    """
    content = _content(path)
    begin = len(MAGIC) + _HASH_BYTES + 1
    if content[: len(MAGIC)] != MAGIC:
        raise DamagedFileError("it is not an array file, or is empty")
    rest = memoryview(content)[begin:]
    if content[len(MAGIC) : begin] != hashlib.sha256(rest).hexdigest().encode("ascii") + b"\n":
        raise DamagedFileError("its checksum is not that of its content")
    end = content.find(b"\n", begin, begin + LONGEST_HEADER)
    if end < 0:
        raise DamagedFileError("its header does not end")
    header, table = _parsed(content[begin:end])
    return ArrayFile(header, _arrays(memoryview(content)[end + 1 :], table))


def _content(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | _SAFELY)
        with os.fdopen(handle, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise DamagedFileError("it is not a regular file")
            return file.read()
    except OSError as error:
        raise DamagedFileError(f"it cannot be read ({error.strerror or error})") from error
    except MemoryError:  # a file of holes may be of any length
        raise DamagedFileError("it is larger than the memory") from None


def _parsed(line: bytes) -> tuple[dict[str, Any], list[tuple[str, str, tuple[int, ...]]]]:
    try:
        content = json.loads(line)
        header, table = content["header"], content["arrays"]
        if not isinstance(header, dict):
            raise DamagedFileError("its header is not an object")
        parts = [(str(name), str(dtype), tuple(shape)) for name, dtype, shape in table]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise DamagedFileError("its header cannot be read") from error
    for name, dtype, shape in parts:
        whole = all(type(n) is int and 0 <= n < 2**48 for n in shape)
        if dtype not in TYPES or not whole or len(shape) > 2:
            raise DamagedFileError(f"its array {name[:40]!r} has no type or shape that is known")
    if len({name for name, *_ in parts}) < len(parts):
        raise DamagedFileError("it holds an array twice")
    return header, parts


def _arrays(
    rest: memoryview, table: list[tuple[str, str, tuple[int, ...]]]
) -> dict[str, np.ndarray]:
    arrays, at = {}, 0
    for name, dtype, shape in table:
        size = math.prod(shape) * np.dtype(dtype).itemsize
        if at + size > len(rest):
            raise DamagedFileError("it is shorter than its header says")
        part = rest[at : at + size]
        if dtype == "|b1" and size and np.frombuffer(part, np.uint8).max() > 1:
            raise DamagedFileError(f"its array {name[:40]!r} holds what is neither true nor false")
        arrays[name] = np.frombuffer(part, dtype=dtype).reshape(shape)
        at += size
    if at != len(rest):
        raise DamagedFileError("it is longer than its header says")
    return arrays
