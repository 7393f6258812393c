"""The examples of docs/cli.md, run in their order."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from elseif.datasets import load_titanic
from tests.cli.program import run_here

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"
# said once, by whatever is the first to call compiled code on a machine
COMPILING = re.compile(r"^elseif: compiling what is used.*\n", re.MULTILINE)
BLOCK = re.compile(r"```(json|yaml|console)\n(.*?)```", re.DOTALL)


def test_examples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Output is as the page has it; three points stand for any text within a line or lines."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    X, y = load_titanic("paper")
    X.assign(survival=y).to_csv(tmp_path / "titanic.csv", index=False)
    page = PAGE.read_text(encoding="utf-8")
    n_run = 0
    for kind, content in BLOCK.findall(page):
        if kind == "json":
            (tmp_path / "edited.json").write_text(content, encoding="utf-8")
            continue
        if kind == "yaml":
            (tmp_path / "labels.yaml").write_text(content, encoding="utf-8")
            continue
        command, _, expected = content.partition("\n")
        arguments = shlex.split(command.removeprefix("$ elseif "))
        replaced = COMPILING.sub("", run_here(*arguments, together=True).out)
        pattern = ".*?".join(map(re.escape, expected.split("...")))
        assert re.fullmatch(pattern, replaced, re.DOTALL), f"{command}\n{replaced}"
        n_run += 1
    assert n_run >= 8
