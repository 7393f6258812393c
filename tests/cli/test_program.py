"""The program itself, in a process of its own: pipes, terminals, interrupts."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from elseif import __version__
from tests.cli.program import PROGRAM, by_signal, end_by


def program(*arguments: object, **env: str) -> subprocess.CompletedProcess[bytes]:
    command = [*PROGRAM, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, env={**os.environ, **env})


@pytest.mark.fault(
    "50",
    "Ctrl-C and SIGTERM",
    "a one-line message, exit codes 130 and 143; a study or an extraction keeps finished "
    "work and says how to continue",
)
def test_version_and_help() -> None:
    """The installed script does the same as the module."""
    assert program("--version").stdout.decode() == f"elseif {__version__}\n"
    assert program().stdout == program("--help").stdout
    script = Path(sys.executable).with_name("elseif")
    done = subprocess.run([script, "--help"], capture_output=True, check=True)
    assert done.stdout == program("--help").stdout


def test_an_ascii_terminal(folder: Path) -> None:
    """Dashes become plain ones, and no name makes the program fail."""
    shown = program("show", folder / "titanic.json", PYTHONIOENCODING="ascii")
    assert shown.returncode == 0
    assert b"then 21% (19%-23%)" in shown.stdout
    error = program("show", folder / "naïve.json", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert error.returncode == 5
    assert b"there is no such file" in error.stderr


def test_data_are_utf8_on_any_terminal(tmp_path: Path) -> None:
    """Labels come out as they are, whatever the terminal can show."""
    table, model = tmp_path / "t.csv", tmp_path / "m.json"
    table.write_text("a,y\n" + "1,blå\n0,rød\n1,blå\n1,rød\n" * 20, encoding="utf-8")
    arguments = ["--label", "y", "--positive", "blå", "--model", model, "--n-iter", "500"]
    assert (
        program("fit", table, *arguments, PYTHONIOENCODING="ascii", PYTHONUTF8="1").returncode == 0
    )
    done = program("predict", model, table, PYTHONIOENCODING="ascii", PYTHONUTF8="1")
    assert "probability blå" in done.stdout.decode("utf-8")


@pytest.mark.parametrize(
    "words", [["show"], ["export", "--to", "pmml"], ["export", "--to", "json"]]
)
def test_a_closed_pipe(folder: Path, words: list[str]) -> None:
    """The program ends quietly when nobody reads on."""
    read, write = os.pipe()
    os.close(read)
    command = [*PROGRAM, words[0], str(folder / "titanic.json"), *words[1:]]
    done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False)
    os.close(write)
    assert (done.returncode, done.stderr) == (141, b"")


@by_signal
def test_an_interrupt(
    folder: Path, tmp_path: Path, number: signal.Signals, code: int, line: str
) -> None:
    """Ctrl-C and SIGTERM end the program with their code and one line, and leave no file."""
    arguments = ["--label", "survival", "--positive", "died", "--n-iter", "400000000"]
    command = ["fit", str(folder / "titanic.csv"), *arguments, "--model", str(tmp_path / "m")]
    # well into loading or sampling: either must end
    result, errors = end_by(number, command, lambda: time.sleep(6))
    assert result == code, errors
    assert errors[-1] == f"elseif: {line}"
    assert list(tmp_path.iterdir()) == []


def test_only_the_program_heeds_signals() -> None:
    """Imported, or run by another program, it leaves the signals to that program."""
    code = (
        "import signal; from elseif.cli.main import run; import elseif.cohort; run(['--version']);"
        "print(signal.getsignal(signal.SIGTERM) is signal.SIG_DFL, signal.set_wakeup_fd(-1))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "True -1"


def test_a_worker_that_is_ended_does_not_end_the_program() -> None:
    """A process that a library has forked has no part in how the program ends."""
    code = (
        "import os, signal, time; from elseif.cli import interrupts as i; i.PATIENCE = 0;"
        "i.heed_signals(); worker = os.fork();\n"
        "while worker == 0: time.sleep(0.01)\n"
        "time.sleep(0.2); os.kill(worker, signal.SIGTERM);"
        "how = os.waitpid(worker, 0)[1]; time.sleep(0.5);"
        "print(os.WTERMSIG(how), i.was_stopped())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (0, b"15 False\n")


def test_a_folder_that_cannot_be_written(folder: Path) -> None:
    """It is found before the long run, not after it."""
    arguments = ["--label", "survival", "--positive", "died", "--n-iter", "400000000"]
    done = program("fit", folder / "titanic.csv", *arguments, "--model", "/proc/m.json")
    assert done.returncode == 4
    assert done.stderr.startswith(b"elseif: /proc/m.json: the folder /proc cannot be written to")
