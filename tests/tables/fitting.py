"""Small tables and quick settings for tests of the estimator from outside."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.bits.packing import make_layout
from elseif.conditions.binarise import Binarised
from elseif.errors import DataError
from elseif.tables.labels import read_labels

QUICK: dict[str, Any] = {"n_iter": 400, "n_chains": 2, "random_state": 0, "kernel": "paper"}


def quick(**settings: Any) -> BayesianRuleListClassifier:
    """A classifier that samples just enough to be one."""
    return BayesianRuleListClassifier(**{**QUICK, **settings})


def random_frame(
    n_rows: int = 200, n_columns: int = 4, seed: int = 0, n_labels: int = 2
) -> tuple[pd.DataFrame, np.ndarray]:
    """Boolean columns f1, f2, ..., and labels 0, 1, ... that depend weakly on the first two."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < 0.5
    noise = rng.integers(0, n_labels, n_rows)
    y = np.where(
        rng.random(n_rows) < 0.5, (X[:, 0] + X[:, min(1, n_columns - 1)]) % n_labels, noise
    )
    return pd.DataFrame(X, columns=[f"f{i + 1}" for i in range(n_columns)]), y.astype(int)


def expect_refused(call: Any, *words: str, kind: type[Exception] = DataError) -> str:
    """The message of the error that a call ends in; it must hold every one of the words."""
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    for word in words:
        assert word in message, f"{word!r} is not in {message!r}"
    return message


def assert_same(a: BayesianRuleListClassifier, b: BayesianRuleListClassifier) -> None:
    """The same pool with the same supports, and draw for draw the same lists."""
    assert a.pool_.names == b.pool_.names
    np.testing.assert_array_equal(a.pool_.supports, b.pool_.supports)
    np.testing.assert_array_equal(a.posterior_.log_posterior, b.posterior_.log_posterior)
    pd.testing.assert_frame_equal(a.posterior_.lists(), b.posterior_.lists(), check_exact=True)
    assert str(a.rule_list_) == str(b.rule_list_)


def rows_where_true(binarised: Binarised, y: Any) -> list[np.ndarray]:
    """The rows where each condition is true, however its truth is kept."""
    labels = read_labels(np.asarray(y), None, False, None)
    layout = make_layout(labels.codes, len(labels.classes))
    return [np.flatnonzero(layout.unpack(truth.words(layout))) for truth in binarised.truths]
