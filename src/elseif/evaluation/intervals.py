"""Confidence intervals of a share, and of an estimate with a standard error."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """A number with its confidence interval; NaN where it cannot be estimated.

    Attributes
    ----------
    value : float
        The estimate.
    low : float
        Lower end of the interval.
    high : float
        Upper end of the interval.

    Examples
    --------
    >>> from elseif.evaluation import Estimate
    >>> Estimate(0.8, 0.7, 0.9).high
    0.9
    """

    value: float
    low: float
    high: float


UNKNOWN = Estimate(float("nan"), float("nan"), float("nan"))


def wilson(n_true: float, n: float, level: float = LEVEL) -> Estimate:
    """A share with Wilson's score interval; NaN if nobody is counted."""
    if n <= 0:
        return UNKNOWN
    z = normal_quantile(level)
    share = n_true / n
    middle = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # at 0 and 1 the interval reaches the end exactly; rounding must not leave a gap
    low = 0.0 if n_true <= 0 else max(0.0, float(middle - half))
    high = 1.0 if n_true >= n else min(1.0, float(middle + half))
    return Estimate(float(share), low, high)


def wald(value: float, standard_error: float, level: float = LEVEL) -> Estimate:
    """An estimate with the interval of a normal distribution."""
    half = normal_quantile(level) * standard_error
    return Estimate(float(value), float(value - half), float(value + half))


def normal_quantile(level: float) -> float:
    """Standard errors on either side of a two-sided interval: 1.96 for 0.95."""
    return float(ndtri(0.5 + level / 2))
