"""A cohort: its members, what was recorded of them before, and what came after."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from elseif.checks import did_you_mean
from elseif.cohort.attrition import attrition_table, quality_table
from elseif.cohort.concept_sets import empty_group_warning, empty_groups
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.feature_matrix import columns_of as columns_of, feature_matrix, group_table
from elseif.cohort.number_columns import NumberColumns, is_number, is_value
from elseif.cohort.synthetic import says_synthetic
from elseif.cohort.table_catalogue import COLUMNS
from elseif.errors import ParamError

if TYPE_CHECKING:
    import pandas as pd

    from elseif.tables.sparse_table import SparseTable


@dataclass(frozen=True)
class Noticed:
    """What was found out about a database besides its persons."""

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
        Concepts missing from the vocabulary, and groups that nobody has.
    source_names : tuple[str, ...]
        What the table cdm_source calls the database.
    numbers : NumberColumns | None
        Counts and last values; ``values`` has them as a table.
    more_outcomes : Mapping[str, np.ndarray]
        Whether each of the definition's further outcomes was recorded in the window.

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
    numbers: NumberColumns | None = None
    more_outcomes: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.person_ids)

    def __repr__(self) -> str:
        share = f"{self.outcome.mean():.1%}" if len(self) else "0%"
        return (
            f"<Cohort {self.definition.name}: {len(self):,} persons, {self.features.shape[1]:,} "
            f"{self.definition.columns_text}, {share} with {self.definition.outcome.name}>"
        )

    @property
    def is_synthetic(self) -> bool:
        """Whether the database describes its patients as synthetic or simulated."""
        return says_synthetic(self.source_names)

    @property
    def empty_groups(self) -> list[str]:
        """Groups of the definition without any record in the cohort."""
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
            Age, sex, numbers, and whether each drug, condition or other feature was recorded.
        """
        import pandas as pd

        from elseif.tables.sparse_table import SparseTable

        frame = pd.DataFrame({"age": self.age, "sex": self.sex})
        frame = pd.concat([frame, self.values], axis=1)
        names = list(self.catalogue["name"])
        return SparseTable(self.features, names, frame, origin=self.origin())

    def table_for(
        self, columns: Sequence[str], concepts: Sequence[Mapping[str, Any]]
    ) -> SparseTable:
        """The table that a model of another cohort needs, matched by concept ids.

        Parameters
        ----------
        columns : sequence of str
            The model's columns (``FittedModel.feature_names``).
        concepts : sequence of mapping
            Its concepts (``FittedModel.cohort["concepts"]``): column, concept id and domain.

        Returns
        -------
        SparseTable
            These columns. A concept that was never recorded here is false, has no records, or is
            missing (not measured).

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
        numbers = [c for c in concepts if is_number(c.get("feature", "any"))]
        frame = pd.concat([frame, self._numbers_for(numbers)], axis=1)
        names = [name for name in columns if name not in frame.columns]
        column_of = {name: i for i, name in enumerate(names)}
        wanted = {
            (c["concept_id"], c["domain"], c.get("feature", "any")): column_of[c["column"]]
            for c in concepts
            if c["column"] in column_of
        }
        keys = self.catalogue[["concept_id", "domain", "feature"]].itertuples(index=False)
        own = map(tuple, keys)
        target = np.array([wanted.get(key, -1) for key in own], dtype=np.int64)
        cells = self.features.tocoo()
        target_columns = target[cells.col]
        kept = target_columns >= 0
        truths = np.ones(int(kept.sum()), dtype=bool)
        shape = (len(self), len(names))
        matrix = sparse.csr_array((truths, (cells.row[kept], target_columns[kept])), shape)
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
        empty = [empty_group_warning(name) for name in self.empty_groups]
        units = self.numbers.left_out()[0] if self.numbers is not None else []
        return {
            "synthetic": self.is_synthetic,
            "source_names": list(self.source_names),
            "definition": self.definition.as_dict(),
            "definition_sha256": self.definition.sha256,
            "warnings": [each for each in self.warnings if each not in (*empty, *units)],
            "empty_groups": empty,
            "concepts": self._concepts(),
        }

    def _concepts(self) -> list[dict[str, Any]]:
        """The concept, domain and feature of each column of the table."""
        rows = [
            (*row, 0) for row in self.catalogue[list(COLUMNS)].itertuples(index=False, name=None)
        ]
        if self.numbers is not None:
            kept = self.numbers.catalogue.iloc[self.numbers.kept]
            kept = kept[[*COLUMNS, "unit_concept_id"]]
            rows = [*kept.itertuples(index=False, name=None), *rows]
        return [
            {
                "column": name,
                "concept_id": int(concept),
                "domain": domain,
                "feature": feature,
                "unit_concept_id": int(unit),
                "covariate_id": int(covariate),
            }
            for name, concept, domain, covariate, feature, unit in rows
        ]

    @property
    def values(self) -> pd.DataFrame:
        """Numbers for each member: counts, and last values, which are missing if not measured."""
        import pandas as pd

        if self.numbers is None:
            return pd.DataFrame(index=pd.RangeIndex(len(self)))
        kept = self.numbers.kept
        return self.numbers.frame(kept.tolist(), self.numbers.catalogue["name"].iloc[kept].tolist())

    @property
    def number_catalogue(self) -> pd.DataFrame:
        """Name, concept id, domain, covariate id, feature and unit of each column of ``values``."""
        columns = [*COLUMNS, "unit_concept_id"]
        if self.numbers is None:
            import pandas as pd

            return pd.DataFrame(columns=columns)
        table = self.numbers.catalogue.iloc[self.numbers.kept]
        return table[columns].reset_index(drop=True)

    def _numbers_for(self, concepts: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
        """Columns of numbers that a model asks for, in its units."""
        import pandas as pd

        numbers: dict[str, Any] = {}
        places = {} if self.numbers is None else self.numbers.places()
        units = {key[:3] for key in places}
        for c in concepts:
            key = (c["concept_id"], c["domain"], c["feature"], c["unit_concept_id"])
            if self.numbers is not None and key in places:
                name = c["column"]
                numbers[name] = self.numbers.frame([places[key]], [name])[name]
                continue
            empty = np.nan if is_value(c["feature"]) else 0
            numbers[c["column"]] = np.full(len(self), empty)
            if key[:3] in units:
                warnings.warn(
                    f"{c['column']} is recorded here only in other units, so it is missing for "
                    "everybody.",
                    UserWarning,
                    stacklevel=3,
                )
        return pd.DataFrame(numbers, index=pd.RangeIndex(len(self)))

    def labels(self, outcome: str | None = None) -> pd.Series:
        """The labels to learn.

        Parameters
        ----------
        outcome : str, default=None
            The name of one of the definition's outcomes; by default the first.

        Returns
        -------
        Series of bool
            Whether the outcome was recorded in its window.
        """
        import pandas as pd

        main = self.definition.outcome.name
        if outcome is None or outcome == main:
            return pd.Series(self.outcome, name=main)
        if outcome not in self.more_outcomes:
            raise ParamError(
                f"The cohort has no outcome {outcome!r:.80}; "
                f"{did_you_mean(str(outcome), self.definition.outcome_names)}"
            )
        return pd.Series(self.more_outcomes[outcome], name=outcome)

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


def assemble(
    definition: CohortDefinition,
    parts: Any,
    catalogue: pd.DataFrame,
    members: Mapping[str, Iterable[int]],
    noticed: Noticed,
) -> Cohort:
    """A cohort from its parts."""
    all_parts = parts.parts()
    person_ids = np.concatenate([part.person_ids for part in all_parts])
    features, numbers = feature_matrix(definition, parts, catalogue, members)
    numbers.check_size()
    own = catalogue[~catalogue["is_number"].to_numpy(dtype=bool)].reset_index(drop=True)
    unknown = np.array([_is_unknown(name, i) for name, i in _named(own)], dtype=bool)
    cells = np.asarray(features[:, np.flatnonzero(unknown)].sum(axis=1, dtype=np.int64)).ravel()
    outcome = definition.outcome.name
    on_index_date = sum(part.on_index_date for part in all_parts)
    more = [
        (
            "members' features that the table concept lacks",
            int(cells.sum()),
            int((cells > 0).sum()),
        ),
        (f"members with {outcome} on the index date, not counted", on_index_date, on_index_date),
    ]
    units, n_values, n_members = numbers.left_out()
    if any(feature.value == "last" for feature in definition.columns):
        more.append(("members' last values in units that are left out", n_values, n_members))
    counts = np.sum([part.counts for part in all_parts], axis=0).tolist()
    groups = group_table(definition, parts, features, own, members)
    return Cohort(
        definition=definition,
        person_ids=person_ids,
        index_dates=np.concatenate([part.index_dates for part in all_parts]),
        outcome=np.concatenate([part.outcome for part in all_parts]),
        age=np.concatenate([part.age for part in all_parts]),
        sex=np.concatenate([part.sex for part in all_parts]),
        features=features,
        catalogue=own[list(COLUMNS)],
        groups=groups,
        attrition=attrition_table(definition, counts, sum(p.lost_outcomes for p in all_parts)),
        quality_issues=quality_table([*noticed.issues, *more]),
        warnings=(*noticed.lacking, *map(empty_group_warning, empty_groups(groups)), *units),
        source_names=noticed.source_names,
        numbers=numbers,
        more_outcomes={
            name: np.concatenate([part.more_outcomes[k] for part in all_parts])
            for k, name in enumerate(definition.outcomes)
        },
    )


def warn_of_units(cohort: Cohort) -> None:
    """Say in Python which values are left out for their units."""
    for said in cohort.numbers.left_out()[0] if cohort.numbers is not None else ():
        warnings.warn(said, UserWarning, stacklevel=2)


def _is_unknown(name: str, concept: int) -> bool:
    """Whether a column is called after the id of its concept, which has no name."""
    return re.match(rf"concept {concept}(?:$|[ ,])", name) is not None


def _named(catalogue: pd.DataFrame) -> list[tuple[str, int]]:
    return list(zip(catalogue["name"], catalogue["concept_id"].tolist(), strict=True))
