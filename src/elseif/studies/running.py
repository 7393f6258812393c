"""What every study shares: settings, where pictures go, and how they are saved."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from elseif.errors import ParamError, ResourceError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class StudySettings:
    """How a study is run."""

    out: Path
    seed: int = 0
    n_jobs: int = -1
    n_data_sets: int = 100


def run_study(name: str, settings: StudySettings) -> None:
    """Run a study by name; the folder for its pictures is tried first."""
    check_folder(settings.out)
    load_matplotlib()
    import_module(f"elseif.studies.{name}").run(settings)


def check_folder(folder: Path) -> None:
    """Make the folder, so that a long run does not end in a picture that cannot be saved."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / ".elseif-can-write"
        probe.touch()
        probe.unlink()
    except OSError as error:
        raise ResourceError(f"Cannot write into {folder}: {error.strerror}.") from error


def load_matplotlib() -> None:
    """Say how to get matplotlib where it is absent."""
    try:
        import matplotlib
    except ImportError:
        raise ParamError("Pictures need matplotlib: pip install 'elseif[plot]'.") from None
    matplotlib.use("Agg")


def save_figure(figure: Figure, folder: Path, name: str) -> None:
    """Save as PNG and SVG, and say where."""
    figure.savefig(folder / f"{name}.png", dpi=150)
    # a fixed salt and no date: the same figure is the same file
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
    print(f"\nPicture: {folder / f'{name}.png'} (and .svg)")
