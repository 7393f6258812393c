"""A database instead of a table: options shared by several commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import ResultsSchema, VocabularySchema
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.cohort import Cohort, Database

PANEL = "Database"


@dataclass(frozen=True)
class DatabaseSource:
    """Where a database is, and the schemas of its tables."""

    database: Annotated[
        str | None,
        typer.Option(
            metavar="URL",
            help="Instead of a table: a database to extract the same cohort from.",
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

    def extract(
        self,
        known: Mapping[str, Any] | None,
        file: Path,
        verb: str,
        watched: bool,
        folder: Path | None = None,
    ) -> Cohort:
        """The cohort that a plan or a model was made from, in this database.

        ``known`` is what that file says about its cohort, if it was made from one; ``verb`` is
        "made" or "learnt".
        """
        from elseif.cohort import extract
        from elseif.cohort.definition_file import definition_from
        from elseif.progress import Progress, ProgressBar

        if known is None:
            raise ParamError(
                f"{file.name} was not {verb} from a cohort: it has no cohort definition. Give a "
                "TABLE."
            )
        definition = definition_from(known["definition"], file.name)
        progress = ProgressBar() if watched else Progress()
        with self.connect() as database:
            return extract(database, definition, folder=folder, progress=progress)
