"""What the sum over all lists leaves behind. No compiled code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from elseif.model.prior import ListPrior

# the largest pool that is summed over: every antecedent more doubles the time and the memory
LARGEST_SUM = 24
LARGEST_INT32 = 2**31 - 1


@dataclass(frozen=True, eq=False)
class CoverPatterns:
    """Label counts of the observations by which antecedents cover them.

    Nothing else about the observations matters to the posterior over lists. A pattern is a
    number: bit a is set where antecedent a is true.
    """

    patterns: np.ndarray  # int64 (patterns,), ascending
    label_counts: np.ndarray  # int64 (patterns, labels), in units


@dataclass(frozen=True, eq=False)
class Summaries:
    """Summaries of the whole posterior, without draws."""

    log_evidence: float  # log p(y | x)
    length_probabilities: np.ndarray  # float64 (antecedents + 1,)
    inclusion: np.ndarray  # float64 (antecedents,)
    mean_average_cardinality: float  # over lists that have one; NaN where none has

    @property
    def mean_length(self) -> float:
        """Posterior mean of the number of rules, the default rule not counted."""
        return float(self.length_probabilities @ np.arange(len(self.length_probabilities)))


@dataclass(frozen=True, eq=False)
class ExactPosterior:
    """The posterior summed over all lists: its summaries, and all that it follows from.

    With pseudocounts and unit of the counts, patterns and prior give every probability again, those
    of predictions among them.
    """

    summaries: Summaries
    patterns: CoverPatterns
    prior: ListPrior
    map_place: int  # the most probable list, among the posterior's distinct lists
    point_place: int  # the point estimate, among them
    point_note: str | None = None  # where no list is as the point estimate should be


def count_type(n_counted: int) -> type[np.signedinteger]:
    """The integer type for label counts of this many observations, in units."""
    return np.int32 if n_counted <= LARGEST_INT32 else np.int64


def bytes_to_sum(pool_size: int, n_labels: int, n_counted: int) -> int:
    """Bytes of memory for the sum over all lists of a pool.

    ``n_counted`` is the sum of all label counts, in units.
    """
    counts = n_labels * count_type(n_counted)().itemsize
    return int((counts + 4 * 8) << pool_size)  # and up to four numbers for every subset


def bytes_to_predict(pool_size: int, n_labels: int, n_counted: int) -> int:
    """Memory that predictions from the sum take, the sum included; as for bytes_to_sum."""
    table = n_labels * 8  # and half as much again while it is made
    return bytes_to_sum(pool_size, n_labels, n_counted) + int((table + table // 2) << pool_size)
