"""The program ``elseif``: its commands, and errors as one line that says what to do."""

from __future__ import annotations

import contextlib
import sys
import traceback
from collections.abc import Callable, Sequence
from functools import cache
from typing import Annotated, Any

import typer

from elseif import __version__
from elseif.cli.activity import be_quiet
from elseif.cli.demo import demo
from elseif.cli.edit import edit
from elseif.cli.explain import explain
from elseif.cli.export import export
from elseif.cli.extract import extract
from elseif.cli.federate import federate
from elseif.cli.fit import fit
from elseif.cli.grouped_command import GroupedCommand
from elseif.cli.interrupts import INTERRUPTED, heed_signals, stopped, was_stopped
from elseif.cli.labels import labels
from elseif.cli.misuse import in_a_sentence
from elseif.cli.open_page import open_page
from elseif.cli.output import give_up_if_failing, make_output_whole, make_streams_lenient
from elseif.cli.plan import plan
from elseif.cli.predict import predict
from elseif.cli.problems import (
    BROKEN_PIPE,
    exit_code,
    one_line,
    say,
    warnings_as_notes,
    without_passwords,
)
from elseif.cli.project import project
from elseif.cli.report import report
from elseif.cli.samplesize import samplesize
from elseif.cli.serve import serve
from elseif.cli.show import show
from elseif.cli.site import site
from elseif.cli.study import study
from elseif.cli.validate import validate
from elseif.visible import visible

UsageError: type[Exception] = typer.BadParameter.__bases__[0]  # which typer does not name in public

app = typer.Typer(
    name="elseif",
    help="Bayesian rule lists: if ... else if ... else, with a probability on every line.",
    context_settings={"help_option_names": ["-h", "--help"]},
    pretty_exceptions_enable=False,
    rich_markup_mode=None,  # plain help reads better in 80 columns, and starts sooner
)
COMMANDS: dict[Callable[..., None], str] = {
    fit: "Learn a rule list from a table.",
    show: "Print the list in a model file.",
    predict: "Predict for the rows of a table, as CSV.",
    explain: "Explain the prediction for one row.",
    project: "Compare projected lists of every length.",
    report: "Write a report, with out-of-sample validation.",
    open_page: "Open a report or another page in the browser.",
    validate: "Evaluate a model on data from elsewhere.",
    plan: "Plan what sites count, for federate.",
    site: "Count a site's people under a plan; no row leaves it.",
    federate: "Learn a rule list from the counts of many sites.",
    samplesize: "Compute the sample size that a study needs.",
    export: "Write the list as SQL, PMML, ONNX, code, a calculator ...",
    labels: "Write a labels file to fill in: names, units, words.",
    edit: "Evaluate a list that was edited in the explorer.",
    serve: "Serve over HTTP: calculator, predictions, CDS Hooks.",
    extract: "Extract a cohort from an OMOP database.",
    study: "Run an experiment of the paper.",
    demo: "Fit the Titanic list, and write all its pages.",
}
NAMES: dict[Callable[..., None], str] = {open_page: "open"}  # which Python has for itself
for command, in_short in COMMANDS.items():
    app.command(NAMES.get(command), cls=GroupedCommand, short_help=in_short)(command)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"elseif {__version__}")
        raise typer.Exit


@app.callback()
def options(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error; also after the command."),
    ] = False,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    """Bayesian rule lists: if ... else if ... else, with a probability on every line."""


def main() -> None:
    """Run the program with the arguments of the command line."""
    heed_signals()  # here and not in run(): a program that calls that has its own
    make_output_whole()
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run the program; an error that a user can mend is one line, not a traceback."""
    arguments, debug = _without_debug(list(arguments) or ["--help"])
    make_streams_lenient()
    be_quiet(False)
    try:
        with warnings_as_notes():
            code = _program()(arguments, prog_name="elseif", standalone_mode=False)
        sys.stdout.flush()  # a closed pipe shows here, not when Python ends
        if code == INTERRUPTED:  # typer's answer to an interrupt
            return stopped()
        return code if isinstance(code, int) else 0
    except (KeyboardInterrupt, typer.Abort):
        return stopped()
    except UsageError as error:
        say(in_a_sentence(error, _program(), arguments))
        return 2
    except BrokenPipeError:
        return BROKEN_PIPE  # nobody reads on: end quietly
    except SystemExit as end:  # typer's own answer to a closed pipe
        return BROKEN_PIPE if end.code == 1 else int(end.code or 0)
    except Exception as error:
        if was_stopped():  # DuckDB turns an interrupt into an error of its own
            return stopped()
        trace = "".join(traceback.format_exception(error)) if debug else None
        return _failed(error, trace)
    finally:
        give_up_if_failing(sys.stdout)
        give_up_if_failing(sys.stderr)


@cache
def _program() -> Callable[..., Any]:
    """The commands and their options, made once for all calls of a process."""
    return typer.main.get_command(app)


def _failed(error: Exception, trace: str | None) -> int:
    """Report what went wrong; without an output, the exit code has to do."""
    if trace is None:
        say(one_line(error))
    else:
        with contextlib.suppress(OSError):
            shown = visible(without_passwords(trace), but="\n")
            print(shown, end="", file=sys.stderr, flush=True)
    return exit_code(error)


def _without_debug(arguments: list[str]) -> tuple[list[str], bool]:
    """The arguments without --debug, which may be anywhere before a lone --."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    kept = [argument for argument in arguments[:end] if argument != "--debug"]
    return kept + arguments[end:], len(kept) < end
