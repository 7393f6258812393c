"""A status line on the terminal for work that takes more than a moment."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from elseif.visible import show_name

A_MOMENT = 1.0  # seconds without a word


class _Line:
    """A transient line on standard error."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.width = 0
        self.is_quiet = False
        self.is_taken = False

    def show(self, text: str) -> None:
        with self.lock, suppress(OSError, ValueError):
            sys.stderr.write(f"\r{text.ljust(self.width)}")
            sys.stderr.flush()
            self.width = max(self.width, len(text))

    def clear(self) -> None:
        with self.lock, suppress(OSError, ValueError):
            if self.width:
                sys.stderr.write(f"\r{' ' * self.width}\r")
                sys.stderr.flush()
            self.width = 0


_LINE = _Line()
clear_line = _LINE.clear


def be_quiet(quiet: bool) -> None:
    """Show nothing until the command ends, or show it again."""
    _LINE.is_quiet = quiet


@contextmanager
def activity(what: str) -> Iterator[None]:
    """Show what is being done, and for how long, if it takes more than a moment."""
    if _LINE.is_quiet or _LINE.is_taken or sys.stderr is None or not sys.stderr.isatty():
        yield
        return
    began, done = time.monotonic(), threading.Event()
    shown = show_name(what, 60)

    def watch() -> None:
        while not done.wait(A_MOMENT):
            _LINE.show(f"{shown} ... {time.monotonic() - began:.0f} s")

    watcher = threading.Thread(target=watch, daemon=True)
    _LINE.is_taken = True
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
        _LINE.is_taken = False
        clear_line()
