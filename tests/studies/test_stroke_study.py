"""The study of stroke through the program: all that it writes, and its end by a signal."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import pytest

from elseif import load_model
from elseif.cli.main import run
from elseif.cohort import read_cohort
from elseif.evaluation.discrimination import delong
from elseif.progress import Progress
from elseif.studies.stroke_cohort import find_patients
from elseif.studies.stroke_settings import StrokeSettings
from tests.browser.calculator_tools import columns_of, fill_in, lit
from tests.browser.open_page import OpenPage
from tests.cli.program import SIGNALS, end_by
from tests.cohort.extracting import make_database
from tests.studies.conftest import SMALL, Study, program, without_times

POPULATIONS = ["everybody", "women", "men"]
CLASSIFIERS = ["BRL-point", "BRL-post", "CHADS2", "CHA2DS2-VASc", "CART"]


def test_what_is_written(small_study: Study) -> None:
    """Tables, figures, pages, numbers; and that the patients are synthetic, everywhere."""
    names = {path.name for path in small_study.out.iterdir()}
    pictures = ("figure-4-list", "figure-5-roc", "auc", "calibration")
    assert {f"{name}.{kind}" for name in pictures for kind in ("png", "svg")} <= names
    assert {"results.json", "tables.txt", "lists.txt", "model.json", "kept"} <= names
    assert small_study.cohort_folder().name in names
    assert small_study.stdout.startswith("These patients are SYNTHETIC")
    for page in ("report.html", "calculator.html", "figure-5-roc.svg"):
        assert "SYNTHETIC" in (small_study.out / page).read_text("utf-8")
    tables = (small_study.out / "tables.txt").read_text("utf-8")
    command, *parts = tables.split("\n\n")
    assert command.startswith("$ elseif study stroke --out ")
    assert all(part in small_study.stdout for part in parts)
    assert "another database (MarketScan Medicaid)" in tables


def test_progress_is_no_part_of_the_output(small_study: Study) -> None:
    assert "%" not in small_study.stderr
    assert "\r" not in small_study.stdout + small_study.stderr


def test_the_numbers(small_study: Study) -> None:
    """Every population has every classifier, with as many folds as were asked for."""
    results = small_study.results()
    assert results["synthetic"] is True
    assert results["cohort"]["n"] == 300
    assert [p["population"] for p in results["populations"]] == POPULATIONS
    everybody, women, men = results["populations"]
    assert women["n"] + men["n"] == everybody["n"]
    for population in results["populations"]:
        assert list(population["classifiers"]) == CLASSIFIERS
        assert population["failures"] == {}
        for one in population["classifiers"].values():
            assert one["auc"]["mean"] == pytest.approx(np.mean(one["auc"]["folds"]))
            assert one["auc"]["sd"] == pytest.approx(np.std(one["auc"]["folds"], ddof=1))
            assert sum(g["n"] for g in one["calibration"]) == population["n"]
        point, post = (population["classifiers"][name] for name in CLASSIFIERS[:2])
        assert point["seconds"] == post["seconds"]
        assert population["classifiers"]["CHADS2"]["seconds"] is None
        assert len(population["lists"]) == 2
    assert results["times"]["brl_everybody_seconds"] == pytest.approx(
        sum(everybody["classifiers"]["BRL-point"]["seconds"]["folds"])
    )


def test_the_scores_are_those_of_the_cohort(small_study: Study) -> None:
    """CHADS2 learns nothing: its AUC is that of the points of the people in each fold."""
    from sklearn.model_selection import StratifiedKFold

    from elseif.evaluation.scores import CHADS2

    cohort = read_cohort(small_study.cohort_folder())
    points = CHADS2().points(cohort.score_table())
    splits = StratifiedKFold(2, shuffle=True, random_state=0).split(points, cohort.outcome)
    aucs = [delong(cohort.outcome[test], np.asarray(points)[test])[0] for _, test in splits]
    results = small_study.results()["populations"][0]["classifiers"]["CHADS2"]["auc"]
    np.testing.assert_allclose(results["folds"], aucs)


def test_the_model_is_the_list_that_is_shown(small_study: Study) -> None:
    """The model file reads the cohort's table, and its list is that of figure 4."""
    cohort = read_cohort(small_study.cohort_folder())
    model = load_model(small_study.out / "model.json")
    lines = small_study.results()["list"]["lines"]
    table = cohort.table()
    np.testing.assert_array_equal(
        np.unique(model.predict_proba(table)[:, 1]), np.unique([x["probability"] for x in lines])
    )
    assert sum(line["n"] for line in lines) == len(cohort)
    assert str(model.rule_list_) in small_study.stdout


