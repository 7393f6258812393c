"""CQL is compiled by cqframework's translator and run by cql-execution; FHIR is checked."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fhir.resources.R4B.bundle import Bundle

from elseif import BayesianRuleListClassifier, export_model
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.condition import Condition
from elseif.errors import ExportError, ParamError
from elseif.export.cql import date_literal, decimal_literal, identifier, string
from elseif.fitted_model import as_model
from elseif.posterior.rule_list import RuleList, make_rule_list
from tests.export.engines import (
    DECIMAL,
    bundled_cql,
    cql_rows,
    engines,
    run_cql,
    typed_rows,
)
from tests.export.running import assert_agree, expected
from tests.export.tables import HOSTILE, NAMES, STAGES, TWINS, every_operator, frame, model_of
from tests.export.test_categories_and_texts import CATEGORIES, hostile_model

THREE = ("no", "yes", "perhaps")


@pytest.fixture(scope="module")
def X() -> pd.DataFrame:
    """1,000 rows of all kinds, some values missing, some at the cut points."""
    return cql_rows(model_of(every_operator()), frame(1000, seed=5))


@pytest.mark.parametrize("start", [0, 7, 14])
def test_every_operator(X: pd.DataFrame, start: int) -> None:
    """Rule for rule and to CQL's last decimal; a missing value is null."""
    assert len(X) == 1000
    model = model_of(every_operator(labels=THREE, start=start))
    assert_agree(run_cql(model, X), model, X, DECIMAL)


def test_parameters_that_are_not_given_are_null(X: pd.DataFrame) -> None:
    """As if they were given as null."""
    model = model_of(every_operator())
    table = typed_rows(model, X[:100].drop(columns="visit").assign(visit=pd.NaT))
    absent = [{name: v for name, v in row.items() if v is not None} for row in table]
    source = str(export_model(model, "cql"))
    assert engines().run("cql", source, absent, []) == engines().run("cql", source, table, [])


def test_a_fitted_classifier(classifier: BayesianRuleListClassifier, X: pd.DataFrame) -> None:
    """What was learnt; and the most probable list when asked for."""
    model = as_model(classifier)
    assert_agree(run_cql(model, X[:200]), model, X[:200], DECIMAL)
    result = run_cql(model, X[:200], which="map")
    np.testing.assert_array_equal(result[1], classifier.map_rule_list_.captured_by(X[:200]) + 1)


def test_only_the_default_rule(X: pd.DataFrame) -> None:
    """No parameters, no cases."""
    whole = every_operator()
    model = model_of(RuleList(whole.rules[-1:], whole.metadata))
    assert_agree(run_cql(model, X[:5]), model, X[:5], DECIMAL)
    assert not re.search(r"^\s*(parameter|case)", str(export_model(model, "cql")), re.MULTILINE)


def test_cuts_with_more_digits_than_cql_has() -> None:
    """They are rounded to the side on which no value of CQL's changes its place."""
    age, visit = NAMES[1], NAMES[4]
    cut, time = 0.123456785, np.datetime64("2020-01-01T00:00:00.000500", "us")
    operators = (">", "<=", ">=", "<", "!=", "=")
    ages = [cut + step * 1e-8 for step in (-1, -0.5, 0.5, 1)]
    times = [time + np.timedelta64(step, "us") for step in (-500, -1500, 500, 1500)]
    X = frame(8, missing=0).assign(age=[*ages, *ages])
    X["visit"] = pd.Series([*times, *times], dtype="datetime64[us]")
    X.loc[4:, ["age", "visit"]] = np.nan, pd.NaT
    X = cql_rows(model_of(every_operator()), X)
    for column, value in ((age, cut), (visit, time)):
        for operator in operators:
            parts = [Antecedent([Condition(column, operator, value)])]
            counts = np.array([[3, 4], [10, 1]])
            model = model_of(make_rule_list(parts, counts, every_operator().metadata))
            assert_agree(run_cql(model, X), model, X, DECIMAL)
    assert decimal_literal(1e-9) == "0.0"
    assert date_literal(time) == "@2020-01-01T00:00:00.000Z"
    assert date_literal(time, up=True) == "@2020-01-01T00:00:00.001Z"


def test_impossible_and_too_large() -> None:
    """Above the highest level there is nobody; beyond 10^20 CQL has no number."""
    metadata = every_operator().metadata
    highest = Antecedent([Condition(NAMES[3], ">", "IV", STAGES)])
    model = model_of(make_rule_list([highest], np.ones((2, 2), dtype=int), metadata))
    X = cql_rows(model, frame(10))
    assert_agree(run_cql(model, X), model, X, DECIMAL)
    huge = Antecedent([Condition(NAMES[1], ">", 1e20)])
    with pytest.raises(ExportError, match=r"the numbers of CQL end at 10\^20"):
        export_model(model_of(make_rule_list([huge], np.ones((2, 2), int), metadata)), "cql")


# ------------------------------------------------------------------------------ names and texts


