"""Definitions of cohorts: what may be in them, and how files of them are read."""

from __future__ import annotations

import os
import pickle
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from elseif.cohort import (
    CohortDefinition,
    Concept,
    ConceptSet,
    Inclusion,
    definition_names,
    extract,
    load_definition,
)
from elseif.errors import ParamError, ParamTypeError
from tests.cohort.engines import DuckDBEngine
from tests.cohort.rich import rich_database

FIBRILLATION = ConceptSet("atrial fibrillation", (Concept(313217, "Atrial fibrillation"),))
STROKE = ConceptSet("stroke", (Concept(443454, "Cerebral infarction"),))
SMALL = """
name: small
title: A small definition
index:
  name: atrial fibrillation
  include: [{id: 313217, name: Atrial fibrillation}]
outcome:
  name: stroke
  include: [{id: 443454, name: Cerebral infarction, descendants: false}]
"""


ONE = "[{id: 313217, name: Atrial fibrillation}]"
GROUP = "{a: {include: [{id: 1, name: x}]}}"


def written(folder: Path, text: str) -> Path:
    path = folder / "own.yaml"
    path.write_text(text, "utf-8")
    return path


def test_those_that_come_with_elseif() -> None:
    """The paper's definition, and another disease."""
    assert definition_names() == ["heart_failure", "stroke"]
    stroke = load_definition("stroke")
    assert [c.id for c in stroke.index.include] == [313217]
    assert (stroke.observation_before, stroke.observation_after) == (365, 365)
    assert stroke.outcome_window == (1, 365)
    assert stroke.age_cuts == (50, 60, 70, 80)
    assert list(stroke.groups) == [
        "heart_failure", "hypertension", "diabetes", "stroke_or_tia", "vascular_disease",
    ]  # fmt: skip
    assert load_definition("heart_failure").outcome_must_be_new


@pytest.mark.parametrize("name", ["stroke", "heart_failure"])
def test_a_definition_survives_its_plain_form(name: str, tmp_path: Path) -> None:
    """As a dictionary, as a file of it, and pickled, it is the same definition."""
    definition = load_definition(name)
    path = written(tmp_path, yaml.safe_dump(definition.as_dict(), sort_keys=False))
    assert load_definition(path) == definition
    assert load_definition(str(path)) == definition
    assert pickle.loads(pickle.dumps(definition)) == definition
    assert hash(definition) == hash(load_definition(name))


def test_defaults_are_those_of_the_paper(tmp_path: Path) -> None:
    """A file needs no more than who and what."""
    definition = load_definition(written(tmp_path, SMALL))
    assert definition == CohortDefinition(
        "small",
        "A small definition",
        FIBRILLATION,
        ConceptSet("stroke", (Concept(443454, "Cerebral infarction", descendants=False),)),
    )
    assert definition.domains == ("condition", "drug")


def test_the_example_of_the_documentation(tmp_path: Path) -> None:
    """It is complete, as the page says, and the page names every key that there is."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "cohort.md").read_text("utf-8")
    example = page.split("```yaml\n")[1].split("```")[0]
    definition = load_definition(written(tmp_path, example))
    assert definition.index.exclude[0].id == 197930
    assert definition.outcome_must_be_new
    keys = {field.name for each in (CohortDefinition, Inclusion) for field in fields(each)}
    for key in (*keys, "domain", "window", "rollup", "value", "at_least", "observed", "any_of"):
        assert f"`{key}`" in page or f"{key}: " in page, key


@pytest.mark.filterwarnings("ignore:.*values in other units:UserWarning")
def test_every_example_of_the_documentation(duckdb_engine: DuckDBEngine, tmp_path: Path) -> None:
    """Each is complete; the one of features is extracted, too."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "cohort.md").read_text("utf-8")
    examples = [part.split("```")[0] for part in page.split("```yaml\n")[1:]]
    result = {d.name: d for d in (load_definition(written(tmp_path, text)) for text in examples)}
    assert list(result) == ["infarction", "after_surgery", "adults", "features"]
    assert result["after_surgery"].outcome_names == ("stroke", "bleeding")
    assert result["adults"].criteria.age == (18, None)
    duckdb_engine.load(rich_database())
    with duckdb_engine.connect() as database:
        cohort = extract(database, result["features"])
    assert "aspirin (ingredient), last 365 days" in set(cohort.catalogue["name"])
    assert "Hemoglobin (gram per deciliter), last value" in cohort.values
    assert "Outpatient, number of records, last 365 days" in cohort.values


