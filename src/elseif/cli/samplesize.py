"""elseif samplesize develop|validate: the sample size that a study needs."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.in_options import arguments_as_options
from elseif.cli.output import say_wrapped
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.evaluation import SampleSize

DEVELOP, VALIDATE = "To develop", "To validate"
# what Python calls an option, which is a word of English where it does not begin the sentence
_PYTHON = re.compile(
    r"(?<![\w-])(?:r2|c_statistic|lp_normal|lp_beta|oe_width|slope_width|c_width|"
    r"net_benefit_width)(?!\w)|^(?:prevalence|parameters|shrinkage|threshold)(?= is )"
)


class StudyTask(StrEnum):
    """What the people are for."""

    DEVELOP = "develop"
    VALIDATE = "validate"


def _number(text: str, panel: str | None = None) -> Any:
    return typer.Option(metavar="NUMBER", help=text, rich_help_panel=panel)


def samplesize(
    task: Annotated[StudyTask, typer.Argument(metavar="develop|validate", help="Kind of study.")],
    prevalence: Annotated[float | None, _number("Share of people with the outcome.")] = None,
    c_statistic: Annotated[float | None, _number("Expected C statistic.")] = None,
    parameters: Annotated[
        int | None, _number("Candidate parameters; for a rule list, conditions.", DEVELOP)
    ] = None,
    r2: Annotated[float | None, _number("Cox-Snell R2 instead of a C statistic.", DEVELOP)] = None,
    shrinkage: Annotated[
        float | None, _number("Smallest acceptable shrinkage (default 0.9).", DEVELOP)
    ] = None,
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
    oe_width: Annotated[
        float | None, _number("Width of the interval of O/E (default 0.2).", VALIDATE)
    ] = None,
    slope_width: Annotated[
        float | None, _number("Width of the interval of the slope (default 0.2).", VALIDATE)
    ] = None,
    c_width: Annotated[
        float | None, _number("Width of the interval of the C statistic (default 0.1).", VALIDATE)
    ] = None,
    threshold: Annotated[
        float | None, _number("Risk at which people are treated, for net benefit.", VALIDATE)
    ] = None,
    net_benefit_width: Annotated[
        float | None,
        _number("Width of the interval of the standardised net benefit (default 0.2).", VALIDATE),
    ] = None,
) -> None:
    """Compute the sample size to develop or to validate a model of a binary outcome.

    The criteria are those of Riley et al., as in pmsampsize and pmvalsampsize.
    """
    to_develop = {"parameters": parameters, "r2": r2, "shrinkage": shrinkage}
    criteria = {
        "oe_width": oe_width, "slope_width": slope_width, "c_width": c_width,
        "threshold": threshold, "net_benefit_width": net_benefit_width,
    }  # fmt: skip
    risks = {"lp_normal": lp_normal, "lp_beta": lp_beta}
    if task is StudyTask.DEVELOP:
        _refuse({"model": model, **risks, **criteria}, StudyTask.VALIDATE)
        if prevalence is None or parameters is None:
            raise ParamError("samplesize develop needs --prevalence and --parameters.")
        print_size(_to_develop(prevalence, c_statistic, to_develop), "develop")
        return
    _refuse(to_develop, StudyTask.DEVELOP)
    if net_benefit_width is not None and threshold is None:
        raise ParamError("--net-benefit-width needs --threshold, the risk of the net benefit.")
    if lp_normal is not None and lp_beta is not None:
        raise ParamError("Give --lp-normal or --lp-beta, not both.")
    given = _given(criteria)
    if model is not None:
        if any(v is not None for v in (prevalence, c_statistic, lp_normal, lp_beta)):
            raise ParamError("--model provides prevalence, C statistic and risks: give it alone.")
        print_size(_to_validate_model(model, given), "validate")
        return
    if prevalence is None or c_statistic is None:
        raise ParamError(
            "samplesize validate needs --model MODEL, or --prevalence and --c-statistic."
        )
    pairs = {name: _pair(name, text) for name, text in _given(risks).items()}
    print_size(_to_validate(prevalence, c_statistic, {**given, **pairs}), "validate")


def _to_develop(prevalence: float, c_statistic: float | None, given: Any) -> SampleSize:
    from elseif import evaluation

    with arguments_as_options(_PYTHON, _option):
        return evaluation.development_sample_size(
            prevalence, c_statistic=c_statistic, **_given(given)
        )


def _to_validate(prevalence: float, c_statistic: float, given: Any) -> SampleSize:
    from elseif import evaluation

    with arguments_as_options(_PYTHON, _option):
        return evaluation.validation_sample_size(prevalence, c_statistic, **given)


def _to_validate_model(path: Path, given: Any) -> SampleSize:
    from elseif import evaluation
    from elseif.cli.models import read

    model = read(path)
    with arguments_as_options(_PYTHON, _option):
        return evaluation.sample_size_to_validate(model, **given)


def _given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options that were given; the others have the defaults of Python's functions."""
    return {name: value for name, value in options.items() if value is not None}


def _refuse(options: Mapping[str, Any], task: StudyTask) -> None:
    """Refuse options of the other task."""
    for name in _given(options):
        raise ParamError(f"{_option(name)} is an option of samplesize {task.value} only.")


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def print_size(size: SampleSize, verb: str) -> None:
    """Each criterion, and the people that satisfy all of them."""
    width = max(len(criterion.name) for criterion in size.criteria) + 2
    for criterion in size.criteria:
        print(f"{criterion.name:<{width}}{criterion.n:>12,}")
    print()
    say_wrapped(
        f"{size.n:,} people, with about {size.n_events:,} events, to {verb} the model "
        f"(prevalence {size.prevalence:.3g})."
    )


def _pair(name: str, text: str) -> tuple[float, float]:
    try:
        first, second = (float(part) for part in text.split(","))
    except ValueError:
        raise ParamError(
            f"{_option(name)} is {text!r:.80}; it must be two numbers, such as -5,2.5."
        ) from None
    return first, second
