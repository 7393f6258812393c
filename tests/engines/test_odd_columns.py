"""Columns of odd types in an engine: the draws of the same table in memory, or a sentence."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import narwhals as nw
import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from elseif.errors import DataError
from tests.engines.frames import digest

Put = Callable[[str, pd.DataFrame], Any]
N = 300
RNG = np.random.default_rng(4)
SIZE = RNG.random(N).round(2)
Y = np.where(RNG.random(N) < 0.2 + 0.5 * (SIZE > 0.5), "ill", "well")
CODES = RNG.integers(0, 3, N)


@pytest.fixture(autouse=True)
def _few_draws() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The chains have not converged")
        yield


def table(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"size": SIZE, "y": Y} | columns)


def fit(*data: Any, **settings: Any) -> BayesianRuleListClassifier:
    how = {"random_state": 0, "kernel": "tempered", "n_iter": 300, "n_chains": 2, **settings}
    return BayesianRuleListClassifier(**how).fit(*data)


LEVELS = np.array(["a", "b", "c"])[CODES]
OLD = np.datetime64("0800-01-01", "us") + RNG.integers(0, 400_000, N).astype("timedelta64[D]")
ODD = {
    "a category that no row has": pd.Categorical(LEVELS, ["c", "a", "b", "none"]),
    "categories that are truth values": pd.Categorical(CODES > 0),
    "dates of no nanoseconds": OLD,
    "numbers of half precision": CODES.astype("float16"),
    "text beyond a NUL": np.array(["a", "a\0b", "a\0c"])[CODES].astype(object),
}


CASES = [(odd, engine) for odd in ODD for engine in ("dask", "duckdb", "polars")]
# Spark has neither categories nor half precision
CASES += [(odd, "spark") for odd in ("dates of no nanoseconds", "text beyond a NUL")]


@pytest.mark.parametrize(("odd", "engine"), CASES)
def test_as_in_memory(odd: str, engine: str, in_engine: Put) -> None:
    if (odd, engine) == ("numbers of half precision", "polars") and not hasattr(nw, "Float16"):
        pytest.skip("this narwhals does not know the type")
    made = table(odd=ODD[odd])
    X = made.drop(columns="y")
    if odd == "categories that are truth values" and engine != "dask":
        X["odd"] = X["odd"].astype(bool)  # as which other engines take them
    own = fit(X, made["y"])
    counted = fit(in_engine(engine, made), "y")
    assert digest(counted) == digest(own)
    assert (counted.predict_proba(X) == own.predict_proba(X)).all()


def test_dask_keeps_the_order_of_labels(in_engine: Put) -> None:
    """The probability that is shown is of the last one."""
    made = table(y=pd.Categorical(Y, ["well", "ill", "dead"]))
    own = fit(made[["size"]], made["y"])
    counted = fit(in_engine("dask", made), "y")
    assert counted.classes_.tolist() == own.classes_.tolist() == ["well", "ill"]
    assert digest(counted) == digest(own)


INFINITE = np.where(np.arange(N) < 7, np.inf, SIZE)
ERRORS = {
    "infinite": (table(odd=INFINITE), {}, "'odd' has 7 infinite values. Replace"),
    "one infinite": (
        table(odd=np.where(SIZE[0] == SIZE, SIZE, -np.inf)[np.arange(N)]),
        {},
        f"'odd' has {int((SIZE[0] != SIZE).sum())} infinite values. Replace",
    ),
    "not boolean": (
        table(odd=np.where(np.arange(N) < 9, 2, CODES > 0).astype(int)),
        {"kinds": {"odd": "boolean"}},
        "'odd' is boolean by kinds, but holds 2 and 8 more values that are neither 0 nor 1.",
    ),
    "one label": (table(y="ill"), {}, "'ill', in all 300 observations"),
    "not numeric": (table(odd=LEVELS), {"kinds": {"odd": "numeric"}}, "holds text such as '"),
    "text for dates": (
        table(odd=LEVELS),
        {"kinds": {"odd": "date"}},
        "Column 'odd' should be date, but holds text such as '",
    ),
}


@pytest.mark.parametrize("engine", ["dask", "duckdb"])
@pytest.mark.parametrize("error", ERRORS)
def test_errors_count_rows(error: str, engine: str, in_engine: Put) -> None:
    """Rather than groups of equal rows, whose numbers nobody knows."""
    made, settings, words = ERRORS[error]
    with pytest.raises(DataError) as caught:
        fit(in_engine(engine, made), "y", **settings)
    assert words in str(caught.value)
    assert "(row" not in str(caught.value)


@pytest.mark.parametrize("bad", [-1.0, np.inf])
def test_weights_that_cannot_be(bad: float, in_engine: Put) -> None:
    made = table(w=np.where(np.arange(N) < 5, bad, 1.0))
    with pytest.raises(DataError) as caught:
        fit(in_engine("duckdb", made), "y", "w")
    assert f"must be finite and not negative; 5 are not, such as {bad}." in str(caught.value)


@pytest.mark.parametrize("kind", ["dates", "durations", "times with a zone"])
def test_types_that_no_engine_cuts_are_named(kind: str, in_engine: Put) -> None:
    dask = pytest.importorskip("dask")
    days = pd.to_datetime("2020-01-01") + pd.to_timedelta(CODES, "D")
    made = {
        "dates": days.date,  # objects of Python
        "durations": pd.to_timedelta(CODES, "D"),
        "times with a zone": days.tz_localize("Europe/Vienna"),
    }[kind]
    with dask.config.set({"dataframe.convert-string": False}):
        frame = in_engine("dask", table(odd=made))
        with pytest.raises(DataError, match="Column 'odd'"):
            fit(frame, "y")
