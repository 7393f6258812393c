"""elseif demo: the Titanic list, its report, its calculator and its explorer."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.activity import activity
from elseif.cli.arguments import Force, Quiet
from elseif.cli.output import check_outputs, check_pages, save, say_saved
from elseif.files.folders import make_folder

TITLE = "Who survived the Titanic"


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder to write to.")] = Path(
        "results"
    ),
    force: Force = False,
    quiet: Quiet = False,
) -> None:
    """Reproduce the paper's list for the Titanic; write its table, model and pages."""
    make_folder(out)
    table, model = out / "titanic.csv", out / "titanic.json"
    pages = {name: out / f"titanic-{name}.html" for name in ("report", "calculator", "explorer")}
    check_outputs([table, model, *pages.values()], force)
    check_pages(*pages.values())
    from elseif.cli.fit import is_watched, print_fit
    from elseif.cli.report import report_evidence
    from elseif.cli.tables import Read
    from elseif.datasets import load_titanic
    from elseif.estimator import BayesianRuleListClassifier
    from elseif.export.model_file import save_model
    from elseif.report.calculator import calculator_page
    from elseif.report.explorer import explorer_page
    from elseif.report.links import links_from
    from elseif.report.report import report_page
    from elseif.report.together import outputs

    X, labels = load_titanic(split="paper")
    y = labels.astype("category")  # the order of the labels is meant, so no note asks about it
    watched = is_watched(quiet)
    classifier = BayesianRuleListClassifier(random_state=0, n_jobs=-1, verbose=watched).fit(X, y)
    classifier.verbose = False
    print_fit(classifier, "the Titanic's passengers and crew")
    print()
    save("Table", table, X.assign(**{str(y.name): y}).to_csv(index=False), force)
    save_model(classifier, model, force=force)
    say_saved("Model", model)
    with activity("Writing the calculator and the explorer"):
        calculator = calculator_page(classifier, title=TITLE, X=X)
        explorer = explorer_page(classifier, X, y, title=TITLE)
    save("Calculator", pages["calculator"], calculator, force)
    save("Explorer", pages["explorer"], explorer, force)
    evidence = report_evidence(
        classifier, Read(X, y), watched, subgroups=["sex", "class"], title=TITLE
    )
    with activity("Measuring"):
        made = outputs(evidence.trained, None, evidence=evidence)
    if made.summary is not None:
        links = links_from(pages["report"], {k: pages[k] for k in ("calculator", "explorer")})
        save("Report", pages["report"], report_page(made.summary, links=links), force)
    program = _program()
    print(
        f"\nTry: {program} open {pages['report']}\n     {program} explain {model} {table} --row 1"
    )


def _program() -> str:
    """The command to show: after make demo, the program is in .venv, which is not on the path."""
    typed = Path(sys.argv[0])
    if shutil.which("elseif") is None and typed.name == "elseif":
        return os.path.relpath(typed) if typed.is_absolute() else str(typed)
    return "elseif"
