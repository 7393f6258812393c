"""Cohorts of ATLAS: what can be said here is, and all else is refused by its place."""

from __future__ import annotations

import copy
import json
import os
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from elseif.cohort import AnyOf, ConceptSet, extract, load_definition, read_atlas
from elseif.errors import ParamError
from tests.cohort.engines import DuckDBEngine
from tests.cohort.rich import BLEEDING, rich_database


def concept(number: int, name: str, **more: bool) -> dict[str, Any]:
    return {
        "concept": {"CONCEPT_ID": number, "CONCEPT_NAME": name, "DOMAIN_ID": "Condition"},
        "isExcluded": False,
        "includeDescendants": True,
        "includeMapped": False,
        **more,
    }


def days(first: int | None, last: int | None, after: bool = False) -> dict[str, Any]:
    """A window from days before the index date to days before, or after, it."""
    start = {"Coeff": -1} if first is None else {"Days": first, "Coeff": -1}
    end: dict[str, Any] = {"Coeff": 1 if after else -1}
    return {"Start": start, "End": end if last is None else {"Days": last, **end},
            "UseIndexEnd": False, "UseEventEnd": False}  # fmt: skip


def records(kind: str, number: int, window: dict[str, Any], type_: int, count: int) -> Any:
    return {
        "Criteria": {kind: {"CodesetId": number, f"{kind}TypeExclude": False}},
        "StartWindow": window,
        "RestrictVisit": False,
        "IgnoreObservationPeriod": False,
        "Occurrence": {"Type": type_, "Count": count, "IsDistinct": False},
    }


def rule(name: str, *criteria: Any, people: Any = (), type_: str = "ALL") -> dict[str, Any]:
    return {
        "name": name,
        "expression": {
            "Type": type_,
            "CriteriaList": list(criteria),
            "DemographicCriteriaList": list(people),
            "Groups": [],
        },
    }


EXPRESSION: dict[str, Any] = {
    "cdmVersionRange": ">=5.0.0",
    "PrimaryCriteria": {
        "CriteriaList": [{"ConditionOccurrence": {"CodesetId": 0, "ConditionTypeExclude": False}}],
        "ObservationWindow": {"PriorDays": 365, "PostDays": 0},
        "PrimaryCriteriaLimit": {"Type": "First"},
    },
    "ConceptSets": [
        {"id": 0, "name": "fibrillation", "expression": {"items": [
            concept(313217, "Atrial fibrillation"),
            concept(30, "Other", isExcluded=True, includeDescendants=False)]}},
        {"id": 1, "name": "bleeding", "expression": {"items": [concept(BLEEDING, "Bleeding")]}},
        {"id": 2, "name": "aspirin", "expression": {"items": [concept(1000, "aspirin")]}},
        {"id": 3, "name": "mapped", "expression": {"items": [
            concept(1000, "aspirin", includeMapped=True)]}},
    ],
    "QualifiedLimit": {"Type": "First"},
    "ExpressionLimit": {"Type": "All"},
    "InclusionRules": [
        rule("adult", people=[{"Age": {"Value": 18, "Op": "gte"}}]),
        rule("no bleeding", records("ConditionOccurrence", 1, days(None, 0), 0, 0)),
    ],
    "EndStrategy": {"DateOffset": {"DateField": "EndDate", "Offset": 0}},
    "CensoringCriteria": [],
    "CollapseSettings": {"CollapseType": "ERA", "EraPad": 0},
    "CensorWindow": {},
}  # fmt: skip
OUTCOME = {
    **EXPRESSION,
    "PrimaryCriteria": {
        **EXPRESSION["PrimaryCriteria"],
        "CriteriaList": [{"DrugExposure": {"CodesetId": 2}}],
        "ObservationWindow": {"PriorDays": 0, "PostDays": 0},
    },
    "InclusionRules": [],
}
STUDY = {
    "name": "own",
    "title": "Aspirin after atrial fibrillation",
    "index": {"name": "atrial fibrillation", "atlas": "target.json"},
    "outcome": {"name": "aspirin", "atlas": "outcome.json"},
    "observation_before": 0,
    "observation_after": 1,
    "outcome_window": [1, 1],
    "outcome_must_be_new": True,
}


