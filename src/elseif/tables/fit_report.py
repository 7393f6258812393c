"""What fit did with a table, written down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from elseif.tables.binarise import ColumnReport


@dataclass(frozen=True)
class FitReport:
    """What fit did with the table: nothing is dropped silently."""

    columns: tuple[ColumnReport, ...]
    n_rows: int
    n_rows_without_label: int
    aliases: dict[str, tuple[str, ...]]  # conditions left out for one of the same cover
    notes: tuple[str, ...] = ()

    @property
    def excluded(self) -> dict[str, str]:
        """Columns that gave no condition, and why."""
        return {c.name: c.excluded for c in self.columns if c.excluded is not None}

    @property
    def missing(self) -> dict[str, int]:
        """Columns with missing values, and how many."""
        return {c.name: c.n_missing for c in self.columns if c.n_missing}

    @property
    def cuts(self) -> dict[str, tuple[Any, ...]]:
        """Where each numeric, date or ordered column was cut."""
        return {c.name: c.cuts for c in self.columns if c.cuts}
