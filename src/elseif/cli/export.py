"""elseif export MODEL --to FORMAT: the list where it will be used."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.output import check_outputs, say_saved
from elseif.errors import ParamError


class To(StrEnum):
    """The formats that there are."""

    JSON = "json"
    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    SQL = "sql"
    PMML = "pmml"
    ONNX = "onnx"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    CALCULATOR = "calculator"


def export(
    model: Annotated[Path, typer.Argument(help="Model file.", show_default=False)],
    to: Annotated[To, typer.Option(help="Format.")],
    out: Annotated[
        Path | None, typer.Option(help="File to write; without it, to the screen.")
    ] = None,
    dialect: Annotated[str | None, typer.Option(help="sql: dialect, such as postgres.")] = None,
    table: Annotated[str | None, typer.Option(help="sql: table to select from.")] = None,
    title: Annotated[str | None, typer.Option(help="calculator: title of the page.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Write the list in another format."""
    check_outputs([out], force)
    options: dict[str, Any] = {"dialect": dialect, "table": table, "title": title}
    given = {name: value for name, value in options.items() if value is not None}
    content = _content(model, to, given)
    if out is None and isinstance(content, bytes):
        raise ParamError(f"--to {to.value} is a binary file; say where: --out FILE.")
    if out is None:
        sys.stdout.write(content if content.endswith("\n") else content + "\n")
        return
    from elseif.export.safe_files import write_atomically

    write_atomically(out, content, force)
    say_saved(to.value, out)


def _content(path: Path, to: To, options: dict[str, Any]) -> Any:
    from elseif.cli.models import read

    model = read(path)
    if to is To.CALCULATOR:
        from elseif.report.calculator import calculator_page

        odd = set(options) - {"title"}
        if odd:
            raise ParamError(f"calculator has no option --{odd.pop()}.")
        return calculator_page(model, **options)
    from elseif.export.formats import export_model

    return export_model(model, to.value, **options)
