"""A folder for PatientLevelPrediction: its covariate ids, and its mapping run by R."""

from __future__ import annotations

import csv
import json
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from elseif import BayesianRuleListClassifier
from elseif.antecedents import Antecedent
from elseif.cli.main import run
from elseif.cohort import Cohort, connect, extract, load_definition
from elseif.conditions import Condition
from elseif.datasets import load_titanic, make_stroke_cdm
from elseif.errors import ExportError
from elseif.export import save_model
from elseif.fitted_model import FittedModel
from elseif.ohdsi import save_plp_model, save_plp_results
from elseif.posterior.rule_list import Rule, RuleList
from elseif.report import validate_externally
from tests.ohdsi.models import asking_for_everything


@pytest.fixture(scope="module")
def cohort(tmp_path_factory: pytest.TempPathFactory) -> Cohort:
    path = tmp_path_factory.mktemp("cdm") / "one.duckdb"
    make_stroke_cdm(path, n_patients=300, n_others=30, n_concepts=77, random_state=0)
    with connect(path, "cdm") as source:
        return extract(source, load_definition("stroke"))


def with_rules(model: FittedModel, antecedents: list[Antecedent]) -> FittedModel:
    rules = [
        Rule(a, np.array([7.0 + i, 3.0]), model.metadata)
        for i, a in enumerate([*antecedents, Antecedent()])
    ]
    made = RuleList(rules, model.metadata)
    return replace(model, rule_list=made, map_rule_list=made)


def sums(folder: Path, cohort: Cohort) -> np.ndarray:
    """What predictGlm adds up: value times coefficient of FeatureExtraction's covariates."""
    glm = json.loads((folder / "model.json").read_text())
    pairs = zip(*(glm["coefficients"][k] for k in ("covariateId", "coefficient")), strict=True)
    ids = cohort.catalogue["covariate_id"].tolist()
    total = np.zeros(len(cohort))
    dense = cohort.features.toarray()
    genders = {8532001: "female", 8507001: "male"}
    for covariate, coefficient in pairs:
        if covariate == 1002:
            values = cohort.age
        elif covariate in genders:
            values = cohort.sex == genders[covariate]
        else:
            values = dense[:, ids.index(covariate)]
        total += coefficient * values
    return total


def table(path: Path) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(path.read_text().splitlines()))


def in_r(folder: Path, values: np.ndarray) -> np.ndarray:
    """The mapping of a folder, run by R."""
    if shutil.which("Rscript") is None:
        pytest.skip("Rscript is not installed")
    mapping = json.loads((folder / "model.json").read_text())["mapping"]
    (folder / "values.txt").write_text("\n".join(f"{value:.0f}" for value in values))
    program = (
        f"f <- {mapping}\n"
        f'v <- scan("{folder / "values.txt"}", quiet = TRUE)\n'
        'cat(sprintf("%.17g", f(v)), sep = "\\n")\n'
    )
    (folder / "run.R").write_text(program)
    done = subprocess.run(
        ["Rscript", str(folder / "run.R")], capture_output=True, text=True, check=True
    )
    return np.array([float(line) for line in done.stdout.split()])


def test_every_person_has_the_same_risk_in_r(cohort: Cohort, tmp_path: Path) -> None:
    model = asking_for_everything(cohort)
    folder = save_plp_model(model, tmp_path / "plp")
    result = in_r(folder, sums(folder, cohort))
    np.testing.assert_array_equal(result, model.predict_proba(cohort.table())[:, 1])
    assert len(set(result)) > 8


