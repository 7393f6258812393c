"""The same table in every engine, and what tells two fits apart."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier
from tests.cohort.engines import NotHere, spark_session

ENGINES = ("polars", "duckdb", "ibis", "dask", "spark")


def mixed_table(n: int = 1500) -> pd.DataFrame:
    """Columns of every kind with missing values, labels and weights."""
    rng = np.random.default_rng(1)
    age = np.where(rng.random(n) < 0.1, np.nan, rng.normal(60, 12, n).round(1))
    smoker = (rng.random(n) < 0.3).astype(int)
    days = pd.to_timedelta(rng.integers(0, 900, n), "D")
    risk = 0.15 + 0.3 * (np.nan_to_num(age, nan=60) > 65) + 0.2 * smoker
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["male", "female", None], n, p=[0.5, 0.45, 0.05]),
            "systolic": rng.normal(140, 20, n).round().astype(int),
            "smoker": smoker,
            'ward\'s "name"': rng.choice(["A", "B; C", "ü"], n),
            "admitted": pd.to_datetime("2020-01-01") + days,
            "prior stroke": rng.random(n) < 0.4,
            "patient id": np.arange(n) + 100_000,
            "outcome": np.where(rng.random(n) < risk, "ill", "well"),
            "weight": rng.integers(1, 5, n),
        }
    )


@pytest.fixture(scope="session")
def in_engine(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, pd.DataFrame], Any]:
    """Hand a table to an engine, which has yet to compute it."""
    sessions: dict[str, Any] = {}

    def put(engine: str, table: pd.DataFrame) -> Any:
        if engine == "polars":
            import polars as pl

            return pl.from_pandas(table).lazy()
        if engine == "duckdb":
            import duckdb

            connection = sessions.setdefault(engine, duckdb.connect())
            return connection.from_df(table)
        if engine == "ibis":
            import ibis

            backend = sessions.setdefault(engine, ibis.duckdb.connect())
            return backend.create_table(f"t{len(backend.list_tables())}", table)
        if engine == "dask":
            import dask.dataframe as dd

            return dd.from_pandas(table, npartitions=3)
        if engine not in sessions:
            sessions[engine] = _spark_or_skip(tmp_path_factory.mktemp("spark"))
        session = sessions[engine]
        rows = table.astype(object).where(table.notna(), None)
        names = [f"`{name}` {_spark_type(table[name])}" for name in table.columns]
        plain = [
            [v.to_pydatetime() if isinstance(v, pd.Timestamp) else v for v in row]
            for row in rows.to_numpy().tolist()
        ]
        return session.createDataFrame(plain, ", ".join(names))

    return put


def _spark_or_skip(folder: Path) -> Any:
    try:
        return spark_session(folder)
    except NotHere as error:
        if os.environ.get("CI"):
            pytest.fail(str(error))
        pytest.skip(str(error))


def _spark_type(column: pd.Series) -> str:
    kinds = {"f": "double", "i": "bigint", "b": "boolean", "M": "timestamp_ntz", "O": "string"}
    return kinds[column.dtype.kind]


def digest(classifier: BayesianRuleListClassifier) -> str:
    """SHA-256 of everything that a fit draws and concludes."""
    posterior = classifier.posterior_
    lists = posterior.lists()
    parts = [
        str(classifier.rule_list_),
        str(classifier.map_rule_list_),
        repr(classifier.n_iter_),
        repr([antecedent.name for antecedent in classifier.pool_]),
        lists.to_csv(),
        repr(posterior.inclusion()),
        repr(classifier.convergence_.sentence()),
        repr(classifier.fit_report_.columns),
    ]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
