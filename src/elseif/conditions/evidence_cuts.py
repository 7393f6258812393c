"""Cut points where the labels change: fine quantiles, thinned as long as the evidence agrees."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import gammaln

from elseif.conditions.cut_points import quantile_cuts

N_FINE = 16  # quantiles to begin with, unless more are asked for


def evidence_cuts(
    values: np.ndarray,
    codes: np.ndarray,
    weights: np.ndarray | None,
    n_labels: int,
    n_quantiles: int,
) -> list[Any]:
    """Readable quantiles without those between neighbours with similar labels.

    Of all neighbouring parts, the two with least evidence of different labels are joined, until
    every cut has more evidence than the choice among so many quantiles costs, or one is left: a
    column that tells nothing on its own may still tell something together with another.

    Parameters
    ----------
    values : ndarray
        Numbers or dates, all of them finite.
    codes : ndarray of int
        The label of each.
    weights : ndarray or None
        The weight of each; 1 where not given.
    n_labels : int
        How many labels there are.
    n_quantiles : int
        Parts to begin with, at least 16.

    Returns
    -------
    list
        The cut points, ascending.

    Examples
    --------
    >>> import numpy as np
    >>> age = np.arange(1000) / 10
    >>> evidence_cuts(age, (age > 62).astype(int), None, 2, 4)
    [56.0, 62.0]
    """
    cuts = quantile_cuts(values, weights, max(n_quantiles, N_FINE))
    if len(cuts) < 2:
        return cuts
    parts = np.searchsorted(np.array(cuts), values, side="left")
    counts = np.zeros((len(cuts) + 1, n_labels))
    np.add.at(counts, (parts, codes), 1.0 if weights is None else weights)
    return joined_parts(cuts, counts)


def joined_parts(cuts: list[Any], counts: np.ndarray) -> list[Any]:
    """The cuts that are left when neighbouring parts with like labels are joined.

    Parameters
    ----------
    cuts : list
        Cut points, ascending.
    counts : ndarray, shape (cuts + 1, labels)
        Label counts of the parts.

    Returns
    -------
    list
        Some of the cut points.
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
