"""The stroke study on real people: events and risks against lifelines, pages that say so."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from lifelines import KaplanMeierFitter

from elseif import load_model
from elseif.cli.main import run
from elseif.datasets import load_nafld
from elseif.studies.follow_up import EVENT
from elseif.studies.nafld import nafld_follow_up, nafld_paragraphs, stroke_free
from elseif.studies.stroke_settings import StrokeSettings
from tests.studies.conftest import Study, program


@pytest.mark.parametrize(("days", "n_strokes", "n_known"), [(365, 41, 1_111), (1_825, 121, 821)])
def test_events_and_risk_by_lifelines(days: int, n_strokes: int, n_known: int) -> None:
    """The cohort's counts by another way, and Kaplan and Meier's risk below the plain share."""
    data = load_nafld()
    people = stroke_free(data)
    result = nafld_follow_up(data, days)["all"]
    assert (result.n, result.n_events, result.n_known) == (1_169, n_strokes, n_known)
    time = np.minimum(people["time"], days)
    has_stroke = (people["ends_in"] == EVENT) & (people["time"] <= days)
    fitted = KaplanMeierFitter().fit(time, has_stroke)
    assert fitted.event_table["observed"].sum() == n_strokes
    assert result.person_years == pytest.approx(time.sum() / 365.25)
    assert result.risk == pytest.approx(1 - float(fitted.predict(days)))
    low, high = fitted.confidence_interval_.iloc[-1]
    assert (result.low, result.high) == pytest.approx((1 - high, 1 - low))
    assert result.incidence < result.risk < result.share
    later = nafld_follow_up(data, days)["after_entry"]
    assert later.n < result.n
    text = " ".join(nafld_paragraphs({"all": result, "after_entry": later}))
    assert f"{n_strokes} had a stroke" in text
    assert "immortal" in text


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    """One year, two folds, one score, and the list of everybody."""
    out = tmp_path_factory.mktemp("study") / "nafld"
    words = ["--database", "nafld", "--only", "CHADS2,CHA2DS2-VASc", "--folds", "2", "--out", out]
    done = program("study", "stroke", *words)
    assert done.returncode == 0, done.stderr
    return Study(out, done.stdout, done.stderr)


def test_the_study_says_that_people_are_real(study: Study) -> None:
    assert study.stdout.startswith("These are real people of a public data set")
    for page in ("report.html", "calculator.html", "tables.txt", "model.json", "results.json"):
        text = (study.out / page).read_text("utf-8")
        assert "real people" in text
        assert "SYNTHETIC" not in text
    calculator = (study.out / "calculator.html").read_text("utf-8")
    assert "not for use with patients" in calculator
    cohort = load_model(study.out / "model.json").model_.cohort
    assert cohort is not None
    assert cohort["synthetic"] is False
    results = study.results()
    assert results["synthetic"] is False
    assert results["paper"] is None
    assert (results["cohort"]["n"], results["cohort"]["n_events"]) == (1_111, 41)
    assert results["cohort"]["follow_up"]["all"]["n_events"] == 41


def test_what_scores_lack_is_said(study: Study) -> None:
    text = " ".join(study.stdout.split())
    assert "Not recorded: transient ischaemic attack" in text
    assert "this is not the whole CHADS2" in text
    assert "95% interval of the AUC" in text
    everybody = study.results()["populations"][0]["classifiers"]["CHADS2"]["auc"]
    assert f"{everybody['low']:.3f} to {everybody['high']:.3f}" in study.stdout


def test_the_command_is_the_one_to_repeat(study: Study) -> None:
    assert "--database nafld" in study.results()["command"]
    settings = StrokeSettings(Path("x"), database="nafld", time_at_risk=1_825)
    assert settings.command().endswith("--database nafld --time-at-risk 1825")
    assert (
        StrokeSettings(Path("x"), database="postgresql://me:secret@h/d").command().endswith("URL")
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--database", "nafld", "--schema", "cdm"], "nafld has its own"),
        (["--time-at-risk", "1825"], "--time-at-risk needs --database"),
        (["--database", "nafld", "--patients", "300"], "--patients is the size of the synthetic"),
    ],
)
def test_refused(options: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["study", "stroke", *options]) == 2
    assert said in capsys.readouterr().err
