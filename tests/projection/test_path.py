"""The path: every length, scored out of sample, and the same however it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.errors import DataError, ParamError
from elseif.projection.path import PathScores, ProjectionPath
from elseif.showing.path_text import suggestion_words

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def titanic() -> tuple[Any, Any]:
    X, y = load_titanic()
    return pd.DataFrame(X), pd.Series(y)


@pytest.fixture(scope="module")
def classifier(titanic: Any) -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(random_state=0, n_iter=5000).fit(*titanic)


@pytest.fixture(scope="module")
def path(classifier: BayesianRuleListClassifier, titanic: Any) -> ProjectionPath:
    return classifier.project(*titanic, max_length=5, folds=3)


def test_longer_lists_are_closer(path: ProjectionPath) -> None:
    assert len(path) == 6
    assert (np.diff(path.distances) <= 0).all()
    assert all(len(rule_list) <= m for m, rule_list in enumerate(path))


def test_the_point_estimate_is_no_closer_at_its_own_length(
    classifier: BayesianRuleListClassifier, titanic: Any
) -> None:
    n_rules = len(classifier.rule_list_)
    path = classifier.project(*titanic, max_length=n_rules, folds=None)
    assert path.distances[n_rules] <= path.point_distance


def test_project_and_fit_find_the_same_list(path: ProjectionPath, titanic: Any) -> None:
    again = BayesianRuleListClassifier(
        random_state=0, n_iter=5000, predict_with="projected", max_length=5
    ).fit(*titanic)
    assert str(again.projected_rule_list_) == str(path[5])
    np.testing.assert_array_equal(again.projection_path_.distances, path.distances)


def test_scores_are_those_of_the_folds(path: ProjectionPath) -> None:
    scores = path.scores
    assert scores is not None
    assert scores.folds == 3
    assert scores.n == 2201
    assert scores.log_loss.min() < scores.log_loss[0]
    assert scores.auc[0] == pytest.approx(0.5)
    assert scores.auc[-1] > 0.65
    best = int(np.argmin(scores.log_loss))
    assert scores.log_loss_gap[best] == 0
    is_near = scores.log_loss_gap <= 2 * scores.log_loss_gap_error
    highest = scores.auc[is_near].max()
    assert path.suggested == scores.suggested == np.argmax(is_near & (scores.auc >= highest - 0.01))


def test_the_suggested_list_predicts(path: ProjectionPath, titanic: Any) -> None:
    X, _ = titanic
    made = path.as_classifier()
    assert made.projected_rule_list_ is path[path.chosen]
    np.testing.assert_array_equal(made.predict_proba(X), path[path.chosen].predict_proba(X))
    assert str(made.rule_list_) == str(path.as_classifier(0).rule_list_)  # the point estimate


def test_text_table_and_figure(path: ProjectionPath) -> None:
    text = str(path)
    assert "<- suggested" in text
    assert "point estimate" in text
    assert str(path[path.chosen]) in text
    frame = path.to_frame()
    assert frame["suggested"].sum() == 1
    assert frame["distance"].tolist() == path.distances.tolist()
    assert "<table" in path._repr_html_()
    assert len(path.plot().axes) == 2


def test_other_data_are_refused(classifier: BayesianRuleListClassifier, titanic: Any) -> None:
    X, y = titanic
    with pytest.raises(DataError, match="not the data"):
        classifier.project(X, y.sample(frac=1, random_state=1).to_numpy())
    with pytest.raises(ParamError, match="length is 9"):
        classifier.project(X, y, max_length=2, folds=None)[9]
    with pytest.raises(ParamError, match="max_length"):
        classifier.project(X, y, max_length=-1)


@pytest.mark.parametrize(
    ("auc", "suggested"),
    [
        ([0.5, 0.7, 0.7, 0.7], 2),  # the shortest within two standard errors
        ([0.5, 0.7, 0.69, 0.7], 2),
        ([0.5, 0.7, 0.68, 0.7], 3),  # unless its AUC is lower by more than 0.01
        ([0.5, 0.8, 0.7, 0.7], 2),  # of those within two standard errors
        ([0.5, 0.8, 0.6, 0.7], 3),
        ([np.nan, np.nan, np.nan, np.nan], 2),  # one label in every fold
    ],
)
def test_suggested_is_the_shortest_that_is_nearly_the_best(
    auc: list[float], suggested: int
) -> None:
    gap, error = np.array([0.5, 0.021, 0.019, 0.0]), np.array([0.1, 0.01, 0.01, 0.0])
    scores = PathScores(5, 10, gap, gap, error, np.array(auc), 0.0, 0.0, 0.0, 0.0)
    assert scores.suggested == suggested
    words = suggestion_words(scores)
    assert f"Suggested: {suggested} rules, the fewest whose AUC" in words
    assert ("a longer one may do better" in words) == (suggested == 3)  # the last length
    assert "The point estimate did better" not in words


def test_a_suggestion_that_the_point_estimate_beats_says_so() -> None:
    """In both log loss and AUC, and not in one alone."""
    gap, error, auc = np.array([0.1, 0.0, 0.0]), np.array([0.01, 0.0, 0.0]), [0.5, 0.7, 0.7]
    for point_loss, point_auc, beats in ((0.4, 0.75, True), (0.6, 0.75, False), (0.4, 0.6, False)):
        scores = PathScores(
            5, 10, 0.5 + gap, gap, error, np.array(auc), 0.4, 0.8, point_loss, point_auc
        )
        assert ("The point estimate did better in both." in suggestion_words(scores)) == beats


def test_no_rules_are_suggested_only_where_none_rank_better() -> None:
    """The empty list has the lowest log loss, and others are nearly as good and rank people."""
    gap, error = np.array([0.0, 0.01, 0.05, 0.07]), np.array([0.0, 0.03, 0.03, 0.03])
    auc = np.array([0.5, 0.6, 0.65, 0.7])
    assert PathScores(5, 10, gap, gap, error, auc, 0.0, 0.0, 0.0, 0.0).suggested == 2
    auc = np.array([0.5, 0.49, 0.505, 0.7])
    assert PathScores(5, 10, gap, gap, error, auc, 0.0, 0.0, 0.0, 0.0).suggested == 0


def table_of_numbers(seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """More antecedents than can all be tried in lists."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(400, 5)).round(2), columns=list("abcde"))
    y = rng.random(400) < 1 / (1 + np.exp(-X["a"] - X["b"] * (X["c"] > 0)))
    return X, y.to_numpy()


