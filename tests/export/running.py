"""Every format run by what runs it, on the same rows."""

from __future__ import annotations

import json
import math
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import sqlglot

from elseif.export.formats import export_model
from elseif.export.plain import BOOLEAN, DATE, NUMBER, TEXT, plain_list
from elseif.export.sql import NAN_EQUAL
from elseif.report.calculator import calculator_page
from elseif.report.page import asset
from tests.browser.models import answer

Answers = tuple[np.ndarray, np.ndarray, list[Any]]  # probabilities, rules from 1, labels


def expected(model: Any, X: pd.DataFrame) -> Answers:
    """What Python says."""
    rule_list = model.chosen_list()
    places = rule_list.captured_by(X)
    return rule_list.predict_proba(X), places + 1, rule_list.predict(X).tolist()


def assert_agree(result: Answers, model: Any, X: pd.DataFrame, atol: float = 1e-12) -> None:
    """The same to 1e-12 where the format has as many digits, rule for rule, label for label."""
    shares, rules, labels = expected(model, X)
    np.testing.assert_array_equal(result[1], rules)
    np.testing.assert_allclose(result[0], shares, rtol=0, atol=atol)
    assert list(result[2]) == labels


def rows(X: pd.DataFrame) -> list[dict[str, Any]]:
    """Rows as Python values, None where missing; dates as ISO text."""
    columns = {}
    for name in X.columns:
        values = X[name]
        if pd.api.types.is_datetime64_any_dtype(values):
            columns[name] = [None if pd.isna(v) else v.isoformat() for v in values]
        else:
            columns[name] = [None if pd.isna(v) else _plain(v) for v in values]
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def run_python(model: Any, table: list[dict[str, Any]], **options: Any) -> Answers:
    """The function, made in a namespace of its own."""
    space: dict[str, Any] = {}
    source = export_model(model, "python", **options)
    exec(compile(source, "exported", "exec"), space)
    return _answers([space["predict"](row) for row in table])


def run_javascript(
    model: Any, table: list[dict[str, Any]], folder: Path, before: str = "", **options: Any
) -> Answers:
    """The script in node; `before` may change each row."""
    (folder / "model.js").write_text(str(export_model(model, "javascript", **options)), "utf-8")
    (folder / "rows.json").write_text(json.dumps(table), "utf-8")
    main = (
        'const { predict } = require("./model.js");'
        'const rows = JSON.parse(require("fs").readFileSync("rows.json", "utf8"));'
        f"for (const row of rows) {{ {before} }}"
        "console.log(JSON.stringify(rows.map(predict)));"
    )
    (folder / "main.js").write_text(main, "utf-8")
    done = subprocess.run(
        ["node", "main.js"], cwd=folder, capture_output=True, text=True, check=True
    )
    return _answers(json.loads(done.stdout))


def run_calculator(model: Any, X: pd.DataFrame, folder: Path) -> tuple[list[list[int]], np.ndarray]:
    """The calculator's own script in node: the lines possible for each row, and their shares."""
    page = calculator_page(model)
    data = page.split('<script type="application/json" id="data">')[1].split("</script>")[0]
    [shown] = json.loads(data)["models"]
    names = [column["name"] for column in shown["columns"]]
    cases = [[answer(model, name, row[name]) for name in names] for row in X.to_dict("records")]
    (folder / "model.json").write_text(json.dumps(shown), "utf-8")
    (folder / "cases.json").write_text(json.dumps(cases), "utf-8")
    main = (
        'const read = (name) => JSON.parse(require("fs").readFileSync(name, "utf8"));'
        'const model = read("model.json");'
        'const found = read("cases.json").map((answers) => assess(model, answers).possible);'
        "const risks = ([line]) => model.rules[line].labels.map((label) => label.risk);"
        "console.log(JSON.stringify([found, found.map(risks)]));"
    )
    (folder / "calculator.js").write_text(asset("calculator.js") + main, "utf-8")
    done = subprocess.run(
        ["node", "calculator.js"], cwd=folder, capture_output=True, text=True, check=True
    )
    lines, shares = json.loads(done.stdout)
    return lines, np.array(shares)


def _answers(results: list[dict[str, Any]]) -> Answers:
    return (
        np.array([r["probabilities"] for r in results]),
        np.array([r["rule"] for r in results]),
        [r["label"] for r in results],
    )


def run_duckdb(model: Any, X: pd.DataFrame, whole: bool = True, through: str = "duckdb") -> Answers:
    """SQL in DuckDB; that of another dialect is first translated."""
    connection = duckdb.connect()
    connection.execute("CREATE VIEW dual AS SELECT 1")  # as Oracle has it
    _fill_duckdb(connection, X, with_nan=through in NAN_EQUAL)
    if whole:
        query = str(export_model(model, "sql", dialect=through, table="person"))
    else:
        parts = export_model(model, "sql", dialect=through)
        query = f"SELECT {parts} FROM person"
    if through != "duckdb":
        tree = sqlglot.parse_one(query, read=through)
        # DuckDB compares text by its bytes, and does not know the others' words for that
        query = tree.transform(_without_bytes).sql(dialect="duckdb")
        if through == "tsql":  # whose FLOAT has 53 bits
            query = query.replace("AS REAL)", "AS DOUBLE)").replace("AS FLOAT)", "AS DOUBLE)")
    frame = connection.execute(query).df()
    assert connection.execute("SELECT count(*) FROM person").fetchone() == (len(X),)
    return _from_frame(frame, len(model.rule_list.classes))


