"""Pools that are too large, screened to the antecedents with the strongest evidence.

This is iterative sure independence screening (Fan and Lv 2008) with rules in place of linear
effects: antecedents are ranked by their evidence among everyone, then among those whom the best
rule so far does not capture, and so on, since a rule further down a list need not stand out in the
whole table. In each round half of the places go to conjunctions that say most beyond their own
conditions, so that an interaction of conditions that are worth little alone is found as well.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from elseif.antecedents.evidence import evidence_of, one_rule_gains
from elseif.bits.counting import conjunction_counts
from elseif.bits.packing import BitLayout
from elseif.shards.shards import Shards

N_ROUNDS = 8
# of the places, how many single conditions may take before they have to compete like the rest
SHARE_OF_CONDITIONS = 0.5


def screen(
    covers: np.ndarray | Shards,
    members: np.ndarray,
    layout: BitLayout,
    pseudocounts: np.ndarray,
    n_kept: int,
) -> np.ndarray:
    """Positions of the ``n_kept`` antecedents with the strongest evidence, in pool order.

    Ties go to the earlier antecedent. ``covers`` has the packed covers of the conditions, or the
    shards that hold them; ``members`` has one row of condition numbers for each antecedent.
    """
    if len(members) <= n_kept:
        return np.arange(len(members))
    kept = np.zeros(len(members), dtype=bool)
    is_single = (members >= 0).sum(axis=1) == 1
    if is_single.sum() <= SHARE_OF_CONDITIONS * n_kept:
        kept |= is_single
    n_places = n_kept - int(kept.sum())
    counts = covers if isinstance(covers, Shards) else _CoversHere(covers, layout)
    best: list[np.ndarray] = []  # whose observations the next round leaves out
    for round_ in range(N_ROUNDS):
        gains, beyond = _evidence(
            counts.among_remaining(members, best), members, layout, pseudocounts
        )
        quota = n_places * (round_ + 1) // N_ROUNDS - n_places * round_ // N_ROUNDS
        _take(kept, gains, quota - quota // 2)
        _take(kept, beyond, quota // 2)
        captor = members[int(np.argmax(gains))]
        best.append(captor[captor >= 0])
    return np.flatnonzero(kept)


class _CoversHere:
    """Counts among those whom no rule so far captures, from round to round."""

    def __init__(self, covers: np.ndarray, layout: BitLayout) -> None:
        self._covers, self._layout, self._remaining = covers, layout, layout.everyone()

    def among_remaining(
        self, members: np.ndarray, captured_by: Sequence[np.ndarray]
    ) -> tuple[np.ndarray, np.ndarray]:
        """Label counts of the members, and of single conditions and, last, everybody."""
        for conjunction in captured_by[-1:]:  # those before have been left out already
            captured = np.bitwise_and.reduce(self._covers[conjunction], axis=0)
            self._remaining = self._remaining & ~captured
        self._covers = self._covers & self._remaining
        own = np.arange(len(self._covers) + 1, dtype=np.int32)[:, None]
        everybody = np.concatenate([self._covers, self._remaining[None, :]])
        return (
            conjunction_counts(self._covers, members, self._layout),
            conjunction_counts(everybody, own, self._layout),
        )


def _evidence(
    counts: tuple[np.ndarray, np.ndarray],
    members: np.ndarray,
    layout: BitLayout,
    pseudocounts: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Each antecedent's gain among those who remain, and by how much it beats its conditions."""
    label_counts, of_conditions = counts
    evidence = evidence_of(layout, pseudocounts, of_conditions[-1])
    gains = one_rule_gains(evidence, label_counts)
    alone = one_rule_gains(evidence, of_conditions[:-1])
    is_condition = members >= 0
    best_part = np.where(is_condition, alone[members], -np.inf).max(axis=1)
    return gains, np.where(is_condition.sum(axis=1) > 1, gains - best_part, -np.inf)


def _take(kept: np.ndarray, worth: np.ndarray, n_more: int) -> None:
    """Mark ``n_more`` of those not yet kept, the best first."""
    others = np.flatnonzero(~kept)
    kept[others[np.argsort(-worth[others], kind="stable")[:n_more]]] = True
