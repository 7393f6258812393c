"""What a database cannot tell is said: concepts without descendants, and groups of nobody."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from elseif.cohort import Cohort, CohortDefinition, Concept, ConceptSet, extract, read_cohort
from elseif.errors import ParamError
from tests.cohort.engines import DuckDBEngine, Engine
from tests.cohort.rows import Tables

AF, STROKE, FAILURE, LEFT_FAILURE, DIABETES, WARFARIN = 10, 20, 30, 31, 40, 50
INDEX, BEFORE = date(2015, 1, 1), date(2014, 1, 1)
PEOPLE = range(1, 9)


def tables(ancestors: Iterable[tuple[int, int]]) -> Tables:
    """Eight persons; every second has left heart failure, every fourth warfarin."""
    return Tables(
        persons=[(person, 8532, 1950) for person in PEOPLE],
        periods=[(person, date(2010, 1, 1), date(2020, 1, 1)) for person in PEOPLE],
        conditions=[(person, AF, INDEX) for person in PEOPLE]
        + [(person, LEFT_FAILURE, BEFORE) for person in PEOPLE if person % 2],
        drugs=[(person, WARFARIN, BEFORE) for person in PEOPLE if person % 4 == 0],
        concepts=[(AF, "Atrial fibrillation"), (LEFT_FAILURE, "Left heart failure")],
        ancestors=list(ancestors),
    )


WHOLE = [(i, i) for i in (AF, STROKE, FAILURE, DIABETES, WARFARIN)] + [(FAILURE, LEFT_FAILURE)]


def concepts(name: str, i: int, descendants: bool = True) -> ConceptSet:
    return ConceptSet(name, (Concept(i, name.capitalize(), descendants),))


DEFINITION = CohortDefinition(
    "small",
    "Small",
    concepts("fibrillation", AF),
    concepts("stroke", STROKE, descendants=False),
    groups={"failure": concepts("failure", FAILURE), "diabetes": concepts("diabetes", DIABETES)},
)


def extracted(engine: Engine, ancestors: Iterable[tuple[int, int]], folder: Path) -> Cohort:
    engine.load(tables(ancestors))
    with engine.connect() as database:
        cohort = extract(database, DEFINITION, folder=folder)
    assert read_cohort(folder).warnings == cohort.warnings
    return cohort


def test_a_whole_vocabulary(engine: Engine, tmp_path: Path) -> None:
    """Only the group of nobody is warned of; the concept without descendants needs no row."""
    with pytest.warns(UserWarning, match="Nobody in the cohort .*this group.*: diabetes. Scores"):
        cohort = extracted(engine, [row for row in WHOLE if row[0] != STROKE], tmp_path / "c")
    assert int(cohort.groups["failure"].sum()) == 4
    assert cohort.empty_groups == ["diabetes"]
    assert cohort.warnings == (
        "diabetes: recorded of nobody in the cohort before the index date, so false for everybody; "
        "scores that count it are too low.",
    )


def test_a_vocabulary_with_gaps(duckdb_engine: DuckDBEngine, tmp_path: Path) -> None:
    """A concept without a row of its own has zeros in place of four persons, and that is said."""
    gaps = [row for row in WHOLE if row[0] != FAILURE]
    words = r"no row of its own for 1 of the 3 concepts .*\(30 Failure\)"
    with pytest.warns(UserWarning, match=words) as heard:
        cohort = extracted(duckdb_engine, gaps, tmp_path / "c")
    assert int(cohort.groups["failure"].sum()) == 0
    assert cohort.warnings[0] == (
        "30 Failure (failure) has no row of its own in concept_ancestor: records of its "
        "descendants may be missed."
    )
    assert [text.split(":")[0] for text in cohort.warnings[1:]] == ["failure", "diabetes"]
    assert any("failure, diabetes" in str(one.message) for one in heard)


def test_a_row_of_another_is_not_its_own(duckdb_engine: DuckDBEngine, tmp_path: Path) -> None:
    """With a descendant but not itself, a vocabulary is still incomplete."""
    rows = [row for row in WHOLE if row != (FAILURE, FAILURE)]
    cohort = extracted(duckdb_engine, rows, tmp_path / "c")
    assert int(cohort.groups["failure"].sum()) == 4
    assert cohort.warnings[0].startswith("30 Failure (failure) has no row of its own")


def test_a_group_of_drugs_where_drugs_are_left_out(engine: Engine) -> None:
    """It would be false for everybody; with drugs it is counted, and conditions are no matter."""
    definition = replace(DEFINITION, groups={"blood_thinner": concepts("warfarin", WARFARIN)})
    engine.load(tables(WHOLE))
    with engine.connect() as database:
        assert int(extract(database, definition).groups["blood_thinner"].sum()) == 2
        message = "blood_thinner is recorded among drugs .2 records. .* Add drug to domains"
        with pytest.raises(ParamError, match=message):
            extract(database, replace(definition, domains=("condition",)))
        failure = replace(definition, groups={"failure": concepts("failure", FAILURE)})
        without = extract(database, replace(failure, domains=("condition",)))
    assert int(without.groups["failure"].sum()) == 4


@pytest.mark.parametrize(
    ("names", "is_synthetic"),
    [
        (["Synthea synthetic health database"], True),
        (["SYNTHETIC patients"], True),
        (["CMS DE-SynPUF 1K"], True),
        (["Claims 2019", "synpuf5pct_20180710"], True),
        (["Simulated claims"], True),
        (["SyntheaTM"], True),
        (["Synthes implant registry"], False),
        (["Optum Clinformatics"], False),
        ([], False),
    ],
)
def test_synthetic_by_name(
    duckdb_engine: DuckDBEngine, names: list[str], is_synthetic: bool, tmp_path: Path
) -> None:
    """Whatever the letters; a company's name is not taken for it."""
    duckdb_engine.load(replace(tables(WHOLE), sources=[(name,) for name in names] or None))
    with duckdb_engine.connect() as database:
        cohort = extract(database, DEFINITION, folder=tmp_path / "c")
    assert cohort.is_synthetic is is_synthetic
    again = read_cohort(tmp_path / "c")
    assert again.is_synthetic is is_synthetic
    assert sorted(again.source_names) == sorted(names)
    assert again.table().origin["synthetic"] is is_synthetic


