"""flchain and nwtco: real people with a known outcome, and a comparison that can be lost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lifelines import KaplanMeierFitter

from elseif.cli.main import run
from elseif.datasets import read_survival
from elseif.errors import ParamError
from elseif.studies.flchain import COHORT as FLCHAIN, read_flchain
from elseif.studies.follow_up import EVENT, follow_up
from elseif.studies.nwtco import COHORT as NWTCO, read_nwtco
from elseif.studies.real_cohort import FollowedPeople, RealCohort
from elseif.studies.value_contenders import as_numbers
from tests.studies.conftest import Study, program

COHORTS = {"flchain": (FLCHAIN, read_flchain()), "nwtco": (NWTCO, read_nwtco())}


@pytest.mark.parametrize(
    ("name", "n", "n_known", "n_events"),
    [("flchain", 7_874, 7_679, 935), ("nwtco", 4_028, 3_648, 499)],
)
def test_people(name: str, n: int, n_known: int, n_events: int) -> None:
    """Counted by hand in the published tables; the risk is that of lifelines."""
    cohort: RealCohort
    people: FollowedPeople
    cohort, people = COHORTS[name]
    X, y = people.known(cohort.days, cohort.outcome)
    assert (len(people.table), len(X), len(y), int(y.sum())) == (n, n_known, n_known, n_events)
    followed = follow_up(people.time, people.ends_in, cohort.days)
    assert (followed.n_known, followed.n_events) == (n_known, n_events)
    fitted = KaplanMeierFitter().fit(people.time, people.ends_in == EVENT)
    assert followed.risk == pytest.approx(1 - float(fitted.predict(cohort.days)))


def test_nothing_of_the_outcome_is_left() -> None:
    """Cause of death, times and identifiers are no features."""
    assert set(read_flchain().table.columns) == {
        "age", "sex", "sample.yr", "kappa", "lambda", "creatinine", "mgus",
    }  # fmt: skip
    table = read_nwtco().table
    published = read_survival("nwtco")
    assert "rel" not in " ".join(table.columns)
    unfavourable = table["histology by central laboratory"] == "unfavourable"
    assert (unfavourable.to_numpy() == (published["histol"] == 2).to_numpy()).all()


def test_values_are_numbers() -> None:
    X = as_numbers(read_flchain().table)
    assert X.dtypes.eq(float).all()
    assert X["creatinine"].isna().sum() == read_survival("flchain")["creatinine"].isna().sum()
    assert set(np.unique(X["sex_M"])) == {0.0, 1.0}


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    out = tmp_path_factory.mktemp("study") / "nwtco"
    words = ["--only", "BRL,CART,logistic on values", "--folds", "2", "--out", out]
    done = program("study", "nwtco", *words)
    assert done.returncode == 0, done.stderr
    return Study(out, done.stdout, done.stderr)


def test_the_study(study: Study) -> None:
    assert study.stdout.startswith("These are real people of a public data set, R's nwtco")
    results = study.results()
    names = ["BRL-point", "BRL-post", "logistic on values", "CART"]
    assert list(results["classifiers"]) == names
    assert results["failures"] == {}
    assert (results["n"], results["n_events"], results["synthetic"]) == (3_648, 499, False)
    for name in names:
        auc = results["classifiers"][name]["auc"]
        assert auc["low"] < auc["mean"] < auc["high"]
        assert len(auc["folds"]) == 2
    written = {path.name for path in study.out.iterdir()}
    assert {"model.json", "report.html", "tables.txt", "auc.png", "calibration.svg"} <= written
    page = (study.out / "report.html").read_text("utf-8")
    assert "real people" in page
    assert "SYNTHETIC" not in page
    tables = (study.out / "tables.txt").read_text("utf-8")
    assert tables.startswith("$ elseif study nwtco --out ")
    assert "Risk by Kaplan" in " ".join(tables.split())


@pytest.mark.slow
def test_it_continues(study: Study) -> None:
    """A second run reads every fit that was kept."""
    before = {path: path.stat().st_mtime_ns for path in study.out.glob("kept/*/*.json")}
    assert len(before) == 6
    words = ["--only", "BRL,CART,logistic on values", "--folds", "2", "--out", study.out]
    done = program("study", "nwtco", *words)
    assert done.returncode == 0, done.stderr
    assert {path: path.stat().st_mtime_ns for path in before} == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nwtco", "--database", "x"], "--database is an option of elseif study stroke only"),
        (["nwtco", "--only", "CHADS2"], "There is no classifier 'CHADS2'"),
        (["flchain", "--only", "BRL", "--skip", "SVM"], "Give --only or --skip, not both."),
        (["nwtco", "--time-at-risk", "3"], "Give another --time-at-risk"),
    ],
)
def test_refused(
    words: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert run(["study", *words, "--out", str(out)]) in (2, 3)
    assert said in " ".join(capsys.readouterr().err.split())


def test_no_such_table() -> None:
    with pytest.raises(ParamError, match="no table 'absent'"):
        read_survival("absent")
