"""elseif project MODEL TABLE: projected lists of every length, scored out of sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.arguments import (
    Force,
    LabelColumn,
    LabelsFile,
    ModelFile,
    Quiet,
    TrainingTable,
    WeightColumn,
)
from elseif.cli.fit import is_watched
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import check_outputs, say_saved, width
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError


@dataclass(frozen=True)
class Lengths:
    """Which lengths to look at, and which to take."""

    max_length: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="The most rules to look at; by default twice as many as the point estimate has, "
            "at least 10 and at most 20.",
        ),
    ] = None
    folds: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="Folds of the cross-validation that scores every length; 0 for none.",
        ),
    ] = 5
    length: Annotated[
        int | None,
        typer.Option(
            min=0,
            metavar="NUMBER",
            help="The length to take; by default the suggested one, or the longest without folds.",
        ),
    ] = None

    def check(self) -> None:
        """Raise where the length to take is beyond those to look at."""
        length, longest = self.length, self.max_length
        if length is not None and longest is not None and length > longest:
            raise ParamError(f"--length {length} is more than --max-length {longest}.")


@takes_text_format
@takes_groups
def project(
    model: ModelFile,
    table: TrainingTable,
    *,
    label: LabelColumn = None,
    weight: WeightColumn = None,
    labels: LabelsFile = None,
    lengths: Lengths,
    new: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FILE",
            help="Save a model here that predicts with the list of that length.",
            rich_help_panel="Output",
        ),
    ] = None,
    force: Force = False,
    quiet: Quiet = False,
    text: Any = None,
) -> None:
    """Print projected lists of every length, scored out of sample, and save one as a model."""
    check_outputs([new], force, [model, table])
    check_table_file(table, text)
    lengths.check()
    from elseif.cli.models import read, read_again
    from elseif.export.model_file import save_model, to_classifier
    from elseif.project_mixin import longest_of_path

    fitted = read(model, labels)
    training = read_again(fitted, table, label, text, weight)
    length, max_length = lengths.length, lengths.max_length
    if max_length is None:
        max_length = max(longest_of_path(fitted.rule_list), length or 0)
    classifier = to_classifier(fitted)
    classifier.verbose = is_watched(quiet)
    path = classifier.project(
        training.X, training.y, training.weights, max_length=max_length, folds=lengths.folds or None
    )
    classifier.verbose = False  # no setting of the model's
    chosen = path.as_classifier(length)
    print(path.to_text(width=width(), length=length))
    if new is not None:
        save_model(chosen, new, force=force)
        print()
        say_saved("Model", new)
