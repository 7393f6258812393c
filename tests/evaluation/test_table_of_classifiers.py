"""Many classifiers over the same folds: numbers by hand, failures, and what a keeper saves."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.svm import SVC

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError, MiningError, ResourceError
from elseif.evaluation.contenders import (
    Contender,
    FoldResult,
    Scores,
    fingerprint,
    reason,
    scores_of,
    settings_of,
)
from elseif.evaluation.cross_validation import cross_validate
from elseif.evaluation.keeper import FitKey
from elseif.evaluation.table_of_classifiers import (
    Compared,
    Population,
    compare,
    fold_splits,
    spread,
)

N, FOLDS, SEED = 240, 4, 3


def people() -> tuple[pd.DataFrame, pd.Series]:
    """Two informative columns and one of noise."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.random((N, 3)) < 0.4, columns=["a", "b", "c"])
    risk = 0.1 + 0.4 * X["a"] + 0.3 * X["b"]
    return X, pd.Series(rng.random(N) < risk, name="event")


def population(rows: np.ndarray | None = None, data: str = "data") -> Population:
    _, y = people()
    return Population("everybody", np.arange(N) if rows is None else rows, y, data)


def run(*contenders: Contender, **options: Any) -> Compared:
    chosen = {"folds": FOLDS, "random_state": SEED, **options}
    return compare(contenders, chosen.pop("population", population()), **chosen)


class Memory:
    """A keeper in memory that counts, and may fail."""

    def __init__(self, full_after: int | None = None) -> None:
        self.kept: dict[FitKey, FoldResult] = {}
        self.n_read = 0
        self.full_after = full_after

    def read(self, key: FitKey) -> FoldResult | None:
        self.n_read += key in self.kept
        return self.kept.get(key)

    def write(self, key: FitKey, result: FoldResult) -> None:
        if self.full_after is not None and len(self.kept) >= self.full_after:
            raise ResourceError("The disk is full.")
        self.kept[key] = result


def test_numbers_are_those_of_scikit_learn() -> None:
    """AUC of each fold, its mean and deviation, the same folds and the same out-of-fold risks."""
    X, y = people()
    measured = run(Contender("regression", LogisticRegression(), X)).measured["regression"]
    aucs, risk = [], np.empty(N)
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=SEED)
    for k, (train, test) in enumerate(splitter.split(X, y)):
        fitted = LogisticRegression().fit(X.iloc[train], y.iloc[train])
        aucs.append(roc_auc_score(y.iloc[test], fitted.decision_function(X.iloc[test])))
        risk[test] = fitted.predict_proba(X.iloc[test])[:, 1]
        assert (measured.fold[test] == k).all()
    np.testing.assert_allclose(measured.aucs, aucs)
    np.testing.assert_array_equal(measured.risk, risk)
    assert spread(measured.aucs) == pytest.approx((np.mean(aucs), np.std(aucs, ddof=1)))
    assert measured.auc.value == pytest.approx(np.mean(aucs))
    assert [len(measured.seconds), len(measured.curves())] == [FOLDS, FOLDS]
    groups = measured.calibration()
    assert sum(g.n for g in groups) == N
    assert all(g.observed.low <= g.observed.value <= g.observed.high for g in groups)


def test_one_fit_has_two_outputs_as_those_of_cross_validate() -> None:
    """A rule list is fitted once a fold, for the point estimate and the posterior both."""
    X, y = people()
    classifier = BayesianRuleListClassifier(n_iter=2000, min_support=0.1)
    keeper = Memory()
    lists = Contender(
        "BRL",
        classifier,
        X,
        {
            how: lambda fitted, X, how=how: scores_of(fitted.set_params(predict_with=how), X)
            for how in ("point", "posterior")
        },
        describe=lambda fitted: {"length": len(fitted.rule_list_)},
    )
    ended = run(lists, keeper=keeper)
    assert len(keeper.kept) == FOLDS
    assert ended.measured["point"].seconds == ended.measured["posterior"].seconds
    for how in ("point", "posterior"):
        alone = classifier.set_params(predict_with=how)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # 2,000 iterations are few
            known = cross_validate(alone, X, y, folds=FOLDS, random_state=SEED)
        np.testing.assert_array_equal(ended.measured[how].risk, known.probabilities[:, 1])
    assert [one["length"] for one in ended.details["BRL"]] == [
        len(fold.rule_list) for fold in known.folds
    ]


