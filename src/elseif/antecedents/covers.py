"""Covers of conjunctions, computed when they are needed, and compared."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np


class LazyCovers:
    """A sequence of covers of antecedents, computed when they are needed."""

    def __init__(self, covers: np.ndarray, condition_ids: np.ndarray) -> None:
        self._covers, self._condition_ids = covers, condition_ids

    def __len__(self) -> int:
        return len(self._condition_ids)

    def __getitem__(self, position: int) -> np.ndarray:
        condition_ids = self._condition_ids[position]
        return np.bitwise_and.reduce(self._covers[condition_ids[condition_ids >= 0]], axis=0)


def same_covers(covers: np.ndarray | LazyCovers) -> Iterable[list[int]]:
    """Positions of identical covers, grouped."""
    groups: dict[bytes, list[list[int]]] = {}  # by digest, for covers are long; then exactly
    for i in range(len(covers)):
        cover = covers[i]
        digest = hashlib.blake2b(np.ascontiguousarray(cover).data, digest_size=16).digest()
        alike = groups.setdefault(digest, [])
        for twins in alike:
            if np.array_equal(covers[twins[0]], cover):
                twins.append(i)
                break
        else:
            alike.append([i])
    return [twins for alike in groups.values() for twins in alike]
