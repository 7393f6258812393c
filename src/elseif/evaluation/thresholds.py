"""Treating everybody at or above a risk: a two-by-two table, as shares."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.evaluation.intervals import LEVEL, Estimate, wilson


@dataclass(frozen=True)
class AtThreshold:
    """Performance of "risk at or above the threshold", with Wilson intervals."""

    threshold: float
    n_true_positive: int
    n_false_positive: int
    n_false_negative: int
    n_true_negative: int
    sensitivity: Estimate
    specificity: Estimate
    positive_predictive_value: Estimate
    negative_predictive_value: Estimate


def at_thresholds(
    truth: np.ndarray, risk: np.ndarray, thresholds: Sequence[float], level: float = LEVEL
) -> list[AtThreshold]:
    """Sensitivity, specificity and predictive values at each threshold."""
    rows = []
    for threshold in thresholds:
        tp, fp, fn, tn = confusion(truth, risk, threshold)
        rows.append(
            AtThreshold(
                float(threshold),
                tp,
                fp,
                fn,
                tn,
                wilson(tp, tp + fn, level),
                wilson(tn, tn + fp, level),
                wilson(tp, tp + fp, level),
                wilson(tn, tn + fn, level),
            )
        )
    return rows


def confusion(truth: np.ndarray, risk: np.ndarray, threshold: float) -> tuple[int, int, int, int]:
    """True and false positives, false and true negatives; a risk at the threshold counts."""
    truth, treated = np.asarray(truth, dtype=bool), np.asarray(risk) >= threshold
    tp, fp = int(np.count_nonzero(truth & treated)), int(np.count_nonzero(~truth & treated))
    n_events = int(np.count_nonzero(truth))
    return tp, fp, n_events - tp, len(truth) - n_events - fp
