"""Rank-normalised split R-hat and effective draws (Vehtari et al. 2021), many quantities at once.

All arrays are (chains, draws, quantities), and every quantity varies.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri
from scipy.stats import rankdata

TAILS = (0.05, 0.95)


def rank_r_hat(values: np.ndarray) -> np.ndarray:
    """The larger R-hat of ranks and of ranks of distances from the median; NaN for one chain."""
    if len(values) < 2:
        return np.full(values.shape[2], np.nan)
    halves = split(values)
    distances = np.abs(halves - np.median(halves, axis=(0, 1)))
    return np.fmax(_r_hat(_normal_scores(halves)), _r_hat(_normal_scores(distances)))


def bulk_ess(values: np.ndarray) -> np.ndarray:
    """Effective draws for the bulk: those of the rank-normalised values."""
    return _ess(_normal_scores(split(values)))


def tail_ess(values: np.ndarray) -> np.ndarray:
    """Effective draws for the tails: the fewer of those for the 5 % and the 95 % quantile."""
    quantiles = np.quantile(values, TAILS, axis=(0, 1))
    below = [_ess(split(values <= quantile).astype(float)) for quantile in quantiles]
    ess: np.ndarray = np.minimum(*below)
    return ess


def split(values: np.ndarray) -> np.ndarray:
    """The halves of chains as chains of their own; an odd draw in the middle is left out."""
    half = values.shape[1] // 2
    return np.concatenate([values[:, :half], values[:, -half:]])


def _normal_scores(values: np.ndarray) -> np.ndarray:
    flat = values.reshape(-1, values.shape[2])
    ranks = rankdata(flat, axis=0)  # ties share their mean rank
    scores: np.ndarray = ndtri((ranks - 3 / 8) / (len(flat) + 1 / 4))
    return scores.reshape(values.shape)


def _r_hat(values: np.ndarray) -> np.ndarray:
    n = values.shape[1]
    within = values.var(axis=1, ddof=1).mean(axis=0)
    between = values.mean(axis=1).var(axis=0, ddof=1)
    with np.errstate(all="ignore"):
        r_hat: np.ndarray = np.sqrt(((n - 1) / n * within + between) / within)
    return r_hat


def _ess(values: np.ndarray) -> np.ndarray:
    """Draws over the autocorrelation time, by Geyer's initial monotone sequence.

    Autocorrelations at lags 2k and 2k + 1 are added up; the sums are taken as long as they
    are positive, and no larger than the one before.
    """
    n_chains, n, _ = values.shape
    autocovariance = _autocovariance(values).mean(axis=0)
    within = autocovariance[0] * n / (n - 1)
    total = autocovariance[0] + (values.mean(axis=1).var(axis=0, ddof=1) if n_chains > 1 else 0)
    n_pairs = max((n - 1) // 2, 1)
    with np.errstate(all="ignore"):
        correlation = 1 - (within - autocovariance[: 2 * n_pairs]) / total
    correlation[0] = 1
    even, odd = correlation[0::2], correlation[1::2]
    pairs = even + odd
    n_positive = np.argmax(np.vstack([pairs <= 0, np.ones(pairs.shape[1], bool)]), axis=0)
    n_positive = np.minimum(n_positive, n_pairs - 1)
    taken = np.arange(n_pairs)[:, None] < n_positive
    time = 2 * np.where(taken, np.minimum.accumulate(pairs, axis=0), 0).sum(axis=0) - 1
    # of the first pair left out, the even lag counts while it, or the pair, is positive
    each = np.arange(len(time))
    last, pair = even[n_positive, each], pairs[n_positive, each]
    time += np.where((last > 0) | (pair >= 0), last, 0)
    n_draws = n_chains * n
    ess: np.ndarray = n_draws / np.maximum(time, 1 / np.log10(n_draws))
    constant = np.ptp(values, axis=(0, 1)) < np.finfo(float).resolution
    return np.where(constant, float(n_draws), ess)


def _autocovariance(values: np.ndarray) -> np.ndarray:
    """Autocovariance at every lag, of each chain."""
    n = values.shape[1]
    size = next_fast_len(2 * n, real=True)
    spectrum = rfft(values - values.mean(axis=1, keepdims=True), size, axis=1)
    power = spectrum.real**2 + spectrum.imag**2
    found: np.ndarray = irfft(power, size, axis=1)[:, :n] / n
    return found
