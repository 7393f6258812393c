"""Does a higher risk go with more events? ROC, AUC with an interval, precision and recall."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.stats import rankdata
from sklearn.metrics import average_precision_score

from elseif.evaluation.intervals import LEVEL, UNKNOWN, Estimate, wald
from elseif.evaluation.truth_and_risk import read_truth_and_order


@dataclass(frozen=True, eq=False)
class Curve:
    """A ROC curve: how many events and non-events have at least each predicted risk.

    The first point is a threshold that nobody reaches: no true and no false positives.

    Attributes
    ----------
    thresholds : np.ndarray
        Infinity, then falling. Shape (points,).
    n_true_positive : np.ndarray
        Events at or above each threshold.
    n_false_positive : np.ndarray
        Non-events at or above each threshold.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import Curve
    >>> curve = Curve(np.array([np.inf, 0.7, 0.2]), np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> curve.n_true_positive[-1]
    np.int64(1)
    """

    thresholds: np.ndarray
    n_true_positive: np.ndarray
    n_false_positive: np.ndarray

    @property
    def sensitivity(self) -> np.ndarray:
        """Share of the events found: the height of the ROC curve, and recall."""
        return _share(self.n_true_positive, self.n_true_positive[-1])

    @property
    def false_positive_rate(self) -> np.ndarray:
        """Share of the others found by mistake: 1 minus specificity."""
        return _share(self.n_false_positive, self.n_false_positive[-1])

    @property
    def precision(self) -> np.ndarray:
        """Share of events among positive predictions; 1 by convention if there are none."""
        n_positive = self.n_true_positive + self.n_false_positive
        return np.divide(
            self.n_true_positive, n_positive, out=np.ones(len(n_positive)), where=n_positive > 0
        )


def curve(truth: np.ndarray, risk: np.ndarray) -> Curve:
    """Counts at every distinct risk: corners of the ROC and the precision-recall curve."""
    risks, position = np.unique(-np.asarray(risk, dtype=float), return_inverse=True)
    truth = np.asarray(truth, dtype=bool)
    events = np.bincount(position[truth], minlength=len(risks))
    others = np.bincount(position[~truth], minlength=len(risks))
    return Curve(
        np.concatenate([[np.inf], -risks]),
        np.concatenate([[0], np.cumsum(events)]),
        np.concatenate([[0], np.cumsum(others)]),
    )


def delong(truth: np.ndarray, risk: np.ndarray) -> tuple[float, float]:
    """AUC and its variance by DeLong, DeLong and Clarke-Pearson (1988).

    From midranks, as Sun and Xu (2014) do, so that the work is that of sorting. The
    variance is unknown with fewer than two events or two others.
    """
    truth = np.asarray(truth, dtype=bool)
    events, others = np.asarray(risk)[truth], np.asarray(risk)[~truth]
    m, n = len(events), len(others)
    if not m or not n:
        return float("nan"), float("nan")
    ranks = rankdata(np.concatenate([events, others]))
    # for each event the share of others below it, for each other the share of events above
    below = (ranks[:m] - rankdata(events)) / n
    above = 1 - (ranks[m:] - rankdata(others)) / m
    auc = float(below.mean())
    if m < 2 or n < 2:
        return auc, float("nan")
    return auc, float(below.var(ddof=1) / m + above.var(ddof=1) / n)


def auc_with_interval(
    truth: np.ndarray, risk: np.ndarray, fold: np.ndarray | None = None, level: float = LEVEL
) -> Estimate:
    """Mean AUC over folds, with a confidence interval from DeLong's variance in each fold.

    Risks of different folds come from different lists and are not compared with each other. The
    observations tested in different folds are independent, so their variances add (LeDell,
    Petersen and van der Laan 2015). The interval says nothing about training on another sample.
    It is NaN where every event ranks above (or below) every non-event, because DeLong's variance
    is then 0.

    Parameters
    ----------
    truth : array of bool
        Whether the event happened; 0 and 1 will do.
    risk : array of float
        Its predicted probability.
    fold : array of int, default=None
        The fold that each observation was tested in.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Estimate
        AUC and interval.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import auc_with_interval
    >>> truth = np.array([True, True, False, False, False])
    >>> round(auc_with_interval(truth, np.array([0.9, 0.3, 0.4, 0.2, 0.1])).value, 2)
    0.83
    """
    truth, risk = read_truth_and_order(truth, risk)
    if not len(truth):
        return UNKNOWN
    fold = np.zeros(len(truth), dtype=np.int64) if fold is None else np.asarray(fold)
    pairs = np.array([delong(truth[fold == f], risk[fold == f]) for f in np.unique(fold)])
    value, variance = float(pairs[:, 0].mean()), float(pairs[:, 1].sum()) / len(pairs) ** 2
    if not variance > 0:
        return Estimate(value, float("nan"), float("nan"))
    estimate = wald(value, float(np.sqrt(variance)), level)
    return Estimate(estimate.value, max(0.0, estimate.low), min(1.0, estimate.high))


def fold_aucs(truth: np.ndarray, risk: np.ndarray, fold: np.ndarray) -> list[float]:
    """The AUC of each fold."""
    return [delong(truth[fold == f], risk[fold == f])[0] for f in np.unique(fold)]


def fold_average_precisions(truth: np.ndarray, risk: np.ndarray, fold: np.ndarray) -> list[float]:
    """Average precision (the step-wise area below precision and recall) of each fold."""
    return [
        float(average_precision_score(truth[fold == f], risk[fold == f]))
        if truth[fold == f].any()
        else float("nan")
        for f in np.unique(fold)
    ]


def _share(part: np.ndarray, whole: int) -> np.ndarray:
    return part / whole if whole else np.full(len(part), np.nan)
