"""Output of commands: files checked before long work, and text for any terminal."""

from __future__ import annotations

import codecs
import contextlib
import io
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TextIO

from elseif.errors import ParamError, ResourceError, install
from elseif.files.atomic import check_writable, write_atomically
from elseif.files.folders import try_folder
from elseif.visible import visible

PLAIN = {"–": "-", "—": "-", "…": "...", "∞": "inf", "×": "x", "≤": "<=", "≥": ">=", "’": "'"}
WIDEST = 100
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]+:/")


def check_outputs(
    paths: Sequence[Path | None], force: bool, inputs: Sequence[Path | None] = ()
) -> None:
    """Refuse before the work what could not be written after it, or would replace an input."""
    seen: set[Path] = set()
    for path in paths:
        if path is None:
            continue
        check_writable(path, force)
        try_folder(path.parent, path)
        if any(_is_same_file(path, read) for read in inputs if read is not None):
            raise ParamError(
                f"{path} is also an input and would be overwritten: write to another file. "
                "--force does not change that."
            )
        if path.resolve() in seen:
            raise ParamError(f"Two outputs would be written to {path}.")
        seen.add(path.resolve())


def _is_same_file(path: Path, other: Path) -> bool:
    """Whether two names refer to the same file, following links."""
    return path.exists() and other.exists() and path.samefile(other)


def check_is_folder(path: Path) -> None:
    """Refuse an address given as a folder: a folder of that name would be created."""
    if _ADDRESS.match(str(path)):
        raise ParamError("--out is an address; it must be the name of a folder.")


def check_pages(*paths: Path | None) -> None:
    """Refuse before the work a page that could not be made after it."""
    if any(path is not None for path in paths) and find_spec("jinja2") is None:
        raise ParamError(f"Pages need Jinja2: {install('report')}.")


def save(what: str, path: Path, content: str | bytes, force: bool, private: bool = False) -> None:
    """Write a file, and say where it is; rows are readable by their owner only."""
    write_atomically(path, content, force, private)
    say_saved(what, path)


def say_saved(what: str, path: Path) -> None:
    """Where something now is."""
    print(visible(f"{what}: {path}"))


def width() -> int:
    """Columns to write in: those of the terminal, but no more than read well."""
    return min(WIDEST, shutil.get_terminal_size((80, 24)).columns)


def say_wrapped(text: str) -> None:
    """A sentence, over as many lines as it needs."""
    shown = visible(" ".join(text.split()))
    print(
        textwrap.fill(
            shown, width(), subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
    )


def write_data(text: str) -> None:
    """Data for another program: UTF-8 whatever the terminal is, so that nothing is changed.

    On a terminal, control characters are spelt out: a label may be a command to it.
    """
    sys.stdout.flush()
    if sys.stdout.isatty():
        text = visible(text.replace("\r\n", "\n"), but="\n\t")
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


class _Output(io.FileIO):
    """Standard output, whose errors are distinguished from those of other files."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise ResourceError(
                f"the output could not be written completely ({error.strerror or error}): it is "
                "cut short."
            ) from error


def make_output_whole() -> None:
    """Make printing fail if output cannot be written completely.

    With PYTHONUNBUFFERED, Python has the system write at once and does not look whether the
    system took all of it. A buffer does; it is emptied at the end of every line then.
    """
    stream = sys.stdout
    if isinstance(stream, io.TextIOWrapper):
        stream.flush()
        whole = io.BufferedWriter(_Output(stream.fileno(), "w", closefd=False))
        is_unbuffered = isinstance(stream.buffer, io.RawIOBase)
        sys.stdout = io.TextIOWrapper(
            whole, stream.encoding, line_buffering=is_unbuffered or stream.line_buffering
        )


def make_streams_lenient() -> None:
    """Make a terminal that lacks a character show a similar one rather than fail."""
    codecs.register_error("elseif", _plainer)
    if sys.stdout is None:  # closed by whoever started the program: as good as /dev/null
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="elseif")


def give_up_if_failing(stream: TextIO | None) -> None:
    """Discard what cannot be written: Python would try again at exit, and complain."""
    if stream is None:
        return
    stream = getattr(stream, "wrapped", stream)  # click hides a closed pipe behind its own stream
    try:
        stream.flush()
    except (OSError, ValueError):  # ValueError: it was closed
        with contextlib.suppress(OSError, ValueError):  # no file, but something like one
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def _plainer(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    characters = error.object[error.start : error.end]
    shown = (PLAIN.get(c) or c.encode("unicode_escape").decode("ascii") for c in characters)
    return "".join(shown), error.end
