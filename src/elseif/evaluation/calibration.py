"""Do predicted risks come true? Groups, recalibration, Brier score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit

from elseif.evaluation.intervals import LEVEL, UNKNOWN, Estimate, normal_quantile, wilson
from elseif.evaluation.truth_and_risk import read_truth_and_risk

CERTAIN = 1e-12  # risks of 0 and 1 have no logit; they are moved by this much
MOST_STEPS = 50
MOST_HALVINGS = 60


@dataclass(frozen=True)
class Group:
    """Observations with similar risks: predicted and observed."""

    n: int
    n_events: int
    predicted: float  # mean risk
    observed: Estimate  # share of events, Wilson's interval


def calibration_groups(
    truth: np.ndarray, risk: np.ndarray, group: np.ndarray, n_groups: int, level: float = LEVEL
) -> list[Group]:
    """Predicted and observed share in each group; NaN for empty groups."""
    groups = []
    for g in range(n_groups):
        inside = group == g
        n, n_events = int(inside.sum()), int(np.count_nonzero(truth[inside]))
        predicted = float(risk[inside].mean()) if n else float("nan")
        groups.append(Group(n, n_events, predicted, wilson(n_events, n, level)))
    return groups


def quantile_groups(risk: np.ndarray, most: int = 10) -> tuple[np.ndarray, int]:
    """Groups of nearly equal size by rising risk; equal risks are never parted.

    A list gives few distinct risks, so there may be fewer groups than asked for.
    """
    edges = np.unique(np.quantile(risk, np.arange(1, most) / most, method="inverted_cdf"))
    positions = np.searchsorted(edges, risk, side="left")
    used, group = np.unique(positions, return_inverse=True)
    return group, len(used)


@dataclass(frozen=True)
class Recalibration:
    """Logistic regression of the outcome on the logit of the predicted risk (Cox 1958).

    Attributes
    ----------
    slope : Estimate
        Calibration slope. 1 is ideal; below 1, predictions are too extreme.
    intercept : Estimate
        The intercept that belongs to that slope.
    in_the_large : Estimate
        The intercept with the slope fixed at 1 (calibration in the large); 0 is ideal.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import recalibration
    >>> truth = np.array([True] * 8 + [False] * 12)
    >>> risk = np.array([0.5] * 6 + [0.2] * 2 + [0.5] * 4 + [0.2] * 8)
    >>> round(recalibration(truth, risk).in_the_large.value, 2)
    0.24
    """

    slope: Estimate
    intercept: Estimate
    in_the_large: Estimate


def recalibration(truth: np.ndarray, risk: np.ndarray, level: float = LEVEL) -> Recalibration:
    """Calibration slope and intercepts, with Wald intervals.

    Parameters
    ----------
    truth : array of bool
        Whether the event happened; 0 and 1 will do.
    risk : array of float
        Its predicted probability.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Recalibration
        Slope and intercepts; NaN where the regression has no finite solution.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import recalibration
    >>> truth = np.array([True] * 8 + [False] * 12)
    >>> risk = np.array([0.6] * 6 + [0.2] * 2 + [0.6] * 4 + [0.2] * 8)
    >>> round(recalibration(truth, risk).slope.value, 2)
    1.0
    """
    truth, risk = read_truth_and_risk(truth, risk)
    y = truth.astype(float)
    x = logit(np.clip(risk, CERTAIN, 1 - CERTAIN))
    nothing = np.zeros(len(y))
    one = np.ones((len(y), 1))
    large = _logistic(one, y, x, level)
    both = [UNKNOWN, UNKNOWN]
    if not _is_separable(x, y):
        both = _logistic(np.column_stack([np.ones(len(y)), x]), y, nothing, level)
    return Recalibration(slope=both[1], intercept=both[0], in_the_large=large[0])


@dataclass(frozen=True)
class Brier:
    """The Brier score: the mean squared difference between predicted risk and outcome.

    Attributes
    ----------
    score : Estimate
        The Brier score with its confidence interval; 0 is perfect.
    scaled : float
        1 - score / of_prevalence: 1 is perfect, 0 no better than the prevalence.
    of_prevalence : float
        The score of predicting the prevalence for everybody.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import brier
    >>> found = brier(np.array([True, False, False, True]), np.array([0.8, 0.3, 0.1, 0.6]))
    >>> found.of_prevalence
    0.25
    >>> round(found.scaled, 2)
    0.7
    """

    score: Estimate
    scaled: float
    of_prevalence: float


def brier(truth: np.ndarray, risk: np.ndarray, level: float = LEVEL) -> Brier:
    """The Brier score, and its value scaled by that of the prevalence.

    Parameters
    ----------
    truth : array of bool
        Whether the event happened; 0 and 1 will do.
    risk : array of float
        Its predicted probability.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Brier
        The score with a normal confidence interval, and the scaled score.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import brier
    >>> round(brier(np.array([True, False]), np.array([0.9, 0.3])).score.value, 2)
    0.05
    """
    truth, risk = read_truth_and_risk(truth, risk)
    if not len(truth):
        return Brier(UNKNOWN, float("nan"), float("nan"))
    y = truth.astype(float)
    squares = (risk - y) ** 2
    score = float(squares.mean())
    error = float(squares.std(ddof=1) / np.sqrt(len(y))) if len(y) > 1 else float("nan")
    half = normal_quantile(level) * error
    reference = float(y.mean() * (1 - y.mean()))
    return Brier(
        Estimate(score, max(0.0, score - half), min(1.0, score + half)),
        1 - score / reference if reference > 0 else float("nan"),
        reference,
    )


def overstatement(truth: np.ndarray, risk: np.ndarray, level: float = LEVEL) -> Estimate:
    """By how much risks are, on average, too far from the overall share of events.

    Lines of a list are chosen because they stand out, so risks above the overall share tend to be
    too high and risks below it too low. The average of risk minus outcome, with the sign reversed
    for risks below the overall share, measures this in units of risk.

    Parameters
    ----------
    truth : array of bool
        Whether the event happened, to people who took no part in the fit.
    risk : array of float
        Its predicted probability.
    level : float, default=0.95
        Confidence level of the interval.

    Returns
    -------
    Estimate
        The average with a normal confidence interval; below 0, risks are not extreme enough.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import overstatement
    >>> truth = np.array([True] * 6 + [False] * 4 + [True] * 3 + [False] * 7)
    >>> risk = np.repeat([0.7, 0.2], 10)
    >>> round(overstatement(truth, risk).value, 2)
    0.1
    """
    truth, risk = read_truth_and_risk(truth, risk)
    if not len(truth):
        return UNKNOWN
    y = truth.astype(float)
    differences = np.sign(risk - y.mean()) * (risk - y)
    value = float(differences.mean())
    error = float(differences.std(ddof=1) / np.sqrt(len(y))) if len(y) > 1 else float("nan")
    half = normal_quantile(level) * error
    return Estimate(value, value - half, value + half)


def _is_separable(x: np.ndarray, y: np.ndarray) -> bool:
    """Whether a threshold parts events from others: the steeper the slope, the likelier, then."""
    events, others = x[y == 1], x[y == 0]
    if not len(events) or not len(others):
        return True
    return bool(others.max() <= events.min() or events.max() <= others.min())


def _logistic(
    design: np.ndarray, y: np.ndarray, offset: np.ndarray, level: float
) -> list[Estimate]:
    """Maximum likelihood by Newton's method; unknown where the likelihood has no maximum."""
    unknown = [UNKNOWN] * design.shape[1]
    if len(set(y.tolist())) < 2 or np.linalg.matrix_rank(design) < design.shape[1]:
        return unknown
    beta = np.zeros(design.shape[1])
    deviance = _deviance(design @ beta + offset, y)
    try:
        for _ in range(MOST_STEPS):
            gradient, information = _derivatives(design, y, design @ beta + offset)
            step = np.linalg.solve(information, gradient)
            for _ in range(MOST_HALVINGS):  # risks near 0 and 1 have it overshoot
                if (new := _deviance(design @ (beta + step) + offset, y)) <= deviance:
                    break
                step = step / 2
            beta, before, deviance = beta + step, deviance, new
            if abs(before - deviance) <= 1e-12 * (abs(deviance) + 1):
                break
        else:
            return unknown
        _, information = _derivatives(design, y, design @ beta + offset)
        errors = np.sqrt(np.diag(np.linalg.inv(information)))
    except np.linalg.LinAlgError:
        return unknown
    z = normal_quantile(level)
    return [
        Estimate(float(b), float(b - z * e), float(b + z * e))
        for b, e in zip(beta, errors, strict=True)
    ]


def _deviance(linear: np.ndarray, y: np.ndarray) -> float:
    return 2 * float(np.sum(np.logaddexp(0, linear) - y * linear))


def _derivatives(
    design: np.ndarray, y: np.ndarray, linear: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradient and information of the log likelihood."""
    p = expit(linear)
    return design.T @ (y - p), (design * (p * (1 - p))[:, None]).T @ design
