"""Exported DMN and CQL, run by engines of Node and by pyDMNrules."""

from __future__ import annotations

import atexit
import base64
import datetime
import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from elseif.export.dmn import NAMESPACE
from elseif.export.formats import export_model
from elseif.export.plain import BOOLEAN, DATE, NUMBER, plain_list
from tests.export.running import Answers, rows

NODE = Path(__file__).parent / "node"
DECIMAL = 5e-9  # half of the last place of CQL's decimals, of which there are eight


class Engines:
    """One Node process for all requests, which loads what it needs once."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            ["node", "run.mjs"],
            cwd=NODE,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        atexit.register(self.process.terminate)

    def run(
        self, kind: str, text: str, table: list[dict[str, Any]], dates: list[str], **more: Any
    ) -> Any:
        request = {"kind": kind, "text": text, "rows": table, "dates": dates, **more}
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer, answer["error"]
        return answer["answers"]


@cache
def _engines() -> Engines:
    return Engines()


def engines() -> Engines:
    """The engines; where they are not installed the test is skipped, but in CI it fails."""
    if (NODE / "node_modules").is_dir() and shutil.which("node"):
        return _engines()
    reason = "The engines of CQL and DMN are not installed: run scripts/install_for_tests.sh."
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def typed_rows(model: Any, X: pd.DataFrame, which: str | None = None) -> list[dict[str, Any]]:
    """Rows of the columns that a list looks at; 1 and 0 of boolean columns are true and false."""
    plain = plain_list(model, which)
    table = [{name: row[name] for name in plain.sorts} for row in rows(X)]
    for row in table:
        for name, sort in plain.sorts.items():
            if sort == BOOLEAN and row[name] in (0, 1):
                row[name] = bool(row[name])
    return table


def _answers(result: list[dict[str, Any]], n_labels: int) -> Answers:
    shares = [[row[f"elseif_probability_{k + 1}"] for k in range(n_labels)] for row in result]
    return (
        np.array(shares, dtype=float),
        np.array([int(row["elseif_rule"]) for row in result]),
        [row["elseif_label"] for row in result],
    )


# ---------------------------------------------------------------------------------------- DMN


def run_feelin(model: Any, X: pd.DataFrame, which: str | None = None) -> Answers:
    """The table as dmn-moddle reads it, its cells evaluated by feelin."""
    plain = plain_list(model, which)
    dates = [name for name, sort in plain.sorts.items() if sort == DATE]
    text = str(export_model(model, "dmn", which=which))
    ended = engines().run("dmn", text, typed_rows(model, X, which), dates)
    return _answers(ended, len(plain.labels))


def run_pydmnrules(model: Any, X: pd.DataFrame, which: str | None = None) -> Answers:
    """The table in pyDMNrules."""
    from pyDMNrules import DMN

    text = str(export_model(model, "dmn", which=which))
    engine = DMN()
    status = engine.useXML(text)
    assert "errors" not in status, status
    plain = plain_list(model, which)
    outcome = []
    for row in typed_rows(model, X, which):
        for name, sort in plain.sorts.items():
            if sort == DATE and row[name] is not None:
                row[name] = datetime.datetime.fromisoformat(row[name])
        status, decided = engine.decide(row)
        assert "errors" not in status, (status, row)
        last = decided[-1] if isinstance(decided, list) else decided
        result = {name.split(".")[-1]: value for name, value in last["Result"].items()}
        outcome.append(result)
    return _answers(outcome, len(plain.labels))


def cells(text: str) -> list[list[str]]:
    """The conditions of a decision table, rule by rule."""
    root = ET.fromstring(text)
    inside = {"d": NAMESPACE}
    return [
        [str(cell.text) for cell in rule.iterfind("d:inputEntry/d:text", inside)]
        for rule in root.iterfind(".//d:rule", inside)
    ]


# ---------------------------------------------------------------------------------------- CQL


def cql_rows(model: Any, X: pd.DataFrame) -> pd.DataFrame:
    """The rows as CQL can have them: eight decimals, milliseconds, true or false or null."""
    sorts = plain_list(model).all_sorts
    X = X.copy()
    fits = np.ones(len(X), dtype=bool)
    for name in X.columns:
        if sorts[name] == DATE:
            X[name] = X[name].dt.floor("ms")
        elif sorts[name] == NUMBER and X[name].dtype.kind == "f":
            X[name] = X[name].round(8)
        elif sorts[name] == BOOLEAN:  # a 2 is no truth value
            fits &= (X[name].isna() | X[name].isin([0, 1])).to_numpy(dtype=bool)
    return X[fits]


def run_cql(
    model: Any, X: pd.DataFrame, which: str | None = None, source: str | None = None
) -> Answers:
    """The library compiled by cqframework's translator and run by cql-execution."""
    plain = plain_list(model, which)
    dates = [name for name, sort in plain.sorts.items() if sort == DATE]
    table = typed_rows(model, X, which)
    for row in table:
        for name in dates:
            if row[name] is not None:
                time = datetime.datetime.fromisoformat(row[name])
                row[name] = f"{time.isoformat(timespec='milliseconds')}+00:00"
    source = source or str(export_model(model, "cql", which=which))
    return _answers(engines().run("cql", source, table, dates), len(plain.labels))


def bundled_cql(bundle: dict[str, Any]) -> str:
    """The CQL inside a Bundle."""
    (library,) = [
        entry["resource"]
        for entry in bundle["entry"]
        if entry["resource"]["resourceType"] == "Library"
    ]
    (content,) = library["content"]
    assert content["contentType"] == "text/cql"
    return base64.b64decode(content["data"]).decode("utf-8")
