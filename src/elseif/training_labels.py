"""Labels of fit: one class for each row, with its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from elseif.checks import nearest_name
from elseif.errors import DataError
from elseif.tables.labels import Labels, category_order, known_labels, label_array, read_labels
from elseif.tables.measured_labels import refuse_identifiers, warn_of_measurement
from elseif.tables.reading import Table

if TYPE_CHECKING:
    from elseif.estimator import BayesianRuleListClassifier


def training_labels(
    classifier: BayesianRuleListClassifier, y: Any, sample_weight: Any, table: Table
) -> Labels:
    """The labels of a table's rows, with their weights."""
    if y is None:
        raise DataError(
            f"This {type(classifier).__name__} estimator requires y to be passed, "
            "but the target y is None."
        )
    if isinstance(y, str):
        raise DataError(_name_for_labels(y, table))
    if table.n_rows == 0:
        raise DataError(
            f"X has no rows: Found array with 0 sample(s) (shape=(0, {len(table.names)})) "
            "while a minimum of 1 is required."
        )
    order = category_order(y)
    y = one_label_each(y)
    if len(y) != table.n_rows:
        raise DataError(
            f"X and y have inconsistent numbers of samples: X has {table.n_rows} rows, "
            f"y has {len(y)} labels."
        )
    drop, effective = classifier.missing_y == "drop", classifier.weight_scaling == "effective"
    labels = read_labels(y, sample_weight, drop, order, effective)
    refuse_identifiers(labels.classes, table.n_rows - labels.n_dropped)
    warn_of_measurement(labels.classes, table.n_rows - labels.n_dropped)
    return labels


def _name_for_labels(name: str, table: Table) -> str:
    """The error for a column name as y, which only tables in engines accept."""
    said = f"y is a text, {name!r:.100}; it must be one label for each row"
    if name in table.names:
        return f"{said}: clf.fit(X.drop(columns={name!r}), X[{name!r}])."
    near = nearest_name(name, table.names)
    return f"{said}." if near is None else f"{said}; did you mean {near!r}, a column of X?"


def one_label_each(y: Any) -> np.ndarray:
    """Labels as a one-dimensional array of classes, not measurements."""
    array = label_array(y.toarray() if hasattr(y, "toarray") else y)
    if array.ndim == 2 and array.shape[1] > 1:
        raise DataError(
            f"y should be a 1d array of one label for each row; it has {array.shape[0]:,} rows and "
            f"{array.shape[1]:,} columns. Fit one classifier for each column, for example with "
            "sklearn.multioutput.MultiOutputClassifier."
        )
    if array.dtype.kind == "c":  # or the message of scikit-learn would show all of them
        raise DataError("y holds complex numbers; a label is text, a number or a truth value.")
    try:
        labels = column_or_1d(array, warn=True)
        known = known_labels(labels)
        if len(known):
            check_classification_targets(known)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        if "continuous" in str(error):  # the words in brackets are those of scikit-learn
            raise DataError(
                "y holds measurements, not labels (Unknown label type: continuous). Make it yes or "
                "no first, such as whether it is above a threshold."
            ) from error
        raise DataError(f"y: {error}") from error
    return labels
