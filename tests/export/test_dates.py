"""Dates in exports: read as the classifier reads them, and refused where they are none."""

from __future__ import annotations

import datetime
import json
import sqlite3
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import ModelMetadata, make_rule_list
from elseif.tables.columns import Kind
from tests.export.tables import every_operator, model_of

CUT = np.datetime64("2020-01-03", "us")
# texts, and the time that they mean: all lie around the cut
TEXTS = {
    "2020-01-02": "2020-01-02",
    "2020-01-03": "2020-01-03",
    "2020-01-03T00:00": "2020-01-03",
    "2020-01-03 00:00:00": "2020-01-03",
    "2020-01-03T00:00:00Z": "2020-01-03",
    "2020-01-03 00:00Z": "2020-01-03",
    "2020-01-03T00:00:00.000000Z": "2020-01-03",
    "2020-01-03T00:00:00.0000009": "2020-01-03",
    "2020-01-03T00:00:00.000001": "2020-01-03T00:00:00.000001",
    "2020-01-03T00:00:00.000001Z": "2020-01-03T00:00:00.000001",
    "2020-01-03T02:00:00+02:00": "2020-01-03",
    "2020-01-03T01:59:59.999999+02:00": "2020-01-02T23:59:59.999999",
    "2020-01-02T22:00-02:00": "2020-01-03",
    "2020-01-02 18:30:00.5-05:30": "2020-01-03T00:00:00.5",
    "2020-01-03T23:59+14:00": "2020-01-03T09:59",
    "0001-01-01": "0001-01-01",
    "9999-12-31T23:59:59.999999": "9999-12-31T23:59:59.999999",
}
NO_DATES = [
    "yesterday", "now", "today", "03.01.2020", "01/03/2020", "2020", "2020-01", "2020-1-3",
    "2020-02-30", "2019-02-29", "2020-13-01", "2020-00-10", "2020-01-03 1", "2020-01-03T24:00",
    "2020-01-03T10:60", "2020-01-03T10:10:60", "2020-01-03Z", "2020-01-03T10Z", "20200103",
    "2020-W01-1", " 2020-01-03", "2020-01-03 ", "2020-01-03\n", "2020-01-03T00:00:00.", "",
    "2020-01-03T00:00:00.5x", "2020-01-03T10:10+25:00", "2020-01-03T10:10+02:99", "0000-01-01",
    "2020-01-03T10:10 Europe/Berlin", "２０２０-01-03", "2458849.5", "2020-01-03T00:00ZZ",
]  # fmt: skip


@pytest.fixture(scope="module")
def model() -> FittedModel:
    """A rule for each side of a day, one for the day itself, and one for no date."""
    parts = [("<", CUT), ("=", CUT), (">", CUT), ("is missing", None)]
    antecedents = [Antecedent([Condition("visit", *part)]) for part in parts]
    counts = np.arange(10).reshape(5, 2) ** 2
    kinds = {"visit": Kind.DATE}
    metadata = ModelMetadata(np.array(["no", "yes"], dtype=object), np.ones(2), kinds)
    rule_list = make_rule_list(antecedents, counts, metadata)
    whole = model_of(every_operator())
    return replace(
        whole,
        rule_list=rule_list,
        map_rule_list=rule_list,
        fit_report=replace(whole.fit_report, columns=(ColumnReport("visit", Kind.DATE),)),
        feature_names=["visit"],
        n_features=1,
    )


@pytest.fixture(scope="module")
def predict(model: FittedModel) -> Any:
    """The Python export."""
    space: dict[str, Any] = {}
    exec(str(export_model(model, "python")), space)
    return space["predict"]


def expected(model: FittedModel, times: list[Any]) -> list[int]:
    """The rules that the classifier's own list says."""
    frame = pd.DataFrame({"visit": np.array(times, dtype="datetime64[us]")})
    return (model.rule_list.captured_by(frame) + 1).tolist()


