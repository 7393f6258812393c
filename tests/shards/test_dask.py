"""Rows that the workers of a Dask cluster hold: the draws of the same table in memory."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.antecedents import left_out, sharded_mining
from elseif.datasets import load_titanic
from elseif.errors import ParamError
from elseif.shards.shards import Shards
from tests.antecedents.test_hidden_by_support import hidden, people
from tests.engines.frames import digest, mixed_table

pytestmark = [
    pytest.mark.filterwarnings("ignore:Column 'patient id' is left out"),
    pytest.mark.filterwarnings("ignore:The chains have not converged"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),  # of workers that are ended
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of their libraries
]
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A cluster of two processes on this machine."""
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address="127.0.0.1:0"
        ) as made,
        distributed.Client(made, direct_to_workers=True) as client,
    ):
        yield client


def classifier(**settings: Any) -> BayesianRuleListClassifier:
    given = {"random_state": 0, "n_iter": 260, "n_chains": 2, **settings}
    return BayesianRuleListClassifier(**given)


def test_titanic(cluster: Any) -> None:
    """Summed exactly, from what each worker counts."""
    X, y = load_titanic("paper")
    frame = dd.from_pandas(X.assign(survived=y.to_numpy()), npartitions=3)
    own = BayesianRuleListClassifier(random_state=0).fit(X, y.rename("survived"))
    counted = BayesianRuleListClassifier(random_state=0, n_shards=2).fit(frame, "survived")
    assert digest(counted) == digest(own)
    assert "held in 2 shards" in counted.fit_report_.notes[-1]
    local = BayesianRuleListClassifier(random_state=0).fit(frame, "survived")
    assert counted.model_.training["fingerprint"] == local.model_.training["fingerprint"]


@pytest.mark.fault(54, "a worker that holds rows is killed in the middle of a fit",
                   "its rows are read again, and the fit continues with equal draws")  # fmt: skip
def test_every_kind_of_column(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """With missing values and weights; one worker is killed between two steps."""
    table = mixed_table(800)
    frame = dd.from_pandas(table, npartitions=3)
    own = classifier().fit(table.iloc[:, :-2], table["outcome"], table["weight"])
    n_steps, call_each = 0, Shards.call_each
    asked: list[Shards] = []

    def killing(self: Shards, name: str, arguments: Any) -> Any:
        nonlocal n_steps
        asked.append(self)
        n_steps += name == "perform"
        if name == "perform" and n_steps == 100:
            os.kill(next(iter(cluster.run(os.getpid).values())), signal.SIGKILL)
        return call_each(self, name, arguments)

    monkeypatch.setattr(Shards, "call_each", killing)
    counted = classifier(n_shards=3).fit(frame, "outcome", "weight")
    assert digest(counted) == digest(own)
    assert n_steps > 200
    assert asked[-1].n_lost > 0


@pytest.mark.slow
def test_rows_that_exceed_the_memory_allowed_go_to_the_workers(cluster: Any) -> None:
    """Without n_shards; and patterns that take several numbers are parted too."""
    rng = np.random.default_rng(2)
    table = pd.DataFrame(rng.random((300, 16)), columns=[f"x{i}" for i in range(16)])
    labels = np.where(rng.random(300) < 0.2 + 0.5 * (table["x3"] > 0.5), "ill", "well")
    frame = dd.from_pandas(table.assign(outcome=labels), npartitions=2)
    settings = {"max_cardinality": 1, "n_iter": 64, "max_memory": 30_000}
    counted = classifier(**settings).fit(frame, "outcome")
    own = classifier(**settings).fit(table, pd.Series(labels, name="outcome"))
    assert "held in 2 shards" in " ".join(counted.fit_report_.notes)
    assert digest(counted) == digest(own)


def test_what_the_support_hides(cluster: Any) -> None:
    """Said from what the workers count, in the words of one machine."""
    X, y = people()
    frame = dd.from_pandas(X.assign(dead=y), npartitions=3)
    counted = classifier(n_shards=2).fit(frame, "dead")
    own = classifier().fit(X, pd.Series(y, name="dead"))
    assert hidden(counted.fit_report_.notes) == hidden(own.fit_report_.notes) != []


@pytest.mark.parametrize(
    "most_words", [1 << 14, pytest.param(4, marks=pytest.mark.slow)], ids=["fetched", "far"]
)
def test_a_projected_list(cluster: Any, most_words: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is found on the machine that calls fit, from what the workers hold, and so are twins."""
    monkeypatch.setattr(sharded_mining, "MOST_WORDS_HERE", most_words)
    table = mixed_table(400).drop(columns="weight")
    frame = dd.from_pandas(table, npartitions=2)
    how = {"predict_with": "projected", "max_length": 3, "n_iter": 64}
    if most_words > 4:
        how |= {"max_correlation": 0.6}
        monkeypatch.setattr(left_out, "SMALL", 0)
    own = classifier(**how).fit(table.drop(columns="outcome"), table["outcome"])
    counted = classifier(n_shards=2, **how).fit(frame, "outcome")
    assert digest(counted) == digest(own)
    path, expected = counted.model_.projection_path, own.model_.projection_path
    assert [str(each) for each in path] == [str(each) for each in expected]
    assert path.distances.tolist() == expected.distances.tolist()
    near = own.fit_report_.near_equivalents
    assert counted.fit_report_.near_equivalents == near
    assert bool(near) == (most_words > 4)


def test_refusals(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    table = mixed_table(200).drop(columns="weight")
    frame = dd.from_pandas(table, npartitions=2)
    with pytest.raises(ParamError, match="X is a DataFrame in memory"):
        classifier(n_shards=2).fit(table.drop(columns="outcome"), table["outcome"])
    monkeypatch.setattr(sharded_mining, "MOST_WORDS_HERE", 4)
    with pytest.raises(ParamError, match=r"max_correlation compares all covers .* at most 256"):
        classifier(n_shards=2, max_correlation=0.9).fit(frame, "outcome")
    duckdb = pytest.importorskip("duckdb")
    with pytest.raises(ParamError, match="X must be a Dask frame"):
        classifier(n_shards=2).fit(duckdb.connect().from_df(table), "outcome")
