"""scikit-learn's contract: its own checks, and what its users do with an estimator."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.compose import ColumnTransformer
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, KBinsDiscretizer, OneHotEncoder
from sklearn.utils.estimator_checks import estimator_checks_generator

from elseif import BayesianRuleListClassifier
from elseif.evaluation import auc_with_interval, cross_validate
from tests.tables.fitting import quick, random_frame

# short runs on toy tables do not converge, and are not meant to
pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn.exceptions.ConvergenceWarning",
    "ignore:expected_length:UserWarning",
    "ignore:.*leak the label:UserWarning",  # toy tables do
)


ESTIMATORS = [
    BayesianRuleListClassifier(max_iter=2_000, random_state=0),
    BayesianRuleListClassifier(kernel="paper", n_iter=500, n_chains=2, random_state=0),
    BayesianRuleListClassifier(predict_with="posterior", n_iter=500, n_chains=2, random_state=0),
    BayesianRuleListClassifier(predict_with="map", n_iter=500, n_chains=1, random_state=0),
]


def all_checks() -> list[Any]:
    """Each estimator with each of scikit-learn's checks, but for that of the array API.

    It skips itself unless SciPy's experimental switch for other array libraries is on.
    """
    parameters = []
    for number, candidate in enumerate(ESTIMATORS):
        for estimator, check in estimator_checks_generator(candidate):
            name = getattr(check, "func", check).__name__
            if name != "check_array_api_input":
                parameters.append(pytest.param(estimator, check, id=f"{number}-{name}"))
    return parameters


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@pytest.mark.parametrize(("estimator", "check"), all_checks())
def test_scikit_learns_checks(estimator: Any, check: Any) -> None:
    """Every check that scikit-learn has, with no expected failure."""
    check(estimator)


def test_defaults_are_the_contracts() -> None:
    """Parameters and defaults as other work builds on them."""
    promised = {
        "expected_length": 3,
        "expected_cardinality": 1,
        "pseudocounts": 1,
        "min_support": 0.1,
        "max_cardinality": 2,
        "antecedents": None,
        "antecedent_weights": None,
        "kernel": "auto",
        "n_chains": 4,
        "n_iter": None,
        "max_iter": 2_000_000,
        "predict_with": "point",
        "random_state": None,
        "n_jobs": None,
        "verbose": False,
    }
    parameters = BayesianRuleListClassifier().get_params()
    assert {name: parameters[name] for name in promised} == promised


def test_attributes_are_the_contracts() -> None:
    """Attributes of a fitted estimator as other work builds on them."""
    X, y = random_frame(n_labels=3)
    clf = quick(n_iter=2000).fit(X, y)
    posterior = clf.posterior_
    assert clf.classes_.tolist() == [0, 1, 2]
    assert posterior.log_posterior.shape == (2, 1000)
    assert posterior.lengths.shape == (2000,)
    lists = posterior.lists()
    assert list(lists.columns) == ["antecedents", "probability", "log_posterior"]
    assert lists["probability"].sum() == pytest.approx(1)
    assert all(isinstance(names, tuple) for names in lists["antecedents"])
    assert lists["log_posterior"].is_monotonic_decreasing or np.all(
        np.diff(lists["log_posterior"]) < 1e-8
    )
    assert set(posterior.inclusion()) == set(clf.pool_.names)
    assert isinstance(clf.convergence_.r_hat, float)
    assert clf.convergence_.status in ("converged", "warn", "not converged", "undetermined")
    for rule in clf.rule_list_.rules:
        assert rule.probabilities.shape == (3,)
        low, high = rule.interval(2)
        assert 0 <= low < rule.probabilities[2] < high <= 1
        assert rule.label_counts.sum() == rule.n
    assert sum(rule.n for rule in clf.rule_list_.rules) == 200
    assert clf.rule_list_.rules[-1].antecedent.cardinality == 0
    assert clf.map_rule_list_.rules


def test_clone_and_set_params() -> None:
    """A clone has the parameters, not the fit, and is not changed by fitting the other."""
    X, y = random_frame()
    settings = {"pseudocounts": {0: 1, 1: 2}, "antecedent_weights": {"f1": 2}, "min_support": 0.2}
    clf = quick(**settings)
    before = clf.get_params()
    twin = clone(clf)
    assert twin.get_params() == before
    clf.fit(X, y)
    assert clf.get_params() == before
    assert not hasattr(twin, "rule_list_")
    np.testing.assert_array_equal(twin.fit(X, y).predict_proba(X), clf.predict_proba(X))
    assert clf.set_params(expected_length=5, kernel="tempered") is clf
    assert clf.expected_length == 5
    assert is_classifier(clf)


def test_an_attribute_that_is_not_there_says_why() -> None:
    """The words of Python, and whether fit was forgotten."""
    X, y = random_frame()
    clf = quick()
    with pytest.raises(AttributeError, match=r"object has no attribute 'classes_': it is not fit"):
        _ = clf.classes_
    with pytest.raises(AttributeError, match=r"object has no attribute 'learnt_'$"):
        _ = clf.fit(X, y).learnt_
    with pytest.raises(AttributeError, match="'classes_' is read from model_ and cannot be set"):
        clf.classes_ = [0, 1]


def test_repr_shows_what_was_set() -> None:
    """The printed estimator shows the settings that are not the defaults."""
    assert repr(BayesianRuleListClassifier(expected_length=5)) == (
        "BayesianRuleListClassifier(expected_length=5)"
    )
    with pytest.raises(TypeError):
        BayesianRuleListClassifier(nonsense=1)


def test_predict_with_can_be_changed_after_fit() -> None:
    """The way of predicting is a parameter of prediction."""
    X, y = random_frame()
    clf = quick(n_iter=2000).fit(X, y)
    by_way = {
        way: clf.set_params(predict_with=way).predict_proba(X)
        for way in ("point", "posterior", "map")
    }
    assert not np.array_equal(by_way["posterior"], by_way["point"])
    clf.set_params(predict_with="nonsense")
    with pytest.raises(ValueError, match="predict_with"):
        clf.predict(X)


def test_pipeline() -> None:
    """Behind transformers that give arrays, sparse matrices and data frames."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "age": rng.normal(60, 10, 300),
            "sex": np.array(["female", "male"])[rng.integers(0, 2, 300)],
        }
    )
    y = ((frame["age"] > 60) & (frame["sex"] == "male")).to_numpy()
    encode = ColumnTransformer(
        [
            ("bins", KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), ["age"]),
            ("levels", OneHotEncoder(), ["sex"]),
        ]
    )
    for encoder in (encode, clone(encode).set_params(sparse_threshold=0.0)):
        model = make_pipeline(encoder, quick(n_iter=2000)).fit(frame, y)
        assert model.score(frame, y) > 0.8
        assert model.predict_proba(frame).shape == (300, 2)
    named = make_pipeline(
        OneHotEncoder(sparse_output=False).set_output(transform="pandas"), quick(n_iter=2000)
    ).fit(frame[["sex"]], y)
    assert "sex_male" in named[-1].feature_names_in_
    same = make_pipeline(FunctionTransformer(), quick(n_iter=2000)).fit(frame, y)
    assert same.score(frame, y) > 0.8


