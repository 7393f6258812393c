"""Patterns of conditions as integers: one bit for each condition."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

CONDITIONS_IN_A_NUMBER = 62  # of 64 bits, of which one is the sign


def truth_of(keys: np.ndarray, index: int) -> np.ndarray:
    """The patterns in which a condition is true, as booleans."""
    number, bit = divmod(index, CONDITIONS_IN_A_NUMBER)
    truth: np.ndarray = (keys[:, number] >> bit & 1).astype(bool)
    return truth


def in_order(
    keys: np.ndarray, codes: np.ndarray, weights: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Patterns by label in ascending order, each once with the sum of its weights."""
    order = np.lexsort((*keys.T, codes))
    keys, codes, weights = keys[order], codes[order], weights[order]
    is_new = np.ones(len(codes), dtype=bool)
    is_new[1:] = (codes[1:] != codes[:-1]) | (keys[1:] != keys[:-1]).any(axis=1)
    total = np.add.reduceat(weights, np.flatnonzero(is_new)) if len(weights) else weights
    return keys[is_new], codes[is_new], total


def keys_of(truths: Iterable[np.ndarray], n_rows: int) -> np.ndarray:
    """The pattern of conditions of each row: (rows, numbers), with at least one number."""
    numbers = [np.zeros(n_rows, dtype=np.int64)]
    for index, truth in enumerate(truths):
        number, bit = divmod(index, CONDITIONS_IN_A_NUMBER)
        if number == len(numbers):
            numbers.append(np.zeros(n_rows, dtype=np.int64))
        numbers[number] |= truth.astype(np.int64) << bit
    return np.stack(numbers, axis=1)


def sum_of_digests(keys: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Four numbers that identify a set of observations, whatever their order.

    Those of parts add up to those of the whole, and a row of weight 2 counts like two equal rows.
    """
    columns = [np.ascontiguousarray(c, dtype=np.int64).view(np.uint64) for c in (*keys.T, codes)]
    times = np.ascontiguousarray(weights, dtype=np.int64).view(np.uint64)
    total = np.zeros(4, dtype=np.uint64)
    for lane in range(len(total)):
        mixed = np.full(len(codes), lane + 1, dtype=np.uint64)
        for column in columns:
            mixed = _scattered(mixed ^ column)
        total[lane] = np.add.reduce(mixed * times, dtype=np.uint64)
    return total


def _scattered(numbers: np.ndarray) -> np.ndarray:
    """Each number as one that looks random (splitmix64, by Steele, Lea and Flood)."""
    z = numbers + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    scattered: np.ndarray = z ^ (z >> np.uint64(31))
    return scattered
