"""elseif validate MODEL TABLE: a model judged by people of another place, and recalibrated."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import (
    Force,
    LabelColumn,
    MinCell,
    ModelFile,
    Quiet,
    ResultsSchema,
    VocabularySchema,
    output_file,
)
from elseif.cli.cohort_folder import is_cohort_folder
from elseif.cli.output import check_is_folder, check_outputs, save, say_saved, width
from elseif.cli.problems import say
from elseif.cli.standard_input import table_path
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.cohort import Cohort
    from elseif.fitted_model import FittedModel

SOURCE = "Database"
Schemas = tuple[str | None, str | None, str | None]  # of the tables, of the vocabulary, of results


@takes_text_format
def validate(
    model: ModelFile,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Table of people that the model has not seen, or the folder of a cohort.",
            show_default=False,
            callback=lambda path: None if path is None else table_path(path),
        ),
    ] = None,
    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="In place of a table: a database, from which the cohort that the model was learnt "
            "from is extracted by the same definition.",
            rich_help_panel=SOURCE,
        ),
    ] = None,
    schema: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Schema of its tables.", rich_help_panel=SOURCE),
    ] = None,
    vocabulary_schema: VocabularySchema = None,
    results_schema: ResultsSchema = None,
    cohort: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the extracted cohort here; without it, nothing about persons is kept.",
            rich_help_panel=SOURCE,
        ),
    ] = None,
    label: LabelColumn = None,
    results: Annotated[Path | None, output_file("Write every number here (JSON).")] = None,
    recalibrated: Annotated[
        Path | None, output_file("Save the list with the new counts on top of the old (JSON).")
    ] = None,
    discount: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="What an old case counts in the recalibrated list; without it, the value under "
            "which the new ones are most probable.",
        ),
    ] = None,
    min_cell: MinCell = None,
    force: Force = False,
    quiet: Quiet = False,
    text: Any = None,
) -> None:
    """Judge a model by people of another place: discrimination, calibration, every line, drift.

    --recalibrated saves the same rules with probabilities that have learnt from these people.
    """
    schemas = (schema, vocabulary_schema, results_schema)
    _check_arguments(table, database, schemas, cohort)
    _check_recalibration(recalibrated, discount, results, min_cell)
    check_outputs([results, recalibrated], force, [model, *([table] if table else [])])
    from elseif.cli.models import read
    from elseif.evaluation.updating import recalibrate
    from elseif.report.external_validation import validate_externally
    from elseif.report.plain_data import plain
    from elseif.report.validation_text import validation_text

    fitted = read(model)
    if database is not None:
        X, y = _of_cohort(
            fitted, model, _extracted(fitted, model, database, schemas, cohort, quiet)
        )
    else:
        assert table is not None
        X, y = _of_table(fitted, model, table, label, text)
    found = validate_externally(fitted, X, y)
    made = None if recalibrated is None else recalibrate(fitted, X, y, discount)
    print(validation_text(found))
    print()
    if results is not None:
        kept = found if min_cell is None else validate_externally(fitted, X, y, min_cell=min_cell)
        save(
            "Numbers",
            results,
            json.dumps(plain(asdict(kept)), indent=1, allow_nan=False) + "\n",
            force,
        )
    if made is not None and recalibrated is not None:
        from elseif.export.disclosed import disclosed
        from elseif.export.model_file import save_model

        print_recalibrated(made)
        save_model(disclosed(made, min_cell), recalibrated, None, force)
        say_saved("Model", recalibrated)


def _check_arguments(
    table: Path | None,
    database: str | None,
    schemas: Schemas,
    cohort: Path | None,
) -> None:
    if (table is None) == (database is None):
        raise ParamError("Give a TABLE, or --database URL, to judge the model by.")
    if table is not None:
        check_table_file(table)
    options = ("--schema", "--vocabulary-schema", "--results-schema", "--cohort")
    for option, value in zip(options, (*schemas, cohort), strict=True):
        if value is not None and database is None:
            raise ParamError(f"{option} goes with --database.")
    if cohort is not None:
        check_is_folder(cohort)


def _check_recalibration(
    recalibrated: Path | None, discount: float | None, results: Path | None, min_cell: int | None
) -> None:
    if discount is not None and recalibrated is None:
        raise ParamError("--discount goes with --recalibrated FILE.")
    if discount is not None and not 0 <= discount <= 1:
        raise ParamError(f"--discount is {discount:g}; it must lie between 0 and 1.")
    if min_cell is None or recalibrated is None:
        return
    if results is not None:
        raise ParamError(
            "With --min-cell, --results and --recalibrated cannot be written together: each is "
            "rounded on its own, and the two would tell more of the counts than either does."
        )
    if discount is None:
        raise ParamError(
            "With --min-cell give --discount: the one that is learnt follows from exact counts."
        )


def _of_table(
    fitted: FittedModel, model: Path, table: Path, label: str | None, text: Any
) -> tuple[Any, Any]:
    """Features and labels of a file, or of a cohort by its concept ids."""
    if is_cohort_folder(table) and fitted.cohort is not None:
        from elseif.cohort import read_cohort

        return _of_cohort(fitted, model, read_cohort(table))
    from elseif.cli.models import is_training_table, read_again

    rows = read_again(fitted, table, label, text)
    if fitted.training["fingerprint"] is not None and is_training_table(fitted, rows):
        say(
            f"note: {table.name} is the table that {model.name} was learnt from: this judges it in "
            "sample, which says nothing about other people."
        )
    return rows.X, rows.y


def _extracted(
    fitted: FittedModel,
    model: Path,
    database: str,
    schemas: Schemas,
    folder: Path | None,
    quiet: bool,
) -> Cohort:
    from elseif.cli.fit import is_watched
    from elseif.cohort import connect, extract
    from elseif.cohort.definition_file import definition_from
    from elseif.progress import Progress, ProgressBar

    if fitted.cohort is None:
        raise ParamError(
            f"{model.name} was not learnt from a cohort: it has no definition to extract by. Give "
            "a TABLE."
        )
    definition = definition_from(fitted.cohort["definition"], model.name)
    progress = ProgressBar() if is_watched(quiet) else Progress()
    schema, vocabulary, results = schemas
    with connect(database, schema, vocabulary_schema=vocabulary, results_schema=results) as source:
        return extract(source, definition, folder=folder, progress=progress)


def _of_cohort(fitted: FittedModel, model: Path, cohort: Cohort) -> tuple[Any, Any]:
    from elseif.cli.extract import print_cohort

    print_cohort(cohort)
    known = fitted.cohort
    assert known is not None
    if cohort.definition.sha256 != known["definition_sha256"]:
        say(
            f"note: the cohort was extracted by another definition ({cohort.definition.name}) than "
            f"that of {model.name} ({known['definition']['name']})."
        )
    columns = fitted.feature_names or []
    outcome = fitted.metadata.outcome
    is_known = outcome in cohort.definition.outcome_names
    return cohort.table_for(columns, known["concepts"]), cohort.labels(
        outcome if is_known else None
    )


def print_recalibrated(made: FittedModel) -> None:
    """The list with its new probabilities, and each line's counts before and after."""
    from elseif.cli.output import say_wrapped
    from elseif.showing.numbers import count_text
    from elseif.tables.origin import recalibration_sentence
    from elseif.visible import show_name

    about = made.recalibrated
    assert about is not None
    print(made.rule_list.to_text(width=width()))
    print()
    say_wrapped(recalibration_sentence(about))
    last = len(made.metadata.classes) - 1
    name = show_name(made.metadata.label_names[last], 40)
    print(f"\n{'line':<6}{f'{name}, earlier':>28}{f'{name}, here':>28}")
    rows = zip(about["old_label_counts"], about["new_label_counts"], strict=True)
    for number, (old, new) in enumerate(rows, 1):
        before = f"{count_text(old[last])} of {count_text(sum(old))}"
        after = f"{count_text(new[last])} of {count_text(sum(new))}"
        print(f"{number:<6}{before:>28}{after:>28}")
    print()
