"""One site's counts of condition patterns by label, and what a minimum cell withholds."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.conditions.condition import Condition
from elseif.disclosure.rounding import check_min_cell
from elseif.errors import DataError
from elseif.federation.plan import CATEGORIES, Plan
from elseif.federation.strict_file import check_text
from elseif.tables.columns import Column
from elseif.tables.families import meant_level
from elseif.tables.labels import label_array, missing_labels
from elseif.tables.origin import origin_of
from elseif.tables.reading import Table, read_table


@dataclass(frozen=True, eq=False)
class SiteCounts:
    """How many people of each label a site has, by pattern of the plan's conditions.

    Attributes
    ----------
    site : str
        Name of the site.
    plan_sha256 : str
        SHA-256 of the plan.
    min_cell : int | None
        Counts of 1 to min_cell - 1 are in no pattern; None where counts are exact.
    patterns : ndarray
        For each pattern the cell of each column of the plan, ascending. Shape (patterns, columns).
    counts : ndarray
        People by pattern and label. Shape (patterns, labels).
    withheld : tuple[int | None, ...]
        People by label whose patterns are withheld; None where that is 1 to min_cell - 1.
    synthetic : bool
        Whether the people are synthetic.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, make_plan
    >>> X, y = load_titanic()
    >>> site = count_site(make_plan(X, y), X, y, site="all decks", min_cell=10)
    >>> len(site.patterns), int(site.n_shared.sum()), site.withheld
    (9, 1997, (24, 180))
    """

    site: str
    plan_sha256: str
    min_cell: int | None
    patterns: np.ndarray
    counts: np.ndarray
    withheld: tuple[int | None, ...]
    synthetic: bool = False

    @property
    def n_shared(self) -> np.ndarray:
        """People by label in the patterns that are shared."""
        total: np.ndarray = self.counts.sum(axis=0)
        return total

    @property
    def most_withheld(self) -> np.ndarray:
        """The largest numbers of people by label that may be withheld."""
        largest = (self.min_cell or 1) - 1
        return np.array([largest if n is None else n for n in self.withheld], dtype=np.int64)


def count_site(
    plan: Plan,
    X: Any,
    y: Any,
    *,
    site: str,
    min_cell: int | None = None,
    missing_y: str = "error",
) -> SiteCounts:
    """Count a site's people by pattern of conditions and label.

    With ``min_cell``, a pattern is shared only if its count for every label is 0 or at least
    ``min_cell``. All other patterns are withheld as a whole. If fewer than ``min_cell`` people of a
    label are withheld in this way, the smallest shared pattern with people of that label is
    withheld as well, so that nobody who knows the site's totals can find a small number by
    subtraction.

    Parameters
    ----------
    plan : Plan
        What to count.
    X, y : table and labels
        The site's people, in any form that ``fit`` takes. Columns that the plan does not name
        are not looked at.
    site : str
        Name of the site, which goes into the file.
    min_cell : int, default=None
        Smallest number of people that may be revealed.
    missing_y : {"error", "drop"}, default="error"
        What to do with people without a label.

    Returns
    -------
    SiteCounts
        The counts, to be saved by `save_site`.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.federation import count_site, make_plan
    >>> X, y = load_titanic()
    >>> count_site(make_plan(X, y), X, y, site="all decks").n_shared
    array([1490,  711])
    """
    check_text(site, "The name of the site")
    smallest = check_min_cell(min_cell)
    table = X if isinstance(X, Table) else read_table(X, allow_infinite=True)
    lacking = [column.name for column in plan.columns if column.name not in table]
    if lacking:
        raise DataError(
            f"The table lacks {len(lacking)} of the plan's {len(plan.columns)} columns: "
            f"{', '.join(map(repr, lacking[:5]))}."
        )
    codes = _label_codes(plan, y, table.n_rows, missing_y)
    known = codes >= 0
    cells = np.column_stack([_cells_of(plan, table, c.name) for c in plan.columns])
    _warn_of_unknown_levels(plan, table)
    patterns, counts = count_rows(cells[known], codes[known], len(plan.classes))
    kept, withheld = _withhold(counts, smallest)
    origin = origin_of(X, ())
    return SiteCounts(
        site, plan.sha256, smallest, patterns[kept], counts[kept], withheld,
        synthetic=origin is not None and bool(origin["synthetic"]),
    )  # fmt: skip


def count_rows(
    cells: np.ndarray, codes: np.ndarray, n_labels: int, weights: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Distinct rows of cells in ascending order, and how many of each label have them."""
    patterns, pattern = np.unique(cells, axis=0, return_inverse=True)
    counts = np.zeros((len(patterns), n_labels), dtype=np.int64)
    np.add.at(counts, (pattern.ravel(), codes), 1 if weights is None else weights)
    return patterns.astype(np.int64), counts


