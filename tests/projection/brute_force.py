"""The projected list by looking at every list, written as its definition reads."""

from __future__ import annotations

from itertools import permutations

import numpy as np

TIE = 1e-11
FEWEST = 10  # observations, by weight, on every line of a list


def nearest_of_all(
    truth: np.ndarray,
    weights: np.ndarray,
    target: np.ndarray,
    labels: np.ndarray,
    max_length: int,
) -> tuple[tuple[int, ...], float]:
    """The list of at most so many antecedents that is nearest to a target, and its distance.

    Every line has ten observations, unless there is one line alone. The distance is the mean of the
    divergence and of the AUC that is lost, on the same scale. Truth has a column for each
    antecedent. Of equally near lists the shortest; then the one that
    captures more, rule by rule; then the first in the order of the antecedents.
    """
    mean = np.average(target, axis=0, weights=weights)
    information = float((target * np.log(target / mean)).sum(axis=1) @ weights / weights.sum())
    highest = expected_auc(target, weights, target)
    best: tuple[tuple[int, ...], float] | None = None
    for m in range(max_length + 1):
        result: list[tuple[float, tuple[float, ...], tuple[int, ...]]] = []
        for rules in permutations(range(truth.shape[1]), m):
            line = lines_of(rules, truth)
            divergence, on_lines = divergence_of(line, m, weights, target)
            if m and min(on_lines) < FEWEST:
                continue
            captured = on_lines[:-1]
            auc = expected_auc(printed(line, m, weights, labels, target.shape[1]), weights, target)
            distance = (divergence + information * (highest - auc) / (highest - 0.5)) / 2
            result.append((distance, tuple(-n for n in captured), rules))
        if not result:
            break
        nearest = min(distance for distance, _, _ in result)
        _, _, rules = min(
            (each for each in result if each[0] <= nearest + TIE / 2), key=lambda each: each[1:]
        )
        if best is None or nearest < best[1] - TIE / 2:
            best = rules, nearest
    assert best is not None
    return best


def lines_of(rules: tuple[int, ...], truth: np.ndarray) -> np.ndarray:
    """The line that captures each row; the default rule is the last."""
    line = np.full(len(truth), len(rules))
    for j in reversed(range(len(rules))):
        line[truth[:, rules[j]]] = j
    return line


def divergence_of(
    line: np.ndarray, n_rules: int, weights: np.ndarray, target: np.ndarray
) -> tuple[float, list[float]]:
    """Mean divergence of the target from its mean on each line, and how much is on each line."""
    means = np.empty_like(target)
    captured = []
    for j in range(n_rules + 1):
        on_line = line == j
        if on_line.any():
            means[on_line] = np.average(target[on_line], axis=0, weights=weights[on_line])
        captured.append(float(weights[on_line].sum()))
    rows = (target * np.log(target / means)).sum(axis=1)
    return float(rows @ weights / weights.sum()), captured


def printed(
    line: np.ndarray, n_rules: int, weights: np.ndarray, labels: np.ndarray, n_labels: int
) -> np.ndarray:
    """What the list predicts for each row, with pseudocounts of 1."""
    counts = np.ones((n_rules + 1, n_labels))
    np.add.at(counts, (line, labels), weights)
    return (counts / counts.sum(axis=1, keepdims=True))[line]


def expected_auc(predicted: np.ndarray, weights: np.ndarray, target: np.ndarray) -> float:
    """The AUC that predictions have if the target is right; the mean over labels."""
    n_labels = target.shape[1]
    aucs = []
    for k in [1] if n_labels == 2 else range(n_labels):
        events, others = weights * target[:, k], weights * (1 - target[:, k])
        risk = predicted[:, k]
        higher = risk[:, None] - risk[None, :]
        wins = np.where(np.abs(higher) <= 1e-12, 0.5, higher > 0)
        aucs.append(events @ wins @ others / (events.sum() * others.sum()))
    return float(np.mean(aucs))
