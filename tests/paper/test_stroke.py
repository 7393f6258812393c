"""Section 4 at the paper's size, on synthetic patients: what was planted is found again."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

POINT, POST, SCORES = "BRL-point", "BRL-post", ("CHADS2", "CHA2DS2-VASc")
FOLDS = 5


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The study's numbers, of the list and of the scores."""
    out = tmp_path_factory.mktemp("stroke")
    only = ",".join(["BRL", *SCORES])
    command = ["-m", "elseif", "study", "stroke", "--out", str(out), "--only", only]
    subprocess.run([sys.executable, *command], check=True, capture_output=True)
    return json.loads((out / "results.json").read_text("utf-8"))


@pytest.mark.slow
def test_the_cohort_is_as_large_as_the_paper_s(results: dict[str, Any]) -> None:
    """12,586 patients, 4,146 drugs and conditions, about 14 % strokes, about 2,200 antecedents."""
    cohort = results["cohort"]
    assert (cohort["n"], cohort["n_features"]) == (12_586, 4_146)
    assert 0.13 < cohort["n_events"] / cohort["n"] < 0.155
    everybody = results["populations"][0]
    assert all(2_000 < one["n_antecedents"] < 2_450 for one in everybody["lists"])
    assert all(one["status"] != "not converged" for one in everybody["lists"])


@pytest.mark.slow
def test_the_planted_rules_are_found_again(results: dict[str, Any]) -> None:
    """Each planted rule, as it is or in a form that says nearly the same, in most folds."""
    everybody = results["populations"][0]
    for rule in everybody["planted"]:
        forms = (rule["folds"], rule["turned_round"], rule["in_another_rule"])
        assert sum(map(len, forms)) >= 3, rule
    # the strongest rules as they were planted, in every fold
    for rule in everybody["planted"][:2]:
        assert rule["folds"] == [1, 2, 3, 4, 5], rule
    whole = results["list"]["planted"]
    assert sum(bool(r["folds"] or r["turned_round"] or r["in_another_rule"]) for r in whole) >= 5


@pytest.mark.slow
def test_the_list_beats_both_scores(results: dict[str, Any]) -> None:
    """Of everybody in each of the five folds; of women and of men in the mean."""
    for population in results["populations"]:
        point = population["classifiers"][POINT]["auc"]
        for name in SCORES:
            score = population["classifiers"][name]["auc"]
            assert point["mean"] > score["mean"]
            if population["population"] == "everybody":
                pairs = zip(point["folds"], score["folds"], strict=True)
                assert all(ours > theirs for ours, theirs in pairs)


@pytest.mark.slow
def test_the_posterior_is_not_below_the_point_estimate(results: dict[str, Any]) -> None:
    """In the mean over folds, which share their training data: a direction, not a test."""
    for population in results["populations"]:
        result = population["classifiers"]
        assert result[POST]["auc"]["mean"] >= result[POINT]["auc"]["mean"]


@pytest.mark.slow
def test_risks_come_true(results: dict[str, Any]) -> None:
    """The list's calibration slope is near 1: its interval holds 1, or comes within 0.1."""
    slope = results["populations"][0]["classifiers"][POINT]["recalibration"]["slope"]
    assert slope["low"] - 0.1 < 1 < slope["high"] + 0.1


@pytest.mark.slow
def test_figures_are_there(results: dict[str, Any]) -> None:
    """Each curve begins at nobody and ends at everybody."""
    for result in results["populations"][0]["classifiers"].values():
        assert len(result["roc"]) == FOLDS
        for curve in result["roc"]:
            for values in curve.values():
                assert (values[0], values[-1]) == (0.0, 1.0)
