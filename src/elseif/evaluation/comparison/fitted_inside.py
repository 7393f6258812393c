"""Base class of classifiers that tune a scikit-learn estimator and predict with the best."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data


class SparseClassifier(ClassifierMixin, BaseEstimator):
    """A classifier that takes sparse tables."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


class FittedInside(SparseClassifier):
    """A classifier whose ``fit`` keeps the estimator that predicts as ``best_estimator_``."""

    best_estimator_: Any

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
        return np.asarray(self.best_estimator_.predict(self._checked(X)))

    def predict_proba(self, X: Any) -> np.ndarray:
        """Predict the probability of each label.

        Parameters
        ----------
        X : array or sparse matrix
            Columns of 0 and 1, as in ``fit``.

        Returns
        -------
        array of float
            One row for each observation, one column for each label.
        """
        return np.asarray(self.best_estimator_.predict_proba(self._checked(X)))

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
