"""elseif fit TABLE --label COLUMN: learn a list from a file, print it, save it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli import settings as told
from elseif.cli.output import check_outputs, say_saved

if TYPE_CHECKING:
    from elseif.cli.tables import Read

OUTPUT = "Output"


def fit(
    table: Annotated[Path, typer.Argument(help="CSV, TSV or Parquet file.", show_default=False)],
    label: Annotated[str, typer.Option(help="Column that is to be predicted.")],
    positive: Annotated[
        str | None, typer.Option(help="The label whose probability is wanted.")
    ] = None,
    weight: Annotated[str | None, typer.Option(help="Column of row weights.")] = None,
    drop: Annotated[list[str], typer.Option(help="Column to leave out; may be repeated.")] = [],  # noqa: B006
    model: Annotated[
        Path | None, typer.Option(help="Save the model here (JSON).", rich_help_panel=OUTPUT)
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(help="Write a report here (HTML); cross-validates.", rich_help_panel=OUTPUT),
    ] = None,
    calculator: Annotated[
        Path | None, typer.Option(help="Write a calculator here (HTML).", rich_help_panel=OUTPUT)
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite files.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="No progress bars.", rich_help_panel=OUTPUT)
    ] = False,
    expected_length: told.ExpectedLength = 3,
    expected_cardinality: told.ExpectedCardinality = 1,
    pseudocounts: told.Pseudocounts = ["1"],  # noqa: B006
    antecedents: told.Antecedents = None,
    antecedent_weights: told.AntecedentWeights = [],  # noqa: B006
    min_support: told.MinSupport = "0.1",
    max_cardinality: told.MaxCardinality = 2,
    support_in: told.SupportAmong = told.SupportIn.ALL,
    merge_equivalents: told.MergeEquivalents = False,
    empty_pool: told.OnEmptyPool = told.EmptyPool.ERROR,
    max_antecedents: told.MaxAntecedents = 100_000,
    max_memory: told.MaxMemory = 4e9,
    kinds: told.Kinds = [],  # noqa: B006
    cuts: told.Cuts = [],  # noqa: B006
    cutting: told.CuttingMethod = told.Cutting.QUANTILES,
    n_quantiles: told.NQuantiles = 4,
    disjoint_bins: told.DisjointBins = False,
    negations: told.Negations = False,
    group_rare: told.GroupRare = None,
    missing: told.MissingValues = told.Missing.OWN_LEVEL,
    missing_y: told.MissingY = told.MissingLabel.ERROR,
    infinite: told.InfiniteValues = told.Infinite.ERROR,
    kernel: told.SamplingKernel = told.Kernel.AUTO,
    n_chains: told.NChains = 4,
    n_iter: told.NIter = None,
    max_iter: told.MaxIter = 2_000_000,
    predict_with: told.Predictor = told.PredictWith.POINT,
    random_state: told.RandomState = 0,
    n_jobs: told.NJobs = -1,
) -> None:
    """Learn a rule list from a table: print it, and save model, report and calculator."""
    given = locals()
    check_outputs([model, report, calculator], force)
    from elseif.estimator import BayesianRuleListClassifier  # after all that needs no wait

    parameters = estimator_parameters(given)
    from elseif.cli.tables import read_labelled

    read = read_labelled(
        table,
        label,
        positive=positive,
        weight=weight,
        drop=drop,
        kinds=parameters["kinds"],
    )
    parameters["verbose"] = not quiet and sys.stderr.isatty()
    classifier = BayesianRuleListClassifier(**parameters)
    classifier.fit(read.X, read.y, sample_weight=read.weights)
    classifier.verbose = False  # a model that is loaded should not speak
    print_fit(classifier, table.name)
    save_outputs(classifier, read, {"model": model, "report": report, "calculator": calculator},
                 force, parameters["verbose"])


def estimator_parameters(given: dict[str, Any]) -> dict[str, Any]:
    """The estimator's parameters of what the command line was told."""
    readers = {
        "pseudocounts": told.read_pseudocounts,
        "antecedents": told.read_antecedents,
        "antecedent_weights": told.read_weights,
        "min_support": told.read_support,
        "kinds": told.read_kinds,
        "cuts": told.read_cuts,
    }
    names = (
        "expected_length expected_cardinality pseudocounts antecedents antecedent_weights "
        "min_support max_cardinality support_in merge_equivalents empty_pool max_antecedents "
        "max_memory kinds cuts cutting n_quantiles disjoint_bins negations group_rare missing "
        "missing_y infinite kernel n_chains n_iter max_iter predict_with random_state n_jobs"
    ).split()
    parameters: dict[str, Any] = {}
    for name in names:
        value = given[name]
        if name in readers:
            value = readers[name](value)
        elif isinstance(value, str):
            value = str(value)  # an option of a choice is a text to the estimator
        parameters[name] = value
    return parameters


def print_fit(classifier: Any, source: str) -> None:
    """The list, and what a reader should know of it, on one screen."""
    from elseif.fitted import convergence_line

    report = classifier.fit_report_
    left_out = [column for column in report.columns if column.excluded is not None]
    print(classifier.rule_list_)
    print()
    print(
        f"Learnt from {report.n_rows:,} rows of {source}; the lists are made of "
        f"{len(classifier.pool_):,} antecedents."
    )
    print(convergence_line(classifier))
    for column in left_out[:5]:
        print(f"Left out: {column.name} ({column.excluded}).")
    if len(left_out) > 5:
        print(f"Left out as well: {len(left_out) - 5} more columns.")
    for note in report.notes:
        print(note)


def save_outputs(
    classifier: Any, read: Read, paths: dict[str, Path | None], force: bool, verbose: bool
) -> None:
    """Save what was asked for."""
    if paths["model"] is not None:
        from elseif.export.model_file import save_model

        save_model(classifier, paths["model"], force=force)
        say_saved("Model", paths["model"])
    if paths["calculator"] is not None:
        from elseif.export.safe_files import write_atomically
        from elseif.report.calculator import calculator_page

        write_atomically(paths["calculator"], calculator_page(classifier), force)
        say_saved("Calculator", paths["calculator"])
    if paths["report"] is not None:
        from elseif.cli.report import write_report_file

        write_report_file(classifier, read, paths["report"], force, verbose)
