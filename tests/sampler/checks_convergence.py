"""Whether a run that was accepted as converged is right, by a reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.sampler.convergence import LOOSE_ESS, STRICT_ESS, Convergence
from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs

RARE = 0.01  # rarer shares are given the standard error of this one
ERRORS = 4.0  # standard errors that a right run may be off


def promised_draws(convergence: Convergence) -> float:
    """Effective draws that a verdict promises."""
    return STRICT_ESS if convergence.status == "converged" else LOOSE_ESS


@dataclass(frozen=True)
class Summary:
    """What a run says of the posterior."""

    log_posterior: float
    spread: float
    lengths: np.ndarray
    inclusion: np.ndarray
    lists: dict[bytes, float]

    @classmethod
    def of(cls, chains: Sequence[RunLengthDraws], pool_size: int) -> Summary:
        runs = join_runs(chains)
        weights = runs.n_draws / runs.n_draws.sum()
        mean = float(weights @ runs.log_posterior)
        first, place = distinct_lists(runs)
        shares = np.bincount(place, weights=weights)
        return cls(
            log_posterior=mean,
            spread=float(np.sqrt(weights @ (runs.log_posterior - mean) ** 2)),
            lengths=np.bincount(runs.lengths, weights=weights, minlength=pool_size + 1),
            inclusion=np.bincount(
                runs.items, weights=np.repeat(weights, runs.lengths), minlength=pool_size
            ),
            lists={
                runs.items[runs.offsets[run] : runs.offsets[run + 1]].tobytes(): float(share)
                for run, share in zip(first, shares, strict=True)
            },
        )

    def errors_off(self, exact: Summary, n_effective: float) -> float:
        """The largest difference from the reference, in standard errors."""
        best = max(exact.lists, key=exact.lists.__getitem__)
        shares = np.concatenate([self.lengths, self.inclusion, [self.lists.get(best, 0.0)]])
        expected = np.concatenate([exact.lengths, exact.inclusion, [exact.lists[best]]])
        p = np.clip(expected, RARE, 1 - RARE)
        off = np.abs(shares - expected) / np.sqrt(p * (1 - p))
        of_mean = abs(self.log_posterior - exact.log_posterior) / exact.spread
        return float(max(off.max(), of_mean) * np.sqrt(n_effective))
