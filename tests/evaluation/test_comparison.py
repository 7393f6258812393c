"""The classifiers that lists are compared with: contracts, grids, short cuts that are exact."""

from __future__ import annotations

import pickle
import sys
from types import ModuleType

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from elseif.errors import DataError, ParamError
from elseif.evaluation import (
    PUBLISHED,
    PrunedTree,
    TunedForest,
    TunedSVM,
    comparison_classifiers,
)
from elseif.evaluation.comparison.modern import (
    FrequentColumns,
    OptimalRuleList,
    lacking_in_python,
)
from elseif.evaluation.comparison.svm import COSTS, WIDTHS, kernel, squared_distances
from elseif.evaluation.comparison.trees import middles, pruning_path

NAMES = [
    *("CART", "l1 logistic regression", "SVM", "random forests", "C5.0", "Bayesian CART"),
    *("gradient boosting", "explainable boosting", "FIGS", "CORELS"),
]
IN_PYTHON = [name for name in NAMES if name not in ("C5.0", "Bayesian CART", "CORELS")]


def small(n: int = 200, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A conjunction that every classifier finds, among five columns."""
    X = np.random.default_rng(seed).random((n, 5)) < 0.5
    return X.astype(int), (X[:, 0] & X[:, 1]).astype(int)


def noisy(n: int = 240, n_columns: int = 12, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Columns of 0 and 1 that say something, not everything, of the labels."""
    rng = np.random.default_rng(seed)
    X = (rng.random((n, n_columns)) < rng.uniform(0.1, 0.6, n_columns)).astype(float)
    chance = 0.15 + 0.4 * X[:, 0] + 0.3 * X[:, 1] * X[:, 2]
    return X, (rng.random(n) < chance).astype(int)


# ------------------------------------------------------------------ all of them


@pytest.mark.parametrize("name", IN_PYTHON)
def test_contract(name: str) -> None:
    """Sparse input, labels as they are, ranks by risk, copies, and the same again."""
    entry = comparison_classifiers(seed=3)[name]
    assert entry.unavailable is None
    X, y = small()
    X, words = sparse.csr_matrix(X, dtype=np.float32), np.where(y, "won", "lost")
    estimator = entry.make()
    if name == "random forests":
        estimator.set_params(n_estimators=20, n_tuning=30)
    fitted = clone(estimator).fit(X, words)
    assert fitted.classes_.tolist() == ["lost", "won"]
    assert fitted.score(X, words) > 0.9
    assert set(fitted.predict(X)) == {"lost", "won"}
    if hasattr(fitted, "predict_proba"):
        risk = fitted.predict_proba(X)
        assert risk.shape == (200, 2)
        assert risk.sum(axis=1) == pytest.approx(1)
        score = risk[:, 1]
    else:
        score = fitted.decision_function(X)
    assert score[y == 1].mean() > score[y == 0].mean()
    again = clone(estimator).fit(X, words)
    np.testing.assert_array_equal(fitted.predict(X), again.predict(X))


def test_names_notes_and_needs() -> None:
    """Every entry says how it is set up; those beyond scikit-learn say what to install."""
    classifiers = comparison_classifiers()
    assert list(classifiers) == NAMES
    for name, entry in classifiers.items():
        assert entry.name == name
        assert entry.note
        needs_nothing = name in IN_PYTHON and name not in ("explainable boosting", "FIGS")
        assert (entry.needs == "") is needs_nothing
        if entry.unavailable is not None:
            with pytest.raises(ParamError, match=f"{name} is not run: needs "):
                entry.make()


def test_the_paper_s_classifiers_with_its_grids() -> None:
    """C and gamma of the appendix; 500 trees tuned on 50; the figures of tables 1 to 3."""
    classifiers = comparison_classifiers(seed=1, n_jobs=2)
    assert classifiers["l1 logistic regression"].make().param_grid == {
        "C": [2.0**-6, 2.0**-4, 0.25, 1, 4, 16, 64]
    }
    assert COSTS == (0.25, 1, 4, 16, 64)
    assert WIDTHS == (2.0**-6, 2.0**-4, 0.25, 1, 4)
    svm, forest = classifiers["SVM"].make(), classifiers["random forests"].make()
    assert (svm.C, svm.gamma, svm.cv) == (COSTS, WIDTHS, 3)
    assert (forest.n_estimators, forest.n_tuning, forest.improve) == (500, 50, 0.05)
    published = classifiers["random forests"].published
    assert published.auc is not None
    assert published.minutes is not None
    assert published.accuracy is not None
    assert (published.accuracy.mean, published.accuracy.deviation) == (0.99, 0.01)
    assert [figure.mean for figure in published.auc.values()] == [0.774, 0.764, 0.773]
    assert [figure.mean for figure in published.minutes.values()] == [698.56, 389.28, 116.98]
    assert PUBLISHED["CHADS2"].minutes is None
    assert PUBLISHED["Bayesian CART"].auc is None


def test_what_is_too_large_is_not_run() -> None:
    """Bayesian CART is given a bound that tic-tac-toe keeps and the stroke study does not."""
    large = comparison_classifiers(shape=(10_069, 4_160))["Bayesian CART"]
    assert large.unavailable is not None
    assert "10,069 rows by 4,160 columns" in large.unavailable
    little = comparison_classifiers(shape=(766, 27))["Bayesian CART"].unavailable
    assert little is None or "cells" not in little


def test_a_package_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line names the package and the command that installs it."""
    monkeypatch.setitem(sys.modules, "interpret", None)
    monkeypatch.setattr(
        "elseif.evaluation.comparison.modern.find_spec",
        lambda name: None if name == "interpret" else ModuleType(name),
    )
    entry = comparison_classifiers()["explainable boosting"]
    assert entry.unavailable == "needs interpret (pip install '.[compare]' in a clone of elseif)"
    with pytest.raises(ParamError, match="explainable boosting is not run: needs interpret"):
        entry.make()


# ------------------------------------------------------------------ CART


@pytest.mark.parametrize("seed", range(6))
def test_pruned_accuracies_are_those_of_a_grid_search(seed: int) -> None:
    """One tree a fold, pruned step by step, chooses what refitting every complexity chooses."""
    X, y = noisy(seed=seed)
    fitted = PrunedTree(cv=5, random_state=seed).fit(X, y)
    # from simple to large, so that of equals the simplest is first
    tree = DecisionTreeClassifier(**_sizes(fitted.best_estimator_))
    search = GridSearchCV(tree, {"ccp_alpha": fitted.candidates_[::-1]}, cv=5).fit(X, y)
    assert fitted.ccp_alpha_ == search.best_params_["ccp_alpha"]
    np.testing.assert_array_equal(fitted.predict_proba(X), search.predict_proba(X))


def _sizes(tree: DecisionTreeClassifier) -> dict:
    wanted = ("min_samples_split", "min_samples_leaf", "random_state")
    return {name: tree.get_params()[name] for name in wanted}


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pruning_path_is_scikit_learn_s(n_classes: int) -> None:
    """Complexities at which nodes go, and the number of leaves left at each."""
    X, y = make_classification(
        300, 8, n_informative=4, n_classes=n_classes, flip_y=0.3, random_state=n_classes
    )
    tree = DecisionTreeClassifier(random_state=0).fit(X, y)
    alphas, nodes, ends = pruning_path(tree.tree_)
    path = tree.cost_complexity_pruning_path(X, y)
    np.testing.assert_allclose(alphas, path.ccp_alphas[1:], rtol=1e-9, atol=1e-15)
    assert nodes[-1] == 0
    assert ends[-1] == tree.tree_.node_count
    leaves = tree.apply(X)
    for alpha in middles(alphas)[1:]:
        index = leaves.copy()
        for node, end in zip(nodes[alphas <= alpha], ends[alphas <= alpha], strict=True):
            index[(index >= node) & (index < end)] = node
        pruned = clone(tree).set_params(ccp_alpha=alpha).fit(X, y)
        assert len(np.unique(index)) == pruned.get_n_leaves()


def test_a_tree_that_tells_nothing_has_no_split() -> None:
    """Labels by chance are pruned to the root, as rpart's users would."""
    rng = np.random.default_rng(0)
    X, y = (rng.random((300, 4)) < 0.5).astype(int), (rng.random(300) < 0.1).astype(int)
    fitted = PrunedTree(random_state=0).fit(X, y)
    assert fitted.best_estimator_.get_n_leaves() == 1
    assert np.ptp(fitted.predict_proba(X)[:, 1]) == 0
    constant = PrunedTree(random_state=0).fit(np.zeros((300, 2)), y)
    assert constant.best_estimator_.get_n_leaves() == 1


def test_a_tree_is_the_same_for_sparse_tables_and_threads() -> None:
    """Form of the table and number of jobs change nothing."""
    X, y = noisy()
    plain = PrunedTree(random_state=0).fit(X, y)
    threads = PrunedTree(random_state=0, n_jobs=2).fit(sparse.csr_array(X), y)
    assert plain.ccp_alpha_ == threads.ccp_alpha_
    np.testing.assert_array_equal(plain.predict_proba(X), threads.predict_proba(X))


# ------------------------------------------------------------------ forests


def test_a_forest_tries_numbers_of_features_as_tunerf_does() -> None:
    """Half and double of the root, further only while the error falls by a twentieth."""
    X, y = small()
    forest = TunedForest(n_estimators=5, n_tuning=30, random_state=0).fit(X, y)
    assert set(forest.errors_) <= {1, 2, 4, 5}
    assert {1, 2, 4} <= set(forest.errors_)
    assert forest.errors_[forest.max_features_] == min(forest.errors_.values())
    assert forest.best_estimator_.max_features == forest.max_features_
    assert len(forest.best_estimator_.estimators_) == 5


def test_a_forest_of_one_feature() -> None:
    """There is nothing to halve or to double."""
    X, y = small()
    forest = TunedForest(n_estimators=5, n_tuning=30, random_state=0).fit(X[:, :1], y)
    assert list(forest.errors_) == [1]


# ------------------------------------------------------------------ SVM


@pytest.mark.parametrize("seed", range(4))
def test_shared_distances_choose_what_a_grid_search_chooses(seed: int) -> None:
    """All 25 accuracies, the choice, and the decisions of the machine that is kept."""
    X, y = noisy(150, seed=seed)
    fitted = TunedSVM(n_jobs=2).fit(sparse.csr_matrix(X), y)
    grid = {"C": list(COSTS), "gamma": list(WIDTHS)}
    search = GridSearchCV(SVC(kernel="rbf"), grid, cv=3).fit(X, y)
    np.testing.assert_array_equal(fitted.accuracies_.ravel(), search.cv_results_["mean_test_score"])
    assert fitted.best_params_ == search.best_params_
    np.testing.assert_allclose(fitted.decision_function(X), search.decision_function(X), atol=1e-6)


def test_svm_of_other_numbers_and_of_three_labels() -> None:
    """Distances need not be whole numbers, and labels may be more than two."""
    X, y = make_classification(120, 6, n_informative=4, n_classes=3, random_state=0)
    fitted = TunedSVM().fit(X, y)
    search = GridSearchCV(SVC(), {"C": list(COSTS), "gamma": list(WIDTHS)}, cv=3).fit(X, y)
    assert fitted.best_params_ == search.best_params_
    np.testing.assert_array_equal(fitted.predict(X), search.predict(X))
    assert fitted.decision_function(X).shape == (120, 3)


def test_larger_bounds_are_not_fitted_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no multiplier reaches C, larger ones have the same solution."""
    X, y = noisy(90)
    fits = []
    plain_fit = SVC.fit

    def counted(self: SVC, *args: object) -> SVC:
        fits.append(self.C)
        return plain_fit(self, *args)

    monkeypatch.setattr(SVC, "fit", counted)
    TunedSVM(gamma=(4.0,)).fit(X, y)
    assert len(fits) < 5 * 3
    assert {0.25, 1.0, 4.0} <= set(fits)


def test_distances_of_truth_values() -> None:
    """Counts of columns that differ, in whole numbers, and the kernel from a table of them."""
    X, _ = noisy(40)
    direct = ((X[:, None, :] - X[None, :10, :]) ** 2).sum(axis=2)
    result = squared_distances(sparse.csr_array(X), sparse.csr_array(X[:10]))
    assert result.dtype == np.int16
    np.testing.assert_array_equal(result, direct)
    np.testing.assert_allclose(kernel(result, 0.25), np.exp(-0.25 * direct), rtol=1e-15)


def test_an_svm_of_many_rows_learns_from_a_sample() -> None:
    """The sample has the stated size and the shares of the labels; the machine can be kept."""
    X, y = noisy(300)
    fitted = TunedSVM(C=(1.0,), gamma=(0.25,), max_rows=100, random_state=0).fit(X, y)
    assert fitted.n_rows_ == 100
    kept = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(kept.decision_function(X), fitted.decision_function(X))


# ------------------------------------------------------------------ today's


def test_frequent_columns() -> None:
    """Chosen by the rows of fit alone, and given densely."""
    X = sparse.csr_matrix(np.array([[1, 0, 1], [1, 0, 0], [1, 1, 0], [1, 0, 0]]))
    chosen = FrequentColumns(0.5).fit(X)
    np.testing.assert_array_equal(chosen.transform(X), np.ones((4, 1)))
    np.testing.assert_array_equal(FrequentColumns(0.25).fit(X).kept_, [0, 1, 2])
    with pytest.raises(DataError, match=r"None of the 1 columns differs from 0 in 50.0% "):
        FrequentColumns(0.5).fit(X[:, 1:2])


def test_corels() -> None:
    """An optimal list of a conjunction is right about every row, where the package builds."""
    X, y = small()
    if lacking_in_python("corels"):  # it does not build with every NumPy
        assert "pip install corels" in comparison_classifiers()["CORELS"].unavailable
        with pytest.raises(ParamError, match="pip install corels"):
            OptimalRuleList().fit(X, y)
        return
    fitted = OptimalRuleList().fit(X, np.where(y, "won", "lost"))
    assert fitted.score(X, np.where(y, "won", "lost")) == 1
    assert fitted.predict_proba(X)[y == 1, 1].min() > 0.9


def test_corels_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the package there is a sentence, not a traceback of an import."""
    monkeypatch.setitem(sys.modules, "corels", None)
    with pytest.raises(ParamError, match="pip install corels"):
        OptimalRuleList().fit(*small())
