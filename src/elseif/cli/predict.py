"""elseif predict MODEL TABLE: probabilities for every row of a table, as CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import Force, ModelFile, OutFile, TableFile
from elseif.cli.output import check_outputs, save, write_data
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError
from elseif.parameters import CHOICES

if TYPE_CHECKING:
    from elseif.fitted_model import FittedModel


@takes_text_format
def predict(
    model: ModelFile,
    table: TableFile,
    out: OutFile = None,
    predict_with: Annotated[
        str | None,
        typer.Option(
            "--with",
            metavar="|".join(CHOICES["predict_with"]),
            help="The point estimate, the whole posterior, the most probable or the projected "
            "list; by default, as in fit.",
        ),
    ] = None,
    id_column: Annotated[
        str | None,
        typer.Option(
            "--id",
            metavar="COLUMN",
            help="Column to copy to the start of each row, such as a case number.",
        ),
    ] = None,
    force: Force = False,
    text: Any = None,
) -> None:
    """Predict for the rows of a table, as CSV: rule, probability of each label, and label.

    Rules are counted from 1; the last one is "else". A text that a spreadsheet would take for
    a formula gets a leading quote.
    """
    if predict_with not in (None, *CHOICES["predict_with"]):
        known = ", ".join(CHOICES["predict_with"])
        raise ParamError(f"--with is {predict_with!r:.80}; it must be one of {known}.")
    check_outputs([out], force, [model, table])
    check_table_file(table, text)
    from elseif.cli.csv_text import csv_text
    from elseif.cli.models import read, read_cases

    fitted = read(model)
    if predict_with is not None:
        fitted = fitted.with_settings(predict_with=predict_with)
    rows, ids = read_cases(fitted, table, text, id_column, only_used=True)
    columns = {} if id_column is None else {id_column: ids}
    with activity(f"Predicting for {rows.n_rows:,} rows"):
        columns |= predictions(fitted, rows)
    if out is None:
        write_data(csv_text(columns))
    else:
        what = f"{len(columns['predicted']):,} predictions"
        save(what, out, csv_text(columns), force, private=True)


def predictions(model: FittedModel, rows: Any) -> dict[str, list[object]]:
    """Columns of the answer; the posterior has no one rule that applies."""
    table = model.read(rows, needed=model.columns_used())
    probabilities = model.probabilities(table)
    columns: dict[str, list[object]] = {}
    if model.predict_with != "posterior":
        columns["rule"] = (model.chosen_list().captured_in(table) + 1).tolist()
    classes = model.metadata.classes
    for position, label in enumerate(classes.tolist()):
        columns[f"probability {label}"] = probabilities[:, position].tolist()
    columns["predicted"] = classes[probabilities.argmax(axis=1)].tolist()
    return columns
