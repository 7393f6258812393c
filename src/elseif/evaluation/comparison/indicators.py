"""Tables of any kind as the 0 and 1 that the compared classifiers learn from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from elseif.bits.mask import Mask
from elseif.checks import did_you_mean
from elseif.conditions.binarise import Binarising, column_conditions, in_order
from elseif.conditions.condition import Condition
from elseif.conditions.matching import match_columns
from elseif.errors import DataError, ParamError
from elseif.tables.columns import Column, Kind
from elseif.tables.labels import category_order, label_array, read_labels
from elseif.tables.reading import Table, parse_kinds, read_table
from elseif.tables.values import refuse_other_numbers


class Indicators(TransformerMixin, BaseEstimator):
    """The conditions that rules are made of, each as a column of 0 and 1 in a sparse matrix.

    Columns are cut by the same ``kinds`` and ``cuts`` as the classifier's, learnt from the rows
    that it is fitted on: with the same settings every classifier sees the same conditions. A
    column that is constant there gives no indicator.

    Parameters
    ----------
    kinds : dict, default=None
        Kinds of columns, as in `BayesianRuleListClassifier`.
    cuts : dict, default=None
        Cut points of columns, as in `BayesianRuleListClassifier`.

    Examples
    --------
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import Indicators
    >>> X, y = load_titanic()
    >>> indicators = Indicators().fit(X, y)
    >>> indicators.transform(X).shape
    (2201, 8)
    >>> indicators.get_feature_names_out()[:3]
    array(['class = 1st', 'class = 2nd', 'class = 3rd'], dtype=object)
    """

    def __init__(
        self, kinds: Mapping[str, Any] | None = None, cuts: Mapping[str, Any] | None = None
    ) -> None:
        self.kinds = kinds
        self.cuts = cuts

    def fit(self, X: Any, y: Any) -> Indicators:
        """Cut the columns and keep the conditions.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.
        y : array
            The labels, which cutting by description length uses.

        Returns
        -------
        Indicators
            The transformer itself.
        """
        table = read_table(X)
        labels = read_labels(label_array(y), None, False, category_order(y))
        if len(labels.codes) != table.n_rows:
            raise DataError(f"X has {table.n_rows} rows and y {len(labels.codes)}.")
        kinds, orders = parse_kinds(self.kinds, table)
        for name in self.cuts or {}:
            if name not in table:
                raise ParamError(
                    f"cuts: the table has no column {name!r}; {did_you_mean(name, table.names)}"
                )
        how = Binarising(kinds=kinds, orders=orders, cuts=dict(self.cuts or {}))
        self.conditions_: list[Condition] = []
        self.kinds_: dict[str, Kind] = {}  # as read here, whatever other rows look like
        for name in table.names:
            column = table.column_once(name, kinds.get(name))
            refuse_other_numbers(column)
            if name in orders:
                column = in_order(column, orders[name])
            self.kinds_[name] = column.kind
            self.conditions_ += column_conditions(column, labels, how)[0]
        self.n_features_in_ = len(table.names)
        if table.named:
            self.feature_names_in_ = np.array(table.names, dtype=object)
        if not self.conditions_:
            raise DataError("No column of X gives a condition; every one is constant.")
        return self

    def transform(self, X: Any) -> Any:
        """Evaluate every condition for every row.

        Parameters
        ----------
        X : table
            Observations, in any kind of table that ``fit`` takes.

        Returns
        -------
        csr_array
            0 and 1: one row for each observation, one column for each condition.
        """
        check_is_fitted(self)
        names = list(self.feature_names_in_) if hasattr(self, "feature_names_in_") else None
        table = match_columns(read_table(X), names, self.n_features_in_, type(self).__name__)
        rows = [mask.rows() for mask in self._masks(table)]
        indptr = np.concatenate([[0], np.cumsum([len(some) for some in rows])])
        indices = np.concatenate(rows).astype(np.int32)
        shape = (table.n_rows, len(rows))
        matrix = sparse.csc_matrix((np.ones(len(indices), np.float32), indices, indptr), shape)
        return matrix.tocsr()

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The names of the conditions.

        Parameters
        ----------
        input_features : None
            Ignored; scikit-learn passes it.

        Returns
        -------
        array of str
            One name for each column of ``transform``.
        """
        check_is_fitted(self)
        return np.array([condition.name for condition in self.conditions_], dtype=object)

    def _masks(self, table: Table) -> Iterator[Mask]:
        """For each condition the rows where it is true."""
        column: Column | None = None
        for condition in self.conditions_:
            if column is None or column.name != condition.column:
                column = table.column_once(condition.column, self.kinds_[condition.column])
            yield condition.mask(column)
