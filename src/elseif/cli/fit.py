"""elseif fit TABLE --label COLUMN: learn a list from a file, print it, save it."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import (
    OUTPUT,
    Force,
    MinCell,
    Quiet,
    TableFile,
    WeightColumn,
    output_file,
)
from elseif.cli.output import check_outputs, check_pages, save, say_saved, say_wrapped, width
from elseif.cli.settings import by_label, estimator_parameters, takes_settings
from elseif.cli.tables import Read, Wanted, check_table_file, read_labelled, told_as_written

if TYPE_CHECKING:
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.report.together import Outputs

MOST_LEFT_OUT = 3  # columns named in the summary, which is to fit a screen


@takes_settings
def fit(
    table: TableFile,
    label: Annotated[str, typer.Option(metavar="COLUMN", help="Column that is to be predicted.")],
    positive: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="The label whose probability is wanted."),
    ] = None,
    weight: WeightColumn = None,
    drop: Annotated[
        list[str], typer.Option(metavar="COLUMN", help="Column to leave out; may be repeated.")
    ] = [],  # noqa: B006
    model: Annotated[Path | None, output_file("Save the model here (JSON).")] = None,
    without_posterior: Annotated[
        bool,
        typer.Option(
            "--without-posterior",
            help="Leave the posterior's lists out of the model: a smaller file.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    report: Annotated[
        Path | None, output_file("Write a report here (HTML); it cross-validates.")
    ] = None,
    calculator: Annotated[Path | None, output_file("Write a calculator here (HTML).")] = None,
    min_cell: MinCell = None,
    force: Force = False,
    quiet: Quiet = False,
    settings: dict[str, Any] = {},  # noqa: B006  # generated options, from the table of settings
) -> None:
    """Learn a rule list from a table: print it, and save model, report and calculator.

    Defaults are those of BayesianRuleListClassifier in Python, but that the seed is 0 rather
    than new each time, and that all cores are used.
    """
    files = Files(model, report, calculator, min_cell, without_posterior, force)
    check_outputs([model, report, calculator], force, [table, settings["antecedents"]])
    check_pages(report, calculator)
    check_table_file(table)
    classifier = new_classifier(settings, files, quiet)
    read = read_labelled(
        table,
        Wanted(
            label, weight, drop, positive,
            as_written=told_as_written(classifier.kinds), missing_y=classifier.missing_y,
        ),
    )  # fmt: skip
    if isinstance(classifier.pseudocounts, dict):
        classifier.pseudocounts = by_label(classifier.pseudocounts, read.y)
    classifier.fit(read.X, read.y, sample_weight=read.weights)
    is_watched, classifier.verbose = classifier.verbose, False  # no setting of the model's
    write_files(classifier, read, table.name, files, is_watched)


@dataclass(frozen=True)
class Files:
    """What to write, and how."""

    model: Path | None
    report: Path | None
    calculator: Path | None
    min_cell: int | None
    without_posterior: bool
    force: bool


def write_files(classifier: Any, read: Read, source: str, files: Files, watched: bool) -> None:
    """Print the list and write what was asked for, with the same numbers in every file."""
    from elseif.fitted_model import FittedModel

    model, calculator, report = files.model, files.calculator, files.report
    min_cell, force = files.min_cell, files.force
    shown, summary = FittedModel.of(classifier), None
    if min_cell is not None and (model or calculator or report):
        made = made_together(classifier, read, report is not None, min_cell, watched)
        shown, summary = made.model or shown, made.summary
    if model is not None:  # before anything is printed, which may fail
        from elseif.export.model_file import save_model

        save_model(shown, model, None if files.without_posterior else "lists", force)
    print_fit(classifier, source)
    print()
    if model is not None:
        say_saved("Model", model)
    if calculator is not None:
        from elseif.report.calculator import calculator_page

        save("Calculator", calculator, calculator_page(shown), force)
    if report is not None:
        from elseif.report.report import write_report

        if summary is None:
            summary = made_together(classifier, read, True, None, watched).summary
        assert summary is not None
        save("Report", report, write_report(summary), force)


def made_together(
    classifier: Any, read: Read, with_report: bool, min_cell: int | None, watched: bool
) -> Outputs:
    """The model and the numbers of the report, rounded alike where a minimum cell is held."""
    from elseif.cli.report import report_evidence
    from elseif.fitted_model import FittedModel
    from elseif.report.subject import subject_of
    from elseif.report.together import outputs
    from elseif.report.training import read_training

    if with_report:
        evidence = report_evidence(classifier, read, watched, min_cell=min_cell)
        return outputs(evidence.trained, min_cell, FittedModel.of(classifier), evidence)
    trained = read_training(subject_of(classifier), read.X, read.y, read.weights)
    return outputs(trained, min_cell, FittedModel.of(classifier))


def new_classifier(
    settings: dict[str, Any], files: Files, quiet: bool
) -> BayesianRuleListClassifier:
    """A classifier of what the command line was told, its settings checked before any reading."""
    from elseif.errors import ParamError
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.parameters import check_parameters

    parameters = estimator_parameters(settings)
    classifier = BayesianRuleListClassifier(**parameters)
    classifier.verbose = is_watched(quiet)
    check_parameters(classifier)
    if files.without_posterior and classifier.predict_with == "posterior":
        raise ParamError("--predict-with posterior needs the posterior: no --without-posterior.")
    if files.min_cell is not None and classifier.predict_with == "posterior":
        raise ParamError(
            "--predict-with posterior needs the posterior's draws, which tell all counts: with "
            "--min-cell use --predict-with point or map."
        )
    return classifier


def is_watched(quiet: bool) -> bool:
    """Whether progress is shown: on a terminal, unless it is not wanted."""
    return not quiet and sys.stderr.isatty()


def print_fit(classifier: Any, source: str) -> None:
    """The list, and what a reader should know of it, on one screen."""
    report = classifier.fit_report_
    left_out = [column for column in report.columns if column.excluded is not None]
    print(classifier.rule_list_.to_text(width=width()))
    print()
    say_wrapped(
        f"Learnt from {report.n_rows - report.n_rows_without_label:,} rows of {source}; the lists "
        f"are made of {len(classifier.pool_):,} antecedents."
    )
    say_wrapped(classifier.convergence_.sentence())
    if report.n_rows_without_label:
        say_wrapped(f"Rows left out for want of a label: {report.n_rows_without_label:,}.")
    for column in left_out[:MOST_LEFT_OUT]:
        say_wrapped(f"Left out: {shown(column.name)} ({column.excluded}).")
    if len(left_out) > MOST_LEFT_OUT:
        print(f"Left out as well: {len(left_out) - MOST_LEFT_OUT} more columns.")
    for note in report.notes:
        say_wrapped(note)


def shown(name: str) -> str:
    """A column's name that no terminal takes for a command."""
    from elseif.visible import show_name

    return show_name(name, 60)
