"""Fits of small pools: one answer for every seed, before and after saving."""

from __future__ import annotations

import copy
import json
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.errors import ModelFileError
from elseif.export.model_file import checksum, model_from_bytes, model_text
from elseif.fitted_model import as_model
from elseif.posterior import exact_predictive
from elseif.posterior.exact_predictive import predicts_exactly
from elseif.posterior.predictive import predictive_probabilities
from elseif.tables.reading import read_table
from tests.tables.fitting import random_frame

N_SEEDS = 20


def mixed(seed: int = 0, n_labels: int = 2) -> tuple[pd.DataFrame, np.ndarray]:
    """Booleans, numbers, categories, dates and missing values; few enough to sum over."""
    rng = np.random.default_rng(seed)
    n = 300
    X = pd.DataFrame(
        {
            "smoker": rng.random(n) < 0.4,
            "age": np.where(rng.random(n) < 0.1, np.nan, rng.normal(60, 10, n)),
            "region": rng.choice(["north", "south"], n),
            "seen": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, n), "D"),
        }
    )
    risk = 0.6 * X["smoker"] + 0.3 * (X["region"] == "north")
    y = np.where(rng.random(n) < risk, 1, 0) + (n_labels > 2) * (rng.random(n) < 0.2)
    return X, np.asarray(y)


