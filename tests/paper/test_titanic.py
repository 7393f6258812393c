"""Figure 1, and the posterior behind it against a full enumeration."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from arviz_stats.base import array_stats
from sklearn.model_selection import cross_val_score

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.posterior.draws import Posterior
from tests.paper.enumeration import ALL_PASSENGERS, PAPER_SPLIT, Exact, enumerate_titanic

FIGURE_1 = (
    ("age = adult and sex = male", 1324, "20.9 [18.7-23.1]", "21% (19%–23%)"),
    ("class = 3rd", 206, "44.2 [37.6-51.0]", "44% (38%–51%)"),
    ("class = 1st", 120, "95.9 [91.8-98.6]", "96% (92%–99%)"),
    ("", 111, "88.5 [82.0-93.7]", "88% (82%–94%)"),
)
MOST_DRAWS = 10_000  # of a chain, evenly spaced, for the effective number of draws
# Means over draws are compared within 5 standard errors: a right sampler fails one such
# comparison with a probability of 6e-7, and these tests make about 200 of them.
SIGMAS = 5.0


@pytest.fixture(scope="module")
def paper_split() -> Exact:
    """The exact posterior of the authors' 1,761 passengers."""
    return enumerate_titanic(PAPER_SPLIT)


@pytest.fixture(scope="module")
def all_passengers() -> Exact:
    """The exact posterior of all 2,201."""
    return enumerate_titanic(ALL_PASSENGERS)


@pytest.fixture(scope="module")
def long_run(titanic: Any) -> BayesianRuleListClassifier:
    """A long run over the authors' split: 2 % of the posterior is a mode far from the rest."""
    clf = BayesianRuleListClassifier(kernel="tempered", n_iter=4_000_000, random_state=11, n_jobs=2)
    return clf.fit(*titanic)


@pytest.fixture(scope="module")
def long_run_of_all() -> BayesianRuleListClassifier:
    """A long run over everybody: there, lists far apart are nearly as probable."""
    clf = BayesianRuleListClassifier(kernel="tempered", n_iter=4_000_000, random_state=12, n_jobs=2)
    return clf.fit(*load_titanic())


@pytest.fixture(scope="module")
def default_runs(titanic: Any) -> list[BayesianRuleListClassifier]:
    """Default settings, 20 different seeds."""
    return [BayesianRuleListClassifier(random_state=seed).fit(*titanic) for seed in range(20)]


@pytest.fixture(scope="module")
def default_runs_of_all() -> list[BayesianRuleListClassifier]:
    """Default settings on everybody, 20 different seeds."""
    X, y = load_titanic()
    return [BayesianRuleListClassifier(random_state=seed).fit(X, y) for seed in range(20)]


@pytest.fixture(scope="module")
def automatic_chains(titanic: Any) -> list[BayesianRuleListClassifier]:
    """The kernel of larger pools, until its chains agree, 20 different seeds."""
    seeds = range(20)
    return [
        BayesianRuleListClassifier(kernel="tempered", random_state=seed).fit(*titanic)
        for seed in seeds
    ]


@pytest.fixture(scope="module")
def automatic_chains_of_all() -> list[BayesianRuleListClassifier]:
    """The same on everybody."""
    X, y = load_titanic()
    seeds = range(20)
    return [
        BayesianRuleListClassifier(kernel="tempered", random_state=seed).fit(X, y) for seed in seeds
    ]


@pytest.mark.parametrize("runs", ["default_runs", "automatic_chains"])
@pytest.mark.parametrize("seed", range(20))
def test_figure_1_with_any_seed(runs: str, seed: int, request: pytest.FixtureRequest) -> None:
    """The point estimate is the paper's list, to the digit and in its order."""
    clf = request.getfixturevalue(runs)[seed]
    assert clf.convergence_.independent == (runs == "default_runs")
    assert clf.convergence_.status in ("converged", "warn")
    assert clf.convergence_.r_hat < 1.05
    (note,) = clf.fit_report_.notes
    assert note.startswith("Probabilities are those of 'survived'")
    assert len(clf.rule_list_.rules) == len(FIGURE_1)
    lines = str(clf.rule_list_).splitlines()[1:]
    for rule, line, (name, n, digits, text) in zip(
        clf.rule_list_.rules, lines, FIGURE_1, strict=True
    ):
        assert rule.antecedent.name == name
        assert rule.n == n
        low, high = rule.interval("survived")
        assert f"{100 * rule.probabilities[1]:.1f} [{100 * low:.1f}-{100 * high:.1f}]" == digits
        assert f" {text}" in line
    assert clf.map_rule_list_.antecedents == clf.rule_list_.antecedents[:2]


