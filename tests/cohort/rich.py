"""A small database with records of every domain, and definitions that ask for all that there is."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import numpy as np

from elseif.cohort import CohortDefinition
from elseif.cohort.definition_file import definition_from
from tests.cohort.rows import Tables

INDEX = date(2016, 3, 1)  # after a 29 February
EDGES = [-800, -366, -365, -364, -181, -180, -31, -30, -29, -2, -1, 0, 1, 30, 365, 366]
FINDING = 441840
# conditions: 10 and 20 are one level below clinical finding, 11, 12, 21 beneath them
CONDITIONS = [11, 12, 21, 30, 313217]
STROKE, BLEEDING = 443454, 437312
# drugs: 101 and 102 have the ingredient 1000, 103 has two, 104 none
DRUGS = [101, 102, 103, 104]
PROCEDURES, VISITS, TESTS, OBSERVATIONS = [501, 502], [9201, 9202], [3000963, 3004410], [4005823]
GRAM, OTHER_GRAM, PERCENT = 8713, 8636, 8554
COHORT_INDEX, COHORT_OUTCOME = 7, 8

ANCESTORS = [
    (FINDING, FINDING), (FINDING, 10), (FINDING, 20), (FINDING, 11), (FINDING, 12), (FINDING, 21),
    (10, 10), (10, 11), (10, 12), (20, 20), (20, 21), (20, 12), (11, 11), (12, 12), (21, 21),
    (30, 30), (313217, 313217), (STROKE, STROKE), (BLEEDING, BLEEDING),
    (1000, 1000), (1000, 101), (1000, 102), (1000, 103), (2000, 2000), (2000, 103),
    (1500, 1500), (1500, 104), (700, 101), (700, 103), (700, 700),
]  # fmt: skip
LEVELS = {(FINDING, 11): 2, (FINDING, 12): 2, (FINDING, 21): 2}
CLASSES = {
    1000: ("Ingredient", "S"),
    2000: ("Ingredient", "S"),
    1500: ("Ingredient", "C"),  # not a standard concept, and so no ingredient
    700: ("ATC 3rd", "C"),
}
NAMES = {
    10: "Heart disease", 11: "Angina", 12: "Hypertensive heart disease", 20: "Hypertension",
    21: "Essential hypertension", 313217: "Atrial fibrillation", STROKE: "Cerebral infarction",
    101: "aspirin 81 MG", 102: "aspirin 325 MG", 103: "aspirin / clopidogrel", 1000: "aspirin",
    2000: "clopidogrel", 700: "ANTITHROMBOTIC AGENTS", 501: "Echocardiography", 9201: "Inpatient",
    9202: "Outpatient", 3000963: "Hemoglobin", 3004410: "Hemoglobin A1c",
    GRAM: "gram per deciliter", OTHER_GRAM: "gram per liter", PERCENT: "percent",
    4005823: "Tobacco use",
}  # fmt: skip


def rich_database(seed: int = 0, n_persons: int = 80) -> Tables:
    """Persons whose records crowd around the edges of windows."""
    rng = np.random.default_rng(seed)

    def some(persons: list[int], concepts: list[int], most: int) -> list[tuple[int, int, date]]:
        return [
            (person, int(rng.choice(concepts)), INDEX + timedelta(days=int(rng.choice(EDGES))))
            for person in persons
            for _ in range(int(rng.integers(0, most)))
        ]

    def valued(rows: list[tuple[int, int, date]], units: list[int | None]) -> list[Any]:
        result: list[Any] = []
        for row in rows:
            value = None if rng.random() < 0.1 else float(rng.integers(1, 40)) / 4
            result.append((*row, value, units[int(rng.integers(len(units)))]))
        return result

    ids = [int(i) for i in rng.permutation(np.arange(3, 3 + 7 * n_persons, 7))]
    periods, conditions, cohorts = [], some(ids, CONDITIONS, 9), []
    for person in ids:
        before, after = int(rng.choice([364, 365, 900])), int(rng.choice([29, 365, 900]))
        begin = INDEX - timedelta(days=before)
        periods.append((person, begin, INDEX + timedelta(days=after)))
        if rng.random() < 0.3:
            periods.append((person, begin - timedelta(days=900), begin - timedelta(days=2)))
        for _ in range(int(rng.choice([0, 1, 1, 2]))):
            day = INDEX + timedelta(days=int(rng.choice([0, 0, 0, -700, 1])))
            conditions.append((person, 313217, day))
        for concept in (STROKE, BLEEDING):
            if rng.random() < 0.4:
                day = INDEX + timedelta(days=int(rng.choice([-100, 0, 1, 30, 365, 366])))
                conditions.append((person, concept, day))
        for number in (COHORT_INDEX, COHORT_OUTCOME, 99):
            if rng.random() < 0.7:
                lowest = 0 if number == COHORT_INDEX else -5
                day = INDEX + timedelta(days=int(rng.integers(lowest, 60)))
                cohorts.append((number, person, day, day + timedelta(days=3)))
    return Tables(
        persons=[(i, int(rng.choice([8532, 8507, 0])), int(rng.integers(1930, 2005))) for i in ids],
        periods=periods,
        conditions=conditions,
        drugs=some(ids, DRUGS, 8),
        concepts=list(NAMES.items()) + [(c, "Thing") for c in (1500, BLEEDING, 30)],
        ancestors=ANCESTORS,
        procedures=some(ids, PROCEDURES, 4),
        visits=some(ids, VISITS, 9),
        measurements=valued(some(ids, TESTS, 9), [GRAM, GRAM, GRAM, OTHER_GRAM, PERCENT, None, 0]),
        observations=valued(some(ids, OBSERVATIONS, 3), [None]),
        cohorts=cohorts,
        classes=CLASSES,
        levels=LEVELS,
    )


def _concepts(*ids: int, descendants: bool = True) -> list[dict[str, Any]]:
    return [
        {"id": i, "name": NAMES.get(i, f"concept {i}"), "descendants": descendants} for i in ids
    ]


BASE: dict[str, Any] = {
    "name": "rich",
    "title": "Stroke or bleeding after atrial fibrillation",
    "index": {"name": "atrial fibrillation", "include": _concepts(313217)},
    "outcome": {"name": "stroke", "include": _concepts(STROKE)},
    "observation_before": 0,
    "observation_after": 30,
    "outcome_window": [1, 30],
    "groups": {
        "heart_disease": {"include": _concepts(10)},
        "pressure_or_aspirin": {"include": _concepts(20, 1000), "exclude": _concepts(12)},
    },
}
DEFINITIONS: dict[str, dict[str, Any]] = {
    "truths": {
        **BASE,
        "features": [
            {"domain": "condition", "window": "any"},
            {"domain": "condition", "window": [-30, -1]},
            {"domain": "condition", "window": [-365, -31], "include": _concepts(10)},
            {"domain": "procedure", "window": [-180, -1]},
            {"domain": "visit", "at_least": [1, 2, 3]},
            {"domain": "drug", "rollup": "ingredient", "window": [-365, -1], "at_least": [1, 2]},
            {"domain": "drug", "rollup": "atc3"},
            {"domain": "condition", "rollup": {"below": FINDING, "level": 1}},
            {"domain": "condition", "rollup": "groups", "window": [-365, -1], "at_least": [1, 3]},
        ],
        "outcomes": {"bleeding": {"include": _concepts(BLEEDING)}},
        "inclusion": {"age": [18, None], "sex": ["female", "unknown"], "index_year": [2015, 2016]},
    },
    "numbers": {
        **BASE,
        "features": [
            {"domain": "measurement", "value": "last", "window": [-365, -1]},
            {"domain": "visit", "value": "count", "window": [-365, -1]},
            {"domain": "visit", "value": "total", "window": [-30, -1]},
            {"domain": "drug", "value": "distinct", "rollup": "ingredient", "window": [-180, -1]},
            {"domain": "condition", "value": "count", "rollup": "groups"},
        ],
        "inclusion": {
            "prior": [{"name": "seen", "domain": ["visit", "procedure"],
                       "include": _concepts(9202, 501), "window": [-800, 0]}],
            "no_prior": [
                {"name": "many drugs", "domain": "drug", "include": _concepts(1000),
                 "at_least": 3},
                {"name": "bleeding", "include": _concepts(BLEEDING), "window": ["any", 0],
                 "observed": True},
            ],
        },
        "outcome_must_be_new": True,
    },
    "cohorts": {
        **BASE,
        "index": {"name": "exposed", "cohort": COHORT_INDEX},
        "outcome": {"name": "event", "cohort": COHORT_OUTCOME},
        "outcomes": {
            "stroke": {"any_of": [{"include": _concepts(STROKE)},
                                  {"domain": "drug", "include": _concepts(1000)}]},
        },
        "first_after_days": 365,
        "groups": {},
        "features": [{"domain": "drug"}, {"domain": "observation", "value": "last"}],
    },
}  # fmt: skip


def rich_definition(name: str) -> CohortDefinition:
    """One of the definitions, read as from a file."""
    return definition_from(DEFINITIONS[name], f"{name}.yaml")
