"""From the records of each range of persons to the columns of a cohort."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from elseif.cohort.definition import CohortDefinition
from elseif.cohort.feature import GROUPS, Feature
from elseif.cohort.number_columns import NumberColumns
from elseif.cohort.parts import Cells, feature_stream, group_stream
from elseif.cohort.table_catalogue import CatalogueColumn, columns_of_feature
from elseif.errors import DatabaseError

if TYPE_CHECKING:
    import pandas as pd

Members = Mapping[str, Iterable[int]]
UNITS = 2**31  # more than any concept id


def columns_of(definition: CohortDefinition, parts: Any) -> list[CatalogueColumn]:
    """The columns that a cohort has: of concepts that any member has a record of."""
    catalogue: list[CatalogueColumn] = []
    for number, feature in enumerate(definition.columns):
        seen: dict[int, set[tuple[int, int]]] = {n: set() for n in feature.at_least}
        if not feature.is_of_domain and feature.rollup != GROUPS:
            for cells in parts.cells(feature_stream(definition, number)):
                for n in feature.at_least:
                    seen[n] |= _seen(cells, n)
        ordered = {n: sorted(pairs) for n, pairs in seen.items()}
        catalogue += columns_of_feature(feature, ordered, definition.groups)
    return catalogue


def _seen(cells: Cells, at_least: int) -> set[tuple[int, int]]:
    """Concepts, with their units, that somebody has often enough."""
    concepts = cells["concept_id"]
    if "unit" in cells:
        codes = np.unique(_codes(concepts, cells["unit"])).tolist()
        return {divmod(code, UNITS) for code in codes}
    if "value" in cells and at_least > 1:
        concepts = concepts[cells["value"] >= at_least]
    return {(int(concept), 0) for concept in np.unique(concepts)}


def _codes(concepts: np.ndarray, units: np.ndarray) -> np.ndarray:
    """A concept and a unit as one number, in the order of concepts and then of units."""
    return concepts * UNITS + units


class _Cells:
    """Cells of a matrix as they are found: rows, columns and, for numbers, values."""

    def __init__(self) -> None:
        self._found: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, rows: np.ndarray, columns: Any, values: np.ndarray | None = None) -> None:
        columns = np.broadcast_to(np.asarray(columns, dtype=np.int64), rows.shape)
        values = np.ones(len(rows)) if values is None else values
        self._found.append((rows, columns, values))

    def all(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        none = (np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0))
        rows, columns, values = (
            np.concatenate(each) for each in zip(none, *self._found, strict=True)
        )
        return rows, columns, values


def feature_matrix(
    definition: CohortDefinition, parts: Any, catalogue: pd.DataFrame, members: Members
) -> tuple[Any, NumberColumns]:
    """Who has what, as a sparse matrix with a block of rows for each part, and the numbers."""
    is_number = catalogue["is_number"].to_numpy(dtype=bool)
    truths = _Places(catalogue[~is_number], definition, members)
    numbers = _Places(catalogue[is_number], definition, members)
    n_truths, start, blocks, number_cells = int((~is_number).sum()), 0, [], _Cells()
    for part, streams in _ranges(definition, parts):
        cells = _Cells()
        for number, feature in enumerate(definition.columns):
            own = streams[feature_stream(definition, number)]
            rows = places_of(part.person_ids, own["person_id"])
            if feature.is_number:
                numbers.add_numbers(number_cells, feature, own, rows + start)
            else:
                truths.add_truths(cells, feature, own, rows)
        row, column, _ = cells.all()
        shape = (len(part.person_ids), n_truths)
        blocks.append(sparse.csr_array((np.ones(len(row), dtype=bool), (row, column)), shape))
        start += len(part.person_ids)
    matrix = blocks[0] if len(blocks) == 1 else sparse.csr_array(sparse.vstack(blocks, "csr"))
    matrix.sort_indices()
    table = catalogue[is_number].reset_index(drop=True)
    return matrix, NumberColumns(table, start, *number_cells.all())


def _ranges(definition: CohortDefinition, parts: Any) -> Iterator[tuple[Any, dict[str, Cells]]]:
    """Each part with what every feature has read of it, one part at a time."""
    names = [feature_stream(definition, i) for i in range(len(definition.columns))]
    for part, *cells in zip(parts.parts(), *map(parts.cells, names), strict=True):
        yield part, dict(zip(names, cells, strict=True))


class _Places:
    """Where the columns of features are in a catalogue."""

    def __init__(
        self, catalogue: pd.DataFrame, definition: CohortDefinition, members: Members
    ) -> None:
        self._groups = {
            name: np.array(sorted(members[f"group {name}"]), dtype=np.int64)
            for name in definition.groups
        }
        self._start: dict[tuple[str, str], int] = {}
        ids: dict[tuple[str, str], list[tuple[int, int]]] = {}
        columns = ["domain", "feature", "concept_id", "unit_concept_id"]
        rows = catalogue[columns].itertuples(index=False)
        for column, (domain, key, concept, unit) in enumerate(rows):
            self._start.setdefault((domain, key), column)
            ids.setdefault((domain, key), []).append((int(concept), int(unit)))
        self._ids = {key: np.array(pairs, dtype=np.int64) for key, pairs in ids.items()}

    def add_truths(self, to: _Cells, feature: Feature, cells: Cells, rows: np.ndarray) -> None:
        """The cells of a feature that are true, each once."""
        for n in feature.at_least:
            if feature.rollup == GROUPS:
                for group, counts in self._of_groups(cells, rows):
                    column = self._start[
                        feature.domain, CatalogueColumn(feature, 0, 0, n, group).key
                    ]
                    to.add(np.flatnonzero(counts >= n), column)
                continue
            enough = cells["value"] >= n if "value" in cells else slice(None)
            to.add(rows[enough], self._of_concepts(feature, n, cells)[enough])

    def add_numbers(self, to: _Cells, feature: Feature, cells: Cells, rows: np.ndarray) -> None:
        """The cells of a feature that are numbers."""
        if feature.is_of_domain:
            to.add(rows, self._start[feature.domain, feature.key()], cells["value"])
        elif feature.rollup == GROUPS:
            for group, counts in self._of_groups(cells, rows):
                column = self._start[feature.domain, CatalogueColumn(feature, 0, 0, 1, group).key]
                some = np.flatnonzero(counts)
                to.add(some, column, counts[some])
        else:
            to.add(rows, self._of_concepts(feature, 1, cells), cells["value"])

    def _of_concepts(self, feature: Feature, at_least: int, cells: Cells) -> np.ndarray:
        """The column of each cell; of concepts below the threshold any, since it is not used."""
        key = (feature.domain, feature.key(at_least))
        known = self._ids.get(key, np.empty((0, 2), dtype=np.int64))
        concepts, start = cells["concept_id"], self._start.get(key, 0)
        if "unit" in cells:
            codes = _codes(known[:, 0], known[:, 1])
            return places_of(codes, _codes(concepts, cells["unit"])) + start
        if at_least > 1:
            return np.searchsorted(known[:, 0], concepts) + start
        return places_of(known[:, 0], concepts) + start

    def _of_groups(self, cells: Cells, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
        """How many records each row has of each group."""
        values = cells.get("value", np.ones(len(rows)))
        most = int(rows.max()) + 1 if len(rows) else 0
        for name, ids in self._groups.items():
            in_group = np.isin(cells["concept_id"], ids)
            yield name, np.bincount(rows[in_group], values[in_group], minlength=most)


def places_of(ordered: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each id stands in an ordered list."""
    places = np.searchsorted(ordered, wanted)
    if len(wanted) and (
        not len(ordered) or not np.array_equal(ordered.take(places, mode="clip"), wanted)
    ):
        raise _changed()
    return places


