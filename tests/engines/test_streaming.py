"""Rows that an engine hands out some at a time give the draws of the same table in memory."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.bits.packing import layout_of_counts, make_layout
from elseif.bits.pattern_keys import keys_of, sum_of_digests
from elseif.bits.streamed_covers import StreamedCovers
from elseif.datasets import load_titanic
from elseif.engines import patterns, streaming
from elseif.errors import DataError, ResourceError
from elseif.export.model_file import save_model
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.model.subsample import sample_of
from tests.engines.frames import ENGINES, digest, mixed_table

Put = Callable[[str, pd.DataFrame], Any]
STREAMED = "were streamed from the engine"

pytestmark = pytest.mark.filterwarnings("ignore:Column 'patient id' is left out")


@pytest.fixture
def streamed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No room for patterns, and small batches of rows."""
    monkeypatch.setattr(patterns, "SHARE_OF_MEMORY", 1e-9)
    monkeypatch.setattr(streaming, "LEAST_ROWS_AT_ONCE", 100)
    monkeypatch.setattr(streaming, "MOST_ROWS_AT_ONCE", 130)


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    return BayesianRuleListClassifier(random_state=0, **{"n_iter": 2000} | settings)


def three_labels(n: int = 900) -> pd.DataFrame:
    """A mixed table with three labels, some of them missing, and a rare and a common boolean."""
    rng = np.random.default_rng(6)
    table = mixed_table(n)
    table["rare"] = rng.random(n) < 0.02
    table["common"] = (rng.random(n) < 0.9).astype(int)
    table["outcome"] = np.where(rng.random(n) < 0.2, "dead", table["outcome"])
    table.loc[::11, "outcome"] = None
    table["weight"] = table["weight"] / 4
    table.loc[::50, "weight"] = 0
    return table


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("engine", ENGINES)
def test_titanic(engine: str, in_engine: Put) -> None:
    X, y = load_titanic("paper")
    frame = in_engine(engine, X.assign(survived=y.to_numpy()))
    own = BayesianRuleListClassifier(random_state=0).fit(X, y.rename("survived"))
    read = BayesianRuleListClassifier(random_state=0).fit(frame, "survived")
    assert STREAMED in " ".join(read.fit_report_.notes)
    assert digest(read) == digest(own)


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("engine", ENGINES)
def test_every_kind_of_column(engine: str, in_engine: Put) -> None:
    """Three labels, missing values and labels, fractional weights, rare and common conditions."""
    table = three_labels()
    X = table.drop(columns=["outcome", "weight"])
    settings = {"missing_y": "drop", "min_support": 0.01}
    own = classifier(**settings).fit(X, table["outcome"], table["weight"])
    read = classifier(**settings).fit(in_engine(engine, table), "outcome", "weight")
    assert STREAMED in " ".join(read.fit_report_.notes)
    assert digest(read) == digest(own)
    assert read.model_.was_trained_on(X, table["outcome"], table["weight"])


def test_the_memory_that_is_allowed_decides(in_engine: Put, tmp_path: Path) -> None:
    """Patterns, then packed bits, then a sentence with what would do; as of the same table here."""
    rng, n = np.random.default_rng(2), 20_000
    table = pd.DataFrame(rng.random((n, 24)), columns=[f"x{i}" for i in range(24)])
    labels = np.where(rng.random(n) < 0.2 + 0.5 * (table["x3"] > 0.5), "ill", "well")
    frame = in_engine("duckdb", table.assign(outcome=labels))
    settings = {"max_cardinality": 1, "n_iter": 300, "n_chains": 2}
    own = classifier(**settings).fit(table, pd.Series(labels, name="outcome"))
    counted = classifier(**settings).fit(frame, "outcome")
    assert "patterns" in counted.fit_report_.notes[-1]
    read = classifier(max_memory=2e6, **settings).fit(frame, "outcome")
    assert STREAMED in read.fit_report_.notes[-1]
    assert digest(read) == digest(counted) == digest(own)
    assert read.model_.training["fingerprint"] == counted.model_.training["fingerprint"]
    save_model(read, tmp_path / "model.json")
    with pytest.raises(ResourceError, match=r"conditions of 20,000 rows as packed bits") as raised:
        classifier(max_memory=1e6, **settings).fit(frame, "outcome")
    said = str(raised.value)
    enough = float(said.partition("Set max_memory=")[2].partition(",")[0])
    assert classifier(max_memory=enough, **settings).fit(frame, "outcome")


