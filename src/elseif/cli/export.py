"""elseif export MODEL --to FORMAT: the list where it will be used."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.arguments import Force, MinCell, ModelFile, OutFile
from elseif.cli.output import check_outputs, save, write_data
from elseif.cli.settings import named_values
from elseif.cli.show import Which
from elseif.errors import ParamError

ONLY = "Of some formats"


class To(StrEnum):
    """The formats that there are."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    SQL = "sql"
    PMML = "pmml"
    ONNX = "onnx"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    CALCULATOR = "calculator"
    JSON = "json"


def export(
    model: ModelFile,
    to: Annotated[To, typer.Option(metavar="FORMAT", help=f"One of {', '.join(To)}.")],
    out: OutFile = None,
    which: Annotated[
        Which | None,
        typer.Option(
            "--list",
            metavar="point|map",
            help="The point estimate, or the most probable list drawn; without it, what predicts.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="text, markdown, latex: level of the intervals.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="sql: dialect, such as postgres.", rich_help_panel=ONLY),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="sql: table to select from.", rich_help_panel=ONLY),
    ] = None,
    title: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="calculator: title of the page.", rich_help_panel=ONLY),
    ] = None,
    unit: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=UNIT",
            help="calculator: unit of a number, such as age=years; may be repeated.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    question: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=WORDS",
            help="calculator: words to ask for a column with; may be repeated.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    min_cell: MinCell = None,
    force: Force = False,
) -> None:
    """Write the list in another format."""
    check_outputs([out], force, [model])
    if out is None and to is To.ONNX:
        raise ParamError(f"--to {to.value} is a binary file; say where: --out FILE.")
    options = {
        "which": None if which is None else which.value,
        "level": level,
        "dialect": dialect,
        "table": table,
        "title": title,
        "units": dict(named_values(unit, "--unit")) if unit else None,
        "questions": dict(named_values(question, "--question")) if question else None,
    }
    given = {name: value for name, value in options.items() if value is not None}
    content = exported(model, to, given, min_cell)
    if out is not None:
        save(to.value, out, content, force)
    else:
        write_data(content if content.endswith("\n") else content + "\n")


def exported(path: Path, to: To, options: dict[str, Any], min_cell: int | None = None) -> Any:
    """The model in another format; an option that the format lacks is refused."""
    from elseif.cli.models import read

    if to is To.CALCULATOR:
        from elseif.report.calculator import calculator_page

        write: Callable[..., str | bytes] = calculator_page
    else:
        from elseif.export.formats import FORMATS

        write = FORMATS[to.value].write
    known = signature(write).parameters
    for name in options:
        if name not in known:
            said = {"which": "list", "units": "unit", "questions": "question"}.get(name, name)
            raise ParamError(f"--{said} is no option of {to.value}.")
    from elseif.export.disclosed import disclosed

    return write(disclosed(read(path), min_cell), **options)
