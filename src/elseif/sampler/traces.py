"""Evenly spaced draws of every chain: what they hold, and what they predict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs

MOST_POINTS = 1000  # of a chain, evenly spaced


@dataclass(frozen=True)
class MonitoredObservations:
    """Observations whose predicted probabilities are monitored."""

    truth: np.ndarray  # bool (antecedents, observations)
    labels: np.ndarray  # int (observations,): the label whose probability is monitored


class Traces:
    """Points of all chains, and the distinct lists that are met there.

    A quantity is computed once for each list; list_of_draw, (chains, points), says at which list a
    chain is.
    """

    def __init__(self, chains: Sequence[RunLengthDraws]) -> None:
        joined = join_runs(chains)
        first, distinct = distinct_lists(joined)
        self.n_distinct = len(first)
        sizes = [int(chain.n_draws.sum()) for chain in chains]
        # of all draws at each distinct list, in the order in which they were first met
        self.shares = np.bincount(distinct, weights=joined.n_draws) / sum(sizes)
        self.share_log_posterior = joined.log_posterior[first]
        points = np.stack(
            [
                start + np.linspace(0, n - 1, min(MOST_POINTS, n)).astype(np.int64)
                for start, n in zip(np.cumsum([0, *sizes[:-1]]), sizes, strict=True)
            ]
        )
        run_of_point = np.searchsorted(np.cumsum(joined.n_draws), points, side="right")
        used, list_of_point = np.unique(distinct[run_of_point], return_inverse=True)
        self.list_of_draw = list_of_point.reshape(points.shape)
        self._distinct_of_list = used
        self.groups = _groups(chains, joined, run_of_point)
        self._runs, self._first, self._used = joined, first, first[used]
        lengths = joined.lengths[self._used]
        self.log_posterior = joined.log_posterior[self._used]
        self.lengths = lengths.astype(float)
        # lists as rows of antecedents, -1 beyond a list's end
        self._lists = np.full((len(used), int(lengths.max(initial=0))), -1, dtype=np.int64)
        position = np.arange(self._lists.shape[1])
        inside = position < lengths[:, None]
        self._lists[inside] = joined.items[(joined.offsets[self._used][:, None] + position)[inside]]

    def average_cardinality(self, cardinalities: np.ndarray) -> np.ndarray:
        """Average cardinality of each list; 0 keeps the empty one, which has none, apart."""
        sizes = np.where(self._lists >= 0, cardinalities[self._lists], 0).sum(axis=1)
        average: np.ndarray = sizes / np.maximum(self.lengths, 1)
        return average

    def overall_means(self, cardinalities: np.ndarray) -> list[float]:
        """Means over all draws: log posterior, length, average cardinality of lists with rules."""
        lengths, begin = self._runs.lengths[self._first], self._runs.offsets[self._first]
        total = np.concatenate([[0], np.cumsum(cardinalities[self._runs.items])])
        has_one = lengths > 0
        begin, n = begin[has_one], lengths[has_one]
        average = (total[begin + n] - total[begin]) / n
        weights = self.shares[has_one]
        return [
            float(self.shares @ self.share_log_posterior),
            float(self.shares @ lengths),
            float(weights @ average / weights.sum()) if len(weights) else float("nan"),
        ]

    def predicted(
        self, monitored: MonitoredObservations, pseudocounts: np.ndarray, unit: float
    ) -> np.ndarray:
        """Predicted probability of the monitored observations, (lists, observations)."""
        n_lists, width = self._lists.shape
        hit = np.zeros((n_lists, width + 1, len(monitored.labels)), dtype=bool)
        inside = self._lists >= 0
        hit[:, :width][inside] = monitored.truth[self._lists[inside]]
        lengths = inside.sum(axis=1)
        hit[np.arange(n_lists), lengths] = True  # the default rule is true of everybody
        rule = np.argmax(hit, axis=1)
        begin = self._runs.offsets[self._used] + self._used
        counts = self._runs.label_counts[begin[:, None] + rule] * unit + pseudocounts
        probability = np.take_along_axis(counts, monitored.labels[None, :, None], axis=2)[..., 0]
        by_list: np.ndarray = probability / counts.sum(axis=2)
        return by_list

    def shares_of(self, lists: Sequence[tuple[int, ...]]) -> np.ndarray:
        """The share of the draws at each of some lists, which may be 0."""
        longest = max((len(antecedent_list) for antecedent_list in lists), default=-1)
        lengths, begin = self._runs.lengths[self._first], self._runs.offsets[self._first]
        drawn = {
            tuple(self._runs.items[begin[i] : begin[i] + lengths[i]].tolist()): self.shares[i]
            for i in np.flatnonzero(lengths <= longest)
        }
        return np.array([drawn.get(tuple(antecedent_list), 0.0) for antecedent_list in lists])

    def is_list(self, distinct: np.ndarray) -> np.ndarray:
        """Whether each list is one of some distinct ones, (lists, distinct)."""
        is_drawn: np.ndarray = self._distinct_of_list[:, None] == distinct
        return is_drawn

    def presence(self, antecedents: np.ndarray, pool_size: int) -> np.ndarray:
        """Which of some antecedents each list holds, (lists, antecedents)."""
        column = np.full(pool_size, -1, dtype=np.int64)
        column[antecedents] = np.arange(len(antecedents))
        table = np.zeros((len(self._lists), len(antecedents) + 1), dtype=bool)
        rows, positions = np.nonzero(self._lists >= 0)
        table[rows, column[self._lists[rows, positions]]] = True
        return table[:, :-1]


def _groups(
    chains: Sequence[RunLengthDraws], joined: RunLengthDraws, run_of_point: np.ndarray
) -> np.ndarray | None:
    """The replica of each point, over all chains; None if each chain has only one."""
    if joined.replica is None or not np.any(joined.replica):
        return None
    n_replicas = int(joined.replica.max()) + 1
    of_point = joined.replica[run_of_point].astype(np.int64)
    of_point += n_replicas * np.arange(len(chains))[:, None]
    return of_point
