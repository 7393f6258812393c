"""The study's texts and figures, from results that are made by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from elseif.datasets import PlantedRule
from elseif.evaluation.table_of_classifiers import Compared, Measured
from elseif.studies import stroke_figures as figures, stroke_tables as tables
from elseif.studies.stroke_results import comparison_results, list_stability, recovery

GOLDEN = Path(__file__).with_name("stroke-tables.txt")
N, FOLDS = 400, 4


def measured(
    name: str, skill: float, seconds: float | None = None, has_risk: bool = True
) -> Measured:
    rng = np.random.default_rng(7)
    truth = np.arange(N) % 5 == 0
    order = skill * truth + rng.random(N)
    fold = np.arange(N) // 5 % FOLDS
    times = tuple((seconds or 0.0) * (1 + k / 10) for k in range(FOLDS))
    risk = order / (order.max() + 0.1) if has_risk else None
    said = (("Careful.",),) + ((),) * (FOLDS - 1)
    return Measured(name, seconds is not None, truth, fold, order, risk, times, times, said)


def line(*parts: str, risk: float = 0.2) -> dict[str, Any]:
    columns = [part.split(" ")[0] for part in parts]
    return {
        "condition": " and ".join(parts), "parts": list(parts), "columns": columns,
        "n": 100.0, "n_events": 20.0, "probability": risk, "low": risk - 0.1, "high": risk + 0.1,
    }  # fmt: skip


def fitted(*lines: dict[str, Any]) -> dict[str, Any]:
    return {
        "text": "if ... else ...", "lines": [*lines, line(risk=0.1)],
        "n_antecedents": 2000 + len(lines), "n_iter": 64_000, "status": "converged",
    }  # fmt: skip


LISTS = (
    fitted(line("Hemiplegia", "age > 60"), line("TIA"), line("age <= 70")),
    fitted(line("Hemiplegia", "age > 60"), line("age > 70")),
    fitted(line("Hemiplegia"), line("age > 70"), line("TIA")),
    fitted(line("Hemiplegia", "age > 60")),
)
PLANTED = (
    PlantedRule(("Hemiplegia", "age > 60"), "hemiplegia and age > 60", 0.589, 10, 6),
    PlantedRule(("TIA",), "transient ischaemic attack", 0.238, 10, 2),
    PlantedRule(("age <= 70",), "age <= 70", 0.046, 10, 1),
)


def results(population: str = "everybody") -> dict[str, Any]:
    result = {
        m.name: m
        for m in (
            measured("BRL-point", 0.6, 4.0),
            measured("BRL-post", 0.7, 4.0),
            measured("CHADS2", 0.3),
            measured("SVM", 0.5, 61.0, has_risk=False),
            measured("gradient boosting", 0.8, 9.0),
        )
    }
    failures = {"CART": "fold 1: not enough memory.", "CORELS": "fold 2: it is gone."}
    return comparison_results(
        Compared(population, N, N // 5, FOLDS, result, {"BRL": LISTS}, failures), PLANTED
    )


COHORT = {"n": N, "n_events": N // 5, "n_features": 4146}
TIMES = {
    "brl_everybody_seconds": 12.34, "brl_everybody_cpu_seconds": 20.0, "brl_seconds": 30.0,
    "brl_cpu_seconds": 44.0,
    "seconds": 901.0, "parts": {"patients": 10.2, "figures": 3.0}, "cores": 2, "n_kept": 3,
    "n_fits": 45,
}  # fmt: skip


def whole_text() -> str:
    result = results()
    parts = [
        tables.heading_text("Stroke after atrial fibrillation", COHORT, True, "the DuckDB file x"),
        tables.auc_table(result, "these patients (SYNTHETIC)", True, {"C5.0": "needs R."}),
        tables.auc_table(results("women"), "these patients", with_paper=False),
        tables.difference_text(result),
        tables.stability_text(result),
        tables.planted_text(result),
        tables.times_text(TIMES),
        tables.lists_text([result], is_synthetic=False),
    ]
    return "\n\n".join(parts) + "\n"


def test_the_text() -> None:
    """All tables as they are printed; a change of the text is a change of this file."""
    assert whole_text() == GOLDEN.read_text("utf-8")
    assert max(map(len, whole_text().splitlines())) <= 100


def test_results_are_plain() -> None:
    """JSON without a number that is none, the same after a round trip."""
    result = results()
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    svm = result["classifiers"]["SVM"]
    assert (svm["calibration"], svm["brier"], svm["recalibration"]) == ([], None, None)
    assert result["classifiers"]["BRL-point"]["above_brl_point"] is None
    assert result["classifiers"]["BRL-post"]["above_brl_point"]["n_folds_above"] == FOLDS
    assert result["classifiers"]["CHADS2"]["seconds"] is None


def test_a_long_curve_keeps_its_ends() -> None:
    curve = results()["classifiers"]["BRL-post"]["roc"][0]
    for values in curve.values():
        assert (values[0], values[-1]) == (0.0, 1.0)
        assert values == sorted(values)


def test_recovery() -> None:
    """As it is, turned round as the last rule, and its disease in another rule."""
    hemiplegia, tia, age = recovery(LISTS, PLANTED)
    assert (hemiplegia["folds"], hemiplegia["in_another_rule"]) == ([1, 2, 4], [3])
    assert (tia["folds"], tia["in_another_rule"]) == ([1, 3], [])
    # in the third list "age > 70" is not last: it says something else there
    assert (age["folds"], age["turned_round"], age["in_another_rule"]) == ([1], [2], [])


def test_agreement_of_lists() -> None:
    result = list_stability(LISTS[:2])
    assert result["lengths"] == [3, 2]
    assert result["rule_agreement"] == pytest.approx(1 / 4)
    assert result["column_agreement"] == pytest.approx(2 / 3)
    assert result["rules"][0] == ("Hemiplegia and age > 60", 2)
    assert np.isnan(list_stability(LISTS[:1])["rule_agreement"])


def drawn(figure: Any, folder: Path) -> str:
    """Save a figure, and give what it says in titles, legends and names of rows."""
    figure.savefig(folder / "figure.svg")
    texts = []
    for axes in figure.axes:
        legend = axes.get_legend()
        texts += [text.get_text() for text in legend.get_texts()] if legend else []
        texts += [axes.get_title(loc="left"), *(t.get_text() for t in axes.get_yticklabels())]
    return "\n".join(texts)


def test_figures(tmp_path: Path) -> None:
    """Every figure can be drawn, and names what it shows."""
    everybody, women = results(), results("women")
    roc = figures.roc_figure(everybody, "a $title$ that is long " * 5)
    assert len(roc.axes[0].lines) == 1 + 2 * FOLDS  # the diagonal, and two classifiers
    said = drawn(roc, tmp_path)
    assert "CHADS₂: AUC" in said
    assert "CHA₂DS₂-VASc" not in said
    auc = figures.auc_figure([everybody, women], "title", with_paper=True)
    said = drawn(auc, tmp_path)
    assert "gradient boosting" in said
    assert "CART" not in said.replace("Bayesian CART", "")
    calibration = figures.calibration_figure(everybody, "title")
    said = drawn(calibration, tmp_path)
    assert "SVM" not in said
    assert "BRL-point\nslope" in said
