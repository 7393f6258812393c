"""A fit is whole or not there: one that fails or is interrupted changes nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import config_context
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from elseif import BayesianRuleListClassifier
from elseif.errors import ElseifError
from tests.tables.fitting import quick, random_frame

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def mixed_table() -> tuple[pd.DataFrame, np.ndarray]:
    """Columns of every kind, with missing values, and three labels as text."""
    X, y = random_frame(n_labels=3, seed=1)
    rng = np.random.default_rng(2)
    X["age"] = np.where(rng.random(len(X)) < 0.1, np.nan, rng.integers(20, 90, len(X)))
    X["region"] = pd.Categorical(rng.choice(["north", "south", "east"], len(X)))
    X["seen"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, len(X)), "D")
    return X, np.array(["low", "middle", "high"])[y]


def first_fit() -> BayesianRuleListClassifier:
    return quick().fit(*random_frame())


def same_objects(result: dict[str, Any], expected: dict[str, Any]) -> bool:
    return result.keys() == expected.keys() and all(result[k] is expected[k] for k in expected)


BAD_REFITS: dict[str, Callable[[BayesianRuleListClassifier], Any]] = {
    "a setting": lambda clf: clf.set_params(n_chains=0).fit(*mixed_table()),
    "a pseudocount": lambda clf: clf.set_params(pseudocounts={"no": 1}).fit(*mixed_table()),
    "a label too few": lambda clf: clf.fit(mixed_table()[0], mixed_table()[1][:-1]),
    "one label": lambda clf: clf.fit(mixed_table()[0], ["a"] * 200),
    "nothing frequent": lambda clf: clf.set_params(min_support=1.0).fit(*mixed_table()),
    "a cut": lambda clf: clf.set_params(cuts={"none": [1]}).fit(*mixed_table()),
    "a weight": lambda clf: clf.set_params(antecedent_weights={"no": 2}).fit(*mixed_table()),
    "too large to sum": lambda clf: clf.set_params(kernel="exact").fit(*mixed_table()),
    "weights": lambda clf: clf.fit(sparse.csr_array(np.eye(200)), np.arange(200) % 2, [-1] * 200),
}


@pytest.mark.fault(
    "",
    "a fit in Python that fails, or is interrupted before it has a result",
    "a classifier that was not fitted stays so; one that was keeps its earlier fit",
)
@pytest.mark.parametrize("refit", BAD_REFITS.values(), ids=BAD_REFITS)
def test_a_refit_that_fails_leaves_the_earlier_fit(refit: Any) -> None:
    clf = first_fit()
    before = vars(clf).copy()
    with pytest.raises(ElseifError):
        refit(clf)
    settings = clf.get_params()
    fitted = {name: value for name, value in vars(clf).items() if name not in settings}
    assert same_objects(fitted, {k: v for k, v in before.items() if k not in settings})
    clf.set_params(**quick().get_params())
    X, _ = random_frame()
    np.testing.assert_array_equal(clf.predict_proba(X), first_fit().predict_proba(X))


@pytest.mark.parametrize("fit", BAD_REFITS.values(), ids=BAD_REFITS)
def test_a_first_fit_that_fails_leaves_an_unfitted_classifier(fit: Any) -> None:
    clf = quick()
    with pytest.raises(ElseifError):
        fit(clf)
    assert vars(clf).keys() == clf.get_params().keys()
    with pytest.raises(NotFittedError):
        check_is_fitted(clf)
    with pytest.raises(NotFittedError):
        clf.predict(random_frame()[0])


class Interrupting:
    """Raises KeyboardInterrupt at the n-th call of a function of elseif; counts without n."""

    def __init__(self, at: int | None = None) -> None:
        self.at, self.n_calls = at, 0

    def __enter__(self) -> Interrupting:
        sys.setprofile(self._called)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def _called(self, frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_globals.get("__name__", "").startswith("elseif."):
            self.n_calls += 1
            if self.n_calls == self.at:
                raise KeyboardInterrupt


def calls_of_a_fit(clf: BayesianRuleListClassifier) -> int:
    with Interrupting() as counting:
        clf.fit(*mixed_table())
    return counting.n_calls


def test_a_refit_that_is_interrupted_anywhere_leaves_one_whole_fit() -> None:
    """Never the labels of one fit with the list of another."""
    clf = first_fit()
    clf.fit(*mixed_table())  # loads all modules
    n_calls = calls_of_a_fit(clf)
    n_kept = 0
    # the last calls come after everything is set: they tell of warnings
    for at in {*np.linspace(1, n_calls, 100).astype(int), *range(n_calls - 40, n_calls + 1)}:
        clf = first_fit()
        before = vars(clf).copy()
        with Interrupting(int(at)), pytest.raises(KeyboardInterrupt):
            clf.fit(*mixed_table())
        if same_objects(vars(clf), before):
            n_kept += 1
        else:  # interrupted when it had everything
            assert not any(vars(clf)[name] is before[name] for name in before if name[-1] == "_")
            assert clf.rule_list_.metadata.classes is clf.classes_
            assert clf.n_features_in_ == mixed_table()[0].shape[1]
    assert 60 < n_kept < 140  # of 140: both happen


def test_a_first_fit_that_is_interrupted_anywhere_leaves_no_fit_or_a_whole_one() -> None:
    n_calls = calls_of_a_fit(quick())
    whole = vars(quick().fit(*mixed_table())).keys()
    for at in np.linspace(1, n_calls, 40).astype(int):
        clf = quick()
        with Interrupting(int(at)), pytest.raises(KeyboardInterrupt):
            clf.fit(*mixed_table())
        assert vars(clf).keys() in (clf.get_params().keys(), whole)


def test_nothing_of_an_earlier_fit_stays() -> None:
    """Names of columns, and what was edited by hand, go with the fit they belonged to."""
    X, y = random_frame()
    clf = first_fit()
    edited = clf.edit(X, y).drop(1).as_classifier()
    assert hasattr(edited, "edited_")
    edited.fit(X.to_numpy(), y)
    assert not hasattr(edited, "edited_")
    assert not hasattr(edited, "feature_names_in_")
    assert vars(edited).keys() == vars(quick().fit(X.to_numpy(), y)).keys()


def test_what_is_no_fit_stays() -> None:
    """Requests of metadata routing, and attributes of the user's own."""
    clf = quick()
    clf.note = "mine"
    with config_context(enable_metadata_routing=True):
        clf.set_fit_request(sample_weight=True).fit(*random_frame())
        assert clf.get_metadata_routing().fit.requests == {"sample_weight": True}
    assert clf.note == "mine"


def test_reading_leaves_no_marks() -> None:
    """Editing, explaining and predicting read tables, and change nothing of the classifier."""
    X, y = random_frame()
    clf = first_fit()
    before = vars(clf).copy()
    clf.edit(X.iloc[:, ::-1], y)
    clf.explain(X, row=3)
    clf.predict(X.iloc[:, ::-1])
    with pytest.raises(ElseifError):
        clf.edit(X, ["a", "b"] * 100)
    assert same_objects(vars(clf), before)
