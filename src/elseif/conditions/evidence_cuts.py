"""Cut points where the labels change: fine quantiles, thinned as long as the evidence agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from elseif.conditions.cut_points import quantile_cuts

N_FINE = 16  # quantiles to begin with, unless more are requested


def evidence_cuts(
    values: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None,
    n_labels: int,
    n_quantiles: int,
) -> list[Any]:
    """Readable quantiles, without those between adjacent parts with similar labels.

    Starting from at least 16 parts, the two adjacent parts with the least evidence of different
    labels are joined until every cut has more evidence than choosing among so many quantiles costs,
    or one cut is left: a column that says nothing on its own may still say something together with
    another. ``codes`` and ``weights`` have the label and weight of each value.
    """
    cuts = quantile_cuts(values, weights, max(n_quantiles, N_FINE))
    if len(cuts) < 2:
        return cuts
    parts = np.searchsorted(np.array(cuts), values, side="left")
    counts = np.zeros((len(cuts) + 1, n_labels))
    np.add.at(counts, (parts, codes), 1.0 if weights is None else weights)
    return joined_parts(cuts, counts)


def joined_parts(cuts: list[Any], counts: np.ndarray) -> list[Any]:
    """The cuts that are left when adjacent parts with similar labels are joined.

    ``counts`` has the label counts of the parts: (cuts + 1, labels).
    """
    cuts = list(cuts)
    if len(cuts) < 2:
        return cuts
    price = float(np.log(len(cuts)))  # of a cut being any of them
    while len(cuts) > 1:
        alone = _log_marginal_likelihood(counts)
        joined = _log_marginal_likelihood(counts[1:] + counts[:-1]) - alone[1:] - alone[:-1]
        position = int(np.argmax(joined))
        if joined[position] <= -price:
            break
        counts[position] += counts[position + 1]
        counts = np.delete(counts, position + 1, axis=0)
        del cuts[position]
    return cuts


def _log_marginal_likelihood(counts: np.ndarray) -> np.ndarray:
    """Of each row of label counts, all distributions of labels being as likely."""
    n_labels = counts.shape[1]
    value: np.ndarray = (
        gammaln(n_labels) + gammaln(counts + 1).sum(axis=1) - gammaln(counts.sum(axis=1) + n_labels)
    )
    return value
