"""The sample size to develop a model of a binary outcome (Riley et al. 2019, 2020)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, xlogy
from scipy.stats import norm

from elseif.checks import check_count, check_number
from elseif.errors import ParamError

Z = 1.96  # as the published programs have it
MARGIN = 0.05  # of the overall risk
OPTIMISM = 0.05  # of Nagelkerke's R2
N_QUANTILES = 20_000  # by which a distribution is represented


@dataclass(frozen=True)
class Criterion:
    """One criterion, and how many people it requires.

    Attributes
    ----------
    name : str
        The quantity that has to be precise.
    n : int
        The smallest number of people.

    Examples
    --------
    >>> from elseif.evaluation import development_sample_size
    >>> development_sample_size(0.174, 24, r2=0.288).criteria[2].n
    221
    """

    name: str
    n: int


@dataclass(frozen=True)
class SampleSize:
    """The people that a study needs.

    Attributes
    ----------
    criteria : tuple[Criterion, ...]
        The criteria; the largest number counts.
    prevalence : float
        Share of people with the outcome.

    Examples
    --------
    >>> from elseif.evaluation import development_sample_size
    >>> found = development_sample_size(0.174, 24, r2=0.288)
    >>> found.n, found.n_events
    (662, 116)
    """

    criteria: tuple[Criterion, ...]
    prevalence: float

    @property
    def n(self) -> int:
        """The number of people that meets every criterion."""
        return max(criterion.n for criterion in self.criteria)

    @property
    def n_events(self) -> int:
        """The expected number of events among them, rounded up."""
        return math.ceil(round(self.n * self.prevalence, 9))


def development_sample_size(
    prevalence: float,
    parameters: int,
    *,
    r2: float | None = None,
    c_statistic: float | None = None,
    shrinkage: float = 0.9,
) -> SampleSize:
    """People needed to develop a model of a binary outcome.

    The criteria are those of Riley et al. (2019, Statistics in Medicine 38:1276-1296), as in the
    program pmsampsize: a global shrinkage of at least ``shrinkage``, an optimism of at most 0.05
    in Nagelkerke's R2, and the overall risk to within 0.05.

    They were derived for regression fitted by maximum likelihood. A rule list has no such
    parameters: use the number of candidate conditions, which would be the coefficients of a
    regression on them.

    Parameters
    ----------
    prevalence : float
        Share of people with the outcome.
    parameters : int
        Number of candidate predictor parameters: all candidates, not only those in the final model.
    r2 : float, default=None
        The Cox-Snell R2 that the model is expected to have.
    c_statistic : float, default=None
        Instead of ``r2``: the expected C statistic, which implies an R2 if the linear predictor is
        normal in people with and without the outcome (Riley et al. 2021).
    shrinkage : float, default=0.9
        The smallest acceptable shrinkage.

    Returns
    -------
    SampleSize
        The criteria, people and events.

    Examples
    --------
    >>> from elseif.evaluation import development_sample_size
    >>> [c.n for c in development_sample_size(0.174, 24, r2=0.288).criteria]
    [623, 662, 221]
    """
    check_share("prevalence", prevalence)
    check_count("parameters", parameters, 1, 10**9)
    check_share("shrinkage", shrinkage)
    if (r2 is None) == (c_statistic is None):
        raise ParamError("Give either r2 or c_statistic.")
    if r2 is None:
        assert c_statistic is not None
        r2 = cox_snell_r2(c_statistic, prevalence)
    check_share("r2", r2)
    largest = largest_r2(prevalence)
    if r2 >= largest:
        raise ParamError(
            f"r2 is {r2:g}; at a prevalence of {prevalence:g} a Cox-Snell R2 is below "
            f"{largest:.3g}."
        )
    if shrinkage <= r2:
        raise ParamError(f"shrinkage is {shrinkage:g}; it must be above r2, {r2:g}.")
    for_optimism = r2 / (r2 + OPTIMISM * largest)
    return SampleSize(
        (
            Criterion(f"shrinkage of at least {shrinkage:g}", _for(shrinkage, parameters, r2)),
            Criterion("optimism in R2 of at most 0.05", _for(for_optimism, parameters, r2)),
            Criterion(
                "overall risk to within 0.05",
                math.ceil((Z / MARGIN) ** 2 * prevalence * (1 - prevalence)),
            ),
        ),
        float(prevalence),
    )


def _for(shrinkage: float, parameters: int, r2: float) -> int:
    """People for which the expected shrinkage is so large."""
    return math.ceil(parameters / ((shrinkage - 1) * math.log(1 - r2 / shrinkage)))


def largest_r2(prevalence: float) -> float:
    """The largest Cox-Snell R2 that a model of an outcome can have."""
    entropy = xlogy(prevalence, prevalence) + xlogy(1 - prevalence, 1 - prevalence)
    return float(1 - math.exp(2 * entropy))


def cox_snell_r2(c_statistic: float, prevalence: float) -> float:
    """The Cox-Snell R2 of a C statistic, by Riley, Van Calster and Collins (2021).

    The linear predictor is assumed to be normal, with the same variance, in people with and without
    the outcome. The program pmsampsize simulates a million people; this function integrates
    instead.

    Parameters
    ----------
    c_statistic : float
        The C statistic, above 0.5.
    prevalence : float
        Share of people with the outcome.

    Returns
    -------
    float
        The R2.

    Examples
    --------
    >>> from elseif.evaluation import cox_snell_r2
    >>> round(cox_snell_r2(0.81, 0.77), 3)
    0.212
    """
    check_share("c_statistic", c_statistic)
    check_share("prevalence", prevalence)
    if c_statistic <= 0.5:
        raise ParamError(f"c_statistic is {c_statistic:g}; it must be above 0.5.")
    risk, weight = normal_risks(c_statistic, prevalence)
    by_model = float(np.sum(weight * (xlogy(risk, risk) + xlogy(1 - risk, 1 - risk))))
    by_none = float(xlogy(prevalence, prevalence) + xlogy(1 - prevalence, 1 - prevalence))
    return float(1 - math.exp(-2 * (by_model - by_none)))


def normal_risks(c_statistic: float, prevalence: float) -> tuple[np.ndarray, np.ndarray]:
    """Calibrated risks and their weights, if the linear predictor is normal in either group."""
    variance = 2 * float(norm.ppf(c_statistic)) ** 2
    low = float(logit(prevalence)) - variance / 2
    nodes = math.sqrt(variance) * norm.ppf(middles())
    predictor = np.concatenate([low + nodes, low + variance + nodes])
    shares = np.repeat([1 - prevalence, prevalence], N_QUANTILES) / N_QUANTILES
    risk: np.ndarray = expit(predictor)
    return risk, shares


def middles() -> np.ndarray:
    """The middles of parts of equal probability."""
    places: np.ndarray = (np.arange(N_QUANTILES) + 0.5) / N_QUANTILES
    return places


def check_share(name: str, value: float) -> None:
    """Raise unless a value is a number strictly between 0 and 1."""
    check_number(name, value)
    if not 0 < value < 1:
        raise ParamError(f"{name} is {value!r}; it must lie between 0 and 1.")
