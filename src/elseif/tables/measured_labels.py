"""Labels that look like a measurement: many distinct numbers, each in few rows."""

from __future__ import annotations

import warnings
from numbers import Real

import numpy as np

from elseif.errors import DataError, MeasuredLabelWarning

MOST_LABELS = 15  # numbers that nobody takes for a measurement
FEWEST_OF_EACH = 20  # rows of a label, on average, that say enough about it


FEWEST_ROWS = 30  # of which each may have a label of its own only in examples


def refuse_identifiers(classes: np.ndarray, n_rows: int) -> None:
    """Refuse labels of which none occurs twice: nothing can be learnt from them."""
    if len(classes) < max(n_rows, FEWEST_ROWS):
        return
    raise DataError(
        f"y has {len(classes):,} different labels in {n_rows:,} rows, so that none occurs twice "
        "and nothing can be learnt. Is it a column of identifiers? Fit on the outcome instead."
    )


def warn_of_measurement(classes: np.ndarray, n_rows: int) -> None:
    """Warn if the labels look like a measurement, of which each value would be a class."""
    n = len(classes)
    if n <= MOST_LABELS or n_rows >= FEWEST_OF_EACH * n:
        return
    if not all(isinstance(each, Real) and not isinstance(each, bool) for each in classes.tolist()):
        return
    warnings.warn(
        f"y has {n:,} different numbers in {n_rows:,} rows and looks like a measurement: every "
        "number is a label of its own here. Make it yes or no first, such as whether it is above "
        "a threshold, or a few groups.",
        MeasuredLabelWarning,
        stacklevel=2,
    )
