"""Fit GOSDT or FasterRisk in its own environment: a job as JSON on the command line.

The last line printed is the model as JSON. Only NumPy, scikit-learn and the peer are imported.
"""

from __future__ import annotations

import json
import sys
import time

import numpy as np


def fit_gosdt(job: dict, X: np.ndarray, y: np.ndarray) -> dict:
    """As in the example of its readme: thresholds and reference labels guessed by boosted stumps.

    The tree, and the column and threshold of each of its features.
    """
    from gosdt import GOSDTClassifier, ThresholdGuessBinarizer
    from sklearn.ensemble import GradientBoostingClassifier

    seed = job["seed"]
    guess = ThresholdGuessBinarizer(n_estimators=40, max_depth=1, random_state=seed)
    Z = guess.fit_transform(X, y)
    boosted = GradientBoostingClassifier(n_estimators=40, max_depth=1, random_state=seed)
    reference = boosted.fit(Z, y).predict(Z)
    if len(np.unique(reference)) < len(np.unique(y)):
        reference = None  # refused by GOSDT
    model = GOSDTClassifier(
        regularization=job["regularization"],
        depth_budget=job["depth_budget"],
        time_limit=job["time_limit"],
        similar_support=False,
    )
    model.fit(Z, y, y_ref=reference)
    return {
        "tree": json.loads(model.result_.model)[0],
        "features": [[int(column), float(cut)] for column, cut in guess.thresholds_],
        "status": str(model.result_.status),
    }


def fit_fasterrisk(job: dict, X: np.ndarray, y: np.ndarray) -> dict:
    """The score of least logistic loss: points of each column, intercept and multiplier."""
    from fasterrisk.fasterrisk import RiskScoreOptimizer

    optimizer = RiskScoreOptimizer(X=X.astype(float), y=np.where(y == 1, 1.0, -1.0), k=job["k"])
    optimizer.optimize()
    multiplier, intercept, points = optimizer.get_models(model_index=0)
    return {
        "points": np.asarray(points).tolist(),
        "intercept": float(intercept),
        "multiplier": float(multiplier),
    }


if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    stored = np.load(given["data"])
    fit = {"gosdt": fit_gosdt, "fasterrisk": fit_fasterrisk}[given["task"]]
    start = time.process_time()
    found = fit(given, stored["X"], stored["y"])
    print("\n" + json.dumps({**found, "seconds": time.process_time() - start}))
