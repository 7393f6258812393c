"""elseif show MODEL: the list in a model file, and how good its company is."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import ModelFile
from elseif.cli.output import say_wrapped, width

if TYPE_CHECKING:
    from elseif.posterior.draws import Posterior


class Which(StrEnum):
    """The lists that a model holds."""

    POINT = "point"
    MAP = "map"


WhichList = Annotated[
    Which,
    typer.Option(
        "--list", metavar="point|map", help="The point estimate, or the most probable list drawn."
    ),
]
Level = Annotated[
    float, typer.Option("--level", metavar="NUMBER", help="Level of the credible intervals.")
]


def show(
    model: ModelFile,
    which: WhichList = Which.POINT,
    label: Annotated[
        str | None,
        typer.Option(metavar="LABEL", help="Show the probability of this label."),
    ] = None,
    level: Level = 0.95,
    lists: Annotated[
        int,
        typer.Option(min=0, metavar="NUMBER", help="Also show so many of the posterior's lists."),
    ] = 0,
) -> None:
    """Print the list in a model file."""
    from elseif.cli.models import read
    from elseif.cli.tables import find_label
    from elseif.errors import ParamError
    from elseif.visible import show_name

    found = read(model)
    if lists and found.posterior is None:
        raise ParamError(f"--lists: {model.name} was saved without the posterior's lists.")
    chosen = found.rule_list if which is Which.POINT else found.map_rule_list
    wanted = None if label is None else find_label(label, chosen.classes.tolist(), "--label")
    print(chosen.to_text(label=wanted, level=level, width=width()))
    print()
    date = show_name(found.training["date"], 40).replace("T", " ").replace("Z", " UTC")
    say_wrapped(f"Learnt from {found.n:,.10g} observations, {date}.")
    if found.edited is not None and which is Which.POINT:
        say_wrapped(f"Edited by hand: {show_name(found.edited, 500)}.")
    if found.convergence is not None:
        say_wrapped(found.convergence.sentence())
    if found.posterior is not None and lists:
        print_lists(found.posterior, lists)


def print_lists(posterior: Posterior, n: int) -> None:
    """The posterior's best lists, with their share of the draws."""
    from elseif.visible import show_name

    rows: Any = posterior.lists().head(n).itertuples()
    for row in rows:
        print(f"\n{row.probability:.1%} of the draws, log posterior {row.log_posterior:.2f}")
        for head, name in zip(
            ["if", *["else if"] * len(row.antecedents)], [*row.antecedents, ""], strict=True
        ):
            print(f"  {head if name else 'else':<7} {show_name(name)}".rstrip())
