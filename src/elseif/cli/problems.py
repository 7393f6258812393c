"""Errors as one line that says what to do, in the terms of the command line."""

from __future__ import annotations

import re
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from elseif.cli.activity import clear_line
from elseif.cli.in_options import in_options
from elseif.errors import (
    DatabaseError,
    DataError,
    ElseifError,
    ExportError,
    FileExistsAlreadyError,
    LargeDataWarning,
    MeasuredLabelWarning,
    ModelFileError,
    ParamError,
    ResourceError,
)
from elseif.visible import show_name

LONGEST_LINE = 2000  # characters: a name that a file brings along may have millions
BROKEN_PIPE, FAULT = 141, 1
EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (ParamError, 2),
    (FileExistsAlreadyError, 2),
    (ExportError, 2),
    (DataError, 3),
    (ResourceError, 4),
    (ModelFileError, 5),
    (DatabaseError, 6),
    (ElseifError, 3),
    (MemoryError, 4),
    (OSError, 4),
)
# user and password of an address: up to the end of a quotation, or to the next blank; one slash
# is left of two where an address was taken for the name of a file. How an address is written,
# which our own advice says, holds no secret
# a bounded number of characters of a scheme: without it, a value of a million letters takes hours
_SCHEME = r"([A-Za-z][\w+.-]{1,40}://?+)(?!USER(?::PASSWORD)?@HOST:PORT/NAME)"
_IN_ADDRESS = re.compile(rf"(?:(?<=(['\"])){_SCHEME}(?:(?!\1).)*@)|(?:{_SCHEME}\S*@)")


def exit_code(error: BaseException) -> int:
    """The exit code of a kind of error; 1 for unexpected ones."""
    return next((code for kind, code in EXIT_CODES if isinstance(error, kind)), FAULT)


def one_line(error: BaseException) -> str:
    """An error in one line."""
    if isinstance(error, ElseifError):
        return in_options(str(error))
    if isinstance(error, MemoryError):
        return "not enough memory; use fewer rows, or a higher --min-support."
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}."
    what = f"{type(error).__name__}: {error}"
    return f"an internal error, {what}. Run it again with --debug, and report what it shows."


def say(message: str) -> None:
    """One line on standard error; if that is closed, the exit code has to suffice."""
    shown = show_name(without_passwords(message), LONGEST_LINE)
    clear_line()
    with suppress(OSError):
        print(f"elseif: {shown}", file=sys.stderr, flush=True)


def without_passwords(text: str) -> str:
    """A text without the user and password of any address in it."""
    return _IN_ADDRESS.sub(lambda m: f"{m[2] or m[3]}***@", text)


@contextmanager
def warnings_as_notes() -> Iterator[None]:
    """Show warnings meant for users as one plain line each, once; suppress all others."""
    said: set[str] = set()

    def show(message: Warning | str, *_: Any, **__: Any) -> None:
        text = in_options(str(message))
        # of the sizes of many fits, such as those of folds, the first is enough
        of_many = isinstance(message, LargeDataWarning | MeasuredLabelWarning)
        key = re.sub(r"\d", "", text) if of_many else text
        if key not in said:
            said.add(key)
            say(f"note: {text}")

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        warnings.simplefilter("always", UserWarning)
        warnings.showwarning = show
        yield
