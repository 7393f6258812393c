"""Whether a run that was accepted as converged is right, by a reference."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from elseif.sampler.convergence import Convergence
from elseif.sampler.quantity import ENOUGH_ESS, SMALL_ERROR
from elseif.sampler.run_length_draws import RunLengthDraws, distinct_lists, join_runs

ERRORS = 4.0  # standard errors that a right run may be off


def promised_draws(convergence: Convergence) -> float:
    """Effective draws that a verdict promises."""
    del convergence  # the same for whatever is accepted
    return ENOUGH_ESS


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
        first, index = distinct_lists(runs)
        shares = np.bincount(index, weights=weights)
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

    def errors_off(
        self, exact: Summary, n_effective: float, unsteady: Collection[int] = ()
    ) -> float:
        """The largest difference from the reference, in standard errors that a verdict promises.

        Those of so many effective draws, or what no reader would notice; inclusions that the
        verdict marks as unsteady are not promised.
        """
        best = max(exact.lists, key=exact.lists.__getitem__)
        promised = np.ones(len(exact.inclusion), dtype=bool)
        promised[list(unsteady)] = False
        ours, theirs = self.inclusion[promised], exact.inclusion[promised]
        shares = np.concatenate([self.lengths, ours, [self.lists.get(best, 0.0)]])
        expected = np.concatenate([exact.lengths, theirs, [exact.lists[best]]])
        error = np.sqrt(np.maximum(expected * (1 - expected), 0.0) / n_effective)
        off = np.abs(shares - expected) / np.maximum(error, SMALL_ERROR)
        of_mean = abs(self.log_posterior - exact.log_posterior) / exact.spread
        return float(max(off.max(), of_mean * np.sqrt(n_effective)))
