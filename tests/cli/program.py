"""The program in a process of its own, and ended by a signal."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable

import pytest

PROGRAM = [sys.executable, "-m", "elseif"]
by_signal = pytest.mark.parametrize(
    ("number", "code", "line"),
    [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")],
)


def heed_interrupts() -> None:
    """A shell's background job ignores them, and its children would too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def end_by(
    number: signal.Signals, command: list[str], wait: Callable[[], None]
) -> tuple[int, list[str]]:
    """Start the program, wait for the moment, send a signal: its code, and lines of its errors."""
    with subprocess.Popen(
        [*PROGRAM, *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=heed_interrupts,
    ) as running:
        wait()
        running.send_signal(number)
        _, err = running.communicate(timeout=300)
    return running.returncode, err.splitlines()
