"""A database table instead of a file: counted in the database, never read as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.database_source import PANEL
from elseif.errors import DataError, ParamError

if TYPE_CHECKING:
    from elseif.cohort import Database

MOST_LABELS = 1000  # more are refused when they are counted


@dataclass(frozen=True)
class DatabaseTable:
    """The address of a database, and one of its tables."""

    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Instead of TABLE: a database with the table, which does the counting.",
            rich_help_panel=PANEL,
        ),
    ] = None
    table_name: Annotated[
        str | None,
        typer.Option(
            "--table",
            metavar="NAME",
            help="The table or view of --database to learn from.",
            rich_help_panel=PANEL,
        ),
    ] = None
    schema: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Schema of the table.", rich_help_panel=PANEL),
    ] = None

    def is_meant(self, file: Any) -> bool:
        """Whether the table is one of a database; ParamError unless exactly one table is meant."""
        if self.database is None:
            for option, value in (("--table", self.table_name), ("--schema", self.schema)):
                if value is not None:
                    raise ParamError(f"{option} goes with --database.")
            if file is None:
                raise ParamError(
                    "fit needs TABLE (CSV, TSV or Parquet), or --database URL --table NAME."
                )
            return False
        if file is not None:
            raise ParamError(
                f"{str(file)!r} is a file, and --database is given as well. Leave one of them out."
            )
        if self.table_name is None:
            raise ParamError("--database needs --table NAME: the table or view to learn from.")
        return True

    @property
    def source(self) -> str:
        """The table in sentences."""
        return f"the table {self.table_name}"

    @contextmanager
    def opened(self) -> Iterator[tuple[Database, Any]]:
        """The open database, and the table, which has yet to be computed."""
        from elseif.cohort import connect

        assert self.database is not None
        assert self.table_name is not None
        with connect(self.database, self.schema) as database:
            table = database.table(self.table_name)
            with database.translated():
                yield database, table


def without_columns(
    table: Any, source: DatabaseTable, label: str | None, weight: str | None, drop: Sequence[str]
) -> Any:
    """The table without dropped columns, after checking that all named columns exist."""
    from elseif.checks import did_you_mean

    if label is None:
        raise ParamError("--label COLUMN is needed: the column to predict.")
    names = list(table.columns)
    options = [("--label", label), *(("--drop", name) for name in drop)]
    if weight is not None:
        options.append(("--weight", weight))
    for option, name in options:
        if name not in names:
            raise DataError(
                f"The table {source.table_name} has no column {name!r} ({option}); "
                f"{did_you_mean(name, names)}"
            )
    return table.drop(*drop) if drop else table


def distinct_labels(table: Any, label: str) -> list[Any]:
    """The labels in a column, at most as many as a list can have."""
    labels = table.select(label).distinct().limit(MOST_LABELS).to_pyarrow()[label].to_pylist()
    return [value for value in labels if value is not None and value == value]