def test_the_enumeration_agrees_with_the_published_one(paper_split: Exact) -> None:
    """Lengths, the most probable list and the tie as published: over lists of up to 7 rules."""
    assert len(paper_split.names) == 15
    assert paper_split.lengths.sum() == pytest.approx(1, abs=1e-12)
    up_to_7 = paper_split.lengths[:8].sum()
    assert 0.99 < up_to_7 < 0.995
    np.testing.assert_allclose(
        paper_split.lengths[2:7] / up_to_7, [0.345, 0.327, 0.189, 0.082, 0.040], atol=0.0005
    )
    assert paper_split.lengths @ np.arange(16) == pytest.approx(3.2, abs=0.05)
    best = ("age = adult and sex = male", "class = 3rd")
    assert paper_split.probability(best) / up_to_7 == pytest.approx(0.345, abs=0.0005)
    first = paper_split.probability((*best, "class = 1st"))
    assert first / up_to_7 == pytest.approx(0.037, abs=0.0005)
    second = paper_split.probability((best[0], "class = 1st", "class = 3rd"))
    assert second == pytest.approx(first, abs=1e-12)


def test_the_enumeration_agrees_with_a_plain_one(paper_split: Exact) -> None:
    """The sum over subsets is the sum over lists, list by list up to length 4."""
    for m in range(5):
        plain = sum(map(paper_split.probability, itertools.permutations(paper_split.names, m)))
        assert paper_split.lengths[m] == pytest.approx(plain, rel=1e-9)


@pytest.mark.parametrize("runs", ["default_runs", "automatic_chains"])
@pytest.mark.parametrize("seed", range(20))
def test_frequencies_of_lengths_with_default_settings(
    runs: str, paper_split: Exact, seed: int, request: pytest.FixtureRequest
) -> None:
    """An automatic run agrees with the enumeration as far as its effective draws can tell."""
    posterior = request.getfixturevalue(runs)[seed].posterior_
    for m in np.flatnonzero(paper_split.lengths > 1e-3):
        expected = paper_split.lengths[m]
        _compare(posterior.distinct.lengths == m, expected, posterior, f"P(m = {m})")


AUTOMATIC_RUNS = [
    ("paper_split", "default_runs"),
    ("all_passengers", "default_runs_of_all"),
    ("paper_split", "automatic_chains"),
    ("all_passengers", "automatic_chains_of_all"),
]


