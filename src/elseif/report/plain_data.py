"""Results as plain data that JSON can represent."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(value: Any) -> Any:
    """Convert to plain data that JSON can hold.

    Parameters
    ----------
    value : object
        Dicts, sequences, arrays and numbers, nested in any way.

    Returns
    -------
    object
        Lists, dicts, texts, numbers and None; NaN and infinity become None.

    Examples
    --------
    >>> import numpy as np
    >>> from elseif.report import plain
    >>> plain({"auc": np.float64(0.8), "folds": np.array([1.0, np.nan])})
    {'auc': 0.8, 'folds': [1.0, None]}
    """
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
