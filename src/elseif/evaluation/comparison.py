"""The paper's comparison classifiers that scikit-learn has, tuned as its appendix says."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

N_TUNING_FOLDS = 3


def comparison_classifiers(n_features: int, seed: int, n_jobs: int | None) -> dict[str, Any]:
    """CART, l1 logistic regression, SVM and random forests, by the paper's names."""
    return {
        "CART": PrunedTree(random_state=seed),
        "l1 logistic regression": GridSearchCV(
            LogisticRegression(solver="liblinear", l1_ratio=1.0, random_state=seed),
            {"C": [2.0**k for k in range(-6, 7, 2)]},
            cv=N_TUNING_FOLDS,
            n_jobs=n_jobs,
        ),
        "SVM": GridSearchCV(
            SVC(kernel="rbf", random_state=seed),
            {"C": [2.0**k for k in range(-2, 7, 2)], "gamma": [2.0**k for k in range(-6, 3, 2)]},
            cv=N_TUNING_FOLDS,
            n_jobs=n_jobs,
        ),
        "random forests": TunedForest(random_state=seed, n_jobs=n_jobs),
    }


class PrunedTree(ClassifierMixin, BaseEstimator):
    """CART pruned at the complexity that cross-validates best, as rpart's users do."""

    def __init__(self, cv: int = 10, random_state: int | None = None) -> None:
        self.cv = cv
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> PrunedTree:
        """Grow, find the complexities at which the tree changes, and keep the best."""
        tree = DecisionTreeClassifier(random_state=self.random_state)
        path = tree.cost_complexity_pruning_path(X, y)
        alphas = np.unique(np.clip(path.ccp_alphas, 0, None))
        # between two changes any complexity gives the same tree: take the geometric middle
        candidates = np.sqrt(alphas[:-1] * alphas[1:]) if len(alphas) > 1 else alphas
        search = GridSearchCV(tree, {"ccp_alpha": candidates}, cv=self.cv).fit(X, y)
        self.tree_ = search.best_estimator_
        self.classes_ = self.tree_.classes_
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The tree's label."""
        return self.tree_.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The tree's probabilities."""
        return self.tree_.predict_proba(X)


class TunedForest(ClassifierMixin, BaseEstimator):
    """500 trees, with the number of features tried at a split tuned on 50, as by tuneRF."""

    def __init__(
        self,
        n_estimators: int = 500,
        n_tuning: int = 50,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_tuning = n_tuning
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> TunedForest:
        """Halve and double the number of features while the out-of-bag error falls."""
        n_features = np.shape(X)[1]
        start = max(1, int(np.sqrt(n_features)))
        errors: dict[int, float] = {}
        for step in (0.5, 2.0):
            tried, best = start, self._error(X, y, start, errors)
            while 1 <= (tried := max(1, min(n_features, int(tried * step)))) <= n_features:
                if tried in errors or (error := self._error(X, y, tried, errors)) >= best:
                    break
                best = error
        self.max_features_ = min(errors, key=lambda m: (errors[m], m))
        self.forest_ = RandomForestClassifier(
            self.n_estimators,
            max_features=self.max_features_,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        ).fit(X, y)
        self.classes_ = self.forest_.classes_
        return self

    def _error(self, X: Any, y: Any, max_features: int, errors: dict[int, float]) -> float:
        if max_features not in errors:
            forest = RandomForestClassifier(
                self.n_tuning,
                max_features=max_features,
                oob_score=True,
                random_state=self.random_state,
                n_jobs=self.n_jobs,
            ).fit(X, y)
            errors[max_features] = 1 - forest.oob_score_
        return errors[max_features]

    def predict(self, X: Any) -> np.ndarray:
        """The forest's label."""
        return self.forest_.predict(X)

    def predict_proba(self, X: Any) -> np.ndarray:
        """The forest's probabilities."""
        return self.forest_.predict_proba(X)
