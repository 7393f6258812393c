"""Hyperparameters learnt by evidence, against the evidence by plain enumeration."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from scipy.special import logsumexp

from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.datasets import load_titanic
from elseif.errors import ParamError
from elseif.progress import Progress
from elseif.sampler.chains import SamplerSettings
from elseif.sampler.exact_sum import ExactSum
from elseif.sampler.learning import (
    Reweighted,
    distinct_rows,
    learn,
    next_values,
    ranges_of,
    with_values,
)
from tests.sampler import naive
from tests.sampler.cases import CASES, Case, random_case
from tests.tables.fitting import random_frame

INFORMATIVE = random_case("informative", 21, (1, 1, 2, 3), (1.0, 1.0, 1.0), n=60)


def _evidence(case: Case, name: str, value: float) -> float:
    """Log evidence by the reference, list by list."""
    changed = {name: (value,) * case.n_labels if name == "pseudocounts" else value}
    model = dataclasses.replace(case, **changed).model()
    lists = naive.all_lists(case.pool_size)
    return float(
        logsumexp([naive.log_prior(model, d) + naive.log_likelihood(model, d) for d in lists])
    )


def _learnt(case: Case, *names: str, kernel: str = "exact") -> dict[str, float]:
    settings = SamplerSettings(kernel, n_jobs=1)
    return learn(case.problem, names, settings, np.random.SeedSequence(1), Progress()).values


@pytest.mark.parametrize("name", ["expected_length", "expected_cardinality", "pseudocounts"])
@pytest.mark.parametrize("case", [INFORMATIVE, CASES["six-antecedents"]], ids=lambda c: c.name)
def test_nothing_has_more_evidence_than_what_is_learnt(case: Case, name: str) -> None:
    """A fine grid over the whole range, by plain enumeration."""
    learnt = _learnt(case, name)[name]
    best = _evidence(case, name, learnt)
    low, high = ranges_of(case.problem)[name]
    for value in np.geomspace(low, high, 25):
        assert _evidence(case, name, value) <= best + 1e-6
    if low < learnt < high:
        assert _evidence(case, name, learnt * 1.05) < best
        assert _evidence(case, name, learnt / 1.05) < best


def test_all_three_together_have_more_evidence_than_each_alone() -> None:
    """And than any of a grid over the three, by the exact sum."""
    names = ("expected_length", "expected_cardinality", "pseudocounts")
    problem = INFORMATIVE.problem

    def evidence(values: dict[str, float]) -> float:
        return ExactSum.of(with_values(problem, values)).log_evidence

    best = evidence(_learnt(INFORMATIVE, *names))
    limits = ranges_of(problem)
    rng = np.random.default_rng(0)
    for _ in range(300):
        values = {name: float(np.exp(rng.uniform(*np.log(limits[name])))) for name in names}
        assert evidence(values) <= best + 1e-4
    for name in names:
        assert evidence({**_learnt(INFORMATIVE, name)}) <= best + 1e-4


def test_draws_weighed_anew_give_the_evidence() -> None:
    """The ratio of two evidences from draws under one of them, within its standard error."""
    problem = INFORMATIVE.problem
    summed = ExactSum.of(problem)
    weighed = Reweighted([summed.draw(40_000, np.random.default_rng(2))], problem)
    for values in (
        {"expected_length": 3.0},
        {"expected_cardinality": 1.0},
        {"pseudocounts": 0.7},
        {"expected_length": 1.5, "expected_cardinality": 2.0, "pseudocounts": 1.3},
    ):
        exact = ExactSum.of(with_values(problem, values)).log_evidence - summed.log_evidence
        share = weighed.share_that_counts(values)
        error = np.sqrt((1 / share - 1) / 40_000)  # of a mean of weights, relative to it
        assert abs(weighed.log_evidence(values) - exact) < 6 * error + 1e-9
        assert 0.05 < share <= 1


def test_chains_learn_what_the_sum_learns() -> None:
    """To the noise of their draws, all three settings."""
    for name in ("expected_length", "pseudocounts"):
        exact = _learnt(INFORMATIVE, name)[name]
        learnt = _learnt(INFORMATIVE, name, kernel="tempered")[name]
        assert abs(np.log(learnt / exact)) < 0.15


def test_a_step_that_the_draws_cannot_go_beyond_has_not_settled() -> None:
    """Far from the maximum, a round ends as far as its draws can tell, and says so."""
    problem = with_values(INFORMATIVE.problem, {"pseudocounts": 0.02})
    drawn = ExactSum.of(problem).draw(4_000, np.random.default_rng(3))
    bounds = np.log([ranges_of(problem)["pseudocounts"]])
    following, inside = next_values(
        Reweighted([drawn], problem), ["pseudocounts"], np.log([0.02]), bounds
    )
    assert following[0] > np.log(0.02) + 0.1
    assert not inside
    learnt = _learnt(INFORMATIVE, "pseudocounts")["pseudocounts"]
    there = with_values(INFORMATIVE.problem, {"pseudocounts": learnt})
    drawn = ExactSum.of(there).draw(20_000, np.random.default_rng(3))
    following, inside = next_values(
        Reweighted([drawn], there, 4_000), ["pseudocounts"], np.log([learnt]), bounds
    )
    assert inside
    assert abs(following[0] - np.log(learnt)) < 0.1


def test_max_time_ends_the_search_and_is_reported() -> None:
    """Learning that has no time left keeps what it has, and the note says why."""
    settings = SamplerSettings("tempered", n_jobs=1, max_time=1e-9)
    names = ["expected_length", "pseudocounts"]
    learnt = learn(INFORMATIVE.problem, names, settings, np.random.SeedSequence(1), Progress())
    assert learnt.values == {"expected_length": 3.0, "pseudocounts": 1.0}
    assert learnt.note is not None
    assert "max_time ended the search" in learnt.note


@pytest.mark.parametrize("largest", [9, 2**40])
def test_distinct_rows_are_those_of_numpy(largest: int) -> None:
    """Whether a row fits into one number or not."""
    rows = np.random.default_rng(0).integers(-1, 3, size=(500, 3)) * largest
    distinct, places = distinct_rows(rows)
    np.testing.assert_array_equal(distinct, np.unique(rows, axis=0))
    np.testing.assert_array_equal(distinct[places], rows)


def test_a_fit_that_learns_is_the_fit_with_what_it_learnt(tmp_path: Path) -> None:
    """Same seed: the same posterior; saved, loaded and reported."""
    X, y = load_titanic("paper")
    names = {"expected_length": "learn", "pseudocounts": "learn"}
    clf = BayesianRuleListClassifier(random_state=0, n_iter=100, **names).fit(X, y)
    assert set(clf.learnt_) == set(names)
    fitted = BayesianRuleListClassifier(random_state=0, n_iter=100, **clf.learnt_).fit(X, y)
    assert not hasattr(fitted, "learnt_")
    assert str(clf.rule_list_) == str(fitted.rule_list_)
    assert clf.posterior_.log_evidence == fitted.posterior_.log_evidence
    default = BayesianRuleListClassifier(random_state=0, n_iter=100).fit(X, y)
    assert clf.posterior_.log_evidence > default.posterior_.log_evidence
    note = f"expected_length={clf.learnt_['expected_length']:g}"
    assert any(note in n and "maximising the evidence" in n for n in clf.fit_report_.notes)
    loaded = load_model(save_model(clf, tmp_path / "model.json"))
    assert loaded.learnt_ == clf.learnt_
    assert loaded.expected_length == "learn"
    assert loaded.model_.prior.expected_length == clf.learnt_["expected_length"]
    np.testing.assert_array_equal(loaded.predict_proba(X), clf.predict_proba(X))
    clf.edit(X, y)  # whose prices need the prior of fit


def test_one_cardinality_and_an_empty_pool() -> None:
    """Nothing to learn of conditions in a rule, or of anything: the default stays."""
    X, y = random_frame(80, 3)
    clf = BayesianRuleListClassifier(
        max_cardinality=1, expected_cardinality="learn", n_iter=100, random_state=0
    ).fit(X, y)
    assert clf.learnt_ == {"expected_cardinality": 1.0}
    assert any("one cardinality" in note for note in clf.fit_report_.notes)
    empty = BayesianRuleListClassifier(
        min_support=1.0, empty_pool="default_rule", expected_length="learn"
    ).fit(X, y)
    assert empty.learnt_ == {"expected_length": 3.0}


@pytest.mark.parametrize("name", ["expected_length", "expected_cardinality", "pseudocounts"])
def test_other_words_are_refused(name: str) -> None:
    """A number, or the one word."""
    X, y = random_frame(40, 3)
    with pytest.raises(ParamError, match=name):
        BayesianRuleListClassifier(**{name: "auto"}).fit(X, y)