@pytest.mark.parametrize("seed", range(3))
def test_neither_threads_nor_the_order_of_rows_matter(seed: int) -> None:
    X, y = table_of_numbers(seed)
    weights = np.random.default_rng(seed).choice([0.25, 1.0, 3.0], len(y))
    order = np.random.default_rng(seed + 10).permutation(len(y))
    settings = {"random_state": seed, "n_iter": 3000, "predict_with": "projected", "max_length": 5}
    one = BayesianRuleListClassifier(n_jobs=1, **settings).fit(X, y, sample_weight=weights)
    two = BayesianRuleListClassifier(n_jobs=2, **settings).fit(
        X.iloc[order], y[order], sample_weight=weights[order]
    )
    assert [str(each) for each in one.projection_path_] == [
        str(each) for each in two.projection_path_
    ]
    np.testing.assert_array_equal(one.projection_path_.distances, two.projection_path_.distances)


def test_lazy_covers_give_the_same_list() -> None:
    X, y = table_of_numbers(7)
    settings = {"random_state": 1, "n_iter": 2000, "predict_with": "projected"}
    own = BayesianRuleListClassifier(**settings).fit(X, y)
    joined = BayesianRuleListClassifier(max_memory=10_000, **settings).fit(X, y)
    assert str(own.projected_rule_list_) == str(joined.projected_rule_list_)


def test_an_empty_pool_projects_to_the_default_rule() -> None:
    X = pd.DataFrame({"a": [True] + [False] * 49})
    y = np.arange(50) % 2
    made = BayesianRuleListClassifier(
        predict_with="projected", max_length=2, empty_pool="default_rule", min_support=0.5
    ).fit(X, y)
    assert len(made.projected_rule_list_) == 0
    assert len(made.projection_path_) == 3


def test_no_line_of_a_projected_list_rests_on_few_observations() -> None:
    """Forty rows are enough for four lines, and a count of people tells more than their rows."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.random((40, 6)) < 0.4, columns=list("abcdef"))
    y = rng.random(40) < np.where(X["a"], 0.9, np.where(X["b"], 0.6, 0.1))
    settings = {"random_state": 0, "n_iter": 2000, "predict_with": "projected", "max_length": 6}
    path = BayesianRuleListClassifier(**settings).fit(X, y).projection_path_
    assert len(path) == 7
    assert 1 <= len(path[6]) <= 3
    assert all(rule.n >= 10 for each in path for rule in each)
    assert "every line has at least 10 training observations" in " ".join(str(path).split())
    heavier = BayesianRuleListClassifier(**settings).fit(X, y, sample_weight=np.full(40, 5))
    assert len(heavier.projection_path_[6]) > 3
    assert all(rule.n >= 10 for rule in heavier.projection_path_[6])


def test_a_nearer_point_estimate_with_lines_of_few_is_explained() -> None:
    """Among eight rows no line but the default rule has ten: the point estimate is nearer."""
    X = pd.DataFrame(np.random.default_rng(0).random((8, 4)) < 0.5, columns=list("abcd"))
    path = (
        BayesianRuleListClassifier(random_state=0, predict_with="projected", max_length=0)
        .fit(X, [0, 1, 0, 1, 1, 0, 0, 1])
        .projection_path_
    )
    assert path.point_distance < path.distances[0]
    assert "every line has at least 10 training observations" in " ".join(str(path).split())