def _without_bytes(node: Any) -> Any:
    """What is compared byte by byte, without saying so."""
    kinds = sqlglot.exp.DataType.Type
    while isinstance(node, sqlglot.exp.Collate) or (
        isinstance(node, sqlglot.exp.Cast) and node.to.this in (kinds.BINARY, kinds.CHARACTER_SET)
    ):
        node = node.this
    return node


def _fill_duckdb(connection: Any, X: pd.DataFrame, with_nan: bool) -> None:
    types = {"b": "BOOLEAN", "f": "DOUBLE", "i": "BIGINT", "M": "TIMESTAMP"}
    kinds = [X[name].dtype for name in X.columns]
    given = [types.get(getattr(k, "kind", "O"), "VARCHAR") for k in kinds]
    quoted = ['"' + name.replace('"', '""') + '"' for name in X.columns]
    columns = ", ".join(f"{n} {t}" for n, t in zip(quoted, given, strict=True))
    connection.execute(f"CREATE TABLE person ({columns})")
    marks = ", ".join("?" for _ in quoted)
    values = [list(row.values()) for row in rows(X)]
    nan = [i for i, k in enumerate(kinds) if getattr(k, "kind", "O") == "f"]
    for number, row in enumerate(values):  # half of the missing numbers are NaN, half NULL
        for i in nan:
            row[i] = math.nan if with_nan and row[i] is None and number % 2 else row[i]
    connection.executemany(f"INSERT INTO person VALUES ({marks})", values)


def run_sqlite(model: Any, X: pd.DataFrame, whole: bool = True) -> Answers:
    """SQL in SQLite."""
    connection = sqlite3.connect(":memory:")
    quoted = ['"' + name.replace('"', '""') + '"' for name in X.columns]
    connection.execute(f"CREATE TABLE person ({', '.join(quoted)})")
    marks = ", ".join("?" for _ in quoted)
    values = [list(row.values()) for row in rows(X)]
    connection.executemany(f"INSERT INTO person VALUES ({marks})", values)
    if whole:
        query = str(export_model(model, "sql", dialect="sqlite", table="person"))
    else:
        query = f"SELECT {export_model(model, 'sql', dialect='sqlite')} FROM person"
    cursor = connection.execute(query)
    names = [part[0] for part in cursor.description]
    frame = pd.DataFrame(cursor.fetchall(), columns=names)
    assert connection.execute("SELECT count(*) FROM person").fetchone() == (len(X),)
    connection.close()
    return _from_frame(frame, len(model.rule_list.classes))


def _from_frame(frame: pd.DataFrame, n_labels: int) -> Answers:
    names = [f"elseif_probability_{k}" for k in range(1, n_labels + 1)]
    return (
        frame[names].to_numpy(dtype=float),
        frame["elseif_rule"].to_numpy(),
        frame["elseif_label"].tolist(),
    )


def run_onnx(model: Any, X: pd.DataFrame, **options: Any) -> Answers:
    """The graph in onnxruntime."""
    content = export_model(model, "onnx", **options)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    properties = session.get_modelmeta().custom_metadata_map
    inputs = json.loads(properties["inputs"])
    sorts = plain_list(model).all_sorts
    given = {
        inputs[name]: onnx_input(X[name], sorts[name], json.loads(properties["missing_text"]))
        for name in inputs
    }
    shares, rules, labels = session.run(["probabilities", "rule", "label"], given)
    return shares, rules, labels.tolist()


def onnx_input(values: pd.Series, sort: str, missing_text: str = "") -> np.ndarray:
    """A column as the graph takes it."""
    if sort == TEXT:
        texts = [missing_text if pd.isna(v) else v for v in values]
        return np.array(texts, dtype=object).reshape(-1, 1)
    return numbers(values, sort).reshape(-1, 1)


def numbers(values: pd.Series, sort: str) -> np.ndarray:
    """Numbers, truth values and dates as doubles, NaN where missing."""
    if sort == DATE:
        whole = values.to_numpy().astype("datetime64[us]").astype(np.int64)
        return np.where(values.isna(), np.nan, whole / 1e6)
    assert sort in (NUMBER, BOOLEAN)
    return values.astype(object).where(values.notna(), np.nan).to_numpy().astype(np.float64)


def run_pmml(model: Any, X: pd.DataFrame, folder: Path) -> Answers:
    """The document in pypmml, which is a Java program."""
    from pypmml import Model as PmmlModel

    path = folder / "model.pmml"
    path.write_text(str(export_model(model, "pmml")), "utf-8")
    loaded = PmmlModel.load(str(path))
    sorts = plain_list(model).sorts
    columns = {}
    for name, sort in sorts.items():
        if sort in (NUMBER, DATE):
            columns[name] = [None if math.isnan(v) else v for v in numbers(X[name], sort).tolist()]
        else:
            columns[name] = [None if pd.isna(v) else _plain(v) for v in X[name]]
    table = [{name: values[i] for name, values in columns.items()} for i in range(len(X))]
    results = [loaded.predict(row) for row in table]
    n_labels = len(model.rule_list.classes)
    names = [f"elseif_probability_{k}" for k in range(1, n_labels + 1)]
    return (
        np.array([[float(r[name]) for name in names] for r in results]),
        np.array([int(r["elseif_rule"]) for r in results]),
        [r["elseif_predicted"] for r in results],
    )
