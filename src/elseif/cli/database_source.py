"""A database in place of a table, as several commands take it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

import typer

from elseif.cli.arguments import ResultsSchema, VocabularySchema
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.cohort import Database

PANEL = "Database"


@dataclass(frozen=True)
class DatabaseSource:
    """Where a database is, and the schemas of its tables."""

    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="In place of a table: a database, from which the same cohort is extracted.",
            rich_help_panel=PANEL,
        ),
    ] = None
    schema: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Schema of its tables.", rich_help_panel=PANEL),
    ] = None
    vocabulary_schema: VocabularySchema = None
    results_schema: ResultsSchema = None

    def check_goes_together(self, **others: object) -> None:
        """Raise for options that need a database where none is given."""
        options = {
            "schema": self.schema,
            "vocabulary_schema": self.vocabulary_schema,
            "results_schema": self.results_schema,
            **others,
        }
        for name, value in options.items():
            if value is not None and self.database is None:
                raise ParamError(f"--{name.replace('_', '-')} goes with --database.")

    def connect(self) -> Database:
        """The open database."""
        from elseif.cohort import connect

        assert self.database is not None
        return connect(
            self.database,
            self.schema,
            vocabulary_schema=self.vocabulary_schema,
            results_schema=self.results_schema,
        )