def test_grid_search() -> None:
    """Parameters are searched, in a pipeline and in parallel processes."""
    X, y = random_frame(300)
    model = Pipeline([("rules", quick())])
    search = GridSearchCV(
        model,
        {"rules__expected_length": [1, 3], "rules__max_cardinality": [1, 2]},
        cv=3,
        n_jobs=2,
        error_score="raise",
    ).fit(X, y)
    assert set(search.best_params_) == {"rules__expected_length", "rules__max_cardinality"}
    assert search.best_score_ > 0.5
    assert search.predict(X).shape == (300,)


@pytest.mark.parametrize("scoring", ["accuracy", "roc_auc", "neg_log_loss", "neg_brier_score"])
def test_cross_validation(scoring: str) -> None:
    """Scores that need labels and scores that need probabilities."""
    X, y = random_frame(300)
    scores = cross_val_score(quick(), X, y, cv=4, scoring=scoring, error_score="raise")
    assert np.isfinite(scores).all()
    assert scores.shape == (4,)


def test_cross_validated_predictions_of_text_labels() -> None:
    """Out-of-fold probabilities of three labels of text."""
    X, y = random_frame(300, n_labels=3)
    labels = np.array(["low", "middle", "high"])[y]
    predicted = cross_val_predict(quick(), X, labels, cv=3, method="predict_proba")
    np.testing.assert_allclose(predicted.sum(axis=1), 1)


def test_bagging() -> None:
    """An ensemble of lists, which passes on subsets, weights and seeds."""
    X, y = random_frame(300)
    model = BaggingClassifier(quick(), n_estimators=3, random_state=0).fit(X.to_numpy(), y)
    assert model.score(X.to_numpy(), y) > 0.5


@pytest.mark.parametrize("way", ["point", "posterior", "map"])
def test_joblib_round_trip(tmp_path: Path, way: str) -> None:
    """A saved estimator predicts as before, bit for bit."""
    X, y = random_frame(n_labels=3)
    X["colour"] = np.array(["blue", "green", "red"])[np.random.default_rng(0).integers(0, 3, 200)]
    clf = quick(predict_with=way).fit(X, y)
    joblib.dump(clf, tmp_path / "model.joblib")
    loaded = joblib.load(tmp_path / "model.joblib")
    np.testing.assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))
    assert str(loaded.rule_list_) == str(clf.rule_list_)
    pd.testing.assert_frame_equal(loaded.posterior_.lists(), clf.posterior_.lists())
    # by field, since what is not a number is not equal to itself
    np.testing.assert_equal(asdict(loaded.convergence_), asdict(clf.convergence_))


def test_fit_twice_is_fit_once() -> None:
    """Nothing of an earlier fit is left."""
    X, y = random_frame()
    other, labels = random_frame(300, 6, seed=9, n_labels=3)
    clf = quick().fit(other, labels)
    again = clf.fit(X, y)
    once = quick().fit(X, y)
    assert again is clf
    assert set(vars(again)) == set(vars(once))
    np.testing.assert_array_equal(again.predict_proba(X), once.predict_proba(X))


def test_true_and_false_for_scorers_that_need_sorted_labels() -> None:
    """By a Categorical in another order they measure the other label (docs/questions.md)."""
    X, codes = random_frame(300)
    y = pd.Series(np.where(codes, "ill", "well"), name="state")
    ill = (y == "ill").rename("ill")
    assert "Probability of ill" in str(quick().fit(X, ill).rule_list_)
    by_scorer = cross_val_score(quick(), X, ill, scoring="roc_auc", cv=3)
    assert by_scorer.mean() > 0.6
    in_order = pd.Categorical(y, ["well", "ill"])
    measured = cross_validate(quick(), X, in_order, folds=3)
    truth, risk = measured.against_the_rest(1)
    assert auc_with_interval(truth, risk, measured.fold).value > 0.6
    swapped = cross_val_score(quick(), X, pd.Series(in_order), scoring="roc_auc", cv=3)
    np.testing.assert_allclose(swapped, 1 - by_scorer)
