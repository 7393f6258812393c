"""elseif demo: the Titanic list, its report and its calculator."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.output import check_outputs, say_saved


def demo(
    out: Annotated[Path, typer.Option(help="Folder to write to.")] = Path("results"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files.")] = False,
) -> None:
    """Find the paper's list for the Titanic again; write its report and calculator."""
    pages = {name: out / f"titanic-{name}.html" for name in ("report", "calculator", "explorer")}
    model = out / "titanic.json"
    out.mkdir(parents=True, exist_ok=True)
    check_outputs([model, *pages.values()], force)
    from elseif.cli.fit import print_fit
    from elseif.cli.report import write_report_file
    from elseif.cli.tables import Read
    from elseif.datasets import load_titanic
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.export.model_file import save_model
    from elseif.export.safe_files import write_atomically
    from elseif.report.calculator import calculator_page
    from elseif.report.explorer import explorer_page

    X, y = load_titanic(split="paper")
    classifier = BayesianRuleListClassifier(random_state=0, n_jobs=-1).fit(X, y)
    print_fit(classifier, "the Titanic's passengers and crew")
    print()
    save_model(classifier, model, force=force)
    say_saved("Model", model)
    write_report_file(
        classifier, Read(X, y, None), pages["report"], force, sys.stderr.isatty(),
        subgroups=["sex", "class"], title="Who survived the Titanic",
    )  # fmt: skip
    write_atomically(
        pages["calculator"], calculator_page(classifier, title="Who survived the Titanic"), force
    )
    say_saved("Calculator", pages["calculator"])
    write_atomically(pages["explorer"], explorer_page(classifier, X, y), force)
    say_saved("Explorer", pages["explorer"])
