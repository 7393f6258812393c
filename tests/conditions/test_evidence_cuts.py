"""Cut points that the labels can tell apart."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from elseif.conditions.cut_points import quantile_cuts
from elseif.conditions.evidence_cuts import N_FINE, evidence_cuts
from tests.tables.fitting import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def test_cuts_stay_where_the_labels_change() -> None:
    rng = np.random.default_rng(0)
    values = rng.uniform(0, 100, 4000)
    risk = np.where(values < 25, 0.1, np.where(values < 75, 0.5, 0.9))
    cuts = evidence_cuts(values, (rng.random(4000) < risk).astype(int), None, 2, 4)
    assert cuts == pytest.approx([25, 75], abs=4)
    assert set(cuts) <= set(quantile_cuts(values, None, N_FINE))


def test_one_cut_stays_where_the_labels_do_not_change() -> None:
    """A column that tells nothing on its own may tell something with another."""
    rng = np.random.default_rng(1)
    assert len(evidence_cuts(rng.normal(size=500), rng.integers(0, 3, 500), None, 3, 4)) == 1


def test_a_smooth_trend_has_more_cuts_the_more_observations_there_are() -> None:
    rng = np.random.default_rng(2)
    numbers = {}
    for n in (200, 2_000, 20_000):
        values = rng.uniform(0, 1, n)
        numbers[n] = len(evidence_cuts(values, (rng.random(n) < values).astype(int), None, 2, 4))
    assert 1 <= numbers[200] < numbers[2_000] < numbers[20_000] <= N_FINE - 1


def test_a_weight_of_two_is_a_value_that_is_there_twice() -> None:
    rng = np.random.default_rng(3)
    values, codes = rng.normal(size=300).round(1), rng.integers(0, 2, 300)
    weights = rng.integers(1, 4, 300)
    twice = evidence_cuts(np.repeat(values, weights), np.repeat(codes, weights), None, 2, 4)
    assert evidence_cuts(values, codes, weights.astype(float), 2, 4) == twice


def test_no_cut_of_one_value_and_a_cut_between_two() -> None:
    assert evidence_cuts(np.ones(9), np.zeros(9, dtype=int), None, 2, 4) == []
    assert len(evidence_cuts(np.repeat([1.0, 2.0], 5), np.zeros(10, dtype=int), None, 2, 4)) == 1


def test_from_the_classifier_with_missing_values_dates_and_a_column_of_its_own() -> None:
    rng = np.random.default_rng(4)
    n = 900
    age = rng.uniform(20, 90, n)
    X = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.1, np.nan, age),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
            "noise": rng.normal(size=n),
        }
    )
    y = (rng.random(n) < np.where(age > 60, 0.8, 0.2)).astype(int)
    cuts = quick(cutting="evidence").fit(X, y).fit_report_.cuts
    assert set(cuts) == {"age", "day", "noise"}
    assert len(cuts["noise"]) == len(cuts["day"]) == 1
    assert min(abs(cut - 60) for cut in cuts["age"]) < 5
    alone = quick(cuts={"age": "evidence"}).fit(X, y).fit_report_.cuts
    assert alone["age"] == cuts["age"]
    assert len(alone["noise"]) == 3