def _errors_off(shares: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """How many standard errors the mean over independent runs is from its exact value.

    The runs' spread gives the standard error; 6.5 of them are passed by a t variable of 19
    degrees of freedom with a probability of 3e-6, at each of the quantities compared.
    """
    error = shares.std(axis=0, ddof=1) / np.sqrt(len(shares))
    return (shares.mean(axis=0) - expected) / error


@pytest.mark.parametrize(("which", "automatic"), AUTOMATIC_RUNS)
def test_frequencies_of_lengths_over_all_seeds(
    which: str, automatic: str, request: pytest.FixtureRequest
) -> None:
    """The mean over 20 automatic runs agrees with the enumeration: no mode is left out."""
    exact = request.getfixturevalue(which)
    runs = request.getfixturevalue(automatic)
    shares = np.stack(
        [np.bincount(r.posterior_.lengths, minlength=16) / r.posterior_.n_draws for r in runs]
    )
    compared = np.flatnonzero(exact.lengths > 5e-3)
    assert len(compared) >= 5
    off = _errors_off(shares[:, compared], exact.lengths[compared])
    assert np.abs(off).max() <= 6.5, f"P(m = {compared}) is off by {off.round(1)} standard errors"


@pytest.mark.parametrize(("which", "automatic"), AUTOMATIC_RUNS)
def test_frequencies_of_lists_over_all_seeds(
    which: str, automatic: str, request: pytest.FixtureRequest
) -> None:
    """The ten most probable lists are drawn as often as the enumeration says, by default."""
    exact = request.getfixturevalue(which)
    drawn = [_shares_of_draws(run.posterior_) for run in request.getfixturevalue(automatic)]
    result = {names for lists in drawn for names in list(lists)[:30]}
    top = sorted(result, key=lambda names: (-exact.probability(names), names))[:10]
    shares = np.array([[lists.get(names, 0.0) for names in top] for lists in drawn])
    off = _errors_off(shares, np.array([exact.probability(names) for names in top]))
    assert np.abs(off).max() <= 6.5, f"lists are off by {off.round(1)} standard errors"


def _shares_of_draws(posterior: Posterior) -> dict[tuple[str, ...], float]:
    """Each list's share of the draws, best first, whether or not more is known of it."""
    names, lists = posterior.pool.names, posterior.distinct
    return {
        tuple(names[a] for a in lists.antecedent_list(i)): float(posterior.probabilities[i])
        for i in posterior.best_first.tolist()
    }


@pytest.mark.parametrize(("which", "automatic"), AUTOMATIC_RUNS[:2])
def test_what_the_sum_says_is_the_enumeration_s(
    which: str, automatic: str, request: pytest.FixtureRequest
) -> None:
    """By default nothing depends on the draws: lengths, lists and estimates for any seed."""
    exact, runs = request.getfixturevalue(which), request.getfixturevalue(automatic)
    for run in runs:
        np.testing.assert_allclose(run.posterior_.length_probabilities, exact.lengths, atol=1e-9)
    best = runs[0].posterior_.lists().head(50)
    for names, share in zip(best["antecedents"], best["probability"], strict=True):
        assert share == pytest.approx(exact.probability(names), rel=1e-8)
    assert len({str(run.rule_list_) for run in runs}) == 1
    assert len({str(run.map_rule_list_) for run in runs}) == 1
    assert len({run.posterior_.log_evidence for run in runs}) == 1


def test_all_passengers_prefer_longer_lists(all_passengers: Exact) -> None:
    """On everybody the mean length is above 6."""
    assert all_passengers.lengths @ np.arange(16) > 6


@pytest.mark.parametrize("which", ["paper_split", "all_passengers"])
def test_log_posterior_of_every_drawn_list(which: str, request: pytest.FixtureRequest) -> None:
    """Prior times likelihood of each drawn list is the enumeration's."""
    exact = request.getfixturevalue(which)
    run = {"paper_split": "long_run", "all_passengers": "long_run_of_all"}[which]
    lists = request.getfixturevalue(run).posterior_.lists()
    assert set(request.getfixturevalue(run).pool_.names) == set(exact.names)
    expected = np.array([exact.log_posterior(names) for names in lists["antecedents"]])
    result = lists["log_posterior"].to_numpy()
    np.testing.assert_allclose(result - result[0], expected - expected[0], atol=1e-8)
    assert np.all(np.diff(result) <= 1e-8)


@pytest.mark.parametrize("which", ["paper_split", "all_passengers"])
def test_frequencies_of_lengths(which: str, request: pytest.FixtureRequest) -> None:
    """P(m) of the draws is the enumeration's."""
    exact, posterior = _pair(which, request)
    lengths = _thinned(posterior, posterior.distinct.lengths)
    compared = np.flatnonzero(exact.lengths > 1e-3)
    for m in compared:
        _compare(posterior.distinct.lengths == m, exact.lengths[m], posterior, f"P(m = {m})")
    assert lengths.min() >= 0
    assert len(compared) >= 6


@pytest.mark.parametrize("which", ["paper_split", "all_passengers"])
def test_frequencies_of_lists(which: str, request: pytest.FixtureRequest) -> None:
    """The most probable lists are drawn as often as they should be."""
    exact, posterior = _pair(which, request)
    best = posterior.best_first[:20]
    for i in best:
        names = tuple(posterior.pool.names[a] for a in posterior.distinct.antecedent_list(i))
        chosen = np.arange(len(posterior.distinct)) == i
        _compare(chosen, exact.probability(names), posterior, "; ".join(names))


@pytest.mark.parametrize("which", ["paper_split", "all_passengers"])
def test_inclusion_probabilities(which: str, request: pytest.FixtureRequest) -> None:
    """Every antecedent is in the drawn lists as often as it should be."""
    exact, posterior = _pair(which, request)
    owners = np.repeat(np.arange(len(posterior.distinct)), posterior.distinct.lengths)
    for name, probability in posterior.inclusion().items():
        a = posterior.pool.names.index(name)
        holds = np.zeros(len(posterior.distinct), dtype=bool)
        holds[owners[posterior.distinct.items == a]] = True
        expected = exact.inclusion[exact.names.index(name)]
        assert probability == pytest.approx(posterior.probabilities @ holds)
        _compare(holds, expected, posterior, f"inclusion of {name}")


@pytest.mark.parametrize("which", ["paper_split", "all_passengers"])
def test_posterior_predictive(which: str, request: pytest.FixtureRequest) -> None:
    """Averaged predictions are the enumeration's, for every kind of passenger."""
    import pandas as pd

    exact, posterior = _pair(which, request)
    run = {"paper_split": "long_run", "all_passengers": "long_run_of_all"}[which]
    clf = request.getfixturevalue(run)
    X = pd.DataFrame(list(exact.cells), columns=["class", "sex", "age"])
    by_list = np.stack(
        [posterior.rule_list(i).predict_proba(X)[:, 1] for i in posterior.best_first[:300]]
    )
    top = posterior.best_first[:300]
    probabilities = clf.set_params(predict_with="posterior").predict_proba(X)[:, 1]
    clf.set_params(predict_with="point")
    weights = posterior.probabilities[top] / posterior.probabilities[top].sum()
    mean = weights @ by_list
    spread = np.sqrt(weights @ (by_list - mean) ** 2)
    # the slowest of the quantities that are followed bounds the effective number of draws
    error = np.maximum(spread, 0.02) / np.sqrt(clf.convergence_.min_ess)
    assert np.all(np.abs(probabilities - exact.predictive) <= SIGMAS * error)


def _pair(which: str, request: pytest.FixtureRequest) -> tuple[Exact, Any]:
    run = {"paper_split": "long_run", "all_passengers": "long_run_of_all"}[which]
    return request.getfixturevalue(which), request.getfixturevalue(run).posterior_


def _thinned(posterior: Any, values: np.ndarray) -> np.ndarray:
    """A quantity of the distinct lists, along evenly spaced draws of each chain."""
    traces = []
    for chain in posterior.chains:
        ends = np.cumsum(chain.n_draws)
        points = np.linspace(0, ends[-1] - 1, min(MOST_DRAWS, ends[-1])).astype(np.int64)
        traces.append(values[chain.distinct[np.searchsorted(ends, points, side="right")]])
    return np.stack(traces)


def _compare(chosen: np.ndarray, expected: float, posterior: Any, what: str) -> None:
    """The share of draws at the chosen lists, against its exact value."""
    result = float(posterior.probabilities @ chosen)
    trace = _thinned(posterior, chosen.astype(float))
    if np.all(trace == trace[0, 0]):
        # next to never or next to always: fewer than one draw of MOST_DRAWS x chains expected
        assert abs(result - expected) < 1e-3, what
        return
    ess = float(array_stats.ess(trace, chain_axis=0, draw_axis=1, method="mean"))
    error = np.sqrt(expected * (1 - expected) / min(ess, trace.size))
    assert abs(result - expected) <= SIGMAS * error, (
        f"{what}: {result:.4f} drawn, {expected:.4f} exact, standard error {error:.4f}"
    )


@pytest.mark.parametrize("split", ["all", "paper"])
def test_folds_of_the_loader_are_alike(split: str) -> None:
    """Rows are in no order that consecutive folds could follow."""
    X, y = load_titanic(split)
    scores = cross_val_score(
        BayesianRuleListClassifier(random_state=0), X, y, scoring="roc_auc", cv=5
    )
    assert scores.min() > 0.65
