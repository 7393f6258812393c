"""A table piped into the program, kept in a private file while the program runs."""

from __future__ import annotations

import atexit
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import overload

from elseif.errors import ParamError

STANDARD_INPUT = Path("-")
# the file name extension that the first bytes imply
_ENDINGS = {
    b"PAR1": ".parquet",
    b"\x1f\x8b": ".csv.gz",
    b"BZh": ".csv.bz2",
    b"\xfd7zXZ": ".csv.xz",
    b"\x28\xb5\x2f\xfd": ".csv.zst",
}


@overload
def table_path(path: Path) -> Path: ...


@overload
def table_path(path: None) -> None: ...


def table_path(path: Path | None) -> Path | None:
    """The path of a table; for ``-``, that of a file with all of standard input."""
    if path != STANDARD_INPUT:
        return path
    if sys.stdin is None or sys.stdin.isatty():
        raise ParamError("- reads a table from standard input: pipe one into it.")
    from elseif.files.temporary import keep_stream, temporary_folder

    stack = ExitStack()
    atexit.register(stack.close)
    folder = stack.enter_context(temporary_folder("elseif-input"))
    spooled = folder / "standard-input"
    keep_stream(sys.stdin.buffer, spooled)
    with spooled.open("rb") as file:
        start = file.read(8)
    ending = next((e for begin, e in _ENDINGS.items() if start.startswith(begin)), ".csv")
    return spooled.rename(spooled.with_name(spooled.name + ending))
