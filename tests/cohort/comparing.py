"""Cohorts compared cell by cell: with the slow reference, and with each other."""

from __future__ import annotations

import numpy as np
import pandas as pd

from elseif.cohort import Cohort
from tests.cohort.naive_extraction import ANALYSIS, NaiveCohort


def features_of(cohort: Cohort) -> dict[int, set[str]]:
    """The names of each person's features."""
    names = cohort.catalogue["name"].to_numpy()
    matrix = cohort.features.tocsr()
    matrix.sum_duplicates()
    return {
        int(person): set(names[matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]]])
        for i, person in enumerate(cohort.person_ids)
    }


def groups_of(cohort: Cohort) -> dict[int, set[str]]:
    """The names of each person's groups."""
    return {
        int(person): {name for name in cohort.groups.columns if cohort.groups[name].iloc[i]}
        for i, person in enumerate(cohort.person_ids)
    }


def catalogue_rows(cohort: Cohort) -> list[tuple[str, int, str, int]]:
    columns = ["name", "concept_id", "domain", "covariate_id"]
    return [
        (str(name), int(concept), str(domain), int(covariate))
        for name, concept, domain, covariate in cohort.catalogue[columns].itertuples(index=False)
    ]


def assert_sound(cohort: Cohort) -> None:
    """Types, order and shapes that hold for every cohort."""
    n, p = len(cohort.person_ids), len(cohort.catalogue)
    assert cohort.person_ids.dtype == np.int64
    assert (np.diff(cohort.person_ids) > 0).all()
    assert cohort.index_dates.dtype == np.dtype("datetime64[D]")
    assert cohort.outcome.dtype == bool
    assert cohort.features.dtype == bool
    assert cohort.features.shape == (n, p)
    assert cohort.features.data.all()  # nothing is stored but what is true
    assert all(len(part) == n for part in (cohort.index_dates, cohort.outcome, cohort.age))
    assert len(cohort.sex) == len(cohort.groups) == n
    assert all(kind.kind == "b" for kind in cohort.groups.dtypes)
    assert cohort.catalogue["name"].is_unique
    assert cohort.catalogue["covariate_id"].dtype == np.int64
    order = list(zip(cohort.catalogue["domain"], cohort.catalogue["concept_id"], strict=True))
    assert order == sorted(order)
    assert list(cohort.attrition.columns) == ["step", "persons", "removed", "lost_outcomes"]
    assert list(cohort.quality_issues.columns) == ["what", "records", "persons"]
    steps = cohort.attrition["persons"].to_numpy()
    assert steps[-1] == n
    assert (np.diff(steps) <= 0).all()
    assert list(cohort.attrition["removed"])[1:] == list(-np.diff(steps))


def assert_as_reference(cohort: Cohort, reference: NaiveCohort) -> None:
    """Every cell of the extraction is what the slow reference finds."""
    assert_sound(cohort)
    patients = dict(sorted(reference.patients.items()))
    assert [int(person) for person in cohort.person_ids] == list(patients)
    dates = [np.datetime64(patient.index_date, "D") for patient in patients.values()]
    assert list(cohort.index_dates) == dates
    assert list(cohort.outcome) == [patient.outcome for patient in patients.values()]
    assert list(cohort.age) == [patient.age for patient in patients.values()]
    assert list(cohort.sex) == [patient.sex for patient in patients.values()]
    expected = {
        person: {reference.names[feature] for feature in patient.features}
        for person, patient in patients.items()
    }
    assert features_of(cohort) == expected
    assert groups_of(cohort) == {person: patient.groups for person, patient in patients.items()}
    rows = [
        (reference.names[domain, concept], concept, domain, concept * 1000 + ANALYSIS[domain])
        for domain, concept in sorted(reference.names)
    ]
    assert catalogue_rows(cohort) == rows
    assert list(cohort.attrition["persons"]) == reference.attrition
    lost = cohort.attrition["lost_outcomes"].tolist()
    assert lost[5] == sum(lost) == reference.lost_outcomes


def assert_equal_cohorts(left: Cohort, right: Cohort) -> None:
    """Two extractions give the same table, cell by cell, and the same counts."""
    np.testing.assert_array_equal(left.person_ids, right.person_ids)
    np.testing.assert_array_equal(left.index_dates, right.index_dates)
    np.testing.assert_array_equal(left.outcome, right.outcome)
    np.testing.assert_array_equal(left.age, right.age)
    np.testing.assert_array_equal(np.asarray(left.sex), np.asarray(right.sex))
    a, b = left.features.tocsr(), right.features.tocsr()
    for matrix in (a, b):
        matrix.sort_indices()
    assert a.shape == b.shape
    np.testing.assert_array_equal(a.indptr, b.indptr)
    np.testing.assert_array_equal(a.indices, b.indices)
    np.testing.assert_array_equal(a.data, b.data)
    for name in ("catalogue", "groups", "attrition", "quality_issues"):
        pd.testing.assert_frame_equal(getattr(left, name), getattr(right, name))
    assert left.definition == right.definition
