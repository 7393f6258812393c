"""Every export is run by what runs it, and says what Python says."""

from __future__ import annotations

import datetime
import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pandas as pd
import pytest
import sqlglot

import elseif
from elseif import BayesianRuleListClassifier, export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import ExportError, FileExistsAlreadyError, ParamError
from elseif.export.formats import FORMATS, export_file
from elseif.export.model_file import model_from_bytes
from elseif.export.plain import plain_list
from elseif.export.sql import DIALECTS
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.rule_list import make_rule_list
from tests.browser.models import model_of as fitted_by_hand
from tests.export.runners import RUNNERS
from tests.export.running import (
    assert_agree,
    expected,
    rows,
    run_duckdb,
    run_javascript,
    run_onnx,
    run_pmml,
    run_python,
    run_sqlite,
)
from tests.export.tables import (
    CITIES,
    HOSTILE,
    NAMES,
    STAGES,
    TWINS,
    conditions,
    every_operator,
    frame,
    model_of,
)

STARTS = (0, 7, 14)
THREE = ("no", "yes", "perhaps")
SQLITE_STEPS = {"blank", "zone", "time", "whole", "a", "b", "c", "e"}  # of reading a date


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    """1,000 rows of all kinds, some values missing, some at the cut points."""
    return frame(1000, seed=5)


@pytest.fixture(scope="module", params=STARTS)
def model(request: pytest.FixtureRequest) -> FittedModel:
    """Every operator, three labels; each third of the rules comes first once."""
    return model_of(every_operator(labels=THREE, start=request.param))


def test_the_rows_try_every_rule(X: pd.DataFrame) -> None:
    """Each antecedent fires in one of the three lists, and the default rule too."""
    fired: set[Any] = set()
    for start in STARTS:
        rule_list = every_operator(start=start)
        fired |= {rule_list.rules[index].antecedent for index in rule_list.captured_by(X)}
    assert len(fired) == len(conditions()) + 1


def test_python(model: FittedModel, X: pd.DataFrame) -> None:
    """In an empty namespace, on plain values, and on pandas' own with its own missing ones."""
    assert_agree(run_python(model, rows(X)), model, X)
    assert_agree(run_python(model, X.to_dict("records")), model, X)
    with_na = X.astype({"city": "string", "stage": "string"}).convert_dtypes()
    assert_agree(run_python(model, with_na.to_dict("records")), model, X)


def test_javascript(model: FittedModel, X: pd.DataFrame, tmp_path: Path) -> None:
    """In node: null, undefined and NaN are missing; dates are ISO text or Dates."""
    table = rows(X)
    assert_agree(run_javascript(model, table, tmp_path), model, X)
    absent = "for (const name in row) if (row[name] === null) delete row[name];"
    assert_agree(run_javascript(model, table, tmp_path, absent), model, X)
    nan = "for (const name in row) if (row[name] === null) row[name] = NaN;"
    assert_agree(run_javascript(model, table, tmp_path, nan), model, X)
    # a Date has milliseconds, so rows with a lone microsecond are left out
    whole = (X["visit"].isna() | (X["visit"].dt.microsecond == 0)).to_numpy()
    dates = 'if (row.visit !== null) row.visit = new Date(row.visit + "Z");'
    kept = [row for row, keep in zip(table, whole, strict=True) if keep]
    assert_agree(run_javascript(model, kept, tmp_path, dates), model, X[whole])
    times = dates + "if (row.visit !== null) row.visit = row.visit.getTime();"
    assert_agree(run_javascript(model, kept, tmp_path, times), model, X[whole])


@pytest.mark.parametrize("whole", [True, False], ids=["select", "expressions"])
def test_sql(model: FittedModel, X: pd.DataFrame, whole: bool) -> None:
    """In DuckDB, where a missing number is NULL or NaN, and in SQLite."""
    assert_agree(run_duckdb(model, X, whole), model, X)
    assert_agree(run_sqlite(model, X, whole), model, X)


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d not in ("duckdb", "sqlite")])
def test_other_dialects_of_sql(dialect: str, X: pd.DataFrame) -> None:
    """Each can be parsed as what it claims to be, and says the same once translated."""
    model = model_of(every_operator(labels=THREE))
    text = str(export_model(model, "sql", dialect=dialect, table=("main", "person")))
    sqlglot.parse_one(text, read=dialect, error_level=sqlglot.ErrorLevel.RAISE)
    assert_agree(run_duckdb(model, X, through=dialect), model, X)