def _changed() -> DatabaseError:
    return DatabaseError("The database was changed while it was read. Extract once more.")


def group_table(
    definition: CohortDefinition,
    parts: Any,
    features: Any,
    catalogue: pd.DataFrame,
    members: Members,
) -> pd.DataFrame:
    """Whether anything of each group was recorded before the index date."""
    import pandas as pd

    has_group = {}
    ids = catalogue["concept_id"].to_numpy()
    for name in definition.groups:
        wanted = np.array(sorted(members[f"group {name}"]), dtype=np.int64)
        if definition.features:
            has_group[name] = _has_group(definition, parts, wanted)
        else:
            places = np.flatnonzero(np.isin(ids, wanted))
            counts = np.asarray(features[:, places].sum(axis=1, dtype=np.int64)).ravel()
            has_group[name] = counts > 0
    return pd.DataFrame(has_group, index=pd.RangeIndex(features.shape[0]))


def _has_group(definition: CohortDefinition, parts: Any, wanted: np.ndarray) -> np.ndarray:
    has = [np.zeros(len(part.person_ids), dtype=bool) for part in parts.parts()]
    for domain in definition.group_domains:
        read = zip(parts.parts(), parts.cells(group_stream(domain)), has, strict=True)
        for part, cells, flags in read:
            persons = cells["person_id"][np.isin(cells["concept_id"], wanted)]
            flags[places_of(part.person_ids, persons)] = True
    return np.concatenate(has)
