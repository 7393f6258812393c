"""The attack: what somebody with all the files could reconstruct."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from elseif.disclosure.linear_attack import recovered_by_programmes
from elseif.disclosure.published_cells import Cells

MOST_ROUNDS = 500
ROUNDING_ERROR = 1e-9


@dataclass(frozen=True)
class RecoveredCell:
    """A number of people below the minimum cell that can be derived from what is published."""

    label: int
    n: float


class _Sums(NamedTuple):
    """Sets that others make up: all[i] = one[i] + other[i]."""

    all: np.ndarray
    one: np.ndarray
    other: np.ndarray


class _Bounds:
    """Bounds on the people of one label in each set, in whole units."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self.low, self.high = low, high

    def narrow(self, sums: _Sums) -> None:
        """Propagate the sums until the bounds no longer change."""
        for _ in range(MOST_ROUNDS):
            before = int(self.low.sum()), int(self.high.sum())
            low, high = self.low, self.high
            np.maximum.at(low, sums.all, low[sums.one] + low[sums.other])
            np.minimum.at(high, sums.all, high[sums.one] + high[sums.other])
            for part, rest in ((sums.one, sums.other), (sums.other, sums.one)):
                np.maximum.at(low, part, low[sums.all] - high[rest])
                np.minimum.at(high, part, high[sums.all] - low[rest])
            if before == (int(low.sum()), int(high.sum())):
                break


def recovered_cells(cells: Cells) -> list[RecoveredCell]:
    """Counts of 1 to ``min_cell`` - 1 people that can be derived from what the cells published.

    Every published number stands for an interval of counts. The counts of a set, of a subset and of
    their difference constrain each other, and so do sets that make up another; intervals are
    narrowed by all of these until nothing changes. A set, or a difference of two, that is left with
    one possible count below the minimum cell is recovered. What remains open is tried by linear
    programmes over all numbers at once.
    """
    if cells.rounding is None or not cells.published:
        return []
    return [
        RecoveredCell(label, n)
        for label in range(cells.n_labels)
        for n in _recovered_of_label(cells, label)
    ]


def _recovered_of_label(cells: Cells, label: int) -> list[float]:
    keys = np.array([by_label[label] for by_label in cells.keys], dtype=np.uint64)
    distinct, first, position = np.unique(keys, return_index=True, return_inverse=True)
    low, high = _published_bounds(cells, label, distinct, position)
    outer, inner = _nested(cells, label, first)
    differences = distinct[outer] - distinct[inner]
    distinct_differences, which, n_times = np.unique(
        differences, return_inverse=True, return_counts=True
    )
    known = np.isin(
        distinct_differences, distinct, kind="sort"
    )  # keys are spread too far for a table of them
    shared = known | (n_times > 1)
    # differences that two pairs share are sets of their own; of others the bounds just follow
    new = np.flatnonzero(shared & ~known)
    where = np.full(len(distinct_differences), -1, dtype=np.int64)
    where[known] = np.searchsorted(distinct, distinct_differences[known])
    where[new] = len(distinct) + np.arange(len(new))
    bounds = _Bounds(
        np.concatenate([low, np.zeros(len(new), dtype=np.int64)]),
        np.concatenate([high, np.full(len(new), high.max(initial=0), dtype=np.int64)]),
    )
    used = shared[which]
    published_sums = np.array(
        [(position[a], position[b], position[c]) for a, (b, c) in cells.sums], dtype=np.int64
    ).reshape(-1, 3)
    bounds.narrow(
        _Sums(
            np.concatenate([published_sums[:, 0], outer[used]]),
            np.concatenate([published_sums[:, 1], inner[used]]),
            np.concatenate([published_sums[:, 2], where[which[used]]]),
        )
    )
    least = np.concatenate([bounds.low, bounds.low[outer] - bounds.high[inner]])
    most = np.concatenate([bounds.high, bounds.high[outer] - bounds.low[inner]])
    least = np.maximum(least, 0)
    assert cells.rounding is not None
    pinned = (least == most) & (least > 0) & (most * cells.unit < cells.rounding.min_cell)
    if pinned.any():
        return (most[pinned] * cells.unit).tolist()
    inside = _inside(cells, label, first)
    smallest = cells.rounding.min_cell / cells.unit
    return [n * cells.unit for n in recovered_by_programmes(inside, low, high, smallest)]


def _published_bounds(
    cells: Cells, label: int, distinct: np.ndarray, position: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Counts in whole units that each set's number can stand for."""
    assert cells.rounding is not None
    step = cells.rounding.step
    where = position[list(cells.published)]
    numbers = np.array([by_label[label] for by_label in cells.published.values()])
    is_rounded = np.abs(numbers / step - np.round(numbers / step)) < ROUNDING_ERROR
    half = np.where(is_rounded, step / 2, 0.0)
    lowest = np.ceil((numbers - half) / cells.unit - ROUNDING_ERROR).astype(np.int64)
    highest = np.ceil((numbers + half) / cells.unit - ROUNDING_ERROR).astype(np.int64) - 1
    highest = np.where(is_rounded, highest, lowest)  # a number that was not rounded is exact
    low = np.zeros(len(distinct), dtype=np.int64)
    high = np.full(len(distinct), 2 * highest.sum() + 1, dtype=np.int64)
    np.maximum.at(low, where, lowest)
    np.minimum.at(high, where, highest)
    high[distinct == 0] = 0  # a set of nobody
    return low, high


def _nested(cells: Cells, label: int, sets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of a set and a proper subset of it, by index in ``sets``."""
    inside = _inside(cells, label, sets).astype(np.float32)
    sizes = inside.sum(axis=1)
    common = inside @ inside.T
    nested = (common == sizes[None, :]) & (sizes[:, None] > sizes[None, :]) & (sizes[None, :] > 0)
    outer, inner = np.nonzero(nested)
    return outer, inner


def _inside(cells: Cells, label: int, sets: np.ndarray) -> np.ndarray:
    """Which groups of people of a label, that no set parts, are in each set: (sets, groups)."""
    rows = np.flatnonzero(cells.codes == label)
    _, some = np.unique(cells.signatures[rows], return_index=True)
    rows = rows[some]
    n_rows = len(cells.codes)
    return np.array(
        [np.unpackbits(cells.members[i], count=n_rows)[rows] for i in sets], dtype=bool
    ).reshape(len(sets), len(rows))