def test_points_order_and_rates_are_risks() -> None:
    """A score whose rates do not rise with its points is ordered by points."""

    class Rates(ClassifierMixin, BaseEstimator):
        def fit(self, X: Any, y: Any) -> Rates:
            self.classes_ = np.unique(y)
            return self

        def decision_function(self, X: Any) -> np.ndarray:
            return np.asarray(X["a"], dtype=float) + np.asarray(X["b"])

        def predict_proba(self, X: Any) -> np.ndarray:
            rate = np.array([0.1, 0.5, 0.4])[self.decision_function(X).astype(int)]
            return np.column_stack([1 - rate, rate])

    X, y = people()
    measured = run(Contender("rates", Rates(), X, learns=False)).measured["rates"]
    points = X["a"].astype(float) + X["b"]
    np.testing.assert_array_equal(measured.order, points)
    assert set(measured.risk.tolist()) == {0.1, 0.5, 0.4}
    by_fold = [
        roc_auc_score(y[measured.fold == k], points[measured.fold == k]) for k in range(FOLDS)
    ]
    np.testing.assert_allclose(measured.aucs, by_fold)


def test_an_order_alone_has_no_calibration() -> None:
    X, _ = people()
    measured = run(Contender("machine", SVC(), X)).measured["machine"]
    assert measured.risk is None
    assert (measured.calibration(), measured.recalibration(), measured.brier()) == ([], None, None)
    assert np.isfinite(measured.aucs).all()


class Failing(ClassifierMixin, BaseEstimator):
    """Fails on the rows of a fold."""

    def __init__(self, error: BaseException | None = None) -> None:
        self.error = error

    def fit(self, X: Any, y: Any) -> Failing:
        raise self.error or ValueError("two\n words ")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (None, "fold 1: ValueError: two words."),
        (MemoryError(), "fold 1: not enough memory."),
        (MiningError("Nothing is frequent."), "fold 1: Nothing is frequent."),
        (RuntimeError(), "fold 1: RuntimeError: no reason was given."),
    ],
)
def test_a_failure_is_one_sentence_and_the_others_go_on(
    error: BaseException | None, said: str
) -> None:
    X, _ = people()
    heard: list[tuple[str, str]] = []
    failing = Contender("broken", Failing(error), X, {"one": scores_of, "two": scores_of})
    ended = run(
        failing, Contender("dummy", DummyClassifier(), X),
        on_failure=lambda name, why: heard.append((name, why)),
    )  # fmt: skip
    assert ended.failures == {"one": said, "two": said}
    assert heard == [("broken", said)]
    assert list(ended.measured) == ["dummy"]
    assert ended.measured["dummy"].aucs == [0.5] * FOLDS


def test_scores_that_are_no_numbers_fail() -> None:
    X, _ = people()
    odd = Contender(
        "odd", DummyClassifier(), X, {"odd": lambda f, X: Scores(np.full(len(X), np.nan), None)}
    )
    short = Contender(
        "short", DummyClassifier(), X, {"short": lambda f, X: Scores(np.zeros(3), None)}
    )
    ended = run(odd, short)
    assert "60 that are not numbers" in ended.failures["odd"]
    assert "shape (3,)" in ended.failures["short"]


def test_a_long_reason_is_cut() -> None:
    assert len(reason(ValueError("x" * 1000))) == 300


def test_warnings_are_kept_with_their_fold() -> None:
    X, _ = people()
    few = LogisticRegression(max_iter=1)
    measured = run(Contender("hasty", few, X)).measured["hasty"]
    assert all(any("failed to converge" in text for text in said) for said in measured.warnings)


def test_what_is_kept_is_not_computed_again() -> None:
    """After an interrupt in the third fold the results are those of an undisturbed run."""
    X, _ = people()
    forest = Contender("forest", RandomForestClassifier(5), X)
    whole = run(forest).measured["forest"]
    keeper = Memory()

    class Interrupted(RandomForestClassifier):
        def fit(self, *arguments: Any) -> Any:
            if len(keeper.kept) == 2:
                raise KeyboardInterrupt
            return super().fit(*arguments)

    Interrupted.__qualname__ = RandomForestClassifier.__qualname__
    with pytest.raises(KeyboardInterrupt):
        run(Contender("forest", Interrupted(5), X), keeper=keeper)
    assert len(keeper.kept) == 2
    measured = run(forest, keeper=keeper).measured["forest"]
    assert keeper.n_read == 2
    np.testing.assert_array_equal(measured.order, whole.order)
    again = run(forest, keeper=keeper).measured["forest"]
    assert again.seconds == measured.seconds


