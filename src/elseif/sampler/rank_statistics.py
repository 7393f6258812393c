"""Rank-normalised split R-hat and effective draws (Vehtari et al. 2021), many quantities at once.

A quantity is given by its values at the distinct lists, and by the list of each draw of a chain.
Sorting is done by list, because there are fewer lists than draws.
"""

from __future__ import annotations

import numpy as np
from scipy.fft import irfft, next_fast_len, rfft
from scipy.special import ndtri

TAILS = (0.05, 0.95)


def rank_statistics(
    values: np.ndarray, list_of_draw: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """R-hat, bulk and tail effective draws of each quantity; R-hat is NaN for one chain.

    values is (quantities, lists), list_of_draw (chains, draws), and every quantity varies along the
    draws. R-hat is the larger one of ranks and of ranks of distances from the median; the
    bulk's effective draws are those of ranks, the tails' the fewer of those for the 5 % and
    the 95 % quantile.
    """
    values = np.ascontiguousarray(values, dtype=float)
    lowest, highest = values.min(axis=1, keepdims=True), values.max(axis=1, keepdims=True)
    two_valued = np.all((values == lowest) | (values == highest), axis=1)
    r_hat, bulk, tail = np.empty((3, len(values)))
    for some, statistics in ((two_valued, _of_two_values), (~two_valued, _of_many_values)):
        if np.any(some):
            r_hat[some], bulk[some], tail[some] = statistics(values[some], list_of_draw)
    if len(list_of_draw) < 2:
        r_hat[:] = np.nan
    return r_hat, bulk, tail


def potential_scale_reduction(
    within: float | np.ndarray, between: float | np.ndarray, n: int
) -> float | np.ndarray:
    """R-hat (Gelman and Rubin 1992): sqrt(((n - 1) / n W + B / n) / W).

    ``within`` is W, the mean variance within chains, and ``between`` is B / n, the variance of the
    chains' means. NaN if nothing varies, infinity if only the means differ.
    """
    with np.errstate(all="ignore"):
        r_hat: float | np.ndarray = np.sqrt(np.divide((n - 1) / n * within + between, within))
    return r_hat


def mean_ess(values: np.ndarray, list_of_draw: np.ndarray) -> np.ndarray:
    """Effective draws for the mean of each quantity itself, not of its ranks.

    The Monte Carlo standard error of the mean is based on it. ``values`` has every quantity at
    every list, ``list_of_draw`` the list of each draw.
    """
    return _ess(np.take(np.ascontiguousarray(values, dtype=float), _split(list_of_draw), axis=1))


def _of_many_values(
    values: np.ndarray, list_of_draw: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    halves = _split(list_of_draw)
    scores = _normal_scores(values, halves)
    medians = np.median(np.take(values, halves, axis=1), axis=(1, 2))
    distances = np.abs(values - medians[:, None])
    r_hat = np.fmax(_r_hat(scores), _r_hat(_normal_scores(distances, halves)))
    quantiles = np.quantile(np.take(values, list_of_draw, axis=1), TAILS, axis=(1, 2))
    tails = [_ess(np.take((values <= q[:, None]).astype(float), halves, axis=1)) for q in quantiles]
    return r_hat, _ess(scores), np.minimum(*tails)


def _of_two_values(
    values: np.ndarray, list_of_draw: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The same where ranks, distances and tails are but linear functions of the values.

    A linear function has the R-hat and the effective draws of its argument; a tail that holds
    everything has as many as there are draws.
    """
    is_higher = (values == values.max(axis=1, keepdims=True)).astype(float)
    halves = np.take(is_higher, _split(list_of_draw), axis=1)
    r_hat, bulk = _r_hat(halves), _ess(halves)
    holds_all = np.quantile(np.take(is_higher, list_of_draw, axis=1), TAILS, axis=(1, 2)) == 1
    return r_hat, bulk, np.where(holds_all, float(halves[0].size), bulk).min(axis=0)


def _split(list_of_draw: np.ndarray) -> np.ndarray:
    """The halves of chains as separate chains; an odd draw in the middle is left out."""
    half = list_of_draw.shape[1] // 2
    return np.concatenate([list_of_draw[:, :half], list_of_draw[:, -half:]])


def _normal_scores(values: np.ndarray, list_of_draw: np.ndarray) -> np.ndarray:
    """Normal quantiles of the ranks of all draws, (quantities, chains, draws).

    Ties share their mean rank.
    """
    n_draws = np.bincount(list_of_draw.ravel(), minlength=values.shape[1])
    order = np.argsort(values, axis=1)
    ascending = np.take_along_axis(values, order, axis=1)
    is_new = np.ones(values.shape, dtype=bool)
    is_new[:, 1:] = ascending[:, 1:] != ascending[:, :-1]
    first = np.flatnonzero(is_new)  # of each group of ties, over all quantities
    n_tied = np.add.reduceat(n_draws[order].ravel(), first)
    below = np.cumsum(n_tied) - n_tied - first // values.shape[1] * list_of_draw.size
    by_group = ndtri((below + (n_tied + 1) / 2 - 3 / 8) / (list_of_draw.size + 1 / 4))
    in_order = np.repeat(by_group, np.diff(np.append(first, values.size)))
    scores = np.empty_like(values)
    np.put_along_axis(scores, order, in_order.reshape(values.shape), axis=1)
    return np.take(scores, list_of_draw, axis=1)


def _r_hat(values: np.ndarray) -> np.ndarray:
    n = values.shape[2]
    within = values.var(axis=2, ddof=1).mean(axis=1)
    between = values.mean(axis=2).var(axis=1, ddof=1)
    return np.asarray(potential_scale_reduction(within, between, n))


def _ess(values: np.ndarray) -> np.ndarray:
    """Draws over the autocorrelation time, by Geyer's initial monotone sequence.

    Autocorrelations at lags 2k and 2k + 1 are added up; the sums are taken as long as they
    are positive, and no larger than the one before.
    """
    _, n_chains, n = values.shape
    means = values.mean(axis=2)
    autocovariance = _mean_autocovariance(values - means[:, :, None])
    within = autocovariance[:, 0] * n / (n - 1)
    total = autocovariance[:, 0] + (means.var(axis=1, ddof=1) if n_chains > 1 else 0)
    n_pairs = max((n - 1) // 2, 1)
    with np.errstate(all="ignore"):
        correlation = 1 - (within[:, None] - autocovariance[:, : 2 * n_pairs]) / total[:, None]
    correlation[:, 0] = 1
    even, odd = correlation[:, 0::2], correlation[:, 1::2]
    pairs = even + odd
    ends = np.hstack([pairs <= 0, np.ones((len(pairs), 1), dtype=bool)])
    n_positive = np.minimum(np.argmax(ends, axis=1), n_pairs - 1)
    taken = np.arange(n_pairs) < n_positive[:, None]
    time = 2 * np.where(taken, np.minimum.accumulate(pairs, axis=1), 0).sum(axis=1) - 1
    # of the first pair left out, the even lag counts while it, or the pair, is positive
    each = np.arange(len(time))
    last, pair = even[each, n_positive], pairs[each, n_positive]
    time += np.where((last > 0) | (pair >= 0), last, 0)
    n_draws = n_chains * n
    ess: np.ndarray = n_draws / np.maximum(time, 1 / np.log10(n_draws))
    constant = np.ptp(values, axis=(1, 2)) < np.finfo(float).resolution
    return np.where(constant, float(n_draws), ess)


def _mean_autocovariance(centred: np.ndarray) -> np.ndarray:
    """Autocovariance at every lag, the mean over chains: (quantities, lags)."""
    n = centred.shape[2]
    size = next_fast_len(2 * n, real=True)
    spectrum = rfft(centred, size, axis=2)
    # the transform back is linear, so that the mean over chains can be taken before it
    power = (spectrum.real**2 + spectrum.imag**2).mean(axis=1)
    autocovariance: np.ndarray = irfft(power, size, axis=1)[:, :n] / n
    return autocovariance
