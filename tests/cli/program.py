"""The program in this process, in one of its own, and ended by a signal."""

from __future__ import annotations

import contextlib
import io
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from elseif.cli.main import run

PROGRAM = [sys.executable, "-m", "elseif"]
SIGNALS = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")]
by_signal = pytest.mark.parametrize(("number", "code", "line"), SIGNALS)


@dataclass(frozen=True)
class Ended:
    """How a run of the program ended."""

    code: int
    out: str
    err: str


def run_here(*arguments: object, together: bool = False) -> Ended:
    """The program in this process, which saves the seconds that it takes to load.

    With ``together``, ``out`` is what both streams got, in its order.
    """
    out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    err = out if together else io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run([str(argument) for argument in arguments])
    return Ended(code, _text(out), "" if together else _text(err))


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    stream.seek(0)
    return stream.read()


def heed_interrupts() -> None:
    """A shell's background job ignores them, and its children would too."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def printed_by_python(*arguments: object, timeout: float) -> list[str]:
    """The lines that another Python prints, which heeds interrupts and has to end well."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", *map(str, arguments)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        preexec_fn=heed_interrupts,
        timeout=timeout,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


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
