"""Is it worth acting on the risks? Net benefit by threshold (Vickers and Elkin 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.errors import ParamError
from elseif.evaluation.thresholds import confusion


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit per person, in events found; treating nobody has 0 at every threshold."""

    thresholds: np.ndarray  # float (points,), the risk at which one would act
    n_true_positive: np.ndarray  # int (points,), by the model
    n_false_positive: np.ndarray
    model: np.ndarray
    treat_all: np.ndarray


def decision_curve(
    truth: np.ndarray, risk: np.ndarray, thresholds: Sequence[float]
) -> DecisionCurve:
    """True positives less false positives at the threshold's odds, per person."""
    at = np.asarray(thresholds, dtype=float)
    if at.size and not ((at > 0) & (at < 1)).all():
        raise ParamError(
            f"thresholds are {list(thresholds)!r}; each must lie between 0 and 1, for the odds of "
            "acting are t / (1 - t)."
        )
    counts = np.array([confusion(truth, risk, t)[:2] for t in at]).reshape(-1, 2)
    n, n_events = len(truth), int(np.count_nonzero(truth))
    odds = at / (1 - at)
    return DecisionCurve(
        at,
        counts[:, 0],
        counts[:, 1],
        (counts[:, 0] - counts[:, 1] * odds) / n,
        (n_events - (n - n_events) * odds) / n,
    )
