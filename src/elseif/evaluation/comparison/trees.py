"""CART pruned by cost complexity, and random forests with tuned features."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from elseif.evaluation.comparison.fitted_inside import FittedInside


class PrunedTree(FittedInside):
    """CART, pruned at the complexity with the best cross-validated accuracy, as with rpart.

    A tree is grown once in each fold and pruned step by step, which gives its accuracy at every
    complexity; of equally good complexities the smallest tree is taken, which may have no split.

    Parameters
    ----------
    min_samples_split : int, default=20
        Smallest node that is split; rpart's default.
    min_samples_leaf : int, default=7
        Smallest leaf; rpart's default.
    cv : int
        Number of folds.
    random_state : int, default=None
        Seed of the folds.
    n_jobs : int, default=None
        Number of jobs, as in joblib.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import PrunedTree
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    >>> tree = PrunedTree(random_state=0).fit(X, X[:, 0])
    >>> tree.predict(X[:4])
    array([0, 0, 1, 1])
    >>> tree.predict_proba(X[:1])
    array([[1., 0.]])
    """

    def __init__(
        self,
        cv: int = 10,
        min_samples_split: int = 20,
        min_samples_leaf: int = 7,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.cv = cv
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> PrunedTree:
        """Grow the tree, and prune it at the best complexity.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1.
        y : array
            The labels.

        Returns
        -------
        PrunedTree
            The classifier itself.
        """
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float32)
        self.classes_, codes = np.unique(y, return_inverse=True)
        # one seed for all trees, so that the one kept is the one whose path was walked
        seed = int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))
        self.candidates_ = middles(pruning_path(self._tree(seed).fit(X, codes).tree_)[0])
        by_rows = X.tocsr() if sparse.issparse(X) else X
        folds = StratifiedKFold(self.cv).split(np.zeros(len(codes)), codes)
        scores = Parallel(n_jobs=self.n_jobs, prefer="threads")(
            delayed(_pruned_accuracies)(
                self._tree(seed), by_rows, codes, train, test, self.candidates_
            )
            for train, test in folds
        )
        means = np.mean(scores, axis=0)
        self.ccp_alpha_ = float(self.candidates_[np.flatnonzero(means == means.max())[-1]])
        self.best_estimator_ = self._tree(seed).set_params(ccp_alpha=self.ccp_alpha_).fit(X, y)
        return self

    def _tree(self, seed: int) -> DecisionTreeClassifier:
        return DecisionTreeClassifier(
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            random_state=seed,
        )


def pruning_path(tree: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Weakest links first: each step's complexity, the node that becomes a leaf, and its end.

    The nodes below a node are those numbered from it up to its end, for scikit-learn grows
    in depth first. A complexity at or above a step's own has that step done.
    """
    left, right = tree.children_left, tree.children_right
    inner = np.flatnonzero(left >= 0)
    parent = np.full(tree.node_count, -1)
    parent[left[inner]] = parent[right[inner]] = inner
    risk = tree.weighted_n_node_samples * tree.impurity / tree.weighted_n_node_samples[0]
    below, n_leaves = risk.copy(), np.ones(tree.node_count)
    end = np.arange(1, tree.node_count + 1)
    for node in inner[::-1]:  # children have higher numbers than their parent
        children = [left[node], right[node]]
        below[node], n_leaves[node] = below[children].sum(), n_leaves[children].sum()
        end[node] = end[right[node]]
    gains = np.full(tree.node_count, np.inf)
    gains[inner] = (risk[inner] - below[inner]) / (n_leaves[inner] - 1)
    alphas, nodes = [], []
    while np.isfinite(gains[0]):
        node = int(np.argmin(gains))
        alphas.append(gains[node])
        nodes.append(node)
        lost, fewer = risk[node] - below[node], n_leaves[node] - 1
        gains[node : end[node]] = np.inf
        above = _ancestors(parent, node)
        below[above] += lost
        n_leaves[above] -= fewer
        gains[above] = (risk[above] - below[above]) / (n_leaves[above] - 1)
    steps = np.array(nodes, dtype=np.int64)
    # rounding may let a later link look weaker than one that had to be cut before it
    return np.maximum.accumulate(np.clip(alphas, 0, None)), steps, end[steps]


