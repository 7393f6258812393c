"""Files, functions and signatures stay short; ``python -m tests.contract.test_sizes`` tells."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import elseif

SOURCE = Path(elseif.__file__).parent
MOST_FILE_LINES = 500
MOST_LINES = 80  # of a function, without its docstring
MOST_PARAMETERS = 12
# settings of the model, and the numbers that a sample size depends on, all of them named
WITH_MORE = {"estimator.py:__init__", "cli/samplesize.py:samplesize"}
WITH_MORE.add("evaluation/sample_size_validation.py:validation_sample_size")


class Size(NamedTuple):
    """How long a function is, and how much it is told."""

    place: str
    n_lines: int
    n_parameters: int


def sizes() -> Iterator[Size]:
    """Of every function and method of the source."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            body, arguments = node.body, node.args
            n_lines = (node.end_lineno or 0) - node.lineno + 1
            if ast.get_docstring(node) is not None:
                n_lines -= (body[0].end_lineno or 0) - body[0].lineno + 1
            named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
            n = len(named) + (arguments.vararg is not None) + (arguments.kwarg is not None)
            yield Size(f"{path.relative_to(SOURCE).as_posix()}:{node.name}", n_lines, n)


def test_functions_are_short() -> None:
    assert [size for size in sizes() if size.n_lines > MOST_LINES] == []


def test_functions_are_told_little() -> None:
    result = {size.place for size in sizes() if size.n_parameters > MOST_PARAMETERS}
    assert result <= WITH_MORE, "options that belong together are a dataclass: cli/option_groups.py"


def test_files_are_short() -> None:
    n_lines = {path: len(path.read_text("utf-8").splitlines()) for path in SOURCE.rglob("*.py")}
    assert {path.name: n for path, n in n_lines.items() if n >= MOST_FILE_LINES} == {}


def main() -> None:
    """Print the longest functions, and those with most parameters."""
    values = list(sizes())
    for size in sorted(values, key=lambda size: -size.n_lines)[:10]:
        print(f"{size.n_lines:4} lines       {size.place}")
    for size in sorted(values, key=lambda size: -size.n_parameters)[:10]:
        print(f"{size.n_parameters:4} parameters  {size.place}")


if __name__ == "__main__":
    main()
