"""Advice is in the syntax of where the user is: every message of the package, in options."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pandas as pd
import pytest

import elseif as package
from elseif import BayesianRuleListClassifier
from elseif.cli.in_options import SAID_WITH_VALUE, UNMISTAKABLE, in_options
from tests.cli.conftest import QUICK, Run

SOURCE = Path(package.__file__).parent
# a setting with a value, or by a name that is no word of English
PYTHON = re.compile(
    rf"(?<![\w'\"-])(({'|'.join(SAID_WITH_VALUE)})\s?=\s?[\w'\"{{\[(]|({'|'.join(UNMISTAKABLE)})\b(?!['\"]))"
)
# code that is written, not said; and what only Python users can do
NOT_SAID = {"export/dmn.py", "export/pmml.py", "export/python_code.py", "export/javascript_code.py"}
ROOMS_WITHOUT = {"cli", "compiled"}


@cache
def messages(file: Path) -> dict[str, str]:
    """Every text of a file that names a setting as Python does, filled in with names."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    skipped = set(_docstrings(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
    result = {}
    for node in ast.walk(tree):
        text = None if id(node) in skipped else _text(node)
        if text is not None and " " in text and PYTHON.search(text):
            result[f"{file.name}:{getattr(node, 'lineno', 0)}"] = text
    return result


def _docstrings(tree: ast.AST) -> Iterator[int]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef):
            first = node.body[0] if node.body else None
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                yield id(first.value)


def _text(node: ast.AST) -> str | None:
    """A text; where names and values are filled in, one with a blank and a quote."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        else:
            is_repr = getattr(part, "conversion", -1) == ord("r")
            parts.append(repr("Crohn's ward") if is_repr else "0.5")
    return "".join(parts)


def _files() -> Iterator[Path]:
    """Files that name a setting at all."""
    names = re.compile("|".join((*SAID_WITH_VALUE, *UNMISTAKABLE)))
    for path in sorted(SOURCE.rglob("*.py")):
        relative = path.relative_to(SOURCE)
        if relative.parts[0] in ROOMS_WITHOUT or str(relative) in NOT_SAID:
            continue
        if names.search(path.read_text(encoding="utf-8")):
            yield path


FILES = list(_files())


def test_there_are_messages_to_look_at() -> None:
    texts = [text for file in FILES for text in messages(file).values()]
    assert len(texts) > 40
    assert any("kinds={" in text for text in texts)


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(SOURCE)))
def test_no_message_names_a_setting_as_python_does(file: Path) -> None:
    said = {index: in_options(text) for index, text in messages(file).items()}
    assert not {index: text for index, text in said.items() if PYTHON.search(text)}
    assert not {index: text for index, text in said.items() if "={" in text or "=(" in text}


@pytest.mark.parametrize(
    ("python", "said"),
    [
        ("kinds={'id': 'category'} keeps it", "--kinds id=category keeps it"),
        ("kinds={'ward no': 'date'}.", "--kinds 'ward no=date'."),
        ("kinds={\"a'b\": 'date'}, or", "--kinds 'a'\"'\"'b=date', or"),
        ("by kinds={'s': [...]}, or 'category'", "by --kinds s=A,B,C, or 'category'"),
        ("pass na_values='see letter';", "pass --na-values 'see letter';"),
        ("say date_format='%d.%m.%y'.", "say --date-format %d.%m.%y."),
        ("kinds['a b'] is 'x'; it", "--kinds a b is 'x'; it"),
        ("the column 'min_support' is", "the column 'min_support' is"),
        ("min_support=0.1; lower min_support.", "--min-support 0.1; lower --min-support."),
        ("kinds={'never closed", "kinds={'never closed"),
    ],
)  # fmt: skip
def test_values_are_said_as_a_shell_takes_them(python: str, said: str) -> None:
    assert in_options(python) == said


def test_what_fit_prints_is_in_options(elseif: Run, tmp_path: Path) -> None:
    """Columns left out, notes, and warnings alike; in Python the same advice is Python."""
    rows = [f"p{i:04d},{40 + i % 40},{int(i % 25 == 3)}" for i in range(300)]
    path = tmp_path / "t.csv"
    path.write_text("who is it,age,dead\n" + "\n".join(rows) + "\n")
    ended = elseif("fit", path, "--label", "dead", *QUICK)
    assert ended.code == 0, ended.err
    assert "--kinds 'who is it=category' keeps it" in " ".join(ended.out.split())
    assert "--support-in any_class" in " ".join(ended.out.split())
    assert not PYTHON.search(ended.out + ended.err)
    table = pd.read_csv(path)
    with pytest.warns(UserWarning, match="kinds={'who is it': 'category'}"):
        BayesianRuleListClassifier(random_state=0, n_iter=2000).fit(
            table.iloc[:, :2], table["dead"]
        )


def test_advice_that_is_followed_works(elseif: Run, tmp_path: Path) -> None:
    """The option that a refusal names, copied from it, is taken."""
    path = tmp_path / "t.csv"
    lines = [f"{3 + i % 9:02d}/{1 + i % 12:02d}/2020,{i % 2}" for i in range(100)]
    path.write_text("seen,dead\n" + "\n".join(lines) + "\n")
    refused = elseif("fit", path, "--label", "dead", *QUICK)
    assert refused.code == 3
    option = re.search(r"--date-format dmy", refused.err)
    assert option is not None, refused.err
    assert elseif("fit", path, "--label", "dead", *option[0].split(), *QUICK).code == 0
