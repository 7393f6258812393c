"""elseif samplesize develop|validate: how many people a study needs."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.output import say_wrapped
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.evaluation import SampleSize

DEVELOP, VALIDATE = "To develop", "To validate"


class Task(StrEnum):
    """What the people are for."""

    DEVELOP = "develop"
    VALIDATE = "validate"


def _number(text: str, panel: str | None = None) -> Any:
    return typer.Option(metavar="NUMBER", help=text, rich_help_panel=panel)


def samplesize(
    task: Annotated[Task, typer.Argument(metavar="develop|validate", help="What it is for.")],
    prevalence: Annotated[float | None, _number("Share of people with the outcome.")] = None,
    c_statistic: Annotated[float | None, _number("C statistic that is expected.")] = None,
    parameters: Annotated[
        int | None, _number("Candidate parameters; of a rule list, its conditions.", DEVELOP)
    ] = None,
    r2: Annotated[float | None, _number("Cox-Snell R2 instead of a C statistic.", DEVELOP)] = None,
    shrinkage: Annotated[float, _number("Smallest acceptable shrinkage.", DEVELOP)] = 0.9,
    model: Annotated[
        Path | None,
        typer.Option(
            metavar="MODEL",
            help="Model file, whose lines are the distribution of risks.",
            rich_help_panel=VALIDATE,
        ),
    ] = None,
    lp_normal: Annotated[
        str | None,
        typer.Option(
            metavar="MEAN,SD", help="A normal linear predictor.", rich_help_panel=VALIDATE
        ),
    ] = None,
    lp_beta: Annotated[
        str | None,
        typer.Option(
            metavar="ALPHA,BETA", help="A Beta distribution of risks.", rich_help_panel=VALIDATE
        ),
    ] = None,
    oe_width: Annotated[float, _number("Width of the interval of O/E.", VALIDATE)] = 0.2,
    slope_width: Annotated[
        float, _number("Width of the interval of the calibration slope.", VALIDATE)
    ] = 0.2,
    c_width: Annotated[float, _number("Width of the interval of the C statistic.", VALIDATE)] = 0.1,
    threshold: Annotated[
        float | None, _number("Risk at which people are treated, for net benefit.", VALIDATE)
    ] = None,
    net_benefit_width: Annotated[
        float, _number("Width of the interval of the standardised net benefit.", VALIDATE)
    ] = 0.2,
) -> None:
    """Say how many people it takes to develop or to validate a model of a binary outcome.

    The criteria are those of Riley et al., as in pmsampsize and pmvalsampsize.
    """
    from elseif import evaluation

    if task is Task.DEVELOP:
        if prevalence is None or parameters is None:
            raise ParamError("samplesize develop needs --prevalence and --parameters.")
        found = evaluation.development_sample_size(
            prevalence, parameters, r2=r2, c_statistic=c_statistic, shrinkage=shrinkage
        )
        print_size(found, "develop")
        return
    options: dict[str, Any] = {
        "oe_width": oe_width,
        "slope_width": slope_width,
        "c_width": c_width,
        "threshold": threshold,
        "net_benefit_width": net_benefit_width,
    }
    if model is not None:
        if any(v is not None for v in (prevalence, c_statistic, lp_normal, lp_beta)):
            raise ParamError("--model tells prevalence, C statistic and risks: give it alone.")
        from elseif.cli.models import read

        print_size(evaluation.sample_size_to_validate(read(model), **options), "validate")
        return
    if prevalence is None or c_statistic is None:
        raise ParamError(
            "samplesize validate needs --model MODEL, or --prevalence and --c-statistic."
        )
    found = evaluation.validation_sample_size(
        prevalence,
        c_statistic,
        lp_normal=_pair(lp_normal, "--lp-normal"),
        lp_beta=_pair(lp_beta, "--lp-beta"),
        **options,
    )
    print_size(found, "validate")


def print_size(found: SampleSize, verb: str) -> None:
    """Each criterion, and the people that satisfy all of them."""
    width = max(len(criterion.name) for criterion in found.criteria) + 2
    for criterion in found.criteria:
        print(f"{criterion.name:<{width}}{criterion.n:>12,}")
    print()
    say_wrapped(
        f"{found.n:,} people, with about {found.n_events:,} events, to {verb} the model "
        f"(prevalence {found.prevalence:.3g})."
    )


def _pair(text: str | None, option: str) -> tuple[float, float] | None:
    if text is None:
        return None
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise ParamError(f"{option} is {text!r}; it must be two numbers, such as -5,2.5.") from None
    return first, second
