"""elseif study NAME: the paper's experiments, and some on real people."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from elseif.cli.arguments import Quiet, ResultsSchema, VocabularySchema
from elseif.cli.interrupts import say_when_interrupted
from elseif.cli.option_groups import takes_groups
from elseif.errors import ParamError

STROKE = "For elseif study stroke only"
COMPARING = "For elseif study stroke, flchain and nwtco"
RESULTS = Path("results")
FOLDS = 5


class StudyName(StrEnum):
    """The available studies."""

    TITANIC = "titanic"
    TICTACTOE = "tictactoe"
    SIMULATION = "simulation"
    STROKE = "stroke"
    FLCHAIN = "flchain"
    NWTCO = "nwtco"


REAL = (StudyName.FLCHAIN, StudyName.NWTCO)


def _stroke(text: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=STROKE, **more)


def _comparing(text: str, metavar: str | None = None, **more: Any) -> Any:
    return typer.Option(help=text, metavar=metavar, rich_help_panel=COMPARING, **more)


Name = Annotated[
    StudyName,
    typer.Argument(
        metavar="|".join(StudyName),
        help="Which experiment: the paper's, or one on public data about real people.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        help="Folder to write to (default results, or a subfolder of it for stroke, flchain and "
        "nwtco).",
    ),
]
Seed = Annotated[int, typer.Option(min=0, metavar="NUMBER", help="Seed of everything random.")]
Jobs = Annotated[int, typer.Option(metavar="NUMBER", help="Threads; -1 for all cores.")]
DataSets = Annotated[
    int | None,
    typer.Option(
        min=1, metavar="NUMBER", help="simulation: number of data sets of each size (default 100)."
    ),
]


@dataclass(frozen=True)
class StrokeOptions:
    """What elseif study stroke alone takes."""

    database: Annotated[
        str | None,
        _stroke(
            "Database in the OMOP common data model: a .duckdb file, postgresql://..., or "
            "spark; or nafld, public data about real people. By default, synthetic patients "
            "are made.",
            "URL",
        ),
    ] = None
    schema: Annotated[str | None, _stroke("Schema of its tables.", "NAME")] = None
    vocabulary_schema: VocabularySchema = None
    results_schema: ResultsSchema = None
    definition: Annotated[
        str | None,
        _stroke("Cohort definition: a name, or a YAML file (default stroke).", "NAME|FILE"),
    ] = None
    patients: Annotated[
        int | None, _stroke("Size of the synthetic cohort (default 12,586).", "NUMBER", min=100)
    ] = None


@dataclass(frozen=True)
class ComparingOptions:
    """What the studies take that compare classifiers by cross-validation."""

    time_at_risk: Annotated[
        int | None,
        _comparing(
            "Days in which the outcome counts; by default, as in the definition or the study.",
            "DAYS",
            min=1,
            max=36_525,
        ),
    ] = None
    folds: Annotated[int, _comparing("Folds of the cross-validation.", "NUMBER", min=2)] = FOLDS
    only: Annotated[
        str | None, _comparing("Only these classifiers, for example BRL,CHADS2.", "NAME,...")
    ] = None
    skip: Annotated[str | None, _comparing("All classifiers but these.", "NAME,...")] = None
    fresh: Annotated[
        bool,
        typer.Option(
            "--fresh",
            help="Start again; by default, an interrupted study continues.",
            rich_help_panel=COMPARING,
        ),
    ] = False

    def given(self) -> dict[str, Any]:
        """The options with the names of classifiers read, and the default number of folds None."""
        names = {"only": _names(self.only), "skip": _names(self.skip)}
        for option, classifiers in names.items():
            if getattr(self, option) is not None and not classifiers:
                raise ParamError(f"--{option} {getattr(self, option)!r} names no classifier.")
        return {**asdict(self), "folds": None if self.folds == FOLDS else self.folds, **names}


OF_ALL_COMPARING = tuple(option.name for option in fields(ComparingOptions))


@takes_groups
def study(
    name: Name,
    *,
    out: Out = None,
    seed: Seed = 0,
    jobs: Jobs = -1,
    data_sets: DataSets = None,
    stroke: StrokeOptions,
    comparing: ComparingOptions,
    quiet: Quiet = False,
) -> None:
    """Run an experiment of the paper, or one on real people: print its table, draw its figure."""
    if jobs == 0:  # before anything is made
        raise ParamError("--jobs is 0; it must be 1 or more, or negative: -1 for all cores.")
    if data_sets is not None and name is not StudyName.SIMULATION:
        raise ParamError(
            f"--data-sets is an option of elseif study simulation, not of study {name.value}."
        )
    options = {**asdict(stroke), **comparing.given()}
    given_options = {option: value for option, value in options.items() if value}
    if name is StudyName.STROKE:
        folder = out or RESULTS / _stroke_folder(given_options)
        _run_stroke(folder, seed, jobs, quiet, given_options)
        return
    if name in REAL:
        _run_real(name, out or RESULTS / name.value, seed, jobs, quiet, given_options)
        return
    _refuse(given_options, name)
    from elseif.studies import running  # scikit-learn and plotting are slow to load

    sized = {} if data_sets is None else {"n_data_sets": data_sets}
    settings = running.StudySettings(out=out or RESULTS, seed=seed, n_jobs=jobs, **sized)
    running.run_study(name.value, settings)


def _refuse(options: dict[str, Any], name: StudyName) -> None:
    """Refuse options of other studies."""
    for option in options:
        whose = (
            "elseif study stroke, flchain and nwtco"
            if option in OF_ALL_COMPARING
            else "elseif study stroke only"
        )
        raise ParamError(
            f"--{option.replace('_', '-')} is an option of {whose}, not of study {name.value}."
        )


def _run_real(
    name: StudyName, out: Path, seed: int, jobs: int, quiet: bool, options: dict[str, Any]
) -> None:
    """A study of a public table of real people."""
    from elseif.cli.fit import is_watched
    from elseif.cli.output import check_is_folder, check_pages
    from elseif.studies import running

    _refuse({option: options[option] for option in options if option not in OF_ALL_COMPARING}, name)
    if "only" in options and "skip" in options:
        raise ParamError("Give --only or --skip, not both.")
    watched = is_watched(quiet)
    settings = running.ComparisonSettings(
        out=out, seed=seed, n_jobs=jobs, watched=watched, **options
    )
    check_is_folder(out)
    check_pages(out)
    with say_when_interrupted(f"finished work is kept in {out}, and the same command continues"):
        running.run_study(name.value, settings)


def _stroke_folder(options: dict[str, Any]) -> str:
    """A folder for each of the patients that elseif has, and for each time at risk."""
    from elseif.studies.nafld import NAME

    words = ["stroke"]
    if options.get("database") == NAME:
        words.append(NAME)
    if "time_at_risk" in options:
        words.append(f"{options['time_at_risk']}-days")
    return "-".join(words)


def _run_stroke(out: Path, seed: int, jobs: int, quiet: bool, options: dict[str, Any]) -> None:
    from elseif.cli.fit import is_watched
    from elseif.cli.output import check_is_folder, check_pages
    from elseif.studies import running
    from elseif.studies.stroke_settings import StrokeSettings

    settings = StrokeSettings(out=out, seed=seed, n_jobs=jobs, watched=is_watched(quiet), **options)
    check_is_folder(out)
    settings.check()
    check_pages(out)
    with say_when_interrupted(f"finished work is kept in {out}, and the same command continues"):
        running.run_study(StudyName.STROKE.value, settings)


def _names(text: str | None) -> tuple[str, ...]:
    return tuple(name for part in (text or "").split(",") if (name := part.strip()))
