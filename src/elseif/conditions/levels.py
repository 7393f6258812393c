"""Which levels of a category a model may name: those that several people have."""

from __future__ import annotations

from typing import Any

import numpy as np

from elseif.bits.packing import ROWS_AT_ONCE
from elseif.tables.columns import Column
from elseif.tables.labels import Labels

# a level of fewer people is named by no "!=", in no group and in no table
FEWEST_OF_A_LEVEL = 5
SHORT_SCALE = 12  # levels that are kept together, as a page lists them: child beside adult


def level_counts(column: Column, labels: Labels, by_weight: bool | None = None) -> np.ndarray:
    """Number of observations of each level of a category.

    By default only integer weights are summed, each of which repeats a row; a row of any other
    weight is one person. ``by_weight`` decides it explicitly.
    """
    assert column.codes is not None
    if by_weight is None:
        by_weight = float(labels.unit).is_integer()
    n = len(column.categories)
    counts = np.zeros(n)
    for start in range(0, column.n_rows, ROWS_AT_ONCE):
        some = slice(start, start + ROWS_AT_ONCE)
        codes = column.codes[some]
        used = (codes >= 0) & (labels.codes[some] >= 0)
        weights = None if labels.repeats is None else labels.repeats[some][used]
        if by_weight and not labels.count_once:
            weights = labels.weights[some][used]
        counts += np.bincount(codes[used], weights=weights, minlength=n)
    return counts * labels.unit if by_weight else counts


def nameable(column: Column, labels: Labels) -> np.ndarray:
    """Which levels enough people have for a model to keep their names."""
    return level_counts(column, labels) >= FEWEST_OF_A_LEVEL


def short_scale(column: Column, labels: Labels) -> tuple[Any, ...]:
    """The levels that a model keeps beside those that it names: of a short scale, the common."""
    if column.codes is None or len(column.categories) > SHORT_SCALE:
        return ()
    may_name = nameable(column, labels)
    return tuple(c for c, may in zip(column.categories, may_name, strict=True) if may)
