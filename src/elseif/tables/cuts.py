"""Cut points for numeric columns: the user's own, readable quantiles, or supervised."""

from __future__ import annotations

import math

import numpy as np

N_QUANTILES = 4
# a readable cut may miss its quantile by this share of the observations
QUANTILE_TOLERANCE = 0.05


def quantile_cuts(
    values: np.ndarray, weights: np.ndarray, n_quantiles: int = N_QUANTILES
) -> list[float]:
    """Quantiles, each moved to the roundest number that splits nearly as it does."""
    present = weights > 0
    order = np.argsort(values[present], kind="stable")
    ordered = values[present][order]
    if not len(ordered) or ordered[0] == ordered[-1]:
        return []
    passed = np.concatenate([[0], np.cumsum(weights[present][order])])
    shares = passed / passed[-1]
    tolerance = min(QUANTILE_TOLERANCE, 0.25 / n_quantiles)
    cuts = {_roundest(ordered, shares, k / n_quantiles, tolerance) for k in range(1, n_quantiles)}
    return sorted(cut for cut in cuts if ordered[0] <= cut < ordered[-1])


def _roundest(ordered: np.ndarray, shares: np.ndarray, share: float, tolerance: float) -> float:
    """The number of fewest digits with about this share of values at or below it."""
    place = min(int(np.searchsorted(shares[1:], share - 1e-12)), len(ordered) - 1)
    exact = float(ordered[place])
    wanted = shares[np.searchsorted(ordered, exact, side="right")]
    largest = math.floor(math.log10(max(float(ordered[-1] - ordered[0]), abs(exact)))) + 1
    for exponent in range(largest, largest - 16, -1):
        for factor in (5, 2, 1):
            step = factor * 10.0**exponent
            candidate = round(round(exact / step) * step, max(0, -exponent))
            below = shares[np.searchsorted(ordered, candidate, side="right")]
            if abs(below - wanted) <= tolerance and ordered[0] <= candidate < ordered[-1]:
                return float(candidate)
    return exact
