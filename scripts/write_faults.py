"""Write the table of docs/faults.md from the tests: ``@pytest.mark.fault(number, what, answer)``.

    python scripts/write_faults.py

A test that is about a fault says which one, what is wrong, and what happens then. Tests are read,
not run; ``tests/contract/test_faults_table.py`` fails where the table is not current.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE, TESTS = ROOT / "docs" / "faults.md", ROOT / "tests"
HEAD = "| number | input | what happens | test |\n|---|---|---|---|\n"


@dataclass(frozen=True)
class Fault:
    """A row of the table."""

    number: str  # "65-70" for several; empty for none
    what: str
    answer: str
    test: str  # file and function

    @property
    def order(self) -> tuple[int, str, str]:
        """By the first number; those without one at the end."""
        first = re.match(r"[0-9]+", self.number)
        return int(first[0]) if first else 10**6, self.number, self.test

    def row(self) -> str:
        """As Markdown."""
        cells = (self.number, self.what, self.answer, f"`{self.test}`")
        return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |\n"


def faults() -> list[Fault]:
    """What the tests say."""
    all_faults = [each for path in sorted(TESTS.rglob("test_*.py")) for each in _of_file(path)]
    return sorted(all_faults, key=lambda fault: fault.order)


def _of_file(path: Path) -> Iterator[Fault]:
    for function in ast.parse(path.read_text(encoding="utf-8")).body:
        if not isinstance(function, ast.FunctionDef):
            continue
        for mark in function.decorator_list:
            if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.fault":
                number, what, answer = (ast.literal_eval(argument) for argument in mark.args)
                test = f"{path.relative_to(TESTS).as_posix()}::{function.name}"
                yield Fault(str(number), what, answer, test)


def page() -> str:
    """The page with the table of now."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, after = text.partition("| number |")
    rest = re.sub(r"\A(?:.*\|\n?)+", "", after)
    return before + HEAD + "".join(fault.row() for fault in faults()) + rest


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
