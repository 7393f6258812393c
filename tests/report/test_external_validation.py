"""A list from one real cohort, judged by another and recalibrated: rotterdam to gbsg."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from scipy.special import betaln, logit
from sklearn.metrics import brier_score_loss, roc_auc_score

from benchmarks.two_cohorts import COLUMNS, two_cohorts
from elseif import BayesianRuleListClassifier, load_model, save_model
from elseif.cli.main import run
from elseif.errors import DataError, ModelFileError, ParamError
from elseif.evaluation import recalibrate
from elseif.evaluation.updating import learn_discount
from elseif.report import ExternalValidation, validate_externally

Cohorts = tuple[pd.DataFrame, pd.DataFrame]


@pytest.fixture(scope="module")
def cohorts() -> Cohorts:
    """Node-positive breast cancer in Rotterdam, and in the German trial."""
    return two_cohorts()


@pytest.fixture(scope="module")
def fitted(cohorts: Cohorts) -> BayesianRuleListClassifier:
    rotterdam = cohorts[0]
    clf = BayesianRuleListClassifier(random_state=0)
    return clf.fit(rotterdam[COLUMNS], rotterdam.relapse)


@pytest.fixture(scope="module")
def found(fitted: BayesianRuleListClassifier, cohorts: Cohorts) -> ExternalValidation:
    return validate_externally(fitted, cohorts[1][COLUMNS], cohorts[1].relapse)


def test_the_cohorts(cohorts: Cohorts) -> None:
    """Counted by hand in the tables of R's survival."""
    assert [len(table) for table in cohorts] == [1533, 557]
    assert [int(table.relapse.sum()) for table in cohorts] == [647, 224]


def test_measures_are_those_of_others(
    fitted: BayesianRuleListClassifier, cohorts: Cohorts, found: ExternalValidation
) -> None:
    """AUC and Brier score of scikit-learn, slope and intercept of statsmodels."""
    gbsg = cohorts[1]
    truth, risk = gbsg.relapse.to_numpy(), fitted.predict_proba(gbsg[COLUMNS])[:, 1]
    assert found.auc.value == pytest.approx(roc_auc_score(truth, risk))
    assert found.brier.score.value == pytest.approx(brier_score_loss(truth, risk))
    fit = sm.Logit(truth.astype(float), sm.add_constant(logit(risk))).fit(disp=False)
    again = found.recalibration
    assert (again.intercept.value, again.slope.value) == pytest.approx(tuple(fit.params), abs=1e-6)
    assert (again.slope.low, again.slope.high) == pytest.approx(tuple(fit.conf_int()[1]), abs=1e-5)
    large = sm.GLM(truth.astype(float), np.ones(len(risk)), sm.families.Binomial(),
                   offset=logit(risk)).fit()  # fmt: skip
    assert again.in_the_large.value == pytest.approx(large.params[0], abs=1e-6)
    at = found.decisions.thresholds.tolist().index(0.3)
    acted = risk >= 0.3
    by_hand = (truth & acted).mean() - (~truth & acted).mean() * 0.3 / 0.7
    assert found.decisions.model[at] == pytest.approx(by_hand)
    # what is known of this list elsewhere: it discriminates, and its risks are not far off
    assert found.auc.low > 0.6
    assert again.slope.low < 1 < again.slope.high


def test_lines_and_drift(
    fitted: BayesianRuleListClassifier, cohorts: Cohorts, found: ExternalValidation
) -> None:
    gbsg = cohorts[1]
    line = fitted.rule_list_.captured_in(fitted.model_.read(gbsg[COLUMNS]))
    for index, one in enumerate(found.lines):
        inside = gbsg.relapse[line == index]
        assert (one.n, one.n_events) == (len(inside), inside.sum())
        assert one.expected == pytest.approx(len(inside) * one.predicted)
        assert one.observed.low <= one.observed.value <= one.observed.high
    drift = {one.condition: one for one in found.drift}
    grade = drift["grade > 2"]
    assert grade.here == pytest.approx((gbsg.grade > 2).mean())
    assert grade.learnt == pytest.approx((cohorts[0].grade > 2).mean())
    assert abs(grade.standardised) == max(abs(one.standardised) for one in found.drift)


