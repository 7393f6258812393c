"""Completion in a shell: names of commands and options, as a user would press Tab for them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BASH = shutil.which("bash")
PROGRAM = Path(sys.executable).parent / "elseif"


def environment(home: Path) -> dict[str, str]:
    """A user's own, with a home of its own and the program on the path."""
    path = f"{PROGRAM.parent}{os.pathsep}{os.environ['PATH']}"
    return {**os.environ, "HOME": str(home), "PATH": path, "SHELL": BASH or ""}


def completed(home: Path, setup: str, line: str) -> list[str]:
    """What bash offers for a line whose last word is to be completed."""
    words = line.split(" ")
    script = f"""{setup}
    COMP_WORDS=({" ".join(f"'{word}'" for word in words)})
    COMP_CWORD={len(words) - 1}
    COMP_LINE='{line}'
    function=$(complete -p elseif | sed -n 's/.*-F \\([^ ]*\\).*/\\1/p')
    $function elseif '{words[-1]}' '{words[-2]}'
    printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    command = [str(BASH), "--norc", "-c", script]
    ended = subprocess.run(
        command, env=environment(home), capture_output=True, text=True, check=True
    )
    return ended.stdout.split()


@pytest.mark.skipif(BASH is None or not PROGRAM.exists(), reason="no bash, or no program beside it")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("elseif pre", ["predict"]),
        ("elseif e", ["explain", "export", "edit", "extract"]),
        ("elseif fit --min-su", ["--min-support"]),
        ("elseif show --li", ["--list", "--lists"]),
        ("elseif fit --kernel ex", ["exact"]),
        ("elseif export m.json --to ca", ["calculator"]),
        ("elseif fit --min-support 0.1 tab", []),  # a file: left to bash
    ],
)
def test_bash_completes(line: str, offered: list[str], tmp_path: Path) -> None:
    """By the script that --show-completion prints."""
    setup = f'eval "$({PROGRAM} --show-completion)"'
    assert completed(tmp_path, setup, line) == offered


@pytest.mark.skipif(BASH is None or not PROGRAM.exists(), reason="no bash, or no program beside it")
def test_bash_completes_once_installed(tmp_path: Path) -> None:
    """--install-completion writes into the user's home, and .bashrc loads it."""
    # the program asks its parents which shell it is called from: not bash itself, if this were its
    # last command and so took its place, nor always bash, where make or CI runs the tests
    command = [str(BASH), "--norc", "-c", f"'{PROGRAM}' --install-completion; exit $?"]
    ended = subprocess.run(
        command, env=environment(tmp_path), capture_output=True, text=True, check=False
    )
    assert ended.returncode == 0, ended.stderr
    assert "completion installed" in ended.stdout
    assert completed(tmp_path, 'source "$HOME/.bashrc"', "elseif valid") == ["validate"]


@pytest.mark.parametrize(
    ("shell", "asked"),
    [
        ("zsh", {"_TYPER_COMPLETE_ARGS": "elseif pre"}),
        ("fish", {"_TYPER_COMPLETE_ARGS": "elseif pre", "_TYPER_COMPLETE_FISH_ACTION": "get-args"}),
    ],
)
def test_other_shells_are_answered(shell: str, asked: dict[str, str], tmp_path: Path) -> None:
    """What their scripts ask the program for."""
    env = {**environment(tmp_path), **asked, "_ELSEIF_COMPLETE": f"complete_{shell}"}
    command = [sys.executable, "-m", "elseif"]
    ended = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert "predict" in ended.stdout
    assert "Traceback" not in ended.stderr
    env = {**environment(tmp_path), "_ELSEIF_COMPLETE": f"source_{shell}"}
    script = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    assert f"_ELSEIF_COMPLETE=complete_{shell}" in script.stdout
