"""elseif federate PLAN SITE...: a rule list from the counts of several sites."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import (
    Force,
    MinCell,
    Quiet,
    SavedModel,
    Title,
    WithoutPosterior,
    output_file,
)
from elseif.cli.output import check_outputs, check_pages, save, say_saved, say_wrapped
from elseif.cli.plan import PlanFile
from elseif.cli.settings import by_label_name, estimator_parameters, takes_some_settings
from elseif.errors import ParamError
from elseif.parameters import Setting, SettingGroup

if TYPE_CHECKING:
    from elseif.federation import Federated

LIMITS = ("max_iter", "max_time", "max_memory")


def _is_about_lists(setting: Setting) -> bool:
    """Whether a setting is one of prior or sampler: the pool is in the plan."""
    in_groups = (
        setting.group in (SettingGroup.LEARN, SettingGroup.SAMPLE) and setting.name != "antecedents"
    )
    return in_groups or setting.name in LIMITS


@takes_some_settings(_is_about_lists)
def federate(
    plan: PlanFile,
    sites: Annotated[
        list[Path],
        typer.Argument(metavar="SITE...", help="Counts of sites, made by elseif site."),
    ],
    leave_one_out: Annotated[
        bool,
        typer.Option(
            "--leave-one-out",
            help="Also evaluate, at each site, the list learnt from all others: "
            "internal-external validation.",
        ),
    ] = False,
    model: SavedModel = None,
    without_posterior: WithoutPosterior = False,
    out: Annotated[
        Path | None, output_file("Write the list and every line at every site as a page (HTML).")
    ] = None,
    title: Title = None,
    results: Annotated[Path | None, output_file("Write every number here (JSON).")] = None,
    min_cell: MinCell = None,
    force: Force = False,
    quiet: Quiet = False,
    settings: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Learn a rule list from the counts of sites, and compare the sites on every line.

    If no site withholds anybody, the list and every draw are the same as those of elseif fit on the
    rows of all sites together, with the plan's antecedents.
    """
    shown = {"--out": out, "--results": results}
    exact = [option for option, path in shown.items() if path is not None]
    if min_cell is not None and exact:
        raise ParamError(
            f"With --min-cell, {exact[0]} cannot be written: it contains the counts of every "
            "site. Ask the sites for a minimum cell."
        )
    if min_cell is not None and model is None:
        raise ParamError(
            "--min-cell rounds the counts in the model, not those on the screen: it goes with "
            "--model FILE."
        )
    if without_posterior and model is None:
        raise ParamError("--without-posterior goes with --model FILE.")
    if title is not None and out is None:
        raise ParamError("--title goes with --out PAGE.")
    check_outputs([model, out, results], force, [plan, *sites])
    check_pages(out)
    parameters = estimator_parameters(settings)
    from elseif.cli.fit import is_watched, resumable
    from elseif.federation import federate as fit_sites, read_plan, read_site
    from elseif.federation.federation_text import federation_text

    agreed = read_plan(plan)
    if isinstance(parameters["pseudocounts"], dict):
        parameters["pseudocounts"] = by_label_name(
            parameters["pseudocounts"], agreed.classes.tolist()
        )
    counts = [read_site(path, agreed) for path in sites]
    parameters["verbose"] = is_watched(quiet)
    with resumable(parameters["checkpoint"]):
        federated = fit_sites(agreed, counts, leave_one_out=leave_one_out, **parameters)
        made = federated.model.with_settings(verbose=False)
        if model is not None:
            from elseif.export.model_file import save_model

            save_model(made, model, None if without_posterior else "lists", force, min_cell)
    print(federation_text(federated))
    say_wrapped(federated.classifier.convergence_.sentence())
    print()
    if model is not None:
        say_saved("Model", model)
    if out is not None:
        from elseif.federation import federation_page

        save("Page", out, federation_page(federated, title=title), force)
    if results is not None:
        save("Numbers", results, _numbers(federated), force)


def _numbers(federated: Federated) -> str:
    """Every number as JSON."""
    from elseif.report.plain_data import plain

    numbers = {
        "plan_sha256": federated.plan.sha256,
        "lines": [plain(asdict(line)) for line in federated.lines],
        "left_out": [plain(asdict(site)) for site in federated.left_out],
        "withheld": {site.site: list(site.withheld) for site in federated.sites},
    }
    return json.dumps(numbers, indent=1, allow_nan=False) + "\n"