def written(folder: Path, content: Any, name: str = "target.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(content), "utf-8")
    return path


def changed(*path: str | int, to: Any) -> dict[str, Any]:
    """The expression with another value at a place."""
    made = copy.deepcopy(EXPRESSION)
    index: Any = made
    for key in path[:-1]:
        index = index[key]
    index[path[-1]] = to
    return made


def test_a_cohort_is_what_atlas_would_generate(duckdb_engine: DuckDBEngine, tmp_path: Path) -> None:
    """The earliest observed event, judged by the rules, by plain Python over the rows."""
    tables = rich_database()
    written(tmp_path, EXPRESSION)
    written(tmp_path, OUTCOME, "outcome.json")
    study = {**STUDY, "outcome_must_be_new": True, "features": [{"domain": "visit"}]}
    (tmp_path / "study.yaml").write_text(yaml.safe_dump(study))
    definition = load_definition(tmp_path / "study.yaml")
    duckdb_engine.load(tables)
    with duckdb_engine.connect() as database:
        cohort = extract(database, definition)
    expected: dict[int, date] = {}
    for person, _, born in tables.persons:
        entries = [
            (day, start, end)
            for who, concept_id, day in tables.conditions
            if who == person and concept_id == 313217
            for p, start, end in tables.periods
            if p == person and start <= day <= end and (day - start).days >= 365
        ]
        if not entries:
            continue
        index, start, end = min(entries)
        bled = any(
            who == person and concept_id == BLEEDING and start <= day <= index
            for who, concept_id, day in tables.conditions
        )
        had_aspirin = any(
            who == person and drug in (101, 102, 103, 1000) and day <= index
            for who, drug, day in tables.drugs
        )
        if index.year - born >= 18 and not bled and not had_aspirin and (end - index).days >= 1:
            expected[person] = index
    assert len(expected) > 4
    result = dict(zip(cohort.person_ids.tolist(), cohort.index_dates.tolist(), strict=True))
    assert result == expected


def test_first_ever_and_any_of(tmp_path: Path) -> None:
    """First in history needs no observation; several criteria are any of their sets."""
    first = changed("PrimaryCriteria", "CriteriaList", 0, "ConditionOccurrence", "First", to=True)
    read = read_atlas(written(tmp_path, first), "AF")
    assert (read.event.name, read.first_after_days, read.prior_days) == ("AF", None, 365)
    both = [{"ConditionOccurrence": {"CodesetId": 0}}, {"DrugExposure": {"CodesetId": 2}}]
    read = read_atlas(written(tmp_path, changed("PrimaryCriteria", "CriteriaList", to=both)))
    assert isinstance(read.event, AnyOf)
    assert [each.domain for each in read.event.sets] == [("condition",), ("drug",)]
    same = [{"ConditionOccurrence": {"CodesetId": 0}}, {"Observation": {"CodesetId": 0}}]
    read = read_atlas(written(tmp_path, changed("PrimaryCriteria", "CriteriaList", to=same)))
    assert isinstance(read.event, ConceptSet)
    assert read.event.domain == ("condition", "observation")
    framed = {"id": 7, "name": "AF", "expression": json.dumps(EXPRESSION)}
    assert read_atlas(written(tmp_path, framed)).prior_days == 365


def test_rules(tmp_path: Path) -> None:
    """Occurrences, windows, sexes, years and groups of one become criteria."""
    rules = [
        rule("two", records("DrugExposure", 2, days(365, 1), 2, 2)),
        rule("at most one", records("DrugExposure", 2, days(30, 0), 1, 1)),
        rule("exactly one", records("ConditionOccurrence", 1, days(None, 8), 0, 1)),
        rule("none of", records("ConditionOccurrence", 1, days(7, 0), 2, 1), type_="AT_MOST"),
        rule("either", records("ConditionOccurrence", 1, days(90, 1), 2, 1),
             records("DrugExposure", 2, days(90, 1), 2, 1), type_="ANY"),
        rule("women", people=[{"Gender": [{"CONCEPT_ID": 8532, "CONCEPT_NAME": "FEMALE"}]}]),
        rule("years", people=[{"OccurrenceStartDate": {"Value": "2010-01-01", "Op": "gte"}}]),
        rule("age", people=[{"Age": {"Value": 20, "Extent": 60, "Op": "bt"}}]),
        rule("older", people=[{"Age": {"Value": 30, "Op": "gt"}}]),
    ]  # fmt: skip
    rules[3]["expression"]["Count"] = 0
    inclusion = read_atlas(written(tmp_path, changed("InclusionRules", to=rules))).inclusion
    assert inclusion is not None
    assert (inclusion.age, inclusion.sex, inclusion.index_year) == (
        (31, 60),
        ("female",),
        (2010, None),
    )
    had = [(p.records.name, p.window, p.at_least, p.observed) for p in inclusion.prior]
    assert had == [
        ("aspirin", (-365, -1), 2, True),
        ("bleeding", (None, -8), 1, True),
        ("bleeding or aspirin", (-90, -1), 1, True),
    ]
    assert [(p.records.name, p.window, p.at_least) for p in inclusion.no_prior] == [
        ("aspirin", (-30, 0), 2), ("bleeding", (None, -8), 2), ("bleeding", (-7, 0), 1),
    ]  # fmt: skip


PRIMARY = ("PrimaryCriteria", "CriteriaList", 0, "ConditionOccurrence")
REFUSED: list[tuple[dict[str, Any], str]] = [
    (changed(*PRIMARY, "VisitType", to=[{"CONCEPT_ID": 9201}]),
     "PrimaryCriteria.CriteriaList[0].ConditionOccurrence.VisitType"),
    (changed(*PRIMARY, "CodesetId", to=3),
     "ConceptSets[3].expression.items[0].includeMapped (concept set 'mapped')"),
    (changed(*PRIMARY, "CodesetId", to=None), "has no concept set"),
    (changed("PrimaryCriteria", "CriteriaList", to=[{"DrugEra": {"CodesetId": 2}}]),
     "PrimaryCriteria.CriteriaList[0].DrugEra reads DrugEra"),
    (changed("PrimaryCriteria", "PrimaryCriteriaLimit", "Type", to="All"),
     "PrimaryCriteria.PrimaryCriteriaLimit lets rules (InclusionRules) choose"),
    (changed("PrimaryCriteria", "PrimaryCriteriaLimit", "Type", to="Last"), "takes the last event"),
    (changed("PrimaryCriteria", "ObservationWindow", "PostDays", to=30),
     "PrimaryCriteria.ObservationWindow.PostDays"),
    (changed("CensorWindow", to={"StartDate": "2010-01-01"}), "CensorWindow cuts entries"),
    (changed("InclusionRules", to=[
        rule("later", records("DrugExposure", 2, days(0, 30, after=True), 2, 1))]),
     "InclusionRules[0].expression.CriteriaList[0].StartWindow.End (rule 'later') lies after"),
    (changed("InclusionRules", to=[
        rule("either", records("DrugExposure", 2, days(9, 0), 2, 1),
             records("DrugExposure", 2, days(8, 0), 2, 1), type_="ANY")]),
     "InclusionRules[0].expression.Type (rule 'either') is ANY of 2"),
    (changed("InclusionRules", to=[rule("race", people=[{"Race": [{"CONCEPT_ID": 8515}]}])]),
     "DemographicCriteriaList[0].Race (rule 'race')"),
    (changed("InclusionRules", to=[
        rule("day", people=[{"OccurrenceStartDate": {"Value": "2010-06-01", "Op": "gte"}}])]),
     "is not of whole years"),
]  # fmt: skip


@pytest.mark.parametrize(("expression", "place"), REFUSED)
def test_what_cannot_be_said_is_refused_by_its_place(
    expression: dict[str, Any], place: str, tmp_path: Path
) -> None:
    with pytest.raises(ParamError) as caught:
        read_atlas(written(tmp_path, expression))
    assert place in str(caught.value)
    assert "Generate the cohort in ATLAS and give its number" in str(caught.value)


def test_every_part_is_named_at_once(tmp_path: Path) -> None:
    twice = changed(*PRIMARY, "VisitType", to=[{"CONCEPT_ID": 9201}])
    twice["CensorWindow"] = {"EndDate": "2020-01-01"}
    with pytest.raises(ParamError) as caught:
        read_atlas(written(tmp_path, twice))
    assert "VisitType" in str(caught.value)
    assert "CensorWindow" in str(caught.value)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ([], "it has no PrimaryCriteria"),
        ({"PrimaryCriteria": 7}, "PrimaryCriteria must be an object"),
        (changed("ConceptSets", to={"id": 0}), "ConceptSets must be a list"),
        (changed(*PRIMARY, "CodesetId", to=9), "there is no concept set 9"),
        (changed("PrimaryCriteria", "ObservationWindow", "PriorDays", to="x"), "PriorDays must be"),
        (changed("ConceptSets", 0, "expression", "items", 0, "concept", to={}), "CONCEPT_ID must"),
    ],
)
def test_json_of_another_kind(content: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(ParamError, match=r"target.json is not a cohort of ATLAS") as caught:
        read_atlas(written(tmp_path, content))
    assert said in str(caught.value)


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(ParamError, match=r"none\.json: there is no such file"):
        read_atlas(tmp_path / "none.json")
    (tmp_path / "deep.json").write_text("[" * 5000)
    with pytest.raises(ParamError, match="nested levels"):
        read_atlas(tmp_path / "deep.json")
    (tmp_path / "text.json").write_text("{")
    with pytest.raises(ParamError, match="not readable as JSON"):
        read_atlas(tmp_path / "text.json")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(ParamError, match="is not a file"):
        read_atlas(tmp_path / "pipe.json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"outcome_must_be_new": False}, "only the first record is sure to begin"),
        ({"inclusion": {"age": [1, 2]}}, "inclusion comes from the ATLAS file"),
        ({"outcome": {"name": "x", "atlas": "target.json"}}, "which an outcome cannot have"),
        ({"index": {"name": "x", "atlas": 7}}, "must be a file that ends in .json"),
        (
            {"index": {"name": "x", "atlas": "target.json", "cohort": 7}},
            "has both cohort and atlas",
        ),
        ({"outcomes": {"more": {"atlas": "outcome.json"}}}, "a further outcome cannot be a file"),
    ],
)
def test_studies_of_atlas_that_do_not_fit(
    change: dict[str, Any], said: str, tmp_path: Path
) -> None:
    written(tmp_path, EXPRESSION)
    written(tmp_path, OUTCOME, "outcome.json")
    (tmp_path / "study.yaml").write_text(yaml.safe_dump({**STUDY, **change}))
    with pytest.raises(ParamError) as caught:
        load_definition(tmp_path / "study.yaml")
    assert said in str(caught.value)
    assert str(caught.value).startswith("study.yaml")
