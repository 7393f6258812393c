"""elseif site PLAN TABLE --name NAME --out FILE: one site's counts, and what withholding costs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from elseif.cli.arguments import Force, LabelColumn, Quiet, min_cell_option
from elseif.cli.cohort_folder import is_cohort_folder
from elseif.cli.database_source import DatabaseSource
from elseif.cli.option_groups import takes_groups
from elseif.cli.output import check_outputs, say_saved, say_wrapped
from elseif.cli.plan import PlanFile
from elseif.cli.problems import say
from elseif.cli.reading_as_fit import refuse_for_other_files
from elseif.cli.standard_input import table_path
from elseif.cli.tables import Wanted, check_table_file, read_labelled
from elseif.cli.text_options import takes_text_format
from elseif.errors import ParamError

if TYPE_CHECKING:
    from elseif.cohort import Cohort
    from elseif.federation import Plan


@takes_text_format
@takes_groups
def site(
    plan: PlanFile,
    table: Annotated[
        Path | None,
        typer.Argument(
            metavar="[TABLE]",
            help="Table of the site's people, or a cohort folder.",
            show_default=False,
            callback=lambda path: None if path is None else table_path(path),
        ),
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Name of the site, which goes into the file."),
    ] = None,
    *,
    source: DatabaseSource,
    label: LabelColumn = None,
    missing_y: Annotated[
        str,
        typer.Option(
            "--missing-y", metavar="error|drop", help="Rows without a label: stop, or drop them."
        ),
    ] = "error",
    min_cell: Annotated[
        int | None,
        min_cell_option("Withhold patterns in which a label has fewer people than this."),
    ] = None,
    out: Annotated[Path, typer.Option(metavar="FILE", help="Write the counts here (JSON).")] = Path(
        "site.json"
    ),
    force: Force = False,
    quiet: Quiet = False,
    text: Any = None,
) -> None:
    """Count a site's people by pattern of the plan's conditions and by label.

    The file contains these counts and nothing else. --min-cell withholds small ones and reports how
    many people are lost.
    """
    if name is None or not name.strip():
        raise ParamError("site needs --name TEXT, the name of the site.")
    if (table is None) == (source.database is None):
        raise ParamError("Give a TABLE, or --database URL, to count.")
    source.check_goes_together()
    if table is None:
        refuse_for_other_files(None, text)
    if missing_y not in ("error", "drop"):
        raise ParamError(f"--missing-y is {missing_y!r}; it must be error or drop.")
    check_outputs([out], force, [plan, table])
    from elseif.federation import count_site, read_plan, save_site
    from elseif.federation.federation_text import site_report

    agreed = read_plan(plan)
    if table is None:
        from elseif.cli.fit import is_watched

        extracted = source.extract(agreed.cohort, plan, "made", is_watched(quiet))
        X, y = _of_cohort(agreed, plan, extracted)
    else:
        check_table_file(table, text)
        X, y = _of_table(agreed, plan, table, label, missing_y, text)
    counts = count_site(agreed, X, y, site=name, min_cell=min_cell, missing_y=missing_y)
    save_site(counts, out, force)
    for sentence in site_report(agreed, counts):
        say_wrapped(sentence)
    say_saved("Counts", out)


def _of_table(
    plan: Plan, path: Path, table: Path, label: str | None, missing_y: str, text: Any
) -> tuple[Any, Any]:
    if is_cohort_folder(table) and plan.cohort is not None:
        from elseif.cohort import read_cohort

        return _of_cohort(plan, path, read_cohort(table))
    label = label or plan.outcome
    if label is None:
        raise ParamError("The plan does not name the column of the label; say --label COLUMN.")
    from elseif.federation.plan import CATEGORIES

    classes = plan.classes.tolist()
    kinds = {
        column.name: "category"
        for column in plan.columns
        if column.kind in CATEGORIES and all(isinstance(v, str) for v in column.levels)
    }
    if all(isinstance(each, str) for each in classes):
        kinds[label] = "category"
    # an empty field is missing
    levels = {c.name: [v for v in c.levels if v] for c in plan.columns if c.name in kinds}
    read = read_labelled(
        table,
        Wanted(
            label=label,
            classes=classes,
            features=[column.name for column in plan.columns],
            kinds=kinds,
            missing_y=missing_y,
            text=replace(text, levels=levels),
        ),
    )
    return read.X, read.y


def _of_cohort(plan: Plan, path: Path, cohort: Cohort) -> tuple[Any, Any]:
    """The plan's columns by concept id: what a site never recorded is false."""
    from elseif.cli.extract import print_cohort

    print_cohort(cohort)
    assert plan.cohort is not None
    if cohort.definition.sha256 != plan.cohort["definition_sha256"]:
        say(
            f"note: the cohort was extracted by another definition ({cohort.definition.name}) than "
            f"that of {path.name} ({plan.cohort['definition']['name']})."
        )
    names = [column.name for column in plan.columns]
    is_named = plan.outcome in cohort.definition.outcome_names
    outcome = plan.outcome if is_named else None  # else a name given in Python to the only one
    return cohort.table_for(names, plan.cohort["concepts"]), cohort.labels(outcome)
