"""The examples of the documentation run, and print what the page says."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
from pathlib import Path

import pytest

from tests.cli.program import run_here
from tests.contract.given_to_readers import GIVEN

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
BLOCK = re.compile(r"^```([^`\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# pages whose printed output is compared, and how many outputs each has at least
WITH_OUTPUT = {"start.md": 4, "explaining.md": 4, "rare-outcomes.md": 3, "tutorial.md": 9}
# what a block says of itself where it cannot run here: it takes a database of the reader's,
# minutes, or another folder
NO_RUN = " no-run"
RUN = ("python", "bash", "console")


@pytest.mark.parametrize("page", WITH_OUTPUT)
def test_examples(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block of Python runs after those before it; the text that follows is its output."""
    blocks = blocks_of(DOCS / page)
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
    assert n_compared >= WITH_OUTPUT[page]


@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning:ibis")
@pytest.mark.parametrize("page", GIVEN)
def test_snippets(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each block runs after those before it, on the tables that the page takes for granted."""
    monkeypatch.chdir(tmp_path)
    names = GIVEN[page]()
    for kind, content in blocks_of(ROOT / page):
        if kind == "python":
            exec(compile(content, page, "exec"), names)
        elif kind in ("bash", "console"):
            run_commands(content.replace("$ ", ""))
    if page == "README.md":
        shown = next(content for kind, content in blocks_of(ROOT / page) if kind == "text")
        assert f"{names['clf'].rule_list_}\n" == shown


def test_every_page_is_run() -> None:
    """Or its blocks say that they are not; nothing else may stand behind a language."""
    pages = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
    run = {
        *GIVEN,
        *(f"docs/{page}" for page in WITH_OUTPUT),
        "docs/cli.md",
    }  # tests/cli/test_page.py
    with_code = set()
    for page in pages:
        for info, _ in blocks_of(page):
            language = info.split(" ")[0]
            if language in RUN:
                assert info in (language, language + NO_RUN), f"{page.name}: {info!r}"
            if info in RUN:
                with_code.add(page.relative_to(ROOT).as_posix())
            assert info, f"{page.name} has a block of no language"
    assert with_code == run


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """What stands behind the opening fence, and the content."""
    return BLOCK.findall(page.read_text("utf-8"))


def run_commands(content: str) -> None:
    """Every line calls elseif; but for installing it, which had to come before the tests."""
    for line in content.splitlines():
        program, *arguments = shlex.split(line, comments=True)
        if (program, arguments[0]) == ("pip", "install"):
            continue
        assert program == "elseif", line
        ended = run_here(*arguments)
        assert ended.code == 0, f"{line}\n{ended.err}"
        assert ended.out, line
