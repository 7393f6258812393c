"""Is it worth acting on the risks? Net benefit by threshold (Vickers and Elkin 2006)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.errors import ParamError
from elseif.evaluation.thresholds import confusion
from elseif.evaluation.truth_and_risk import read_truth_and_risk


@dataclass(frozen=True, eq=False)
class DecisionCurve:
    """Net benefit per person at each threshold; treating nobody has a net benefit of 0.

    Attributes
    ----------
    thresholds : np.ndarray
        Predicted risk from which one would act. Shape (points,).
    n_true_positive : np.ndarray
        Events at or above each threshold, by the model.
    n_false_positive : np.ndarray
        Non-events at or above each threshold, by the model.
    model : np.ndarray
        Net benefit of acting by the model.
    treat_all : np.ndarray
        Net benefit of treating everybody.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import decision_curve
    >>> curve = decision_curve(np.array([True, False]), np.array([0.9, 0.2]), [0.5])
    >>> curve.model, curve.treat_all
    (array([0.5]), array([0.]))
    """

    thresholds: np.ndarray
    n_true_positive: np.ndarray
    n_false_positive: np.ndarray
    model: np.ndarray
    treat_all: np.ndarray


def decision_curve(
    truth: np.ndarray, risk: np.ndarray, thresholds: Sequence[float]
) -> DecisionCurve:
    """Net benefit by threshold (Vickers and Elkin 2006).

    Net benefit is the number of true positives, less the number of false positives times the odds
    of the threshold, per person.

    Parameters
    ----------
    truth : array of bool
        Whether the event happened; 0 and 1 will do.
    risk : array of float
        Its predicted probability.
    thresholds : sequence of float
        Risks from which one would act.

    Returns
    -------
    DecisionCurve
        Net benefit of the model and of treating everybody.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import decision_curve
    >>> decision_curve(np.array([True, False]), np.array([0.9, 0.2]), [0.1, 0.5]).model
    array([0.44444444, 0.5       ])
    """
    truth, risk = read_truth_and_risk(truth, risk)
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
