"""Labels of fit: one class for each row, with its weight."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import column_or_1d
from sklearn.utils.multiclass import check_classification_targets

from elseif.errors import DataError
from elseif.tables.labels import Labels, category_order, known_labels, label_array, read_labels
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
    return read_labels(y, sample_weight, drop, order, effective)


def one_label_each(y: Any) -> np.ndarray:
    """Labels as an array of one dimension that holds classes, not measurements."""
    try:
        labels = column_or_1d(label_array(y), warn=True)
        known = known_labels(labels)
        if len(known):
            check_classification_targets(known)
    except DataError:
        raise
    except (TypeError, ValueError) as error:
        raise DataError(f"y: {error}") from error
    return labels
