"""A cohort: its members, what was recorded of them before, and what came after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from elseif.cohort.attrition import attrition_table, holes_table
from elseif.cohort.definition import CohortDefinition
from elseif.errors import DatabaseError

if TYPE_CHECKING:
    import pandas as pd

    from elseif.tables.sparse_table import SparseTable


@dataclass(frozen=True, eq=False, repr=False)
class Cohort:
    """The members of a cohort, by person id; made by ``extract`` or ``read_cohort``."""

    definition: CohortDefinition  # by which it was extracted
    person_ids: np.ndarray  # int64, in order
    index_dates: np.ndarray  # datetime64[D]
    outcome: np.ndarray  # bool: whether it was recorded in its window
    age: np.ndarray  # int64: year of the index date - year of birth
    sex: np.ndarray  # "female", "male" or "unknown"
    features: Any  # SciPy csr_array of bool: a row for each member, a column for each concept
    catalogue: pd.DataFrame  # name, concept_id, domain, covariate_id of each column of features
    groups: pd.DataFrame  # bool: whether anything of a group was recorded before the index date
    attrition: pd.DataFrame  # step, persons, removed
    holes: pd.DataFrame  # what, records, persons

    def __len__(self) -> int:
        return len(self.person_ids)

    def __repr__(self) -> str:
        share = f"{self.outcome.mean():.1%}" if len(self) else "0%"
        return (
            f"<Cohort {self.definition.name}: {len(self):,} persons, {self.features.shape[1]:,} "
            f"drugs and conditions, {share} with {self.definition.outcome.name}>"
        )

    @property
    def cuts(self) -> dict[str, list[float]]:
        """Where ages are cut, as the classifier takes it."""
        return {"age": [float(cut) for cut in self.definition.age_cuts]}

    def table(self) -> SparseTable:
        """Age, sex, and whether each drug and condition was recorded before the index date."""
        import pandas as pd

        from elseif.tables.sparse_table import SparseTable

        frame = pd.DataFrame({"age": self.age, "sex": self.sex})
        return SparseTable(self.features, list(self.catalogue["name"]), frame)

    def labels(self) -> pd.Series:
        """Whether the outcome was recorded in its window."""
        import pandas as pd

        return pd.Series(self.outcome, name=self.definition.outcome.name)

    def score_table(self) -> pd.DataFrame:
        """Age, sex and the definition's groups: what scores such as CHADS2 count."""
        import pandas as pd

        return pd.concat([pd.DataFrame({"age": self.age, "sex": self.sex}), self.groups], axis=1)


def read_cohort(folder: str | Path) -> Cohort:
    """Read a cohort that ``extract`` has written into a folder, after a check of every file."""
    from elseif.cohort.folder import read_folder

    return read_folder(Path(folder))


def concepts_of(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The concepts that occur, in order."""
    found = [np.unique(concepts) for _, concepts in pairs]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found]))


def assemble(
    definition: CohortDefinition,
    parts: Any,
    catalogue: pd.DataFrame,
    members: Mapping[str, Iterable[int]],
    holes: Sequence[Sequence[Any]],
) -> Cohort:
    """A cohort from its parts."""
    found = parts.parts()
    person_ids = np.concatenate([part.person_ids for part in found])
    features = _matrix(definition, parts, catalogue)
    unknown = np.array([name == f"concept {i}" for name, i in _named(catalogue)], dtype=bool)
    cells = np.asarray(features[:, np.flatnonzero(unknown)].sum(axis=1, dtype=np.int64)).ravel()
    outcome = definition.outcome.name
    on_index_date = sum(part.on_index_date for part in found)
    more = [
        (
            "members' features that the table concept lacks",
            int(cells.sum()),
            int((cells > 0).sum()),
        ),
        (f"members with {outcome} on the index date, not counted", on_index_date, on_index_date),
    ]
    counts = np.sum([part.counts for part in found], axis=0).tolist()
    return Cohort(
        definition=definition,
        person_ids=person_ids,
        index_dates=np.concatenate([part.index_dates for part in found]),
        outcome=np.concatenate([part.outcome for part in found]),
        age=np.concatenate([part.age for part in found]),
        sex=np.concatenate([part.sex for part in found]),
        features=features,
        catalogue=catalogue,
        groups=_groups(definition, features, catalogue, members),
        attrition=attrition_table(definition, counts),
        holes=holes_table([*holes, *more]),
    )


def _named(catalogue: pd.DataFrame) -> list[tuple[str, int]]:
    return list(zip(catalogue["name"], catalogue["concept_id"].tolist(), strict=True))


def _matrix(definition: CohortDefinition, parts: Any, catalogue: pd.DataFrame) -> Any:
    """Who has what, as a sparse matrix: a block of rows for each part."""
    columns: dict[str, tuple[int, np.ndarray]] = {}
    for domain in definition.domains:
        places = np.flatnonzero((catalogue["domain"] == domain).to_numpy())
        ids = catalogue["concept_id"].to_numpy()[places]
        columns[domain] = (int(places[0]) if len(places) else 0, ids)
    blocks = []
    streams = [parts.pairs(domain) for domain in definition.domains]
    for part, *pairs in zip(parts.parts(), *streams, strict=True):
        rows: list[np.ndarray] = []
        columns_of: list[np.ndarray] = []
        for domain, (persons, concepts) in zip(definition.domains, pairs, strict=True):
            start, ids = columns[domain]
            rows.append(_places(part.person_ids, persons))
            columns_of.append(_places(ids, concepts) + start)
        row, column = np.concatenate(rows), np.concatenate(columns_of)
        shape = (len(part.person_ids), len(catalogue))
        blocks.append(sparse.csr_array((np.ones(len(row), dtype=bool), (row, column)), shape))
    matrix = blocks[0] if len(blocks) == 1 else sparse.csr_array(sparse.vstack(blocks, "csr"))
    matrix.sort_indices()
    return matrix


def _places(ordered: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Where each id stands in an ordered list."""
    places = np.searchsorted(ordered, wanted)
    if len(wanted) and (
        not len(ordered) or not np.array_equal(ordered.take(places, mode="clip"), wanted)
    ):
        raise DatabaseError("The database was changed while it was read. Extract once more.")
    return places


def _groups(
    definition: CohortDefinition,
    features: Any,
    catalogue: pd.DataFrame,
    members: Mapping[str, Iterable[int]],
) -> pd.DataFrame:
    """Whether anything of each group was recorded before the index date."""
    import pandas as pd

    ids = catalogue["concept_id"].to_numpy()
    found = {}
    for name in definition.groups:
        places = np.flatnonzero(np.isin(ids, list(members[f"group {name}"])))
        counts = np.asarray(features[:, places].sum(axis=1, dtype=np.int64)).ravel()
        found[name] = counts > 0
    return pd.DataFrame(found, index=pd.RangeIndex(features.shape[0]))
