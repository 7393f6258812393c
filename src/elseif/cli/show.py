"""elseif show MODEL: the list in a model file, and other lists of the posterior."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from elseif.cli.arguments import LabelsFile, ModelFile
from elseif.cli.in_options import in_options
from elseif.cli.output import say_wrapped, width

if TYPE_CHECKING:
    from elseif.posterior.draws import Posterior
    from elseif.projection.path import ProjectionPath


class Which(StrEnum):
    """The lists of a model."""

    POINT = "point"
    MAP = "map"
    PROJECTED = "projected"


WhichList = Annotated[
    Which | None,
    typer.Option(
        "--list",
        metavar="|".join(Which),
        help="The point estimate, the most probable list or the projected list; by default, "
        "the one that predicts.",
    ),
]
Level = Annotated[
    float, typer.Option("--level", metavar="NUMBER", help="Level of the credible intervals.")
]


def show(
    model: ModelFile,
    which: WhichList = None,
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Show the probability of this label."),
    ] = None,
    level: Level = 0.95,
    lists: Annotated[
        int,
        typer.Option(min=0, metavar="NUMBER", help="Also show this many lists of the posterior."),
    ] = 0,
    labels: LabelsFile = None,
) -> None:
    """Print the list in a model file."""
    from elseif.cli.models import read
    from elseif.cli.tables import find_label
    from elseif.errors import ParamError
    from elseif.tables.federated import federation_sentences
    from elseif.tables.origin import origin_in_short, recalibration_sentence
    from elseif.visible import show_name

    fitted = read(model, labels)
    if lists and fitted.posterior is None:
        raise ParamError(f"--lists: {model.name} was saved without the posterior's lists.")
    chosen = fitted.chosen_list(which)
    wanted = None if label is None else find_label(label, chosen.classes.tolist(), "--label")
    print(chosen.to_text(label=wanted, level=level, width=width()))
    print()
    date = show_name(fitted.training["date"], 40).replace("T", " ").replace("Z", " UTC")
    say_wrapped(f"Learnt from {fitted.n:,.10g} observations, {date}.")
    if fitted.recalibrated is not None:
        say_wrapped(recalibration_sentence(fitted.recalibrated))
    sites = federation_sentences(fitted.federation, fitted.recalibrated is not None)
    for note in [*sites, *origin_in_short(fitted.cohort)]:
        say_wrapped(note)
    if fitted.edited is not None and chosen is fitted.rule_list:
        say_wrapped(f"Edited by hand: {show_name(fitted.edited, 500)}.")
    if fitted.convergence is not None:
        say_wrapped(in_options(fitted.convergence.sentence()))
    if chosen is fitted.map_rule_list and fitted.posterior is not None:
        exact = fitted.posterior.exact is not None
        proven = "proven: every list was compared" if exact else "of those drawn"
        say_wrapped(f"The most probable list, {proven}.")
    if fitted.projection_path is not None and chosen is fitted.projected_rule_list:
        print_path(fitted.projection_path)
    if fitted.posterior is not None and lists:
        print_lists(fitted.posterior, lists)


def print_path(path: ProjectionPath) -> None:
    """How far from the posterior the projected lists of each length are."""
    from elseif.showing.path_text import path_lines, table_text

    print(f"\n{table_text(path)}\n")
    for line in path_lines(path):
        say_wrapped(line)


def print_lists(posterior: Posterior, n: int) -> None:
    """The posterior's best lists, with their probability or share of the draws."""
    from elseif.showing.line_heads import line_head
    from elseif.showing.numbers import percent
    from elseif.showing.wrapping import wrap
    from elseif.visible import show_name

    of_what = "of the draws" if posterior.exact is None else "probability (exact)"
    for i in posterior.best_first[:n].tolist():
        share = percent(posterior.list_probabilities[i], 1)
        print(f"\n{share} {of_what}, log posterior {posterior.distinct.log_posterior[i]:.2f}")
        items = posterior.distinct.antecedent_list(i)
        for j, text in enumerate([*map(posterior.text, items), ""]):
            lines = wrap([show_name(text)], max(24, width() - 10))
            print(f"  {line_head(j, len(items)):<7} {lines[0]}".rstrip())
            for line in lines[1:]:
                print(f"{'':10}{line}")
