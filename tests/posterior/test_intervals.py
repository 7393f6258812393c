"""Credible intervals over all lists: against draws from the mixture, and by how often they hold."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import beta

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.errors import ParamError
from elseif.model.likelihood import log_likelihood
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def components(clf: Any, X: pd.DataFrame, row: int) -> tuple[np.ndarray, np.ndarray]:
    """For a row, each list's share and the Dirichlet parameters of the line that applies."""
    posterior = clf.posterior_
    alphas = []
    for i in range(len(posterior.distinct)):
        rule_list = posterior.rule_list(i)
        rule = rule_list[int(rule_list.captured_by(X.iloc[[row]])[0])]
        alphas.append(rule.label_counts + rule.pseudocounts)
    return posterior.probabilities, np.array(alphas)


def ends(shares: np.ndarray, alphas: np.ndarray, label: int, level: float) -> list[float]:
    """Quantiles of a mixture of Betas, one at a time."""
    a, b = alphas[:, label], alphas.sum(axis=1) - alphas[:, label]
    return [
        brentq(lambda x, t=tail: shares @ beta.cdf(x, a, b) - t, 0, 1, xtol=1e-12)
        for tail in ((1 - level) / 2, (1 + level) / 2)
    ]


@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("weighted", [False, True])
def test_ends_are_quantiles_of_the_mixture(n_labels: int, level: float, weighted: bool) -> None:
    """Each end leaves its tail of the mixture beyond it, for every label and weight."""
    X, y = random_frame(120, n_labels=n_labels)
    weights = np.random.default_rng(3).gamma(2, 0.5, len(X)) if weighted else None
    clf = quick(predict_with="point").fit(X, y, weights)
    intervals = clf.predict_interval(X, level)
    assert intervals.shape == (len(X), n_labels, 2)
    rng = np.random.default_rng(0)
    for row in (0, 5, 77):
        shares, alphas = components(clf, X, row)
        for label in range(n_labels):
            np.testing.assert_allclose(
                intervals[row, label], ends(shares, alphas, label, level), rtol=0, atol=2e-8
            )
        drawn = rng.choice(len(shares), 4000, p=shares)
        draws = np.array([rng.dirichlet(alphas[i])[0] for i in drawn])
        inside = ((draws >= intervals[row, 0, 0]) & (draws <= intervals[row, 0, 1])).mean()
        assert abs(inside - level) < 4.5 * np.sqrt(level * (1 - level) / 4000)


@pytest.mark.parametrize("predict_with", ["point", "map", "projected"])
def test_one_list_gives_its_line(predict_with: str) -> None:
    """Without the other lists the interval is that of the line, as lists print it."""
    X, y = random_frame()
    clf = quick(predict_with=predict_with).fit(X, y)
    rule_list = clf.model_.chosen_list()
    intervals = clf.predict_interval(X, 0.9, predict_with)
    for row, index in enumerate(rule_list.captured_by(X)):
        own = [rule_list[index].interval(label, 0.9) for label in clf.classes_]
        np.testing.assert_array_equal(intervals[row], own)


def test_a_posterior_of_one_list() -> None:
    """Both doubts are one where no other list was drawn."""
    X, y = random_frame()
    clf = quick(min_support=0.9, empty_pool="default_rule").fit(X, y)
    assert len(clf.posterior_.distinct) == 1
    np.testing.assert_allclose(
        clf.predict_interval(X), clf.predict_interval(X, predict_with="point"), rtol=0, atol=1e-8
    )