def exact_fit(X: Any, y: Any, seed: int = 0, **settings: Any) -> BayesianRuleListClassifier:
    """A fit that sums over all lists, with few draws and no warning."""
    options = {"n_iter": 60, "n_quantiles": 2, "max_cardinality": 1, **settings}
    weight = options.pop("sample_weight", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        classifier = BayesianRuleListClassifier(kernel="exact", random_state=seed, **options)
        return classifier.fit(X, y, sample_weight=weight)


def answers(classifier: BayesianRuleListClassifier, X: Any) -> list[Any]:
    """All that comes from the sum."""
    posterior = classifier.posterior_
    arguments = [str(classifier.rule_list_), str(classifier.map_rule_list_)]
    numbers = [posterior.log_evidence, posterior.mean_length, posterior.mean_average_cardinality]
    arrays = [posterior.length_probabilities, posterior.inclusion_probabilities]
    predicted = [
        classifier.set_params(predict_with=how).predict_proba(X).tolist()
        for how in ("point", "map", "posterior")
    ]
    return [*arguments, *numbers, *(a.tolist() for a in arrays), *predicted]


@pytest.mark.parametrize("n_labels", [2, 3])
def test_one_answer_for_every_seed(n_labels: int) -> None:
    """With 30 draws a sequence, which alone would say something else every time."""
    X, y = mixed(n_labels=n_labels)
    result = [answers(exact_fit(X, y, seed), X) for seed in range(N_SEEDS)]
    assert all(other == result[0] for other in result)
    shares = [exact_fit(X, y, seed).posterior_.probabilities.tolist() for seed in (0, 1)]
    assert shares[0] != shares[1]  # the draws themselves do differ


def test_a_mean_length_near_a_whole_number() -> None:
    """Where draws put the mean on either side of 2, and the sum on one."""
    X, y = random_frame(60, 5, seed=3)
    low, high = 0.05, 20.0
    for _ in range(60):  # the mean length rises with the prior's
        middle = (low * high) ** 0.5
        mean_length = exact_fit(X, y, expected_length=middle).posterior_.mean_length
        low, high = (middle, high) if mean_length < 2 else (low, middle)
    lists = {str(exact_fit(X, y, s, expected_length=low).rule_list_) for s in range(N_SEEDS)}
    assert len(lists) == 1


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {
            "pseudocounts": [0.5, 2.0],
            "expected_length": 1.5,
            "min_support": 0.25,
            "max_cardinality": 2,
        },
        {"antecedent_weights": {"smoker": 5.0}},
        {"sample_weight": np.random.default_rng(1).random(300)},
    ],
    ids=["plain", "prior", "weighted antecedents", "weights"],
)
def test_saved_and_loaded_it_says_the_same(settings: dict[str, Any], tmp_path: Path) -> None:
    """To the last digit, for rows that fit has not seen as well."""
    X, y = mixed()
    classifier = exact_fit(X, y, **settings)
    path = save_model(classifier, tmp_path / "model.json")
    loaded = load_model(path)
    unseen, _ = mixed(seed=7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert answers(loaded, unseen) == answers(classifier, unseen)
        kept = pickle.loads(pickle.dumps(classifier))
        assert answers(kept, unseen) == answers(classifier, unseen)
    pd.testing.assert_frame_equal(loaded.posterior_.lists(), classifier.posterior_.lists())


def test_predictions_are_what_many_draws_tend_to() -> None:
    """And do not depend on which rows are predicted together."""
    X, y = mixed(n_labels=3)
    classifier = exact_fit(X, y, predict_with="posterior", n_iter=200_000, n_chains=1)
    probabilities = classifier.predict_proba(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_array_equal(classifier.predict_proba(X[10:11]), probabilities[10:11])
    posterior = copy.copy(classifier.posterior_)
    posterior.exact = None
    drawn = predictive_probabilities(posterior, read_table(X))
    # a mean of 100,000 draws of a probability has a standard error below 0.0016
    assert np.abs(drawn - probabilities).max() < 6 * 0.0016
    assert np.abs(drawn - probabilities).max() > 0


def test_too_large_a_table_of_predictions(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then they are averages over draws, and the posterior says so."""
    X, y = mixed()
    classifier = exact_fit(X, y, predict_with="posterior", n_iter=4_000)
    exactly = classifier.predict_proba(X)
    assert predicts_exactly(classifier.posterior_)
    monkeypatch.setattr(exact_predictive, "MOST_BYTES", 10)
    assert not predicts_exactly(classifier.posterior_)
    about = classifier.predict_proba(X)
    np.testing.assert_allclose(about, exactly, atol=0.05)
    assert np.abs(about - exactly).max() > 0


def test_probabilities_of_lists_are_exact() -> None:
    """However often each was drawn; the best is proven to be the best."""
    X, y = mixed()
    lists = exact_fit(X, y).posterior_.lists()
    more = exact_fit(X, y, 1, n_iter=20_000).posterior_.lists()
    shares = dict(zip(more["antecedents"], more["probability"], strict=True))
    for names, share in zip(lists["antecedents"], lists["probability"], strict=True):
        if names in shares:
            assert shares[names] == share
    assert lists["antecedents"][0] == more["antecedents"][0]
    assert more["probability"].sum() < 1


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    """The document of an exact fit."""
    X, y = mixed()
    content: dict[str, Any] = json.loads(model_text(as_model(exact_fit(X, y))))
    return content


def _sealed(content: dict[str, Any]) -> bytes:
    content["sha256"] = checksum(content)
    return json.dumps(content).encode()


FORGERIES = {
    "an inclusion": (lambda e: e["inclusion"].__setitem__(0, 0.5), "inclusions do not add up"),
    "a length": (lambda e: e["length_probabilities"].__setitem__(0, 0.9), "do not add up to 1"),
    "fewer lengths": (lambda e: e["length_probabilities"].pop(), "each length a probability"),
    "a count": (lambda e: e["pattern_counts"][0].__setitem__(0, 999), "training cases"),
    "no pattern": (lambda e: (e["patterns"].clear(), e["pattern_counts"].clear()), "one count"),
    "an order": (lambda e: e["patterns"].reverse(), "not in order"),
    "a pattern": (lambda e: e["patterns"].__setitem__(-1, 1 << 40), "not there"),
    "a list": (lambda e: e.__setitem__("point_list", 10**6), "not among the lists"),
    "the evidence": (lambda e: e.__setitem__("log_evidence", -1e6), "probability above 1"),
    "a weight": (lambda e: e["weights"].pop(), "needs a weight"),
}


@pytest.mark.parametrize("forgery", FORGERIES)
def test_contradictions_are_refused(document: dict[str, Any], forgery: str) -> None:
    """A file whose sum cannot be that of its counts, as far as loading can tell."""
    change, words = FORGERIES[forgery]
    forged = copy.deepcopy(document)
    change(forged["posterior"]["exact"])
    with pytest.raises(ModelFileError, match=words):
        model_from_bytes(_sealed(forged))


def test_an_evidence_of_other_counts_is_refused_when_predicting(document: dict[str, Any]) -> None:
    """What loading cannot tell without summing again."""
    X, _ = mixed()
    forged = copy.deepcopy(document)
    forged["posterior"]["exact"]["log_evidence"] += 0.1
    posterior = model_from_bytes(_sealed(forged)).posterior
    assert posterior is not None
    with pytest.raises(ModelFileError, match="log evidence"):
        predictive_probabilities(posterior, read_table(X))


def test_files_without_the_sum_are_read(document: dict[str, Any]) -> None:
    """Those of earlier versions: everything then comes from the draws, as it did."""
    older = copy.deepcopy(document)
    places = older["posterior"].pop("exact")
    visited = {i for chain in older["posterior"]["chains"] for i in chain["lists"]}
    assert {places["map_list"], places["point_list"]} <= visited
    posterior = model_from_bytes(_sealed(older)).posterior
    assert posterior is not None
    assert posterior.exact is None
    assert np.isnan(posterior.log_evidence)
    np.testing.assert_allclose(posterior.probabilities.sum(), 1)
