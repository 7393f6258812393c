"""Groups, recalibration and Brier score against statsmodels and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
import statsmodels.api as sm
from scipy.special import logit
from sklearn.metrics import brier_score_loss
from statsmodels.stats.proportion import proportion_confint

from elseif.evaluation.calibration import (
    brier,
    calibration_groups,
    overstatement,
    quantile_groups,
    recalibration,
)
from tests.evaluation.problems import risks


@pytest.mark.parametrize("seed", range(4))
def test_recalibration_is_logistic_regression(seed: int) -> None:
    truth, risk, _ = risks(seed)
    x, y = logit(risk), truth.astype(float)
    both = sm.GLM(y, sm.add_constant(x), family=sm.families.Binomial()).fit(tol=1e-12)
    large = sm.GLM(y, np.ones(len(y)), family=sm.families.Binomial(), offset=x).fit(tol=1e-12)
    recalibrated = recalibration(truth, risk)
    for ours, model, index in (
        (recalibrated.intercept, both, 0),
        (recalibrated.slope, both, 1),
        (recalibrated.in_the_large, large, 0),
    ):
        low, high = model.conf_int()[index]
        np.testing.assert_allclose(
            [ours.value, ours.low, ours.high], [model.params[index], low, high], rtol=1e-6
        )


def test_a_list_that_has_learnt_nothing_has_no_slope() -> None:
    truth, risk, _ = risks(1)
    recalibrated = recalibration(truth, np.full(len(risk), 0.3))
    assert np.isnan(recalibrated.slope.value)
    share = truth.mean()
    assert recalibrated.in_the_large.value == pytest.approx(logit(share) - logit(0.3))


def test_perfect_separation_has_no_slope() -> None:
    truth = np.arange(60) >= 30
    recalibrated = recalibration(truth, np.where(truth, 0.8, 0.2))
    assert np.isnan(recalibrated.slope.value)


def test_one_label_alone_cannot_be_recalibrated() -> None:
    recalibrated = recalibration(np.ones(20, dtype=bool), np.linspace(0.1, 0.9, 20))
    assert np.isnan(recalibrated.in_the_large.value)


def test_certain_risks_are_allowed() -> None:
    truth, risk, _ = risks(2)
    risk = np.where(risk == risk.max(), 1.0, risk)
    assert np.isfinite(recalibration(truth, risk).slope.value)


def test_certain_risks_that_prove_wrong() -> None:
    """A tree that is sure of everything: the shares that came true are found all the same."""
    risk = np.repeat([0.0, 1.0], 100)
    truth = np.arange(200) % 10 == 0  # one in ten of the first
    truth[100:] = ~truth[100:]  # nine in ten of the others
    recalibrated = recalibration(truth, risk)
    sure = logit(1 - 1e-12)
    assert recalibrated.slope.value == pytest.approx(np.log(9) / sure, rel=1e-3)
    assert recalibrated.intercept.value == pytest.approx(0, abs=1e-3)
    recalibrated = recalibration(~truth, risk)  # more often wrong than right
    assert recalibrated.slope.value == pytest.approx(-np.log(9) / sure, rel=1e-3)
    truth[:20] = True  # more events than were foreseen: each of them was held to be impossible
    recalibrated = recalibration(truth, risk)
    assert not recalibrated.in_the_large.value < 0


def test_brier_score_and_its_scaled_form() -> None:
    truth, risk, _ = risks(7)
    result = brier(truth, risk)
    reference = brier_score_loss(truth, np.full(len(truth), truth.mean()))
    assert result.score.value == pytest.approx(brier_score_loss(truth, risk))
    assert result.of_prevalence == pytest.approx(reference)
    assert result.scaled == pytest.approx(1 - brier_score_loss(truth, risk) / reference)
    error = np.std((risk - truth) ** 2, ddof=1) / np.sqrt(len(truth))
    assert result.score.high - result.score.low == pytest.approx(2 * 1.959963984540054 * error)
    assert np.isnan(brier(np.ones(3, dtype=bool), np.ones(3)).scaled)
    assert np.isnan(brier(np.ones(0, dtype=bool), np.ones(0)).score.value)


def test_groups_count_what_was_predicted_and_what_came() -> None:
    truth, risk, _ = risks(4)
    group, n_groups = quantile_groups(risk, 4)
    groups = calibration_groups(truth, risk, group, n_groups)
    assert sum(g.n for g in groups) == len(truth)
    assert sum(g.n_events for g in groups) == truth.sum()
    predicted = [g.predicted for g in groups]
    assert predicted == sorted(predicted)
    for g, inside in zip(groups, (group == i for i in range(n_groups)), strict=True):
        assert g.observed.value == pytest.approx(truth[inside].mean())
        low, high = proportion_confint(g.n_events, g.n, method="wilson")
        assert (g.observed.low, g.observed.high) == pytest.approx((low, high))


def test_equal_risks_are_never_parted() -> None:
    risk = np.repeat([0.1, 0.2, 0.9], [70, 20, 10])
    group, n_groups = quantile_groups(risk, 10)
    assert [len(set(risk[group == g])) for g in range(n_groups)] == [1, 1, 1]


def test_quantile_groups_of_distinct_risks_are_of_equal_size() -> None:
    group, n_groups = quantile_groups(np.random.default_rng(0).permutation(100) / 100, 10)
    assert np.bincount(group).tolist() == [10] * n_groups == [10] * 10


def test_a_group_of_nobody_is_unknown() -> None:
    groups = calibration_groups(np.array([True]), np.array([0.5]), np.array([0]), 2)
    assert groups[1].n == 0
    assert np.isnan(groups[1].predicted)
    assert np.isnan(groups[1].observed.value)


def test_overstatement_is_the_distance_that_did_not_come_true() -> None:
    # above the overall share of 0.45 by 0.7 - 0.6, below it by 0.3 - 0.2
    truth = np.repeat([True, False, True, False], [60, 40, 30, 70])
    overstated = overstatement(truth, np.repeat([0.7, 0.2], 100))
    assert overstated.value == pytest.approx(0.1)
    assert overstated.low < 0.1 < overstated.high
    assert overstatement(truth, np.repeat([0.6, 0.3], 100)).value == pytest.approx(0)
    assert overstatement(truth, np.repeat([0.5, 0.4], 100)).value == pytest.approx(-0.1)
    assert overstatement(~truth, 1 - np.repeat([0.7, 0.2], 100)).value == pytest.approx(0.1)
    assert np.isnan(overstatement(truth[:0], np.empty(0)).value)


def test_the_interval_of_the_overstatement_holds() -> None:
    rng = np.random.default_rng(0)
    covered = []
    for _ in range(400):
        risk = rng.choice([0.1, 0.3, 0.8], 300)
        overstated = overstatement(rng.random(300) < risk, risk)
        covered.append(overstated.low <= 0 <= overstated.high)
    assert 0.91 < np.mean(covered) < 0.985
