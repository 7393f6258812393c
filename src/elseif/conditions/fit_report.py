"""What fit did with a table, written down."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition, value_text
from elseif.visible import show_name, visible

if TYPE_CHECKING:
    import pandas as pd

MOST_SHOWN = 4  # cut points or levels of a column in a printed report


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

    def to_frame(self) -> pd.DataFrame:
        """One row a column: kind, missing values, conditions, cut points or levels, and why."""
        import pandas as pd  # loaded when a table is asked for

        return pd.DataFrame(
            {
                "column": [c.name for c in self.columns],
                "kind": [c.kind.value for c in self.columns],
                "missing": ["" if c.n_missing is None else c.n_missing for c in self.columns],
                "conditions": [c.n_conditions for c in self.columns],
                "cuts or levels": [
                    _some(c.cuts or c.levels, 0 if c.cuts else c.n_other_levels)
                    for c in self.columns
                ],
                "left out": [c.excluded or "" for c in self.columns],
            }
        )

    def __str__(self) -> str:
        lines = [f"{self.n_rows:,} rows, {self.n_rows_without_label:,} without a label"]
        lines.append(visible(self.to_frame().to_string(index=False), but="\n"))
        for name, others in self.aliases.items():
            lines.append(
                f"{show_name(name)} stands for {', '.join(map(show_name, others))} as well"
            )
        return "\n".join([*lines, *map(visible, self.notes)])


def in_the_end(
    columns: Iterable[ColumnReport], conditions: Iterable[Condition]
) -> Iterator[ColumnReport]:
    """Reports that also say which columns have no condition in the pool, and why."""
    used = {condition.column for condition in conditions}
    for column in columns:
        if column.excluded is None and column.n_conditions and column.name not in used:
            column = replace(
                column, excluded="no condition reaches min_support, or another says the same"
            )
        if column.excluded is not None:  # what is left out leaves no values
            column = column.without_values()
        yield column


def _some(values: tuple[Any, ...], n_others: int = 0) -> str:
    """The first few values, and how many there are where that is not all."""
    n = len(values) + n_others
    if not values:
        return f"{n:,} levels" if n else ""
    shown = ", ".join(value_text(value) for value in values[:MOST_SHOWN])
    return shown if n <= MOST_SHOWN and not n_others else f"{shown}, ... ({n:,})"
