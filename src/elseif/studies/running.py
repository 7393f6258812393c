"""Shared code of all studies: settings, and where figures are saved."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from elseif.errors import ParamError, install
from elseif.files import make_folder, new_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class StudySettings:
    """How a study is run."""

    out: Path
    seed: int = 0
    n_jobs: int = -1
    n_data_sets: int = 100


@dataclass(frozen=True)
class ComparisonSettings(StudySettings):
    """How a study is run that compares classifiers over folds, and can be resumed."""

    folds: int = 5
    only: tuple[str, ...] = ()  # classifiers by name; none for all
    skip: tuple[str, ...] = ()
    time_at_risk: int | None = None  # days; None for what the study says
    fresh: bool = False
    watched: bool = False


def run_study(name: str, settings: StudySettings) -> None:
    """Run a study by name; the folder for its pictures is tried first."""
    is_new = not settings.out.exists()
    make_folder(settings.out)
    try:
        load_matplotlib()
        import_module(f"elseif.studies.{name}").run(settings)
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it holds something
                settings.out.rmdir()


def load_matplotlib() -> None:
    """Say how to get matplotlib where it is absent."""
    try:
        import matplotlib
    except ImportError:
        raise ParamError(f"Figures need matplotlib: {install('plot')}.") from None
    matplotlib.use("Agg")


def save_figure(figure: Figure, folder: Path, name: str) -> None:
    """Save as PNG and SVG, and say where."""
    with new_file(folder / f"{name}.png", force=True) as file:
        figure.savefig(file, format="png", dpi=150)
    # a fixed salt and no date: the same figure is the same file
    import matplotlib

    with (
        matplotlib.rc_context({"svg.hashsalt": name}),
        new_file(folder / f"{name}.svg", force=True) as file,
    ):
        figure.savefig(file, format="svg", metadata={"Date": None})
    print(f"\nPicture: {folder / f'{name}.png'} (and .svg)")
