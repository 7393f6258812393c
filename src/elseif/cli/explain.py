"""elseif explain MODEL TABLE --row N: why the list says what it says of one case."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def explain(
    model: Annotated[Path, typer.Argument(help="Model file.", show_default=False)],
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet.", show_default=False)],
    row: Annotated[int, typer.Option(min=1, help="Which row: 1 is the first below the header.")],
) -> None:
    """Explain the answer for one row: the rule that fires, and what would change it."""
    from elseif.cli.tables import read_table_file
    from elseif.errors import DataError
    from elseif.export.model_file import load_model

    classifier = load_model(model)
    kinds = {name: kind.value for name, kind in classifier.rule_list_.vocabulary.kinds.items()}
    rows = read_table_file(table, kinds)
    if row > len(rows):
        raise DataError(f"--row is {row}; {table.name} has {len(rows):,} rows.")
    print(classifier.explain(rows, row - 1))
