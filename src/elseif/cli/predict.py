"""elseif predict MODEL TABLE: probabilities for every row of a table, as CSV."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from elseif.cli.arguments import Force, ModelFile, OutFile, TableFile
from elseif.cli.output import check_outputs, save, write_data
from elseif.cli.tables import check_table_file
from elseif.parameters import CHOICES, check_choice


def predict(
    model: ModelFile,
    table: TableFile,
    out: OutFile = None,
    predict_with: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="|".join(CHOICES["predict_with"]),
            help="The point estimate, the whole posterior or the most probable list; without it, "
            "as in fit.",
        ),
    ] = None,
    force: Force = False,
) -> None:
    """Predict for the rows of a table, as CSV: rule, probability of each label, and label.

    Rules are counted from 1; the last one is "else". A text that a spreadsheet would take for
    a formula gets a leading quote.
    """
    if predict_with is not None:
        check_choice("predict_with", predict_with)
    check_outputs([out], force, [model, table])
    check_table_file(table)
    from elseif.cli.csv_text import csv_text
    from elseif.cli.models import classifier_of, read, read_cases

    found = read(model)
    classifier = classifier_of(found, model)
    if predict_with is not None:
        classifier.set_params(predict_with=predict_with)
    columns = predictions(classifier, read_cases(found, table))
    if out is None:
        write_data(csv_text(columns))
    else:
        what = f"{len(columns['predicted']):,} predictions"
        save(what, out, csv_text(columns), force, private=True)


def predictions(classifier: Any, rows: Any) -> dict[str, list[object]]:
    """Columns of the answer; the posterior has no one rule that applies."""
    probabilities = classifier.predict_proba(rows)
    columns: dict[str, list[object]] = {}
    if classifier.predict_with != "posterior":
        is_point = classifier.predict_with == "point"
        chosen = classifier.rule_list_ if is_point else classifier.map_rule_list_
        columns["rule"] = (chosen.captured_in(rows) + 1).tolist()
    for place, label in enumerate(classifier.classes_.tolist()):
        columns[f"probability {label}"] = probabilities[:, place].tolist()
    columns["predicted"] = classifier.classes_[probabilities.argmax(axis=1)].tolist()
    return columns
