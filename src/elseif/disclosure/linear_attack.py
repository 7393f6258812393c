"""The attack by linear programming, over all published numbers together.

Intervals that constrain each other in twos or threes (``attack.py``) do not find everything:
overlapping counts of many lists can determine a count that no few of them determine. Here each
published number is an interval for a sum over groups of people that no set divides, and a set is
revealed if the least and the largest count that all intervals allow differ by less than one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

N_PROBES = 48  # solutions, at most, by which most sets are seen to be loose
FEW = 4  # sets that are left: two programmes for each decide sooner than further probes
MOST_PROGRAMMES = 400  # of sets that are left; with more, rounding is taken not to hold
TOLERANCE = 1e-6


def recovered_by_programmes(
    inside: np.ndarray, low: np.ndarray, high: np.ndarray, smallest: float
) -> list[float]:
    """Counts below a limit that linear programmes determine; NaN for sets too many to be checked.

    ``inside`` says which groups of people each published set is made of: (sets, groups); ``low``
    and ``high`` bound the counts that its published number can stand for.
    """
    left, solve = _Candidates(_targets(inside), smallest), _Programme(inside, low, high)
    rng = np.random.default_rng(0)
    for n_tried in range(N_PROBES):
        if len(left) <= FEW:
            break
        empty = left.most <= TOLERANCE  # in all solutions so far
        if empty.any():
            solution = solve(-left.sets[empty].sum(axis=0))  # as large as they can be together
            if (left.sets[empty] @ solution).sum() <= TOLERANCE:
                left.keep(~empty)  # empty sets reveal nothing
        else:
            sign = 1 if n_tried % 2 else -1
            solution = solve(sign * (rng.random(len(left)) @ left.sets))
        left.compare(solution)
    if len(left) > MOST_PROGRAMMES:
        return [float("nan")]
    return list(_pinned(left, solve))


def _pinned(left: _Candidates, solve: _Programme) -> Iterator[float]:
    """The counts of candidates whose own two programmes are less than one apart."""
    while len(left):
        target = left.sets[0]
        largest, smallest = solve(-target), solve(target)
        most, least = float(target @ largest), float(target @ smallest)
        if most - least < 1 - TOLERANCE and TOLERANCE < most < left.limit - TOLERANCE:
            yield float(round(most))
        left.keep(np.arange(len(left)) > 0)
        left.compare(largest)
        left.compare(smallest)


class _Candidates:
    """Sets that may be revealed: their counts in all solutions so far are close, below a limit."""

    def __init__(self, sets: np.ndarray, limit: float) -> None:
        self.sets, self.limit = sets, limit
        self.least, self.most = np.full(len(sets), np.inf), np.zeros(len(sets))

    def __len__(self) -> int:
        return len(self.sets)

    def keep(self, which: np.ndarray) -> None:
        """Forget the other sets."""
        self.sets, self.least, self.most = self.sets[which], self.least[which], self.most[which]

    def compare(self, solution: np.ndarray) -> None:
        """Forget sets that a further solution shows to be loose, or large enough."""
        counts = self.sets @ solution
        self.least, self.most = np.minimum(self.least, counts), np.maximum(self.most, counts)
        apart = self.most - self.least >= 1 - TOLERANCE
        self.keep(~apart & (self.most < self.limit - TOLERANCE))


def _targets(inside: np.ndarray) -> np.ndarray:
    """Sets, differences of a set and one within it, and groups, each once."""
    members = inside.astype(np.float32)
    sizes = members.sum(axis=1)
    common = members @ members.T
    outer, inner = np.nonzero((common == sizes[None, :]) & (sizes[:, None] > sizes[None, :]))
    differences = inside[outer] & ~inside[inner]
    groups = np.eye(inside.shape[1], dtype=bool)
    packed = np.unique(np.packbits(np.vstack([inside, differences, groups]), axis=1), axis=0)
    return np.unpackbits(packed, axis=1, count=inside.shape[1]).astype(np.float32)


class _Programme:
    """Counts of the groups that published numbers allow: the vertex that minimises an objective."""

    def __init__(self, inside: np.ndarray, low: np.ndarray, high: np.ndarray) -> None:
        from scipy.sparse import csr_array

        # typed as Any: SciPy takes sparse constraints, which its stubs do not say
        self._constraints: Any = csr_array(
            np.vstack([inside, -inside.astype(np.int8)]).astype(float)
        )
        self._limits = np.concatenate([high, -low]).astype(float)
        self._most = float(high.max(initial=0)) + 1.0

    def __call__(self, objective: np.ndarray) -> np.ndarray:
        from scipy.optimize import linprog  # loaded under a minimum cell

        solution = linprog(
            np.asarray(objective, dtype=float),
            A_ub=self._constraints,
            b_ub=self._limits,
            bounds=(0.0, self._most),
        )
        if solution.x is None:
            raise ArithmeticError(f"the attack's linear programme failed: {solution.message}")
        counts: np.ndarray = solution.x
        return counts