@pytest.mark.parametrize(
    "other",
    [
        {"population": population(data="other data")},
        {"population": population(rows=np.arange(1, N))},
        {"folds": FOLDS + 1},
        {"random_state": SEED + 1},
    ],
)
def test_another_run_is_never_mixed_in(other: dict[str, Any]) -> None:
    X, _ = people()
    keeper = Memory()
    contender = Contender("regression", LogisticRegression(), X)
    run(contender, keeper=keeper)
    run(contender, keeper=keeper, **other)
    assert keeper.n_read == 0


def test_what_was_kept_for_other_people_is_not_used() -> None:
    """Even under the same fingerprint, which only a mistake of the keeper could bring about."""
    X, _ = people()
    keeper = Memory()
    contender = Contender("regression", LogisticRegression(), X)
    known = run(contender, keeper=keeper).measured["regression"].order
    for key, result in keeper.kept.items():
        scores = result.scores["regression"]
        keeper.kept[key] = FoldResult({"regression": Scores(scores.order[:-1], None)}, 0.0, 0.0)
    np.testing.assert_array_equal(run(contender, keeper=keeper).measured["regression"].order, known)


def test_settings_decide_the_fingerprint() -> None:
    """But for those that change no result."""
    X, _ = people()

    def of(classifier: Any) -> str:
        return fingerprint(Contender("c", classifier, X))

    assert of(RandomForestClassifier(n_jobs=1)) == of(RandomForestClassifier(n_jobs=2, verbose=1))
    assert of(RandomForestClassifier(5)) != of(RandomForestClassifier(6))
    search = [GridSearchCV(SVC(), {"C": [1.0, c]}) for c in (2.0, 3.0)]
    assert of(search[0]) != of(search[1])
    assert settings_of(search[0])["estimator"]["class"] == "SVC"
    assert "0x" not in str(settings_of(GridSearchCV(SVC(kernel=np.dot), {"C": np.array([1.0])})))


def test_a_full_disk_ends_the_run() -> None:
    """It is no failure of the classifier."""
    X, _ = people()
    with pytest.raises(ResourceError, match="disk is full"):
        run(Contender("dummy", DummyClassifier(), X), keeper=Memory(full_after=1))


def test_too_few_events() -> None:
    truth = np.array([True] * 3 + [False] * 50)
    with pytest.raises(DataError, match="Of 53 people 3 had the event: too few for 4 folds"):
        fold_splits(truth, 4, 0)
    X, _ = people()
    nobody = Population("nobody", np.arange(N), pd.Series(np.zeros(N, dtype=bool)), "data")
    with pytest.raises(DataError, match="needs two labels, and there are 1"):
        run(Contender("dummy", DummyClassifier(), X), population=nobody)


def test_a_contender_of_another_event_is_not_judged() -> None:
    """A rule list keeps the order of categories, scikit-learn sorts: AUCs would be turned round."""
    X, y = people()
    words = pd.Series(pd.Categorical(np.where(y, "died", "lives"), ["lives", "died"]))
    ended = run(
        Contender("list", BayesianRuleListClassifier(n_iter=200, n_chains=1), X),
        Contender("logistic", LogisticRegression(), X),
        population=Population("everybody", np.arange(N), words, "data"),
    )
    assert set(ended.measured) == {"logistic"}
    assert "takes died for the event, and the comparison lives" in ended.failures["list"]


def test_plain_data_and_back() -> None:
    result = FoldResult(
        {"a": Scores(np.array([0.1, 1 / 3]), None), "b": Scores(np.zeros(2), np.ones(2))},
        1.5, 2.5, ("careful",), {"length": 3},
    )  # fmt: skip
    again = FoldResult.from_dict(result.to_dict())
    assert again.to_dict() == result.to_dict()
    for damaged in ([[0.1]], [None], ["a"], [float("nan")]):
        content = result.to_dict()
        content["scores"]["a"]["order"] = damaged
        with pytest.raises((ValueError, TypeError)):
            FoldResult.from_dict(content)
