"""Modern comparisons: gradient boosting, explainable boosting, imodels' FIGS, and CORELS."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin, TransformerMixin
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted, validate_data

from elseif.errors import DataError, ParamError

FOR_BOOSTING = 0.02  # least share of rows where a column is true
FOR_CURVES = 0.1  # that of the paper's antecedents
# labels without noise let an explainable boosting machine run all its 50,000 rounds, for minutes;
# at the size of the stroke study it stops by itself before 200
MOST_ROUNDS = 1_000


def lacking_in_python(*modules: str) -> list[str]:
    """Those of the modules that are not installed."""
    return [module for module in modules if find_spec(module) is None]


class FrequentColumns(TransformerMixin, BaseEstimator):
    """The columns that differ from 0 in a share of the rows it is fitted on, as a dense array.

    For classifiers that hold a dense table or whose work grows with every column. Labels have
    no part in the choice.
    """

    def __init__(self, min_support: float = FOR_BOOSTING) -> None:
        self.min_support = min_support

    def fit(self, X: Any, y: Any = None) -> FrequentColumns:
        """Count, and keep the positions of the frequent columns."""
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32)
        counts = np.bincount(X.nonzero()[1], minlength=X.shape[1])
        self.kept_ = np.flatnonzero(counts >= self.min_support * X.shape[0])
        if not len(self.kept_):
            raise DataError(
                f"None of the {X.shape[1]} columns differs from 0 in {self.min_support:.1%} of the "
                "rows; lower min_support."
            )
        return self

    def transform(self, X: Any) -> np.ndarray:
        """The kept columns."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float32, reset=False)
        kept = X[:, self.kept_]
        return np.ascontiguousarray(kept.toarray() if sparse.issparse(kept) else kept)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags


def gradient_boosting(seed: int) -> Any:
    """100 trees of at most 8 leaves each on frequent columns."""
    return make_pipeline(
        FrequentColumns(FOR_BOOSTING),
        HistGradientBoostingClassifier(max_leaf_nodes=8, early_stopping=False, random_state=seed),
    )


def explainable_boosting(seed: int, n_jobs: int | None) -> Any:
    """An explainable boosting machine of single terms, on the columns that mining would use."""
    from interpret.glassbox import ExplainableBoostingClassifier

    return make_pipeline(
        FrequentColumns(FOR_CURVES),
        ExplainableBoostingClassifier(
            interactions=0,
            outer_bags=8,
            max_rounds=MOST_ROUNDS,
            random_state=seed,
            n_jobs=n_jobs or 1,
        ),
    )


def greedy_tree_sums(seed: int) -> Any:
    """FIGS of imodels: a sum of small trees with 12 splits altogether."""
    from imodels import FIGSClassifier

    return make_pipeline(FrequentColumns(FOR_BOOSTING), FIGSClassifier(random_state=seed))


def optimal_rule_list() -> Any:
    """CORELS on the columns that mining would use."""
    return make_pipeline(FrequentColumns(FOR_CURVES), OptimalRuleList())


class OptimalRuleList(ClassifierMixin, BaseEstimator):
    """CORELS (Angelino, Larus-Stone, Alabi, Seltzer and Rudin 2018) from the package corels.

    The list that it finds predicts labels; a probability here is the share of the label among
    the training rows that the same line decides, one added to each label.
    """

    def __init__(
        self,
        price: float = 0.001,
        max_cardinality: int = 2,
        min_support: float = 0.1,
        max_nodes: int = 100_000,
    ) -> None:
        self.price = price
        self.max_cardinality = max_cardinality
        self.min_support = min_support
        self.max_nodes = max_nodes

    def fit(self, X: Any, y: Any) -> OptimalRuleList:
        """Search for the list, then count the labels under each of its lines."""
        try:
            from corels import CorelsClassifier
        except ImportError:
            raise ParamError("CORELS needs corels: pip install corels.") from None
        X, y = validate_data(self, X, y, dtype=np.float32)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2 or not np.isin(X, (0, 1)).all():
            raise DataError("CORELS separates two labels by columns of 0 and 1 only.")
        search = CorelsClassifier(
            c=self.price,
            n_iter=self.max_nodes,
            max_card=min(self.max_cardinality, X.shape[1]),
            min_support=self.min_support,
            verbosity=[],
        )
        search.fit(np.ascontiguousarray(X, dtype=bool), np.ascontiguousarray(codes, dtype=bool))
        # places from 1, negative where the column must be false; the default rule has place 0
        self.rules_ = [
            tuple(int(position) for position in rule["antecedents"] if position)
            for rule in search.rl_.rules
        ]
        first = self._first_line(X)
        shape = (len(self.rules_), 2)
        counts = np.bincount(2 * first + codes, minlength=2 * len(self.rules_)).reshape(shape)
        self.probabilities_ = (counts + 1) / (counts.sum(axis=1, keepdims=True) + 2)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """The shares of both labels under the line that decides each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float32, reset=False)
        return self.probabilities_[self._first_line(X)]

    def predict(self, X: Any) -> np.ndarray:
        """The likelier label."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]

    def _first_line(self, X: np.ndarray) -> np.ndarray:
        """The first line whose conditions hold; the last one has none."""
        holds = [
            np.all([X[:, abs(p) - 1] == (p > 0) for p in rule], axis=0)
            if rule
            else np.ones(len(X), dtype=bool)
            for rule in self.rules_
        ]
        return np.argmax(holds, axis=0)
