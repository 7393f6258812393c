"""A folder written by ``elseif extract``, as a table with features and outcome."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from elseif.errors import ParamError

if TYPE_CHECKING:
    import pandas as pd

    from elseif.cohort import Cohort
    from elseif.tables.sparse_table import SparseTable

MARKS = ("manifest.json", "plan.json")


class CohortRows:
    """A cohort as the commands read tables: columns by name, some of them selected."""

    def __init__(self, cohort: Cohort) -> None:
        self._table = cohort.table()
        self._labels = {name: cohort.labels(name) for name in cohort.definition.outcome_names}

    @property
    def columns(self) -> list[str]:
        return [*self._table.columns, *self._labels]

    @property
    def features(self) -> list[str]:
        """The columns to learn from: no outcome is one of them."""
        return list(self._table.columns)

    def __len__(self) -> int:
        return len(self._table)

    def __getitem__(self, name: str) -> pd.Series:
        if name in self._labels:
            return self._labels[name]
        return self._table.to_frame([name])[name]

    def select(self, *names: str) -> SparseTable:
        """Some of the features, in the order of the cohort."""
        return self._table.select(names)


def is_cohort_folder(path: Path) -> bool:
    """Whether an extraction is in a folder, finished or not."""
    return path.is_dir() and any((path / mark).is_file() for mark in MARKS)


def read_cohort_rows(path: Path) -> CohortRows:
    """The cohort in a folder; an error says what is wrong with an incomplete one."""
    from elseif.cohort import read_cohort

    return CohortRows(read_cohort(path))


def cohort_settings(
    path: Path, label: str | None, command: str = "fit"
) -> tuple[str, dict[str, list[float]] | None]:
    """The label column and the age cuts of a cohort; other tables need --label."""
    if not is_cohort_folder(path):
        if label is None:
            raise ParamError(
                f"{command} needs --label COLUMN (the column to predict): elseif {command} "
                f"TABLE --label COLUMN. See elseif {command} --help."
            )
        return label, None
    from elseif.cohort.definition_file import definition_from
    from elseif.cohort.folder import MANIFEST, read_manifest

    definition = definition_from(read_manifest(path)["definition"], MANIFEST)
    outcome, names = definition.outcome.name, definition.outcome_names
    if label is not None and label not in names:
        if len(names) > 1:
            raise ParamError(
                f"--label is {label!r}, but the outcomes of the cohort in {path} are "
                f"{', '.join(map(repr, names))}."
            )
        raise ParamError(
            f"--label is {label!r}, but the outcome of the cohort in {path} is {outcome!r}; leave "
            "--label out."
        )
    return label or outcome, {"age": [float(cut) for cut in definition.age_cuts]}
