"""Going on from where the chains are, and ending in time."""

from __future__ import annotations

import dataclasses
import io
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError

from elseif import BayesianRuleListClassifier
from elseif.errors import ParamError, SamplingError
from elseif.export.model_file import load_model, save_model
from elseif.progress import Progress
from elseif.sampler import run_of_chains
from elseif.sampler.chain import Chain
from elseif.sampler.chains import Sampled, SamplerSettings, sample
from elseif.sampler.move_mix import KERNELS
from elseif.sampler.run_length_draws import RunLengthDraws
from tests.sampler.cases import CASES
from tests.tables.fitting import quick, random_frame

CASE = CASES["six-antecedents"]
N_CHAINS = 2
pytestmark = pytest.mark.filterwarnings("ignore:The chains have not converged")


def sampled(kernel: str, n_iter: int | None, **settings: Any) -> Sampled:
    how = SamplerSettings(kernel, N_CHAINS, n_iter, n_jobs=1, **settings)
    return sample(CASE.problem, how, np.random.SeedSequence(8), Progress())


def assert_same(result: Sampled, expected: Sampled) -> None:
    """Draws, counters and verdict, bit for bit."""
    for mine, theirs in zip(result.chains, expected.chains, strict=True):
        for field in dataclasses.fields(RunLengthDraws):
            a, b = getattr(mine, field.name), getattr(theirs, field.name)
            np.testing.assert_array_equal(a, b)
    assert result.infos == expected.infos
    assert str(result.convergence) == str(expected.convergence)


@pytest.mark.parametrize("kernel", [*KERNELS, "exact"])
@pytest.mark.parametrize("lengths", [(1_000, 1_000), (3_001, 4_999), (300, 100, 700), (4_000, 60)])
def test_more_is_one_long_run(kernel: str, lengths: tuple[int, ...]) -> None:
    """Also where the run went past the end of a window that the longer one adapts to."""
    run = sampled(kernel, lengths[0])
    for n_more in lengths[1:]:
        run = run.go_on(n_more, None, Progress())
    assert_same(run, sampled(kernel, sum(lengths)))


@pytest.mark.parametrize("kernel", KERNELS)
def test_more_than_what_converged_by_itself(kernel: str) -> None:
    """An automatic run goes on like any other."""
    run = sampled(kernel, None, max_iter=64_000)
    n_iter = run.convergence.n_iter
    assert_same(run.go_on(5_000, None, Progress()), sampled(kernel, n_iter + 5_000))


def test_without_room_for_copies_chains_begin_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same result, for a longer wait."""
    monkeypatch.setattr(run_of_chains, "LARGEST_COPY", 0)
    run = sampled("tempered", 3_001).go_on(4_999, None, Progress())
    assert_same(run, sampled("tempered", 8_000))


def test_an_interrupted_run_goes_on_as_if_nothing_had_been(monkeypatch: pytest.MonkeyPatch) -> None:
    """The draws of before are there, and the next call makes those that are missing."""
    run = sampled("tempered", 2_000)

    def interrupt(*_: Any, **__: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("elseif.sampler.chain.compiled.advance", interrupt)
        with pytest.raises(KeyboardInterrupt):
            run.go_on(2_000, None, Progress())
    assert_same(run.go_on(2_000, None, Progress()), sampled("tempered", 4_000))


class Clock:
    """Time that goes by as iterations do: a thousandth of a second each."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 0.0
        whole = Chain.run

        def run(chain: Chain, n_iter: int) -> RunLengthDraws:
            n_before = chain.n_done
            draws = whole(chain, n_iter)
            self.now += (n_iter - n_before) / 1000 / N_CHAINS
            return draws

        monkeypatch.setattr(Chain, "run", run)
        monkeypatch.setattr(run_of_chains.time, "monotonic", lambda: self.now)


