"""Cut points for numbers and dates: readable quantiles, or supervised by description length."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

N_QUANTILES = 4
# a readable cut may miss its quantile by this share of the observations
QUANTILE_TOLERANCE = 0.05
# of the powers of ten that cuts are rounded to: floats have 16 digits, and end at 1.8e308
N_EXPONENTS, MOST_EXPONENT, LEAST_EXPONENT = 16, 307, -307
LARGEST_FLOAT = 1.7976931348623157e308
DATE_UNITS = ("Y", "M", "D", "h", "m", "s", "us")


def quantile_cuts(
    values: np.ndarray, weights: np.ndarray | None, n_quantiles: int = N_QUANTILES
) -> list[Any]:
    """Quantiles, each moved to the roundest value that splits nearly as it does.

    Without weights every value counts once; one that is missing or infinite never does.
    """
    passed: Sequence[int] | np.ndarray
    present = np.isfinite(values)
    if weights is None:
        ordered = values[present]
        ordered.sort()  # in place: there may be very many
        passed = range(len(ordered) + 1)
    else:
        present &= weights > 0
        order = np.argsort(values[present], kind="stable")
        ordered = values[present][order]
        passed = np.concatenate([[0], np.cumsum(weights[present][order])])
    if not len(ordered) or ordered[0] == ordered[-1]:
        return []
    tolerance = min(QUANTILE_TOLERANCE, 0.25 / n_quantiles)
    cuts: dict[int, Any] = {}  # by the number of values at or below: one cut for each split
    for k in range(1, n_quantiles):
        cut = _near_quantile(ordered, passed, k / n_quantiles, tolerance)
        cuts.setdefault(int(np.searchsorted(ordered, cut, side="right")), cut)
    return sorted(cuts.values())


def _near_quantile(
    ordered: np.ndarray, passed: Sequence[int] | np.ndarray, share: float, tolerance: float
) -> Any:
    """The roundest value with about this share of the values at or below it.

    passed[k] is the weight of the first k values: shares are formed where they are
    looked at, for there may be very many.
    """
    total = float(passed[-1])

    def share_of(n_values: int) -> float:
        return float(passed[n_values]) / total

    places = range(1, len(ordered) + 1)
    place = min(bisect_left(places, share - 1e-12, key=share_of), len(ordered) - 1)
    exact = ordered[place]
    if exact == ordered[-1]:  # nothing is above it: cut between it and the value before
        return _roundest(ordered[np.searchsorted(ordered, exact) - 1], exact)
    wanted = share_of(int(np.searchsorted(ordered, exact, side="right")))
    for candidate in _rounded(exact, _spread(ordered[0], ordered[-1])):
        below = share_of(int(np.searchsorted(ordered, candidate, side="right")))
        if abs(below - wanted) <= tolerance and ordered[0] <= candidate < ordered[-1]:
            return candidate
    return exact


def _rounded(exact: Any, spread: Any) -> Iterator[Any]:
    """A value rounded ever less: to 5, 2 and 1 of each power of ten, or to dates' units."""
    if isinstance(exact, np.datetime64):
        for unit in DATE_UNITS:
            yield exact.astype(f"datetime64[{unit}]").astype("datetime64[us]")
        return
    exact = float(exact)
    for exponent, step in _steps(max(float(spread), abs(exact))):
        yield round(round(exact / step) * step, max(0, -exponent))


def _spread(low: Any, high: Any) -> Any:
    """How far apart two values are: infinite beyond the largest float, without a warning."""
    return high - low if isinstance(low, np.datetime64) else float(high) - float(low)


def _steps(size: float) -> Iterator[tuple[int, float]]:
    """5, 2 and 1 of each power of ten, from just above a size down, with the exponent."""
    largest = min(math.floor(math.log10(min(size, LARGEST_FLOAT))) + 1, MOST_EXPONENT)
    for exponent in range(largest, max(largest - N_EXPONENTS, LEAST_EXPONENT), -1):
        for factor in (5, 2, 1):
            yield exponent, factor * 10.0**exponent


def _roundest(low: Any, high: Any) -> Any:
    """The roundest value from low up to, but not including, high."""
    if isinstance(low, np.datetime64):
        for unit in DATE_UNITS:
            begun = low.astype(f"datetime64[{unit}]")
            candidate = (begun if begun == low else begun + 1).astype("datetime64[us]")
            if candidate < high:
                return candidate
        return low
    for exponent, step in _steps(max(abs(float(low)), abs(float(high)))):
        candidate = round(math.ceil(low / step) * step, max(0, -exponent))
        if low <= candidate < high:
            return candidate
    return low


def description_length_cuts(
    values: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_labels: int
) -> list[Any]:
    """Cuts that pay for themselves (Fayyad and Irani 1993), made readable.

    A set of values is cut where the labels' entropy falls most, as long as the gain
    exceeds what it costs to write the cut down; then each part in turn.
    """
    present = weights > 0
    distinct, place = np.unique(values[present], return_inverse=True)
    counts = np.zeros((len(distinct), n_labels))
    np.add.at(counts, (place, codes[present]), weights[present])
    passed = np.concatenate([np.zeros((1, n_labels)), np.cumsum(counts, axis=0)])
    cuts: list[Any] = []
    waiting = [(0, len(distinct))]
    while waiting:
        first, end = waiting.pop()
        best = _best_split(passed[first : end + 1] - passed[first])
        if best is not None:
            cuts.append(_between(distinct[first + best - 1], distinct[first + best]))
            waiting += [(first, first + best), (first + best, end)]
    return sorted(cuts)


def _best_split(passed: np.ndarray) -> int | None:
    """How many values go to the left of the best cut, or None when no cut pays."""
    total = passed[-1]
    n = total.sum()
    if len(passed) < 3 or n < 2:
        return None
    left, right = passed[1:-1], total - passed[1:-1]
    n_left, n_right = left.sum(axis=1), right.sum(axis=1)
    after = (n_left * _entropy(left) + n_right * _entropy(right)) / n
    best = int(np.argmin(after))
    whole = float(_entropy(total[None, :])[0])
    gain = whole - after[best]
    k, k_left, k_right = (np.count_nonzero(c) for c in (total, left[best], right[best]))
    delta = math.log2(3**k - 2) - (
        k * whole
        - k_left * float(_entropy(left[best : best + 1])[0])
        - k_right * float(_entropy(right[best : best + 1])[0])
    )
    return best + 1 if gain > (math.log2(n - 1) + delta) / n else None


def _entropy(counts: np.ndarray) -> np.ndarray:
    """Entropy in bits of each row of counts."""
    shares = counts / counts.sum(axis=1, keepdims=True)
    logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
    return -(shares * logs).sum(axis=1)


def _between(low: Any, high: Any) -> Any:
    """The roundest value from low up to, but not including, high."""
    is_date = isinstance(low, np.datetime64)
    middle = low + (high - low) / 2 if is_date else low / 2 + high / 2
    for candidate in _rounded(middle, _spread(low, high)):
        if low <= candidate < high:
            return candidate
    return low
