"""Effective draws by the variance between many chains, whatever happened within each.

The variance of a draw over the variance of the chains' means is a chain's number of effective
draws, with no assumption on how draws follow each other. The fewest count, of the log posterior,
the shares of each length and the inclusions of .01 to .99. An estimate from a few chains by
their autocorrelation would be higher for those that happen to miss a rare mode.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

LEAST_SHARE = 0.01  # inclusions and lengths between this and the rest are followed
SMALLEST = 1e-12  # a variance of chains that never differ
N_BOOTSTRAP = 500


def means_of(draws: Any, pool_size: int) -> np.ndarray:
    """Of a chain: the log posterior, its square, every inclusion and the share of every length."""
    share = draws.n_draws / draws.n_draws.sum()
    inclusion = np.bincount(draws.items, np.repeat(share, draws.lengths), minlength=pool_size)
    lengths = np.bincount(draws.lengths, share, minlength=pool_size + 1)
    moments = [share @ draws.log_posterior, share @ draws.log_posterior**2]
    means: np.ndarray = np.concatenate([moments, inclusion, lengths])
    return means


@dataclass
class Measured:
    """Chains of one kernel on one problem, each from its own seed."""

    means: list[np.ndarray] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)  # of CPU time
    length: list[float] = field(default_factory=list)
    n_rungs: list[int] = field(default_factory=list)

    def effective_draws(self, chains: np.ndarray | slice = slice(None)) -> float:
        """The fewest effective draws of a chain, by some chains or all."""
        means = np.stack(self.means)[chains]
        mean = means.mean(axis=0)
        shares = mean[2:]
        followed = (shares > LEAST_SHARE) & (shares < 1 - LEAST_SHARE)
        variance = np.array([mean[1] - mean[0] ** 2, *(shares * (1 - shares))[followed]])
        between = means[:, [True, False, *followed]].var(axis=0, ddof=1)
        return float(np.min(variance / np.maximum(between, SMALLEST)))

    def rate(self, chains: np.ndarray | slice = slice(None)) -> float:
        """Effective draws a CPU second."""
        return self.effective_draws(chains) / float(np.mean(self.seconds))


def ratio_of_rates(one: Measured, other: Measured) -> tuple[float, np.ndarray]:
    """How many times the rate of another kernel, and the same of bootstrap samples of chains."""
    rng = np.random.default_rng(0)
    n = len(one.means)
    samples = rng.integers(0, n, size=(N_BOOTSTRAP, n)), rng.integers(0, n, size=(N_BOOTSTRAP, n))
    ratios = [one.rate(a) / other.rate(b) for a, b in zip(*samples, strict=True)]
    return one.rate() / other.rate(), np.array(ratios)


def shown_ratio(ratio: float, samples: np.ndarray) -> str:
    """A ratio with the interval of 90 % of the bootstrap samples."""
    low, high = np.quantile(samples, [0.05, 0.95])
    return f"{ratio:.2f} ({low:.2f}-{high:.2f})"
