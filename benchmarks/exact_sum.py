"""What the sum over all lists takes by the size of the pool, beside chains on the same problems.

Chains are those of an automatic run, until they converge; the sum includes everything that a fit
takes from it: evidence, lengths, inclusions, the two best lists and the draws. Memory is that of
a process of its own above what it had before.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from elseif.bits.packing import make_layout
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.progress import Progress
from elseif.sampler.chains import MOST_SUMMED, SamplerSettings, sample
from elseif.sampler.exact_posterior import bytes_to_predict, bytes_to_sum
from elseif.sampler.exact_sum import ExactSum

SIZES = (12, 14, 16, 17, 18, 19, 20, 21, 22, 23, 24)
N = 2_000
REPEATS = 3


def problem(size: int, seed: int = 0) -> Problem:
    """Conditions that tell something of two labels, and pairs of them."""
    rng = np.random.default_rng(seed)
    n_single = size // 2
    conditions = rng.random((n_single, N)) < 0.4
    risk = 0.2 + 0.3 * conditions[0] + 0.3 * (conditions[1] & conditions[2])
    labels = (rng.random(N) < risk).astype(np.int64)
    pairs = [(i, j) for j in range(n_single) for i in range(j)][: size - n_single]
    truths = [*conditions, *(conditions[i] & conditions[j] for i, j in pairs)]
    layout = make_layout(labels, 2)
    cardinalities = np.array([1] * n_single + [2] * len(pairs))
    prior = ListPrior(cardinalities, 3.0, 1.0, np.ones(size))
    return Problem(np.stack([layout.pack(t) for t in truths]), layout, np.ones(2), prior)


def run(size: int, kernel: str) -> float:
    """CPU seconds of a fit's sampling, least of a few."""
    posed, best = problem(size), float("inf")
    for repeat in range(REPEATS if size <= 20 else 1):
        begin = time.process_time()
        settings = SamplerSettings(kernel, n_jobs=1)
        sample(posed, settings, np.random.SeedSequence(repeat), Progress())
        best = min(best, time.process_time() - begin)
    return best


def table_time(size: int) -> float:
    """CPU seconds of the predictions of all patterns, the sum included."""
    begin = time.process_time()
    ExactSum.of(problem(size)).predictive_table()
    return time.process_time() - begin


def measure(size: int) -> None:
    """In a process of its own: what one size takes."""
    sample(problem(6), SamplerSettings("exact"), np.random.SeedSequence(0), Progress())  # compiles
    ExactSum.of(problem(6)).predictive_table()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    seconds = run(size, "exact")
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    print(seconds, peak, table_time(size))


def main() -> None:
    """Print a line for every size."""
    print("| antecedents | sum, CPU s | MB | estimate | predictions, CPU s | estimate | chains |")
    print("|---|---|---|---|---|---|---|")
    run(12, "tempered")  # compiles
    for size in SIZES:
        command = [sys.executable, str(Path(__file__)), str(size)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        seconds, peak, predicting = map(float, done.stdout.split())
        needed, table = (f(size, 2, N) / 1e6 for f in (bytes_to_sum, bytes_to_predict))
        chains = run(size, "tempered")
        print(
            f"| {size}{' (auto)' if size <= MOST_SUMMED else ''} | {seconds:.2f} | {peak:.0f} "
            f"| {needed:.0f} | {predicting:.2f} | {table:.0f} | {chains:.2f} |",
            flush=True,
        )


if __name__ == "__main__":
    measure(int(sys.argv[1]))
