"""Patients to report on, and reports that several tests read."""

from __future__ import annotations

import functools
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.report.summary import Summary, summarise
from tests.browser.hostile import HOSTILE


def patients(n: int = 400, seed: int = 0) -> tuple[pd.DataFrame, pd.Series]:
    """Numbers, categories, booleans, dates and missing values; three people of a rare region."""
    rng = np.random.default_rng(seed)
    age = rng.normal(66, 12, n).round()
    X = pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["female", "male"], n),
            "prior stroke": rng.random(n) < 0.2,
            "creatinine": np.exp(rng.normal(4.5, 0.3, n)).round(),
            "region": rng.choice(["north", "south", "west"], n),
            "visit": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    X.loc[rng.random(n) < 0.1, "creatinine"] = np.nan
    X.loc[[5, 50, 77], "region"] = "islands"
    risk = 0.08 + 0.3 * (age > 70) + 0.35 * X["prior stroke"]
    return X, pd.Series(rng.random(n) < risk, name="stroke")


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    """Few antecedents, so that folds take a moment and chains agree."""
    return BayesianRuleListClassifier(max_cardinality=1, random_state=0, **settings)


@functools.cache
def fitted() -> BayesianRuleListClassifier:
    """The list of 400 patients."""
    return classifier().fit(*patients())


@functools.cache
def summary(**options: Any) -> Summary:
    """Three folds, and two subgroups unless told otherwise."""
    X, y = patients()
    options = {"folds": 3, "subgroups": ("sex", "region"), **options}
    return summarise(fitted(), X, y, **options)


def three_outcomes() -> tuple[pd.DataFrame, pd.Series]:
    """The same patients with one of three outcomes."""
    X, y = patients()
    late = np.random.default_rng(3).random(400) < 0.3 + 0.4 * (X["sex"] == "male")
    outcome = np.where(y, "stroke", np.where(late, "bleeding", "none"))
    return X, pd.Series(outcome, name="outcome")


@functools.cache
def fitted_to_three() -> BayesianRuleListClassifier:
    """The list for three outcomes."""
    return classifier().fit(*three_outcomes())


@functools.cache
def three_labels_summary(**options: Any) -> Summary:
    """Of three outcomes none is chosen, so that all are evaluated."""
    return summarise(fitted_to_three(), *three_outcomes(), folds=2, subgroups=["sex"], **options)


@functools.cache
def unsteady() -> BayesianRuleListClassifier:
    """A run that is too short, so that standard errors are large and inclusions not steady."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return classifier(n_iter=600, n_chains=2, kernel="tempered").fit(*patients())


@functools.cache
def unsteady_summary(**options: Any) -> Summary:
    """The report of it, over two folds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return summarise(unsteady(), *patients(), folds=2, **options)


@functools.cache
def long_summary() -> Summary:
    """20,000 patients, so that risks have decimals, and the long names of diseases."""
    X, y = patients(20_000)
    longer = {
        "prior stroke": "Occlusion and stenosis of carotid artery without cerebral infarction",
        "age": "age in completed years on the day of the first diagnosis of fibrillation",
        "sex": "sex as the insurance recorded it when the person was enrolled",
    }
    X = X.rename(columns=longer)
    return summarise(classifier().fit(X, y), X, y, folds=2, subgroups=[longer["sex"]])


@functools.cache
def named_summary(hostile: bool) -> Summary:
    """A report on columns, categories and labels of hostile names, or of names as long.

    Underscores are kept, since long names are broken there. A number in front keeps the order of
    the names, and so the lists, the same.
    """

    def name(i: int) -> str:
        text = HOSTILE[i % len(HOSTILE)]
        return f"{i:02}{text if hostile else re.sub('[^_]', 'a', text)}"

    rng = np.random.default_rng(4)
    n = 240
    X = pd.DataFrame({name(i): rng.random(n) < 0.5 for i in range(len(HOSTILE))})
    levels = np.array([name(i) for i in range(5)], dtype=object)
    X[name(40)] = levels[rng.integers(5, size=n)]
    risk = 0.05 + sum(0.1 * X[name(i)] for i in (0, 1, 3, 11, 16))
    y = np.where(rng.random(n) < risk, name(1), name(0))
    result = classifier(expected_length=5).fit(X, y)
    return summarise(
        result, X, y, folds=2, subgroups=[name(40), name(16)], title=name(2), command=name(1)
    )
