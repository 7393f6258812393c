"""What weights cost an iteration, and what they do to the length of a list."""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic

N_ROWS, N_COLUMNS, N_ITER = 20_000, 40, 10_000


def cost(X: Any, y: Any, weights: Any, **settings: Any) -> tuple[float, int]:
    """CPU seconds of sampling alone, by two lengths of a run, and lines of the list."""
    seconds, lines = [], 0
    for n_iter in (N_ITER, 20 * N_ITER):
        clf = BayesianRuleListClassifier(
            random_state=0, kernel="paper", n_chains=1, n_iter=n_iter, **settings
        )
        start = time.process_time()
        clf.fit(X, y, weights)
        seconds.append(time.process_time() - start)
        lines = len(clf.rule_list_) + 1
    return seconds[1] - seconds[0], lines


def main() -> None:
    """Print both tables."""
    warnings.simplefilter("ignore")
    rng = np.random.default_rng(0)
    X = rng.random((N_ROWS, N_COLUMNS)) < 0.3
    y = rng.random(N_ROWS) < np.where(X[:, 0], 0.5, 0.1)
    drawn = rng.lognormal(0, 0.7, N_ROWS)
    kinds = {
        "none": None,
        "integers, 1 to 5": rng.integers(1, 6, N_ROWS),
        "integers, 1 to 3,000": rng.integers(1, 3001, N_ROWS),
        "continuous": drawn,
        "continuous, rounded to quarters": np.maximum(np.round(4 * drawn), 1) / 4,
    }
    cost(X, y, None)
    without = cost(X, y, None)[0]
    print("| weights | time per iteration |\n|---|---|")
    for name, weights in kinds.items():
        print(f"| {name} | {cost(X, y, weights)[0] / without:.1f} |")
    X, y = load_titanic("paper")
    print("\n| weights of the Titanic | lines |\n|---|---|")
    for scaling in ("none", "effective"):
        clf = BayesianRuleListClassifier(random_state=0, weight_scaling=scaling)
        for name, each in (("1", None), ("1,500", np.full(len(y), 1500))):
            print(f"| {name}, {scaling} | {len(clf.fit(X, y, each).rule_list_) + 1} |")


if __name__ == "__main__":
    main()
