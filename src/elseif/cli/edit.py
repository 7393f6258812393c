"""elseif edit MODEL TABLE --list FILE: the cost of a list edited in the explorer, as a model."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import (
    Force,
    LabelColumn,
    LabelsFile,
    ModelFile,
    TrainingTable,
    WeightColumn,
)
from elseif.cli.output import check_outputs, say_saved, width
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format


@takes_text_format
def edit(
    model: ModelFile,
    table: TrainingTable,
    edited: Annotated[
        Path,
        typer.Option(
            "--list", metavar="FILE", help="The edited list, as the explorer page saves it."
        ),
    ],
    label: LabelColumn = None,
    weight: WeightColumn = None,
    labels: LabelsFile = None,
    new: Annotated[
        Path | None,
        typer.Option(
            "--model",
            metavar="FILE",
            help="Save the edited model here; by default, only the cost of the edit is shown.",
            rich_help_panel="Output",
        ),
    ] = None,
    force: Force = False,
    text: Any = None,
) -> None:
    """Evaluate a list that was edited in the explorer, and save it as a model."""
    check_outputs([new], force, [table, edited])
    check_table_file(table, text)
    from elseif.cli.models import read, read_again
    from elseif.report.edited_list import read_edited_list

    antecedents = read_edited_list(edited)
    fitted = read(model, labels)
    training = read_again(fitted, table, label, text, weight)
    with activity("Weighing the list"):
        draft = fitted.edit(training.X, training.y, training.weights)
        draft = draft.take(antecedents, f"take the list in {edited.name}")
    print(draft.to_text(width=width()))
    if new is not None:
        from elseif.export.model_file import save_model

        kept = "lists" if fitted.posterior is not None else None
        save_model(draft.as_model(), new, kept, force)
        print()
        say_saved("Model", new)
