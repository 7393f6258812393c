"""elseif export MODEL --to FORMAT: the list in another format."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from inspect import signature
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import Force, LabelsFile, MinCell, OutFile
from elseif.cli.in_options import arguments_as_options
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import check_is_folder, check_outputs, save, say_saved, write_data
from elseif.cli.problems import say
from elseif.cli.settings import named_values
from elseif.cli.show import Which
from elseif.errors import ParamError
from elseif.files.unreadable import unreadable

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


class To(StrEnum):
    """The export formats."""

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


def _only(text: str, metavar: str, *names: str) -> Any:
    """An option that some formats have."""
    return typer.Option(*names, metavar=metavar, help=text, rich_help_panel=ONLY)


@dataclass(frozen=True)
class FormatOptions:
    """Options of some formats; the others refuse them."""

    which: Annotated[
        Which | None,
        _only(
            "The point estimate, the most probable list drawn or the projected list; by "
            "default, the one that predicts.",
            "|".join(Which),
            "--list",
        ),
    ] = None
    level: Annotated[
        float | None,
        _only("text, markdown, latex, dmn, cql, fhir: level of the intervals.", "NUMBER"),
    ] = None
    dialect: Annotated[str | None, _only("sql, cdm-sql: dialect, such as postgres.", "NAME")] = None
    table: Annotated[str | None, _only("sql: table to select from.", "NAME")] = None
    schema: Annotated[str | None, _only("cdm-sql: schema of the CDM's tables.", "NAME")] = None
    index_table: Annotated[
        str | None,
        _only(
            "cdm-sql: table with person_id and index_date; by default, the index condition of "
            "the model's cohort is used.",
            "NAME",
        ),
    ] = None
    name: Annotated[str | None, _only("cql, fhir: name of the library.", "NAME")] = None
    library_version: Annotated[
        str | None, _only("cql, fhir: version of the library (default 1.0.0).", "TEXT")
    ] = None
    url: Annotated[
        str | None,
        _only("fhir: where canonical URLs begin, such as https://example.org/fhir.", "URL"),
    ] = None
    title: Annotated[str | None, _only("calculator: title of the page.", "TEXT")] = None
    unit: Annotated[
        list[str] | None,
        _only("calculator: unit of a number, such as age=years; may be repeated.", "COLUMN=UNIT"),
    ] = None
    question: Annotated[
        list[str] | None,
        _only("calculator: question that asks for a column; may be repeated.", "COLUMN=WORDS"),
    ] = None
    expected: Annotated[
        list[str] | None,
        _only(
            "calculator: expected range of a number or date, instead of that of the training "
            "data; may be repeated.",
            "COLUMN=LOW:HIGH",
            "--range",
        ),
    ] = None
    about: Annotated[
        list[str] | None,
        _only(
            'calculator: what users should know, such as "When to use=..."; may be repeated.',
            "HEADING=TEXT",
        ),
    ] = None
    report: Annotated[
        Path | None,
        _only("calculator: the report on this model, whose out-of-sample AUC is shown.", "FILE"),
    ] = None

    def given(self) -> dict[str, Any]:
        """Those that were given, by their names in Python."""
        options = {
            "which": None if self.which is None else self.which.value,
            "level": self.level,
            "dialect": self.dialect,
            "table": self.table,
            "schema": self.schema,
            "index_table": self.index_table,
            "name": self.name,
            "version": self.library_version,
            "url": self.url,
            "title": self.title,
            "units": _named(self.unit, "--unit"),
            "questions": _named(self.question, "--question"),
            "ranges": ranges(self.expected) if self.expected else None,
            "about": _named(self.about, "--about"),
        }
        return {name: value for name, value in options.items() if value is not None}


def _named(given: list[str] | None, option: str) -> dict[str, str] | None:
    return dict(named_values(given, option)) if given else None


@takes_groups
def export(
    models: Annotated[
        list[Path],
        typer.Argument(
            metavar="MODEL...",
            help="Model file, made by fit; several for one calculator.",
            show_default=False,
        ),
    ],
    to: Annotated[To, typer.Option(metavar="FORMAT", help=f"One of {', '.join(To)}.")],
    *,
    out: OutFile = None,
    options: FormatOptions,
    labels: LabelsFile = None,
    min_cell: MinCell = None,
    force: Force = False,
) -> None:
    """Write the list in another format, or several lists as one calculator."""
    report = options.report
    if to is To.PLP:
        _check_folder(out)
    else:
        check_outputs([out], force, [*models, report])
    if report is not None and (to is not To.CALCULATOR or len(models) > 1):
        raise ParamError("--report is an option of --to calculator with one model.")
    given = options.given()
    if report is not None:
        given["about"] = {**from_report(report, models[0], labels), **given.get("about", {})}
    from elseif.export.formats import FORMATS

    format_ = FORMATS.get(to.value)  # None for the calculator and the folder
    if out is None and format_ is not None and format_.is_binary:
        raise ParamError(f"--to {to.value} is a binary file; give --out FILE.")
    if labels is not None and (to is To.PLP or (format_ is not None and not format_.shows_labels)):
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


def from_report(report: Path, model: Path, labels: Path | None) -> dict[str, str]:
    """The out-of-sample performance in an existing report."""
    from elseif.cli.models import read
    from elseif.report.out_of_sample import performance_in_report

    try:
        return performance_in_report(report, read(model, labels))
    except OSError as error:
        raise ParamError(f"--report: {unreadable(report, error)}") from error


def _check_folder(out: Path | None) -> None:
    if out is None:
        raise ParamError("--to plp writes a folder; give --out FOLDER.")
    check_is_folder(out)


def ranges(given: list[str]) -> dict[str, tuple[str, str]]:
    """The ranges to expect, by column."""
    ends = {}
    for column, text in named_values(given, "--range"):
        low, colon, high = text.partition(":")
        if not colon:
            raise ParamError(f"--range {column}={text}: it must be COLUMN=LOW:HIGH.")
        ends[column] = (low.strip(), high.strip())
    return ends


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
            raise ParamError(f"{_option(name)} is not an option of {to.value}.")
    from elseif.export.disclosed import disclosed

    if len(paths) > 1 and to is not To.CALCULATOR:
        raise ParamError(f"--to {to.value} takes one model, not {len(paths)}.")
    stems = [path.stem for path in paths]
    names = stems if len(set(stems)) == len(stems) else list(map(str, paths))
    if len(set(names)) < len(names):
        raise ParamError("A model file is given twice.")
    models = [disclosed(read(path, labels), min_cell) for path in paths]
    about = re.compile(rf"^({'|'.join(options) or '$'})(?= is |:)")
    with activity(f"Writing {to.value}"), arguments_as_options(about, _option):
        if len(models) == 1:
            return write(models[0], **options)
        return write(dict(zip(names, models, strict=True)), **options)


def _option(name: str) -> str:
    return f"--{SAID.get(name, name)}"
