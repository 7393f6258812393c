"""Whether accepted runs weigh separated modes by the posterior, and how many are accepted.

For each family of problems and each size, runs of the default kernel with different seeds: how
many are accepted (`converged`), how many of those are wrong in the share of a mode by
more than four of the standard errors that their verdict promises, how far the worst one is off,
and how far their mean is.
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from mode_families import FAMILIES, Family

from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chains import SamplerSettings, sample
from elseif.sampler.convergence import PAPER_R_HAT, Convergence, is_good_enough
from elseif.sampler.quantity import INCLUSION, SMALL_ERROR

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.sampler.checks_convergence import ERRORS, promised_draws

SIZES = (500, 8_000, 100_000)


@dataclass(frozen=True)
class Outcome:
    """One run."""

    accepted: bool
    shares: np.ndarray
    n_effective: float  # that the verdict promises
    n_iter: int
    seconds: float
    refused: str  # what was not good enough


def run(family: Family, posed: Problem, seed: int, max_iter: int) -> Outcome:
    settings = SamplerSettings("tempered", max_iter=max_iter, n_jobs=1)
    begin = time.process_time()
    sampled = sample(posed, settings, np.random.SeedSequence((20260101, seed)), Progress())
    seconds = time.process_time() - begin
    return Outcome(
        is_good_enough(sampled.convergence),
        family.shares(sampled.chains),
        promised_draws(sampled.convergence),
        sampled.convergence.n_iter,
        seconds,
        reasons(sampled.convergence),
    )


def reasons(convergence: Convergence) -> str:
    """The checks that refuse a run, with what they saw."""
    unsteady = [q for q in convergence.unsteady if q.level != INCLUSION]
    parts = [f"{q.name}: mcse {q.mcse:.3f}, {q.ess:.0f} draws" for q in unsteady]
    if not convergence.r_hat < PAPER_R_HAT:
        parts.append(f"R-hat {convergence.r_hat:.3f}")
    if not convergence.shares_agree:
        parts.append("shares off by {:.1f}, mean {:.1f}".format(*convergence.share_deviation))
    if not convergence.restricted_sum_agrees:
        parts.append(f"exact sum off by {convergence.restricted_deviation[1]:.1f}")
    return "; ".join(parts)


def _promised_error(exact: np.ndarray, n_effective: float) -> np.ndarray:
    """The standard error of a share that a verdict promises."""
    return np.maximum(np.sqrt(exact * (1 - exact) / n_effective), SMALL_ERROR)


def line(family: Family, n: int, summed: np.ndarray | None, outcomes: list[Outcome]) -> str:
    """A row of the table; where nothing is summed, modes have equal parts of their draws."""
    accepted = [o for o in outcomes if o.accepted]
    shares = np.array([o.shares for o in accepted]).reshape(-1, family.n_blocks)
    parts = np.repeat(shares.mean(axis=1, keepdims=True), family.n_blocks, axis=1)
    exact = parts if summed is None else np.broadcast_to(summed, shares.shape)
    off = np.abs(shares - exact)
    promised = [_promised_error(e, o.n_effective) for e, o in zip(exact, accepted, strict=True)]
    errors = off / np.array(promised).reshape(off.shape)
    mean = np.abs((shares - exact).mean(axis=0)).max() if accepted else 0
    return (
        f"{family.name:<38}{n:>9,}{len(accepted):>6} of {len(outcomes):<3}"
        f"{int((errors > ERRORS).any(axis=1).sum()):>6}{off.max(initial=0):>8.3f}{mean:>9.3f}"
        f"{np.mean([o.n_iter for o in outcomes]) / 1000:>8.0f}k"
        f"{np.mean([o.seconds for o in outcomes]):>8.2f}   "
        f"{'equal' if summed is None else np.round(summed, 2)}"
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3, help="runs of each problem")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="observations")
    parser.add_argument("--only", default="", help="families whose name begins so")
    parser.add_argument("--tuned", action="store_true", help="families the kernel was tuned on")
    parser.add_argument("--max-iter", type=int, default=SamplerSettings.max_iter)
    options = parser.parse_args(arguments or [])
    print(
        f"{'family':<38}{'n':>9}{'accepted':>12}{'wrong':>7}{'worst':>8}{'mean off':>9}"
        f"{'length':>9}{'CPU s':>8}   exact shares"
    )
    for family in FAMILIES:
        if not family.name.startswith(options.only) or (options.tuned and family.judged):
            continue
        for n in options.sizes:
            posed = family.problem(n)
            exact = family.exact_shares(posed)
            outcomes = [run(family, posed, seed, options.max_iter) for seed in range(options.seeds)]
            print(line(family, n, exact, outcomes), flush=True)
            refused = [o.refused for o in outcomes if not o.accepted]
            for reason in refused:
                print(f"    refused: {reason}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
