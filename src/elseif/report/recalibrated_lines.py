"""A list after recalibration: discounted old counts plus the new ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from elseif.errors import ParamError
from elseif.evaluation.intervals import LEVEL, Estimate
from elseif.evaluation.updating import learn_discount
from elseif.posterior.rule_list import Rule, RuleList


@dataclass(frozen=True)
class RecalibratedLine:
    """One line of the list with the counts of both places.

    Attributes
    ----------
    old_n : float
        Observations on the line where the list was learnt.
    old_n_events : float
        Events among them.
    new_n : float
        Observations on the line here.
    new_n_events : float
        Events among them.
    risk : Estimate
        Probability after recalibration, with its credible interval.
    """

    old_n: float
    old_n_events: float
    new_n: float
    new_n_events: float
    risk: Estimate


@dataclass(frozen=True)
class RecalibratedLines:
    """All lines, and what an old observation counts.

    Attributes
    ----------
    discount : float
        What an old observation counts, between 0 and 1.
    is_learnt : bool
        Whether it is the value under which the new labels are most probable.
    lines : list[RecalibratedLine]
        The lines, the default rule last.
    """

    discount: float
    is_learnt: bool
    lines: list[RecalibratedLine]


def recalibrated_lines(
    rule_list: RuleList, counts: np.ndarray, event: int, discount: float | None
) -> RecalibratedLines:
    """The lines of a list with new label counts, shape (lines, labels), on top of the old."""
    if discount is not None and (isinstance(discount, bool) or not 0 <= discount <= 1):
        raise ParamError(f"discount is {discount!r}; it must lie between 0 and 1.")
    old = np.array([rule.label_counts for rule in rule_list.rules])
    share = discount
    if share is None:
        share = learn_discount(old, counts, rule_list.metadata.pseudocounts)
    metadata = replace(rule_list.metadata, count_unit=1.0)
    lines = []
    for rule, before, after in zip(rule_list.rules, old, counts, strict=True):
        made = Rule(rule.antecedent, share * before + after, metadata)
        low, high = made.interval(rule_list.classes[event], LEVEL)
        risk = Estimate(float(made.probabilities[event]), float(low), float(high))
        lines.append(
            RecalibratedLine(
                float(before.sum()), float(before[event]),
                float(after.sum()), float(after[event]), risk,
            )
        )  # fmt: skip
    return RecalibratedLines(float(share), discount is None, lines)
