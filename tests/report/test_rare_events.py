"""What a report says of an outcome that few have: numbers with as many digits as they need."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd

from elseif.report.report import report_page
from elseif.report.summary import Summary, summarise
from tests.report.reading import classifier, summary


@functools.cache
def rare() -> Summary:
    """Risks of 0.5% and 3%."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"smoker": rng.random(6000) < 0.2, "male": rng.random(6000) < 0.5})
    y = pd.Series(rng.random(6000) < np.where(X["smoker"], 0.03, 0.005), name="cancer")
    return summarise(classifier(expected_length=1).fit(X, y), X, y, folds=2)


def test_net_benefit_has_thresholds_among_the_risks() -> None:
    """Whole percentages would leave a curve of two or three points."""
    page = report_page(rare())
    thresholds = rare().validation.decision.thresholds
    assert thresholds[:3] == [0.001, 0.002, 0.003]
    assert thresholds == sorted(set(thresholds))
    assert 0.1 in thresholds
    [better] = rare().validation.decision.better
    assert f"none at thresholds of {100 * better[0]:.1f}% to {100 * better[1]:.1f}%." in page
    usual = summary().validation.decision.thresholds
    assert usual == [k / 100 for k in range(1, 100)]


def test_brier_scores_can_be_told_apart() -> None:
    score = rare().validation.calibration.brier
    assert score.score.value is not None
    assert round(score.score.value, 3) == round(score.of_prevalence, 3)
    shown = [f"{value:.4f}" for value in (score.score.value, score.of_prevalence)]
    assert shown[0] != shown[1]
    page = report_page(rare())
    assert f"is {shown[0]} (" in page
    assert f"would score {shown[1]}" in page
