"""Counts of several sites added up, as observations to learn a posterior from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.bits.mask import Mask
from elseif.bits.packed_mask import PackedMask, pack_mask
from elseif.bits.packing import BitLayout, make_layout
from elseif.conditions.condition import Condition
from elseif.errors import DataError
from elseif.federation.plan import Plan
from elseif.tables.labels import Labels

if TYPE_CHECKING:
    from elseif.federation.site_counts import SiteCounts
    from elseif.posterior.rule_list import RuleList


@dataclass(frozen=True, eq=False)
class PooledCounts:
    """Patterns in ascending order, and how many people of each label have them."""

    plan: Plan
    patterns: np.ndarray  # int64 (patterns, columns)
    counts: np.ndarray  # int64 (patterns, labels)

    @classmethod
    def of(cls, plan: Plan, sites: Sequence[SiteCounts]) -> PooledCounts:
        """The sums of the sites' counts; in which order sites are given makes no difference."""
        cells = np.concatenate([site.patterns for site in sites])
        counts = np.concatenate([site.counts for site in sites])
        if not len(cells):
            return cls(plan, cells, counts)
        patterns, pattern = np.unique(cells, axis=0, return_inverse=True)
        total = np.zeros((len(patterns), counts.shape[1]), dtype=np.int64)
        np.add.at(total, pattern.ravel(), counts)
        return cls(plan, patterns, total)

    @property
    def n(self) -> int:
        """People."""
        return int(self.counts.sum())

    @cached_property
    def _truths(self) -> dict[Condition, np.ndarray]:
        """The patterns in which each condition is true."""
        truths = {}
        for number, column in enumerate(self.plan.columns):
            cells = np.array(self.plan.cells[column.name], dtype=bool)
            rows = cells[self.patterns[:, number]]
            for i, condition in enumerate(self.plan.conditions[column.name]):
                truths[condition] = rows[:, i]
        return truths

    def labels(self) -> tuple[Labels, np.ndarray]:
        """Labels with whole weights, one for each pattern and label that anybody has.

        Labels that nobody has are left out, as ``fit`` does. The second are the rows' patterns.
        """
        present = np.flatnonzero(self.counts.sum(axis=0) > 0)
        if len(present) < 2:
            raise DataError(
                "The counts hold fewer than two labels; a classifier needs at least two. Withheld "
                "people do not count: ask for a smaller minimum cell, or plan fewer conditions."
            )
        counts = self.counts[:, present]
        rows, codes = np.nonzero(counts)
        weights = counts[rows, codes]
        return Labels(self.plan.classes[present], codes, weights, 1.0, 0), rows

    def masks(
        self, conditions: Sequence[Condition], rows: np.ndarray, layout: BitLayout
    ) -> list[PackedMask]:
        """The rows of which each condition is true, packed."""
        return [pack_mask(Mask.of_array(self._truths[c][rows]), layout) for c in conditions]

    def layout(self, labels: Labels) -> BitLayout:
        """Where the bits of the rows lie."""
        return make_layout(labels.codes, len(labels.classes), labels.weights, labels.unit)

    def holds(self, antecedent: Antecedent) -> np.ndarray:
        """The patterns in which all conditions of an antecedent are true."""
        truth = np.ones(len(self.patterns), dtype=bool)
        for condition in antecedent:
            truth &= self._truths[condition]
        return truth

    def line_counts(self, rule_list: RuleList) -> np.ndarray:
        """People by line of a list and label of the plan."""
        left = np.ones(len(self.patterns), dtype=bool)
        rows = []
        for rule in rule_list.rules:
            captured = left & self.holds(rule.antecedent)
            rows.append(self.counts[captured].sum(axis=0))
            left &= ~captured
        return np.array(rows, dtype=np.int64)
