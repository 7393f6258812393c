"""elseif predict MODEL TABLE: probabilities for every row of a table, as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.output import check_outputs, say_saved
from elseif.cli.settings import PredictWith


def predict(
    model: Annotated[Path, typer.Argument(help="Model file.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet.", show_default=False)],
    out: Annotated[
        Path | None, typer.Option(help="Write a CSV file; without it, to the screen.")
    ] = None,
    predict_with: Annotated[
        PredictWith | None,
        typer.Option("--with", help="The point estimate, the posterior or the best list."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> None:
    """Predict for the rows of a table: rule, probability of each label, and label."""
    check_outputs([out], force)
    from elseif.cli.csv_text import csv_text
    from elseif.cli.tables import read_table_file
    from elseif.export.model_file import load_model

    classifier = load_model(model)
    if predict_with is not None:
        classifier.set_params(predict_with=predict_with.value)
    kinds = {name: kind.value for name, kind in classifier.rule_list_.vocabulary.kinds.items()}
    rows = read_table_file(table, kinds)
    probabilities = classifier.predict_proba(rows)
    predicted = classifier.classes_[probabilities.argmax(axis=1)].tolist()
    columns: dict[str, list[object]] = {}
    if classifier.predict_with != "posterior":
        chosen = (
            classifier.rule_list_
            if classifier.predict_with == "point"
            else classifier.map_rule_list_
        )
        columns["rule"] = (chosen.captured_by(classifier._read_again(rows)) + 1).tolist()
    for place, label in enumerate(classifier.classes_.tolist()):
        columns[f"probability {label}"] = probabilities[:, place].tolist()
    columns["predicted"] = predicted
    text = csv_text(columns)
    if out is None:
        print(text, end="")
        return
    from elseif.export.safe_files import write_atomically

    write_atomically(out, text, force)
    say_saved(f"{len(predicted):,} predictions", out)
