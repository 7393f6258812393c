"""elseif validate MODEL TABLE: a model evaluated on other data, and recalibrated."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import (
    OUTPUT,
    Force,
    LabelColumn,
    LabelsFile,
    MinCell,
    ModelFile,
    Quiet,
    Title,
    output_file,
)
from elseif.cli.cohort_folder import is_cohort_folder
from elseif.cli.database_source import PANEL, DatabaseSource
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import (
    check_is_folder,
    check_outputs,
    check_pages,
    save,
    say_saved,
    width,
)
from elseif.cli.problems import say
from elseif.cli.reading_as_fit import refuse_for_other_files
from elseif.cli.standard_input import table_path
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.cohort import Cohort
    from elseif.fitted_model import FittedModel
    from elseif.report.external_validation import ExternalValidation

MAY_BE_KNOWN = "If these people are among them, this evaluates the model in sample."


@dataclass(frozen=True)
class Source(DatabaseSource):
    """A database to extract the cohort from, in place of a table."""

    cohort: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Keep the extracted cohort here; by default, nothing about persons is kept.",
            rich_help_panel=PANEL,
        ),
    ] = None

    def check(self, table: Path | None, text: Any) -> None:
        """Raise unless there is either a table or a database, and options go with it."""
        if (table is None) == (self.database is None):
            raise ParamError("Give a TABLE, or --database URL, to evaluate the model on.")
        if table is not None:
            check_table_file(table, text)
        else:
            refuse_for_other_files(None, text)
        self.check_goes_together(cohort=self.cohort)
        if self.cohort is not None:
            check_is_folder(self.cohort)


@dataclass(frozen=True)
class ValidationOutputs:
    """What is written, and how the list is recalibrated."""

    out: Annotated[Path | None, output_file("Write it all as a page (HTML).")] = None
    title: Title = None
    labels: LabelsFile = None
    results: Annotated[Path | None, output_file("Write every number here (JSON).")] = None
    plp_results: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="Write tables with the columns of PatientLevelPrediction's results (CSV).",
            rich_help_panel=OUTPUT,
        ),
    ] = None
    recalibrated: Annotated[
        Path | None, output_file("Save the list with the new counts added to the old ones (JSON).")
    ] = None
    discount: Annotated[
        float | None,
        typer.Option(
            metavar="NUMBER",
            help="Weight of an old case in the recalibrated list; by default, the value that "
            "makes the new cases most probable.",
        ),
    ] = None
    min_cell: MinCell = None
    force: Force = False

    def shared(self) -> list[str]:
        """Options of what is written about the people evaluated, but for the model."""
        paths = {
            "--out": self.out,
            "--results": self.results,
            "--plp-results": self.plp_results,
        }
        return [option for option, path in paths.items() if path is not None]

    def check(self) -> None:
        """Raise where options do not go together."""
        if self.plp_results is not None:
            check_is_folder(self.plp_results)
        if self.title is not None and self.out is None:
            raise ParamError("--title goes with --out PAGE.")
        if self.discount is not None and self.recalibrated is None and self.out is None:
            raise ParamError("--discount goes with --recalibrated FILE or --out PAGE.")
        if self.discount is not None and not 0 <= self.discount <= 1:
            raise ParamError(f"--discount is {self.discount:g}; it must lie between 0 and 1.")
        if self.min_cell is not None and not self.shared() and self.recalibrated is None:
            raise ParamError(
                "--min-cell rounds the counts in files, not those on the screen: it goes with "
                "--out, --results, --plp-results or --recalibrated."
            )
        if self.min_cell is None or self.recalibrated is None:
            return
        shared = self.shared()
        if shared:
            raise ParamError(
                f"With --min-cell, {shared[0]} and --recalibrated cannot be written together: each "
                "is rounded on its own, and together they would reveal more about the counts than "
                "either does alone."
            )
        if self.discount is None:
            raise ParamError(
                "With --min-cell, give --discount: a learnt discount depends on exact counts."
            )


@takes_text_format
@takes_groups
def validate(
    model: ModelFile,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Table of people that the model has not seen, or a cohort folder.",
            show_default=False,
            callback=lambda path: None if path is None else table_path(path),
        ),
    ] = None,
    *,
    source: Source,
    label: LabelColumn = None,
    positive: Annotated[
        str | None,
        typer.Option(
            metavar="LABEL",
            help="Evaluate the probability of this label against all others; by default, that "
            "of the last.",
        ),
    ] = None,
    outputs: ValidationOutputs,
    quiet: Quiet = False,
    text: Any = None,
) -> None:
    """Evaluate a model on other data: discrimination, calibration, every line, drift.

    --recalibrated saves the same rules with probabilities updated by these data.
    """
    source.check(table, text)
    outputs.check()
    check_pages(outputs.out)
    written = [outputs.out, outputs.results, outputs.recalibrated]
    check_outputs(written, outputs.force, [model, *([table] if table else [])])
    from elseif.cli.models import read
    from elseif.cli.tables import find_label
    from elseif.evaluation.updating import recalibrate
    from elseif.report.external_validation import validate_externally
    from elseif.report.validation_text import validation_text

    fitted = read(model, outputs.labels)
    classes = fitted.metadata.classes.tolist()
    wanted = None if positive is None else find_label(positive, classes, "--positive")
    if table is None:
        from elseif.cli.fit import is_watched

        cohort = source.extract(fitted.cohort, model, "learnt", is_watched(quiet), source.cohort)
        X, y = _of_cohort(fitted, model, cohort, label)
    else:
        X, y = _of_table(fitted, model, table, label, text, outputs)
    if fitted.federation is not None:
        say(
            f"note: {model.name} was learnt from counts of sites, which do not identify people. "
            f"{MAY_BE_KNOWN}"
        )
    validation = validate_externally(fitted, X, y, positive=wanted, discount=outputs.discount)
    if wanted is None and len(fitted.metadata.classes) > 2:
        say(
            f"note: the model has {len(fitted.metadata.classes)} labels; this evaluates the "
            f"probability of {validation.positive!r:.80} against all others. --positive LABEL "
            "evaluates another."
        )
    made = None
    if outputs.recalibrated is not None:
        made = recalibrate(fitted, X, y, outputs.discount)
    print(validation_text(validation))
    print()
    if outputs.min_cell is not None and outputs.shared():
        validation = validate_externally(
            fitted, X, y, positive=wanted, min_cell=outputs.min_cell, discount=outputs.discount
        )
    if outputs.out is not None:
        from elseif.report.validation_report import validation_page

        title = outputs.title or f"{model.stem}, validated"
        page = validation_page(validation, title=title, facts=_facts(fitted, model, table))
        save("Page", outputs.out, page, outputs.force)
    _write(outputs, validation, made)


def _write(
    outputs: ValidationOutputs, validation: ExternalValidation, made: FittedModel | None
) -> None:
    if outputs.plp_results is not None:
        from elseif.ohdsi import save_plp_results

        folder = save_plp_results(validation, outputs.plp_results, force=outputs.force)
        say_saved("Tables", folder)
    if outputs.results is not None:
        from elseif.report.plain_data import plain

        numbers = json.dumps(plain(asdict(validation)), indent=1, allow_nan=False)
        save("Numbers", outputs.results, f"{numbers}\n", outputs.force)
    if made is not None and outputs.recalibrated is not None:
        from elseif.export.disclosed import disclosed
        from elseif.export.model_file import save_model

        print_recalibrated(made)
        save_model(disclosed(made, outputs.min_cell), outputs.recalibrated, None, outputs.force)
        say_saved("Model", outputs.recalibrated)


def _facts(fitted: FittedModel, model: Path, table: Path | None) -> dict[str, str]:
    """Where model and people come from, for the page; of a database no address."""
    learnt = fitted.training["date"]
    facts = {"Model": model.name if learnt is None else f"{model.name}, learnt {learnt[:10]}"}
    if fitted.cohort is not None:
        facts["Learnt from"] = fitted.cohort["definition"]["title"]
    if fitted.federation is not None:
        from elseif.tables.federated import federation_in_short

        facts["Sites"] = f"{federation_in_short(fitted.federation)} {MAY_BE_KNOWN}"
    if table is None:
        return {**facts, "People": "extracted from a database by the definition in the model file"}
    command = shlex.join(["elseif", *sys.argv[1:]])
    return {**facts, "People": table.name, "Command": command}


def _of_table(
    fitted: FittedModel,
    model: Path,
    table: Path,
    label: str | None,
    text: Any,
    outputs: ValidationOutputs,
) -> tuple[Any, Any]:
    """Features and labels of a file, or of a cohort by its concept ids."""
    if is_cohort_folder(table) and fitted.cohort is not None:
        from elseif.cohort import read_cohort

        return _of_cohort(fitted, model, read_cohort(table), label)
    from elseif.cli.models import is_training_table, read_again

    rows = read_again(fitted, table, label, text)
    if fitted.training["fingerprint"] is not None and is_training_table(fitted, rows):
        if outputs.shared() or outputs.recalibrated is not None:
            raise ParamError(
                f"{table.name} is the table that {model.name} was learnt from: this would not "
                "validate the model, and a recalibrated list would count its people twice. "
                "Give other people; elseif report evaluates a model on its own table by "
                "cross-validation."
            )
        say(
            f"note: {table.name} is the table that {model.name} was learnt from: this evaluates it "
            "in sample, which says nothing about other people."
        )
    return rows.X, rows.y


def _of_cohort(
    fitted: FittedModel, model: Path, cohort: Cohort, label: str | None
) -> tuple[Any, Any]:
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
    outcome = label or fitted.metadata.outcome
    if label is None and outcome not in cohort.definition.outcome_names:
        outcome = None  # a name that labels were given in Python: the cohort has one outcome
    return cohort.table_for(columns, known["concepts"]), cohort.labels(outcome)


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
