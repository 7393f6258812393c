"""A table that an engine counts gives the draws of the same table in memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.datasets import load_titanic
from elseif.engines.binarising import binarise_in_engine, conditions_in_engine
from elseif.engines.lazy_table import LazyTable, is_lazy
from elseif.engines.patterns import count_patterns
from elseif.errors import DataError, DataTypeError, ParamError, ResourceError
from elseif.export.model_file import read_model, save_model
from tests.engines.frames import ENGINES, digest, mixed_table

Put = Callable[[str, pd.DataFrame], Any]

pytestmark = pytest.mark.filterwarnings("ignore:Column 'patient id' is left out")


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(random_state=0, **{"n_iter": 4000} | settings)


@pytest.mark.parametrize("engine", ENGINES)
def test_titanic(engine: str, in_engine: Put) -> None:
    """Categories alone; summed exactly."""
    X, y = load_titanic("paper")
    frame = in_engine(engine, X.assign(survived=y.to_numpy()))
    assert is_lazy(frame)
    own = BayesianRuleListClassifier(random_state=0).fit(X, y.rename("survived"))
    counted = BayesianRuleListClassifier(random_state=0).fit(frame, "survived")
    assert digest(counted) == digest(own)
    assert (counted.predict_proba(X) == own.predict_proba(X)).all()
    assert "patterns" in counted.fit_report_.notes[-1]


@pytest.mark.parametrize("weight", [None, "weight"])
@pytest.mark.parametrize("engine", ENGINES)
def test_every_kind_of_column(engine: str, weight: str | None, in_engine: Put) -> None:
    """Numbers, categories, booleans and dates with missing values; with weights and without."""
    table = mixed_table()
    X, y, weights = table.iloc[:, :-2], table["outcome"], table["weight"]
    frame = in_engine(engine, table if weight else table.drop(columns="weight"))
    own = classifier().fit(X, y, weights if weight else None)
    counted = classifier().fit(frame, "outcome", weight)
    assert digest(counted) == digest(own)


@pytest.mark.parametrize(
    "settings",
    [
        {"cutting": "mdl"},
        {"cutting": "evidence", "n_quantiles": 6},
        {"negations": True, "group_rare": 0.2},
        {"disjoint_bins": True, "support_in": "any_class", "min_support": 0.05},
        {"kinds": {"systolic": "category", "sex": ["male", "female"], "smoker": "numeric"},
         "cuts": {"age": [50, 60.5], "smoker": [0], "admitted": ["2020-06-01"]}},
        {"n_iter": None},
    ],
)  # fmt: skip
def test_settings(settings: dict[str, Any], in_engine: Put) -> None:
    """Whatever makes the conditions, and automatic runs."""
    table = mixed_table().drop(columns="weight")
    own = classifier(**settings).fit(table.drop(columns="outcome"), table["outcome"])
    counted = classifier(**settings).fit(in_engine("duckdb", table), "outcome")
    assert digest(counted) == digest(own)


def test_labels_that_are_missing_and_weights_of_no_unit(in_engine: Put) -> None:
    """Rows without a label are left out and counted; odd weights are rounded alike."""
    table = mixed_table(800)
    table.loc[::7, "outcome"] = None
    table["weight"] = np.random.default_rng(0).gamma(2, 0.7, len(table)).round(3)
    table.loc[::50, "weight"] = 0
    X, y = table.iloc[:, :-2], table["outcome"]
    settings = {"missing_y": "drop", "weight_scaling": "effective"}
    own = classifier(**settings).fit(X, y, table["weight"])
    counted = classifier(**settings).fit(in_engine("duckdb", table), "outcome", "weight")
    assert digest(counted) == digest(own)
    assert counted.fit_report_.n_rows_without_label == own.fit_report_.n_rows_without_label
    with pytest.raises(DataError, match="115 rows have no label in 'outcome'"):
        classifier().fit(in_engine("duckdb", table), "outcome")


def test_labels_of_every_type(in_engine: Put) -> None:
    """Booleans, whole numbers and several texts as labels."""
    table = mixed_table(600).drop(columns="weight")
    for labels in (
        table["outcome"] == "ill",
        (table["outcome"] == "ill").astype(int),
        table["systolic"] // 30,
    ):
        X = table.drop(columns=["outcome", "systolic"])
        own = classifier(n_iter=1000).fit(X, labels)
        frame = in_engine("duckdb", X.assign(outcome=labels))
        counted = classifier(n_iter=1000).fit(frame, "outcome")
        assert digest(counted) == digest(own)
        assert counted.classes_.tolist() == own.classes_.tolist()


def test_an_answer_in_parts(in_engine: Put) -> None:
    """Patterns that do not fit into memory at once are asked for in parts, and are the same."""
    table = LazyTable(in_engine("duckdb", mixed_table()), "outcome", "weight")
    labels = table.read_labels(False, False)
    how = classifier()._binarising({}, {}, table.names)
    made = conditions_in_engine(table, labels, how)
    _, whole, _ = binarise_in_engine(table, labels, made)
    conditions, expressions = made.conditions, made.expressions
    bytes_each = 8 * 4
    parts = count_patterns(table, labels, conditions, expressions, bytes_each * 1500 * 4.2)
    assert parts.fingerprint(conditions) == whole.fingerprint(conditions)
    with pytest.raises(ResourceError, match=r"Set max_memory=[0-9.e+]+, or leave out columns"):
        count_patterns(table, labels, conditions, expressions, 1000)


def test_refusals(in_engine: Put) -> None:
    """What cannot be done says what to do."""
    table = mixed_table(300)
    frame = in_engine("duckdb", table)
    with pytest.raises(DataTypeError, match="y must be the name of one of its columns"):
        classifier().fit(frame, table["outcome"])
    with pytest.raises(DataError, match="the table has no column 'stroke'"):
        classifier().fit(frame, "stroke")
    with pytest.raises(ParamError, match="of your own need a table in memory"):
        classifier(antecedents=[("smoker",)]).fit(frame, "outcome")
    with pytest.raises(DataError, match="NaN: 2 columns lack values"):
        classifier(missing="error").fit(frame, "outcome")
    with pytest.raises(DataError, match="0 sample"):
        classifier().fit(in_engine("duckdb", table[:0]), "outcome")
    fitted = classifier().fit(frame, "outcome", "weight")
    with pytest.raises(DataTypeError, match="has yet to be computed"):
        fitted.predict(frame)


def test_labels_and_weights_that_are_none(in_engine: Put) -> None:
    """As of a table in memory: measurements are no labels, and texts are no weights."""
    table = mixed_table(300)
    frame = in_engine("duckdb", table.assign(outcome=table["age"] + 0.25))
    with pytest.raises(DataError, match="continuous"):
        classifier(missing_y="drop").fit(frame, "outcome", "weight")
    frame = in_engine("duckdb", table.assign(weight=table["weight"].astype(str)))
    with pytest.raises(DataTypeError, match="'weight' holds String"):
        classifier().fit(frame, "outcome", "weight")
    frame = in_engine("duckdb", table.assign(outcome=table["patient id"]))
    with pytest.raises(DataError, match="300 different labels"):
        classifier().fit(frame, "outcome", "weight")
    with pytest.raises(DataError, match="did you mean 'outcome'"):
        classifier().fit(frame, "outcom")


def test_the_order_of_labels_is_kept() -> None:
    """The probability that is shown is of the last one."""
    import polars as pl

    table = mixed_table(600).drop(columns=["weight"])
    order = pl.Enum(["well", "ill"])
    frame = pl.from_pandas(table).with_columns(pl.col("outcome").cast(order))
    own = classifier().fit(frame.drop("outcome"), frame["outcome"])
    counted = classifier().fit(frame.lazy(), "outcome")
    assert counted.classes_.tolist() == own.classes_.tolist() == ["well", "ill"]
    assert digest(counted) == digest(own)


@pytest.mark.parametrize("engine", ["polars", "duckdb"])
def test_names_that_mean_more_and_orders_of_categories(engine: str, in_engine: Put) -> None:
    """polars takes "*" for all columns; an ENUM of DuckDB, which any category becomes, is told."""
    columns = ["age", "smoker", "outcome"]
    table = mixed_table(400)[columns].set_axis(["*", "^s.*$", "outcome"], axis=1)
    stages = np.random.default_rng(3).choice(["low", "mid", "high"], len(table))
    ordered = pd.Categorical(stages, ["low", "mid", "high"], ordered=True)
    X = table.drop(columns="outcome").assign(stage=ordered)
    own = classifier(n_iter=500).fit(X, table["outcome"])
    frame = in_engine(engine, table.assign(stage=stages))
    kinds = None
    if engine == "polars":
        import polars as pl

        frame = frame.with_columns(pl.col("stage").cast(pl.Enum(["low", "mid", "high"])))
    else:
        frame = frame.project("* REPLACE (stage::ENUM('low', 'mid', 'high') AS stage)")
        kinds = {"stage": ["low", "mid", "high"]}
    counted = classifier(n_iter=500, kinds=kinds).fit(frame, "outcome")
    assert "stage > low" in [antecedent.name for antecedent in own.pool_]
    assert digest(counted) == digest(own)


@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_model_knows_the_rows_that_an_engine_counted(
    weight: str | None, in_engine: Put, tmp_path: Path
) -> None:
    """In any order, from a model file as well; one row more or less, or another label, is told."""
    table = mixed_table(400)
    frame = in_engine("duckdb", table if weight else table.drop(columns="weight"))
    counted = classifier(n_iter=500).fit(frame, "outcome", weight)
    save_model(counted, tmp_path / "model.json")
    X, y, weights = table.iloc[:, :-2], table["outcome"], table["weight"] if weight else None
    for model in (counted.model_, read_model(tmp_path / "model.json")):
        assert model.was_trained_on(X, y, weights)
        assert model.was_trained_on(X[::-1], y[::-1], None if weight is None else weights[::-1])
        assert not model.was_trained_on(X[1:], y[1:], None if weight is None else weights[1:])
        other = y.mask(y.index == 7, "ill" if y[7] == "well" else "well")
        assert not model.was_trained_on(X, other, weights)
        assert not model.was_trained_on(X.assign(age=X["age"] + 30), y, weights)
        assert not model.was_trained_on(X, y, np.full(len(y), 7))


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["duckdb", "dask", "spark"])
def test_a_million_rows(engine: str, in_engine: Put, tmp_path: Path) -> None:
    """From a Parquet file, which the engine reads itself."""
    rng, n = np.random.default_rng(5), 1_000_000
    age = rng.integers(20, 90, n)
    smoker = rng.random(n) < 0.3
    table = pd.DataFrame(
        {
            "age": np.where(rng.random(n) < 0.02, np.nan, age),
            "smoker": smoker,
            "sex": rng.choice(["male", "female"], n),
            "stage": rng.choice(["I", "II", "III", "IV"], n),
            "outcome": np.where(rng.random(n) < 0.1 + 0.2 * smoker * (age > 60), "ill", "well"),
        }
    )
    path = tmp_path / "rows.parquet"
    table.to_parquet(path)
    if engine == "duckdb":
        import duckdb

        frame = duckdb.connect().read_parquet(str(path))
    elif engine == "dask":
        frame = pytest.importorskip("dask.dataframe").read_parquet(path)
    else:
        in_engine("spark", mixed_table(10))  # starts the session
        from pyspark.sql import SparkSession

        frame = SparkSession.getActiveSession().read.parquet(str(path))
    own = classifier().fit(table.drop(columns="outcome"), table["outcome"])
    counted = classifier().fit(frame, "outcome")
    assert digest(counted) == digest(own)
