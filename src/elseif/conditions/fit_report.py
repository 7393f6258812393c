"""The report on what fit did with each column."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import TYPE_CHECKING, Any

from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition, value_text
from elseif.conditions.identifiers import without_counts
from elseif.phrases import counted
from elseif.visible import show_name, visible

if TYPE_CHECKING:
    import pandas as pd

CELL = "text-align:left;vertical-align:top;padding:0.15em 0.8em"  # as other tables in notebooks
MOST_SHOWN = 4  # cut points or levels of a column in a printed report
MOST_NEAR = 10  # antecedents that stand for others
# why a column is left out for no fault of its values
TOO_RARE = "no condition reaches min_support"
SAME = "true of the same observations as"
NEARLY_SAME = "true of nearly the same observations as"
SCREENED = "screened out"
NOT_USED = (TOO_RARE, SAME, NEARLY_SAME, SCREENED)


@dataclass(frozen=True)
class FitReport:
    """What ``fit`` did with the table: nothing is dropped silently.

    Attributes
    ----------
    columns : tuple[ColumnReport, ...]
        One report for each column.
    n_rows : int
        Number of rows.
    n_rows_without_label : int
        Rows without a label.
    aliases : dict[str, tuple[str, ...]]
        Conditions left out because another is true for the same observations, by that
        condition's name.
    notes : tuple[str, ...]
        What else was noticed.
    near_equivalents : dict[str, tuple[str, ...]]
        Antecedents left out because another is true for nearly the same observations, by that
        antecedent's name; not kept in model files.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> clf.fit_report_.n_rows, clf.fit_report_.excluded
    (1761, {})
    >>> clf.fit_report_.to_frame()["conditions"].tolist()
    [4, 2, 2]
    """

    columns: tuple[ColumnReport, ...]
    n_rows: int
    n_rows_without_label: int
    aliases: dict[str, tuple[str, ...]]
    notes: tuple[str, ...] = ()
    near_equivalents: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [counted(self.n_rows, "row"), counted(len(self.columns), "column")]
        if self.excluded:
            parts.append(f"{len(self.excluded):,} of them left out")
        if self.n_rows_without_label:
            parts.append(f"{counted(self.n_rows_without_label, 'row')} without a label")
        if self.notes:
            parts.append(counted(len(self.notes), "note"))
        return f"FitReport({', '.join(parts)}; print it for more)"

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
        """Convert to a data frame.

        Returns
        -------
        DataFrame
            One row for each column: kind, missing values, conditions, cut points or categories, and
            why it was left out.
        """
        import pandas as pd  # loaded when a table is requested

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
        lines += self._near_lines()
        return "\n".join([*lines, *map(visible, self.notes)])

    def _near_lines(self) -> Iterator[str]:
        """Lines on the first few near-equivalents, each with one of those it represents."""
        shown = list(self.near_equivalents.items())[:MOST_NEAR]
        for name, (first, *others) in shown:
            more = f" and {len(others):,} more" if others else ""
            yield f"{show_name(name)} nearly coincides with {show_name(first)}{more}"
        if len(self.near_equivalents) > len(shown):
            n = len(self.near_equivalents) - len(shown)
            yield f"{n:,} more antecedents nearly coincide with others: see near_equivalents"

    def _repr_html_(self) -> str:
        return _fit_report_html(self)


def _fit_report_html(report: FitReport) -> str:
    """The report as a small piece of HTML for notebooks; every text is escaped."""
    frame = report.to_frame().map(lambda value: visible(str(value)))
    frame.columns = [visible(name) for name in frame.columns]
    notes = "".join(f"<p>{escape(visible(note))}</p>" for note in report.notes)
    rows = f"{report.n_rows:,} rows, {report.n_rows_without_label:,} without a label"
    table = frame.to_html(index=False, border=0, justify="left")
    for cell in ("td", "th"):  # names and values are escaped, so these are the table's own
        table = table.replace(f"<{cell}>", f'<{cell} style="{CELL}">')
    return f"<div><p>{rows}</p>{table}{notes}</div>"


def in_the_end(
    columns: Iterable[ColumnReport],
    conditions: Iterable[Condition],
    reasons: Mapping[str, str],
) -> Iterator[ColumnReport]:
    """Reports that also say which columns have no condition in the pool, and why."""
    used = {condition.column for condition in conditions}
    for column in columns:
        if column.excluded is None and column.n_conditions and column.name not in used:
            column = replace(column, excluded=reasons.get(column.name, TOO_RARE))
        if column.excluded is not None:  # what is left out leaves no values
            column = column.without_values()
        yield column


def vague_reason(excluded: str | None) -> str | None:
    """Why a column is left out, without revealing where its conditions are true, nor of how many
    people it has a value.
    """
    if excluded is None:
        return None
    if not excluded.startswith(NOT_USED):
        return without_counts(excluded)
    return f"{TOO_RARE}, another says the same, or all were screened out"


def _some(values: tuple[Any, ...], n_others: int = 0) -> str:
    """The first few values, and how many there are where that is not all."""
    n = len(values) + n_others
    if not values:
        return f"{n:,} levels" if n else ""
    shown = ", ".join(value_text(value) for value in values[:MOST_SHOWN])
    return shown if n <= MOST_SHOWN and not n_others else f"{shown}, ... ({n:,})"
