"""The people counted by one command: how their numbers are shown, and their lists."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.evaluation.cross_validation import Validation
from elseif.export.disclosed import cells_of_lists, rounded_list
from elseif.posterior.rule_list import RuleList
from elseif.report.training import Training
from elseif.tables.reading import Table


@dataclass(frozen=True, eq=False)
class Counted:
    """Counts of the training people, and of those held out; exact without a rounding."""

    rounding: Rounding | None
    people: Cells  # each counts once
    weighted: Cells  # each by weight; the same where nobody has one
    held_out: Cells | None = None
    others: list[Cells] = field(default_factory=list)  # of people whose rows are unavailable

    @property
    def published(self) -> list[Cells]:
        """All that the attack must see."""
        known = [self.people, self.weighted, self.held_out, *self.others]
        return [cells for i, cells in enumerate(known) if cells and cells not in known[:i]]

    def list_of_training(self, rule_list: RuleList, trained: Training) -> RuleList:
        """A list that was fitted to the training people, with its counts as they are shown."""
        if self.rounding is None:
            return rule_list
        if not trained.fits_the_list:  # its counts are of people who are not in this table
            made = rounded_list(rule_list, self.rounding)
            unit = rule_list.metadata.count_unit
            self.others.append(cells_of_lists([made], self.rounding, unit))
            return made
        everybody = np.ones(len(trained.rows), dtype=bool)
        return self._list_of(rule_list, trained.table, trained.rows, everybody)

    def lists_of_folds(self, crossed: Validation, table: Table) -> list[RuleList]:
        """The list of each fold, with its counts as they are shown."""
        if self.rounding is None:
            return [fold.rule_list for fold in crossed.folds]
        return [
            self._list_of(fold.rule_list, table, crossed.rows, crossed.fold != f)
            for f, fold in enumerate(crossed.folds)
        ]

    def _list_of(
        self, rule_list: RuleList, table: Table, rows: np.ndarray, members: np.ndarray
    ) -> RuleList:
        assert self.rounding is not None
        line = rule_list.captured_in(table)[rows]
        parts = [members & (line == j) for j in range(len(rule_list) + 1)]
        self.weighted.parted(parts)
        return rounded_list(rule_list, self.rounding, [self.weighted.by_label(p) for p in parts])


def count_people(
    trained: Training, rounding: Rounding | None = None, apart: Validation | None = None
) -> Counted:
    """Count the people of a training table, and of a held-out table where there is one."""
    n_labels = trained.n_labels
    people = Cells(trained.labels, n_labels, rounding)
    weighted = people
    if trained.weighted:
        weighted = Cells(trained.labels, n_labels, rounding, trained.weights, trained.unit)
    held_out = None if apart is None else Cells(apart.labels, n_labels, rounding)
    return Counted(rounding, people, weighted, held_out)


def rejudged(validation: Validation, lists: Sequence[RuleList], table: Table) -> Validation:
    """Out-of-sample probabilities by other counts: one list for each fold, or one for all."""
    probabilities = np.empty_like(validation.probabilities)
    for f, rule_list in enumerate(lists):
        in_fold = validation.fold == f
        by_line = np.array([rule.probabilities for rule in rule_list])
        probabilities[in_fold] = by_line[rule_list.captured_in(table)[validation.rows[in_fold]]]
    return replace(validation, probabilities=probabilities)
