"""elseif report MODEL TABLE: one HTML page on how a list was made and how well it performs."""

from __future__ import annotations

import shlex
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import (
    Force,
    LabelColumn,
    LabelsFile,
    MinCell,
    ModelFile,
    Quiet,
    Title,
    TrainingTable,
    WeightColumn,
    output_file,
)
from elseif.cli.fit import is_watched, labelled_rows
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import check_outputs, check_pages, save
from elseif.cli.problems import say
from elseif.cli.tables import Read, check_table_file, find_label
from elseif.cli.text_options import takes_text_format

if TYPE_CHECKING:
    from elseif.disclosure.rounding import Rounding
    from elseif.fitted_model import FittedModel
    from elseif.report.exploration import Exploration
    from elseif.report.report_data import ReportData


@dataclass(frozen=True)
class Evaluation:
    """How the list is evaluated."""

    holdout: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="A table that the list has not seen, to evaluate it on."),
    ] = None
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="Folds of the cross-validation; 0 for none, which needs --holdout.",
        ),
    ] = 5
    subgroup: Annotated[
        list[str],
        typer.Option(metavar="COLUMN", help="Column whose subgroups to evaluate; may be repeated."),
    ] = field(default_factory=list)
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Evaluate this label against all others; by default, each in turn if there "
            "are more than two.",
        ),
    ] = None


@dataclass(frozen=True)
class Pages:
    """What is written."""

    out: Annotated[Path, output_file("The page to write.")] = Path("report.html")
    explorer: Annotated[
        Path | None, output_file("Also write a page to explore and edit good lists.")
    ] = None
    calculator: Annotated[
        Path | None, output_file("Also write a calculator, which states the out-of-sample AUC.")
    ] = None
    methods: Annotated[
        Path | None, output_file("Also write the methods paragraph for a paper (text).")
    ] = None
    force: Force = False


@takes_text_format
@takes_groups
def report(
    model: ModelFile,
    table: TrainingTable,
    *,
    label: LabelColumn = None,
    weight: WeightColumn = None,
    evaluation: Evaluation,
    min_cell: MinCell = None,
    labels: LabelsFile = None,
    title: Title = None,
    pages: Pages,
    quiet: Quiet = False,
    text: Any = None,
) -> None:
    """Write a report: verdict, list, out-of-sample validation, convergence, and settings."""
    holdout = evaluation.holdout
    written = [pages.out, pages.explorer, pages.calculator, pages.methods]
    check_outputs(written, pages.force, [model, table, holdout])
    check_pages(pages.out, pages.explorer, pages.calculator)
    check_table_file(table, text if holdout is None else None)  # which may be the text file
    if holdout is not None:
        check_table_file(holdout)
    from elseif.cli.models import check_training_table, read, read_again

    fitted = read(model, labels)
    training = read_again(fitted, table, label, text, weight)
    check_training_table(fitted, training, model, table)
    seen = None if holdout is None else read_again(fitted, holdout, label, text)
    explored = None if pages.explorer is None else _explored(fitted, training)
    evidence = report_evidence(
        fitted, training, is_watched(quiet), folds=evaluation.folds or None, min_cell=min_cell,
        holdout=None if seen is None else (seen.X, seen.y), title=title,
        subgroups=evaluation.subgroup or None, positive=_chosen(fitted, evaluation.positive),
    )  # fmt: skip
    _write_pages(pages, evidence, explored, training, fitted.sha256)


def _explored(fitted: FittedModel, training: Read) -> Exploration:
    """The explorer's lists: they are found quickly, and another table than fit's is refused."""
    from elseif.report.exploration import explore

    with activity("Choosing lists for the explorer"):
        return explore(fitted, training.X, training.y, sample_weight=training.weights)


def _write_pages(
    pages: Pages,
    evidence: ReportData,
    explored: Exploration | None,
    training: Read,
    sha256: str | None,  # of the model file
) -> None:
    from elseif.report.links import links_from
    from elseif.report.report import report_page
    from elseif.report.together import outputs

    if explored is not None:  # its projected lists have scores by now
        explored = replace(explored, model=evidence.model)
    with activity("Measuring"):
        written = None if pages.calculator is None else evidence.model
        made = outputs(evidence.trained, evidence.min_cell, written, evidence, explored)
    say_rounding(made.rounding)
    if pages.explorer is not None and explored is not None and made.explorer is not None:
        from elseif.report.explorer import explorer_html

        save("Explorer", pages.explorer, explorer_html(explored, made.explorer), pages.force)
    assert made.summary is not None  # there is evidence
    if pages.calculator is not None and made.model is not None:
        from elseif.export.model_file import known_by
        from elseif.report.calculator import calculator_page
        from elseif.report.out_of_sample import performance

        shown = known_by(made.model, sha256) if evidence.min_cell is None else made.model
        with activity("Writing the calculator"):
            about = performance(made.summary.to_dict())
            page = calculator_page(shown, X=labelled_rows(shown, training), about=about)
        save("Calculator", pages.calculator, page, pages.force)
    links = links_from(pages.out, {"calculator": pages.calculator, "explorer": pages.explorer})
    save("Report", pages.out, report_page(made.summary, links=links), pages.force)
    if pages.methods is not None:
        from elseif.report.methods import methods_text

        save("Methods", pages.methods, f"{methods_text(made.summary)}\n", pages.force)


def say_rounding(rounding: Rounding | None) -> None:
    """Say if counts had to be rounded more coarsely than requested."""
    if rounding is not None and rounding.step > rounding.min_cell:
        say(
            f"note: counts are rounded to multiples of {rounding.step:,}, because small counts "
            f"could be derived from multiples of {rounding.min_cell:,}. Files that other commands "
            "write may be rounded differently."
        )


def _chosen(fitted: FittedModel, positive: str | None) -> Any:
    """The label to evaluate, as the model knows it."""
    if positive is None:
        return None
    return find_label(positive, fitted.rule_list.classes.tolist(), "--positive")


def report_evidence(fitted: Any, read: Read, watched: bool, **options: Any) -> ReportData:
    """What a report is made of: the tables read, the folds run."""
    from elseif.progress import Progress, ProgressBar
    from elseif.report.report_data import gather

    return gather(
        fitted,
        read.X,
        read.y,
        sample_weight=read.weights,
        progress=ProgressBar() if watched else Progress(),
        command=shlex.join(["elseif", *sys.argv[1:]]),
        **options,
    )
