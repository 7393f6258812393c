"""The projected list by looking at every list, written as its definition reads."""

from __future__ import annotations

from itertools import permutations

import numpy as np

TIE = 1e-11


def nearest_of_all(
    truth: np.ndarray, weights: np.ndarray, target: np.ndarray, max_length: int
) -> tuple[tuple[int, ...], float]:
    """The list of at most so many antecedents that is nearest to a target, and its distance.

    Truth has a column for each antecedent. Of equally near lists the shortest; then the one that
    captures more, rule by rule; then the first in the order of the antecedents.
    """
    best: tuple[tuple[int, ...], float, tuple[float, ...]] | None = None
    for m in range(max_length + 1):
        found: list[tuple[float, tuple[float, ...], tuple[int, ...]]] = []
        for rules in permutations(range(truth.shape[1]), m):
            distance, captured = distance_of(rules, truth, weights, target)
            found.append((distance, tuple(-n for n in captured), rules))
        nearest = min(distance for distance, _, _ in found)
        _, captured_, rules = min(
            (each for each in found if each[0] <= nearest + TIE), key=lambda each: each[1:]
        )
        if best is None or nearest < best[1] - TIE:
            best = rules, nearest, captured_
    assert best is not None
    return best[:2]


def distance_of(
    rules: tuple[int, ...], truth: np.ndarray, weights: np.ndarray, target: np.ndarray
) -> tuple[float, list[float]]:
    """Mean divergence of the target from its mean on each line, and what the rules capture."""
    line = np.full(len(target), len(rules))
    for j in reversed(range(len(rules))):
        line[truth[:, rules[j]]] = j
    means = np.empty_like(target)
    captured = []
    for j in range(len(rules) + 1):
        here = line == j
        if here.any():
            means[here] = np.average(target[here], axis=0, weights=weights[here])
        captured.append(float(weights[here].sum()))
    rows = (target * np.log(target / means)).sum(axis=1)
    return float(rows @ weights / weights.sum()), captured[:-1]
