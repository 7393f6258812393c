"""The study's patients: a synthetic database made if absent, or a user's own, and the cohort."""

from __future__ import annotations

import contextlib
import hashlib
import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.datasets import (
    PlantedRule,
    PlantedStroke,
    make_nafld_cdm,
    make_stroke_cdm,
    read_planted,
)
from elseif.errors import DataError, ElseifError
from elseif.progress import Progress
from elseif.report import plain
from elseif.studies.nafld import DATABASE as NAFLD_DATABASE, nafld_definition, of_real_people
from elseif.studies.stroke_settings import SCHEMAS, StrokeSettings
from elseif.studies.time_at_risk import with_time_at_risk

if TYPE_CHECKING:
    from elseif.cohort import Cohort, CohortDefinition

DATABASE = "synthetic-patients.duckdb"
SCHEMA = "cdm"
OTHERS = 20_000 / 12_586  # persons who do not qualify, for each who does
SHOWN = 3  # concepts in a sentence
COHORT_MARKS = ("manifest.json", "plan.json")
LOUD = (
    "These patients are SYNTHETIC: a program made them up. Nothing that follows says anything\n"
    "about people; it shows that the method finds what was planted, and how it is run."
)


@dataclass(frozen=True, eq=False)
class Patients:
    """A cohort, and where it comes from."""

    cohort: Cohort
    definition: CohortDefinition
    is_synthetic: bool
    source: str  # the database in words, without credentials
    folder: Path  # where the cohort is
    planted: tuple[PlantedRule, ...]  # what the risk was made from; nothing of real patients
    fingerprint: str  # of the cohort's content


def find_patients(settings: StrokeSettings, progress: Progress) -> Patients:
    """Make the database if it is one that elseif makes; extract, or read what was."""
    definition = study_definition(settings)
    planted: tuple[PlantedRule, ...] = ()
    if settings.database is None:
        planted = _synthetic_database(settings, progress).rules[:-1]
    elif settings.is_nafld and not (settings.out / NAFLD_DATABASE).is_file():
        with progress.stage("R's nafld data", 1):
            make_nafld_cdm(settings.out / NAFLD_DATABASE, schema=SCHEMA)
    cohort, folder, source, is_synthetic = _extracted(settings, definition, progress)
    digest = cohort_digest(cohort)
    return Patients(cohort, definition, is_synthetic, source, folder, planted, digest)


def study_definition(settings: StrokeSettings) -> CohortDefinition:
    """The requested definition, with the requested time at risk."""
    from elseif.cohort import load_definition

    definition = load_definition(settings.definition)
    if settings.time_at_risk is not None:
        definition = with_time_at_risk(definition, settings.time_at_risk)
    if settings.is_stroke_of_nafld:
        return nafld_definition(definition)
    return of_real_people(definition) if settings.is_nafld else definition


def _synthetic_database(settings: StrokeSettings, progress: Progress) -> PlantedStroke:
    """What was planted in the synthetic database, which is created if it does not exist."""
    path = settings.out / DATABASE
    with contextlib.suppress(OSError, ElseifError):
        planted = read_planted(path)
        asked = (settings.patients, settings.seed, SCHEMA)
        if path.is_file() and asked == (planted.n_patients, planted.random_state, planted.schema):
            return planted
    return make_stroke_cdm(
        path,
        n_patients=settings.patients,
        n_others=round(OTHERS * settings.patients),
        random_state=settings.seed,
        schema=SCHEMA,
        force=True,
        progress=progress,
    )


def _extracted(
    settings: StrokeSettings, definition: CohortDefinition, progress: Progress
) -> tuple[Cohort, Path, str, bool]:
    """The cohort of this database and definition: read where it was extracted before.

    A database that says it is synthetic, as ours does, is taken at its word.
    """
    from elseif.cohort import connect, extract, read_cohort

    made_here = DATABASE if settings.database is None else NAFLD_DATABASE
    is_made_here = settings.database is None or settings.is_nafld
    url = str(settings.out / made_here) if is_made_here else str(settings.database)
    schemas: dict[str, str | None] = {"schema": SCHEMA}
    if not is_made_here:
        schemas = {name: getattr(settings, name) for name in SCHEMAS}
    with connect(url, **schemas) as database:
        is_synthetic = database.is_synthetic()
        if is_synthetic:
            print(f"{LOUD}\n", flush=True)
        state = _file_state(database.path)
        folder = settings.out / _folder_name(database.identity, state, definition)
        if settings.fresh:
            _forget_cohort(folder)
        with contextlib.suppress(ElseifError):  # begun, damaged or absent: extract sees to it
            cohort = read_cohort(folder)
            if not is_made_here:
                progress.note(f"The cohort in {folder} is used; --fresh extracts it again.")
            return cohort, folder, database.label, is_synthetic
        cohort = extract(database, definition, folder=folder, progress=progress)
        return cohort, folder, database.label, is_synthetic


