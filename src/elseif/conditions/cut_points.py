"""Cut points for numbers and dates: readable quantiles, or supervised by description length."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

import numpy as np

N_QUANTILES = 4
# a readable cut may miss its quantile by this share of the observations
QUANTILE_TOLERANCE = 0.05
# of the powers of ten that cuts are rounded to: floats have 16 digits, and end at 1.8e308
N_EXPONENTS, MOST_EXPONENT, LEAST_EXPONENT = 16, 307, -307
LARGEST_FLOAT = 1.7976931348623157e308
CUTS_AT_ONCE = 1 << 18  # whose entropies are computed together
DATE_UNITS = ("Y", "M", "D", "h", "m", "s", "us")


def quantile_cuts(
    values: np.ndarray, weights: np.ndarray | None, n_quantiles: int = N_QUANTILES
) -> list[Any]:
    """Quantiles, each moved to the roundest value with nearly the same split.

    Without weights every value counts once; one that is missing or infinite never does.
    """
    present = np.isfinite(values)
    if weights is None:
        ordered = values[present]
        ordered.sort()  # in place: there may be very many
        return cuts_of(SortedValues(ordered, range(len(ordered) + 1)), n_quantiles)
    present &= weights > 0
    values = values[present]
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    del values
    passed = np.cumsum(np.append(0, weights[present][order]))
    return cuts_of(SortedValues(ordered, passed), n_quantiles)


class OrderedValues(Protocol):
    """Values in order, which can be looked up by rank and counted."""

    @property
    def ends(self) -> tuple[Any, Any] | None:
        """The lowest and the highest value; None where there is none."""

    @property
    def total(self) -> float:
        """The total weight of all values."""

    def at_share(self, share: float) -> Any:
        """The lowest value at or below which at least this share of the values is."""

    def before_last(self) -> Any:
        """The highest value below the highest, of values that are not all the same."""

    def up_to(self, values: Sequence[Any]) -> list[float]:
        """How much the values at or below each of some others count."""


class SortedValues:
    """Values in ascending order in an array; ``passed[k]`` is the weight of the first k of them."""

    def __init__(self, ordered: np.ndarray, passed: Sequence[int] | np.ndarray) -> None:
        self._ordered, self._passed = ordered, passed

    @property
    def ends(self) -> tuple[Any, Any] | None:
        """The lowest and the highest value."""
        return (self._ordered[0], self._ordered[-1]) if len(self._ordered) else None

    @property
    def total(self) -> float:
        """How much all values count."""
        return float(self._passed[-1])

    def at_share(self, share: float) -> Any:
        """The lowest value at or below which at least this share is."""
        total = self.total

        # formed when they are used, because there may be very many
        def share_of(n_values: int) -> float:
            return float(self._passed[n_values]) / total

        positions = range(1, len(self._ordered) + 1)
        position = bisect_left(positions, share, key=share_of)
        return self._ordered[min(position, len(self._ordered) - 1)]

    def before_last(self) -> Any:
        """The highest value below the highest."""
        return self._ordered[np.searchsorted(self._ordered, self._ordered[-1]) - 1]

    def up_to(self, values: Sequence[Any]) -> list[float]:
        """How much the values at or below each of some others count."""
        places = (int(np.searchsorted(self._ordered, v, side="right")) for v in values)
        return [float(self._passed[index]) for index in places]


def cuts_of(ordered: OrderedValues, n_quantiles: int) -> list[Any]:
    """Cut points at quantiles, each moved to the roundest value that splits nearly as it does."""
    if ordered.ends is None or ordered.ends[0] == ordered.ends[1]:
        return []
    tolerance = min(QUANTILE_TOLERANCE, 0.25 / n_quantiles)
    cuts: dict[float, Any] = {}  # by what is at or below: one cut for each split
    for k in range(1, n_quantiles):
        cut = _near_quantile(ordered, ordered.ends, k / n_quantiles, tolerance)
        cuts.setdefault(ordered.up_to([cut])[0], cut)
    return sorted(cuts.values())


def _near_quantile(
    ordered: OrderedValues, ends: tuple[Any, Any], share: float, tolerance: float
) -> Any:
    """The roundest value with about this share of the values at or below it."""
    first, last = ends
    exact = ordered.at_share(share - 1e-12)
    if exact == last:  # nothing is above it: cut between it and the value before
        return _roundest(ordered.before_last(), exact)
    candidates = [c for c in _rounded(exact, _spread(first, last)) if first <= c < last]
    wanted, *below = (n / ordered.total for n in ordered.up_to([exact, *candidates]))
    for candidate, share_below in zip(candidates, below, strict=True):
        if abs(share_below - wanted) <= tolerance:
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


def steps_below(size: float) -> Iterator[tuple[int, float]]:
    """5, 2 and 1 of each power of ten that are at most a size, from the largest down."""
    return ((exponent, step) for exponent, step in _steps(size) if step <= size)


def _roundest(low: Any, high: Any) -> Any:
    """The roundest value from low up to, but not including, high."""
    if isinstance(low, np.datetime64):
        for unit in DATE_UNITS:
            begun = low.astype(f"datetime64[{unit}]")
            first = begun if begun == low else begun + np.int64(1).astype(f"timedelta64[{unit}]")
            candidate = first.astype("datetime64[us]")
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
    """Cuts accepted by description length (Fayyad and Irani 1993), made readable.

    A set of values is cut where the labels' entropy falls most, as long as the gain
    exceeds what it costs to write the cut down; then each part in turn.
    """
    present = weights > 0
    distinct, passed = _passed(values[present], codes[present], weights[present], n_labels)
    cuts: list[Any] = []
    waiting = [(0, len(distinct))]
    while waiting:
        first, end = waiting.pop()
        best = _best_split(passed[first : end + 1])
        if best is not None:
            cuts.append(_between(distinct[first + best - 1], distinct[first + best]))
            waiting += [(first, first + best), (first + best, end)]
    return sorted(cuts)


def _passed(
    values: np.ndarray, codes: np.ndarray, weights: np.ndarray, n_labels: int
) -> tuple[np.ndarray, np.ndarray]:
    """The distinct values in order, and the counts of each label before and after each."""
    order = np.argsort(values, kind="stable")
    values = values[order]
    is_last = np.append(values[1:] != values[:-1], np.ones(min(1, len(values)), dtype=bool))
    distinct, ends = values[is_last], np.flatnonzero(is_last)
    passed = np.zeros((len(distinct) + 1, n_labels))
    for label in range(n_labels):
        mine = weights * (codes == label)
        passed[1:, label] = np.cumsum(mine[order])[ends]
    return distinct, passed


def _best_split(passed: np.ndarray) -> int | None:
    """How many values go to the left of the best cut, or None when no cut pays."""
    total = passed[-1] - passed[0]
    n = total.sum()
    if len(passed) < 3 or n < 2:
        return None
    least, best = math.inf, 0
    for start in range(1, len(passed) - 1, CUTS_AT_ONCE):  # there may be very many
        left = passed[start : min(start + CUTS_AT_ONCE, len(passed) - 1)] - passed[0]
        right = total - left
        n_left, n_right = left.sum(axis=1), right.sum(axis=1)
        after = (n_left * _entropy(left) + n_right * _entropy(right)) / n
        position = int(np.argmin(after))
        if after[position] < least:
            least, best = float(after[position]), start + position
    left = passed[best] - passed[0]
    right = total - left
    whole, of_left, of_right = (float(_entropy(c[None, :])[0]) for c in (total, left, right))
    gain = whole - least
    k, k_left, k_right = (np.count_nonzero(c) for c in (total, left, right))
    delta = math.log2(3**k - 2) - (k * whole - k_left * of_left - k_right * of_right)
    return best if gain > (math.log2(n - 1) + delta) / n else None


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
