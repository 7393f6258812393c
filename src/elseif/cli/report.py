"""elseif report MODEL TABLE: one HTML page on how a list was made and how well it does."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.output import check_outputs, say_saved

if TYPE_CHECKING:
    from elseif.cli.tables import Read


def report(
    model: Annotated[Path, typer.Argument(help="Model file.", show_default=False)],
    table: Annotated[
        Path, typer.Argument(help="The table that the list was learnt from.", show_default=False)
    ],
    out: Annotated[Path, typer.Option(help="The page to write.")] = Path("report.html"),
    label: Annotated[
        str | None, typer.Option(help="Column of the label, where it is named otherwise.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    folds: Annotated[
        int | None, typer.Option(min=2, help="Folds of the cross-validation.")
    ] = 5,
    holdout: Annotated[
        Path | None, typer.Option(help="A table that the list has not seen, to judge it by.")
    ] = None,
    subgroup: Annotated[
        list[str], typer.Option(help="Column to judge subgroups by; may be repeated.")
    ] = [],  # noqa: B006
    min_cell: Annotated[
        int | None, typer.Option(min=2, help="Withhold counts of fewer people than this.")
    ] = None,
    title: Annotated[str | None, typer.Option(help="Title of the page.")] = None,
    explorer: Annotated[
        Path | None, typer.Option(help="Also write a page to explore and edit good lists.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Write a report: the list, its validation out of sample, convergence, and settings."""
    check_outputs([out, explorer], force)
    from elseif.cli.models import outcome_of, positive_name
    from elseif.cli.tables import read_labelled
    from elseif.export.model_file import load_model
    from elseif.export.model import Model

    classifier = load_model(model)
    loaded = Model.of(classifier)
    column = outcome_of(loaded, label)
    read = read_labelled(
        table, column, positive=positive_name(loaded), weight=weight, kinds=classifier.kinds
    )
    seen = None
    if holdout is not None:
        other = read_labelled(
            holdout, column, positive=positive_name(loaded), kinds=classifier.kinds
        )
        seen = (other.X, other.y)
    write_report_file(
        classifier, read, out, force, sys.stderr.isatty(), folds=folds, holdout=seen,
        subgroups=subgroup or None, min_cell=min_cell, title=title,
    )  # fmt: skip
    if explorer is not None:
        from elseif.export.safe_files import write_atomically
        from elseif.report.explorer import explorer_page

        page = explorer_page(classifier, read.X, read.y, min_cell=min_cell)
        write_atomically(explorer, page, force)
        say_saved("Explorer", explorer)


def write_report_file(
    classifier: Any, read: Read, path: Path, force: bool, verbose: bool, **options: Any
) -> None:
    """Summarise and write the page."""
    from elseif.export.safe_files import write_atomically
    from elseif.progress import Progress, ProgressBar
    from elseif.report.report import write_report
    from elseif.report.summary import summarise

    summary = summarise(
        classifier,
        read.X,
        read.y,
        sample_weight=read.weights,
        progress=ProgressBar() if verbose else Progress(),
        command=shlex.join(["elseif", *sys.argv[1:]]),
        **options,
    )
    write_atomically(path, write_report(summary), force)
    say_saved("Report", path)
