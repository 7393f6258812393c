"""The share of each list among the draws, compared with its log posterior, which is known.

The ratio of the true shares of two lists is known exactly: it is the ratio of their posteriors, in
which the evidence cancels. So the shares of frequently drawn lists must be proportional to their
posteriors, whatever R-hat says, and a short list that was scored before sampling must have been
drawn as often as its posterior implies, whether or not a chain ever visited it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import logsumexp

from elseif.sampler.quantity import ENOUGH_ESS, SMALL_ERROR

LEAST_SHARE = 0.01  # of the draws, for a list to be checked individually
MOST_LISTS = 20
# standard errors that a share may be off, and all of them in the root mean square
LARGEST_DEVIATION, LARGEST_MEAN_DEVIATION = 4.0, 2.0


@dataclass(frozen=True)
class ScoredLists:
    """Lists whose log posterior is known, up to the evidence, without any draw."""

    lists: tuple[tuple[int, ...], ...]
    log_posterior: np.ndarray


@dataclass(frozen=True)
class ShareCheck:
    """How far the shares of frequent lists are from what their posteriors ask for.

    In units of the Monte Carlo standard error that a verdict allows; NaN where fewer than two
    lists are frequent.
    """

    largest: float
    mean: float

    @property
    def passed(self) -> bool:
        """Whether shares and posteriors agree, or nothing can be said."""
        return not (self.largest > LARGEST_DEVIATION or self.mean > LARGEST_MEAN_DEVIATION)


def frequent_lists(shares: np.ndarray) -> np.ndarray:
    """The lists of at least one draw in a hundred, the most frequent first, at most twenty."""
    order = np.argsort(-shares, kind="stable")[:MOST_LISTS]
    frequent: np.ndarray = order[shares[order] >= LEAST_SHARE]
    return frequent


def check_shares(shares: np.ndarray, log_posterior: np.ndarray) -> ShareCheck:
    """Compare the shares of the draws of frequent lists with their posteriors.

    ``log_posterior`` is known up to a constant.
    """
    if len(shares) < 2:
        return ShareCheck(float("nan"), float("nan"))
    expected = np.exp(log_posterior - log_posterior.max())
    expected *= shares.sum() / expected.sum()
    deviation = _deviation(shares, expected)
    return ShareCheck(float(deviation.max()), float(np.sqrt(np.mean(deviation**2))))


def check_scored(
    drawn: tuple[np.ndarray, np.ndarray], scored: tuple[np.ndarray, np.ndarray]
) -> float:
    """The largest deviation of the shares of lists scored before sampling from their posteriors.

    ``drawn`` and ``scored`` have shares and log posteriors; the drawn lists with the highest
    posterior determine which share corresponds to a log posterior, and scored lists may have a
    share of 0. NaN if no list was scored.
    """
    shares, log_posterior = scored
    if not len(shares):
        return float("nan")
    best = np.argsort(-drawn[1], kind="stable")[:MOST_LISTS]
    log_evidence = logsumexp(drawn[1][best]) - np.log(drawn[0][best].sum())
    expected = np.exp(np.minimum(log_posterior - log_evidence, 0.0))
    return float(_deviation(shares, expected).max())


def _deviation(shares: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How far shares are off, in standard errors that a verdict allows."""
    allowed = np.sqrt(expected * (1 - np.minimum(expected, 1.0)) / ENOUGH_ESS)
    deviation: np.ndarray = np.abs(shares - expected) / np.maximum(allowed, SMALL_ERROR)
    return deviation