def leaving(last_day: date) -> Tables:
    """Persons 1 to 4 leave on a day, the first two after a stroke in March."""
    made = tables(WHOLE)
    strokes = [(person, STROKE, date(2015, 3, 1)) for person in (1, 2, 7)]
    periods = [
        (person, date(2010, 1, 1), last_day if person <= 4 else date(2020, 1, 1))
        for person in PEOPLE
    ]
    return replace(made, periods=periods, conditions=[*made.conditions, *strokes])


def test_lost_outcomes(engine: Engine, tmp_path: Path) -> None:
    """Who had the outcome and left is counted, or kept where all outcomes are wanted."""
    engine.load(leaving(date(2015, 3, 1)))
    everybody = replace(DEFINITION, include_all_outcomes=True)
    with engine.connect() as database:
        cohort = extract(database, DEFINITION, folder=tmp_path / "some")
        kept = extract(database, everybody, folder=tmp_path / "all", persons_a_batch=3)
    assert cohort.person_ids.tolist() == [5, 6, 7, 8]
    assert cohort.attrition["lost_outcomes"].tolist() == [0, 0, 0, 0, 0, 2]
    again = read_cohort(tmp_path / "some")
    assert again.attrition["lost_outcomes"].tolist() == [0, 0, 0, 0, 0, 2]
    assert kept.person_ids.tolist() == [1, 2, 5, 6, 7, 8]
    assert kept.outcome.tolist() == [True, True, False, False, True, False]
    assert kept.attrition["lost_outcomes"].sum() == 0
    assert kept.attrition["step"].iloc[-1] == (
        "were observed for 365 days after it, or had stroke while they were observed"
    )
    assert read_cohort(tmp_path / "all").definition.include_all_outcomes


def test_outcomes_after_leaving_are_not_seen(duckdb_engine: DuckDBEngine) -> None:
    """A stroke a day after observation has ended is neither lost nor kept."""
    duckdb_engine.load(leaving(date(2015, 2, 28)))
    with duckdb_engine.connect() as database:
        cohort = extract(database, replace(DEFINITION, include_all_outcomes=True))
        assert cohort.person_ids.tolist() == [5, 6, 7, 8]
        assert extract(database, DEFINITION).attrition["lost_outcomes"].sum() == 0
