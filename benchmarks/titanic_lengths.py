"""Does a kernel reach the lists apart from the main mode? Titanic against its enumeration."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.datasets.titanic import PAPER_SPLIT

sys.path.insert(0, str(Path(__file__).parent.parent))

KERNELS = ("paper", "tempered", "exact")
LENGTHS = range(2, 9)
N_SEEDS = 20


def main() -> None:
    from tests.paper.enumeration import enumerate_titanic

    X, y = load_titanic("paper")
    exact = enumerate_titanic(PAPER_SPLIT).lengths
    print(f"share of lists by length, mean (standard error) of {N_SEEDS} automatic runs")
    print(f"{'':<10}" + "".join(f"{f'm = {m}':>15}" for m in LENGTHS))
    print(f"{'all lists':<10}" + "".join(f"{exact[m]:>15.4f}" for m in LENGTHS))
    for kernel in KERNELS:
        shares = []
        for seed in range(N_SEEDS):
            clf = BayesianRuleListClassifier(kernel=kernel, random_state=seed, max_iter=500_000)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ConvergenceWarning)
                posterior = clf.fit(X, y).posterior_
            shares.append(np.bincount(posterior.lengths, minlength=16) / posterior.n_draws)
        mean = np.mean(shares, axis=0)
        error = np.std(shares, axis=0, ddof=1) / np.sqrt(N_SEEDS)
        print(f"{kernel:<10}" + "".join(f"{mean[m]:>7.4f} ({error[m]:.4f})" for m in LENGTHS))


if __name__ == "__main__":
    main()
