"""How well the risks of list lines held on new people, as measured, by number of rows.

docs/coverage.md has the measurements, and the command that prints them. Its tables are split into
three folds, so that a list is learnt from two thirds of a table's rows.
"""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """What line_coverage.py found for point estimates learnt from some number of rows."""

    most_rows: float  # that lists were learnt from
    n_tables: int
    overstatement: float  # percentage points by which risks were too far from the overall share
    inside: int  # percent of the held-out counts that were in the line's 95% predictive interval


MEASURED = (
    Measured(333, 8, 7.1, 87),
    Measured(1000, 19, 2.2, 93),
    Measured(float("inf"), 9, 1.3, 95),
)


def optimism_words() -> str:
    """How much the risks of list lines are too extreme for new people."""
    small, middle, large = MEASURED
    n_tables = sum(each.n_tables for each in MEASURED)
    return (
        "Rules are selected because they stand out in the training data, so their risks are "
        "too extreme for new cases, especially in small tables. On held-out rows of "
        f"{n_tables} public tables, the risks of default lists were on average "
        f"{small.overstatement} percentage points too far from the overall share if learnt from "
        f"up to {small.most_rows:,.0f} rows, {middle.overstatement} points from up to "
        f"{middle.most_rows:,.0f} rows, and {large.overstatement} points from more; the number "
        f"of events on a line was within its 95% predictive interval {small.inside}%, "
        f"{middle.inside}% and {large.inside}% of the time."
    )


def few_rows_words(n_rows: int) -> str | None:
    """A short version for a list without a report; None if there are many rows."""
    small = MEASURED[0]
    if n_rows > small.most_rows:
        return None
    return (
        "From so few rows, the risks of selected rules are too extreme for new cases: on public "
        f"tables, those of lists learnt from up to {small.most_rows:,.0f} rows by "
        f"{small.overstatement} percentage points on average. A report says how well these risks "
        "hold out of sample."
    )