@pytest.mark.parametrize("max_time", [0.001, 0.3, 1.0, 5.0, 9.0, 20.0])
def test_time_is_kept(max_time: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run is as long as time allows, ends as a run of that length, and says so."""
    clock = Clock(monkeypatch)
    runs = sampled("tempered", None, max_time=max_time)
    n_iter = runs.convergence.n_iter
    assert clock.now <= max(max_time, 0.25)
    assert n_iter >= max(250, 0.85 * 1000 * max_time)
    # also where it has converged: it is shorter than a run without a limit
    assert runs.convergence.ended_by == "max_time"
    assert "stopped by max_time" in runs.convergence.sentence()
    assert runs.convergence.status == "not converged" or max_time >= 5
    expected = sampled("tempered", n_iter)
    for mine, theirs in zip(runs.chains, expected.chains, strict=True):
        np.testing.assert_array_equal(mine.log_posterior, theirs.log_posterior)
        np.testing.assert_array_equal(mine.n_draws, theirs.n_draws)


def test_time_that_suffices_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """The result is that of a run without a limit."""
    Clock(monkeypatch)
    assert_same(sampled("tempered", None, max_time=1e6), sampled("tempered", None))
    assert_same(sampled("tempered", 5_000, max_time=1e6), sampled("tempered", 5_000))


@pytest.mark.parametrize("n_iter", [4_000, 5_000])
@pytest.mark.parametrize("seconds", [0.5, 2.0, 30.0])
def test_more_seconds(n_iter: int, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run never becomes shorter, and is still one run of its length."""
    Clock(monkeypatch)
    result = sampled("tempered", n_iter).go_on(None, seconds, Progress())
    n_now = result.convergence.n_iter
    assert n_iter < n_now <= n_iter + 1000 * seconds
    assert_same(result, sampled("tempered", n_now))


# ---------------------------------------------------------------------- the classifier


def test_sample_more_sets_everything_anew() -> None:
    """Draws, lists, verdict and report are those of a fit of that length."""
    X, y = random_frame(300, 5, n_labels=3)
    more = quick(n_iter=2_000, kernel="tempered").fit(X, y)
    first = more.posterior_
    assert more.sample_more(3_000) is more
    fresh = quick(n_iter=5_000, kernel="tempered").fit(X, y)
    assert more.n_iter_ == fresh.n_iter_ == 5_000
    np.testing.assert_array_equal(more.posterior_.log_posterior, fresh.posterior_.log_posterior)
    assert str(more.rule_list_) == str(fresh.rule_list_)
    assert str(more.map_rule_list_) == str(fresh.map_rule_list_)
    assert str(more.convergence_) == str(fresh.convergence_)
    assert more.fit_report_.notes == fresh.fit_report_.notes
    np.testing.assert_array_equal(more.predict_proba(X), fresh.predict_proba(X))
    assert first.n_draws == 4_000 or first.n_draws < more.posterior_.n_draws
    assert more.get_params()["n_iter"] == 2_000


def test_chains_are_not_handed_on(tmp_path: Path) -> None:
    """Neither by a pickle nor by a file, a copy or an edit: the error says what to do."""
    X, y = random_frame(300, 5)
    clf = quick(n_iter=2_000).fit(X, y)
    buffer = io.BytesIO()
    pickle.dump(clf, buffer)
    save_model(clf, tmp_path / "model.json")
    others = [
        pickle.loads(buffer.getvalue()),
        load_model(tmp_path / "model.json"),
        clf.edit(X, y).as_classifier(),
    ]
    for other in others:
        with pytest.raises(SamplingError, match="neither copied, pickled nor saved"):
            other.sample_more(100)
    with pytest.raises(NotFittedError):
        clone(clf).sample_more(100)
    clf.sample_more(100)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ({}, "either n_iter or seconds"),
        ({"n_iter": 10, "seconds": 1.0}, "either n_iter or seconds"),
        ({"n_iter": 0}, "n_iter is 0"),
        ({"seconds": -1.0}, "seconds is -1.0"),
    ],
)
def test_what_sample_more_refuses(given: dict[str, Any], match: str) -> None:
    """Nothing is sampled then."""
    X, y = random_frame(100, 3)
    clf = quick(n_iter=500).fit(X, y)
    with pytest.raises(ParamError, match=match):
        clf.sample_more(**given)


def test_max_time_is_flagged() -> None:
    """A fit that is cut short warns, says so, and has a result all the same."""
    X, y = random_frame(300, 5)
    clf = BayesianRuleListClassifier(kernel="tempered", max_time=0.001, random_state=0)
    with pytest.warns(ConvergenceWarning, match="Raise max_time, go on with sample_more"):
        clf.fit(X, y)
    assert clf.n_iter_ == 250
    assert clf.convergence_.ended_by == "max_time"
    assert clf.predict_proba(X).shape == (300, 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        clf.sample_more(100_000 - 250)
    assert clf.convergence_.status == "converged"
    assert clf.convergence_.ended_by == ""


def test_a_pool_of_nothing_cannot_go_on() -> None:
    """One list is all there is."""
    X, y = random_frame(100, 3)
    clf = quick(antecedents=[], empty_pool="default_rule").fit(X, y)
    with pytest.raises(SamplingError, match="nothing to sample"):
        clf.sample_more(100)


def test_a_run_that_is_too_short_warns() -> None:
    """In one message: how short it was, what is not steady, and what can be done."""
    X, y = random_frame(300, 5)
    clf = BayesianRuleListClassifier(kernel="tempered", n_iter=200, random_state=0)
    with pytest.warns(ConvergenceWarning) as caught:
        clf.fit(X, y)
    (text,) = [str(each.message) for each in caught]
    assert text.startswith("The chains have not converged after 200 iterations: R-hat ")
    for said in ("Not yet steady: ", "Raise n_iter, go on with sample_more", "another seed may"):
        assert said in text
    assert f"{clf.convergence_.min_ess:.0f}" in text
    assert clf.convergence_.sentence().startswith("Not converged: 4 chains of 200 iterations")