def test_the_report_has_the_folds_of_the_tables(small_study: Study) -> None:
    """Its AUC is that of the table, to the last digit shown."""
    auc = small_study.results()["populations"][0]["classifiers"]["BRL-point"]["auc"]["mean"]
    page = (small_study.out / "report.html").read_text("utf-8")
    assert f"{auc:.3f}" in page
    assert "elseif study stroke --out" in page


@pytest.mark.parametrize(("present", "age"), [(False, 45), (False, 85), (True, 85)])
def test_pages_in_a_browser(
    small_study: Study, open_page: OpenPage, present: bool, age: int
) -> None:
    """Both pages are quiet; the calculator asks for each column and finds the line of the model."""
    report = open_page(small_study.out / "report.html")
    assert "SYNTHETIC patients" in report.locator("h1").inner_text()
    page = open_page(small_study.out / "calculator.html")
    assert page.locator("h1").inner_text() == (
        "SYNTHETIC patients: risk of stroke after atrial fibrillation"
    )
    rule_list = load_model(small_study.out / "model.json").rule_list_
    case: dict[str, Any] = {}
    for index, name in enumerate(columns_of(page)):
        case[name] = {"age": age, "sex": "female"}.get(name, present)
        value = case[name]
        if name == "sex":
            value = page.evaluate(f"() => model.columns[{index}].options.indexOf('female')")
        fill_in(page, index, {"state": "value", "value": int(value)})
    assert lit(page) == rule_list.captured_by(pd.DataFrame([case])).tolist()


def test_interrupts_and_what_comes_after(small_study: Study, tmp_path: Path) -> None:
    """Signals leave what is done and say how to go on; the end is as if nothing had been."""
    out = tmp_path / "stroke"
    command = ["study", "stroke", "--out", str(out), *SMALL]
    kept: list[Path] = []

    def kept_now() -> list[Path]:
        return sorted((out / "kept").rglob("*.json"))

    def more_is_kept() -> None:
        deadline = time.monotonic() + 300
        while len(kept_now()) <= len(kept) and time.monotonic() < deadline:
            time.sleep(0.02)

    for number, code, line in SIGNALS:
        result, errors = end_by(number, command, more_is_kept)
        assert result == code
        assert errors[-1] == (
            f"elseif: {line}: finished work is kept in {out}, and the same command continues"
        )
        assert not (out / "results.json").exists()
        assert set(kept_now()) > set(kept)
        kept = kept_now()
        assert not list(out.rglob("*.tmp-*"))
    kept[0].write_bytes(kept[0].read_bytes()[:-10])  # damaged besides
    done = program(*command)
    assert done.returncode == 0, done.stderr
    assert f"{kept[0]} is damaged: computed again." in done.stderr
    again = Study(out, done.stdout, done.stderr).results()
    assert again["times"]["n_kept"] == len(kept) - 1
    assert without_times(again) == without_times(small_study.results())


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["stroke", "--only", "BRL", "--skip", "CART"], "Give --only or --skip, not both."),
        (["stroke", "--schema", "cdm"], "--schema goes with --database"),
        (["stroke", "--vocabulary-schema", "v"], "--vocabulary-schema goes with --database"),
        (["stroke", "--definition", "heart_failure"], "needs --database"),
        (["stroke", "--database", "x.duckdb", "--patients", "200"], "--patients is the size"),
        (["stroke", "--folds", "1"], "--folds"),
        (["stroke", "--jobs", "0"], "--jobs is 0; it must be 1 or more, or negative"),
        (["stroke", "--only", ","], "--only ',' names no classifier."),
        (
            ["titanic", "--folds", "3"],
            "--folds is an option of elseif study stroke, flchain and nwtco, not of study titanic.",
        ),
        (["tictactoe", "--database", "x"], "--database is an option of elseif study stroke"),
    ],
)
def test_options_that_cannot_be(
    options: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They are refused before a folder is made."""
    assert run(["study", *options, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_a_classifier_that_there_is_not(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is refused before patients are made."""
    assert run(["study", "stroke", "--out", str(tmp_path), "--only", "BRL,chads"]) == 2
    error = capsys.readouterr().err
    assert "There is no classifier 'chads'; there are BRL, CHADS2," in error
    assert "Did you mean 'CHADS2'?" in error
    assert list(tmp_path.glob("[!.]*")) == []


@pytest.mark.parametrize(
    ("url", "schema"),
    [
        ("mysql://somebody:hunter2@127.0.0.1/claims", "cdm"),
        ("postgresql://somebody:hunter2@127.0.0.1/claims", 'cdm"; drop table person'),
    ],
)
def test_credentials_stay_unseen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], url: str, schema: str
) -> None:
    """Of an address with a password nothing is printed or written, not even in an error."""
    out = ["--out", str(tmp_path)]
    assert run(["study", "stroke", *out, "--database", url, "--schema", schema]) == 2
    written = [p.read_bytes().decode("latin-1") for p in tmp_path.rglob("*") if p.is_file()]
    for text in (*capsys.readouterr(), *written):
        assert "hunter2" not in text


