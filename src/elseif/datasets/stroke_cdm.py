"""Synthetic patients with atrial fibrillation, as an OMOP database (section 4)."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elseif.checks import check_count, check_flag
from elseif.datasets.cdm_file import check_new_schema, new_file
from elseif.datasets.patients.people import (
    FIGURE_4,
    KINDS,
    PLACE,
    QUALIFYING,
    RISKS,
    choose_kinds,
    draw_diseases,
    draw_strokes,
    first_lines,
    make_people,
)
from elseif.datasets.patients.planted import PlantedRule, PlantedStroke, facts_path
from elseif.datasets.patients.records import draw_records
from elseif.datasets.patients.store import Store
from elseif.datasets.patients.vocabulary import PREDICTORS, Catalogue, make_catalogue
from elseif.errors import ParamError, ResourceError
from elseif.files.atomic import move_into_place, write_atomically
from elseif.files.temporary import temporary_folder
from elseif.progress import Progress

BLOCK = 16_384  # persons
MOST_PERSONS = 10_000_000  # records are numbered with 32 bits
MOST_CONCEPTS = 100_000
RARE = 40  # a concept that fewer patients are expected to have is given to one of them


def make_stroke_cdm(
    path: str | os.PathLike[str],
    *,
    n_patients: int = 12_586,
    n_others: int = 20_000,
    n_concepts: int = 4_146,
    random_state: int = 0,
    schema: str = "cdm",
    force: bool = False,
    progress: Progress | None = None,
) -> PlantedStroke:
    """Write a DuckDB file of SYNTHETIC patients in OMOP's CDM 5.4; nobody in it is real.

    Parameters
    ----------
    path : str or path
        The database. What was planted goes into a file beside it, .planted.json.
    n_patients : int, default=12_586
        Patients with atrial fibrillation and a year of observation before and after it.
    n_others : int, default=20_000
        Persons who do not qualify, most of them without atrial fibrillation.
    n_concepts : int, default=4_146
        Drugs and conditions recorded before the index date of qualifying patients.
    random_state : int, default=0
        The seed; the same seed and sizes give the same tables.
    schema : str, default="cdm"
        Where in the database the tables go.
    force : bool, default=False
        Replace files that exist.
    progress : Progress, default=None
        Receives progress updates.

    Returns
    -------
    PlantedStroke
        The rule list that strokes were drawn from, the sizes and the counts.

    Examples
    --------
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> planted.n_patients, planted.rules[0].text
    (100, 'Hemiplegia and age > 60')
    """
    target = _check(path, n_patients, n_others, n_concepts, random_state, force)
    check_new_schema(schema)
    try:
        with temporary_folder(f".{target.name}", target.parent) as folder:
            with Store(folder / "database", schema) as store:
                planted = _write(store, n_patients, n_others, n_concepts, random_state, progress)
            facts_path(target).unlink(missing_ok=True)  # never with a database of other facts
            move_into_place(folder / "database", target, force)
        write_atomically(facts_path(target), planted.to_json() + "\n", force)
    except Exception as error:  # DuckDB has its own kinds for a disk that is full
        if type(error).__module__.lstrip("_").startswith("duckdb"):
            raise ResourceError(f"{str(target)!r} could not be written: {error}.") from error
        raise
    return planted


@dataclass
class _Tally:
    """What the qualifying patients came to, line by line."""

    captured: np.ndarray
    strokes: np.ndarray

    def add(self, line: np.ndarray, stroke: np.ndarray) -> None:
        self.captured += np.bincount(line, minlength=len(RISKS))
        self.strokes += np.bincount(line[stroke], minlength=len(RISKS))


def _write(
    store: Store,
    n_patients: int,
    n_others: int,
    n_concepts: int,
    seed: int,
    progress: Progress | None,
) -> PlantedStroke:
    n_persons = n_patients + n_others
    n_blocks = -(-n_persons // BLOCK)
    first_seed, *seeds = np.random.SeedSequence(seed).spawn(1 + n_blocks)
    rng = np.random.default_rng(first_seed)
    catalogue = make_catalogue(n_concepts, rng)
    kinds = choose_kinds(n_patients, n_others, rng)
    owners = _owners(catalogue, np.flatnonzero(kinds == QUALIFYING), rng)
    store.add_vocabulary(catalogue)
    tally = _Tally(np.zeros(len(RISKS), dtype=int), np.zeros(len(RISKS), dtype=int))
    with (progress or Progress()).stage("synthetic patients", n_persons) as report:
        for block, block_seed in enumerate(seeds):
            begin, end = block * BLOCK, min((block + 1) * BLOCK, n_persons)
            in_block = (owners[0] >= begin) & (owners[0] < end)
            must_have = owners[0][in_block] - begin, owners[1][in_block]
            _write_block(store, kinds[begin:end], begin, catalogue, must_have, block_seed, tally)
            report(end)
    counts = np.bincount(kinds, minlength=len(KINDS)).tolist()
    planted = PlantedStroke(
        rules=_rules(tally),
        n_patients=n_patients,
        n_concepts=n_concepts,
        n_strokes=int(tally.strokes.sum()),
        persons=dict(zip(KINDS, counts, strict=True)),
        records={table: n for table, n in store.n_rows.items() if table != "cdm_source"},
        random_state=int(seed),
        schema=store.schema,
    )
    store.finish(planted)
    return planted


def _write_block(
    store: Store,
    kinds: np.ndarray,
    begin: int,
    catalogue: Catalogue,
    must_have: tuple[np.ndarray, np.ndarray],
    seed: np.random.SeedSequence,
    tally: _Tally,
) -> None:
    rng = np.random.default_rng(seed)
    people = make_people(kinds, rng)
    has = draw_diseases(people, rng)
    known = must_have[1] < len(PREDICTORS)
    has[must_have[0][known], must_have[1][known]] = True
    line = first_lines(people, has)
    stroke = draw_strokes(people, has, line, rng)
    records = draw_records(people, catalogue, has, stroke, must_have, rng)
    store.add_people(people, begin + 1)
    store.add_records(records, begin + 1)
    qualifying = people.kind == QUALIFYING
    tally.add(line[qualifying], stroke[qualifying])


def _owners(
    catalogue: Catalogue, patients: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """A patient for every concept that might by chance have none, and the concept."""
    concepts = np.flatnonzero(catalogue.shares * len(patients) < RARE)
    return rng.choice(patients, size=len(concepts)), concepts


def _rules(tally: _Tally) -> tuple[PlantedRule, ...]:
    rules = []
    for i, (concept, above, at_most, risk, words) in enumerate(FIGURE_4):
        conditions = []
        if concept is not None:
            conditions.append(PREDICTORS[PLACE[concept]].name)
        if above is not None:
            conditions.append(f"age > {above}")
        if at_most is not None:
            conditions.append(f"age <= {at_most}")
        counts = int(tally.captured[i]), int(tally.strokes[i])
        rules.append(PlantedRule(tuple(conditions), words, risk, *counts))
    return tuple(rules)


def _check(
    path: Any, n_patients: Any, n_others: Any, n_concepts: Any, random_state: Any, force: Any
) -> Path:
    check_count("n_patients", n_patients)
    check_count("n_others", n_others, at_least=0)
    check_count("n_concepts", n_concepts, at_least=len(PREDICTORS))
    check_count("random_state", random_state, at_least=0)
    check_flag("force", force)
    if n_patients + n_others > MOST_PERSONS:
        raise ParamError(
            f"n_patients and n_others come to {n_patients + n_others:,} persons; a database "
            f"holds at most {MOST_PERSONS:,}."
        )
    if n_concepts > MOST_CONCEPTS:
        raise ParamError(f"n_concepts is {n_concepts}; it must be {MOST_CONCEPTS:,} or less.")
    return new_file(path, force, facts_path)