def middles(alphas: np.ndarray) -> np.ndarray:
    """A complexity for every tree of a path: between two changes any gives the same tree."""
    changes = np.unique(np.concatenate([[0.0], alphas]))
    return np.concatenate([np.sqrt(changes[:-1] * changes[1:]), [2 * changes[-1]]])


def _ancestors(parent: np.ndarray, node: int) -> np.ndarray:
    ancestors = []
    while (node := int(parent[node])) >= 0:
        ancestors.append(node)
    return np.array(ancestors, dtype=np.int64)


def _pruned_accuracies(
    tree: DecisionTreeClassifier,
    X: Any,
    codes: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    candidates: np.ndarray,
) -> np.ndarray:
    """Accuracy on the rows left out at each complexity, by pruning one tree step by step."""
    grown = tree.fit(X[train], codes[train])
    alphas, nodes, ends = pruning_path(grown.tree_)
    label = grown.classes_[grown.tree_.value[:, 0, :].argmax(axis=1)]
    leaf, truth = grown.apply(X[test]), codes[test]
    n_right = [int(np.count_nonzero(label[leaf] == truth))]
    for node, end in zip(nodes, ends, strict=True):
        leaf = np.where((leaf >= node) & (leaf < end), node, leaf)
        n_right.append(int(np.count_nonzero(label[leaf] == truth)))
    done = np.searchsorted(alphas, candidates, side="right")
    return np.array(n_right)[done] / len(test)


class TunedForest(FittedInside):
    """A random forest whose number of features tried at a split is tuned, as by R's tuneRF.

    Starting from the square root of the number of features, the number is halved, then doubled,
    as long as the out-of-bag error falls by at least the share ``improve``.

    Parameters
    ----------
    n_estimators : int, default=500
        Trees of the final forest.
    n_tuning : int, default=50
        Trees of the forests that are tuned on.
    improve : float, default=0.05
        Smallest relative fall of the out-of-bag error that counts.
    random_state : int, default=None
        Random seed.
    n_jobs : int, default=None
        Number of jobs, as in joblib.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import TunedForest
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 20)
    >>> forest = TunedForest(n_estimators=20, n_tuning=50, random_state=0).fit(X, X[:, 0])
    >>> forest.predict(X[:4])
    array([0, 0, 1, 1])
    >>> forest.predict_proba(X[:1]).shape
    (1, 2)
    """

    def __init__(
        self,
        n_estimators: int = 500,
        n_tuning: int = 50,
        improve: float = 0.05,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_estimators = n_estimators
        self.n_tuning = n_tuning
        self.improve = improve
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> TunedForest:
        """Tune on small forests, then grow the large one.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1.
        y : array
            The labels.

        Returns
        -------
        TunedForest
            The classifier itself.
        """
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float32)
        self.errors_ = self._tune(X, y)
        self.max_features_ = min(self.errors_, key=lambda m: (self.errors_[m], m))
        self.best_estimator_ = self._forest(self.n_estimators, self.max_features_).fit(X, y)
        self.classes_ = self.best_estimator_.classes_
        return self

    def _tune(self, X: Any, y: Any) -> dict[int, float]:
        """Out-of-bag errors by the number of features tried."""
        n_features = X.shape[1]
        start = max(1, int(np.sqrt(n_features)))
        errors = {start: self._error(X, y, start)}
        best = errors[start]
        for step in (0.5, 2.0):
            tried = start
            while True:
                next_one = int(np.clip(np.ceil(tried * step), 1, n_features))
                if next_one == tried:
                    break
                tried = next_one
                errors[tried] = self._error(X, y, tried)
                if best == 0 or 1 - errors[tried] / best < self.improve:
                    break
                best = errors[tried]
        return errors

    def _error(self, X: Any, y: Any, max_features: int) -> float:
        forest = self._forest(self.n_tuning, max_features).set_params(oob_score=True).fit(X, y)
        return 1 - float(forest.oob_score_)

    def _forest(self, n_trees: int, max_features: int) -> RandomForestClassifier:
        return RandomForestClassifier(
            n_trees,
            max_features=max_features,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