def in_node(model: FittedModel, texts: list[Any], folder: Path, each: str = "") -> list[Any]:
    """Rules, or "error"."""
    (folder / "model.js").write_text(str(export_model(model, "javascript")), "utf-8")
    (folder / "texts.json").write_text(json.dumps(texts), "utf-8")
    (folder / "main.js").write_text(
        'const { predict } = require("./model.js");'
        'const texts = JSON.parse(require("fs").readFileSync("texts.json", "utf8"));'
        f"const told = (value) => {{ {each} return value; }};"
        "const rule = (visit) => { try { return predict({ visit: told(visit) }).rule; }"
        ' catch (error) { return error instanceof TypeError ? "error" : "bug"; } };'
        "console.log(JSON.stringify(texts.map(rule)));",
        "utf-8",
    )
    done = subprocess.run(
        ["node", "main.js"], cwd=folder, capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def in_sqlite(model: FittedModel, texts: list[Any]) -> list[Any]:
    """Rules, or "error"; each row by itself, for an error ends a query."""
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE person (visit)")
    query = str(export_model(model, "sql", dialect="sqlite", table="person"))
    rules: list[Any] = []
    for text in texts:
        connection.execute("DELETE FROM person")
        connection.execute("INSERT INTO person VALUES (?)", (text,))
        try:
            names = [part[0] for part in connection.execute(query).description]
            (row,) = connection.execute(query).fetchall()
            rules.append(dict(zip(names, row, strict=True))["elseif_rule"])
        except sqlite3.OperationalError as error:
            rules.append("error" if "no ISO date: " in str(error) else str(error))
    connection.close()
    return rules


@pytest.mark.fault(
    "",
    "text that is not an ISO date in the Python, JavaScript and SQLite exports",
    "an error, never a prediction",
)
def test_iso_texts_mean_the_same_everywhere(
    model: FittedModel, predict: Any, tmp_path: Path
) -> None:
    """With a zone or without one, on the day of the cut and around it."""
    rules = expected(model, list(TEXTS.values()))
    assert set(rules) == {1, 2, 3}
    assert [predict({"visit": text})["rule"] for text in TEXTS] == rules
    assert in_node(model, list(TEXTS), tmp_path) == rules
    assert in_sqlite(model, list(TEXTS)) == rules
    assert in_sqlite(model, [None]) == in_node(model, [None], tmp_path) == [4]


@pytest.mark.parametrize("text", NO_DATES)
def test_what_is_no_iso_date_is_an_error_in_python(predict: Any, text: str) -> None:
    with pytest.raises(ValueError, match=r"expected an ISO date|day|month|hour|minute|second|year"):
        predict({"visit": text})


def test_what_is_no_iso_date_is_an_error_elsewhere(model: FittedModel, tmp_path: Path) -> None:
    """Never an answer."""
    assert in_node(model, NO_DATES, tmp_path) == ["error"] * len(NO_DATES)
    assert in_sqlite(model, NO_DATES) == ["error"] * len(NO_DATES)
    assert in_sqlite(model, [2458849.5, 1577836800]) == ["error", "error"]
    assert in_node(model, [True, {}, []], tmp_path) == ["error"] * 3
    assert in_node(model, [1], tmp_path, "return new Date(NaN);") == [4]
    assert in_node(model, [1], tmp_path, "return Infinity;") == ["error"]


def test_dates_of_python_numpy_and_pandas(model: FittedModel, predict: Any) -> None:
    """A day is its midnight; a zone is told off; a unit is no matter."""
    berlin = datetime.timezone(datetime.timedelta(hours=1))
    dates: list[Any] = [
        datetime.date(2020, 1, 2),
        datetime.date(2020, 1, 3),
        datetime.datetime(2020, 1, 3, 0, 0, 0, 1),
        datetime.datetime(2020, 1, 3, 1, tzinfo=berlin),
        datetime.datetime(2020, 1, 3, 0, 59, tzinfo=berlin),
        np.datetime64("2020"),
        np.datetime64("2020-02"),
        np.datetime64("2020-01-03"),
        np.datetime64("2020-01-03T00:00:00.000000001", "ns"),
        np.datetime64("12020-01-03"),
        np.datetime64("-2020-01-03"),
        np.datetime64("NaT", "us"),
        pd.NaT,
        pd.Timestamp("2020-01-03"),
        pd.Timestamp("2020-01-03T00:00", tz="Asia/Tokyo"),
        pd.Timestamp("2020-01-03T09:00", tz="Asia/Tokyo"),
    ]
    for date in dates:
        frame = pd.DataFrame({"visit": pd.Series([date, CUT], dtype=object)})
        (rule, _) = model.rule_list.captured_by(frame) + 1
        assert predict({"visit": date})["rule"] == rule, date
    for odd in (20200103, 1577836800.0, True, datetime.time(3), b"2020-01-03"):
        with pytest.raises(TypeError):
            predict({"visit": odd})
    with pytest.raises(ValueError, match="microseconds can count"):
        predict({"visit": np.datetime64(400_000, "Y")})
