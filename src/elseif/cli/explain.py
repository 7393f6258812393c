"""elseif explain MODEL TABLE --row N: why the list says what it says of one case."""

from __future__ import annotations

from typing import Annotated

import typer

from elseif.cli.arguments import ModelFile, TableFile
from elseif.cli.output import width
from elseif.cli.tables import check_table_file


def explain(
    model: ModelFile,
    table: TableFile,
    row: Annotated[
        int,
        typer.Option(min=1, metavar="NUMBER", help="Which row: 1 is the first below the header."),
    ],
) -> None:
    """Explain the answer for one row: the rule that applies, and what would change it."""
    check_table_file(table)
    from elseif.cli.models import classifier_of, read, read_cases
    from elseif.errors import DataError

    found = read(model)
    rows = read_cases(found, table)
    if row > rows.n_rows:
        raise DataError(f"--row is {row}; {table.name} has {rows.n_rows:,} rows.")
    print(classifier_of(found, model).explain(rows, row - 1).to_text(width=width()))
