"""elseif explain MODEL TABLE --row N: why the list predicts what it does for one case."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import LabelsFile, ModelFile, TableFile
from elseif.cli.output import width
from elseif.cli.tables import check_table_file
from elseif.cli.text_options import takes_text_format


@takes_text_format
def explain(
    model: ModelFile,
    table: TableFile,
    row: Annotated[
        int,
        typer.Option(min=1, metavar="NUMBER", help="Row number: 1 is the first below the header."),
    ],
    labels: LabelsFile = None,
    text: Any = None,
) -> None:
    """Explain the prediction for one row: the rule that applies, and what would change it."""
    check_table_file(table, text)
    from elseif.cli.models import read, read_cases
    from elseif.errors import DataError

    fitted = read(model, labels)
    rows, _ = read_cases(fitted, table, text)
    if row > rows.n_rows:
        raise DataError(f"--row is {row}; {table.name} has {rows.n_rows:,} rows.")
    with activity(f"Explaining row {row}"):
        explanation = fitted.explain(rows, row - 1)
    print(explanation.to_text(width=width()))
