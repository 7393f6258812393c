"""elseif study NAME: the paper's experiments."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class StudyName(StrEnum):
    """The studies that there are."""

    TITANIC = "titanic"
    TICTACTOE = "tictactoe"
    SIMULATION = "simulation"


def study(
    name: Annotated[
        StudyName,
        typer.Argument(metavar="|".join(StudyName), help="Which of the paper's experiments."),
    ],
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Folder for the pictures.")] = Path(
        "results"
    ),
    seed: Annotated[
        int, typer.Option(min=0, metavar="NUMBER", help="Seed of everything random.")
    ] = 0,
    jobs: Annotated[int, typer.Option(metavar="NUMBER", help="Threads; -1 for all cores.")] = -1,
    data_sets: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="simulation: data sets of each size.")
    ] = 100,
) -> None:
    """Run an experiment of the paper: print its table, draw its figure."""
    from elseif.studies import running  # scikit-learn and plotting are slow to load

    settings = running.StudySettings(out=out, seed=seed, n_jobs=jobs, n_data_sets=data_sets)
    running.run_study(name.value, settings)
