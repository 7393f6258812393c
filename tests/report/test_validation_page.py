"""The page of an external validation: the numbers of validate_externally, in the reader's words."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from elseif import BayesianRuleListClassifier, save_model
from elseif.cli.main import run
from elseif.errors import ParamError
from elseif.evaluation import recalibrate
from elseif.report import validate_externally, validation_page
from elseif.report.recalibrated_lines import recalibrated_lines
from elseif.report.validation_findings import cautions, findings, lines_apart, one_side
from elseif.report.validation_parts import own_tables, own_words

LABELS = """
outcome:
  name: Fall within a year
  labels: {"no": No fall, "yes": A fall}
columns:
  walks: {name: Walks unaided}
"""


def people(n: int, risk: float, seed: int) -> pd.DataFrame:
    """Falls are twice as likely among people who do not walk unaided, and rise with age."""
    rng = np.random.default_rng(seed)
    walks, age = rng.random(n) < 0.6, rng.integers(60, 95, n)
    chance = risk * np.where(walks, 1.0, 2.2) * np.where(age > 80, 1.5, 1.0)
    return pd.DataFrame(
        {"walks": walks, "age": age, "falls": np.where(rng.random(n) < chance, "yes", "no")}
    )


HERE, THERE = people(900, 0.2, 1), people(500, 0.1, 2)


@pytest.fixture(scope="module")
def fitted() -> BayesianRuleListClassifier:
    clf = BayesianRuleListClassifier(random_state=0)
    return clf.fit(HERE[["walks", "age"]], HERE.falls)


@pytest.fixture(scope="module")
def data(fitted: BayesianRuleListClassifier) -> dict[str, Any]:
    validation = validate_externally(fitted, THERE[["walks", "age"]], THERE.falls)
    return page_data(validation_page(validation))


def page_data(page: str) -> dict[str, Any]:
    """The numbers inside a page."""
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    return json.loads(match[1])


def test_the_numbers_are_those_of_the_validation(data: dict[str, Any]) -> None:
    measures = data["measures"]
    assert measures["discrimination"]["auc"] == data["auc"]
    assert measures["calibration"]["recalibration"] == data["recalibration"]
    assert measures["calibration"]["brier"] == data["brier"]
    rows = measures["calibration"]["by_line"]
    assert [row["name"] for row in rows] == [line["rule"] for line in data["lines"]]
    assert [row["n_events"] for row in rows] == [line["n_events"] for line in data["lines"]]
    risks = [
        (row["predicted"], line["predicted"]) for row, line in zip(rows, data["lines"], strict=True)
    ]
    for mean, stated in risks:
        assert mean is None or mean == pytest.approx(stated)  # nobody is on the line, or all agree
    assert sum(measures["calibration"]["histogram"]["events"]) == data["n_events"]


@pytest.mark.parametrize("discount", [None, 0.0, 0.3, 1.0])
def test_recalibrated_risks_are_those_of_the_model_that_is_saved(
    fitted: BayesianRuleListClassifier, discount: float | None
) -> None:
    X, y = THERE[["walks", "age"]], THERE.falls
    result = validate_externally(fitted, X, y, discount=discount).recalibrated
    made = recalibrate(fitted, X, y, discount)
    assert result is not None
    assert made.recalibrated is not None
    assert result.discount == made.recalibrated["discount"]
    assert result.is_learnt == (discount is None)
    for line, rule in zip(result.lines, made.rule_list, strict=True):
        assert line.risk.value == pytest.approx(float(rule.probabilities[-1]))
        assert (line.risk.low, line.risk.high) == pytest.approx(rule.interval("yes", 0.95))
    assert sum(line.new_n for line in result.lines) == len(THERE)
    assert sum(line.old_n for line in result.lines) == len(HERE)


def test_a_discount_lies_between_0_and_1(fitted: BayesianRuleListClassifier) -> None:
    counts = np.ones((len(fitted.rule_list_) + 1, 2))
    for discount in (-0.1, 1.5, True):
        with pytest.raises(ParamError, match="discount"):
            recalibrated_lines(fitted.rule_list_, counts, 1, discount)


def test_the_verdict(data: dict[str, Any]) -> None:
    """Risks are too high where falls are half as common: found on the lines and on average."""
    by_topic = {finding.topic: finding for finding in findings(data)}
    assert "too high on average" in by_topic["Calibration"].headline.lower()
    apart = lines_apart(data)
    assert apart
    for number, line in enumerate(data["lines"], 1):
        seen = line["observed"]
        if line["n"]:
            assert (number in apart) != (seen["low"] <= line["predicted"] <= seen["high"])
        else:
            assert number not in apart
    n_filled = sum(line["n"] > 0 for line in data["lines"])
    assert f"{len(apart)} of {n_filled}" in by_topic["Lines of the list"].headline
    assert by_topic["Drift"].mark == "good"
    assert cautions(data) == data["notes"]
    assert "Fewer than 100 cases" in data["notes"][0]
    assert cautions({**data, "synthetic": True})[0].startswith("SYNTHETIC")


def test_without_recalibration_or_drift_it_says_why(data: dict[str, Any]) -> None:
    """An average over lists has no counts of its own, and a rounded model no prevalences."""
    bare = {**data, "recalibrated": None, "drift": []}
    assert {"drift", "recalibrated"} & set(own_tables(bare)) == set()
    assert {"drift", "recalibrated"} <= set(own_tables(data))
    words = own_words(bare)
    assert words["recalibrated"][0].startswith("Not shown")
    assert "does not contain" in words["drift"][0]
    assert own_words({**bare, "min_cell": 5})["drift"][0].startswith("Left out")
    (drift,) = (finding for finding in findings(bare) if finding.topic == "Drift")
    assert drift.mark == "unknown"


def test_posterior_averages_have_a_page() -> None:
    averaging = BayesianRuleListClassifier(random_state=0, predict_with="posterior")
    averaging.fit(HERE[["walks", "age"]], HERE.falls)
    validation = validate_externally(averaging, THERE[["walks", "age"]], THERE.falls)
    assert validation.recalibrated is None
    assert "Not shown: recalibration starts" in validation_page(validation)


def test_of_two_sides_of_a_cut_one_is_shown(data: dict[str, Any]) -> None:
    shown = [one["condition"] for one in one_side(data["drift"])]
    assert len(shown) < len(data["drift"])
    assert ("walks" in shown) != ("not walks" in shown)


def test_page_through_the_program(
    fitted: BayesianRuleListClassifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a labels file, a title, and rounded numbers that the results say too."""
    save_model(fitted, tmp_path / "falls.json")
    THERE.to_csv(tmp_path / "there.csv", index=False)
    (tmp_path / "labels.yaml").write_text(LABELS, encoding="utf-8")
    command = ["validate", tmp_path / "falls.json", tmp_path / "there.csv", "--label", "falls"]
    command += ["--labels", tmp_path / "labels.yaml", "--out", tmp_path / "page.html"]
    command += ["--title", "Another home", "--min-cell", "10", "--results", tmp_path / "n.json"]
    assert run([str(word) for word in command]) == 0
    assert f"Page: {tmp_path / 'page.html'}" in capsys.readouterr().out
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<title>Another home</title>" in page
    assert "Walks unaided" in page
    assert "Counts are rounded to multiples of" in page
    numbers = page_data(page)
    assert numbers == json.loads((tmp_path / "n.json").read_text("utf-8"))
    step = numbers["min_cell"]
    assert numbers["drift"] == []
    for line, made in zip(numbers["lines"], numbers["recalibrated"]["lines"], strict=True):
        counts = [line["n"], line["n_events"], *(v for k, v in made.items() if k != "risk")]
        assert [n % step for n in counts] == [0] * len(counts)
    for row in numbers["measures"]["calibration"]["by_quantile"]:
        assert row["n"] % step == row["n_events"] % step == 0


