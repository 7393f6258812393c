"""A classifier of all kinds of columns, fitted once."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from tests.export.tables import NAMES, frame
from tests.tables.fitting import quick


@pytest.fixture(scope="session")
def table() -> tuple[pd.DataFrame, pd.Series]:
    """400 observations with labels that depend on some columns."""
    X = frame(400, seed=3)
    noise = np.random.default_rng(4).random(400) < 0.2
    y = ((X["age"].fillna(0) > 40) ^ (X["stage"] == "IV") ^ noise).astype(int)
    return X, y.rename("relapse")


@pytest.fixture(scope="session")
def classifier(table: tuple[pd.DataFrame, pd.Series]) -> BayesianRuleListClassifier:
    """Fitted in a moment, with conditions of most sorts in its pool."""
    settings = {
        "kinds": {"ward": "category", "stage": ["I", "II", "III", "IV"]},
        "negations": True,
        "pseudocounts": {0: 1, 1: 0.5},
        "cuts": {"age": [18, 40.0], "visit": ["2020-01-01"]},
        "antecedent_weights": {"smoker": 2.0, ("age > 40",): 3},
        "group_rare": 0.01,
        "n_iter": 1500,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = quick(**settings).fit(*table)
    assert list(fitted.feature_names_in_) == list(NAMES)
    return fitted
