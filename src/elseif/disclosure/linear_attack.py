"""The attack by linear programmes: what all published numbers tell when they are taken together.

Intervals that hold each other two or three at a time (``attack.py``) do not find everything:
numbers of many lists that overlap can pin a count that no few of them pin. Here each published
number is an interval of a sum over groups of people that no set parts, and a set is told where the
least and the largest count that all intervals allow are less than one apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

N_PROBES = 48  # solutions by which most sets are seen to be loose
MOST_PROGRAMMES = 400  # of sets that are left; with more, rounding is taken not to hold
TOLERANCE = 1e-6


def recovered_by_programmes(
    inside: np.ndarray, low: np.ndarray, high: np.ndarray, smallest: float
) -> list[float]:
    """Counts below a limit that linear programmes pin.

    Parameters
    ----------
    inside : ndarray of bool, shape (sets, groups)
        Which groups of people each published set is made of.
    low, high : ndarray of int, shape (sets,)
        Least and largest count of each set that its published number can stand for.
    smallest : float
        The limit: smaller counts must not be told.

    Returns
    -------
    list of float
        The counts that are told; NaN for sets that were too many to be checked.
    """
    targets = _targets(inside)
    solve = _Programme(inside, low, high)
    rng = np.random.default_rng(0)
    directions = rng.normal(size=(N_PROBES, inside.shape[1]))
    probes = [solve(direction) for direction in directions]
    counts = targets @ np.array(probes).T  # (targets, probes)
    spread = counts.max(axis=1) - counts.min(axis=1)
    may_be_recovered = (spread < 1 - TOLERANCE) & (counts.max(axis=1) < smallest - TOLERANCE)
    may_be_recovered &= counts.max(axis=1) > TOLERANCE
    left = targets[may_be_recovered]
    if len(left) > MOST_PROGRAMMES:
        return [float("nan")]
    return list(_pinned(left, solve, smallest))


def _pinned(targets: np.ndarray, solve: _Programme, smallest: float) -> Iterator[float]:
    for target in targets:
        least, most = float(target @ solve(target)), float(target @ solve(-target))
        if most - least < 1 - TOLERANCE and TOLERANCE < most < smallest - TOLERANCE:
            yield float(round(most))


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
        from scipy.optimize import linprog  # loaded where a minimum cell is held

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
