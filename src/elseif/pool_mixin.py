"""The steps before sampling: columns to conditions, conditions to a pool."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.antecedents.own_antecedents import read_antecedents
from elseif.antecedents.pool import Pool
from elseif.bits.packing import BitLayout
from elseif.conditions.binarise import (
    Binarised,
    Binarising,
    ColumnReport,
    binarise,
    refuse_missing,
    seen_levels,
)
from elseif.conditions.levels import short_scale
from elseif.errors import NothingFrequentError, ParamError
from elseif.parameters import check_cuts
from elseif.progress import Progress
from elseif.tables.columns import Kind
from elseif.tables.fingerprint import column_digest
from elseif.tables.labels import Labels
from elseif.tables.reading import Table, parse_kinds

if TYPE_CHECKING:
    from elseif.antecedents.mining import Mined, MiningSettings
    from elseif.shards.shards import Shards


class PoolMixin:
    """The pool of antecedents by the classifier's settings."""

    if TYPE_CHECKING:  # settings of the classifier
        antecedents: Any
        cuts: Any
        cutting: str
        disjoint_bins: bool
        empty_pool: str
        group_rare: float | None
        kinds: Any
        max_antecedents: int
        max_cardinality: int
        max_correlation: float | None
        max_memory: float
        merge_equivalents: bool
        min_support: float
        missing: str
        n_quantiles: int
        negations: bool
        support_in: str

        def _progress(self) -> Progress: ...

    def _pool(
        self, table: Table, labels: Labels, layout: BitLayout, pseudocounts: np.ndarray
    ) -> tuple[Binarised, Mined]:
        from elseif.antecedents.mining import given_pool, warn_of_leaks  # loads compiled code

        kinds, orders = parse_kinds(self.kinds, table)
        if self.antecedents is not None:
            antecedents = read_antecedents(self.antecedents, table, kinds, orders)
            used = sorted({name for a in antecedents for name in a.columns})
            columns = [table.column(name, kinds.get(name)) for name in used]
            reports = [ColumnReport(c.name, c.kind, c.n_missing, **seen_levels(c)) for c in columns]
            if self.missing == "error":
                refuse_missing({c.name: c.n_missing for c in columns})
            known: dict[str, Kind] = {report.name: report.kind for report in reports}
            if not antecedents and self.empty_pool == "error":
                raise ParamError(
                    "antecedents is empty, and the default rule would be the whole list; "
                    "empty_pool='default_rule' allows that."
                )
            mined = given_pool(antecedents, table, layout, known, self._mining())
            warn_of_leaks(mined, labels.classes)
            digests = [column_digest(c) for c in columns]
            scales = {c.name: short_scale(c, labels) for c in columns}
            return Binarised([], [], reports, digests, scales), mined
        how = self._binarising(kinds, orders, table.names)
        binarised = binarise(table, labels, how, self._progress(), layout)
        return self._mine(binarised, labels, layout, pseudocounts)

    def _mine(
        self, binarised: Binarised, labels: Labels, layout: BitLayout, pseudocounts: np.ndarray
    ) -> tuple[Binarised, Mined]:
        from elseif.antecedents.mining import empty_pool, mine, warn_of_leaks
        from elseif.antecedents.rare_outcomes import notes_on_support

        settings = self._mining()
        try:
            mined = mine(binarised, layout, settings, pseudocounts)
        except NothingFrequentError:
            if self.empty_pool == "error":
                raise
            return binarised, empty_pool(layout)
        told = (binarised, layout, settings, labels.classes, pseudocounts)
        notes = notes_on_support(*told, None, self._cuts_coarsely(binarised))
        binarised.truths.clear()  # the covers say the same, and either may be gigabytes
        warn_of_leaks(mined, labels.classes)
        return binarised, mined.with_notes(notes)

    def _mine_on_shards(
        self, binarised: Binarised, classes: np.ndarray, shards: Shards, pseudocounts: np.ndarray
    ) -> tuple[Binarised, Mined]:
        from elseif.antecedents.mining import empty_pool, warn_of_leaks
        from elseif.antecedents.rare_outcomes import notes_on_support
        from elseif.antecedents.sharded_mining import mine_on_shards

        settings = self._mining()
        try:
            mined, counts = mine_on_shards(binarised, shards, settings, pseudocounts)
        except NothingFrequentError:
            if self.empty_pool == "error":
                raise
            return binarised, empty_pool(shards.layout)
        told = (binarised, shards.layout, settings, classes, pseudocounts)
        notes = notes_on_support(*told, counts, self._cuts_coarsely(binarised))
        warn_of_leaks(mined, classes)
        return binarised, mined.with_notes(notes)

    def _cuts_coarsely(self, binarised: Binarised) -> bool:
        from elseif.antecedents.rare_outcomes import are_cut_coarsely

        return are_cut_coarsely(binarised, self.cutting, self.n_quantiles, self.cuts or ())

    def _mining(self) -> MiningSettings:
        from elseif.antecedents.mining import MiningSettings

        return MiningSettings(
            min_support=self.min_support,
            max_cardinality=self.max_cardinality,
            support_in=self.support_in,
            merge_equivalents=self.merge_equivalents,
            max_correlation=self.max_correlation,
            max_antecedents=self.max_antecedents,
            max_memory=self.max_memory,
        )

    def _binarising(
        self,
        kinds: Mapping[str, Kind],
        orders: Mapping[str, tuple[Any, ...]],
        names: Sequence[str],
    ) -> Binarising:
        return Binarising(
            kinds=kinds,
            orders=orders,
            cuts=check_cuts(self.cuts, names),
            cutting=self.cutting,
            n_quantiles=self.n_quantiles,
            shape="bins" if self.disjoint_bins else "thresholds",
            negations=self.negations,
            group_rare=self.group_rare or 0.0,
            allow_missing=self.missing == "own_level",
        )

    def _clamped(self, pool: Pool) -> str | None:
        """A note when no antecedent can have as many conditions as allowed."""
        n = len(pool.conditions)
        if self.antecedents is not None or self.max_cardinality <= n:
            return None
        return (
            f"max_cardinality={self.max_cardinality} is more than the {n} conditions there are; "
            f"taken as {n}."
        )
