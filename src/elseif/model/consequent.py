"""The consequent of a rule: Dirichlet(alpha + N_j) over labels (section 2.7)."""

from __future__ import annotations

import numpy as np
from scipy.special import betaincinv, gammaincinv, ndtri

NORMAL_FROM, GAMMA_FROM = 1e10, 1e7

# quantiles of a Beta distribution are never 0 or 1: what is rounded to these is shown as "<0.1%"
LEAST, MOST = float(np.finfo(float).smallest_subnormal), float(np.nextafter(1.0, 0.0))

TIE = 1e-12  # probabilities closer than this are the same


def consequent_mean(label_counts: np.ndarray, pseudocounts: np.ndarray) -> np.ndarray:
    """E[theta_j] for one rule or for many (labels along the last axis)."""
    alphas = label_counts + pseudocounts
    mean: np.ndarray = alphas / alphas.sum(axis=-1, keepdims=True)
    return mean


def consequent_interval(
    label_counts: np.ndarray, pseudocounts: np.ndarray, label: int, level: float = 0.95
) -> tuple[float, float]:
    """Equal-tailed credible interval of one label's probability, by its Beta marginal."""
    alphas = np.asarray(label_counts, dtype=float) + pseudocounts
    # added up rather than subtracted: a small pseudocount would be lost next to many observations
    a, b = alphas[label], np.delete(alphas, label).sum()
    tail = (1 - level) / 2
    return beta_quantile(a, b, tail), beta_quantile(a, b, 1 - tail)


def beta_quantile(a: float, b: float, share: float) -> float:
    """A quantile of Beta(a, b), above 0 and below 1."""
    return min(max(_beta_quantile(a, b, share), LEAST), MOST)


def _beta_quantile(a: float, b: float, share: float) -> float:
    """SciPy's quantile, or that of the limit where SciPy loses its digits.

    SciPy's is wrong of a count of 1,000 among 10^8, and of any counts above 10^12 or so.
    """
    few, many = min(a, b), max(a, b)
    if few > NORMAL_FROM:  # right to 10^-5 of its width
        mean = a / (a + b)
        return float(mean + ndtri(share) * np.sqrt(mean * (b / (a + b)) / (a + b + 1)))
    if many > GAMMA_FROM and few < 1e-4 * many:  # right to one part in 10^9
        tail = share if a == few else 1.0 - share
        quantile = float(-np.expm1(-gammaincinv(few, tail) / (many + (few - 1) / 2)))
        return quantile if a == few else 1.0 - quantile
    return float(betaincinv(a, b, share))
