"""In small pools the projected list is the nearest of all lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.projection import search
from tests.projection.brute_force import nearest_of_all
from tests.projection.searches import random_target

Problem = tuple[pd.DataFrame, np.ndarray, np.ndarray | None]


def random_problem(seed: int, n_labels: int, weighted: bool, n_columns: int, n: int) -> Problem:
    """Booleans of which some matter, some are alike and some exclude each other."""
    rng = np.random.default_rng(seed)
    truth = rng.random((n, n_columns)) < rng.uniform(0.15, 0.7, n_columns)
    truth[:, 1] = truth[:, 0] & (rng.random(n) < 0.8)
    truth[:, 2] &= ~truth[:, 0]
    effects = rng.normal(0, 1.2, (n_columns, n_labels))
    scores = truth @ effects + rng.gumbel(size=(n, n_labels))
    X = pd.DataFrame(truth, columns=[f"x{k}" for k in range(n_columns)])
    weights = rng.choice([0.5, 1.0, 2.0, 3.5], n) if weighted else None
    return X, np.argmax(scores, axis=1), weights


def fitted(problem: Problem, seed: int, **settings: Any) -> BayesianRuleListClassifier:
    X, y, weights = problem
    classifier = BayesianRuleListClassifier(
        antecedents=[(name,) for name in X.columns],
        n_iter=2_000,
        random_state=seed,
        predict_with="projected",
        **settings,
    )
    return classifier.fit(X, y, sample_weight=weights)


def expected_list(
    classifier: BayesianRuleListClassifier, problem: Problem, max_length: int
) -> tuple[list[str], float]:
    X, y, weights = problem
    names = [antecedent.name for antecedent in classifier.pool_]
    rules, distance = nearest_of_all(
        X[names].to_numpy(),
        np.ones(len(y)) if weights is None else weights,
        classifier.set_params(predict_with="posterior").predict_proba(X),
        y,
        max_length,
    )
    classifier.set_params(predict_with="projected")
    return [names[a] for a in rules], distance


def names_of(rule_list: Any) -> list[str]:
    return [antecedent.name for antecedent in rule_list.antecedents]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("by_local_search", [False, True])
def test_the_projected_list_is_the_nearest_of_all(
    seed: int, by_local_search: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_local_search:
        monkeypatch.setattr(search, "MOST_LOOKED_AT", 0)
    kernel = ("exact", "tempered", "paper")[seed % 3]
    problem = random_problem(seed, 2 + seed % 2, seed % 4 > 1, n_columns=8, n=150)
    classifier = fitted(problem, seed, kernel=kernel, max_length=3)
    expected, distance = expected_list(classifier, problem, 3)
    assert names_of(classifier.projected_rule_list_) == expected
    assert classifier.projection_path_.distances[-1] == pytest.approx(distance, abs=1e-9)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("seed", range(20, 24))
def test_every_length_of_the_path_is_the_nearest_of_all(seed: int) -> None:
    problem = random_problem(seed, 3, True, n_columns=5, n=80)
    classifier = fitted(problem, seed, max_length=5)
    for length, rule_list in enumerate(classifier.projection_path_):
        expected, distance = expected_list(classifier, problem, length)
        assert names_of(rule_list) == expected
        assert classifier.projection_path_.distances[length] == pytest.approx(distance, abs=1e-9)


def test_local_search_seldom_misses_the_nearest_list() -> None:
    """Where predictions follow no list at all, which is the hardest, and nothing was drawn."""
    same = []
    for seed in range(60):
        target = random_target(seed, 2 + seed % 3, n_candidates=8, n_cells=60)
        nearest, result = (
            search.nearest_lists(target, [], 5, exhaustive=by_looking_at_all)
            for by_looking_at_all in (True, False)
        )
        same += [False] * (len(nearest) - len(result))  # lengths of which it finds none
        for of_all, of_search in zip(nearest, result, strict=False):
            assert of_search.loss >= of_all.loss - 1e-9
            same.append(of_search.rules == of_all.rules)
    assert np.mean(same) > 0.95
