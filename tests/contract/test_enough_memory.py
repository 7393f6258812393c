"""A value of max_memory that an error names is enough."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.engines import streaming
from elseif.errors import ElseifError
from tests.tables.fitting import random_frame

pytestmark = [
    pytest.mark.filterwarnings("ignore:The chains have not converged"),
    pytest.mark.filterwarnings("ignore:Column .* is left out"),
]


def named(fit: Callable[[float], Any], least: float) -> float:
    """What the error of a fit with too little memory says would do."""
    with pytest.raises(ElseifError) as caught:
        fit(least)
    found = re.search(r"[Ss]et max_memory=(\d[\d.]*(?:e[+-]?\d+)?)", str(caught.value))
    assert found is not None, caught.value
    return float(found[1])


@pytest.mark.parametrize("n_columns", [9, 10, 11, 12, 13])
def test_of_an_exact_sum(n_columns: int) -> None:
    X, y = random_frame(n_rows=150, n_columns=n_columns)

    def fit(max_memory: float) -> BayesianRuleListClassifier:
        how = {"kernel": "exact", "max_cardinality": 1, "min_support": 0.01}
        return BayesianRuleListClassifier(max_memory=max_memory, **how).fit(X, y)

    assert fit(named(fit, 20_000))


@pytest.mark.parametrize("n_rows", [1_100, 1_300, 1_500, 1_700, 1_900])
def test_of_conditions(n_rows: int) -> None:
    X, y = random_frame(n_rows=n_rows, n_columns=11)

    def fit(max_memory: float) -> BayesianRuleListClassifier:
        how = {"kernel": "tempered", "n_iter": 50, "n_chains": 1}
        return BayesianRuleListClassifier(max_memory=max_memory, **how).fit(X, y)

    assert fit(named(fit, 10))


@pytest.mark.parametrize("n_texts", [213, 230, 300])
def test_of_the_texts_of_an_engine(n_texts: int) -> None:
    """All of which have to be fetched, since a column of them has no order."""
    duckdb = pytest.importorskip("duckdb")
    place = np.arange(4 * n_texts)
    table = pd.DataFrame({"text": [f"t{i}" for i in place % n_texts], "size": place % 4})
    table["y"] = place % n_texts % 2
    connection = duckdb.connect()  # which older versions close with its last name
    frame = connection.from_df(table)

    def fit(max_memory: float) -> BayesianRuleListClassifier:
        how = {"kernel": "tempered", "n_iter": 50, "n_chains": 1}
        return BayesianRuleListClassifier(max_memory=max_memory, **how).fit(frame, "y")

    would_do = named(fit, 10_000)
    said = ""
    try:
        fit(would_do)
    except ElseifError as error:  # of what comes after, which can be known only now
        said = str(error)
    assert "'text'" not in said


@pytest.mark.parametrize("n_rows", [310, 330, 370, 420])
def test_of_patterns_that_cannot_be_streamed(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.setattr(streaming, "can_stream", lambda frame: False)
    X, y = random_frame(n_rows=n_rows, n_columns=12)
    connection = duckdb.connect()
    frame = connection.from_df(X.assign(y=y))

    def fit(max_memory: float) -> BayesianRuleListClassifier:
        how = {"kernel": "tempered", "n_iter": 50, "n_chains": 1, "max_cardinality": 1}
        return BayesianRuleListClassifier(max_memory=max_memory, **how).fit(frame, "y")

    assert fit(named(fit, 2_000))
