"""From a database and a definition to a cohort: the order and size of the queries."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.cohort.attrition import steps_of
from elseif.cohort.cohort import Cohort, Noticed, assemble, columns_of, warn_of_units
from elseif.cohort.concept_sets import warn_of_empty_groups
from elseif.cohort.database import Database
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.definition_file import load_definition
from elseif.cohort.drivers import LostConnectionError
from elseif.cohort.folder import (
    MANIFEST,
    PLAN,
    PartsInFolder,
    check_begun,
    check_folder,
    check_prints,
    private_folder,
    read_folder,
    read_manifest,
)
from elseif.cohort.parts import PartsInMemory, feature_stream, group_stream, part_from_rows
from elseif.cohort.plan import (
    EmptyCohortError,
    ExtractionPlan,
    count_records,
    empty_cohort,
    find_quality_issues,
    find_spans,
    make_plan,
)
from elseif.cohort.table_catalogue import CatalogueColumn, make_catalogue, plain_name
from elseif.errors import ParamError, ParamTypeError
from elseif.files.locks import only_run_in
from elseif.files.sealed import fingerprint
from elseif.progress import Progress

if TYPE_CHECKING:
    import pandas as pd

PERSONS_A_BATCH = 50_000
IDS_AT_ONCE = 5_000  # concepts whose names are queried together


def extract(
    database: Database,
    definition: CohortDefinition | str | Path,
    *,
    folder: str | Path | None = None,
    persons_a_batch: int = PERSONS_A_BATCH,
    progress: Progress | None = None,
) -> Cohort:
    """Extract a cohort from a database.

    The database is only read, and nothing is left behind in it. With a folder, an interrupted
    extraction continues where it stopped. A query is repeated if the connection is lost.

    Parameters
    ----------
    database : Database
        An open database.
    definition : CohortDefinition, str or path
        A definition, the name of one that comes with elseif, or a YAML file.
    folder : str or path, default=None
        Where to write the cohort as it is read; it will contain rows about persons.
    persons_a_batch : int, default=50_000
        About how many persons with the index condition are read at a time.
    progress : Progress, default=None
        Receives progress updates.

    Returns
    -------
    Cohort
        The cohort.

    Examples
    --------
    >>> from elseif.cohort import connect, extract
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     len(extract(database, "stroke").person_ids)
    100
    """
    if not isinstance(definition, CohortDefinition):
        definition = load_definition(definition)
    if not isinstance(database, Database):
        raise ParamTypeError("extract() reads a Database, which connect(url, schema) makes.")
    if isinstance(persons_a_batch, bool) or not isinstance(persons_a_batch, int):
        raise ParamTypeError(f"persons_a_batch must be a whole number, not {persons_a_batch!r}.")
    if persons_a_batch < 1:
        raise ParamError(f"persons_a_batch must be at least 1, not {persons_a_batch}.")
    work = _Work(database, definition, progress or Progress())
    if folder is None:
        return work.into_memory(persons_a_batch)
    return work.into_folder(Path(folder), persons_a_batch)


class _Work:
    """One extraction."""

    def __init__(
        self, database: Database, definition: CohortDefinition, progress: Progress
    ) -> None:
        self.database, self.definition, self.progress = database, definition, progress
        self._made: dict[tuple[int | str, ...], Any] = {}

    def into_memory(self, persons_a_batch: int) -> Cohort:
        """Keep every part in memory."""
        plan = make_plan(self.database, self.definition)
        spans, issues, _ = self._look(plan, persons_a_batch)
        return self._fill(plan, PartsInMemory(), spans, issues)[0]

    def into_folder(self, folder: Path, persons_a_batch: int) -> Cohort:
        """Write every part into a folder, or continue where an earlier extraction has ended."""
        check_folder(folder)
        with private_folder(folder), only_run_in(folder, "extraction"):
            try:
                return self._into_folder(folder, persons_a_batch)
            except LostConnectionError as error:
                if not (folder / PLAN).exists():
                    raise
                raise LostConnectionError(
                    f"{error} What has been read is kept in {folder}: the same command continues "
                    "there."
                ) from None

    def _into_folder(self, folder: Path, persons_a_batch: int) -> Cohort:
        prints = self._prints()
        check_begun(folder, prints)  # before the long queries
        plan = make_plan(self.database, self.definition)
        prints |= self._state(plan)
        if check_begun(folder, prints):
            now = count_records(self.database, self.definition, plan)
            prints["records"] = fingerprint(now)
        if (folder / MANIFEST).exists():
            check_prints(folder, read_manifest(folder), prints)
            self.progress.note(f"{folder} already contains the whole cohort.")
            return read_folder(folder)
        parts = PartsInFolder(folder, self.definition)
        if not parts.resume(prints):
            spans, issues, records = self._look(plan, persons_a_batch)
            prints["records"] = fingerprint(records)
            parts.begin(prints, spans, issues)
        try:
            cohort, catalogue = self._fill(plan, parts, parts.spans, parts.issues)
        except EmptyCohortError:
            parts.discard()
            raise
        source = {"kind": self.database.kind, "schema": self.database.schema}
        sets = {name: sorted(ids) for name, ids in plan.members.items()}
        facts = {
            "source": {**source, "names": list(cohort.source_names)},
            "n_persons_in_database": plan.n_persons,
            "concept_sets": sets,
            "lacking": list(plan.lacking),
        }
        parts.finish(cohort, catalogue, facts, prints)
        return cohort

    def _look(
        self, plan: ExtractionPlan, persons_a_batch: int
    ) -> tuple[list[tuple[int, int]], list[tuple[str, int, int]], dict[str, int]]:
        """Ranges of persons, issues and totals: counts every record once, which takes a while."""
        with self.progress.stage("looking at the database", 2) as report:
            spans = find_spans(self.database, plan, persons_a_batch)
            report(1)
            issues, totals = find_quality_issues(self.database, self.definition, plan)
            report(2)
        return spans, issues, totals

    def _prints(self) -> dict[str, str]:
        """What identifies this extraction."""
        return {
            "definition": fingerprint(self.definition.as_dict()),
            "source": fingerprint(self.database.identity),
        }

    def _state(self, plan: ExtractionPlan) -> dict[str, str]:
        """What shows whether the database has changed between two attempts."""
        members = {name: sorted(ids) for name, ids in plan.members.items()}
        state = [plan.n_persons, plan.n_index_persons, list(plan.ends), members]
        return {"state": fingerprint(state)}

    def _fill(
        self,
        plan: ExtractionPlan,
        parts: PartsInMemory | PartsInFolder,
        spans: list[tuple[int, int]],
        issues: list[tuple[str, int, int]],
    ) -> tuple[Cohort, pd.DataFrame]:
        """Extract every range that has not been yet, and put the parts together."""
        with self.progress.stage("extracting", len(spans)) as report:
            for number, span in enumerate(spans):
                if not parts.is_done(number):
                    self.database.again(partial(self._extract_range, plan, parts, number, span))
                report(number + 1)
        counts = np.sum([part.counts for part in parts.parts()], axis=0)
        if not counts[-1]:
            raise empty_cohort(self.database, self.definition, counts.tolist())
        columns = columns_of(self.definition, parts)
        names = _names(self.database, plan.queries, columns)
        catalogue = make_catalogue(columns, names)
        noticed = Noticed(issues, plan.lacking, tuple(self.database.source_names()))
        cohort = assemble(self.definition, parts, catalogue, plan.members, noticed)
        warn_of_empty_groups(cohort.groups)
        warn_of_units(cohort)
        return cohort, catalogue

    def _extract_range(
        self,
        plan: ExtractionPlan,
        parts: PartsInMemory | PartsInFolder,
        number: int,
        span: tuple[int, int],
    ) -> None:
        question = self._question(plan, "persons").in_range(span)
        tables = list(self.database.stream(question))
        rows = {
            name: np.concatenate([_NOTHING[kind], *(_column(table[name]) for table in tables)])
            for name, kind in question.columns.items()
        }
        part = part_from_rows(rows, steps_of(self.definition))
        definition = self.definition

        def of(question: str, which: int | str) -> Iterator[Any]:
            if len(part.person_ids):
                asked = self._question(plan, question, which).in_range(span)
                yield from self.database.stream(asked)

        streams = {
            feature_stream(definition, i): of("features", i) for i in range(len(definition.columns))
        }
        if definition.features and definition.groups:
            for domain in definition.group_domains:
                streams[group_stream(domain)] = of("group_records", domain)
        parts.add(number, part, streams)

    def _question(self, plan: ExtractionPlan, name: str, *which: int | str) -> Any:
        """A query for any range of persons, made when it is first asked."""
        key = (name, *which)
        if key not in self._made:
            ask = getattr(plan.queries, name)
            self._made[key] = ask(self.definition, plan.members, *which, plan.queries.ANY_RANGE)
        return self._made[key]


_NOTHING = {
    "int64": np.empty(0, dtype=np.int64),
    "date": np.empty(0, dtype="datetime64[D]"),
}


def _column(column: Any) -> np.ndarray:
    """A column of numbers or dates; for a number that is missing -1, which no year or sex is."""
    import pyarrow as pa

    if pa.types.is_date(column.type):
        return column.to_numpy().astype("datetime64[D]")
    return column.fill_null(-1).to_numpy()


def _names(database: Database, queries: Any, columns: Sequence[CatalogueColumn]) -> dict[int, str]:
    """The names of the concepts; if a concept has two, the first alphabetically."""
    ids = sorted({i for column in columns for i in (column.concept_id, column.unit) if i})
    names: dict[int, str] = {}
    for start in range(0, len(ids), IDS_AT_ONCE):
        rows = database.fetch(queries.names(ids[start : start + IDS_AT_ONCE]))
        for row in rows.to_pylist() if rows is not None else ():
            name = plain_name(row["name"])
            if name:
                names[row["concept_id"]] = min(name, names.get(row["concept_id"], name))
    return names
