"""Pages in the browser, and what a command says while it takes its time."""

from __future__ import annotations

import io
import sys
import time
import webbrowser
from pathlib import Path

import pytest

from elseif.cli import activity as line
from tests.cli.conftest import Run


def test_open_in_the_browser(elseif: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The page's address is handed over, whatever characters its name has."""
    page = tmp_path / "my report ü.html"
    page.write_text("<!doctype html>", encoding="utf-8")
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    ended = elseif("open", page)
    assert ended.code == 0
    assert opened == [page.as_uri()]
    assert ended.out == f"Opened: {page}\n"


@pytest.mark.parametrize("fails", [False, True])
def test_without_a_browser(
    elseif: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool
) -> None:
    """The path is printed on a line of its own."""

    def nothing(address: str) -> bool:
        if fails:
            raise webbrowser.Error("no browser")
        return False

    monkeypatch.setattr(webbrowser, "open", nothing)
    page = tmp_path / "report.html"
    page.write_text("", encoding="utf-8")
    ended = elseif("open", page)
    assert ended.code == 0
    assert ended.out.splitlines()[-1] == str(page)


class Terminal(io.StringIO):
    """Standard error that somebody looks at."""

    def isatty(self) -> bool:
        return True


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """One for the running test, with a moment of a tenth of a second."""
    shown = Terminal()
    monkeypatch.setattr(sys, "stderr", shown)
    monkeypatch.setattr(line, "A_MOMENT", 0.1)
    return shown


def test_what_takes_long_is_said_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    """One line, which comes after a moment and is gone in the end."""
    shown = terminal(monkeypatch)
    with line.activity("Reading \x1b[31mtable.csv"):
        time.sleep(0.35)
    text = shown.getvalue()
    assert r"Reading \x1b[31mtable.csv ... 0 s" in text
    assert "\n" not in text
    assert text.endswith(" \r")


def test_what_is_quick_says_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does anything that nobody wants to see."""
    shown = terminal(monkeypatch)
    with line.activity("Reading"):
        pass
    line.be_quiet(True)
    with line.activity("Reading"):
        time.sleep(0.25)
    line.be_quiet(False)
    assert shown.getvalue() == ""


def test_nothing_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of errors holds errors alone."""
    piped = io.StringIO()
    monkeypatch.setattr(sys, "stderr", piped)
    monkeypatch.setattr(line, "A_MOMENT", 0.05)
    with line.activity("Reading"):
        time.sleep(0.15)
    assert piped.getvalue() == ""
