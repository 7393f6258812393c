"""Intervals of the people on a line over all lists: against sums over people and lists."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.stats import beta

from elseif.posterior import line_intervals as module
from elseif.posterior.line_intervals import line_intervals
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def found_for(clf: Any, X: Any, level: float = 0.95) -> np.ndarray:
    model = clf.model_
    return line_intervals(model.posterior, model.chosen_list(), model.read(X), level)


@pytest.mark.parametrize("n_labels", [2, 3])
def test_ends_leave_their_tails(n_labels: int) -> None:
    """A person of the line, a list and its line's Beta: the tails of that mixture, by hand."""
    X, y = random_frame(80, n_labels=n_labels)
    clf = quick().fit(X, y)
    reported = found_for(clf, X, 0.9)
    line = clf.rule_list_.captured_by(X)
    posterior = clf.posterior_
    lists = [posterior.rule_list(i) for i in range(len(posterior.distinct))]
    places = [each.captured_by(X) for each in lists]
    for j in range(len(clf.rule_list_) + 1):
        people = np.flatnonzero(line == j)
        alphas = np.array(
            [
                each[index[person]].label_counts + each[index[person]].pseudocounts
                for each, index in zip(lists, places, strict=True)
                for person in people
            ]
        )
        weights = np.repeat(posterior.probabilities, len(people)) / len(people)
        for label in range(n_labels):
            a, b = alphas[:, label], alphas.sum(axis=1) - alphas[:, label]
            below = [weights @ beta.cdf(end, a, b) for end in reported[j, label]]
            np.testing.assert_allclose(below, [0.05, 0.95], rtol=0, atol=1e-6)


def test_one_list_has_no_other_opinion() -> None:
    """Where the posterior is one list, both intervals are the same."""
    X, y = random_frame()
    clf = quick(min_support=0.9, empty_pool="default_rule").fit(X, y)
    own = [clf.rule_list_[0].interval(label) for label in clf.classes_]
    np.testing.assert_allclose(found_for(clf, X)[0], own, rtol=0, atol=1e-8)


def test_people_alike_have_the_interval_of_each() -> None:
    """Of people whom no list tells apart, the line's interval is that of ``predict_interval``."""
    X, y = random_frame()
    clf = quick().fit(X, y)
    alike = X.iloc[[3] * 5]
    lines = clf.rule_list_.captured_by(alike)[0]
    reported = found_for(clf, alike)
    np.testing.assert_allclose(reported[lines], clf.predict_interval(alike)[0], rtol=0, atol=2e-8)
    others = np.arange(len(clf.rule_list_) + 1) != lines
    assert np.isnan(reported[others]).all()


def test_some_people_stand_for_many(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a large table evenly spaced rows of every line give nearly the same."""
    X, y = random_frame(2_000, 5)
    clf = quick().fit(X, y)
    whole = found_for(clf, X)
    monkeypatch.setattr(module, "MOST_PEOPLE", 600)
    np.testing.assert_allclose(found_for(clf, X), whole, rtol=0, atol=0.03)
