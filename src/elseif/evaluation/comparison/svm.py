"""A support vector machine whose grid of settings shares one table of distances."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from sklearn.metrics.pairwise import euclidean_distances
from sklearn.model_selection import StratifiedKFold, train_test_split
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data

from elseif.evaluation.comparison.fitted_inside import SparseClassifier

COSTS = tuple(2.0**k for k in range(-2, 7, 2))
WIDTHS = tuple(2.0**k for k in range(-6, 3, 2))
ROWS_AT_ONCE = 1_000
MOST_ROWS = 12_000  # the kernel matrix of this many rows takes 1.2 GB


class TunedSVM(SparseClassifier):
    """A support vector machine with an RBF kernel, tuned by cross-validation as LIBSVM's tools do.

    The result is that of a grid search over ``SVC``, with two exact shortcuts: squared distances
    are computed once for every gamma, and where no observation reaches the bound C, larger bounds
    have the same solution and are not fitted again.

    Parameters
    ----------
    C : sequence of float
        Grid of penalties.
    gamma : sequence of float
        Grid of kernel widths.
    cv : int
        Number of folds.
    max_rows : int
        With more observations than this, a stratified sample is used.
    random_state : int, default=None
        Seed of the folds and of the sample.
    n_jobs : int, default=None
        Number of jobs, as in joblib.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.evaluation import TunedSVM
    >>> X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]] * 10)
    >>> y = X[:, 0] ^ X[:, 1]
    >>> svm = TunedSVM(C=(1, 10), gamma=(0.5, 1), cv=2).fit(X, y)
    >>> svm.predict(X[:4])
    array([0, 1, 1, 0])
    >>> svm.decision_function(X[:4]) > 0
    array([False,  True,  True, False])
    """

    def __init__(
        self,
        C: Sequence[float] = COSTS,
        gamma: Sequence[float] = WIDTHS,
        cv: int = 3,
        max_rows: int = MOST_ROWS,
        random_state: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.C = C
        self.gamma = gamma
        self.cv = cv
        self.max_rows = max_rows
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any) -> TunedSVM:
        """Cross-validate every pair of settings, and fit the best one on all rows.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1.
        y : array
            The labels.

        Returns
        -------
        TunedSVM
            The classifier itself.
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        if len(y) > self.max_rows:
            X, _, y, _ = train_test_split(
                X, y, train_size=self.max_rows, stratify=y, random_state=self.random_state
            )
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.n_rows_ = len(codes)
        self._rows = X
        distances = squared_distances(X, X)
        folds = list(StratifiedKFold(self.cv).split(np.zeros(len(codes)), codes))
        room = _Room()
        scores = Parallel(n_jobs=self.n_jobs, require="sharedmem")(
            delayed(_accuracies)(distances, codes, train, test, gamma, self.C, room)
            for gamma in self.gamma
            for train, test in folds
        )
        # settings as a grid search orders them: by C, then by gamma
        by_fold = np.reshape(scores, (len(self.gamma), len(folds), len(self.C))).transpose(2, 0, 1)
        self.accuracies_ = np.average(by_fold, axis=2)
        best_cost, best_width = divmod(int(np.argmax(self.accuracies_)), len(self.gamma))
        self.best_params_ = {
            "C": float(self.C[best_cost]),
            "gamma": float(self.gamma[best_width]),
        }
        # libsvm's own store of kernel rows is small and would be emptied again and again
        self.svm_ = SVC(kernel="precomputed", C=self.best_params_["C"], cache_size=1_000).fit(
            kernel(distances, self.best_params_["gamma"]), codes
        )
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Signed distance from the boundary, positive on the side of the second label.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1, as in ``fit``.

        Returns
        -------
        array of float
            One number for each row; with more than two labels, one for each row and label.
        """
        return np.concatenate([self.svm_.decision_function(K) for K in self._kernels(X)])

    def predict(self, X: Any) -> np.ndarray:
        """Predict labels.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1, as in ``fit``.

        Returns
        -------
        array
            The predicted labels.
        """
        codes = np.concatenate([self.svm_.predict(K) for K in self._kernels(X)])
        return self.classes_[codes]

    def _kernels(self, X: Any) -> list[np.ndarray]:
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        gamma = self.best_params_["gamma"]
        return [
            kernel(squared_distances(X[start : start + ROWS_AT_ONCE], self._rows), gamma)
            for start in range(0, X.shape[0], ROWS_AT_ONCE)
        ]


def squared_distances(first: Any, second: Any) -> np.ndarray:
    """Squared distances of rows: whole numbers in the least room where all values are 0 or 1."""
    if not (_is_binary(first) and _is_binary(second)):
        return euclidean_distances(first, second, squared=True)
    a, b = (sparse.csr_array(part, dtype=np.int32) for part in (first, second))
    common: np.ndarray = (a @ b.T).toarray()
    n_first, n_second = np.asarray(a.sum(axis=1)), np.asarray(b.sum(axis=1))
    room = np.int16 if first.shape[1] <= np.iinfo(np.int16).max else np.int32
    common *= -2
    common += n_first[:, None]
    common += n_second[None, :]
    return common.astype(room)


def kernel(distances: np.ndarray, gamma: float, out: np.ndarray | None = None) -> np.ndarray:
    """exp(-gamma distance), from a table where distances are whole numbers."""
    if distances.dtype.kind == "f":
        return np.exp(np.multiply(distances, -gamma, out=out), out=out)
    by_distance = np.exp(-gamma * np.arange(int(distances.max(initial=0)) + 1))
    return np.take(by_distance, distances, mode="clip", out=out)


class _Room(threading.local):
    """Memory for kernels that a thread uses again: asking for it anew costs as much as filling."""

    def __init__(self) -> None:
        self.buffers = {name: np.empty(0) for name in ("inside", "across")}

    def take(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        """An array of this shape, holding anything."""
        size = int(np.prod(shape))
        if len(self.buffers[name]) < size:
            self.buffers[name] = np.empty(size)
        return self.buffers[name][:size].reshape(shape)


def _is_binary(X: Any) -> bool:
    values = X.data if sparse.issparse(X) else np.asarray(X)
    return bool(np.isin(values, (0, 1)).all())


def _accuracies(
    distances: np.ndarray,
    codes: np.ndarray,
    train: np.ndarray,
    test: np.ndarray,
    gamma: float,
    costs: Sequence[float],
    room: _Room,
) -> list[float]:
    """Accuracy on the rows left out, for each C in its place."""
    inside, across = (
        kernel(distances[np.ix_(rows, train)], gamma, room.take(name, (len(rows), len(train))))
        for name, rows in (("inside", train), ("across", test))
    )
    accuracies: dict[float, float] = {}
    free = None  # the accuracy once the bound has ceased to matter
    for cost in sorted(costs):
        if free is None:
            machine = SVC(kernel="precomputed", C=cost).fit(inside, codes[train])
            accuracies[cost] = float(np.mean(machine.predict(across) == codes[test]))
            if np.abs(machine.dual_coef_).max(initial=0) < cost:
                free = accuracies[cost]
        else:
            accuracies[cost] = free
    return [accuracies[cost] for cost in costs]
