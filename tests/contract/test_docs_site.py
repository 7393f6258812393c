"""The documentation's links lead somewhere, its names exist, and its code is run."""

from __future__ import annotations

import ast
import importlib
import re
import subprocess
import sys
from functools import reduce
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = [*sorted((ROOT / "docs").glob("*.md")), ROOT / "README.md", ROOT / "CHANGELOG.md"]
FENCE = re.compile(r"^(```+).*?^\1$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"`([^`]+)`")


def headings(page: Path) -> set[str]:
    """The anchors that code hosts and MyST make of a page's headings."""
    text = FENCE.sub("", page.read_text("utf-8"))
    titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links(page: Path) -> None:
    """Every relative link is to a file that is there, and to a heading that it has."""
    for target in LINK.findall(FENCE.sub("", page.read_text("utf-8"))):
        if re.match(r"[a-z]+:", target):
            assert target.startswith("https://"), target
            continue
        path, _, anchor = target.partition("#")
        file = (page.parent / path).resolve() if path else page
        assert file.is_file(), f"{page.name} links to {target}, which is not there"
        assert ROOT in file.parents
        if anchor:
            assert anchor in headings(file), f"{page.name} links to {target}: no such heading"


def test_every_page_is_on_the_site() -> None:
    """The index leads to all pages and to no other."""
    index = (ROOT / "docs" / "index.md").read_text("utf-8")
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", index, re.MULTILINE | re.DOTALL)
    listed = [
        line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")
    ]
    pages = {page.stem for page in (ROOT / "docs").glob("*.md")} - {"index"}
    assert sorted(listed) == sorted(pages)


def method_rows() -> list[tuple[str, str, str]]:
    """Paper, functions and tests, row by row, of the table in method.md."""
    text = (ROOT / "docs" / "method.md").read_text("utf-8")
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in text.splitlines() if line[:2] == "| "]
    assert [cell.strip() for cell in rows[0]] == ["in the paper", "function", "test"]
    return [(paper.strip(), functions, tests) for paper, functions, tests in rows[1:]]


def test_the_method_s_functions_exist() -> None:
    """Every function named beside an equation can be imported."""
    named = [name for _, functions, _ in method_rows() for name in CODE.findall(functions)]
    assert len(named) > 25
    for name in named:
        module, _, attribute = name.partition(":")
        union = reduce(getattr, attribute.split("."), importlib.import_module(f"elseif.{module}"))
        assert union is not None, name


def test_the_method_s_tests_exist() -> None:
    """Every test named beside an equation is in the file that is named with it."""
    rows = method_rows()
    for paper, _, tests in rows:
        assert CODE.findall(tests), f"{paper} has no test"
    for name in {name for _, _, tests in rows for name in CODE.findall(tests)}:
        path, _, function = name.partition("::")
        tree = ast.parse((ROOT / path).read_text("utf-8"))
        assert function.startswith("test_")
        assert function in {n.name for n in tree.body if isinstance(n, ast.FunctionDef)}, name


def build(folder: Path, page: str) -> subprocess.CompletedProcess[str]:
    """A site of one page, built as ``make docs`` builds this one."""
    source = folder / "source"
    source.mkdir()
    source.joinpath("conf.py").write_text(
        f"import sys\nsys.path.insert(0, {str(ROOT / 'docs' / '_ext')!r})\n"
        "extensions = ['myst_parser', 'running_code']\n"
    )
    source.joinpath("index.md").write_text(page, "utf-8")
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", source, folder / "site"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_code_is_run_and_shown(tmp_path: Path) -> None:
    """Blocks share their names; output, a picture with its words and files come to the site."""
    page = (
        "# Page\n\n"
        "```{run}\nn = 20 + 1\nprint('twice', 2 * n)\nopen('made.html', 'w').close()\n```\n\n"
        "```{run}\n:alt: a straight line\nfrom matplotlib.figure import Figure\nfigure = Figure()\n"
        "figure.subplots().plot([1, n])\nfigure\n```\n"
    )
    done = build(tmp_path, page)
    assert (done.returncode, done.stderr) == (0, "")
    built = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert "twice 42" in built
    assert 'href="files/made.html"' in built
    assert (tmp_path / "site" / "files" / "made.html").exists()
    assert 'alt="a straight line"' in built
    assert len(list((tmp_path / "site" / "_images").glob("*.png"))) == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import warnings\nwarnings.warn('look out')", "UserWarning: look out"),
        ("from matplotlib.figure import Figure\nFigure()", "A picture needs :alt:"),
    ],
)
def test_code_that_fails_fails_the_build(code: str, said: str, tmp_path: Path) -> None:
    """An error, a warning, and a picture without words."""
    done = build(tmp_path, f"# Page\n\n```{{run}}\n{code}\n```\n")
    assert done.returncode != 0
    assert said in done.stderr
