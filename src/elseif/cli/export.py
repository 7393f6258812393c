"""elseif export MODEL --to FORMAT: the list where it will be used."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import Force, LabelsFile, MinCell, OutFile
from elseif.cli.output import check_is_folder, check_outputs, save, say_saved, write_data
from elseif.cli.problems import say
from elseif.cli.settings import named_values
from elseif.cli.show import Which
from elseif.errors import ParamError

ONLY = "Of some formats"
# options of the program that are called otherwise in Python
SAID = {
    "which": "list",
    "units": "unit",
    "questions": "question",
    "ranges": "range",
    "version": "library-version",
    "index_table": "index-table",
}

LibraryName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="cql, fhir: name of the library.", rich_help_panel=ONLY),
]
LibraryVersion = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="cql, fhir: version of the library; 1.0.0 without it.",
        rich_help_panel=ONLY,
    ),
]
CanonicalUrl = Annotated[
    str | None,
    typer.Option(
        metavar="URL",
        help="fhir: where canonical URLs begin, such as https://example.org/fhir.",
        rich_help_panel=ONLY,
    ),
]


class To(StrEnum):
    """The formats that there are."""

    TEXT = "text"
    MARKDOWN = "markdown"
    LATEX = "latex"
    SQL = "sql"
    PMML = "pmml"
    ONNX = "onnx"
    DMN = "dmn"
    CQL = "cql"
    FHIR = "fhir"
    PYTHON = "python"
    JAVASCRIPT = "javascript"
    CDM_SQL = "cdm-sql"
    PLP = "plp"
    CALCULATOR = "calculator"
    JSON = "json"


FOR_PROGRAMS = (To.SQL, To.CDM_SQL, To.PLP, To.PMML, To.ONNX, To.PYTHON, To.JAVASCRIPT)


def export(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...",
            help="Model file, made by fit; several for one calculator of them all.",
            show_default=False,
        ),
    ],
    to: Annotated[To, typer.Option(metavar="FORMAT", help=f"One of {', '.join(To)}.")],
    out: OutFile = None,
    which: Annotated[
        Which | None,
        typer.Option(
            "--list",
            metavar="|".join(Which),
            help="The point estimate, the most probable list drawn or the projected list; without "
            "it, what predicts.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    level: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="text, markdown, latex, dmn, cql, fhir: level of the intervals.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    dialect: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="sql, cdm-sql: dialect, such as postgres.", rich_help_panel=ONLY
        ),
    ] = None,
    table: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="sql: table to select from.", rich_help_panel=ONLY),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="cdm-sql: schema of the CDM's tables.", rich_help_panel=ONLY
        ),
    ] = None,
    index_table: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="cdm-sql: table with person_id and index_date; without it, the index condition "
            "of the model's cohort.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    name: LibraryName = None,
    library_version: LibraryVersion = None,
    url: CanonicalUrl = None,
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
    expected: Annotated[
        list[str] | None,
        typer.Option(
            "--range",
            metavar="COLUMN=LOW:HIGH",
            help="calculator: range to expect of a number or date, in place of that of the "
            "training data; may be repeated.",
            rich_help_panel=ONLY,
        ),
    ] = None,
    about: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HEADING=TEXT",
            help='calculator: what users should know, such as "When to use=..."; may be repeated.',
            rich_help_panel=ONLY,
        ),
    ] = None,
    labels: LabelsFile = None,
    min_cell: MinCell = None,
    force: Force = False,
) -> None:
    """Write the list in another format, or several lists as one calculator."""
    if to is To.PLP:
        _check_folder(out)
    else:
        check_outputs([out], force, models)
    if out is None and to is To.ONNX:
        raise ParamError(f"--to {to.value} is a binary file; say where: --out FILE.")
    options = {
        "which": None if which is None else which.value,
        "level": level,
        "dialect": dialect,
        "table": table,
        "schema": schema,
        "index_table": index_table,
        "name": name,
        "version": library_version,
        "url": url,
        "title": title,
        "units": dict(named_values(unit, "--unit")) if unit else None,
        "questions": dict(named_values(question, "--question")) if question else None,
        "ranges": ranges(expected) if expected else None,
        "about": dict(named_values(about, "--about")) if about else None,
    }
    given: dict[str, Any] = {n: value for n, value in options.items() if value is not None}
    if labels is not None and to in FOR_PROGRAMS:
        say(f"note: --labels changes nothing here: {to.value} keeps the names of the columns.")
    if to is To.PLP:
        assert out is not None
        given |= {"folder": out, "force": force}
    content = exported(models, to, given, min_cell, labels)
    if to is To.PLP:
        say_saved("Folder", content)
    elif out is not None:
        save(to.value, out, content, force)
    else:
        write_data(content if content.endswith("\n") else content + "\n")


def _check_folder(out: Path | None) -> None:
    if out is None:
        raise ParamError("--to plp is a folder; say where: --out FOLDER.")
    check_is_folder(out)


def ranges(given: list[str]) -> dict[str, tuple[str, str]]:
    """The ranges to expect, by column."""
    told = {}
    for column, text in named_values(given, "--range"):
        low, colon, high = text.partition(":")
        if not colon:
            raise ParamError(f"--range {column}={text}: it must be COLUMN=LOW:HIGH.")
        told[column] = (low.strip(), high.strip())
    return told


def exported(
    paths: list[Path],
    to: To,
    options: dict[str, Any],
    min_cell: int | None = None,
    labels: Path | None = None,
) -> Any:
    """The model in another format; an option that the format lacks is refused."""
    from elseif.cli.models import read

    if to is To.CALCULATOR:
        from elseif.report.calculator import calculator_page

        write: Callable[..., Any] = calculator_page
    elif to is To.CDM_SQL:
        from elseif.ohdsi import to_cdm_sql

        write = to_cdm_sql
    elif to is To.PLP:
        from elseif.ohdsi import save_plp_model

        write = save_plp_model
    else:
        from elseif.export.formats import FORMATS

        write = FORMATS[to.value].write
    known = signature(write).parameters
    for name in options:
        if name not in known:
            raise ParamError(f"--{SAID.get(name, name)} is no option of {to.value}.")
    from elseif.export.disclosed import disclosed

    if len(paths) > 1 and to is not To.CALCULATOR:
        raise ParamError(f"--to {to.value} takes one model, not {len(paths)}.")
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else list(map(str, paths))
    if len(set(names)) < len(names):
        raise ParamError("A model file is given twice.")
    models = [disclosed(read(path, labels), min_cell) for path in paths]
    with activity(f"Writing {to.value}"):
        if len(models) == 1:
            return write(models[0], **options)
        return write(dict(zip(names, models, strict=True)), **options)