def test_what_the_program_refuses(
    fitted: BayesianRuleListClassifier, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_model(fitted, tmp_path / "falls.json")
    THERE.to_csv(tmp_path / "there.csv", index=False)
    start = ["validate", str(tmp_path / "falls.json"), str(tmp_path / "there.csv")]
    page, model = str(tmp_path / "page.html"), str(tmp_path / "new.json")
    for options, said in (
        (["--title", "A title"], "--title goes with --out"),
        (["--discount", "0.5"], "--discount goes with"),
        (["--out", page, "--recalibrated", model, "--min-cell", "5", "--discount", "1"],
         "--out and --recalibrated cannot be written together"),
        (["--out", str(tmp_path / "there.csv"), "--force"], "is also an input"),
    ):  # fmt: skip
        assert run([*start, *options]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "page.html").exists()


def test_synthetic_people_are_told(fitted: BayesianRuleListClassifier) -> None:
    validation = validate_externally(fitted, THERE[["walks", "age"]], THERE.falls)
    assert not validation.synthetic
    from dataclasses import replace

    page = validation_page(replace(validation, synthetic=True), title="Falls")
    assert "<title>SYNTHETIC patients: falls</title>" in page


def test_the_label_that_is_evaluated(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(0)
    fate = np.array(["fall", "fracture", "none"])

    def rows(n: int) -> pd.DataFrame:
        walks = rng.random(n) < 0.5
        chance = np.where(walks[:, None], [0.1, 0.1, 0.8], [0.5, 0.2, 0.3])
        drawn = (rng.random((n, 1)) > chance.cumsum(axis=1)).sum(axis=1)
        return pd.DataFrame({"walks": walks, "age": rng.integers(60, 95, n), "fate": fate[drawn]})

    people, there = rows(400), rows(300)
    clf = BayesianRuleListClassifier(random_state=0).fit(people[["walks", "age"]], people.fate)
    model, table = tmp_path / "model.json", tmp_path / "there.csv"
    save_model(clf, model)
    there.to_csv(table, index=False)
    results = tmp_path / "results.json"
    command = ["validate", str(model), str(table), "--label", "fate", "--results", str(results)]
    assert run(command) == 0
    assert "'none' against all others. --positive LABEL" in " ".join(
        capsys.readouterr().err.split()
    )
    assert run([*command, "--positive", "fall", "--force"]) == 0
    assert "against all others" not in capsys.readouterr().err
    content = json.loads(results.read_text())
    assert content["positive"] == "fall"
    assert content["n_events"] == (there.fate == "fall").sum()
    assert run([*command, "--positive", "fal", "--force"]) == 2
    assert "Did you mean 'fall'" in capsys.readouterr().err
