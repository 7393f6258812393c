"""The program ``elseif``: its verbs, and errors as one line with what to do."""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from elseif import __version__
from elseif.cli.demo import demo
from elseif.cli.explain import explain
from elseif.cli.export import export
from elseif.cli.fit import fit
from elseif.cli.predict import predict
from elseif.cli.report import report
from elseif.cli.show import show
from elseif.cli.study import study
from elseif.errors import (
    DataError,
    ElseifError,
    FileExistsAlreadyError,
    ModelFileError,
    ParamError,
    ResourceError,
)

EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (ParamError, 2),
    (FileExistsAlreadyError, 2),
    (DataError, 3),
    (ResourceError, 4),
    (ModelFileError, 5),
    (ElseifError, 3),
)

app = typer.Typer(
    name="elseif",
    help="Bayesian rule lists: if ... else if ... else, with a probability on every line.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help reads better in 80 columns, and starts sooner
)
for verb in (fit, show, predict, explain, report, export, study, demo):
    app.command()(verb)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"elseif {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Bayesian rule lists: if ... else if ... else, with a probability on every line."""


def main() -> None:
    """Run the program; an error that a user can mend is one line, not a traceback."""
    debug = "--debug" in sys.argv
    try:
        app()
    except KeyboardInterrupt:
        print("elseif: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # the reader of a pipe has gone; keep Python from saying so once more at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except ElseifError as error:
        if debug:
            raise
        print(f"elseif: {error}", file=sys.stderr)
        sys.exit(next(code for kind, code in EXIT_CODES if isinstance(error, kind)))