def test_pmml(model: FittedModel, X: pd.DataFrame, tmp_path: Path) -> None:
    """In pypmml; missing values are None."""
    assert_agree(run_pmml(model, X, tmp_path), model, X)


def test_onnx(model: FittedModel, X: pd.DataFrame) -> None:
    """In onnxruntime; a missing text may be any that is told."""
    assert_agree(run_onnx(model, X), model, X)
    assert_agree(run_onnx(model, X, missing_text="(none)"), model, X)


@pytest.mark.parametrize(
    "labels",
    [
        np.array([False, True]),
        np.array([0, 1, 7]),
        np.array([0.5, 1.5]),
        np.array([-2, 3]),
        np.array([0, 10**30], dtype=object),
        np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"),
    ],
    ids=["truth", "whole", "float", "negative", "huge", "dates"],
)
def test_labels_of_all_types(labels: np.ndarray, tmp_path: Path) -> None:
    """Labels come out as what they are, or as text where a language has no such type."""
    X = frame(60, seed=2)
    model = model_of(every_operator(labels=labels))
    shares, rules, wanted = expected(model, X)
    as_text = [str(label) for label in wanted]
    is_huge = labels.dtype == object
    if labels.dtype.kind == "M":
        wanted = as_text
    for result, right in (
        (run_python(model, rows(X)), wanted),
        (run_javascript(model, rows(X), tmp_path), as_text if is_huge else wanted),
        (run_onnx(model, X), as_text if is_huge else wanted),
    ):
        assert result[2] == right
        assert [type(a) for a in result[2]] == [type(a) for a in right]
        np.testing.assert_allclose(result[0], shares, rtol=0, atol=1e-12)
        np.testing.assert_array_equal(result[1], rules)
    if not is_huge:  # DuckDB's widest number has 128 bits, pandas' 64
        assert run_duckdb(model, X)[2] == wanted
        assert run_sqlite(model, X)[2] == wanted
    predicted = run_pmml(model, X, tmp_path)
    np.testing.assert_allclose(predicted[0], shares, rtol=0, atol=1e-12)
    assert [str(a).lower() for a in predicted[2]] == [str(a).lower() for a in as_text]


def test_a_fitted_classifier(
    classifier: BayesianRuleListClassifier, X: pd.DataFrame, tmp_path: Path
) -> None:
    """What was learnt, rather than made up; and the most probable list when asked for."""
    model = as_model(classifier)
    assert_agree(run_python(classifier, rows(X)), model, X)
    assert_agree(run_javascript(classifier, rows(X), tmp_path), model, X)
    assert_agree(run_duckdb(model, X), model, X)
    assert_agree(run_sqlite(model, X), model, X)
    assert_agree(run_onnx(model, X), model, X)
    assert_agree(run_pmml(model, X, tmp_path), model, X)
    result = run_python(classifier, rows(X), which="map")
    wanted = classifier.map_rule_list_.predict_proba(X)
    np.testing.assert_allclose(result[0], wanted, rtol=0, atol=1e-12)


def test_only_the_default_rule(X: pd.DataFrame, tmp_path: Path) -> None:
    """A list of one line is true of everybody."""
    from elseif.posterior.rule_list import RuleList

    whole = every_operator()
    model = model_of(RuleList(whole.rules[-1:], whole.metadata))
    X = X[:20]
    assert_agree(run_python(model, rows(X)), model, X)
    assert_agree(run_javascript(model, rows(X), tmp_path), model, X)
    assert_agree(run_duckdb(model, X), model, X)
    assert_agree(run_duckdb(model, X, whole=False), model, X)
    assert_agree(run_sqlite(model, X), model, X)
    assert_agree(run_onnx(model, X), model, X)
    assert_agree(run_pmml(model, X, tmp_path), model, X)
    for format_name in ("text", "markdown", "latex"):
        assert "always" in str(export_model(model, format_name))


def test_categories_that_fit_did_not_see(X: pd.DataFrame, tmp_path: Path) -> None:
    """No condition is true of them, not even "!="."""
    X = X[:200].copy()
    rng = np.random.default_rng(0)
    city = X["city"].astype(object)
    city[rng.random(200) < 0.5] = "Ulm"
    X["city"] = city
    X["stage"] = X["stage"].astype(object).where(rng.random(200) < 0.7, "V")
    X["ward"] = X["ward"].astype(object).where(rng.random(200) < 0.7, 99).astype("Int64")
    for start in STARTS:
        model = model_of(every_operator(start=start))
        assert_agree(run_python(model, rows(X)), model, X)
        assert_agree(run_javascript(model, rows(X), tmp_path), model, X)
        assert_agree(run_duckdb(model, X), model, X)
        assert_agree(run_sqlite(model, X), model, X)
        assert_agree(run_onnx(model, X), model, X)
        assert_agree(run_pmml(model, X, tmp_path), model, X)


