"""Small tables and quick settings for tests of the estimator from outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from elseif import BayesianRuleListClassifier

QUICK: dict[str, Any] = {"n_iter": 400, "n_chains": 2, "random_state": 0, "kernel": "paper"}


def quick(**settings: Any) -> BayesianRuleListClassifier:
    """A classifier that samples just enough to be one."""
    return BayesianRuleListClassifier(**{**QUICK, **settings})


def random_frame(
    n_rows: int = 200, n_columns: int = 4, seed: int = 0, n_labels: int = 2
) -> tuple[pd.DataFrame, np.ndarray]:
    """Boolean columns f1, f2, ..., and labels 0, 1, ... that depend weakly on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < 0.5
    noise = rng.integers(0, n_labels, n_rows)
    y = np.where(
        rng.random(n_rows) < 0.5, (X[:, 0] + X[:, min(1, n_columns - 1)]) % n_labels, noise
    )
    return pd.DataFrame(X, columns=[f"f{i + 1}" for i in range(n_columns)]), y.astype(int)
