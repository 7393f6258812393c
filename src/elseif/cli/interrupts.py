"""Ctrl-C and SIGTERM: finished work is kept, and a message says how to continue."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from elseif.cli.problems import say

PATIENCE = 1.0  # seconds, in which unfinished files are removed
INTERRUPTED = 128 + signal.SIGINT  # by Ctrl-C; by SIGTERM it is 143
WORDS = {signal.SIGINT: "interrupted", signal.SIGTERM: "ended by SIGTERM"}
_heard: list[signal.Signals] = []  # the first counts
_said = threading.Event()
_consolation: list[str] = []


def heed_signals() -> None:
    """Have Ctrl-C and SIGTERM end the program in order, but without a long wait.

    Python runs its handler of a signal between steps of Python in the main thread, which a
    library's long computation may hold; a thread of its own, woken by the signal itself,
    sees to the end then. A signal that the parent process has us ignore stays ignored.
    """
    ours = [signal.SIGINT] if signal.getsignal(signal.SIGINT) is signal.default_int_handler else []
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        ours.append(signal.SIGTERM)
    if not ours:
        return
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(read,), daemon=True).start()
    for number in ours:
        signal.signal(number, _stop)
    if hasattr(os, "register_at_fork"):  # else what ends a library's worker would end us
        os.register_at_fork(after_in_child=_leave_signals)


@contextmanager
def ending_left_to_others() -> Iterator[None]:
    """Leave the end by a signal to a library that handles them, and takes its time."""
    is_first = threading.current_thread() is threading.main_thread()
    ours = signal.set_wakeup_fd(-1) if is_first else -1
    try:
        yield
    finally:
        if is_first:
            signal.set_wakeup_fd(ours, warn_on_full_buffer=False)


def was_stopped() -> bool:
    """Whether a signal has stopped the program: later failures are due to it."""
    return bool(_heard)


def stopped() -> int:
    """Say once that the program was stopped, and give the code that it ends with."""
    number = _heard[0] if _heard else signal.SIGINT
    if not _said.is_set():
        _said.set()
        say(": ".join([WORDS[number], *_consolation[-1:]]))
    return 128 + number


@contextmanager
def say_when_interrupted(text: str) -> Iterator[None]:
    """While something runs that can be continued, say how if a signal ends it."""
    _consolation.append(text)
    try:
        yield
    except BaseException as error:
        if not (was_stopped() or isinstance(error, KeyboardInterrupt)):
            _consolation.pop()  # else the text is needed at the very end
        raise
    _consolation.pop()


def _stop(number: int, _: FrameType | None) -> None:
    """Stop as Ctrl-C stops any program of Python, which libraries know and clean up after."""
    _heard.append(signal.Signals(number))
    raise KeyboardInterrupt


def _leave_signals() -> None:
    signal.set_wakeup_fd(-1)
    for number, usual in (
        (signal.SIGINT, signal.default_int_handler),
        (signal.SIGTERM, signal.SIG_DFL),
    ):
        if signal.getsignal(number) is _stop:
            signal.signal(number, usual)


def _watch(read: int) -> None:
    while (number := os.read(read, 1)[0]) not in WORDS:
        pass
    _heard.append(signal.Signals(number))
    time.sleep(PATIENCE)
    os._exit(stopped())