def test_the_command_in_the_report_has_no_address() -> None:
    from elseif.studies.stroke_settings import StrokeSettings

    url = "postgresql://somebody:hunter2@127.0.0.1/claims"
    command = StrokeSettings(out=Path("here"), database=url, schema="cdm").command()
    assert command == "elseif study stroke --out here --database URL --schema cdm"
    settings = StrokeSettings(out=Path("here"), database=url, vocabulary_schema="vocabulary")
    assert settings.command().endswith("--database URL --vocabulary-schema vocabulary")


def test_an_own_database_and_another_definition(
    small_study: Study, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Another question has no figures of the paper, and only the scores whose groups it has."""
    definition = tmp_path / "diabetes.yaml"
    definition.write_text(
        "name: af_and_stroke\n"
        "title: Any stroke after atrial fibrillation\n"
        "index: {name: atrial fibrillation, include: [{id: 313217, name: Atrial fibrillation}]}\n"
        "outcome: {name: stroke, include: [{id: 443454, name: Cerebral infarction}]}\n"
        "groups:\n"
        "  diabetes: {include: [{id: 201820, name: Diabetes mellitus}]}\n"
    )
    database = small_study.out / "synthetic-patients.duckdb"
    out = tmp_path / "out"
    code = run(
        ["study", "stroke", "--out", str(out), "--database", str(database), "--schema", "cdm",
         "--definition", str(definition), "--folds", "2", "--only", "brl,CHADS2"]
    )  # fmt: skip
    printed = capsys.readouterr()
    assert code == 0, printed.err
    assert "MarketScan" not in printed.out
    assert printed.out.startswith("These patients are SYNTHETIC")  # for the database says so
    assert "SYNTHETIC patients" in (out / "report.html").read_text("utf-8")
    assert "CHADS2: not run, the definition has no groups heart_failure" in printed.out
    results = Study(out, printed.out, printed.err).results()
    assert results["paper"] is None
    assert results["synthetic"] is True
    assert "CHADS2" in results["left_out"]
    assert results["populations"][0]["planted"] == []


@pytest.mark.parametrize(("n_events", "change"), [
    (0, "DELETE FROM cdm.condition_occurrence WHERE condition_concept_id = 443454"),
    (40, "INSERT INTO cdm.condition_occurrence SELECT person_id, 443454, DATE '2012-07-01' "
         "FROM cdm.person"),
])  # fmt: skip
def test_an_outcome_of_nobody_or_of_everybody(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_events: int, change: str
) -> None:
    """What the outcome is, how many have it, and what to look at; no fit is tried."""
    path = make_database(tmp_path / "omop.duckdb")
    with duckdb.connect(str(path)) as connection:
        connection.execute(change)
    arguments = ["--database", str(path), "--schema", "cdm", "--out", str(tmp_path / "out")]
    assert run(["study", "stroke", *arguments, "--only", "BRL"]) == 3
    note, line = capsys.readouterr().err.splitlines()
    assert note.startswith("elseif: note: Nobody in the cohort has a record of these groups")
    assert line.startswith(
        "elseif: The outcome of the definition stroke, stroke on days 1 to 365 after the index "
        f"date, was recorded of {n_events} of 40 patients: "
    )
    assert "443454 Cerebral infarction" in line
    assert "outcome_window" in line
    assert line.endswith("give another --definition or --database.")


def test_files_of_others_are_not_replaced(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder in which no study was run may hold a model of somebody's own."""
    (tmp_path / "model.json").write_text("mine")
    assert run(["study", "stroke", "--out", str(tmp_path), *SMALL]) == 2
    assert "holds model.json, which a study would replace" in capsys.readouterr().err
    assert [file.name for file in tmp_path.iterdir()] == ["model.json"]


@pytest.mark.filterwarnings("ignore:Nobody in the cohort has a record:UserWarning")
@pytest.mark.parametrize("address", ["{}", "duckdb://{}", "duckdb:///{}"])
def test_databases_of_one_name_are_told_apart(tmp_path: Path, address: str) -> None:
    """However they are written; and so is one that has changed since it was extracted."""
    folders = []
    for index in ("here", "there"):
        (tmp_path / index).mkdir()
        path = make_database(tmp_path / index / "omop.duckdb")
        for change in (None, "INSERT INTO cdm.person VALUES (99, 8507, 1950)"):
            if change:
                with duckdb.connect(str(path)) as connection:
                    connection.execute(change)
            settings = StrokeSettings(
                out=tmp_path, database=address.format(path), schema="cdm", folds=2
            )
            folders.append(find_patients(settings, Progress()).folder)
    assert len(set(folders)) == 4