def test_against_all_lists_of_a_small_pool() -> None:
    """With the exact kernel the shares are those of an enumeration, up to the draws' own noise."""
    X, y = random_frame(60, 2)
    clf = BayesianRuleListClassifier(
        kernel="exact", max_cardinality=1, expected_length=1, random_state=0, n_iter=200_000
    ).fit(X, y)
    lists = [order for m in range(3) for order in permutations(["f1", "f2"], m)]
    log_posterior, alphas = [], []
    for order in lists:
        left, counts, mine = np.ones(len(X), dtype=bool), [], None
        for name in [*order, None]:
            captured = left if name is None else left & X[name].to_numpy()
            counts.append(np.bincount(y[captured], minlength=2))
            if mine is None and captured[0]:
                mine = counts[-1] + 1.0
            left = left & ~captured
        prior = -np.log([1, 2, 2][len(order)])  # of lists of one length
        poisson = -np.log([1, 1, 2][len(order)])  # of mean 1
        log_posterior.append(prior + poisson + log_likelihood(np.array(counts), np.ones(2)))
        alphas.append(mine)
    shares = np.exp(np.array(log_posterior) - max(log_posterior))
    exact = ends(shares / shares.sum(), np.array(alphas), 1, 0.95)
    np.testing.assert_allclose(clf.predict_interval(X)[0, 1], exact, rtol=0, atol=2e-3)


def test_intervals_hold_as_often_as_they_say() -> None:
    """Lists and risks drawn from the prior lie in the 95 % interval 95 times in a hundred."""
    rng = np.random.default_rng(11)
    cells = pd.DataFrame([[bool(i >> k & 1) for k in range(3)] for i in range(8)], columns=[*"abc"])
    lengths = np.exp(np.arange(4) * np.log(3) - np.log([1, 1, 2, 6]))
    covered, own = [], []
    for _ in range(120):
        order = rng.permutation(3)[: rng.choice(4, p=lengths / lengths.sum())]
        risks = rng.random(len(order) + 1)
        X = pd.DataFrame(rng.random((80, 3)) < 0.5, columns=cells.columns)

        def risk(table: pd.DataFrame, order: Any = order, risks: Any = risks) -> np.ndarray:
            covers = [table.iloc[:, k].to_numpy() for k in order] + [np.ones(len(table), bool)]
            return np.asarray(np.select(covers, risks))

        y = rng.random(len(X)) < risk(X)
        if y.all() or not y.any():
            continue
        clf = BayesianRuleListClassifier(
            kernel="exact", max_cardinality=1, min_support=1, random_state=0, n_iter=4000
        ).fit(X, y)
        truth = risk(cells)
        for result, where in ((covered, "posterior"), (own, "point")):
            low, high = clf.predict_interval(cells, 0.95, where)[:, 1].T
            result.append(((low <= truth) & (truth <= high)).mean())
    # 4 standard errors of a mean whose draws are between 0 and 1
    assert abs(np.mean(covered) - 0.95) < 4 * np.std(covered) / np.sqrt(len(covered))
    assert np.mean(own) < np.mean(covered)


def test_a_model_file_without_its_posterior(tmp_path: Any) -> None:
    """Nothing over all lists is told of a model that has one list; the line's interval is."""
    X, y = random_frame()
    clf = quick().fit(X, y)
    save_model(clf, tmp_path / "lists.json", posterior="lists")
    loaded = load_model(tmp_path / "lists.json")
    np.testing.assert_allclose(
        loaded.predict_interval(X), clf.predict_interval(X), rtol=0, atol=2e-8
    )
    save_model(clf, tmp_path / "list.json", min_cell=5)
    alone = load_model(tmp_path / "list.json")
    with pytest.raises(ParamError, match="without its posterior"):
        alone.predict_interval(X)
    assert alone.predict_interval(X, predict_with="point").shape == (len(X), 2, 2)
    assert "over all lists" not in alone.explain(X).to_text()
    assert "over all lists" in clf.explain(X).to_text().replace("\n    ", " ")


@pytest.mark.parametrize("level", [0, 1, 95, "high"])
def test_levels_that_cannot_be(level: Any) -> None:
    """A level is a probability."""
    X, y = random_frame()
    with pytest.raises(ParamError, match="level"):
        quick().fit(X, y).predict_interval(X, level)


def test_a_model_without_a_projected_list() -> None:
    """The error says how to have one."""
    X, y = random_frame()
    with pytest.raises(ParamError, match="fit it with predict_with='projected'"):
        quick().fit(X, y).predict_interval(X, predict_with="projected")
