"""Two-by-two tables, Wilson intervals, net benefit."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import confusion_matrix, precision_score, recall_score
from statsmodels.stats.proportion import proportion_confint

from elseif.errors import ParamError
from elseif.evaluation.intervals import wilson
from elseif.evaluation.net_benefit import decision_curve
from elseif.evaluation.thresholds import at_thresholds
from tests.evaluation.problems import risks


@pytest.mark.parametrize(("n_true", "n"), [(0, 5), (5, 5), (1, 7), (40, 90), (999, 1000)])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_wilson_interval(n_true: int, n: int, level: float) -> None:
    low, high = proportion_confint(n_true, n, alpha=1 - level, method="wilson")
    result = wilson(n_true, n, level)
    assert (result.value, result.low, result.high) == pytest.approx((n_true / n, low, high))


def test_share_of_nobody_is_unknown() -> None:
    assert np.isnan(wilson(0, 0).value)


@pytest.mark.parametrize("threshold", [0.05, 0.3, 0.62, 0.99])
def test_table_at_a_threshold(threshold: float) -> None:
    truth, risk, _ = risks(11)
    (result,) = at_thresholds(truth, risk, [threshold])
    tn, fp, fn, tp = confusion_matrix(truth, risk >= threshold, labels=[False, True]).ravel()
    assert (
        result.n_true_negative,
        result.n_false_positive,
        result.n_false_negative,
        result.n_true_positive,
    ) == (tn, fp, fn, tp)
    assert result.sensitivity.value == pytest.approx(recall_score(truth, risk >= threshold))
    assert result.specificity.value == pytest.approx(recall_score(~truth, risk < threshold))
    if tp + fp:
        assert result.positive_predictive_value.value == pytest.approx(
            precision_score(truth, risk >= threshold)
        )
    else:
        assert np.isnan(result.positive_predictive_value.value)
    if tn + fn:
        assert result.negative_predictive_value.value == pytest.approx(tn / (tn + fn))


def test_a_risk_at_the_threshold_counts_as_positive() -> None:
    (result,) = at_thresholds(np.array([True, False]), np.array([0.5, 0.5]), [0.5])
    assert (result.n_true_positive, result.n_false_positive) == (1, 1)


def test_net_benefit_is_that_of_vickers_and_elkin() -> None:
    truth, risk, _ = risks(12)
    thresholds = [0.1, 0.25, 0.5, 0.8]
    curve = decision_curve(truth, risk, thresholds)
    for i, t in enumerate(thresholds):
        # person by person: an event found gains 1, another treated costs t / (1 - t)
        gains = np.where(risk >= t, np.where(truth, 1.0, -t / (1 - t)), 0.0)
        assert curve.model[i] == pytest.approx(gains.mean())
        assert curve.treat_all[i] == pytest.approx(np.where(truth, 1.0, -t / (1 - t)).mean())


def test_treating_all_is_worth_nothing_at_the_prevalence() -> None:
    truth, risk, _ = risks(13)
    curve = decision_curve(truth, risk, [float(truth.mean())])
    assert curve.treat_all[0] == pytest.approx(0, abs=1e-12)


def test_acting_at_certainty_has_no_odds() -> None:
    with pytest.raises(ParamError, match="between 0 and 1"):
        decision_curve(np.array([True]), np.array([0.5]), [1.0])
