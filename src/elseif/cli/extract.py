"""elseif extract: a cohort from a database in the OMOP common data model, into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from elseif.cli.arguments import Quiet, ResultsSchema, VocabularySchema
from elseif.cli.fit import is_watched
from elseif.cli.interrupts import say_when_interrupted
from elseif.cli.output import check_is_folder, say_saved, say_wrapped

if TYPE_CHECKING:
    from elseif.cohort import Cohort

SOURCE = "Database"


def extract(
    database: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="duckdb:///FILE, postgresql://USER@HOST:PORT/NAME, or spark:///FOLDER for "
            "Parquet files named after the tables. Keep the password in the environment "
            "(PGPASSWORD) or in ~/.pgpass: other users can see the command line.",
            show_default=False,
            rich_help_panel=SOURCE,
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            metavar="FOLDER",
            help="Folder for the cohort; an interrupted extraction in it is continued.",
            show_default=False,
        ),
    ],
    definition: Annotated[
        str,
        typer.Option(
            metavar="NAME|FILE",
            help="stroke, heart_failure, or a YAML file of your own.",
        ),
    ] = "stroke",
    schema: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Schema of the tables; by default, that of the database.",
            rich_help_panel=SOURCE,
        ),
    ] = None,
    vocabulary_schema: VocabularySchema = None,
    results_schema: ResultsSchema = None,
    persons_a_batch: Annotated[
        int,
        typer.Option(
            "--persons-a-batch",
            min=1,
            metavar="NUMBER",
            help="Persons with the index condition to query at once.",
            rich_help_panel=SOURCE,
        ),
    ] = 50_000,
    quiet: Quiet = False,
) -> None:
    """Extract a cohort from an OMOP database: its members, their earlier records and outcomes.

    The database is only read; SELECT permission is enough. The folder then contains one row for
    each member and must be kept as safe as the database.
    """
    from elseif.cohort import connect, extract as extract_cohort, load_definition
    from elseif.cohort.folder import check_folder
    from elseif.progress import Progress, ProgressBar

    check_is_folder(out)
    wanted = load_definition(definition)
    check_folder(out)
    progress = ProgressBar() if is_watched(quiet) else Progress()
    on = f"finished parts are kept in {out}, and the same command continues"
    with (
        say_when_interrupted(on),
        connect(
            database, schema, vocabulary_schema=vocabulary_schema, results_schema=results_schema
        ) as source,
    ):
        cohort = extract_cohort(
            source, wanted, folder=out, persons_a_batch=persons_a_batch, progress=progress
        )
    print_cohort(cohort)
    say_saved("Cohort", out)


def print_cohort(cohort: Cohort) -> None:
    """Who is in a cohort, how it came about, and what the database lacks."""
    from elseif.cohort.attrition import extraction_text
    from elseif.tables.origin import says_so

    say_wrapped(f"{says_so(cohort.definition.title, cohort.is_synthetic)}.")
    n_outcomes, outcome = int(cohort.outcome.sum()), cohort.definition.outcome.name
    say_wrapped(
        f"{len(cohort):,} persons, {n_outcomes:,} ({n_outcomes / len(cohort):.1%}) with {outcome} "
        f"in days {cohort.definition.outcome_window[0]} to {cohort.definition.outcome_window[1]}; "
        f"{_columns_text(cohort)} recorded before."
    )
    for name, has in cohort.more_outcomes.items():
        n = int(has.sum())
        say_wrapped(f"{n:,} ({n / len(cohort):.1%}) with {name} in the same days.")
    print(f"\n{extraction_text(cohort.attrition, cohort.quality_issues, cohort.warnings)}\n")


def _columns_text(cohort: Cohort) -> str:
    """How many columns there are, in words."""
    numbers = len(cohort.number_catalogue)
    also = f" and {numbers:,} numbers" if numbers else ""
    return f"{cohort.features.shape[1]:,} {cohort.definition.columns_text}{also}"
