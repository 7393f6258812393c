"""Measures of what cannot be true or false, or is no probability, are refused: none is made up."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from elseif.errors import DataError
from elseif.evaluation import (
    auc_with_interval,
    brier,
    decision_curve,
    overstatement,
    recalibration,
)

TRUTH = np.array([True, False, False, True, True, False, False, True])
RISK = np.array([0.8, 0.3, 0.7, 0.6, 0.7, 0.2, 0.4, 0.9])

MEASURES: list[Callable[[Any, Any], Any]] = [
    auc_with_interval, brier, overstatement, recalibration,
    lambda truth, risk: decision_curve(truth, risk, [0.3]).model.tolist(),
]  # fmt: skip

ALIKE = {
    "0 and 1": TRUTH.astype(int),
    "0.0 and 1.0": TRUTH.astype(float),
    "list": TRUTH.tolist(),
    "objects": TRUTH.astype(object),
    "boolean of pandas": pd.Series(TRUTH, dtype="boolean", index=range(8, 0, -1)),
    "Int64": pd.Series(TRUTH, dtype="Int64"),
    "polars": pl.Series(TRUTH),
    "pyarrow": pa.array(TRUTH),
}

REFUSED: dict[str, tuple[Any, str]] = {
    "1 and 2": (TRUTH + 1, r"truth holds 2 \(row 0\), which is neither true nor false"),
    "-1 and 1": (2 * TRUTH.astype(int) - 1, r"truth holds -1 \(row 1\)"),
    "texts": (np.where(TRUTH, "yes", "no"), r"truth holds 'yes' .* such as y == 'yes'"),
    "NaN": (np.where(np.arange(8) < 1, np.nan, TRUTH), r"missing in 1 of 8 observations \(row 0"),
    "NA": (pd.Series([True, None] * 4, dtype="boolean"), "missing in 4 of 8 observations"),
    "a table": (pd.DataFrame({"event": TRUTH}), r"shape \(8, 1\)"),
    "fewer": (TRUTH[:7], r"risk has the shape \(8,\) and truth \(7,\)"),
}


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", ALIKE)
def test_truths_in_any_container(measure: Callable[[Any, Any], Any], name: str) -> None:
    risk = pd.Series(RISK, index=range(8, 0, -1))
    assert repr(measure(ALIKE[name], risk)) == repr(measure(TRUTH, RISK))


@pytest.mark.parametrize("measure", MEASURES)
@pytest.mark.parametrize("name", REFUSED)
def test_what_is_neither_true_nor_false(measure: Callable[[Any, Any], Any], name: str) -> None:
    """A missing outcome was counted as an event, and so was every label of 1 and 2."""
    truth, words = REFUSED[name]
    with pytest.raises(DataError, match=words):
        measure(truth, RISK)


@pytest.mark.parametrize("measure", MEASURES)
def test_what_is_no_risk(measure: Callable[[Any, Any], Any]) -> None:
    with pytest.raises(DataError, match=r"predict_proba\(X\)\[:, 1\]"):
        measure(TRUTH, np.column_stack([1 - RISK, RISK]))
    with pytest.raises(DataError, match="risk is missing in row 2"):
        measure(TRUTH, np.where(np.arange(8) == 2, np.nan, RISK))


@pytest.mark.parametrize("measure", MEASURES[1:])
def test_percentages_are_no_risks(measure: Callable[[Any, Any], Any]) -> None:
    """Points of a score rank people too, so that only an AUC takes other numbers."""
    with pytest.raises(DataError, match="risk is 80 in row 0; it must lie between 0 and 1"):
        measure(TRUTH, 100 * RISK)
    assert auc_with_interval(TRUTH, 100 * RISK) == auc_with_interval(TRUTH, RISK)