@pytest.mark.parametrize("twin", TWINS, ids=["composed", "decomposed"])
def test_hostile_names(twin: str, X: pd.DataFrame) -> None:
    """Quotes, backslashes, line breaks and signs that turn the writing come through unchanged."""
    names = (*HOSTILE[:6], HOSTILE[6][: -len(twin)] + twin)
    X = X[:150].set_axis(list(names), axis=1)
    model = model_of(every_operator(names, labels=(HOSTILE[1], twin, HOSTILE[5])))
    source = str(export_model(model, "cql"))
    assert not set("\u202e\u2028\u200b\t") & set(source)
    assert_agree(run_cql(model, X), model, X, DECIMAL)
    bundle = json.loads(str(export_model(model, "fhir")))
    assert bundled_cql(bundle) == source
    Bundle.model_validate(bundle)


def test_hostile_categories() -> None:
    """Every category fires its own rule, and a missing one its own."""
    model = hostile_model()
    X = pd.DataFrame({"text": pd.Series([*CATEGORIES, None, "unseen"], dtype=object)})
    assert_agree(run_cql(model, X), model, X, DECIMAL)
    Bundle.model_validate_json(str(export_model(model, "fhir")))


def test_quoting() -> None:
    """A quote ends nothing, and what cannot be seen is spelt out."""
    assert identifier('a"b\\\n') == r'"a\"b\\\n"'
    assert string("it's \u202e\U000e0001") == r"'it\'s \u202e\udb40\udc01'"


@pytest.mark.parametrize(
    ("labels", "right"),
    [
        (np.array([False, True]), lambda label: label),
        (np.array([0, 1, 7]), lambda label: label),
        (np.array([-2, 3]), lambda label: label),
        (np.array([0.5, 1.5]), lambda label: label),
        (np.array([0.5, 1 / 3]), str),
        (np.array([0, 2**31]), str),
        (np.array([0, "a"], dtype=object), str),
        (np.array(["2020-01-01", "2021-01-01"], dtype="datetime64[D]"), str),
    ],
    ids=["truth", "whole", "negative", "float", "digits", "large", "mixed", "dates"],
)
def test_labels_of_all_types(labels: np.ndarray, right: Any, X: pd.DataFrame) -> None:
    """Labels come out as what they are, or as text where CQL has no such type."""
    model = model_of(every_operator(labels=labels))
    assert run_cql(model, X[:60])[2] == [right(label) for label in expected(model, X[:60])[2]]
    Bundle.model_validate_json(str(export_model(model, "fhir")))


def test_columns_that_cql_cannot_name() -> None:
    """Neither as a result, nor not at all."""
    for name in ("elseif_label", "elseif_rule_3", "elseif_low_1"):
        with pytest.raises(ExportError, match=f"A column is called '{name}'"):
            export_model(model_of(every_operator((name, *NAMES[1:]))), "cql")
    with pytest.raises(ExportError, match="A column has no name"):
        export_model(model_of(every_operator(("", *NAMES[1:]))), "cql")


# ----------------------------------------------------------------------------------- binding


def test_a_definition_takes_the_place_of_a_parameter(X: pd.DataFrame) -> None:
    """As docs/exports.md says: an implementer binds a column to what their records say."""
    model = model_of(every_operator())
    source = str(export_model(model, "cql"))
    line = 'parameter "smoker" Boolean default null\n'
    assert line in source
    bound = source.replace(line, "").replace(
        "context Unfiltered\n", 'context Unfiltered\n\ndefine "smoker": exists ({1, 2})\n'
    )
    smokers = X[:100].assign(smoker=pd.array([True] * 100, dtype="boolean"))
    table = typed_rows(model, smokers)
    for row in table:
        del row["smoker"], row["visit"]
    ended = engines().run("cql", bound, table, [])
    wanted = expected(model, smokers.assign(visit=pd.NaT))[1]
    assert [row["elseif_rule"] for row in ended] == wanted.tolist()


HEADINGS = """
using FHIR version '4.0.1'

valueset "Smoking codes": 'https://example.org/fhir/ValueSet/smoking'
valueset "Fever codes": 'https://example.org/fhir/ValueSet/fever'
"""
DEFINITIONS = """context Patient

define "smoker": exists [Condition: "Smoking codes"]
define "fever": exists [Condition: "Fever codes"]
"""
ICD = "http://hl7.org/fhir/sid/icd-10"


def patient(number: int, codes: list[str]) -> dict[str, Any]:
    """A patient's record: conditions by their codes of the ICD."""
    records: list[dict[str, Any]] = [{"resourceType": "Patient", "id": str(number)}]
    for code in codes:
        who, what = {"reference": f"Patient/{number}"}, {"coding": [{"system": ICD, "code": code}]}
        records.append({"resourceType": "Condition", "subject": who, "code": what})
    return {"resourceType": "Bundle", "entry": [{"resource": record} for record in records]}


