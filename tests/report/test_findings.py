"""The verdict: every sentence follows from its numbers, in ordinary cases and in the worst."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import pytest

from elseif.fitted_model import as_model
from elseif.report import verdict
from elseif.report.findings import CAUTION, GOOD, POOR, SIGNS, UNKNOWN, Finding, Verdict
from elseif.report.report import report_page
from elseif.report.summary import summarise
from tests.report.reading import (
    fitted,
    patients,
    summary,
    three_labels_summary,
    unsteady_summary,
)

Data = dict[str, Any]


def plain_summary(**options: Any) -> Data:
    """The plain data of a real report, to be changed at will."""
    return copy.deepcopy(summary(**options).to_dict())


def estimate(value: float | None, low: float | None, high: float | None) -> Data:
    return {"value": value, "low": low, "high": high}


def finding(result: Verdict, topic: str) -> Finding:
    return next(each for each in result.findings if each.topic == topic)


def with_auc(*auc: float | None) -> Finding:
    data = plain_summary()
    data["validation"]["discrimination"]["auc"] = estimate(*auc)
    return finding(verdict(data), "Discrimination")


def with_slope(
    *slope: float | None, large: tuple[float | None, ...] = (0.0, -0.2, 0.2), n_folds: int = 5
) -> Finding:
    data = plain_summary()
    fit = data["validation"]["calibration"]["recalibration"]
    fit["slope"], fit["in_the_large"] = estimate(*slope), estimate(*large)
    data["validation"]["n_folds"] = n_folds
    return finding(verdict(data), "Calibration")


@pytest.mark.parametrize(
    ("auc", "mark", "headline"),
    [
        ((0.95, 0.92, 0.98), GOOD, "Very good"),
        ((0.85, 0.81, 0.89), GOOD, "Good"),
        ((0.85, 0.78, 0.92), GOOD, "Fair to very good"),
        ((0.75, 0.7, 0.79), GOOD, "Fair"),
        ((0.75, 0.694, 0.79), CAUTION, "Limited to fair"),
        ((0.75, 0.697, 0.79), GOOD, "Fair"),  # shown as 0.70
        ((0.64, 0.55, 0.73), CAUTION, "Poor to fair"),
        ((0.62, 0.504, 0.73), POOR, "Perhaps no better than chance"),  # shown as 0.50
        ((0.5, 0.4, 0.6), POOR, "Perhaps no better than chance"),
        ((0.4, 0.3, 0.494), POOR, "Worse than chance"),
        ((1.0, None, None), UNKNOWN, "Uncertain"),
        ((0.5, None, None), POOR, "No better than chance"),
        ((None, None, None), UNKNOWN, "Cannot be judged"),
    ],
)
def test_discrimination_is_graded_by_its_interval(
    auc: tuple[float | None, ...], mark: str, headline: str
) -> None:
    result = with_auc(*auc)
    assert (result.mark, result.headline) == (mark, headline)
    if auc[0] is not None:
        assert f"AUC {auc[0]:.2f}" in result.text
        assert f"{100 * auc[0]:.0f} times in 100" in result.text
    assert "3-fold cross-validation" in result.text


@pytest.mark.parametrize(
    ("slope", "mark", "headline", "meaning"),
    [
        ((1.0, 0.85, 1.15), GOOD, "About right", "neither clearly too extreme nor too cautious"),
        ((1.0, 0.7, 1.3), CAUTION, "No clear error, but uncertain", "too extreme or not extreme"),
        ((1.1, 0.9, 1.3), CAUTION, "No clear error, but uncertain", "clearly not extreme enough."),
        ((0.9, 0.7, 1.1), CAUTION, "No clear error, but uncertain", "clearly too extreme."),
        ((0.9, 0.82, 0.98), CAUTION, "Slightly too extreme", "High risks are too high"),
        ((0.85, 0.75, 0.95), CAUTION, "Too extreme", "High risks are too high"),
        ((0.6, 0.4, 0.8), POOR, "Too extreme", "High risks are too high"),
        ((0.24, -0.21, 0.69), POOR, "Too extreme", "say nothing about the outcome"),
        ((1.12, 1.02, 1.22), CAUTION, "Slightly not extreme enough", "High risks are too low"),
        ((1.6, 1.2, 2.0), POOR, "Not extreme enough", "High risks are too low"),
        ((None, None, None), UNKNOWN, "Cannot be judged", "do not vary"),
        ((3.0, None, None), UNKNOWN, "Cannot be judged", "separate cases"),  # no finite error
    ],
)
def test_calibration_is_graded_by_its_interval(
    slope: tuple[float | None, ...], mark: str, headline: str, meaning: str
) -> None:
    result = with_slope(*slope)
    assert (result.mark, result.headline) == (mark, headline)
    assert meaning in result.text


def test_risks_that_are_wrong_on_average_are_said() -> None:
    """Always where they are; that they are right, only where the data could have shown it."""
    right = (1.0, 0.85, 1.15)
    low = with_slope(*right, large=(0.5, 0.3, 0.7), n_folds=0)
    assert (low.mark, low.headline) == (CAUTION, "Too low on average")
    assert "On average, risks are too low: 2" in low.text
    high = with_slope(*right, large=(-0.5, -0.7, -0.3))
    assert (high.mark, high.headline) == (CAUTION, "Too high on average")
    both = with_slope(0.6, 0.4, 0.8, large=(-0.5, -0.7, -0.3))
    assert (both.mark, both.headline) == (POOR, "Too extreme; too high on average")
    assert "not clearly too high or too low" in with_slope(*right, n_folds=0).text
    assert "On average" not in with_slope(*right).text
    assert with_slope(*right, large=(None, None, None), n_folds=0).mark == GOOD


# ---------------------------------------------------------------------- lists of the folds


def with_lists(own: list[str], folds: list[list[str]], rules: float, columns: float) -> Finding:
    data = plain_summary()
    data["lines"] = [{"condition": name} for name in [*own, ""]]
    data["folds"] = [
        {"rules": [(name, 0.5) for name in [*names, ""]], "status": "converged"} for names in folds
    ]
    data["stability"] |= {"rule_agreement": rules, "column_agreement": columns}
    return finding(verdict(data), "Lists of the folds")


def test_agreement_between_folds() -> None:
    same = with_lists(["a", "b"], [["a", "b"], ["b", "a"]], 1.0, 1.0)
    assert (same.mark, same.headline) == (GOOD, "Agree")
    assert same.text.startswith("All of the 2 rules of this list are in every fold’s list.")
    partly = with_lists(["a", "b"], [["a", "b"], ["a", "c"]], 1 / 3, 0.8)
    assert (partly.mark, partly.headline) == (CAUTION, "Same columns, rules differ")
    assert partly.text.startswith("1 of the 2 rules of this list is in every fold’s list.")
    assert "share 33% of their rules and 80% of their columns" in partly.text
    half = with_lists(["a", "b"], [["a", "b"], ["a"]], 0.5, 0.6)
    assert (half.mark, half.headline) == (CAUTION, "Agree in part")
    apart = with_lists(["a"], [["b"], ["a"]], 0.0, 0.5)
    assert (apart.mark, apart.headline) == (POOR, "Differ")
    assert apart.text.startswith("The rule of this list is in 1 of the 2 folds’ lists.")
    empty = with_lists([], [[], []], 1.0, 1.0)
    assert (empty.mark, empty.headline) == (GOOD, "No rules in any fold")
    lost = with_lists([], [["a"], []], 0.0, 0.0)
    assert lost.headline == "Differ"


def test_without_folds_nothing_is_said_about_their_lists() -> None:
    result = summarise(fitted(), *patients(), folds=None, holdout=patients(100, seed=1))
    stability = finding(verdict(result), "Lists of the folds")
    assert (stability.mark, stability.headline) == (UNKNOWN, "Not examined")
    texts = " ".join(each.text for each in verdict(result).findings)
    assert "held-out table" in texts
    assert "fold cross-validation" not in texts
    assert not any("cross-validation" in text for text in verdict(result).cautions)


# -------------------------------------------------------------------------------- sampling


@pytest.mark.parametrize(
    ("changes", "mark", "headline"),
    [
        ({}, GOOD, "Converged"),
        ({"point_is_steady": False}, CAUTION, "Converged, but not on one list"),
        ({"status": "warn"}, CAUTION, "Converged by the paper’s criterion"),
        ({"status": "not converged"}, POOR, "Not converged"),
        ({"status": "not converged", "point_is_steady": False}, POOR, "Not converged"),
        ({"status": "undetermined", "n_chains": 1, "r_hat": None}, UNKNOWN, "Cannot be judged"),
        ({"n_chains": 0, "status": "undetermined"}, GOOD, "Nothing to sample"),
        ({"independent": True, "summed": True}, GOOD, "Exact"),
        ({"independent": True, "summed": False}, GOOD, "Drawn from the exact posterior"),
        ({"independent": True, "status": "warn"}, CAUTION, "Few draws"),
        ({"independent": True, "status": "not converged"}, POOR, "Too few draws"),
    ],
)
def test_sampling(changes: Data, mark: str, headline: str) -> None:
    data = plain_summary()
    base = {"status": "converged", "independent": False, "summed": False, "point_is_steady": True}
    data["convergence"] |= base | changes
    result = finding(verdict(data), "Sampling")
    assert (result.mark, result.headline) == (mark, headline)
    assert "warn" not in result.text
    assert ("exact" in result.headline.lower()) <= data["convergence"]["independent"]


def test_a_fold_that_failed_is_said_beside_a_fit_that_converged() -> None:
    data = plain_summary()
    data["folds"][1]["status"] = "not converged"
    result = finding(verdict(data), "Sampling")
    assert (result.mark, result.headline) == (CAUTION, "Converged")
    assert "In 1 of 3 folds the chains did not converge" in result.text
    data["convergence"] = None
    result = finding(verdict(data), "Sampling")
    assert (result.mark, result.headline) == (CAUTION, "Not recorded")
    real = finding(verdict(unsteady_summary()), "Sampling")
    assert real.mark == POOR
    assert "another run may give another list" in real.text


# -------------------------------------------------------------------------- what to mind


def caution_with(data: Data, words: str) -> bool:
    return any(words in text for text in verdict(data).cautions)


def test_cautions_of_a_small_table() -> None:
    data = plain_summary()
    data["validation"] |= {"n": 400, "n_events": 96}
    assert caution_with(data, "Few cases to evaluate on: 96 with the event (“stroke”). At least")
    data["validation"] |= {"n": 150, "n_events": 99}
    assert caution_with(data, "99 with the event (“stroke”), 51 without the event.")
    data["validation"] |= {"n": 250, "n_events": 100}
    assert not caution_with(data, "Few cases")


def test_cautions_of_a_rare_event() -> None:
    data = plain_summary()
    assert not caution_with(data, "Rare outcome")
    data["validation"]["discrimination"]["prevalence"] = 0.021
    assert caution_with(data, "Rare outcome: “stroke” (2.1%).")


def test_cautions_of_missing_values_in_the_list() -> None:
    data = plain_summary()
    assert not caution_with(data, "Missing values")  # creatinine is not in the list
    (creatinine,) = (c for c in data["people"]["columns"] if c["name"] == "creatinine")
    creatinine["in_list"] = True
    share = patients()[0]["creatinine"].isna().mean()
    assert caution_with(data, f"“creatinine” {100 * share:.1f}%. A missing value meets no")
    creatinine["levels"][-1]["shares"][0] = 0.04
    assert not caution_with(data, "Missing values")
    creatinine["levels"][-1] |= {"is_missing": False}
    creatinine["levels"][-1]["shares"][0] = 0.5
    assert not caution_with(data, "Missing values")  # a level that is called so


def test_cautions_of_other_kinds() -> None:
    data = plain_summary()
    data["about"] |= {"weighted": True, "n_without_label": 12, "note": "SYNTHETIC people."}
    data["posterior"]["unsteady_inclusions"] = ["age > 60"]
    cautions = verdict(data).cautions
    assert cautions[0] == "SYNTHETIC people."
    for words in ("Weights were used", "12 rows without a label", "marked ~"):
        assert any(words in text for text in cautions), words
    assert "within the training data" in cautions[-1]
    data["about"]["predicts"] = "posterior"
    assert caution_with(data, "not of the list that is printed")
    page = report_page(data)
    assert page.index("SYNTHETIC people.") < page.index('id="list"')


def test_training_data_as_held_out_table_get_no_good_mark() -> None:
    X, y = patients()
    judged = verdict(summarise(fitted(), X, y, folds=None, holdout=(X, y)))
    for topic in ("Discrimination", "Calibration"):
        assert finding(judged, topic).mark == UNKNOWN
        assert finding(judged, topic).headline.startswith("In sample: ")
        assert "too optimistic" in finding(judged, topic).text
    assert any("looks like the same data" in text for text in judged.cautions)


def test_folds_do_not_speak_for_a_list_that_was_edited() -> None:
    X, y = patients()
    edited = as_model(fitted()).edit(X, y).drop(0).as_model()
    judged = verdict(summarise(edited, X, y, folds=2))
    assert judged.cautions[0].startswith("The list was changed by hand after fitting. Cross-valid")
    for topic in ("Discrimination", "Calibration"):
        assert finding(judged, topic).mark != GOOD
        assert "without the changes" in finding(judged, topic).text
    assert "of this list" not in finding(judged, "Lists of the folds").text
    held_out = verdict(summarise(edited, X, y, folds=None, holdout=patients(150, seed=3)))
    assert "The list was changed by hand after fitting." in held_out.cautions
    assert "without the changes" not in finding(held_out, "Discrimination").text


def test_three_labels_are_judged_by_the_worst() -> None:
    data = copy.deepcopy(three_labels_summary().to_dict())
    aucs = {"bleeding": (0.9, 0.85, 0.95), "none": (0.6, 0.45, 0.7), "stroke": (0.8, 0.75, 0.85)}
    for each in data["other_labels"]:
        each["validation"]["discrimination"]["auc"] = estimate(*aucs[each["label"]])
    data["validation"]["discrimination"]["auc"] = estimate(*aucs["stroke"])
    result = finding(verdict(data), "Discrimination")
    assert result.mark == POOR
    assert result.headline == "Worst for “none”: perhaps no better than chance"
    for label, (value, *_) in aucs.items():
        assert f"“{label}”: AUC {value:.2f}" in result.text
    for row, n in zip(data["validation"]["by_label"], (99, 281, 20), strict=True):
        row["n"] = n
    assert caution_with(data, "99 with the label “bleeding”, 20 with the label “stroke”. At least")
    data["validation"]["by_label"][2]["n"] = 19
    assert caution_with(data, "Rare outcome: “stroke” (4.8%).")


def test_rounded_counts_and_a_model_without_draws_have_a_verdict() -> None:
    for result in (three_labels_summary(min_cell=10), unsteady_summary(min_cell=5)):
        shown = str(verdict(result))
        assert "None" not in shown.replace("None of the", "")
        assert "nan" not in shown
        assert "percentage points" not in shown  # of risks: the mean difference would tell counts
    bare = replace(as_model(fitted()), posterior=None, convergence=None)
    found_bare = verdict(summarise(bare, *patients(), folds=2))
    assert finding(found_bare, "Sampling").headline == "Not recorded"


def test_printed() -> None:
    lines = str(verdict(summary())).splitlines()
    assert len(lines) == 4 + len(verdict(summary()).cautions)
    for line, each in zip(lines[:4], verdict(summary()).findings, strict=True):
        assert line == f"{SIGNS[each.mark]} {each.topic}: {each.headline}. {each.text}"
    assert len(set(SIGNS.values())) == 4  # a mark is known without its colour
