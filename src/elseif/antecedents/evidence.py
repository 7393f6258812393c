"""The evidence for a single rule, used by screening and merging."""

from __future__ import annotations

import numpy as np

from elseif import compiled
from elseif.bits.packing import BitLayout


def evidence_of(
    layout: BitLayout, pseudocounts: np.ndarray, label_totals: np.ndarray | None = None
) -> compiled.Evidence:
    """What the marginal likelihood of a rule depends on, among all or some observations."""
    totals = layout.label_totals if label_totals is None else label_totals
    n_labels = len(pseudocounts)
    return compiled.Evidence(
        log_pochhammer=np.empty((n_labels + 1, 0)),  # too few lookups to be worth a table
        pseudocounts=np.asarray(pseudocounts, dtype=float),
        pseudocount_total=float(np.sum(pseudocounts)),
        count_unit=float(layout.unit),
        totals=totals[None, :].astype(np.int64),
        rest=np.zeros((1, n_labels), dtype=np.int64),
    )


def one_rule_gains(evidence: compiled.Evidence, label_counts: np.ndarray) -> np.ndarray:
    """Log Bayes factor of the list of one rule against the empty list, for each row of counts."""
    gains = np.empty(len(label_counts))
    compiled.one_rule_gains(evidence, label_counts, gains)
    return gains
