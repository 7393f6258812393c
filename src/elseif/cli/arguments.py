"""Arguments and options shared by several commands, each declared once."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.activity import be_quiet
from elseif.cli.standard_input import table_path
from elseif.errors import LargeDataWarning

OUTPUT = "Output"


def _without_sizes(quiet: bool) -> bool:
    """Suppress progress and memory notes until the command ends."""
    be_quiet(quiet)
    if quiet:
        warnings.simplefilter("ignore", LargeDataWarning)
    return quiet


def min_cell_option(text: str) -> typer.models.OptionInfo:
    """The option for the minimum cell."""
    option: typer.models.OptionInfo = typer.Option("--min-cell", min=2, metavar="NUMBER", help=text)
    return option


ModelFile = Annotated[
    Path,
    typer.Argument(metavar="MODEL", help="Model file, made by fit.", show_default=False),
]
TableFile = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="CSV, TSV or Parquet file, or a cohort folder; - for standard input.",
        show_default=False,
        callback=table_path,
    ),
]
TableFileOrNone = Annotated[
    Path | None,
    typer.Argument(
        metavar="[TABLE]",
        help="CSV, TSV or Parquet file, or a cohort folder; - for standard input.",
        show_default=False,
        callback=table_path,
    ),
]
TrainingTable = Annotated[
    Path,
    typer.Argument(
        metavar="TABLE",
        help="The table that the list was learnt from; - for standard input.",
        show_default=False,
        callback=table_path,
    ),
]
OutFile = Annotated[
    Path | None,
    typer.Option("--out", metavar="FILE", help="File to write; by default, standard output."),
]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="Column of the label, if its name differs from that in fit.",
    ),
]
LearntLabel = Annotated[
    str | None,
    typer.Option(
        "--label",
        metavar="COLUMN",
        help="Column to predict; for a cohort folder, its outcome by default.",
        show_default=False,
    ),
]
PositiveLabel = Annotated[
    str | None,
    typer.Option("--positive", metavar="LABEL", help="The label whose probability is wanted."),
]
DropColumns = Annotated[
    list[str],
    typer.Option("--drop", metavar="COLUMN", help="Column to leave out; may be repeated."),
]
WeightColumn = Annotated[
    str | None, typer.Option("--weight", metavar="COLUMN", help="Column of row weights.")
]
LabelsFile = Annotated[
    Path | None,
    typer.Option(
        "--labels",
        metavar="FILE",
        help="YAML file of names, units and words to show; see elseif labels.",
    ),
]
MinCell = Annotated[
    int | None,
    min_cell_option("Round all numbers of people in the files to multiples of this."),
]
Title = Annotated[str | None, typer.Option("--title", metavar="TEXT", help="Title of the page.")]
Force = Annotated[
    bool,
    typer.Option("--force", help="Overwrite existing files.", rich_help_panel=OUTPUT),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet",
        help="No progress bars and no notes on memory use.",
        rich_help_panel=OUTPUT,
        callback=_without_sizes,
    ),
]


def output_file(text: str) -> typer.models.OptionInfo:
    """An option for a file that a command writes."""
    option: typer.models.OptionInfo = typer.Option(
        metavar="FILE", help=text, rich_help_panel=OUTPUT
    )
    return option


SavedModel = Annotated[Path | None, output_file("Save the model here (JSON).")]
WithoutPosterior = Annotated[
    bool,
    typer.Option(
        "--without-posterior",
        help="Leave the posterior's lists out of the model: a smaller file.",
        rich_help_panel=OUTPUT,
    ),
]
VocabularySchema = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Schema of concept and concept_ancestor, if different.",
        rich_help_panel="Database",
    ),
]
ResultsSchema = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help="Schema of the table cohort, to which ATLAS writes, if different.",
        rich_help_panel="Database",
    ),
]
