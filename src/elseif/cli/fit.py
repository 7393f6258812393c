"""elseif fit TABLE --label COLUMN: learn a list from a file, print it, save it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from elseif.cli.activity import activity
from elseif.cli.arguments import (
    DropColumns,
    Force,
    LabelsFile,
    LearntLabel,
    MinCell,
    PositiveLabel,
    Quiet,
    SavedModel,
    TableFileOrNone,
    WeightColumn,
    WithoutPosterior,
    output_file,
)
from elseif.cli.cohort_folder import cohort_settings
from elseif.cli.database_table import DatabaseTable, distinct_labels, without_columns
from elseif.cli.in_options import in_options
from elseif.cli.interrupts import say_when_interrupted
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import check_outputs, check_pages, save, say_saved, say_wrapped, width
from elseif.cli.problems import say
from elseif.cli.reading_as_fit import keep_reading, refuse_for_other_files
from elseif.cli.settings import by_label, by_label_name, estimator_parameters, takes_settings
from elseif.cli.tables import (
    Read,
    Wanted,
    check_table_file,
    kinds_of_texts,
    label_order,
    levels_given,
    read_labelled,
)
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.antecedents.display_labels import DisplayLabels
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.fitted_model import FittedModel
    from elseif.report.exploration import Exploration
    from elseif.report.together import Outputs
    from elseif.tables.reading import Table

MOST_LEFT_OUT = 3  # columns named in the summary, which is to fit a screen


@dataclass(frozen=True)
class LearntColumns:
    """What is predicted, and from which rows and columns."""

    label: LearntLabel = None
    positive: PositiveLabel = None  # which the report evaluates; else the last of all labels
    weight: WeightColumn = None
    drop: DropColumns = field(default_factory=list)


@dataclass(frozen=True)
class Files:
    """What to write, and how."""

    model: SavedModel = None
    without_posterior: WithoutPosterior = False
    report: Annotated[
        Path | None, output_file("Write a report here (HTML), with cross-validation.")
    ] = None
    calculator: Annotated[Path | None, output_file("Write a calculator here (HTML).")] = None
    explorer: Annotated[
        Path | None, output_file("Write a page to explore and edit good lists here (HTML).")
    ] = None
    min_cell: MinCell = None
    labels: LabelsFile = None
    force: Force = False

    @property
    def pages(self) -> list[Path | None]:
        """The pages that may be written."""
        return [self.report, self.calculator, self.explorer]

    def check(self) -> None:
        """Refuse options of files where none is written."""
        if self.min_cell is not None and not (self.model or any(self.pages)):
            raise ParamError(
                "--min-cell rounds the counts in files, not those on the screen: it goes with "
                "--model, --report, --calculator or --explorer."
            )
        if self.without_posterior and self.model is None:
            raise ParamError("--without-posterior goes with --model FILE.")


@takes_settings
@takes_text_format
@takes_groups
def fit(
    table: TableFileOrNone = None,
    *,
    source: DatabaseTable,
    columns: LearntColumns,
    files: Files,
    quiet: Quiet = False,
    text: Any = None,
    settings: dict[str, Any] = {},  # noqa: B006  # generated options, from the table of settings
) -> None:
    """Learn a rule list from a table: print it, and save model, report, calculator and explorer.

    The table is a file, or a table in a database (--database, --table).

    Defaults are those of BayesianRuleListClassifier in Python, except that the seed is 0
    instead of new each time and that all cores are used.
    """
    files.check()
    check_outputs(
        [files.model, *files.pages], files.force, [table, files.labels, settings["antecedents"]]
    )
    check_pages(*files.pages)
    if source.is_meant(table):
        refuse_for_other_files(None, text)
        fit_in_database(source, columns, files, new_classifier(settings, files, quiet))
        return
    assert table is not None
    check_table_file(table, text)
    label, cuts = cohort_settings(table, columns.label)
    classifier = new_classifier(settings, files, quiet)
    from elseif.antecedents.labels_file import read_display_labels

    weight, drop = columns.weight, columns.drop
    display = read_display_labels(files.labels).without([*drop, *([weight] if weight else [])])
    classifier.cuts = cuts if classifier.cuts is None else classifier.cuts
    read = read_labelled(
        table,
        Wanted(
            label, weight, drop, columns.positive,
            kinds=kinds_of_texts(classifier.kinds), missing_y=classifier.missing_y,
            text=replace(text, levels=levels_given(classifier.kinds)),
        ),
    )  # fmt: skip
    positive = None if columns.positive is None else read.y.cat.categories[-1]
    if isinstance(classifier.pseudocounts, dict):
        classifier.pseudocounts = by_label(classifier.pseudocounts, read.y)
    from elseif.tables.reading import read_table

    once = read_table(read.X, allow_infinite=classifier.infinite == "outer")
    read = replace(read, X=once)  # for the fit and for the report
    if display:
        check_labels_fit(display, read)
    with resumable(classifier.checkpoint):
        classifier.fit(read.X, read.y, sample_weight=read.weights)
        classifier.model_ = keep_reading(classifier.model_, text)
        if display:
            classifier.model_ = classifier.model_.with_labels(display)
        is_watched, classifier.verbose = classifier.verbose, False  # no setting of the model's
        write_files(classifier, read, table.name, files, positive, is_watched)


def fit_in_database(
    source: DatabaseTable,
    columns: LearntColumns,
    files: Files,
    classifier: BayesianRuleListClassifier,
) -> None:
    """Learn from a table that stays in its database, which counts it."""
    for option, page in (("--report", files.report), ("--explorer", files.explorer)):
        if page is not None:
            raise ParamError(
                f"{option} needs the rows, which stay in the database. Save the model with "
                "--model, and give it to elseif report with a file of the rows."
            )
    from elseif.antecedents.labels_file import check_display_labels, read_display_labels

    left_out = [*columns.drop, *([columns.weight] if columns.weight else [])]
    display = read_display_labels(files.labels).without(left_out)
    with source.opened() as (_, whole):
        rows = without_columns(whole, source, columns.label, columns.weight, columns.drop)
        assert columns.label is not None
        names = [name for name in rows.columns if name not in (columns.label, columns.weight)]
        order = label_order(
            distinct_labels(rows, columns.label), Wanted(columns.label, positive=columns.positive)
        )
        if isinstance(classifier.pseudocounts, dict):
            classifier.pseudocounts = by_label_name(classifier.pseudocounts, order)
        with resumable(classifier.checkpoint):
            classifier._fit_in_engine(rows, columns.label, columns.weight, order)
            if display:
                check_display_labels(display, names, (), classifier.classes_.tolist())
                classifier.model_ = classifier.model_.with_labels(display)
            classifier.verbose = False  # no setting of the model's
            positive = None if columns.positive is None else order[-1]
            write_files(classifier, None, source.source, files, positive, False)


@contextmanager
def resumable(checkpoint: Path | None) -> Iterator[None]:
    """If a fit with checkpoints is interrupted, say how to continue; at its end, remove them."""
    if checkpoint is None:
        yield
        return
    from elseif.sampler.checkpoints import has_checkpoints, remove_checkpoints

    is_resumed = has_checkpoints(checkpoint)
    with say_when_interrupted(f"the same command continues from {checkpoint}"):
        yield
    has_any = any(checkpoint.glob("*.checkpoint"))  # the exact sum writes none
    if not remove_checkpoints(checkpoint):
        say(f"note: the checkpoints in {checkpoint} could not all be removed; delete the folder.")
    elif is_resumed:
        say(
            f"note: the fit was resumed from the checkpoints in {checkpoint}, which are now "
            "removed."
        )
    elif has_any:
        say(f"note: the fit is complete; its checkpoints in {checkpoint} are removed.")


def check_labels_fit(display: DisplayLabels, read: Read) -> None:
    """Refuse before the fit labels for columns and outcomes that the table does not have."""
    from elseif.antecedents.labels_file import check_display_labels

    check_display_labels(display, read.X.names, (), read.y.cat.categories.tolist())


def write_files(
    classifier: Any, read: Read | None, source: str, files: Files, positive: Any, watched: bool
) -> None:
    """Print the list and write the requested files, with the same numbers in each.

    ``positive`` is the label that was asked for, if one was. Without rows there is no
    report.
    """
    from elseif.fitted_model import as_model

    model, calculator, report = files.model, files.calculator, files.report
    min_cell, force = files.min_cell, files.force
    shown, made = as_model(classifier), None
    explored = None if read is None else _explored(shown, read, files)
    if read is not None and min_cell is not None and (model or any(files.pages)):
        made = made_together(classifier, read, files, positive, watched, explored)
        shown = made.model or shown
    elif min_cell is not None:
        from elseif.export.disclosed import disclosed

        shown = disclosed(shown, min_cell)
    if model is not None:  # before anything is printed, which may fail
        from elseif.export.model_file import known_by, model_hash, save_model

        posterior = None if files.without_posterior else "lists"
        save_model(shown, model, posterior, force)
        shown = known_by(shown, model_hash(shown, posterior))
    print_fit(classifier, source, positive)
    print()
    if model is not None:
        say_saved("Model", model)
    if read is not None and made is None and (report or explored):
        made = made_together(classifier, read, files, positive, watched, explored)
    summary = None if made is None else made.summary
    if made is not None and made.explorer is not None and explored is not None:
        from elseif.report.explorer import explorer_html

        assert files.explorer is not None
        save("Explorer", files.explorer, explorer_html(explored, made.explorer), force)
    if calculator is not None:
        from elseif.report.calculator import calculator_page
        from elseif.report.out_of_sample import performance

        about = None if summary is None else performance(summary.to_dict())
        with activity("Writing the calculator"):
            rows = None if read is None else labelled_rows(shown, read)
            page = calculator_page(shown, X=rows, about=about)
        save("Calculator", calculator, page, force)
    if report is not None:
        from elseif.report.links import links_from
        from elseif.report.report import report_page

        assert summary is not None
        links = links_from(report, {"calculator": calculator, "explorer": files.explorer})
        save("Report", report, report_page(summary, links=links), force)


def labelled_rows(model: FittedModel, read: Read) -> Table | None:
    """The training rows, for intervals over all lists; None without a posterior."""
    from elseif.report.training import read_training

    if model.posterior is None:
        return None
    trained = read_training(model, read.X, read.y, read.weights)
    return trained.table.take(trained.rows)


def _explored(model: FittedModel, read: Read, files: Files) -> Exploration | None:
    """The explorer's lists, if one is written."""
    if files.explorer is None:
        return None
    from elseif.report.exploration import explore

    with activity("Choosing lists for the explorer"):
        return explore(model, read.X, read.y, sample_weight=read.weights)