def _label_codes(plan: Plan, y: Any, n_rows: int, missing_y: str) -> np.ndarray:
    """The index of each row's label in the plan; -1 if it has none."""
    labels = label_array(y).ravel()
    if len(labels) != n_rows:
        raise DataError(
            f"X and y have inconsistent numbers of samples: X has {n_rows} rows, y has "
            f"{len(labels)} labels."
        )
    code_of = {label: code for code, label in enumerate(plan.classes.tolist())}
    missing = missing_labels(labels)
    if missing.any() and missing_y != "drop":
        raise DataError(
            f"Input y contains NaN or infinity: {int(missing.sum()):,} labels are missing. Fill "
            "them in, or leave these rows out by missing_y='drop'."
        )
    codes = np.full(n_rows, -1, dtype=np.int64)
    for row in np.flatnonzero(~missing):
        label = labels[row]
        label = label.item() if isinstance(label, np.generic) else label
        if label not in code_of:
            shown = ", ".join(map(repr, code_of))
            raise DataError(f"y has the label {label!r:.100}; those of the plan are {shown}.")
        codes[row] = code_of[label]
    if not (codes >= 0).any():
        raise DataError("No row has a label.")
    return codes


def _cells_of(plan: Plan, table: Table, name: str) -> np.ndarray:
    """The cell of a column that each row is in."""
    kind = plan.kinds[name]
    column = table.column(name, kind)
    conditions, cells = plan.conditions[name], plan.cells[name]
    return cell_numbers(column, conditions, cells)


def _warn_of_unknown_levels(plan: Plan, table: Table) -> None:
    """Say of which columns no category is the plan's: "F" for "female" would pass in silence."""
    for column in plan.columns:
        if column.kind not in CATEGORIES:
            continue
        levels = table.column(column.name, column.kind).categories
        if len(levels) and not any(meant_level(v, column.levels) in column.levels for v in levels):
            named = ", ".join(f"{level!r:.40}" for level in column.levels[:3])
            warnings.warn(
                f"No category of column {column.name!r:.100} is one of the plan's ({named}): every "
                "condition on it takes them for another. Those of the table are such as "
                f"{levels[0]!r:.40}.",
                stacklevel=3,
            )


def cell_numbers(
    column: Column, conditions: Sequence[Condition], cells: Sequence[tuple[bool, ...]]
) -> np.ndarray:
    """The index of each row's cell among the cells of a column."""
    truths = np.stack([condition.holds(column) for condition in conditions], axis=1)
    distinct, distinct_index = np.unique(truths, axis=0, return_inverse=True)
    known = {cell: number for number, cell in enumerate(cells)}
    numbers = [known[tuple(bool(t) for t in row)] for row in distinct]
    of_rows: np.ndarray = np.array(numbers, dtype=np.int64)[distinct_index.ravel()]
    return of_rows


def _withhold(
    counts: np.ndarray, min_cell: int | None
) -> tuple[np.ndarray, tuple[int | None, ...]]:
    """Which patterns may be shared, and how many people by label may not."""
    if min_cell is None:
        return np.ones(len(counts), dtype=bool), (0,) * counts.shape[1]
    kept = np.all((counts == 0) | (counts >= min_cell), axis=1)
    while True:
        withheld = counts[~kept].sum(axis=0)
        # subtraction from a total would reveal these
        small = (withheld > 0) & (withheld < min_cell)
        helpful = kept & np.any(counts[:, small] > 0, axis=1)
        if not helpful.any():
            break
        places = np.flatnonzero(helpful)
        kept[places[np.argmin(counts[places].sum(axis=1))]] = False
    return kept, tuple(None if 0 < n < min_cell else int(n) for n in withheld.tolist())
