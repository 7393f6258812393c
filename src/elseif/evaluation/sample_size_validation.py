"""The sample size to validate a model of a binary outcome (Riley et al. 2021)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.special import expit, logit
from scipy.stats import beta, norm

from elseif.checks import check_number, check_positive
from elseif.errors import ParamError
from elseif.evaluation.calibration import CERTAIN
from elseif.evaluation.sample_size import (
    N_QUANTILES,
    Criterion,
    SampleSize,
    Z,
    check_share,
    middles,
    normal_risks,
)

MOST_PEOPLE = 10**12


def validation_sample_size(
    prevalence: float,
    c_statistic: float,
    *,
    risks: Sequence[float] | None = None,
    shares: Sequence[float] | None = None,
    lp_normal: tuple[float, float] | None = None,
    lp_beta: tuple[float, float] | None = None,
    oe: float = 1.0,
    oe_width: float = 0.2,
    slope_width: float = 0.2,
    c_width: float = 0.1,
    threshold: float | None = None,
    sensitivity: float | None = None,
    specificity: float | None = None,
    net_benefit_width: float = 0.2,
) -> SampleSize:
    """People needed to validate a model of a binary outcome.

    The criteria are those of Riley et al. (2021, Statistics in Medicine 40:4230-4251), as in the
    program pmvalsampsize: 95 % confidence intervals of given widths for the ratio of observed to
    expected events, the calibration slope, the C statistic and, with a threshold, the standardised
    net benefit. That program simulates a million people; this function integrates instead.

    Parameters
    ----------
    prevalence : float
        Share of people with the outcome.
    c_statistic : float
        The expected C statistic.
    risks, shares : sequences of float, default=None
        The expected distribution of the model's risks: for a rule list, the probability of each
        line and the share of people on it.
    lp_normal : (float, float), default=None
        Instead of these: mean and standard deviation of a normal linear predictor.
    lp_beta : (float, float), default=None
        Instead of these: the parameters of a Beta distribution of risks. If none of them is given,
        the linear predictor is normal in people with and without the outcome, with the given
        prevalence and C statistic.
    oe : float, default=1
        The ratio of observed to expected events.
    oe_width, slope_width, c_width, net_benefit_width : float
        Widths of the confidence intervals.
    threshold : float, default=None
        Risk at which people would be treated, for the net benefit.
    sensitivity, specificity : float, default=None
        The expected values at the threshold; None computes them from the distribution of risks.

    Returns
    -------
    SampleSize
        The criteria, people and events.

    Examples
    --------
    >>> from elseif.evaluation import validation_sample_size
    >>> found = validation_sample_size(0.018, 0.8, lp_normal=(-5, 2.5))
    >>> [c.n for c in found.criteria], found.n_events
    ([21028, 4554, 4252], 379)
    """
    check_share("prevalence", prevalence)
    check_share("c_statistic", c_statistic)
    for name, width in (
        ("oe", oe), ("oe_width", oe_width), ("slope_width", slope_width), ("c_width", c_width),
        ("net_benefit_width", net_benefit_width),
    ):  # fmt: skip
        check_number(name, width)
        check_positive(name, width)
    risk, share = _distribution(prevalence, c_statistic, risks, shares, lp_normal, lp_beta)
    criteria = [
        Criterion(f"O/E, interval of {oe_width:g}", _for_ratio(prevalence, oe, oe_width)),
        Criterion(f"calibration slope, interval of {slope_width:g}", _for_slope(
            risk, share, slope_width)),
        Criterion(f"C statistic, interval of {c_width:g}", _for_c(
            prevalence, c_statistic, c_width)),
    ]  # fmt: skip
    if threshold is not None:
        check_share("threshold", threshold)
        at = _at_threshold(risk, share, threshold, sensitivity, specificity)
        n = _for_net_benefit(prevalence, threshold, *at, net_benefit_width)
        name = f"standardised net benefit at {threshold:g}, interval of {net_benefit_width:g}"
        criteria.append(Criterion(name, n))
    elif sensitivity is not None or specificity is not None:
        raise ParamError("sensitivity and specificity go with threshold.")
    return SampleSize(tuple(criteria), float(prevalence))


def sample_size_to_validate(model: Any, **options: Any) -> SampleSize:
    """People needed to validate a fitted rule list, if its risks are right.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        The model; the probability of each line and the people on it are its distribution of risks,
        from which prevalence and C statistic follow.
    **options
        As in `validation_sample_size`, such as ``oe_width`` or ``threshold``.

    Returns
    -------
    SampleSize
        The criteria, people and events.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import sample_size_to_validate
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> sample_size_to_validate(clf).n > 500
    True
    """
    from elseif.fitted_model import as_model

    rule_list = as_model(model).chosen_list()
    people = np.array([rule.label_counts.sum() for rule in rule_list.rules])
    risk = np.array([float(rule.probabilities[-1]) for rule in rule_list.rules])
    if people.sum() <= 0:
        raise ParamError(
            "The list has no training observations by which its lines could be weighted."
        )
    share = people / people.sum()
    prevalence = float(share @ risk)
    return validation_sample_size(
        prevalence,
        c_statistic_of(risk, share),
        risks=risk.tolist(),
        shares=share.tolist(),
        **options,
    )


def c_statistic_of(risk: np.ndarray, share: np.ndarray) -> float:
    """The C statistic of calibrated risks; ties count half."""
    risks, rank = np.unique(risk, return_inverse=True)
    events = np.bincount(rank, share * risk, len(risks))
    others = np.bincount(rank, share * (1 - risk), len(risks))
    below = np.cumsum(others) - others / 2
    return float(events @ below / (events.sum() * others.sum()))


def _distribution(
    prevalence: float,
    c_statistic: float,
    risks: Sequence[float] | None,
    shares: Sequence[float] | None,
    lp_normal: tuple[float, float] | None,
    lp_beta: tuple[float, float] | None,
) -> tuple[np.ndarray, np.ndarray]:
    """Risks, and the share of people that has each."""
    given = [value for value in (risks, lp_normal, lp_beta) if value is not None]
    if len(given) > 1:
        raise ParamError("Give one of risks, lp_normal and lp_beta.")
    if (risks is None) != (shares is None):
        raise ParamError("risks and shares go together.")
    if risks is not None and shares is not None:
        risk, share = np.asarray(risks, dtype=float), np.asarray(shares, dtype=float)
        ok = risk.shape == share.shape and risk.ndim == 1 and len(risk) and share.sum() > 0
        if not ok or np.any((risk < 0) | (risk > 1) | (share < 0) | ~np.isfinite(share)):
            raise ParamError("risks must lie between 0 and 1, with a share of people for each.")
        return risk, share / share.sum()
    if lp_normal is not None:
        mean, sd = lp_normal
        check_number("The mean of lp_normal", mean)
        if not math.isfinite(mean):
            raise ParamError(f"The mean of lp_normal is {mean!r}; it must be finite.")
        check_positive("The standard deviation of lp_normal", sd)
        return expit(mean + sd * norm.ppf(middles())), np.full(N_QUANTILES, 1 / N_QUANTILES)
    if lp_beta is not None:
        for value in lp_beta:
            check_positive("lp_beta", value)
        risk = beta.ppf(middles(), *lp_beta)
        return risk, np.full(N_QUANTILES, 1 / N_QUANTILES)
    return normal_risks(c_statistic, prevalence)


def _for_ratio(prevalence: float, oe: float, width: float) -> int:
    """People for which the interval of O/E, made on the log scale, has the width."""
    error = math.asinh(width / (2 * oe)) / Z
    return math.ceil((1 - prevalence) / (prevalence * error**2))


def _for_slope(risk: np.ndarray, share: np.ndarray, width: float) -> int:
    """People for the calibration slope, by the information of intercept and slope."""
    risk = np.clip(risk, CERTAIN, 1 - CERTAIN)
    information = risk * (1 - risk) * share
    predictor = logit(risk)
    both = float(information @ predictor)
    none, squared = float(information.sum()), float(information @ predictor**2)
    determinant = none * squared - both**2
    if not determinant > 1e-12 * none * squared:
        raise ParamError("All risks are the same: there is no calibration slope to estimate.")
    return math.ceil(none / ((width / (2 * Z)) ** 2 * determinant))


def _for_c(prevalence: float, c: float, width: float) -> int:
    """The fewest people whose interval of the C statistic (Newcombe 2006) is so narrow."""

    def is_enough(n: int) -> bool:
        half = n / 2 - 1
        spread = 1 + half * (1 - c) / (2 - c) + half * c / (1 + c)
        error = math.sqrt(c * (1 - c) * spread / (n * n * prevalence * (1 - prevalence)))
        return 2 * Z * error <= width

    low, high = 1, 2
    while not is_enough(high):
        low, high = high, 2 * high
        if high > MOST_PEOPLE:
            raise ParamError(f"c_width is {width:g}; no study is large enough for that.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _at_threshold(
    risk: np.ndarray,
    share: np.ndarray,
    threshold: float,
    sensitivity: float | None,
    specificity: float | None,
) -> tuple[float, float]:
    if (sensitivity is None) != (specificity is None):
        raise ParamError("sensitivity and specificity go together.")
    if sensitivity is not None and specificity is not None:
        for name, value in (("sensitivity", sensitivity), ("specificity", specificity)):
            check_number(name, value)
            if not 0 <= value <= 1:
                raise ParamError(f"{name} is {value!r}; it must lie between 0 and 1.")
        return float(sensitivity), float(specificity)
    treated = risk >= threshold
    events, others = share * risk, share * (1 - risk)
    return (
        float(events[treated].sum() / events.sum()),
        float(others[~treated].sum() / others.sum()),
    )


def _for_net_benefit(
    prevalence: float, threshold: float, sensitivity: float, specificity: float, width: float
) -> int:
    """People for the standardised net benefit (Marsh et al. 2020)."""
    w = (1 - prevalence) / prevalence * threshold / (1 - threshold)
    variance = (
        sensitivity * (1 - sensitivity) / prevalence
        + w**2 * specificity * (1 - specificity) / (1 - prevalence)
        + w**2 * (1 - specificity) ** 2 / (prevalence * (1 - prevalence))
    )
    return max(1, math.ceil(variance / (width / (2 * Z)) ** 2))