@pytest.mark.parametrize("discount", [0, 0.25, 1])
def test_recalibration_is_conjugate(
    fitted: BayesianRuleListClassifier, cohorts: Cohorts, discount: float, tmp_path: Path
) -> None:
    """Old counts times the discount plus the new ones; a file keeps both and what it is."""
    gbsg = cohorts[1]
    made = recalibrate(fitted, gbsg[COLUMNS], gbsg.relapse, discount)
    line = fitted.rule_list_.captured_in(fitted.model_.read(gbsg[COLUMNS]))
    for index, (old, rule) in enumerate(zip(fitted.rule_list_, made.rule_list, strict=True)):
        inside = gbsg.relapse[line == index]
        new = np.array([(~inside).sum(), inside.sum()])
        np.testing.assert_allclose(rule.label_counts, discount * old.label_counts + new)
        total = rule.label_counts.sum() + 2
        assert rule.probabilities[1] == pytest.approx((rule.label_counts[1] + 1) / total)
    path = tmp_path / "model.json"
    save_model(made, path, posterior=None)
    again = load_model(path)
    assert again.model_.recalibrated == made.recalibrated
    np.testing.assert_array_equal(
        again.predict_proba(gbsg[COLUMNS]), made.predict_proba(gbsg[COLUMNS])
    )
    changed = json.loads(path.read_text())
    changed["recalibrated"]["new_label_counts"][0][0] += 1
    with pytest.raises(ModelFileError):
        load_model(_resealed(changed, tmp_path / "changed.json"))


def _resealed(document: dict[str, Any], path: Path) -> Path:
    from elseif.export.model_file import checksum

    document["sha256"] = checksum(document)
    path.write_text(json.dumps(document))
    return path


def test_the_discount_that_is_learnt() -> None:
    """The same place keeps everything, another keeps little: by the Beta-binomial itself."""
    old = np.array([[900.0, 100.0], [500.0, 500.0]])
    alike, unlike = old / 2, np.array([[100.0, 400.0], [450.0, 50.0]])
    alphas = np.ones(2)
    assert learn_discount(old, alike, alphas) == 1
    least = learn_discount(old, unlike, alphas)
    assert least < 0.05

    def evidence(share: float) -> float:
        return sum(
            betaln(1 + share * a + c, 1 + share * b + d) - betaln(1 + share * a, 1 + share * b)
            for (a, b), (c, d) in zip(old, unlike, strict=True)
        )

    assert evidence(least) >= max(evidence(s) for s in np.linspace(0, 1, 201)) - 1e-9


def test_what_cannot_be(fitted: BayesianRuleListClassifier, cohorts: Cohorts) -> None:
    gbsg = cohorts[1]
    X, y = gbsg[COLUMNS], gbsg.relapse
    with pytest.raises(ParamError, match="between 0 and 1"):
        recalibrate(fitted, X, y, 1.5)
    whole = fitted.model_.with_settings(predict_with="posterior")
    with pytest.raises(ParamError, match="one list can be recalibrated"):
        recalibrate(whole, X, y)
    validate_externally(whole, X, y)  # but averages can be judged
    with pytest.raises(ParamError, match="with min_cell use"):
        validate_externally(whole, X, y, min_cell=10)
    with pytest.raises(DataError, match="not a label of the model"):
        validate_externally(fitted, X, np.full(len(y), "perhaps"))


