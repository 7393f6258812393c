"""The lines of the list as plain data: counts, risks, and both intervals of each."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif.posterior.rule_list import RuleList
from elseif.report.grouping import plain_count
from elseif.showing.line_heads import line_head


@dataclass(frozen=True)
class LineRisk:
    """Probability of one label in a line, with its credible intervals."""

    name: str
    n: float
    probability: float
    low: float  # given the list
    high: float
    low_over_lists: float | None  # for people on the line, over all lists of the posterior
    high_over_lists: float | None  # None without a posterior, and under a minimum cell


@dataclass(frozen=True)
class Line:
    """One line of the list, with the counts of training."""

    head: str
    condition: str
    n: float
    risks: list[LineRisk]  # of the judged label first


def list_lines(
    rule_list: RuleList, position: int, level: float, over_lists: np.ndarray | None
) -> list[Line]:
    """The list with its training counts, the evaluated label first in each line.

    ``over_lists`` has the intervals of each line over all lists: (lines, labels, 2), NaN for a line
    without people.
    """
    names = rule_list.metadata.label_names
    order = [position, *(p for p in range(len(names)) if p != position)]
    lines = []
    for j, rule in enumerate(rule_list):
        risks = []
        for p in order:
            low, high = rule.interval(rule_list.classes[p], level)
            ends = None if over_lists is None else over_lists[j, p]
            known = ends is not None and not np.isnan(ends).any()
            risks.append(
                LineRisk(
                    names[p],
                    plain_count(float(rule.label_counts[p])),
                    float(rule.probabilities[p]),
                    low,
                    high,
                    float(ends[0]) if ends is not None and known else None,
                    float(ends[1]) if ends is not None and known else None,
                )
            )
        head = line_head(j, len(rule_list))
        lines.append(Line(head, rule.text, plain_count(rule.n), risks))
    return lines
