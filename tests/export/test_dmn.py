"""DMN: a decision table of hit policy FIRST, run by feelin and by pyDMNrules."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import ExportError
from elseif.export.dmn import NAMESPACE
from elseif.export.feel import feel_names, feel_number, feel_text, unary_test
from elseif.export.plain import Test
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.rule_list import RuleList, make_rule_list
from tests.export.engines import cells, run_feelin, run_pydmnrules, typed_rows
from tests.export.running import assert_agree, expected
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
from tests.export.test_categories_and_texts import CATEGORIES, hostile_model

THREE = ("no", "yes", "perhaps")


def whole_milliseconds(X: pd.DataFrame) -> pd.DataFrame:
    """The rows whose times feelin compares to the last digit."""
    return X[X["visit"].isna() | (X["visit"].dt.microsecond == 0)]


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    """1,000 rows of all kinds, some values missing, some at the cut points."""
    return whole_milliseconds(frame(1450, seed=5))[:1000]


@pytest.mark.parametrize("start", [0, 7, 14])
def test_every_operator_in_feelin(X: pd.DataFrame, start: int) -> None:
    """Missing values are null; dmn-moddle finds nothing to warn of in the document."""
    assert len(X) == 1000
    model = model_of(every_operator(labels=THREE, start=start))
    assert_agree(run_feelin(model, X), model, X)


@pytest.mark.slow  # its parser is made anew when it is imported, which takes a quarter of a minute
def test_every_operator_in_pydmnrules() -> None:
    """It cannot read lists of dates, nor texts with quotes in lists: these are left to feelin."""
    X = frame(600, seed=5)
    X = X[~X["city"].isin([CITIES[2]])][:400]
    smoker, _, city, _, visit, _, _ = NAMES
    kept = [
        Antecedent(part)
        for part in conditions()
        if not any(c.column in (city, visit) and c.operator in ("!=", "in") for c in part)
    ]
    assert len(kept) > 15
    metadata = every_operator(labels=THREE).metadata
    counts = np.random.default_rng(1).integers(0, 1000, (len(kept) + 1, 3))
    for antecedents in (kept, kept[::-1]):
        model = model_of(make_rule_list(antecedents, counts, metadata))
        assert_agree(run_pydmnrules(model, X), model, X)
    assert X[smoker].isna().any()


def test_a_fitted_classifier(classifier: BayesianRuleListClassifier, X: pd.DataFrame) -> None:
    """What was learnt; and the most probable list when asked for."""
    model = as_model(classifier)
    assert_agree(run_feelin(model, X[:200]), model, X[:200])
    shares, rules, _ = run_feelin(model, X[:200], which="map")
    wanted = classifier.map_rule_list_
    np.testing.assert_array_equal(rules, wanted.captured_by(X[:200]) + 1)
    np.testing.assert_allclose(shares, wanted.predict_proba(X[:200]), rtol=0, atol=1e-12)


def test_only_the_default_rule(X: pd.DataFrame) -> None:
    """A table without inputs has one row."""
    whole = every_operator()
    model = model_of(RuleList(whole.rules[-1:], whole.metadata))
    assert_agree(run_feelin(model, X[:5]), model, X[:5])


def test_categories_that_fit_did_not_see(X: pd.DataFrame) -> None:
    """No condition is true of them, not even "!="."""
    X = X[:200].copy()
    rng = np.random.default_rng(0)
    X["city"] = X["city"].astype(object).where(rng.random(200) < 0.5, "Ulm")
    X["stage"] = X["stage"].astype(object).where(rng.random(200) < 0.7, "V")
    model = model_of(every_operator())
    assert_agree(run_feelin(model, X), model, X)


# ------------------------------------------------------------------------------ names and texts


@pytest.mark.parametrize("twin", TWINS, ids=["composed", "decomposed"])
def test_hostile_names(twin: str, X: pd.DataFrame) -> None:
    """Columns that FEEL cannot name get other names; their own are labels, and do no harm."""
    names = (*HOSTILE[:6], HOSTILE[6][: -len(twin)] + twin)
    X = X[:150].set_axis(list(names), axis=1)
    model = model_of(every_operator(names, labels=(HOSTILE[1], twin, HOSTILE[5])))
    assert_agree(run_feelin(model, X), model, X)


def test_hostile_categories() -> None:
    """Every category fires its own rule, and a missing one its own."""
    model = hostile_model()
    X = pd.DataFrame({"text": pd.Series([*CATEGORIES, None, "unseen"], dtype=object)})
    assert_agree(run_feelin(model, X), model, X)
    document = str(export_model(model, "dmn"))
    assert not set("\u202e\u2028\u200b") & set(document)


def test_names_in_feel() -> None:
    """A name that FEEL can write is kept; others are made of it, and no two are the same."""
    columns = ["age", "Age", "date", "blood pressure", "größe", "2nd", "", "a" * 99, "elseif_rule"]
    columns += ["blood_pressure", "%", "$"]
    names = feel_names(columns, ["elseif_rule"])
    assert names["age"] == "age"
    assert names["blood_pressure"] == "blood_pressure"
    assert names["blood pressure"] == "blood_pressure_2"
    assert names["Age"] == "Age_2"
    assert names["date"] == "date_2"
    assert names["2nd"] == "input_2nd"
    assert len({name.casefold() for name in names.values()}) == len(columns)
    assert all(name.isidentifier() and name.isascii() for name in names.values())


@pytest.mark.parametrize("bad", ["\x00", "\x0b", "\ud800", "\ufffe"], ids=ascii)
def test_characters_that_xml_cannot_hold(bad: str) -> None:
    """They are refused in names; in texts FEEL has an escape for those that it can hide."""
    with pytest.raises(ExportError, match="XML cannot hold"):
        export_model(model_of(every_operator((f"a{bad}", *NAMES[1:]))), "dmn")
    assert feel_text("a\x0bb\u202e\U000e0001") == r'"a\u000bb\u202e\U0e0001"'


@pytest.mark.parametrize(
    ("labels", "right"),
    [
        (np.array([False, True]), lambda label: label),
        (np.array([0, 1, 7]), lambda label: label),
        (np.array([0.5, 1.5]), lambda label: label),
        (np.array([-2, 3]), lambda label: label),
        (np.array([0, 10**30], dtype=object), str),
        (np.array([0, "a"], dtype=object), str),
        (np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"), str),
    ],
    ids=["truth", "whole", "float", "negative", "huge", "mixed", "dates"],
)
def test_labels_of_all_types(labels: np.ndarray, right: Any, X: pd.DataFrame) -> None:
    """Labels come out as what they are, or as text where FEEL has no such type."""
    X = X[:60]
    model = model_of(every_operator(labels=labels))
    result = run_feelin(model, X)
    assert result[2] == [right(label) for label in expected(model, X)[2]]


# ------------------------------------------------------------------------------- the conditions

AGE = [Test("age", "number", op, (value,)) for op, value in [(">", 18.0), ("<=", 40.0)]]


@pytest.mark.parametrize(
    ("tests", "cell"),
    [
        ([], "-"),
        (AGE, "(18..40]"),
        (AGE[:1], "> 18"),
        ([*AGE, Test("age", "number", ">=", (18.0,))], "(18..40]"),
        ([*AGE, Test("age", "number", "!=", (20.0,))], "(18..20), (20..40]"),
        ([*AGE, Test("age", "number", "!=", (40.0,))], "(18..40)"),
        ([*AGE, Test("age", "number", "!=", (50.0,))], "(18..40]"),
        ([*AGE, Test("age", "number", "in", (18.0, 19.5, 40.0))], "19.5, 40"),
        ([*AGE, Test("age", "number", "is missing")], None),
        ([*AGE, Test("age", "number", "<", (18.0,))], None),
        ([Test("age", "number", "!=", (60.0,))], "< 60, > 60"),
        ([Test("age", "number", "<", (-1e-7,))], "< -0.0000001"),
        ([Test("city", "text", "!=", ("Ulm",))], 'not(null, "Ulm")'),
        ([Test("city", "text", "in", ())], None),
        ([Test("a", "boolean", "is true"), Test("a", "boolean", "is false")], None),
        ([Test("a", "boolean", "is missing")], "null"),
    ],
    ids=str,
)
def test_conditions_on_one_column_are_one_cell(tests: list[Test], cell: str | None) -> None:
    """A conjunction is worked out: no more than S-FEEL is needed; None is nobody."""
    assert unary_test(tests) == cell


def test_numbers_have_no_exponent() -> None:
    """FEEL had none before DMN 1.4; every digit is there."""
    for number in (1e22, 1e-12, 0.1 + 0.2, -5e-324, 60.0, 123456789.125):
        text = feel_number(number)
        assert "e" not in text
        assert float(text) == number


def test_several_conditions_on_a_column(X: pd.DataFrame) -> None:
    """Ranges, broken ranges and sets, in the engine, at every cut point."""
    age, visit = NAMES[1], NAMES[4]
    new_year, midsummer = np.datetime64("2020-01-01", "us"), np.datetime64("2021-06-30", "us")
    parts = [
        [(age, ">", 18.0), (age, "!=", 18.1), (age, "!=", 60.0), (age, "<", 80)],
        [(visit, ">=", new_year), (visit, "!=", midsummer), (age, "!=", 40.0)],
        [(age, "in", (18.0, 60.0, 81.5)), (age, ">", 18.0)],
        [(age, ">=", 18.0), (age, ">", 18.0)],
        [(age, "<", 18.0), (age, "<=", 17.9)],
    ]
    antecedents = [Antecedent([Condition(*condition) for condition in part]) for part in parts]
    counts = np.arange(12).reshape(6, 2) ** 2
    model = model_of(make_rule_list(antecedents, counts, every_operator().metadata))
    assert_agree(run_feelin(model, X), model, X)
    assert len(set(expected(model, X)[1])) == 6


def test_a_rule_that_nobody_fulfils() -> None:
    """It has no row, and the others keep their numbers."""
    highest = Antecedent([Condition(NAMES[3], ">", "IV", STAGES)])
    second = Antecedent([Condition(NAMES[0], "is true")])
    metadata = every_operator().metadata
    model = model_of(make_rule_list([highest, second], np.ones((3, 2), dtype=int), metadata))
    assert len(cells(str(export_model(model, "dmn")))) == 2
    X = whole_milliseconds(frame(50))
    assert set(run_feelin(model, X)[1]) == {2, 3}
    assert_agree(run_feelin(model, X), model, X)


# ---------------------------------------------------------------------------------- the document


def outputs(text: str) -> pd.DataFrame:
    """What follows from each rule."""
    inside = {"d": NAMESPACE}
    root = ET.fromstring(text)
    names = [str(clause.get("name")) for clause in root.iterfind(".//d:output", inside)]
    values = [
        [str(cell.text) for cell in rule.iterfind("d:outputEntry/d:text", inside)]
        for rule in root.iterfind(".//d:rule", inside)
    ]
    return pd.DataFrame(values, columns=names)


def test_intervals_and_the_minimum_cell() -> None:
    """Ends of the intervals are those of the list; a minimum cell rounds what they come from."""
    model = model_of(every_operator())
    made = outputs(str(export_model(model, "dmn", level=0.8)))
    for index, rule in enumerate(model.rule_list.rules):
        low, high = rule.interval("yes", 0.8)
        assert made["elseif_low_2"].astype(float)[index] == low
        assert made["elseif_high_2"].astype(float)[index] == high
    text = str(export_model(model, "dmn", min_cell=20))
    assert "Counts are rounded to multiples of 20." in text
    rounded = outputs(text)
    assert (rounded["elseif_probability_1"] != made["elseif_probability_1"]).any()


def test_the_document_is_typed_and_drawn() -> None:
    """Inputs have types, rules read as words, and each box of the diagram is there."""
    text = str(export_model(model_of(every_operator()), "dmn"))
    inside = {"d": NAMESPACE}
    root = ET.fromstring(text)
    kinds = {v.get("name"): v.get("typeRef") for v in root.iterfind(".//d:variable", inside)}
    assert kinds["age"] == "number"
    assert kinds["smoker"] == "boolean"
    assert kinds["city"] == "string"
    assert kinds["visit"] == "date and time"
    words = [d.text for d in root.iterfind(".//d:rule/d:description", inside)]
    assert words[0] == "if 18 < age ≤ 40 and smoker"
    assert words[-1] == "else"
    assert text.count("<dc:Bounds") == len(NAMES) + 1
    assert text == str(export_model(model_of(every_operator()), "dmn"))


def test_rows_are_typed() -> None:
    """The rows that the engines get hold truth values for boolean columns."""
    model: FittedModel = model_of(every_operator())
    table = typed_rows(model, frame(50).astype({"smoker": "Float64"}))
    assert {type(row["smoker"]) for row in table} == {bool, type(None)}