def test_nothing_can_be_changed() -> None:
    """A definition that was used stays what it was."""
    definition = load_definition("stroke")
    with pytest.raises(FrozenInstanceError):
        definition.name = "other"  # type: ignore[misc]
    with pytest.raises(TypeError):
        definition.groups["more"] = STROKE  # type: ignore[index]


def test_members_of_a_set() -> None:
    """Descendants where told, each concept its own, and exclusion wins."""
    concepts = ConceptSet(
        "x",
        (Concept(1, "a"), Concept(2, "b", descendants=False), Concept(9, "nothing beneath")),
        (Concept(12, "c"), Concept(13, "d", descendants=False)),
    )
    beneath = {1: [1, 11, 12, 13, 121, 131], 2: [2, 21], 12: [12, 121], 13: [13, 131]}
    assert concepts.members(beneath) == {1, 11, 131, 2, 9}
    assert concepts.ancestors() == {1, 9, 12}


WRONG_FILES: list[tuple[str, str]] = [
    ("- a\n- b", "own.yaml: the definition must be keys and values"),
    ("a: !!set [1]", "expected keys and values, line 1"),
    ("a: !!map b", "expected keys and values, line 1"),
    ("a: !!int {b: 1}", "expected a whole number, line 1"),
    (SMALL + "washout: 30", "unknown key 'washout'. Allowed are name, title, index, outcome"),
    (SMALL + "title: again", "the key 'title' occurs twice, line"),
    (SMALL.replace("title: A small definition\n", ""), "own.yaml: the definition lacks title"),
    (SMALL.replace("313217", "'313217'"), "Concept: id must be a whole number, not '313217'"),
    (SMALL.replace("id: 313217, ", ""), "index: include, concept 1 lacks id"),
    (SMALL.replace("id: 313217", "id: 0"), "must be between 1 and 2,147,483,647, not 0"),
    (SMALL.replace("descendants: false", "descendants: sometimes"), "descendants must be True"),
    (SMALL.replace("descendants: false", "descendant: false"), "unknown key 'descendant'"),
    (SMALL.replace(ONE, "[]"), "index: atrial fibrillation: include must have at least one"),
    (SMALL.replace(ONE, "313217"), "must be a list of concepts"),
    (SMALL + "observation_before: -1", "observation_before must be between 0 and"),
    (SMALL + "observation_before: yes", "observation_before must be a whole number, not True"),
    (SMALL + "outcome_window: [0, 365]", "its first day must be between 1 and"),
    (SMALL + "outcome_window: [30, 3]", "its last day must be between 30 and"),
    (SMALL + "outcome_window: [1]", "outcome_window must be two days"),
    (SMALL + "outcome_window: [1, 366]", "later outcomes would be missed"),
    (SMALL + "age_cuts: [60, 50]", "age_cuts must increase"),
    (SMALL + "age_cuts: 50", "age_cuts must be a list"),
    (SMALL + "domains: [procedure]", "domains must be one or both of condition, drug"),
    (SMALL + "domains: [drug]\ngroups: " + GROUP, "which domains leaves out"),
    (SMALL + "groups: {age: {include: [{id: 1, name: x}]}}", "the name 'age' is taken"),
    (SMALL + "groups: {'a b': {include: [{id: 1, name: x}]}}", "'a b' does not"),
    (SMALL + "groups: {a: {}}", "groups: a lacks include"),
    (SMALL + "groups: [a]", "groups must map names to concept sets"),
    (SMALL + "feature: []", "unknown key 'feature'; did you mean 'features'. Allowed are"),
    (SMALL + "features: {domain: drug}", "features must be a list of features"),
    (SMALL + "features: [{domain: drugs}]", "not 'drugs'; did you mean 'drug'?"),
    (SMALL + "features: [{window: any}]", "features, number 1 lacks domain"),
    (SMALL + "features: [{domain: drug, windows: any}]", "'windows'; did you mean 'window'"),
    (SMALL + "features: [{domain: drug, window: 365}]", "must be 'any' or two days such as"),
    (SMALL + "features: [{domain: drug, window: [-1, -9]}]", "its first day must be between"),
    (SMALL + "features: [{domain: drug, window: [-9, 0]}]", "its last day must be between"),
    (SMALL + "features: [{domain: drug, window: [-9]}]", "must be two days, the first and"),
    (SMALL + "features: [{domain: drug, rollup: ingredients}]", "did you mean 'ingredient'?"),
    (SMALL + "features: [{domain: condition, rollup: ingredient}]", "ingredient is for drugs"),
    (SMALL + "features: [{domain: drug, rollup: {below: 7}}]", "rollup lacks level"),
    (SMALL + "features: [{domain: drug, rollup: {below: 7, level: 0}}]", "level must be between 1"),
    (SMALL + "features: [{domain: drug, rollup: groups}]", "needs groups"),
    (SMALL + "features: [{domain: drug, value: counts}]", "did you mean 'count'?"),
    (SMALL + "features: [{domain: drug, value: last}]", "is for measurement and observation"),
    (SMALL + "features: [{domain: measurement, value: last, rollup: groups}]\ngroups: " + GROUP,
     "value: last has no rollup"),
    (SMALL + "features: [{domain: drug, at_least: [2, 1]}]", "at_least must increase"),
    (SMALL + "features: [{domain: drug, at_least: 0}]", "at_least must be between 1 and"),
    (SMALL + "features: [{domain: visit, value: count, at_least: 2}]", "goes with value: recorded"),
    (SMALL + "features: [{domain: drug}, {domain: drug}]", "features: drug (any) is listed twice"),
    (SMALL + "features: [{domain: drug}]\ndomains: [drug]", "remove domains"),
    (SMALL + "inclusion: [18, 90]", "inclusion must be an Inclusion"),
    (SMALL + "inclusion: {ages: [18, 90]}", "'ages'; did you mean 'age'"),
    (SMALL + "inclusion: {age: [90, 18]}", "must begin with the least"),
    (SMALL + "inclusion: {age: [null, null]}", "must have a least or a most"),
    (SMALL + "inclusion: {age: 18}", "inclusion: age must be a list"),
    (SMALL + "inclusion: {sex: femal}", "not 'femal'; did you mean 'female'?"),
    (SMALL + "inclusion: {index_year: [2010]}", "must be two numbers"),
    (SMALL + "inclusion: {prior: []}", "inclusion: prior must be a list of criteria"),
    (SMALL + "inclusion: {prior: [{include: [{id: 1, name: x}]}]}", "prior, number 1 lacks name"),
    (SMALL + "inclusion: {prior: [{name: x, include: [{id: 1, name: x}], window: [-3, 5]}]}",
     "its last day must be between"),
    (SMALL + "inclusion: {prior: [{name: x, include: [{id: 1, name: x}], at_least: x}]}",
     "x: at_least must be a whole number"),
    (SMALL + "outcomes: {stroke: {include: [{id: 1, name: x}]}}", "the name 'stroke' is taken"),
    (SMALL + "outcomes: [a]", "outcomes must map names"),
    (SMALL + "outcomes: {b: {cohort: seven}}", "b: cohort must be a whole number"),
    (SMALL + "outcomes: {b: {any_of: []}}", "any_of must be a list of concept sets"),
    (SMALL + "first_after_days: -1", "first_after_days must be between 0"),
    (SMALL.replace("include: " + ONE, "domain: conditions\n  include: " + ONE),
     "not 'conditions'; did you mean 'condition'?"),
    (SMALL.replace("name: small", "name: Not Small"), "must consist of lower-case letters"),
    (SMALL.replace("A small definition", '"two\\nlines"'), "must be one line of text"),
    ("a: &x [1]\nb: *x", "references (& and *) are not allowed"),
    ("!!python/object/apply:os.system ['true']", "not readable as YAML"),
    ("a: [1", "not readable as YAML"),
    ("1: 2", "the key 1 is not text"),
    (SMALL.replace("313217", "9" * 5000), "must be a whole number in plain digits, line"),
    (SMALL.replace("313217", "0x" + "f" * 5000), "must be a whole number in plain digits, line"),
    (SMALL.replace("313217", "0313217"), "'0313217' must be a whole number in plain digits"),
    (SMALL.replace("313217", "1:30"), "'1:30' must be a whole number in plain digits"),
    (SMALL.replace("A small definition", "2024-13-45"), "cannot be read as timestamp, line"),
    (SMALL + "outcome_must_be_new: !!bool x", "'x' cannot be read as bool, line"),
    (SMALL + "observation_before: !!float x", "'x' cannot be read as float, line"),
    (SMALL + "groups: " + "[" * 3000 + "]" * 3000, "nests more than 16 levels deep"),
    (SMALL + "groups: " + "{a: " * 3000 + "1" + "}" * 3000, "nests more than 16 levels deep"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "complaint"), WRONG_FILES)
