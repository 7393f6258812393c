"""Training cases as counts by label and antecedents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.model.consequent import consequent_mean
from elseif.tables.columns import Kind
from elseif.tables.reading import Table

MOST_PATTERNS = 50_000  # to count while somebody waits
MOST_BITS = 1 << 24  # of all conditions in all patterns: two megabytes


@dataclass(frozen=True, eq=False)
class Cases:
    """A table with the labels of its rows; rows that do not count have weight 0."""

    table: Table
    codes: np.ndarray  # int64 (rows,)
    weights: np.ndarray  # int64 (rows,): whole numbers of units
    n_labels: int

    @property
    def used(self) -> np.ndarray:
        """Which rows count: bool (rows,)."""
        return self.codes >= 0

    def cells(self, rounding: Rounding, unit: float) -> Cells:
        """How counts of the rows that are used are shown under a minimum cell."""
        used = self.used
        return Cells(self.codes[used], self.n_labels, rounding, self.weights[used], unit)

    def counts(self, groups: np.ndarray, n_groups: int) -> np.ndarray:
        """Weight of each label in each group of rows."""
        counts = np.zeros((n_groups, self.n_labels), dtype=np.int64)
        used = self.codes >= 0
        np.add.at(counts, (groups[used], self.codes[used]), self.weights[used])
        return counts


def antecedent_truths(
    antecedents: Sequence[Antecedent], table: Table, kinds: dict[str, Kind]
) -> np.ndarray:
    """Whether each antecedent is true of each row; each condition is evaluated once."""
    truth_of: dict[object, np.ndarray] = {}
    truths = np.ones((len(antecedents), table.n_rows), dtype=bool)
    for row, antecedent in zip(truths, antecedents, strict=True):
        for condition in antecedent:
            if condition not in truth_of:
                column = table.column(condition.column, kinds.get(condition.column))
                truth_of[condition] = condition.holds(column)
            row &= truth_of[condition]
    return truths


def lines_of(items: Sequence[int], truths: np.ndarray) -> np.ndarray:
    """The line of a list of antecedents that each row falls into, the default rule's last."""
    position = np.full(truths.shape[1], len(items), dtype=np.int64)
    for j in range(len(items) - 1, -1, -1):
        position[truths[items[j]]] = j  # earlier rules are written last
    return position


def list_counts(items: Sequence[int], truths: np.ndarray, cases: Cases) -> np.ndarray:
    """N[j, l] in units of a list of antecedents, the default rule last."""
    return cases.counts(lines_of(items, truths), len(items) + 1)


@dataclass(frozen=True, eq=False)
class AntecedentPatterns:
    """Distinct truths of the conditions of the first antecedents, with the cases of each label."""

    conditions: list[Condition]
    bits: np.ndarray  # uint8 (conditions, bytes): bit p of a row is whether it is true of pattern p
    counts: np.ndarray  # int64 (patterns, labels)
    n_antecedents: int


def aggregate(
    antecedents: Sequence[Antecedent], cases: Cases, kinds: dict[str, Kind], n_needed: int
) -> AntecedentPatterns | None:
    """Patterns of as many of the first antecedents as a page can hold.

    None when even those of the needed antecedents are too many.
    """
    n = len(antecedents)
    while True:
        patterns = _patterns_of(antecedents[:n], cases, kinds)
        if patterns is not None:
            return patterns
        if n <= n_needed:
            return None
        n = max(n_needed, n // 2)


def _patterns_of(
    antecedents: Sequence[Antecedent], cases: Cases, kinds: dict[str, Kind]
) -> AntecedentPatterns | None:
    conditions = list(dict.fromkeys(c for antecedent in antecedents for c in antecedent))
    used = cases.used
    truths = np.zeros((int(used.sum()), (len(conditions) + 7) // 8), dtype=np.uint8)
    for i, condition in enumerate(conditions):
        holds = condition.holds(cases.table.column(condition.column, kinds.get(condition.column)))
        truths[:, i // 8] |= holds[used].astype(np.uint8) << (i % 8)
    distinct, position = np.unique(truths, axis=0, return_inverse=True)
    if len(distinct) > MOST_PATTERNS or len(distinct) * len(conditions) > MOST_BITS:
        return None
    counts = np.zeros((len(distinct), cases.n_labels), dtype=np.int64)
    np.add.at(counts, (position.ravel(), cases.codes[used]), cases.weights[used])
    kept = counts.sum(axis=1) > 0
    unpacked = np.unpackbits(distinct[kept], axis=1, count=len(conditions), bitorder="little")
    bits = np.packbits(unpacked.T, axis=1, bitorder="little")
    return AntecedentPatterns(conditions, bits, counts[kept], len(antecedents))


def area_under_curve(
    label_counts: np.ndarray, pseudocounts: np.ndarray, cases_counts: np.ndarray | None = None
) -> float | None:
    """AUC of a list from its counts: each label against the rest, and their mean.

    The probabilities are those of ``label_counts``; the cases ranked are
    ``cases_counts``, or the same. None where a label has no case.
    """
    ranked = label_counts if cases_counts is None else cases_counts
    risks = consequent_mean(label_counts, pseudocounts)
    n_labels = risks.shape[1]
    totals = ranked.sum(axis=0)
    if np.any(totals == 0):
        return None
    positions = [1] if n_labels == 2 else range(n_labels)
    areas = []
    for position in positions:
        yes = ranked[:, position].astype(float)
        no = ranked.sum(axis=1) - yes
        higher = risks[:, position][:, None] > risks[:, position][None, :]
        tied = risks[:, position][:, None] == risks[:, position][None, :]
        areas.append(float(yes @ (higher + 0.5 * tied) @ no / (yes.sum() * no.sum())))
    return float(np.mean(areas))
