"""The examples of the documentation run, and print what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parents[2] / "docs"
BLOCK = re.compile(r"^```(python|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", ["explaining.md"])
def test_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of Python runs after those before it; the text that follows is its output."""
    blocks = BLOCK.findall((DOCS / page).read_text("utf-8"))
    assert blocks
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    printed = ""
    n_compared = 0
    for kind, content in blocks:
        if kind == "python":
            assert printed == "", f"the page does not say that this is printed:\n{printed}"
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(content, page, "exec"), names)
            printed = output.getvalue()
            continue
        same = doctest.OutputChecker().check_output(content, printed, doctest.ELLIPSIS)
        assert same, f"the page says:\n{content}\nbut this is printed:\n{printed}"
        printed = ""
        n_compared += 1
    assert printed == ""
    assert n_compared > 3
