"""What measures are computed from: whether the event happened, and its predicted probability."""

from __future__ import annotations

from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.tables.families import family
from elseif.tables.labels import label_array, missing_labels, shown_label

ROUNDING = 1e-9  # by which an average of probabilities may miss 0 and 1


def read_truth(truth: Any) -> np.ndarray:
    """Whether the event happened, as booleans; of other values than 0 and 1 it cannot be told."""
    values = label_array(truth)
    if values.ndim != 1:
        raise DataError(f"truth has the shape {values.shape}; give one value per observation.")
    if values.dtype.kind == "b":
        return values
    missing = missing_labels(values)
    if missing.any():
        raise DataError(
            f"truth is missing in {int(missing.sum()):,} of {len(values):,} observations (row "
            f"{int(np.flatnonzero(missing)[0])}). Leave them out: whether they had the event is "
            "not known."
        )
    if values.dtype.kind in "iuf":
        neither = (values != 0) & (values != 1)
    else:
        neither = np.fromiter((not _is_truth(value) for value in values), bool, len(values))
    if neither.any():
        row = int(np.flatnonzero(neither)[0])
        raise DataError(
            f"truth holds {shown_label(values[row])} (row {row}), which is neither true nor false. "
            "Say which label is the event, such as y == 'yes'."
        )
    return values.astype(bool)


def _is_truth(value: Any) -> bool:
    return family(value) in ("boolean", "number") and value in (0, 1)


def read_truth_and_order(truth: Any, order: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same, with numbers that rank the observations."""
    happened, numbers = read_truth(truth), np.asarray(order, dtype=float)
    if numbers.shape != happened.shape:
        raise DataError(
            f"risk has the shape {numbers.shape} and truth {happened.shape}; give one risk per "
            "observation, such as predict_proba(X)[:, 1]."
        )
    if np.isnan(numbers).any():
        row = int(np.flatnonzero(np.isnan(numbers))[0])
        raise DataError(f"risk is missing in row {row}; leave out whoever has none.")
    return happened, numbers


def read_truth_and_risk(truth: Any, risk: Any) -> tuple[np.ndarray, np.ndarray]:
    """The same, with probabilities of the event."""
    happened, numbers = read_truth_and_order(truth, risk)
    outside = (numbers < -ROUNDING) | (numbers > 1 + ROUNDING)
    if outside.any():
        row = int(np.flatnonzero(outside)[0])
        raise DataError(f"risk is {numbers[row]:g} in row {row}; it must lie between 0 and 1.")
    return happened, numbers
