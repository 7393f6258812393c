"""The table of fit, read again; the tables and groups that are judged; what must be noted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.matching import match_columns
from elseif.errors import DataError, ParamError
from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.subgroups import Grouping, group_by
from elseif.posterior.rule_list import RuleList
from elseif.report.measures import Judged
from elseif.report.subject import Subject
from elseif.tables.labels import category_order, label_array, read_labels
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


def read_training(subject: Subject, X: Any, y: Any, sample_weight: Any) -> Training:
    """The table and labels given, compared with the list's own counts."""
    rule_list = subject.rule_list
    table = table_of(subject, X)
    labels = read_labels(label_array(y), sample_weight, True, category_order(y))
    if len(labels.codes) != table.n_rows:
        raise DataError(
            f"The table has {table.n_rows} rows and {len(labels.codes)} labels; give one label "
            "a row."
        )
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


def table_of(subject: Subject, X: Any) -> Table:
    """A table under the names of fit."""
    table = read_table(X, allow_infinite=subject.settings.get("infinite") == "outer")
    return match_columns(table, subject.feature_names, subject.n_features, "the list")


def groupings(
    subgroups: Sequence[str] | Mapping[str, Any] | None,
    table: Table,
    subject: Subject,
) -> list[Grouping]:
    """All rows by each column, or by each series of values, that was asked for."""
    if subgroups is None:
        return []
    kinds = subject.rule_list.metadata.kinds
    if isinstance(subgroups, Mapping):
        table, kinds = _own_table(subgroups, table.n_rows), {}
        subgroups = table.names
    found = []
    for name in subgroups:
        if name not in table:
            raise ParamError(
                f"subgroups: the table has no column {name!r}. Give a column of it, or values by "
                "name as a dict."
            )
        found.append(group_by(table.column(name, kinds.get(name))))
    return found


def judge(
    rule_list: RuleList,
    table: Table,
    validation: Validation,
    groups: Sequence[Grouping],
    place: int,
) -> Judged:
    """The validated rows beside the lines and the groups that they fall into."""
    rows = validation.rows
    within = []
    for group in groups:
        used, codes = np.unique(group.codes[rows], return_inverse=True)
        within.append(Grouping(group.column, tuple(group.names[i] for i in used), codes))
    return Judged(
        validation,
        place,
        rule_list.captured_in(table)[rows],
        [rule.antecedent.name or "else" for rule in rule_list],
        within,
        rule_list.metadata.label_names,
    )


def _own_table(values: Mapping[str, Any], n_rows: int) -> Table:
    import pandas as pd  # loaded for values that are in no table

    for name, column in values.items():
        if len(column) != n_rows:
            raise DataError(
                f"subgroups[{name!r}] has {len(column)} values, the table that is judged has "
                f"{n_rows} rows; give one value a row."
            )
    return read_table(
        pd.DataFrame({str(name): np.asarray(column) for name, column in values.items()})
    )


def notes_on(judged: Judged, trained: Training, crossed: Validation | None) -> list[str]:
    """What a reader must know before trusting a number."""
    notes = []
    if not trained.fits_the_list:
        notes.append(
            "The table given is not the one that the list was fitted to, or its weights were not "
            "given: its rows fall into the lines in other numbers than the list holds. Counts and "
            "intervals of the list are those of its own training; the description of people, and "
            "the folds, are of the table given."
        )
    if not judged.validation.folds and _looks_like(judged, trained):
        notes.append(
            "The held-out table falls into the lines in exactly the numbers of the training "
            "table. It looks like the same data; measures on it would then be in sample."
        )
    folds = () if crossed is None else crossed.folds
    n_failed = sum(fold.convergence.status == "not converged" for fold in folds)
    if n_failed:
        notes.append(
            f"In {n_failed} of {len(folds)} folds the chains did not agree: out-of-fold numbers "
            "may change with another seed."
        )
    return notes


def _looks_like(judged: Judged, trained: Training) -> bool:
    n_cells = len(judged.line_names) * len(judged.label_names)
    ours, theirs = (
        np.bincount(line * len(judged.label_names) + labels, minlength=n_cells)
        for line, labels in (
            (trained.line, trained.labels),
            (judged.line, judged.validation.labels),
        )
    )
    return bool(np.array_equal(ours, theirs))
