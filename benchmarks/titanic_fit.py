"""A whole fit on Titanic, default settings, beyond the time of importing."""

from __future__ import annotations

import time

import numpy as np

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic


def main() -> None:
    X, y = load_titanic("paper")
    BayesianRuleListClassifier(random_state=0).fit(X, y)  # imports and cached kernels are loaded
    times = []
    for seed in range(20):
        begin = time.process_time()
        BayesianRuleListClassifier(random_state=seed).fit(X, y)
        times.append(time.process_time() - begin)
    print(f"20 seeds, one thread: median {np.median(times):.3f} s, slowest {max(times):.3f} s")


if __name__ == "__main__":
    main()