def test_every_kind_of_condition(cohort: Cohort, tmp_path: Path) -> None:
    model = asking_for_everything(cohort)
    concept = str(cohort.catalogue["name"][0])
    other = with_rules(
        model,
        [
            Antecedent([Condition("age", "between", (60.0, 65.0)), Condition("sex", "!=", "male")]),
            Antecedent([Condition("sex", "in", ("male", "unknown")), Condition("age", "<", 55.0)]),
            Antecedent([Condition("age", "in", (71.0, 73.0))]),
            Antecedent([Condition(concept, "is missing")]),
            Antecedent([Condition("age", ">=", 80.0)]),
            Antecedent([Condition(concept, "is false"), Condition("sex", "=", "female")]),
        ],
    )
    concepts = [
        {"column": str(n), "concept_id": int(i), "domain": d}
        for n, i, d in zip(
            cohort.catalogue["name"], cohort.catalogue["concept_id"], cohort.catalogue["domain"],
            strict=True,
        )
    ]  # fmt: skip
    assert other.cohort is not None
    other = replace(other, cohort={**other.cohort, "concepts": concepts})
    folder = save_plp_model(other, tmp_path / "plp")
    frame = cohort.table()
    line = other.rule_list.captured_in(frame if hasattr(frame, "column") else other.read(frame))
    risks = np.array([rule.probabilities[1] for rule in other.rule_list.rules])
    np.testing.assert_array_equal(in_r(folder, sums(folder, cohort)), risks[line])


def test_the_folder_says_what_was_counted(cohort: Cohort, tmp_path: Path) -> None:
    model = asking_for_everything(cohort)
    save_model(model, tmp_path / "model.json", posterior=None)
    folder = tmp_path / "plp"
    assert run(["export", str(tmp_path / "model.json"), "--to", "plp", "--out", str(folder)]) == 0
    design = json.loads((folder / "modelDesign.json").read_text())
    assert design["covariateSettings"]["endDays"] == -1
    assert design["populationSettings"]["riskWindowEnd"] == 365
    assert json.loads((folder / "trainDetails.json").read_text())["synthetic"] is True
    rows = table(folder / "covariateImportance.csv")
    known = dict(zip(cohort.catalogue["covariate_id"], cohort.catalogue["name"], strict=True))
    for row in rows:
        covariate = int(row["covariateId"])
        assert covariate == int(row["conceptId"]) * 1000 + int(row["analysisId"]) or (
            covariate == 1002
        )
        if covariate in known:
            assert row["covariateName"] == known[covariate]
    assert run(["export", str(tmp_path / "model.json"), "--to", "plp"]) == 2


def test_what_cannot_be_said(cohort: Cohort, tmp_path: Path) -> None:
    X, y = load_titanic()
    with pytest.raises(ExportError, match="not learnt from a cohort"):
        save_plp_model(BayesianRuleListClassifier(random_state=0).fit(X, y), tmp_path / "plp")
    model = asking_for_everything(cohort)
    assert model.cohort is not None
    with pytest.raises(ExportError, match="no covariate id"):
        save_plp_model(replace(model, cohort={**model.cohort, "concepts": []}), tmp_path / "plp")
    assert not (tmp_path / "plp").exists()


def test_results_in_the_columns_of_its_tables(tmp_path: Path) -> None:
    X, y = load_titanic()
    clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    validation = validate_externally(clf, X[1::2], y[1::2])
    folder = save_plp_results(validation, tmp_path / "results", performance_id=7)
    rows = table(folder / "evaluation_statistics.csv")
    by_name = {row["metric"]: row["value"] for row in rows}
    assert float(by_name["AUROC"]) == validation.auc.value
    assert by_name["populationSize"] == "1100"
    assert {row["performance_id"] for row in rows} == {"7"}
    lines = table(folder / "calibration_summary.csv")
    assert sum(int(line["person_count_at_risk"]) for line in lines) == 1100
    save_model(clf, tmp_path / "model.json")
    X[1::2].assign(survival=y[1::2]).to_csv(tmp_path / "rows.csv", index=False)
    command = ["validate", str(tmp_path / "model.json"), str(tmp_path / "rows.csv")]
    assert run([*command, "--plp-results", str(tmp_path / "tables")]) == 0
    assert (tmp_path / "tables" / "calibration_summary.csv").exists()
