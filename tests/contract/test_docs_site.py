"""The documentation's links lead somewhere, and the names in its tables exist."""

from __future__ import annotations

import ast
import importlib
import re
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
        found = reduce(getattr, attribute.split("."), importlib.import_module(f"elseif.{module}"))
        assert found is not None, name


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
