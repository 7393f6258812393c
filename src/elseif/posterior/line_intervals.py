"""Intervals over all lists, for the people on one line of a list.

A line's own interval takes its list as given. Other lists of the posterior put the same people on
other lines, together or separately. Draw one of the people on a line, one list of the posterior,
and the probability of a label from the Beta distribution of that list's line: the interval lies
between two quantiles of this distribution. It includes the uncertainty about the list, the
uncertainty about the lines of each list, and the differences between people that other lists
distinguish.
"""

from __future__ import annotations

import numpy as np

from elseif.posterior.draws import Posterior
from elseif.posterior.intervals import distinct_covers, lines_of
from elseif.posterior.rule_list import RuleList
from elseif.tables.reading import Table

MOST_PEOPLE = 2_000  # of all lines together; of larger tables as many of each line, evenly spaced


def line_intervals(
    posterior: Posterior, rule_list: RuleList, table: Table, level: float
) -> np.ndarray:
    """Credible intervals over all lists, for the people whom each line of one list captures.

    The result has the shape (lines, labels, 2); it is NaN for a line that captures nobody. The list
    need not be one of the posterior, and each person counts once.
    """
    line = rule_list.captured_in(table)
    n_lines = len(rule_list.antecedents) + 1
    people = _some_people(line, n_lines)
    if len(people) < table.n_rows:
        table, line = table.take(people), line[people]
    lines = lines_of(posterior)
    covers, positions = distinct_covers(posterior, table)
    mixtures = np.zeros((n_lines, len(lines.alphas)))
    for position, cover in enumerate(covers):
        on_line = np.bincount(line[positions == position], minlength=n_lines)
        used = np.flatnonzero(on_line)
        mixtures[used] += on_line[used, None] * lines.mixture(cover)
    intervals = np.full((n_lines, posterior.metadata.classes.size, 2), np.nan)
    reached = np.flatnonzero(mixtures.sum(axis=1))
    intervals[reached] = lines.ends(mixtures[reached], level)
    return intervals


def _some_people(line: np.ndarray, n_lines: int) -> np.ndarray:
    """All rows, or a sample of each line."""
    if len(line) <= MOST_PEOPLE:
        return np.arange(len(line))
    most = MOST_PEOPLE // n_lines
    chosen = []
    for j in range(n_lines):
        rows = np.flatnonzero(line == j)
        some = np.linspace(0, len(rows) - 1, min(most, len(rows))).astype(np.int64)
        chosen.append(rows[some])
    return np.sort(np.concatenate(chosen))
