"""elseif show MODEL: the list in a model file, and how good its company is."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Which(StrEnum):
    """The lists that a model holds."""

    POINT = "point"
    MAP = "map"


def show(
    model: Annotated[Path, typer.Argument(help="Model file.", show_default=False)],
    which: Annotated[
        Which, typer.Option("--list", help="The point estimate, or the most probable list.")
    ] = Which.POINT,
    lists: Annotated[
        int, typer.Option(min=0, help="Also show so many of the posterior's lists.")
    ] = 0,
    level: Annotated[float, typer.Option(help="Level of the credible intervals.")] = 0.95,
    label: Annotated[str | None, typer.Option(help="Show this label's probability.")] = None,
) -> None:
    """Print the list in a model file."""
    from elseif.cli.models import find_label, read
    from elseif.errors import ParamError

    found = read(model)
    chosen = found.rule_list if which is Which.POINT else found.map_rule_list
    print(
        chosen.to_text(
            label=None if label is None else find_label(label, chosen.classes), level=level
        )
    )
    print(f"\nLearnt from {found.n:,.10g} observations, {found.training['date']}.")
    if found.convergence is not None:
        print(str(found.convergence).splitlines()[0])
    if not lists:
        return
    if found.posterior is None:
        raise ParamError(f"{model.name} was saved without the posterior's lists.")
    for row in found.posterior.lists().head(lists).itertuples():
        print(f"\n{row.probability:.1%} of the draws, log posterior {row.log_posterior:.2f}")
        print("    " + "\n    ".join([*row.antecedents, "else"]))
