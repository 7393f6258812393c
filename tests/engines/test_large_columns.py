"""Columns whose values stay in the engine are cut where the same columns in memory are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.conditions.cut_points import quantile_cuts
from elseif.engines import binarising, large_columns, ordered_column
from elseif.engines.lazy_table import LazyTable
from elseif.engines.ordered_column import EngineOrder
from elseif.errors import DataError, ResourceError
from elseif.tables.columns import Kind
from tests.engines.frames import ENGINES, digest, mixed_table

Put = Callable[[str, pd.DataFrame], Any]
N_FETCHED = 300  # distinct values by label and weight that are fetched here


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Columns of more than a few values stay in the engine; their names."""
    monkeypatch.setattr(binarising, "BYTES_OF_A_VALUE", 1e9 / N_FETCHED)
    names: list[str] = []
    own = large_columns.large_column_conditions

    def noting(table: Any, labels: Any, how: Any, name: str, allow_infinite: bool) -> Any:
        names.append(name)
        return own(table, labels, how, name, allow_infinite)

    monkeypatch.setattr(binarising, "large_column_conditions", noting)
    return names


def table_of(n: int = 1500) -> pd.DataFrame:
    table = mixed_table(n).drop(columns="patient id")
    rng = np.random.default_rng(9)
    return table.assign(
        income=np.exp(rng.normal(0, 4, n)),  # of any size
        change=np.where(rng.random(n) < 0.4, 0.0, rng.normal(0, 1e-3, n)),  # both signs, and ties
    )


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(random_state=0, **{"n_iter": 1000} | settings)


@pytest.mark.parametrize("engine", ENGINES)
def test_draws_are_those_of_the_table_in_memory(
    engine: str, in_engine: Put, looked_up: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Numbers of any size, whole ones and dates, with missing values and weights."""
    if engine in ("duckdb", "polars"):  # others take long for many queries
        monkeypatch.setattr(ordered_column, "FEW", 30)
    table = table_of()
    X = table.drop(columns=["outcome", "weight"])
    own = classifier().fit(X, table["outcome"], table["weight"])
    read = classifier().fit(in_engine(engine, table), "outcome", "weight")
    assert looked_up == ["age", "systolic", "admitted", "income", "change"]
    assert digest(read) == digest(own)


@pytest.mark.parametrize(
    "settings",
    [
        {"cutting": "evidence"},
        {"disjoint_bins": True, "n_quantiles": 7},
        {"cuts": {"age": [50, 60.5], "admitted": ["2020-06-01"], "income": "evidence"}},
        {"infinite": "outer"},
    ],
)
def test_settings(settings: dict[str, Any], in_engine: Put, looked_up: list[str]) -> None:
    table = table_of(1200).drop(columns="weight")
    table.loc[::9, "outcome"] = None
    if "infinite" in settings:
        table.loc[::40, "income"] = np.inf
        table.loc[1::40, "change"] = -np.inf
    settings = {**settings, "missing_y": "drop"}
    own = classifier(**settings).fit(table.drop(columns="outcome"), table["outcome"])
    read = classifier(**settings).fit(in_engine("duckdb", table), "outcome")
    assert "income" in looked_up
    assert digest(read) == digest(own)


@pytest.mark.usefixtures("looked_up")
def test_refusals(in_engine: Put) -> None:
    """What would have to be fetched whole says what to do."""
    table = table_of(700).drop(columns="weight")
    table["code"] = np.random.default_rng(0).permutation(700_000)[:700]
    frame = in_engine("duckdb", table)
    with pytest.raises(ResourceError, match=r"'code' holds 700 distinct .* kinds=\{'code'"):
        classifier().fit(frame, "outcome")
    classifier(kinds={"code": "numeric"}, n_iter=100).fit(frame, "outcome")
    table["code"] = [f"note {i}" for i in range(700)]
    with pytest.raises(ResourceError, match=r"'code' has 700 distinct values .* Leave the column"):
        classifier().fit(in_engine("duckdb", table), "outcome")
    table = table.drop(columns="code")
    with pytest.raises(ResourceError, match="Column 'age' has"):
        classifier(cutting="mdl").fit(in_engine("duckdb", table), "outcome")
    with pytest.raises(DataError, match="'age' "):
        classifier(missing="error").fit(in_engine("duckdb", table), "outcome")
    table.loc[3, "income"] = np.inf
    with pytest.raises(DataError, match="column 'income' has 1 infinite value"):
        classifier().fit(in_engine("duckdb", table), "outcome")


@pytest.mark.usefixtures("looked_up")
def test_decimals_are_to_be_converted(in_engine: Put) -> None:
    """They are compared exactly by an engine, so it would cut elsewhere than floats are cut."""
    table = pd.DataFrame({"cost": np.arange(1500) / 100, "y": np.arange(1500) % 2 == 0})
    decimals = in_engine("duckdb", table).project("cost::DECIMAL(9, 2) AS cost, y")
    with pytest.raises(
        ResourceError, match=r"Column 'cost' has .* Convert the column from decimals"
    ):
        BayesianRuleListClassifier().fit(decimals, "y")


@pytest.mark.parametrize("seed", range(6))
def test_quantiles(seed: int, in_engine: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of any distribution: with ties, of few values, and of numbers that are hardly apart."""
    monkeypatch.setattr(ordered_column, "FEW", 5)
    monkeypatch.setattr(ordered_column, "PROBES", 4)
    rng, n = np.random.default_rng(seed), 400
    values = [
        rng.normal(0, 1, n),
        rng.integers(0, 4, n).astype(float),
        1e300 * rng.standard_cauchy(n),
        np.where(rng.random(n) < 0.7, 1.5, rng.random(n)),
        1 + rng.integers(0, 3, n) * 2.0**-52,
        np.full(n, 7.25),
    ][seed]
    table = pd.DataFrame({"x": values, "y": np.where(rng.random(n) < 0.5, "a", "b")})
    lazy = LazyTable(in_engine("duckdb", table), "y")
    ordered = EngineOrder(lazy, lazy.read_labels(False, False), "x", Kind.NUMERIC)
    inside = np.sort(values)
    assert ordered.ends == (inside[0], inside[-1])
    for share in (1e-9, 0.01, 0.25, 0.5, 0.77, 1.0):
        index = min(int(np.ceil(share * n - 1e-9)) - 1, n - 1)
        assert ordered.at_share(share) == inside[max(index, 0)]
    assert large_columns.cuts_of(ordered, 5) == quantile_cuts(values, None, 5)
