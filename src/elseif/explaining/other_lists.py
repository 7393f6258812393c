"""What all the lists of a posterior predict for one case."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif.explaining.case import needed_column
from elseif.model.consequent import TIE, consequent_mean
from elseif.posterior.draws import Posterior
from elseif.posterior.intervals import mixture_intervals
from elseif.posterior.predictive import predictive_probabilities
from elseif.tables.reading import Table


@dataclass(frozen=True)
class PosteriorPrediction:
    """The probability of one label over the draws of a posterior."""

    label: Any
    name: str
    mean: float  # the posterior predictive probability
    low: float  # 2.5th percentile of the draws' probabilities
    median: float
    high: float  # 97.5th percentile
    share_above: float  # share of the draws whose probability is above the explained list's
    share_below: float
    interval: tuple[float, float] = (0.0, 1.0)  # credible, over all lists and their lines


@dataclass(frozen=True)
class OtherLists:
    """What the lists of a posterior predict for a case, weighted by their draws."""

    n_draws: int
    n_lists: int
    labels: tuple[PosteriorPrediction, ...]
    predicted: str  # the label of highest posterior predictive probability
    agreement: float  # share of the draws that predict the explained list's label


def judge(posterior: Posterior, table: Table, own: np.ndarray, level: float = 0.95) -> OtherLists:
    """What the draws predict for a one-row table, compared with a list's own probabilities."""
    by_list = probabilities_by_list(posterior, table)
    weights = posterior.probabilities
    mean = predictive_probabilities(posterior, table)[0]
    intervals = mixture_intervals(posterior, table, level)[0].tolist()
    labels = []
    names = posterior.metadata.label_names
    for position, label in enumerate(posterior.metadata.classes.tolist()):
        values = by_list[:, position]
        low, median, high = weighted_quantiles(values, weights, (0.025, 0.5, 0.975))
        labels.append(
            PosteriorPrediction(
                label=label,
                name=names[position],
                mean=float(mean[position]),
                low=low,
                median=median,
                high=high,
                share_above=float(weights[values > own[position] + TIE].sum()),
                share_below=float(weights[values < own[position] - TIE].sum()),
                interval=tuple(intervals[position]),
            )
        )
    agrees = np.argmax(by_list, axis=1) == np.argmax(own)
    return OtherLists(
        n_draws=posterior.n_draws,
        n_lists=len(posterior.distinct),
        labels=tuple(labels),
        predicted=names[int(np.argmax(mean))],
        agreement=float(weights[agrees].sum()),
    )


def probabilities_by_list(posterior: Posterior, table: Table) -> np.ndarray:
    """Each distinct list's probabilities of the labels for a table's one row."""
    lists, pool, kinds = posterior.distinct, posterior.pool, posterior.metadata.kinds
    used = posterior.antecedents_used
    members, starts = pool.conditions_of(used)
    truth = np.ones(len(pool.conditions), dtype=bool)
    for c in np.unique(members):
        condition = pool.conditions[c]
        name = condition.column
        column = needed_column(table, name, kinds.get(name), "other lists of the posterior ask")
        truth[c] = condition.holds(column)[0]
    covers = np.zeros(len(pool), dtype=bool)
    covers[used] = np.logical_and.reduceat(truth[members], starts)
    # the place of the first rule that is true: the default rule's where none is
    owners = np.repeat(np.arange(len(lists)), lists.lengths)
    positions = np.arange(len(lists.items)) - lists.offsets[owners]
    first = lists.lengths.copy()
    hit = covers[lists.items]
    np.minimum.at(first, owners[hit], positions[hit])
    rows = lists.offsets[:-1] + np.arange(len(lists)) + first
    metadata = posterior.metadata
    counts = lists.label_counts[rows] * metadata.count_unit
    return consequent_mean(counts, metadata.pseudocounts)


def weighted_quantiles(
    values: np.ndarray, weights: np.ndarray, at: tuple[float, ...]
) -> tuple[float, ...]:
    """For each share, the smallest value that at least this share of the weight does not pass."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order])
    # a sum of many shares may fall short of one by its last digits
    positions = np.searchsorted(reached, np.array(at) * reached[-1] - TIE)
    return tuple(float(v) for v in values[order][np.minimum(positions, len(values) - 1)])