def test_infinite_numbers() -> None:
    """They are beyond every cut, and not missing."""
    X = frame(100, seed=8, missing=0)
    X.loc[::2, "age"] = np.inf
    X.loc[::3, "age"] = -np.inf
    model = model_of(every_operator(start=6))
    from elseif.tables.reading import read_table

    wanted = model.rule_list.predict_proba(read_table(X, allow_infinite=True))
    table = rows(X)
    for result in (
        run_python(model, table),
        run_duckdb(model, X),
        run_sqlite(model, X),
        run_onnx(model, X),
    ):
        np.testing.assert_allclose(result[0], wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", [name for name, f in FORMATS.items() if f.predicts])
def test_a_category_that_is_infinite_is_refused(name: str) -> None:
    """No code is better than code that does not run."""
    X = pd.DataFrame({"x": [1.0, np.inf] * 30})
    classifier = BayesianRuleListClassifier(
        kinds={"x": "category"},
        infinite="outer",
        antecedents=[(("x", "=", np.inf),)],
        expected_length=1,
        n_iter=1000,
        random_state=0,
    ).fit(X, [0, 1] * 29 + [1, 0])
    with pytest.raises(ExportError, match="compares with inf"):
        export_model(classifier, name)


# ------------------------------------------------------------------ hostile names


@pytest.mark.parametrize("twin", TWINS, ids=["composed", "decomposed"])
def test_hostile_names_everywhere(twin: str, tmp_path: Path) -> None:
    """Names, categories and labels that mean harm do none, and come through unchanged."""
    names = (*HOSTILE[:6], HOSTILE[6][: -len(twin)] + twin)
    X = frame(300, seed=6, names=names)
    model = model_of(every_operator(names, labels=(HOSTILE[1], twin, HOSTILE[5])))
    assert_agree(run_python(model, rows(X)), model, X)
    assert_agree(run_javascript(model, rows(X), tmp_path), model, X)
    assert_agree(run_duckdb(model, X), model, X)
    assert_agree(run_sqlite(model, X), model, X)
    assert_agree(run_onnx(model, X), model, X)
    assert_agree(run_pmml(model, X, tmp_path), model, X)


@pytest.mark.filterwarnings("ignore:Columns .* look alike")
def test_twins_stay_apart(tmp_path: Path) -> None:
    """Two names that look the same are two columns in every language."""
    names = (*TWINS, *NAMES[2:])
    X = frame(300, seed=6, names=names)
    model = model_of(every_operator(names))
    assert_agree(run_python(model, rows(X)), model, X)
    assert_agree(run_javascript(model, rows(X), tmp_path), model, X)
    assert_agree(run_duckdb(model, X), model, X)
    assert_agree(run_sqlite(model, X), model, X)
    assert_agree(run_onnx(model, X), model, X)
    assert_agree(run_pmml(model, X, tmp_path), model, X)


def test_hostile_names_in_scripts() -> None:
    """Nothing in a script ends it, hides in it, or turns its direction."""
    model = model_of(every_operator(HOSTILE, labels=("</script>", "*/ --> \u2028")))
    script = str(export_model(model, "javascript"))
    assert script.isascii() or not set("\u202e\u2028\u200b") & set(script)
    code = "\n".join(line for line in script.splitlines() if "row[" in line or "label" in line)
    assert "<img" not in code
    assert "</script" not in script
    source = str(export_model(model, "python"))
    assert not set("\u202e\u2028\u200b") & set(source)
    assert source.count("\n") == str(export_model(model_of(every_operator()), "python")).count("\n")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_in_every_dialect(dialect: str) -> None:
    """Names and texts are quoted whole: read back, they are what they were."""
    labels = (HOSTILE[1], "\\", "'; DROP TABLE person; --", "\\'", "new\nline", "`]")
    names = tuple(name for name in HOSTILE[:6] if dialect != "bigquery" or "`" not in name)
    names = tuple(name for name in names if dialect != "bigquery" or "\n" not in name)
    names = tuple(name for name in names if dialect != "oracle" or '"' not in name)
    names = (*names, *NAMES)[:7]
    model = model_of(every_operator(names, labels=labels))
    text = str(export_model(model, "sql", dialect=dialect, table="person"))
    (tree,) = sqlglot.parse(text, read=dialect)  # one statement, and no more
    assert isinstance(tree, sqlglot.exp.Select)
    assert not list(tree.find_all(sqlglot.exp.Drop))
    result = {i.this for i in tree.find_all(sqlglot.exp.Identifier)}
    assert set(names) <= result
    own = {"person", "scored", "new_names", "elseif_rule", "elseif_label"}
    own |= {"oracle": {"DUAL"}, "sqlite": SQLITE_STEPS}.get(dialect, set())
    own |= {f"elseif_probability_{k}" for k in range(1, 7)}
    assert result <= set(names) | own
    strings = {s.this for s in tree.find_all(sqlglot.exp.Literal) if s.is_string}
    strings |= {s.this for s in tree.find_all(sqlglot.exp.National)}
    used = {labels[int(np.argmax(rule.probabilities))] for rule in model.rule_list.rules}
    assert used | set(CITIES) | set(STAGES) <= strings


@pytest.mark.parametrize(
    ("text", "quoted"),
    [("\\", r"'\\'"), ("\\'", r"'\\\'|'\\'''"), ("a'b", r"'a\'b'|'a''b'")],
)
def test_dialects_with_backslashes(text: str, quoted: str) -> None:
    """Where a backslash escapes, it is escaped: no text can end its own quotes."""
    for dialect in ("mysql", "bigquery", "spark", "databricks", "snowflake"):
        model = model_of(every_operator(labels=(text, "b")))
        sql = str(export_model(model, "sql", dialect=dialect))
        assert any(way in sql for way in quoted.split("|")), dialect
    for dialect in ("duckdb", "sqlite", "postgres", "oracle", "tsql", "trino"):
        sql = str(
            export_model(model_of(every_operator(labels=(text, "b"))), "sql", dialect=dialect)
        )
        assert "'" + text.replace("'", "''") + "'" in sql, dialect


def test_names_that_a_database_cannot_have() -> None:
    """Are refused with the way out, which is to give them others."""
    long = model_of(every_operator((*NAMES[:6], "é" * 40)))
    with pytest.raises(ExportError, match=r"80 bytes; postgres has names of at most 63.*columns="):
        export_model(long, "sql", dialect="postgres")
    renamed = str(export_model(long, "sql", dialect="postgres", columns={"é" * 40: "fever"}))
    assert '"fever"' in renamed
    assert "é" not in renamed
    with pytest.raises(ExportError, match="NUL"):
        export_model(model_of(every_operator(("a\0b", *NAMES[1:]))), "sql")
    with pytest.raises(ExportError, match="NUL"):
        export_model(model_of(every_operator(labels=("a\0b", "c"))), "sql")
    with pytest.raises(ExportError, match="BigQuery"):
        export_model(model_of(every_operator(("a`b", *NAMES[1:]))), "sql", dialect="bigquery")
    with pytest.raises(ExportError, match="NUL"):
        export_model(model_of(every_operator()), "sql", table="a\0")
    with pytest.raises(ParamError, match="one to three parts"):
        export_model(model_of(every_operator()), "sql", table=("a", "b", "c", "d"))
    with pytest.raises(ParamError, match="no column 'x'"):
        export_model(model_of(every_operator()), "sql", columns={"x": "y"})
    with pytest.raises(ParamError, match="two columns of the model would be 'age'"):
        export_model(model_of(every_operator()), "sql", columns={"fever": "age"})
    with pytest.raises(ParamError, match=r"dialect is 'excel'.*trino\.$"):
        export_model(model_of(every_operator()), "sql", dialect="excel")


@pytest.mark.parametrize(
    ("written", "known"),
    [
        ("mssql", "tsql"), ("sqlserver", "tsql"), ("SQL Server", "tsql"), ("T-SQL", "tsql"),
        ("postgresql", "postgres"), ("pg", "postgres"), ("Postgres", "postgres"),
        ("mariadb", "mysql"), ("MySQL", "mysql"), ("sqlite3", "sqlite"), ("spark sql", "spark"),
        ("snowflak", "snowflake"), ("presto", "trino"), ("duck", "duckdb"),
    ],
)  # fmt: skip
def test_dialects_by_other_names(written: str, known: str) -> None:
    with pytest.raises(ParamError, match=rf"one of .* Did you mean '{known}'\?$"):
        export_model(model_of(every_operator()), "sql", dialect=written)


@pytest.mark.parametrize("bad", ["\x00", "\x0b", "\ud800", "\ufffe"], ids=ascii)
def test_characters_that_xml_cannot_hold(bad: str) -> None:
    """PMML refuses them in names, categories and labels alike."""
    with pytest.raises(ExportError, match="XML cannot hold"):
        export_model(model_of(every_operator((f"a{bad}", *NAMES[1:]))), "pmml")
    with pytest.raises(ExportError, match="XML cannot hold"):
        export_model(model_of(every_operator(labels=(f"a{bad}", "b"))), "pmml")


def test_the_name_of_the_label_in_pmml() -> None:
    """A column cannot have it."""
    model = model_of(every_operator(("elseif_label", *NAMES[1:])))
    with pytest.raises(ExportError, match="elseif_label"):
        export_model(model, "pmml")


def test_names_of_inputs_in_onnx() -> None:
    """Columns called as outputs are, as nodes are, or nothing at all get on."""
    names = ("probabilities", "rule", "", "v1", "v2", "label", "input 0 rule")
    X = frame(100, names=names)
    model = model_of(every_operator(names))
    assert_agree(run_onnx(model, X), model, X)
    clash = model_of(every_operator())
    with pytest.raises(ExportError, match="missing_text"):
        export_model(clash, "onnx", missing_text=STAGES[0])


def test_onnx_says_what_it_needs() -> None:
    """Header, labels and inputs are in the file, which is the same every time."""
    content = export_model(model_of(every_operator()), "onnx")
    assert content == export_model(model_of(every_operator()), "onnx")
    assert isinstance(content, bytes)
    loaded = onnx.load_from_string(content)
    onnx.checker.check_model(loaded, full_check=True)
    properties = {p.key: p.value for p in loaded.metadata_props}
    assert json.loads(properties["labels"]) == ["no", "yes"]
    assert list(json.loads(properties["inputs"])) == list(NAMES)
    assert {n.domain for n in loaded.graph.node} == {""}


# -------------------------------------------------------------------- the rest


def test_every_format_that_predicts_is_run() -> None:
    """A new one needs an engine in tests/export/runners.py."""
    assert {runner.format for runner in RUNNERS.values()} == {
        name for name, format_ in FORMATS.items() if format_.predicts
    }


@pytest.mark.parametrize("to", FORMATS)
def test_what_a_format_is_said_to_be(to: str, classifier: BayesianRuleListClassifier) -> None:
    """Bytes where it is binary; display labels appear unless it keeps the names of columns."""
    assert isinstance(export_model(classifier, to), bytes) == FORMATS[to].is_binary
    labels = {"columns": {name: {"name": f"{name} of the patient"} for name in NAMES}}
    worded = export_model(classifier, to, labels=labels)
    assert (worded != export_model(classifier, to)) == FORMATS[to].shows_labels


@pytest.mark.parametrize("to", [name for name in FORMATS if name != "json"])
def test_every_export_says_what_it_is(to: str) -> None:
    """The model, that probabilities are posterior means, n, and what made it; no date."""
    model = model_of(every_operator())
    content = export_model(model, to)
    text = content if isinstance(content, str) else onnx.load_from_string(content).doc_string
    text = text.replace("\\", "")
    for part in (
        "Bayesian rule list",
        "posterior means",
        f"{model.n:,.0f} training cases",
        f"Made by elseif {elseif.__version__}",
    ):
        assert part in text, part
    assert str(datetime.date.today().year) not in text.replace("2020", "").replace("2021", "")
    edited = export_model(replace(model, edited="dropped */ rule 2"), to)
    said = edited if isinstance(edited, str) else onnx.load_from_string(edited).doc_string
    assert "edited by hand" in said
    assert "edited by hand" not in text
    hostile = model_of(every_operator())
    hostile.rule_list.metadata.__dict__["outcome"] = "*/ --> \n DROP"
    assert "DROP" not in str(export_model(hostile, "sql"))
    assert "DROP" not in str(export_model(hostile, "javascript"))
    assert "DROP" not in str(export_model(hostile, "python"))


def test_a_list_of_one_rule_is_counted_right() -> None:
    X = pd.DataFrame({"age": np.arange(20.0, 80.0).repeat(3)})
    model = fitted_by_hand([[Condition("age", ">", 50.0)]], X, X["age"] > 48)
    assert ", 1 rule and a default rule." in str(export_model(model, "text"))


def test_json_is_the_model_file(classifier: BayesianRuleListClassifier) -> None:
    """With or without the posterior."""
    text = export_model(classifier, "json")
    assert isinstance(text, str)
    assert model_from_bytes(text.encode()).posterior is not None
    small = export_model(classifier, "json", posterior=None)
    assert len(small) < len(text)


def test_options_that_are_not_there(classifier: BayesianRuleListClassifier) -> None:
    """Unknown formats and options are named, with those that there are."""
    with pytest.raises(ParamError, match=r"'excel'.*'json'.*'javascript'"):
        export_model(classifier, "excel")
    with pytest.raises(ParamError, match=r"pmml has no option 'dialect'"):
        export_model(classifier, "pmml", dialect="duckdb")
    with pytest.raises(ParamError, match="'point', 'map' or 'projected'"):
        export_model(classifier, "python", which="best")
    with pytest.raises(TypeError, match="Call fit first"):
        export_model(BayesianRuleListClassifier(), "python")


def test_export_to_a_file(classifier: BayesianRuleListClassifier, tmp_path: Path) -> None:
    """Written whole, and not over another."""
    for name, format_ in FORMATS.items():
        path = tmp_path / f"model{format_.suffix}"
        export_file(classifier, name, path)
        written = path.read_bytes()
        content = export_model(classifier, name)
        made = content.encode() if isinstance(content, str) else content
        assert made == written or name == "json"  # which holds the time
        with pytest.raises(FileExistsAlreadyError):
            export_file(classifier, name, path)
    assert len(list(tmp_path.iterdir())) == len(FORMATS)


def test_an_impossible_level() -> None:
    """Above the highest stage there is nobody; in every language."""
    metadata = every_operator().metadata
    highest = Antecedent([Condition(NAMES[3], ">", "IV", STAGES)])
    model = model_of(make_rule_list([highest], np.ones((2, 2), dtype=int), metadata))
    (test,) = plain_list(model).rules[0].tests
    assert test.values == ()


def test_dates_out_of_range() -> None:
    """Years before 1 and after 9999 are refused where a language has none."""
    from elseif.export.plain import date_parts

    assert date_parts(np.datetime64("0001-01-01", "us")) == "0001-01-01 00:00:00.000000"
    for text in ("0000-12-31", "-0044-03-15", "10000-01-01"):
        with pytest.raises(ExportError, match="years 1 to 9999"):
            date_parts(np.datetime64(text, "us"))


def test_python_refuses_what_it_cannot_compare() -> None:
    """Text for a number, a number for a date or text, a column that is not there."""
    model = model_of(every_operator())
    row = rows(frame(1, missing=0))[0]
    for name, value, start in (("age", "62", 0), ("visit", 3, 5), ("city", 1, 1)):
        with pytest.raises(TypeError, match="expected "):
            run_python(model_of(every_operator(start=start)), [{**row, name: value}])
    with pytest.raises(KeyError, match="age"):
        run_python(model, [{k: v for k, v in row.items() if k != "age"}])
    aware = datetime.datetime(2020, 1, 1, 1, tzinfo=datetime.timezone(datetime.timedelta(hours=1)))
    given = {**row, "visit": datetime.date(2020, 1, 1)}
    same = {**row, "visit": aware}
    a, b = run_python(model, [given]), run_python(model, [same])
    np.testing.assert_array_equal(a[0], b[0])


def test_javascript_refuses_what_it_cannot_compare(tmp_path: Path) -> None:
    """A form's text is not a number: "" would be 0."""
    row = rows(frame(1, missing=0))[0]
    wrong = (("age", "", 0), ("age", "62", 0), ("visit", "yesterday", 5), ("city", 1, 1))
    for name, value, start in wrong:
        model = model_of(every_operator(start=start))
        with pytest.raises(subprocess.CalledProcessError) as caught:
            run_javascript(model, [{**row, name: value}], tmp_path)
        assert "TypeError: expected " in caught.value.stderr


def test_exports_need_no_scikit_learn() -> None:
    """A model that was read can be exported where nothing was fitted."""
    golden = Path(__file__).parent / "golden" / "model-1.json"
    code = (
        "import sys; from elseif.export.formats import export_model;"
        "from elseif.export.model_file import read_model;"
        f"m = read_model({os.fspath(golden)!r});"
        "from elseif.export.formats import FORMATS;"
        "[export_model(m, to) for to in FORMATS];"
        "print([n for n in ('sklearn', 'numba') if n in sys.modules])"
    )
    import sys

    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
