"""A whole fit against imodels', on Titanic and tic-tac-toe: CPU time, one thread.

Both get the same table of 0 and 1, the same support, cardinality and prior. imodels runs
its default of three chains of 50,000 iterations; elseif runs until it has converged.
"""

from __future__ import annotations

import time
import warnings
from typing import Any

import numpy as np
import pandas as pd
from peers import imodels

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_tictactoe, load_titanic

N_SEEDS = 10
# our names of the settings, and imodels'
IMODELS_NAMES = {
    "expected_length": "listlengthprior",
    "expected_cardinality": "listwidthprior",
    "min_support": "minsupport",
    "max_cardinality": "maxcardinality",
}
TITANIC = {
    "expected_length": 3,
    "expected_cardinality": 1,
    "min_support": 0.1,
    "max_cardinality": 2,
}
TICTACTOE = {
    "expected_length": 8,
    "expected_cardinality": 3,
    "min_support": 0.05,
    "max_cardinality": 3,
}


def race(name: str, X: pd.DataFrame, y: np.ndarray, settings: dict[str, Any]) -> None:
    times, lengths, statuses = [], [], []
    BayesianRuleListClassifier(**settings, random_state=0).fit(X, y)  # what is loaded once
    for seed in range(N_SEEDS):
        begin = time.process_time()
        clf = BayesianRuleListClassifier(**settings, random_state=seed).fit(X, y)
        times.append(time.process_time() - begin)
        lengths.append(clf.posterior_.mean_length)
        statuses.append(clf.convergence_.status)
    ours = float(np.median(times))
    counts = ", ".join(f"{statuses.count(s)} {s}" for s in dict.fromkeys(statuses))
    print(f"{name}: {X.shape[0]:,} x {X.shape[1]}, {len(clf.pool_):,} antecedents")
    print(
        f"  elseif   median {ours:.3f} s of {N_SEEDS} seeds "
        f"({min(times):.3f} to {max(times):.3f}), mean list length {np.mean(lengths):.1f}, "
        f"{counts}",
        flush=True,
    )
    package = imodels()
    if package is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = package.BayesianRuleListClassifier(
            **{IMODELS_NAMES[k]: v for k, v in settings.items()}, random_state=1
        )
        begin = time.process_time()
        peer.fit(X.to_numpy(dtype=int), y)
        theirs = time.process_time() - begin
    print(
        f"  imodels  {theirs:.1f} s for {peer.n_chains} x {peer.max_iter:,} iterations, point "
        f"estimate of {len(peer.d_star) - 1} rules: {theirs / ours:,.0f} times ours",
        flush=True,
    )


def main() -> None:
    X, y = load_titanic("paper")
    race("Titanic", pd.get_dummies(X), (y == "survived").to_numpy(dtype=int), TITANIC)
    X, y = load_tictactoe()
    race("tic-tac-toe", X, y.to_numpy(dtype=int), TICTACTOE)


if __name__ == "__main__":
    main()
