"""The training table, read again; the tables and groups that are evaluated; notes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.checks import did_you_mean
from elseif.errors import DataError, ParamError
from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.subgroups import Grouping, group_by
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import RuleList
from elseif.report.measures import Judged
from elseif.tables.columns import Kind
from elseif.tables.reading import Table, read_table


@dataclass(frozen=True, eq=False)
class Training:
    """The rows of a table that have a label and a weight."""

    table: Table
    rows: np.ndarray
    labels: np.ndarray  # int (rows,): codes into the list's classes
    line: np.ndarray  # int (rows,): the line that each falls into
    weights: np.ndarray  # int (rows,): in units
    unit: float
    n_labels: int
    n_without_label: int
    weighted: bool
    fits_the_list: bool  # whether rows fall into the lines in the numbers that the list holds


def read_training(model: FittedModel, X: Any, y: Any, sample_weight: Any) -> Training:
    """The table and labels given, compared with the list's own counts."""
    rule_list = model.chosen_list()
    table = model.read_training(X)
    labels = model.read_labels(y, sample_weight, table)
    if labels.classes.tolist() != rule_list.classes.tolist():
        raise DataError(
            f"The table's labels are {labels.classes.tolist()!r}, those of the list are "
            f"{rule_list.classes.tolist()!r}; give the table that the list was fitted to."
        )
    rows = np.flatnonzero(labels.codes >= 0)
    line = rule_list.captured_in(table)[rows]
    counts = np.zeros((len(rule_list) + 1, len(labels.classes)))
    np.add.at(counts, (line, labels.codes[rows]), labels.weights[rows] * labels.unit)
    rounding = rule_list.metadata.rounding
    if rounding is not None:
        counts = rounding.counts(counts)
    known = np.array([rule.label_counts for rule in rule_list])
    return Training(
        table,
        rows,
        labels.codes[rows],
        line,
        labels.weights[rows],
        labels.unit,
        len(labels.classes),
        labels.n_dropped,
        sample_weight is not None,
        bool(np.allclose(counts, known)),
    )


def groupings(
    subgroups: Sequence[str] | Mapping[str, Any] | None,
    table: Table,
    kinds: Mapping[str, Kind],
) -> list[Grouping]:
    """All rows by each requested column or series of values."""
    if subgroups is None:
        return []
    if isinstance(subgroups, Mapping):
        table, kinds = _own_table(subgroups, table.n_rows), {}
        subgroups = table.names
    groups = []
    for name in subgroups:
        if name not in table:
            raise ParamError(
                f"subgroups: the table has no column {name!r}; {did_you_mean(name, table.names)}"
            )
        groups.append(group_by(table.column(name, kinds.get(name))))
    return groups


def judge(
    rule_list: RuleList,
    table: Table,
    validation: Validation,
    groups: Sequence[Grouping],
    position: int,
) -> Judged:
    """The validated rows, with the lines and groups that they fall into."""
    rows = validation.rows
    within = []
    for group in groups:
        used, codes = np.unique(group.codes[rows], return_inverse=True)
        within.append(Grouping(group.column, tuple(group.names[i] for i in used), codes))
    return Judged(
        validation,
        position,
        rule_list.captured_in(table)[rows],
        [rule.text or "else" for rule in rule_list],
        within,
        rule_list.metadata.label_names,
    )


def _own_table(values: Mapping[str, Any], n_rows: int) -> Table:
    import pandas as pd  # loaded for values that are in no table

    for name, column in values.items():
        if len(column) != n_rows:
            raise DataError(
                f"subgroups[{name!r}] has {len(column)} values, the evaluated table has "
                f"{n_rows} rows; give one value a row."
            )
    return read_table(
        pd.DataFrame({str(name): np.asarray(column) for name, column in values.items()})
    )


def notes_on(judged: Judged, trained: Training) -> list[str]:
    """Notes for readers."""
    notes = []
    if not trained.fits_the_list:
        notes.append(
            "The table given is not the one that the list was fitted to, or its weights were not "
            "given: the numbers of rows on each line differ. Counts and intervals in the list are "
            "of its own training data; the description of the training data, and the folds, are "
            "of the table given."
        )
    if is_resubstituted(judged, trained):
        notes.append(
            "The held-out table has exactly as many people of each label on each line as the "
            "training table. It looks like the same data; performance would then be in sample."
        )
    return notes


def is_resubstituted(judged: Judged, trained: Training) -> bool:
    """Whether a held-out table has exactly the training table's counts on every line."""
    if judged.validation.folds:
        return False
    n_cells = len(judged.line_names) * len(judged.label_names)
    ours, theirs = (
        np.bincount(line * len(judged.label_names) + labels, minlength=n_cells)
        for line, labels in (
            (trained.line, trained.labels),
            (judged.line, judged.validation.labels),
        )
    )
    return bool(np.array_equal(ours, theirs))
