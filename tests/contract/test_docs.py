"""The examples of the documentation run, and print what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["start.md", "explaining.md"])
def test_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of Python runs after those before it; the text that follows is its output."""
    blocks = BLOCK.findall((DOCS / page).read_text("utf-8"))
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    n_compared = 0
    for kind, content in blocks:
        if kind == "text":
            same = doctest.OutputChecker().check_output(content, printed, doctest.ELLIPSIS)
            assert same, f"the page says:\n{content}\nbut this is printed:\n{printed}"
            printed = ""
            n_compared += 1
            continue
        assert printed == "", f"the page does not say that this is printed:\n{printed}"
        if kind == "bash":
            run_commands(content)
            continue
        assert kind == "python", f"a block of {kind!r} is run by nobody"
        with contextlib.redirect_stdout(io.StringIO()) as output:
            exec(compile(content, page, "exec"), names)
        printed = re.sub(r" +$", "", output.getvalue(), flags=re.MULTILINE)
    assert printed == ""
    assert n_compared > 3


def run_commands(content: str) -> None:
    """Every line calls elseif; but for installing it, which had to come before the tests."""
    for line in content.splitlines():
        program, *arguments = shlex.split(line)
        if (program, arguments[0]) == ("pip", "install"):
            continue
        assert program == "elseif", line
        done = subprocess.run(
            [sys.executable, "-m", "elseif", *arguments],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "NO_COLOR": "1", "TERM": "dumb"},
        )
        assert done.returncode == 0, f"{line}\n{done.stderr}"
        assert done.stdout, line
