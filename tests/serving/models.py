"""Models to serve: one of every kind of column, and a plain one."""

from __future__ import annotations

import json
import warnings
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from elseif import BayesianRuleListClassifier
from elseif.fitted_model import FittedModel
from elseif.serving import ServedModel
from tests.contract.test_one_answer import STAGES, everything
from tests.tables.fitting import quick


@cache
def all_kinds() -> tuple[BayesianRuleListClassifier, pd.DataFrame]:
    """A list of long conjunctions over booleans, numbers, categories, dates and an order."""
    rng = np.random.default_rng(10)
    X = everything(rng)
    y = pd.Series((X["age"] > 60).fillna(False) | (X["ward"] == "east"), name="ill")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # any list will do
        clf = quick(
            kinds={"stage": STAGES},
            min_support=0.01,
            max_cardinality=1,
            expected_length=12,
            n_iter=2000,
        ).fit(X, y)
    return clf, X


@cache
def ward_model() -> FittedModel:
    """Age, sex, heart failure and blood pressure, and a stroke that depends on them."""
    rng = np.random.default_rng(3)
    n = 400
    X = pd.DataFrame(
        {
            "age": rng.integers(40, 95, n),
            "sex": rng.choice(["female", "male"], n),
            "heart failure": rng.random(n) < 0.3,
            "systolic": rng.normal(140, 20, n).round(),
        }
    )
    risk = 0.05 + 0.4 * (X["age"] > 70) + 0.4 * X["heart failure"] - 0.3 * (X["systolic"] < 125)
    y = pd.Series(rng.random(n) < risk.clip(0.02, 0.95), name="stroke")
    own = [
        (("age", ">", 70), "heart failure"),
        (("systolic", "<=", 125),),
        (("age", ">", 70),),
        (("sex", "=", "male"),),
    ]
    return (
        BayesianRuleListClassifier(antecedents=own, expected_length=3, random_state=0)
        .fit(X, y)
        .model_
    )


def served_ward() -> ServedModel:
    """The model of the ward under the name "stroke"."""
    return ServedModel("stroke", ward_model(), "0" * 64)


def json_cases(X: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as a client writes them: dates as text, missing values as null."""
    text = X.to_json(orient="records", date_format="iso")
    return [{name: _day(value) for name, value in case.items()} for case in json.loads(text)]


def _day(value: Any) -> Any:
    return value[:10] if isinstance(value, str) and value[4:5] == "-" else value
