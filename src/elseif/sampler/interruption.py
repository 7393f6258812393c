"""Ctrl-C while chains run: they pause, and their draws are a result; a second Ctrl-C ends them."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class RunInterrupted(Exception):
    """Chains have paused because they were asked to; they can go on."""


@contextmanager
def heeding_ctrl_c() -> Iterator[threading.Event]:
    """An event that the first Ctrl-C sets; the second raises KeyboardInterrupt, as usual.

    Programs with a handler of their own, and chains outside the main thread, are not affected.
    """
    asked = threading.Event()
    is_ours = (
        threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    )
    if not is_ours:
        yield asked
        return

    def ask(number: int, frame: FrameType | None) -> None:
        if asked.is_set():
            signal.default_int_handler(number, frame)
        asked.set()

    signal.signal(signal.SIGINT, ask)
    try:
        yield asked
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
