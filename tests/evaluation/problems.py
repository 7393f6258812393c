"""Risks and outcomes with ties, of folds, that the reference computations are given too."""

from __future__ import annotations

import numpy as np


def risks(seed: int, n: int = 300, n_levels: int = 7) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Truth, risk of few distinct values as lists give, and fold, of informative predictions."""
    rng = np.random.default_rng(seed)
    levels = np.sort(rng.uniform(0.03, 0.95, n_levels))
    risk = levels[rng.integers(n_levels, size=n)]
    truth = rng.random(n) < 0.7 * risk + 0.1
    fold = rng.permutation(np.arange(n) % 5)
    return truth, risk, fold