@pytest.mark.usefixtures("streamed")
@pytest.mark.parametrize("engine", ["polars", "dask"])
def test_settings_that_look_at_rows(engine: str, in_engine: Put) -> None:
    """Near-equivalents, projected lists and sample_more work on what was streamed."""
    table = mixed_table(600).drop(columns="weight")
    X, y = table.drop(columns="outcome"), table["outcome"]
    settings = {"max_correlation": 0.8, "predict_with": "projected", "n_iter": 1000}
    own = classifier(**settings).fit(X, y)
    read = classifier(**settings).fit(in_engine(engine, table), "outcome")
    assert STREAMED in " ".join(read.fit_report_.notes)
    assert digest(read) == digest(own)
    assert str(read.projected_rule_list_) == str(own.projected_rule_list_)
    assert digest(read.sample_more(500)) == digest(own.sample_more(500))


@pytest.mark.usefixtures("streamed")
def test_a_table_that_changes_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    import duckdb

    connection = duckdb.connect()
    connection.register("rows", mixed_table(400))
    connection.execute("CREATE TABLE people AS SELECT * FROM rows")
    begun = streaming.layout_of_counts

    def inserting(*arguments: Any) -> Any:
        connection.execute("INSERT INTO people SELECT * FROM people LIMIT 3")
        return begun(*arguments)

    monkeypatch.setattr(streaming, "layout_of_counts", inserting)
    with pytest.raises(DataError, match="400 rows when they were counted"):
        classifier().fit(connection.table("people"), "outcome", "weight")


@pytest.mark.usefixtures("streamed")
def test_older_polars_reads_slices(in_engine: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    import polars as pl

    if hasattr(pl.LazyFrame, "collect_batches"):
        monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    table = mixed_table(300)
    read = classifier(n_iter=300).fit(in_engine("polars", table), "outcome", "weight")
    own = classifier(n_iter=300).fit(table.iloc[:, :-2], table["outcome"], table["weight"])
    assert digest(read) == digest(own)


def test_a_batch_is_all_that_is_held() -> None:
    """The rows are 27 MB as numbers; their bits 2 MB, and a batch of rows less than that."""
    rng, n = np.random.default_rng(1), 400_000
    keys = rng.integers(0, 1 << 40, (n, 1))
    codes = rng.integers(0, 2, n)
    layout = layout_of_counts(
        np.arange(2), np.ones(2, dtype=np.int64), np.bincount(codes), n_labels=2
    )
    one = np.ones(n, dtype=np.int64)
    tracemalloc.start()
    try:
        covers = StreamedCovers(layout, 40)
        for start in range(0, n, 5000):
            some = slice(start, start + 5000)
            covers.add(keys[some], codes[some], one[some])
        assert covers.is_whole()
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1.6 * 40 * layout.n_words * 8


@pytest.mark.parametrize("n_conditions", [1, 61, 62, 63, 130])
def test_bits_are_those_of_rows_in_memory(n_conditions: int) -> None:
    rng, n = np.random.default_rng(n_conditions), 2500
    truths = rng.random((n_conditions, n)) < 0.4
    codes, weights = rng.integers(0, 3, n), rng.integers(0, 6, n)
    layout = make_layout(codes, 3, weights)
    kinds, rows = np.unique(np.column_stack([codes, weights]), axis=0, return_counts=True)
    same = layout_of_counts(kinds[:, 0], kinds[:, 1], rows, n_labels=3)
    for name in ("section_starts", "section_labels", "section_weights", "label_totals"):
        np.testing.assert_array_equal(getattr(same, name), getattr(layout, name), err_msg=name)
    np.testing.assert_array_equal(same.everyone(), layout.everyone())
    covers, keys = StreamedCovers(same, n_conditions), keys_of(truths, n)
    for start in range(0, n, 333):
        some = slice(start, start + 333)
        covers.add(keys[some], codes[some], weights[some])
    assert covers.is_whole()
    packed = np.stack([mask.words(same) for mask in covers.masks()])
    np.testing.assert_array_equal(packed, np.stack([layout.pack(truth) for truth in truths]))
    places = list(range(n_conditions))[::-1]
    expected = sum_of_digests(keys_of(truths[::-1], n), codes, weights)
    np.testing.assert_array_equal(covers.digest(places), expected)
    prior = ListPrior(np.ones(n_conditions, dtype=int), 3.0, 1.0, np.ones(n_conditions))
    mine, theirs = (
        sample_of(Problem(packed, each, np.ones(3), prior), 40) for each in (same, layout)
    )
    np.testing.assert_array_equal(mine.covers, theirs.covers)
    np.testing.assert_array_equal(mine.layout.everyone(), theirs.layout.everyone())
    np.testing.assert_array_equal(mine.layout.label_totals, theirs.layout.label_totals)


def test_an_engine_without_batches(in_engine: Put, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(streaming, "can_stream", lambda frame: False)
    monkeypatch.setattr(patterns, "SHARE_OF_MEMORY", 1e-9)
    frame = in_engine("duckdb", mixed_table(300))
    with pytest.raises(ResourceError, match=r"Set max_memory=[0-9.e+]+, or leave out columns"):
        classifier().fit(frame, "outcome", "weight")
