"""From a database and a definition to a cohort: what is asked, in which order, how much at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from elseif.cohort.attrition import attrition_table, attrition_text, database_holes, step_names
from elseif.cohort.catalogue import make_catalogue, plain_name
from elseif.cohort.cohort import Cohort, assemble, concepts_of
from elseif.cohort.database import Database
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.definition_file import load_definition
from elseif.cohort.parts import Part, PartsInMemory, part_from_rows
from elseif.errors import DatabaseError, ParamError, ParamTypeError
from elseif.progress import Progress

PERSONS_A_BATCH = 50_000
STRIPS = 4_096  # of ids, in which persons are counted to find ranges of about the same size
IDS_AT_ONCE = 5_000  # concepts whose names are asked for together


@dataclass(frozen=True)
class Plan:
    """What is known before the first person is read."""

    questions: Any
    members: dict[str, frozenset[int]]  # concept ids of index, outcome and each group
    n_persons: int  # in the database
    n_index_persons: int
    ends: tuple[int, int]  # least and greatest id of persons with the index condition


def extract(
    database: Database,
    definition: CohortDefinition | str | Path,
    *,
    folder: str | Path | None = None,
    persons_a_batch: int = PERSONS_A_BATCH,
    progress: Progress | None = None,
) -> Cohort:
    """Extract a cohort; with a folder, part by part into it, so that it can be continued.

    Persons are read in ranges of their ids, with about ``persons_a_batch`` persons who have
    the index condition in each. A range is asked for again when the connection is lost.
    The database is only read, and nothing is left behind in it.
    """
    if not isinstance(definition, CohortDefinition):
        definition = load_definition(definition)
    if not isinstance(database, Database):
        raise ParamTypeError("extract() reads a Database, which connect(url, schema) makes.")
    if isinstance(persons_a_batch, bool) or not isinstance(persons_a_batch, int):
        raise ParamTypeError(f"persons_a_batch must be a whole number, not {persons_a_batch!r}.")
    if persons_a_batch < 1:
        raise ParamError(f"persons_a_batch must be at least 1, not {persons_a_batch}.")
    progress = progress or Progress()
    if folder is not None:
        from elseif.cohort.folder import check_folder

        check_folder(Path(folder))
    plan = _plan(database, definition)
    if folder is None:
        spans = _spans(database, plan, persons_a_batch)
        holes = _holes(database, definition, plan)
        return _fill(database, definition, plan, PartsInMemory(), spans, holes, progress)
    raise NotImplementedError


def _plan(database: Database, definition: CohortDefinition) -> Plan:
    """Look at the database before anything is read from it."""
    from elseif.cohort.engine import CDM, EVENTS

    unused = {table for domain, table in EVENTS.items() if domain not in definition.domains}
    unused.discard(EVENTS["condition"])
    questions = database.questions([table for table in CDM if table not in unused])
    people = database.numbers(questions.persons_in_database())
    doubled = people["rows"] - people["persons"]
    if doubled:
        raise DatabaseError(
            f"The table person of {database.label} has {doubled:,} rows too many: their person_id "
            "is that of another row. Every person must have one row."
        )
    members = _members(database, questions, definition)
    found = database.numbers(questions.index_persons(members["index"]))
    plan = Plan(
        questions, members, people["persons"], found["persons"], (found["least"], found["most"])
    )
    if not plan.n_index_persons:
        raise _empty(database, definition, [0] * len(step_names(definition)))
    return plan


def _members(
    database: Database, questions: Any, definition: CohortDefinition
) -> dict[str, frozenset[int]]:
    """Concept ids of every set, with descendants where told."""
    sets = {"index": definition.index, "outcome": definition.outcome}
    sets |= {f"group {name}": group for name, group in definition.groups.items()}
    ancestors = frozenset[int]().union(*(concepts.ancestors() for concepts in sets.values()))
    beneath: dict[int, list[int]] = {}
    if ancestors:
        rows = database.fetch(questions.descendants(ancestors))
        if rows is not None:
            for row in rows.to_pylist():
                beneath.setdefault(row["ancestor"], []).append(row["descendant"])
    members = {name: concepts.members(beneath) for name, concepts in sets.items()}
    for name in ("index", "outcome"):
        if not members[name]:
            raise ParamError(
                f"{definition.name}: everything that {name} includes, it excludes as well."
            )
    return members


def _spans(database: Database, plan: Plan, persons_a_batch: int) -> list[tuple[int, int]]:
    """Ranges of person ids, with about so many persons with the index condition in each."""
    return _split(database, plan, plan.ends, plan.n_index_persons, persons_a_batch)


def _split(
    database: Database, plan: Plan, ends: tuple[int, int], n_persons: int, persons_a_batch: int
) -> list[tuple[int, int]]:
    """Ranges within a range; ids may be as unevenly spread as they like."""
    if n_persons <= persons_a_batch or ends[0] == ends[1]:
        return [ends]
    width = max(1, -(-(ends[1] - ends[0] + 1) // STRIPS))
    rows = database.fetch(plan.questions.histogram(plan.members["index"], ends, width))
    strips = [(row["persons"], row["least"], row["most"]) for row in rows.to_pylist()]
    if len(strips) == 1:  # ids so large that they differ by less than a number can show
        return [ends]
    spans: list[tuple[int, int]] = []
    n_open, begin, end = 0, 0, 0
    for n, least, most in strips:
        if n_open and n_open + n > persons_a_batch:
            spans.append((begin, end))
            n_open = 0
        if n > persons_a_batch:
            spans += _split(database, plan, (least, most), n, persons_a_batch)
            continue
        begin = begin if n_open else least
        n_open, end = n_open + n, most
    if n_open:
        spans.append((begin, end))
    return spans


def _holes(
    database: Database, definition: CohortDefinition, plan: Plan
) -> list[tuple[str, int, int]]:
    """What the whole database lacks."""
    questions = plan.questions
    answers = {
        "observation_period": database.numbers(questions.period_holes()),
        "person": database.numbers(questions.person_holes()),
    }
    for domain in dict.fromkeys(("condition", *definition.domains)):
        answers[domain] = database.numbers(questions.event_holes(domain))
    return database_holes(answers)


def _fill(
    database: Database,
    definition: CohortDefinition,
    plan: Plan,
    parts: Any,
    spans: list[tuple[int, int]],
    holes: list[tuple[str, int, int]],
    progress: Progress,
) -> Cohort:
    """Extract every range that has not been yet, and put the parts together."""
    with progress.stage("extracting", len(spans)) as report:
        for number, span in enumerate(spans):
            if not parts.is_done(number):
                database.again(
                    lambda n=number, s=span: _extract_range(database, definition, plan, parts, n, s)
                )
            report(number + 1)
    found: list[Part] = parts.parts()
    counts = np.sum([part.counts for part in found], axis=0)
    if not counts[-1]:
        raise _empty(database, definition, counts.tolist())
    concepts = {domain: concepts_of(parts.pairs(domain)) for domain in definition.domains}
    names = _names(database, plan.questions, concepts)
    catalogue = make_catalogue(concepts, names)
    return assemble(definition, parts, catalogue, plan.members, holes)


def _extract_range(
    database: Database,
    definition: CohortDefinition,
    plan: Plan,
    parts: Any,
    number: int,
    span: tuple[int, int],
) -> None:
    tables = list(database.stream(plan.questions.persons(definition, plan.members, span)))
    columns = plan.questions.persons(definition, plan.members, span).columns
    rows = {
        name: np.concatenate([_column(table[name]) for table in tables])
        if tables
        else np.empty(0, dtype="datetime64[D]" if kind == "date" else np.int64)
        for name, kind in columns.items()
    }
    part = part_from_rows(rows, len(step_names(definition)))

    def of(domain: str) -> Iterator[Any]:
        if len(part.person_ids):
            yield from database.stream(
                plan.questions.features(definition, plan.members, domain, span)
            )

    parts.add(number, part, {domain: of(domain) for domain in definition.domains})


def _column(column: Any) -> np.ndarray:
    """A column of numbers or dates; a number that is missing is -1, and no person passes with it."""
    import pyarrow as pa

    if pa.types.is_date(column.type):
        return column.to_numpy().astype("datetime64[D]")
    return column.fill_null(-1).to_numpy()


def _names(
    database: Database, questions: Any, concepts: dict[str, np.ndarray]
) -> dict[int, str]:
    """What the concepts are called; of two names of one concept, the first by its letters."""
    ids = sorted({int(i) for some in concepts.values() for i in some})
    names: dict[int, str] = {}
    for start in range(0, len(ids), IDS_AT_ONCE):
        rows = database.fetch(questions.names(ids[start : start + IDS_AT_ONCE]))
        for row in rows.to_pylist() if rows is not None else ():
            name = plain_name(row["name"])
            if name:
                names[row["concept_id"]] = min(name, names.get(row["concept_id"], name))
    return names


def _empty(database: Database, definition: CohortDefinition, counts: list[int]) -> DatabaseError:
    steps = attrition_text(attrition_table(definition, counts)).splitlines()
    told = "; ".join(" ".join(line.split()) for line in steps)
    return DatabaseError(f"Nobody in {database.label} belongs to the cohort. Persons who {told}.")