def made_together(
    classifier: Any,
    read: Read,
    files: Files,
    positive: Any,
    watched: bool,
    explored: Exploration | None,
) -> Outputs:
    """Model, numbers of the report and data of the explorer, rounded alike under a minimum cell."""
    from elseif.cli.report import report_evidence, say_rounding
    from elseif.fitted_model import as_model
    from elseif.report.together import outputs
    from elseif.report.training import read_training

    min_cell = files.min_cell
    if files.report is not None:
        evidence = report_evidence(classifier, read, watched, min_cell=min_cell, positive=positive)
        if explored is not None:  # its projected lists have scores by now
            explored = replace(explored, model=evidence.model)
        with activity("Measuring"):
            made = outputs(evidence.trained, min_cell, evidence.model, evidence, explored)
    else:
        model = as_model(classifier)
        trained = read_training(model, read.X, read.y, read.weights)
        made = outputs(trained, min_cell, model, explored=explored)
    say_rounding(made.rounding)
    return made


def new_classifier(
    settings: dict[str, Any], files: Files, quiet: bool
) -> BayesianRuleListClassifier:
    """A classifier from the command line's options, checked before anything is read."""
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.parameters import check_parameters

    parameters = estimator_parameters(settings)
    classifier = BayesianRuleListClassifier(**parameters)
    classifier.verbose = is_watched(quiet)
    check_parameters(classifier)
    if files.without_posterior and classifier.predict_with == "posterior":
        raise ParamError(
            "--predict-with posterior needs the posterior: leave out --without-posterior."
        )
    if files.min_cell is not None and classifier.predict_with == "posterior":
        raise ParamError(
            "--predict-with posterior needs the posterior's draws, which reveal all counts: with "
            "--min-cell use --predict-with point, map or projected."
        )
    return classifier