def _folder_name(identity: str, state: list[Any] | None, definition: CohortDefinition) -> str:
    """Another database, another state of its file or another definition is another folder."""
    about = json.dumps([identity, state, definition.as_dict()], sort_keys=True)
    return f"cohort-{hashlib.sha256(about.encode('utf-8')).hexdigest()[:12]}"


def forget_database(out: Path) -> None:
    """Remove the databases that the study makes, to begin anew."""
    planted = Path(DATABASE).with_suffix(".planted.json").name
    for path in (out / DATABASE, out / planted, out / NAFLD_DATABASE):
        path.unlink(missing_ok=True)


def _forget_cohort(folder: Path) -> None:
    """Remove what an extraction has left."""
    if any((folder / name).is_file() for name in COHORT_MARKS):
        shutil.rmtree(folder)


def check_outcome(cohort: Cohort) -> None:
    """Refuse a cohort in which nobody, or everybody, has the outcome."""
    n, n_events = len(cohort), int(np.sum(cohort.outcome))
    if 0 < n_events < n:
        return
    definition = cohort.definition
    first, last = definition.outcome_window
    included = [one for each in definition.outcome.sets for one in each.include]
    concepts = ", ".join(f"{one.id} {one.name}" for one in included[:SHOWN])
    more = ", ..." if len(included) > SHOWN else ""
    raise DataError(
        f"The outcome of the definition {definition.name}, {definition.outcome.name} on days "
        f"{first:,} to {last:,} after the index date, was recorded of {n_events:,} of {n:,} "
        "patients: a list is learnt from patients with it and patients without it. Check that "
        f"the outcome's concepts ({concepts}{more}) and outcome_window are what you mean, and how "
        "the database records them; then give another --definition or --database."
    )


def cohort_summary(cohort: Cohort) -> dict[str, Any]:
    """Counts of the cohort, its attrition and its data-quality issues as plain data."""
    issues = cohort.quality_issues
    units = [name for name in issues.columns if name != "what"]
    sexes, counts = np.unique(np.asarray(cohort.sex).astype(str), return_counts=True)
    return plain(
        {
            "n": len(cohort.person_ids),
            "n_events": int(np.sum(cohort.outcome)),
            "n_features": cohort.features.shape[1],
            "warnings": list(cohort.warnings),
            "n_by_sex": dict(zip(sexes.tolist(), counts.tolist(), strict=True)),
            "age_quartiles": np.quantile(cohort.age, [0.25, 0.5, 0.75]).tolist(),
            "attrition": cohort.attrition.to_dict("records"),
            "quality_issues": [
                {"what": row["what"], "counts": {unit: row[unit] for unit in units}}
                for row in issues.to_dict("records")
            ],
        }
    )


def cohort_digest(cohort: Cohort) -> str:
    """SHA-256 of all that classifiers may learn from."""
    digest = hashlib.sha256()
    features = cohort.features
    for array in (features.indptr, features.indices):
        digest.update(np.ascontiguousarray(array, dtype="<i8").tobytes())
    for array in (cohort.outcome, *(cohort.groups[name] for name in cohort.groups.columns)):
        digest.update(np.packbits(np.asarray(array, dtype=bool)).tobytes())
    digest.update(np.ascontiguousarray(cohort.age, dtype="<i8").tobytes())
    words = [
        list(map(str, cohort.sex)),
        list(cohort.catalogue["name"]),
        list(cohort.groups.columns),
    ]
    digest.update(json.dumps([features.shape, words, str(cohort.labels().name)]).encode("ascii"))
    return digest.hexdigest()


def _file_state(path: Path | None) -> list[Any] | None:
    """Path, size and time of an embedded database, which show whether it has changed."""
    if path is None:  # a server's
        return None
    files = [path] if path.is_file() else sorted(path.iterdir())
    states = [(file, file.stat()) for file in files]
    return [[str(file.resolve()), state.st_size, state.st_mtime_ns] for file, state in states]
