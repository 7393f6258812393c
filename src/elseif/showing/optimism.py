"""How far the risks of chosen lines held on new people, as measured, by the size of the table.

docs/coverage.md has the measurements, and the command that prints them.
"""

from __future__ import annotations

from typing import NamedTuple


class Measured(NamedTuple):
    """What line_coverage.py found for point estimates of public tables of some size."""

    below: float  # rows of the table, two thirds of which were learnt from
    n_tables: int
    overstatement: float  # percentage points by which risks were too far from the overall share
    inside: int  # percent of the held-out counts that were in the line's 95% predictive interval


MEASURED = (
    Measured(500, 8, 6.9, 87),
    Measured(1500, 19, 2.2, 93),
    Measured(float("inf"), 7, 1.0, 95),
)
FEW_ROWS = MEASURED[0].below


def optimism_words() -> str:
    """By how much the risks of chosen lines are too extreme for new people."""
    small, middle, large = MEASURED
    n_tables = sum(each.n_tables for each in MEASURED)
    return (
        "Rules are selected because they stand out in the training data, so their risks are too "
        f"extreme for new people, most of all in small tables. On held-out rows of {n_tables} "
        f"public tables, the risks of default lists were on average {small.overstatement} "
        "percentage points too far from the overall share in tables with fewer than "
        f"{small.below:,.0f} rows, {middle.overstatement} points up to {middle.below:,.0f} rows, "
        f"and {large.overstatement} points in larger ones, and the number of events on a line was "
        f"within its 95% predictive interval {small.inside}%, {middle.inside}% and {large.inside}% "
        "of the time."
    )


def few_rows_words(n_rows: int) -> str | None:
    """The same in short, for those who see a list without a report; None where rows are many."""
    if n_rows >= FEW_ROWS:
        return None
    return (
        f"From so few rows, the risks of selected rules are too extreme for new people: on public "
        f"tables with fewer than {FEW_ROWS:,.0f} rows by {MEASURED[0].overstatement} percentage "
        "points on average. A report says how well these risks hold out of sample."
    )
