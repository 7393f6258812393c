"""What runs each format that predicts: a new one fails the tests until it is named here."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from elseif.export.formats import export_model
from tests.export.engines import DECIMAL, bundled_cql, cql_rows, run_cql, run_feelin
from tests.export.running import (
    Answers,
    assert_agree,
    rows,
    run_duckdb,
    run_javascript,
    run_onnx,
    run_pmml,
    run_python,
    run_sqlite,
)


def _all_rows(model: Any, X: pd.DataFrame) -> pd.DataFrame:
    return X


@dataclass(frozen=True)
class Runner:
    """An engine, the error that its numbers have, and which rows it can be given."""

    format: str
    run: Callable[[Any, pd.DataFrame, Path], Answers]
    atol: float = 1e-12
    usable_rows: Callable[[Any, pd.DataFrame], pd.DataFrame] = _all_rows

    def assert_agrees(self, model: Any, X: pd.DataFrame, folder: Path) -> None:
        """The engine gives every row the line and the probabilities that Python gives it."""
        usable = self.usable_rows(model, X)
        assert len(usable) > len(X) / 10
        assert_agree(self.run(model, usable, folder), model, usable, self.atol)


def _run_bundle(model: Any, X: pd.DataFrame, folder: Path) -> Answers:
    return run_cql(model, X, source=bundled_cql(json.loads(str(export_model(model, "fhir")))))


RUNNERS = {
    "python": Runner("python", lambda model, X, folder: run_python(model, rows(X))),
    "node": Runner("javascript", lambda model, X, folder: run_javascript(model, rows(X), folder)),
    "duckdb": Runner("sql", lambda model, X, folder: run_duckdb(model, X)),
    "sqlite": Runner("sql", lambda model, X, folder: run_sqlite(model, X)),
    "pypmml": Runner("pmml", run_pmml),
    "onnxruntime": Runner("onnx", lambda model, X, folder: run_onnx(model, X)),
    "feelin": Runner("dmn", lambda model, X, folder: run_feelin(model, X)),
    "cql-execution": Runner(
        "cql", lambda model, X, folder: run_cql(model, X), DECIMAL, usable_rows=cql_rows
    ),
    "cql in FHIR": Runner("fhir", _run_bundle, DECIMAL, usable_rows=cql_rows),
}