def test_columns_are_bound_to_records() -> None:
    """Definitions that look for conditions in FHIR take the place of parameters."""
    smoker, fever = NAMES[0], NAMES[6]
    parts = [
        [Condition(smoker, "is true"), Condition(fever, "is true")],
        [Condition(fever, "is true")],
        [Condition(smoker, "is false")],
    ]
    counts = np.array([[1, 9], [9, 1], [3, 5], [5, 3]])
    metadata = every_operator().metadata
    model = model_of(make_rule_list([Antecedent(part) for part in parts], counts, metadata))
    source = str(export_model(model, "cql"))
    bound = re.sub(r"^parameter .*\n", "", source, flags=re.MULTILINE)
    bound = bound.replace("version '1.0.0'\n", f"version '1.0.0'\n{HEADINGS}")
    bound = bound.replace("context Unfiltered\n", DEFINITIONS)
    sets = {"smoking": "F17", "fever": "R50"}
    value_sets = {
        f"https://example.org/fhir/ValueSet/{name}": {"1": [{"code": code, "system": ICD}]}
        for name, code in sets.items()
    }
    records = [["F17", "R50"], ["R50", "J45"], ["J45"], ["F17"], []]
    bundles = [patient(number, codes) for number, codes in enumerate(records)]
    ended = engines().run("cql", bound, [], [], bundles=bundles, valueSets=value_sets)
    X = frame(len(records)).assign(
        smoker=["F17" in codes for codes in records], fever=["R50" in codes for codes in records]
    )
    _, rules, labels = expected(model, X)
    assert [row["elseif_rule"] for row in ended] == rules.tolist() == [1, 2, 3, 4, 3]
    assert [row["elseif_label"] for row in ended] == labels


# -------------------------------------------------------------------------------------- FHIR


def resources(**options: Any) -> dict[str, Any]:
    """Library and PlanDefinition, by their types."""
    bundle = json.loads(str(export_model(model_of(every_operator()), "fhir", **options)))
    Bundle.model_validate(bundle)
    for entry in bundle["entry"]:
        kind, identity = entry["resource"]["resourceType"], entry["resource"]["id"]
        assert entry["request"] == {"method": "PUT", "url": f"{kind}/{identity}"}
    return {entry["resource"]["resourceType"]: entry["resource"] for entry in bundle["entry"]}


def test_library_and_plan() -> None:
    """The plan refers to the library, and each of its rules to a definition in it."""
    made = resources()
    library, plan = made["Library"], made["PlanDefinition"]
    assert plan["library"] == [f"{library['url']}|{library['version']}"]
    source = bundled_cql({"entry": [{"resource": library}]})
    assert source == export_model(model_of(every_operator()), "cql")
    assert source.splitlines()[3] == f"library {library['name']} version '{library['version']}'"
    (list_of_rules,) = plan["action"]
    rules = model_of(every_operator()).rule_list.rules
    assert len(list_of_rules["action"]) == len(rules)
    for rule in list_of_rules["action"]:
        (condition,) = rule["condition"]
        assert f'define "{condition["expression"]["expression"]}": ' in source
    first = list_of_rules["action"][0]
    assert first["title"] == "if 18 < age ≤ 40 and smoker"
    assert first["description"].startswith("Probability of no 57.1% (54.6% to 59.7%), yes 42.9%")
    types = {p["name"]: p["type"] for p in library["parameter"] if p["use"] == "in"}
    assert types["age"] == "decimal"
    assert types["visit"] == "dateTime"
    answers = [p["name"] for p in library["parameter"] if p["use"] == "out"]
    assert all(f'define "{name}":' in source for name in answers)


def test_names_versions_and_addresses() -> None:
    """A user's own, where they are such as FHIR allows."""
    made = resources(name="StrokeRisk", version="2.1.0", url="https://example.org/fhir/")
    assert made["Library"]["url"] == "https://example.org/fhir/Library/StrokeRisk"
    assert made["PlanDefinition"]["url"] == "https://example.org/fhir/PlanDefinition/StrokeRisk"
    source = bundled_cql({"entry": [{"resource": made["Library"]}]})
    assert "library StrokeRisk version '2.1.0'" in source
    model = model_of(every_operator())
    for option, value in (("name", "stroke risk"), ("version", "1 '"), ("url", "example.org")):
        with pytest.raises(ParamError, match=f"{option} is "):
            export_model(model, "fhir", **{option: value})


def test_the_minimum_cell() -> None:
    """Probabilities follow from rounded counts, and the export says so."""
    model = model_of(every_operator())
    exact, rounded = (str(export_model(model, "cql", min_cell=cell)) for cell in (None, 20))
    assert "Counts are rounded to multiples of 20." in rounded
    assert "Counts are rounded to multiples of 20." in str(export_model(model, "fhir", min_cell=20))
    first = re.compile(r'define "elseif_low_1":\n  case "elseif_rule"\n    when 1 then (\S+)')
    assert first.search(exact)[1] != first.search(rounded)[1]  # type: ignore[index]
