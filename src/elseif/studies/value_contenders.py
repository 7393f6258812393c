"""Classifiers on the values of a table, without cut points.

The compared classifiers of the paper learn from the conditions that rules are made of. Of a table
with numbers that is no fair question alone: these two see the numbers.
"""

from __future__ import annotations

from typing import Any

import pandas as pd
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegressionCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from elseif.evaluation import Contender

LOGISTIC, BOOSTING = "logistic on values", "boosting on values"
NAMES = (LOGISTIC, BOOSTING)
FOLDS = 5


def as_numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Numbers as they are, categories as columns of 0 and 1; no label decides anything."""
    return pd.get_dummies(table, drop_first=True).astype(float)


def value_contenders(table: pd.DataFrame, seed: int) -> list[Contender]:
    """Ridge regression on standardised values, and boosted trees on the values as they are."""
    X = as_numbers(table)
    logistic: Any = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True),
        StandardScaler(),
        LogisticRegressionCV(
            Cs=10, cv=FOLDS, scoring="neg_log_loss", max_iter=1000, l1_ratios=(0.0,),
            use_legacy_attributes=False, random_state=seed,
        ),
    )  # fmt: skip
    boosting = HistGradientBoostingClassifier(
        max_leaf_nodes=8, learning_rate=0.05, early_stopping=True, random_state=seed
    )
    return [Contender(LOGISTIC, logistic, X), Contender(BOOSTING, boosting, X)]
