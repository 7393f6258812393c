"""The report and the explorer show the path, and both lists; not under a minimum cell."""

from __future__ import annotations

import json
from typing import Any

import pytest

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.report import explorer_page, report_page, summarise

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def made() -> tuple[Any, Any, Any, Any]:
    X, y = load_titanic(split="paper")
    plain = BayesianRuleListClassifier(random_state=0, n_iter=3000).fit(X, y)
    path = plain.project(X, y, max_length=4, folds=2)
    return plain, path.as_classifier(), X, y


def test_the_report_shows_the_path_and_both_lists(made: Any) -> None:
    plain, projected, X, y = made
    page = report_page(summarise(projected, X, y, folds=2))
    section = page.split('id="projection"')[1].split("</section>")[0]
    assert "Point estimate" in section
    assert "Projected list (predicts)" in section
    assert "suggested" in section
    chart = section.split("<svg")[1].split("</svg>")[0]
    assert "Log loss out of sample" in chart
    scores = projected.projection_path_.scores
    assert f"{scores.point_log_loss:.4f} for the point estimate" in chart
    assert chart.count("dot line") == 3  # in both panels the suggested length, and in the legend
    for distance in projected.projection_path_.distances:
        assert f"{distance:.4f}" in section
    assert 'id="projection"' not in report_page(summarise(plain, X, y, folds=2))
    assert 'id="projection"' not in report_page(summarise(projected, X, y, folds=2, min_cell=5))


def test_the_explorer_shows_the_path(made: Any) -> None:
    plain, projected, X, y = made
    page = explorer_page(projected, X, y)
    assert 'id="projection"' in page
    shown, path = _data_of(page)["path"], projected.projection_path_
    assert [each["distance"] for each in shown["lists"]] == pytest.approx(path.distances)
    assert [each["logLoss"] for each in shown["lists"]] == pytest.approx(path.scores.log_loss)
    assert [each["auc"] for each in shown["lists"]] == pytest.approx(path.scores.auc)
    assert shown["suggested"] == path.suggested
    assert 'id="projection"' not in explorer_page(plain, X, y)
    rounded = explorer_page(projected, X, y, min_cell=5)
    assert 'id="projection"' not in rounded
    assert _data_of(rounded)["path"] is None


def _data_of(page: str) -> Any:
    """What the page's script draws; tests/browser looks at what is drawn."""
    return json.loads(page.split('id="data">')[1].split("</script>")[0])


def test_the_report_validates_a_path_that_was_not(made: Any) -> None:
    _, _, X, y = made
    fitted = BayesianRuleListClassifier(
        random_state=0, n_iter=2000, predict_with="projected", max_length=2
    ).fit(X, y)
    assert fitted.projection_path_.scores is None
    expected = fitted.project(X, y, max_length=2, folds=2).scores
    assert expected is not None
    summary = summarise(fitted, X, y, folds=2)
    assert summary.projection is not None
    assert summary.projection.suggested == expected.suggested
    section = report_page(summary).split('id="projection"')[1].split("</section>")[0]
    for loss, auc in zip(expected.log_loss, expected.auc, strict=True):
        assert f"{loss:.4f}" in section
        assert f"{auc:.3f}" in section