def test_wrong_files(text: str, complaint: str, tmp_path: Path) -> None:
    """What is wrong is named with the file and the place."""
    with pytest.raises(ParamError) as caught:
        load_definition(written(tmp_path, text))
    assert complaint in str(caught.value)
    assert str(caught.value).startswith("own.yaml")


def test_files_that_are_none(tmp_path: Path) -> None:
    """A name that nobody knows, a file that is not there, one that is no text."""
    with pytest.raises(ParamError, match="come with elseif are heart_failure, stroke"):
        load_definition("strokes")
    with pytest.raises(ParamError, match=r"none\.yaml: there is no such file"):
        load_definition(tmp_path / "none.yaml")
    path = written(tmp_path, "")
    path.write_bytes(b"name: \xff")
    with pytest.raises(ParamError, match="not UTF-8 at byte 6"):
        load_definition(path)
    path.write_bytes(b"#" * 1_000_001)
    with pytest.raises(ParamError, match="more than 1,000,000 bytes"):
        load_definition(path)
    with pytest.raises(ParamTypeError, match="a name or a file"):
        load_definition(7)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: ConceptSet("x", Concept(1, "a")), "must be a sequence of Concept"),  # type: ignore[arg-type]
        (lambda: ConceptSet("x", (1,)), "1, which is not a Concept"),  # type: ignore[arg-type]
        (lambda: ConceptSet("x", (Concept(1, "a"), Concept(1, "b"))), "the concept 1 twice"),
        (lambda: Concept(True, "a"), "must be a whole number"),
        (lambda: CohortDefinition("a", "b", FIBRILLATION, 1), "outcome must be a ConceptSet"),  # type: ignore[arg-type]
        (lambda: replace(load_definition("stroke"), groups={"a": 1}), "must be a ConceptSet"),  # type: ignore[dict-item]
        (lambda: replace(load_definition("stroke"), outcome_must_be_new=1), "True or False"),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_wrong_values(make: Any, complaint: str) -> None:
    """In Python as in files."""
    with pytest.raises(ParamError, match=complaint):
        make()


def test_a_pipe_is_no_definition(tmp_path: Path) -> None:
    """Which nobody may ever write to: it is refused, not waited for."""
    os.mkfifo(tmp_path / "own.yaml")
    with pytest.raises(ParamError, match="is not a file"):
        load_definition(tmp_path / "own.yaml")


def test_what_is_wrong_is_shown_in_short() -> None:
    """A value of any length makes a sentence of some length."""
    with pytest.raises(ParamError) as caught:
        Concept(1, ["a"] * 10_000)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 200
