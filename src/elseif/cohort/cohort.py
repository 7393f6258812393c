"""A cohort: its members, what was recorded of them before, and what came after."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from elseif.cohort.attrition import attrition_table, quality_table
from elseif.cohort.concept_sets import empty_group_warning, empty_groups
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.synthetic import says_synthetic
from elseif.errors import DatabaseError

if TYPE_CHECKING:
    import pandas as pd

    from elseif.tables.sparse_table import SparseTable


@dataclass(frozen=True)
class Noticed:
    """What was found out about a database beside its persons."""

    issues: Sequence[Sequence[Any]]
    lacking: tuple[str, ...]  # concepts that its vocabulary lacks, in sentences
    source_names: tuple[str, ...]


@dataclass(frozen=True, eq=False, repr=False)
class Cohort:
    """The members of a cohort in the order of their ids, from ``extract`` or ``read_cohort``.

    Attributes
    ----------
    definition : CohortDefinition
        The definition it was extracted by.
    person_ids : np.ndarray
        Ids of the persons, ascending.
    index_dates : np.ndarray
        Index date of each person.
    outcome : np.ndarray
        Whether the outcome was recorded in its window.
    age : np.ndarray
        Year of the index date minus year of birth.
    sex : np.ndarray
        "female", "male" or "unknown".
    features : Any
        SciPy csr_array of bool: one row for each member, one column for each concept.
    catalogue : pd.DataFrame
        Name, concept id, domain and OHDSI covariate id of each column of ``features``.
    groups : pd.DataFrame
        Whether anything of each group was recorded before the index date.
    attrition : pd.DataFrame
        Steps of the selection, with persons left and removed, and how many of those removed for
        leaving too early had the outcome before they left.
    quality_issues : pd.DataFrame
        Data-quality issues, with numbers of records and persons.
    warnings : tuple[str, ...]
        Concepts that the vocabulary lacks, and groups that nobody has: what is then missed.
    source_names : tuple[str, ...]
        What the table cdm_source calls the database.

    Examples
    --------
    >>> from elseif.cohort import connect, extract
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     cohort = extract(database, "stroke")
    >>> cohort.table().shape
    (100, 79)
    >>> int(cohort.labels().sum()) == planted.n_strokes
    True
    >>> list(cohort.score_table().columns[:3])
    ['age', 'sex', 'heart_failure']
    """

    definition: CohortDefinition
    person_ids: np.ndarray
    index_dates: np.ndarray
    outcome: np.ndarray
    age: np.ndarray
    sex: np.ndarray
    features: Any
    catalogue: pd.DataFrame
    groups: pd.DataFrame
    attrition: pd.DataFrame
    quality_issues: pd.DataFrame
    warnings: tuple[str, ...] = ()
    source_names: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.person_ids)

    def __repr__(self) -> str:
        share = f"{self.outcome.mean():.1%}" if len(self) else "0%"
        return (
            f"<Cohort {self.definition.name}: {len(self):,} persons, {self.features.shape[1]:,} "
            f"drugs and conditions, {share} with {self.definition.outcome.name}>"
        )

    @property
    def is_synthetic(self) -> bool:
        """Whether the database calls its patients synthetic, simulated or the like."""
        return says_synthetic(self.source_names)

    @property
    def empty_groups(self) -> list[str]:
        """Groups of the definition that nobody in the cohort has a record of."""
        return empty_groups(self.groups)

    @property
    def cuts(self) -> dict[str, list[float]]:
        """Where ages are cut, as the classifier takes it."""
        return {"age": [float(cut) for cut in self.definition.age_cuts]}

    def table(self) -> SparseTable:
        """The table to learn from.

        Returns
        -------
        SparseTable
            Age, sex, and whether each drug and condition was recorded before the index date.
        """
        import pandas as pd

        from elseif.tables.sparse_table import SparseTable

        frame = pd.DataFrame({"age": self.age, "sex": self.sex})
        names = list(self.catalogue["name"])
        return SparseTable(self.features, names, frame, origin=self.origin())

    def table_for(
        self, columns: Sequence[str], concepts: Sequence[Mapping[str, Any]]
    ) -> SparseTable:
        """The table that a model of another cohort asks for, matched by concept ids.

        Parameters
        ----------
        columns : sequence of str
            The model's columns (``FittedModel.feature_names``).
        concepts : sequence of mapping
            Its concepts (``FittedModel.cohort["concepts"]``): column, concept id and domain.

        Returns
        -------
        SparseTable
            These columns; a concept that nobody here has was never recorded, and is false.

        Examples
        --------
        >>> from elseif.cohort import connect, extract
        >>> from elseif.datasets import make_stroke_cdm
        >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
        >>> with connect("patients.duckdb", schema="cdm") as database:
        ...     cohort = extract(database, "stroke")
        >>> aspirin = {"column": "aspirin", "concept_id": 1112807, "domain": "drug"}
        >>> cohort.table_for(["age", "aspirin"], [aspirin]).columns
        ['age', 'aspirin']
        """
        import pandas as pd

        from elseif.tables.sparse_table import SparseTable

        frame = pd.DataFrame({"age": self.age, "sex": self.sex})
        names = [name for name in columns if name not in frame.columns]
        place = {name: i for i, name in enumerate(names)}
        wanted = {(c["concept_id"], c["domain"]): place[c["column"]] for c in concepts}
        own = zip(self.catalogue["concept_id"].tolist(), self.catalogue["domain"], strict=True)
        target = np.array([wanted.get(key, -1) for key in own], dtype=np.int64)
        cells = self.features.tocoo()
        column = target[cells.col]
        kept = column >= 0
        truths = np.ones(int(kept.sum()), dtype=bool)
        shape = (len(self), len(names))
        matrix = sparse.csr_array((truths, (cells.row[kept], column[kept])), shape)
        asked = [name for name in frame.columns if name in set(columns)]
        return SparseTable(matrix, names, frame[asked], origin=self.origin())

    def origin(self) -> dict[str, Any]:
        """Where the cohort comes from, which a model learnt from its table keeps.

        Returns
        -------
        dict
            Whether the patients are synthetic, the definition, warnings, and the concept of each
            column.

        Examples
        --------
        >>> from elseif.cohort import connect, extract
        >>> from elseif.datasets import make_stroke_cdm
        >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
        >>> with connect("patients.duckdb", schema="cdm") as database:
        ...     extract(database, "stroke").origin()["synthetic"]
        True
        """
        concepts = self.catalogue[["name", "concept_id", "domain"]].itertuples(index=False)
        empty = [empty_group_warning(name) for name in self.empty_groups]
        return {
            "synthetic": self.is_synthetic,
            "source_names": list(self.source_names),
            "definition": self.definition.as_dict(),
            "definition_sha256": self.definition.sha256,
            "warnings": [warning for warning in self.warnings if warning not in empty],
            "empty_groups": empty,
            "concepts": [
                {"column": name, "concept_id": int(i), "domain": domain}
                for name, i, domain in concepts
            ],
        }

    def labels(self) -> pd.Series:
        """The labels to learn.

        Returns
        -------
        Series of bool
            Whether the outcome was recorded in its window.
        """
        import pandas as pd

        return pd.Series(self.outcome, name=self.definition.outcome.name)

    def score_table(self) -> pd.DataFrame:
        """What scores such as CHADS2 need.

        Returns
        -------
        DataFrame
            Age, sex and the definition's groups.
        """
        import pandas as pd

        return pd.concat([pd.DataFrame({"age": self.age, "sex": self.sex}), self.groups], axis=1)


def read_cohort(folder: str | Path) -> Cohort:
    """Read a cohort that ``extract`` has written into a folder. Every file is checked.

    Parameters
    ----------
    folder : str or path
        The folder.

    Returns
    -------
    Cohort
        The cohort.

    Examples
    --------
    >>> from elseif.cohort import connect, extract, read_cohort
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     cohort = extract(database, "stroke", folder="cohort")
    >>> len(read_cohort("cohort").person_ids)
    100
    """
    from elseif.cohort.folder import read_folder

    return read_folder(Path(folder))


def concepts_of(pairs: Iterable[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """The concepts that occur, in order."""
    concept_ids = [np.unique(concepts) for _, concepts in pairs]
    return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *concept_ids]))


def assemble(
    definition: CohortDefinition,
    parts: Any,
    catalogue: pd.DataFrame,
    members: Mapping[str, Iterable[int]],
    noticed: Noticed,
) -> Cohort:
    """A cohort from its parts."""
    batches = parts.parts()
    person_ids = np.concatenate([part.person_ids for part in batches])
    features = _matrix(definition, parts, catalogue)
    unknown = np.array([name == f"concept {i}" for name, i in _named(catalogue)], dtype=bool)
    cells = np.asarray(features[:, np.flatnonzero(unknown)].sum(axis=1, dtype=np.int64)).ravel()
    outcome = definition.outcome.name
    on_index_date = sum(part.on_index_date for part in batches)
    more = [
        (
            "members' features that the table concept lacks",
            int(cells.sum()),
            int((cells > 0).sum()),
        ),
        (f"members with {outcome} on the index date, not counted", on_index_date, on_index_date),
    ]
    counts = np.sum([part.counts for part in batches], axis=0).tolist()
    groups = _groups(definition, features, catalogue, members)
    return Cohort(
        definition=definition,
        person_ids=person_ids,
        index_dates=np.concatenate([part.index_dates for part in batches]),
        outcome=np.concatenate([part.outcome for part in batches]),
        age=np.concatenate([part.age for part in batches]),
        sex=np.concatenate([part.sex for part in batches]),
        features=features,
        catalogue=catalogue,
        groups=groups,
        attrition=attrition_table(definition, counts, sum(p.lost_outcomes for p in batches)),
        quality_issues=quality_table([*noticed.issues, *more]),
        warnings=(*noticed.lacking, *map(empty_group_warning, empty_groups(groups))),
        source_names=noticed.source_names,
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
    any_member = {}
    for name in definition.groups:
        places = np.flatnonzero(np.isin(ids, list(members[f"group {name}"])))
        counts = np.asarray(features[:, places].sum(axis=1, dtype=np.int64)).ravel()
        any_member[name] = counts > 0
    return pd.DataFrame(any_member, index=pd.RangeIndex(features.shape[0]))
