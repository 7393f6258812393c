"""elseif plan TABLE --label COLUMN --out FILE: a plan of what sites count."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.arguments import (
    DropColumns,
    Force,
    LearntLabel,
    PositiveLabel,
    TableFile,
    min_cell_option,
)
from elseif.cli.cohort_folder import cohort_settings
from elseif.cli.output import check_outputs, say_saved, say_wrapped
from elseif.cli.settings import estimator_parameters, takes_some_settings
from elseif.cli.tables import Wanted, check_table_file, kinds_of_texts, levels_given, read_labelled
from elseif.cli.text_options import takes_text_format
from elseif.parameters import Setting, SettingGroup

PlanFile = Annotated[
    Path,
    typer.Argument(metavar="PLAN", help="Plan file, made by elseif plan.", show_default=False),
]


def _makes_the_pool(setting: Setting) -> bool:
    """Whether a setting is one of conditions and antecedents; a plan has no weights."""
    is_about_conditions = setting.group is SettingGroup.CONDITIONS or setting.name == "antecedents"
    return is_about_conditions and setting.name != "weight_scaling"


@takes_some_settings(_makes_the_pool)
@takes_text_format
def plan(
    table: TableFile,
    label: LearntLabel = None,
    positive: PositiveLabel = None,
    drop: DropColumns = [],  # noqa: B006
    name: Annotated[str, typer.Option(metavar="TEXT", help="What the plan is called.")] = "plan",
    min_cell: Annotated[
        int | None, min_cell_option("Leave out categories with fewer people than this.")
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the plan here (JSON).")] = Path(
        "plan.json"
    ),
    force: Force = False,
    text: Any = None,
    settings: dict[str, Any] = {},  # noqa: B006
) -> None:
    """Plan a federation: conditions, antecedents and labels from the table of one site.

    The plan contains cut points and names of frequent categories, but no counts. Send it to every
    site, which runs elseif site.
    """
    check_outputs([out], force, [table, settings["antecedents"]])
    check_table_file(table, text)
    label, cuts = cohort_settings(table, label, "plan")
    parameters = estimator_parameters(settings)
    if parameters["cuts"] is None:
        parameters["cuts"] = cuts
    read = read_labelled(
        table,
        Wanted(
            label, None, drop, positive, kinds=kinds_of_texts(parameters["kinds"]),
            missing_y=parameters["missing_y"],
            text=replace(text, levels=levels_given(parameters["kinds"])),
        ),
    )  # fmt: skip
    from elseif.federation import make_plan, save_plan

    made = make_plan(read.X, read.y, name=name, min_cell=min_cell, **parameters)
    save_plan(made, out, force)
    say_wrapped(
        f"{len(made.antecedents):,} antecedents of {sum(map(len, made.conditions.values())):,} "
        f"conditions on {len(made.columns):,} columns; at most {made.n_patterns:,} patterns."
    )
    for note in made.notes:
        say_wrapped(note)
    print(f"SHA-256 {made.sha256}")
    say_saved("Plan", out)
