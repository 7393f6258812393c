"""Antecedents that are nearly equivalent, one of which can represent the others.

Thresholds that are close together, and conjunctions that cover nearly what one of their conditions
covers, multiply a pool without adding to what its lists can say; the posterior then spreads over
near-twins that chains have to exchange one by one.
"""

from __future__ import annotations

import math

import numpy as np

from elseif import compiled
from elseif.antecedents.evidence import evidence_of, one_rule_gains
from elseif.bits.packing import BitLayout, zero_words
from elseif.conditions.condition import FALSE, UNEQUAL, Condition

# log Bayes factor from which the labels of those that only one of two covers distinguish the two,
# however much they correlate, and up to which a more readable one is preferred: odds of 20 to 1,
# from where Kass and Raftery (1995) speak of strong evidence
TELLING = 3.0
LOG_ODDS = 100.0  # that covers' sizes lie within, either side of 50


def group_near_equivalents(
    covers: np.ndarray,
    members: np.ndarray,
    label_counts: np.ndarray,
    layout: BitLayout,
    correlation: float,
    pseudocounts: np.ndarray,
) -> np.ndarray:
    """For each antecedent, the position of the leader of its group; a leader leads itself.

    Antecedents are taken in order of their evidence. One joins a group if the correlation of its
    cover with the leader's is above ``correlation``, and the labels of the observations that only
    one of the two covers are no evidence that these differ from the others. So every member is
    close to its leader, and what the labels can distinguish stays separate. ``members`` has one row
    of condition numbers for each antecedent, padded with -1.
    """
    evidence = evidence_of(layout, pseudocounts)
    gains = one_rule_gains(evidence, label_counts)
    order = np.argsort(-gains, kind="stable")
    n = float(layout.label_totals.sum())
    width = max(-2 * math.log(correlation), 1e-3)
    room = compiled.CoverComparison(
        words=zero_words(2, compiled.WORDS_COMPARED),
        both=np.zeros((1, len(pseudocounts)), dtype=np.int64),
        beyond=np.zeros((1, len(pseudocounts)), dtype=np.int64),
        heads=np.full(int(LOG_ODDS / width) + 3, -1, dtype=np.int64),
        following=np.full(len(members), -1, dtype=np.int64),
    )
    leaders = np.empty(len(members), dtype=np.int64)
    sections = (layout.section_starts, layout.section_labels, layout.section_weights)
    limits = (float(correlation), TELLING, n)
    compiled.find_leaders(
        covers, members.astype(np.int64), sections, evidence, label_counts, order, limits, room,
        leaders,
    )  # fmt: skip
    return leaders


def most_readable(
    leaders: np.ndarray,
    members: np.ndarray,
    conditions: list[Condition],
    gains: np.ndarray,
) -> np.ndarray:
    """For each antecedent the one that stands for its group, the most readable of the best.

    Fewer conditions read better, then fewer negations, then shorter names.
    """
    is_condition = members >= 0
    lengths = np.array([len(c.name) for c in conditions])
    negated = np.array([c.operator in (FALSE, UNEQUAL) for c in conditions])
    n_negated = np.where(is_condition, negated[members], 0).sum(axis=1)
    length = np.where(is_condition, lengths[members], 0).sum(axis=1)
    too_weak = gains < gains[leaders] - TELLING
    positions = np.arange(len(members))
    order = np.lexsort((positions, length, n_negated, is_condition.sum(axis=1), too_weak, leaders))
    grouped = leaders[order]
    is_first = np.append(True, grouped[1:] != grouped[:-1])
    best = np.empty(len(members), dtype=np.int64)
    best[grouped[is_first]] = order[is_first]  # by leader
    return best[leaders]