def test_a_minimum_cell(fitted: BayesianRuleListClassifier, cohorts: Cohorts) -> None:
    """Every number of people is a multiple, and each measure follows from these numbers alone."""
    gbsg = cohorts[1]
    rounded = validate_externally(fitted, gbsg[COLUMNS], gbsg.relapse, min_cell=10)
    step = rounded.min_cell
    assert step is not None
    assert step % 10 == 0
    counts = [rounded.n, rounded.n_events, rounded.learnt_n, rounded.learnt_n_events]
    counts += [n for line in rounded.lines for n in (line.n, line.n_events)]
    assert all(n % step == 0 for n in counts)
    assert rounded.drift == []
    truth = np.concatenate(
        [np.repeat([1, 0], [int(li.n_events), int(li.n - li.n_events)]) for li in rounded.lines]
    )
    risk = np.repeat([li.predicted for li in rounded.lines], [int(li.n) for li in rounded.lines])
    assert rounded.auc.value == pytest.approx(roc_auc_score(truth, risk))


def test_the_program(
    fitted: BayesianRuleListClassifier,
    cohorts: Cohorts,
    found: ExternalValidation,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """elseif validate: what it prints, the numbers as JSON, and the model that it saves."""
    model, table = tmp_path / "rotterdam.json", tmp_path / "gbsg.csv"
    results, recalibrated = tmp_path / "results.json", tmp_path / "gbsg.json"
    save_model(fitted, model)
    cohorts[1].to_csv(table, index=False)
    command = ["validate", str(model), str(table), "--results", str(results)]
    assert run([*command, "--recalibrated", str(recalibrated)]) == 0
    out = capsys.readouterr().out
    said = "557 cases, 224 (40.2%) with the event (relapse); the list was learnt from 1,533, 42.2%"
    assert said in out
    for words in ("calibration slope", "Net benefit per case", "grade > 2", "relapse, earlier"):
        assert words in out
    numbers = json.loads(results.read_text())
    assert numbers["auc"]["value"] == pytest.approx(found.auc.value)
    assert [line["n"] for line in numbers["lines"]] == [line.n for line in found.lines]
    assert run(["show", str(recalibrated)]) == 0
    assert "Recalibrated: 557 new cases added to 1,533 earlier ones" in capsys.readouterr().out
    page = tmp_path / "report.html"
    told_again = ["report", str(recalibrated), str(table), "--folds", "2", "--quiet"]
    assert run([*told_again, "--out", str(page)]) == 0
    assert "Recalibrated: 557 new cases added to 1,533" in page.read_text("utf-8")
    assert run([*told_again, "--out", str(page), "--min-cell", "10", "--force"]) == 0
    assert "Recalibrated: new cases added to the earlier ones" in page.read_text("utf-8")
    capsys.readouterr()
    for wrong, words in (
        ([str(model)], "Give a TABLE, or --database"),
        ([str(model), str(table), "--schema", "cdm"], "--schema goes with --database"),
        ([str(model), str(table), "--discount", "0.5"], "--discount goes with --recalibrated"),
        ([*command[1:3], "--recalibrated", str(tmp_path / "n.json"), "--discount", "2"],
         "--discount is 2; it must lie between 0 and 1"),
        ([str(model), "--database", "x.duckdb"], "was not learnt from a cohort"),
        ([*command[1:], "--recalibrated", str(recalibrated), "--min-cell", "5", "--force"],
         "cannot be written together"),
    ):  # fmt: skip
        assert run(["validate", *wrong]) == 2
        assert words in capsys.readouterr().err
    cohorts[0].to_csv(tmp_path / "rotterdam.csv", index=False)
    assert run(["validate", str(model), str(tmp_path / "rotterdam.csv")]) == 0
    assert "in sample, which says nothing about other people" in capsys.readouterr().err
    own_page = tmp_path / "own.html"  # would be headed as an external validation
    command = ["validate", str(model), str(tmp_path / "rotterdam.csv"), "--out", str(own_page)]
    assert run(command) == 2
    assert "this would not validate the model" in " ".join(capsys.readouterr().err.split())
    assert not own_page.exists()
