"""elseif report MODEL TABLE: one HTML page on how a list was made and how well it does."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import (
    Force,
    LabelColumn,
    MinCell,
    ModelFile,
    Quiet,
    Title,
    TrainingTable,
    WeightColumn,
    output_file,
)
from elseif.cli.fit import is_watched
from elseif.cli.output import check_outputs, check_pages, save
from elseif.cli.tables import Read, check_table_file

if TYPE_CHECKING:
    from elseif.report.summary import Evidence


def report(
    model: ModelFile,
    table: TrainingTable,
    label: LabelColumn = None,
    weight: WeightColumn = None,
    holdout: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table that the list has not seen, to judge it by."),
    ] = None,
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="Folds of the cross-validation; 0 for none, which needs --holdout.",
        ),
    ] = 5,
    subgroup: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column to judge subgroups by; may be repeated."),
    ] = [],  # noqa: B006
    min_cell: MinCell = None,
    title: Title = None,
    out: Annotated[Path, output_file("The page to write.")] = Path("report.html"),
    explorer: Annotated[
        Path | None, output_file("Also write a page to explore and edit good lists.")
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Write a report: the list, its validation out of sample, convergence, and settings."""
    check_outputs([out, explorer], force, [model, table, holdout])
    check_pages(out, explorer)
    for path in (table, holdout):
        if path is not None:
            check_table_file(path)
    from elseif.cli.models import check_training_table, classifier_of, read, read_again

    found = read(model)
    classifier = classifier_of(found, model)
    training = read_again(found, table, label, weight)
    check_training_table(found, training, model, table)
    seen = None if holdout is None else read_again(found, holdout, label)
    explored = None
    if explorer is not None:  # first: it is quick, and refuses another table than that of fit
        from elseif.report.explorer import explore

        explored = explore(found, training.X, training.y, sample_weight=training.weights)
    evidence = report_evidence(
        classifier, training, is_watched(quiet), folds=folds or None, min_cell=min_cell,
        holdout=None if seen is None else (seen.X, seen.y), title=title,
        subgroups=subgroup or None,
    )  # fmt: skip
    from elseif.report.report import write_report
    from elseif.report.together import outputs

    made = outputs(evidence.trained, evidence.min_cell, evidence=evidence, explored=explored)
    if explorer is not None and explored is not None and made.explorer is not None:
        from elseif.report.explorer import explorer_html

        save("Explorer", explorer, explorer_html(explored, made.explorer), force)
    if made.summary is not None:
        save("Report", out, write_report(made.summary), force)


def report_evidence(classifier: Any, read: Read, watched: bool, **options: Any) -> Evidence:
    """What a report is made of: the tables read, the folds run."""
    from elseif.progress import Progress, ProgressBar
    from elseif.report.summary import gather

    return gather(
        classifier,
        read.X,
        read.y,
        sample_weight=read.weights,
        progress=ProgressBar() if watched else Progress(),
        command=shlex.join(["elseif", *sys.argv[1:]]),
        **options,
    )
