"""ROC, AUC, DeLong's variance, precision and recall against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    roc_auc_score,
    roc_curve as sklearn_roc_curve,
)

from elseif.evaluation.discrimination import (
    auc_with_interval,
    curve,
    delong,
    fold_aucs,
    fold_average_precisions,
)
from tests.evaluation.problems import risks


def delong_by_definition(truth: np.ndarray, risk: np.ndarray) -> tuple[float, float]:
    """Every event compared with every other, as the paper of 1988 writes it."""
    events, others = risk[truth], risk[~truth]
    wins = (events[:, None] > others[None, :]) + 0.5 * (events[:, None] == others[None, :])
    by_event, by_other = wins.mean(axis=1), wins.mean(axis=0)
    auc = wins.mean()
    s10 = np.sum((by_event - auc) ** 2) / (len(events) - 1)
    s01 = np.sum((by_other - auc) ** 2) / (len(others) - 1)
    return float(auc), float(s10 / len(events) + s01 / len(others))


@pytest.mark.parametrize("seed", range(6))
def test_delong_is_its_definition(seed: int) -> None:
    truth, risk, _ = risks(seed, n=120 + seed)
    np.testing.assert_allclose(delong(truth, risk), delong_by_definition(truth, risk), rtol=1e-12)
    assert delong(truth, risk)[0] == pytest.approx(roc_auc_score(truth, risk), rel=1e-12)


def test_delong_standard_error_is_near_the_jackknife() -> None:
    truth, risk, _ = risks(3, n=400, n_levels=40)
    n = len(truth)
    left_out = [roc_auc_score(np.delete(truth, i), np.delete(risk, i)) for i in range(n)]
    jackknife = (n - 1) / n * np.sum((left_out - np.mean(left_out)) ** 2)
    assert delong(truth, risk)[1] == pytest.approx(jackknife, rel=0.02)


def test_interval_covers_the_known_area_of_two_normal_distributions() -> None:
    # 600 intervals of 95%: fewer than 92.5% or more than 97.5% has probability below 0.01
    rng = np.random.default_rng(20)
    true_area = norm.cdf(1 / np.sqrt(2))
    covered = 0
    for _ in range(600):
        truth = np.arange(200) < 80
        auc = auc_with_interval(truth, rng.normal(size=200) + truth)
        covered += auc.low <= true_area <= auc.high
    assert 0.925 <= covered / 600 <= 0.975


def test_folds_are_averaged_and_their_variances_added() -> None:
    truth, risk, fold = risks(5)
    each = [delong_by_definition(truth[fold == f], risk[fold == f]) for f in range(5)]
    result = auc_with_interval(truth, risk, fold)
    value = np.mean([auc for auc, _ in each])
    error = np.sqrt(np.sum([variance for _, variance in each])) / 5
    np.testing.assert_allclose(
        [result.value, result.low, result.high],
        [value, value - norm.ppf(0.975) * error, value + norm.ppf(0.975) * error],
    )
    assert fold_aucs(truth, risk, fold) == pytest.approx([auc for auc, _ in each])


def test_risks_of_different_folds_are_not_compared() -> None:
    truth = np.array([0, 1, 0, 1, 0, 1, 0, 1], dtype=bool)
    risk = np.array([0.1, 0.2, 0.1, 0.2, 0.8, 0.9, 0.8, 0.9])
    fold = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    assert auc_with_interval(truth, risk, fold).value == 1.0
    assert auc_with_interval(truth, risk).value == 0.75


def test_a_perfect_order_has_no_interval() -> None:
    auc = auc_with_interval(np.arange(40) >= 20, np.linspace(0, 1, 40))
    assert auc.value == 1.0
    assert np.isnan(auc.low)
    assert np.isnan(auc.high)


def test_one_label_alone_has_no_area() -> None:
    assert np.isnan(auc_with_interval(np.ones(5, dtype=bool), np.linspace(0, 1, 5)).value)
    assert np.isnan(auc_with_interval(np.ones(0, dtype=bool), np.ones(0)).value)
    value, variance = delong(np.array([True, False, False]), np.array([0.5, 0.4, 0.6]))
    assert value == 0.5
    assert np.isnan(variance)


def test_curve_is_that_of_scikit_learn() -> None:
    truth, risk, fold = risks(8)
    ours = curve(truth, risk)
    fpr, tpr, thresholds = sklearn_roc_curve(truth, risk, drop_intermediate=False)
    np.testing.assert_allclose(ours.false_positive_rate, fpr)
    np.testing.assert_allclose(ours.sensitivity, tpr)
    np.testing.assert_allclose(ours.thresholds, thresholds)
    precision, recall, _ = precision_recall_curve(truth, risk)
    np.testing.assert_allclose(ours.precision, precision[::-1])
    np.testing.assert_allclose(ours.sensitivity, recall[::-1])
    expected = [average_precision_score(truth[fold == f], risk[fold == f]) for f in range(5)]
    assert fold_average_precisions(truth, risk, fold) == pytest.approx(expected)


def test_average_precision_without_events_is_unknown() -> None:
    result = fold_average_precisions(np.zeros(3, dtype=bool), np.ones(3), np.zeros(3, dtype=int))
    assert np.isnan(result[0])