def is_watched(quiet: bool) -> bool:
    """Whether progress is shown: on a terminal, unless it is not wanted."""
    return not quiet and sys.stderr.isatty()


def print_fit(classifier: Any, source: str, positive: Any = None) -> None:
    """The list that predicts, and what a reader should know of it, on one screen.

    Of more than two labels, the probabilities of one that was asked for are shown alone.
    """
    from elseif.fitted_model import as_model
    from elseif.tables.origin import origin_in_short

    report = classifier.fit_report_
    left_out = [column for column in report.columns if column.excluded is not None]
    chosen = as_model(classifier).chosen_list()
    is_one_of_many = positive is not None and len(chosen.classes) > 2
    print(chosen.to_text(label=positive if is_one_of_many else None, width=width()))
    print()
    if is_one_of_many:
        say_wrapped(
            f"The list has {len(chosen.classes)} labels, all of which the model keeps; without "
            "--positive, all are shown."
        )
    if classifier.predict_with == "projected":
        from elseif.showing.thin_lines import FEW

        path = classifier.projection_path_
        say_wrapped(
            f"The projected list: of the lists of at most {_of(path.max_length, 'rule')} with at "
            f"least {FEW} training observations on every line, the one whose lines "
            f"best reproduce the posterior's predictions (distance {path.distances[-1]:.4f} nats "
            f"per row; the point estimate's is {path.point_distance:.4f})."
        )
    say_wrapped(
        f"Learnt from {report.n_rows - report.n_rows_without_label:,} rows of {source}; the lists "
        f"are made of {len(classifier.pool_):,} antecedents."
    )
    if classifier.predict_with != "posterior":
        from elseif.showing.optimism import few_rows_words

        if optimism := few_rows_words(report.n_rows - report.n_rows_without_label):
            say_wrapped(optimism)
    for note in origin_in_short(as_model(classifier).cohort):
        say_wrapped(note)
    say_wrapped(in_options(classifier.convergence_.sentence()))
    if report.n_rows_without_label:
        say_wrapped(f"Rows left out because they have no label: {report.n_rows_without_label:,}.")
    for column in left_out[:MOST_LEFT_OUT]:
        say_wrapped(f"Left out: {shown(column.name)} ({in_options(str(column.excluded))}).")
    if len(left_out) > MOST_LEFT_OUT:
        print(f"Also left out: {_of(len(left_out) - MOST_LEFT_OUT, 'more column')}.")
    for note in report.notes:
        say_wrapped(in_options(note))


def _of(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def shown(name: str) -> str:
    """A column's name that no terminal takes for a command."""
    from elseif.visible import show_name

    return show_name(name, 60)
