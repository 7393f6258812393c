"""Every number of the study as plain data, for its tables, figures and results.json."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elseif.datasets import PlantedRule
from elseif.evaluation import Compared, Curve, Estimate, Measured, agreement, most_common, spread
from elseif.report import plain

BRL, POINT, POST = "BRL", "BRL-point", "BRL-post"
MOST_CORNERS = 200  # of a curve; every score is in the kept files
LEVEL = 0.95


def comparison_results(compared: Compared, planted: Sequence[PlantedRule] = ()) -> dict[str, Any]:
    """Everything found on one population."""
    lists = compared.details.get(BRL, ())
    return plain(
        {
            "population": compared.population,
            "n": compared.n,
            "n_events": compared.n_events,
            "n_folds": compared.n_folds,
            "classifiers": {
                name: _classifier(m, compared.measured.get(POINT))
                for name, m in compared.measured.items()
            },
            "failures": dict(compared.failures),
            "lists": list(lists),
            "stability": list_stability(lists),
            "planted": recovery(lists, planted),
        }
    )


def describe_fit(classifier: Any) -> dict[str, Any]:
    """A fitted rule list as plain data: its lines, its pool, and whether the chains agree."""
    convergence = classifier.convergence_
    return plain(
        {
            "text": str(classifier.rule_list_),
            "lines": describe_list(classifier.rule_list_),
            "n_antecedents": len(classifier.pool_),
            "n_draws": classifier.posterior_.n_draws,
            "n_iter": classifier.n_iter_,
            "status": convergence.status,
            "r_hat": convergence.r_hat,
            "max_r_hat": convergence.max_r_hat,
            "min_ess": convergence.min_ess,
        }
    )


def describe_list(rule_list: Any) -> list[dict[str, Any]]:
    """The lines of a list, the default rule last."""
    event = rule_list.classes[-1]
    lines = []
    for rule in rule_list:
        low, high = rule.interval(event, LEVEL)
        lines.append(
            {
                "condition": rule.antecedent.name,
                "parts": list(rule.antecedent.parts),
                "columns": list(rule.antecedent.columns),
                "n": float(rule.n),
                "n_events": float(rule.label_counts[-1]),
                "probability": float(rule.probabilities[-1]),
                "low": float(low),
                "high": float(high),
            }
        )
    return lines


def list_stability(lists: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How many folds' lists hold each rule and each column, and how far pairs of lists agree."""
    rules = [{line["condition"] for line in fold_list["lines"][:-1]} for fold_list in lists]
    columns = [{c for line in fold_list["lines"] for c in line["columns"]} for fold_list in lists]
    return {
        "lengths": [len(fold_list["lines"]) - 1 for fold_list in lists],
        "rules": most_common(rules),
        "columns": most_common(columns),
        "rule_agreement": agreement(rules),
        "column_agreement": agreement(columns),
    }


def recovery(
    lists: Sequence[Mapping[str, Any]], planted: Sequence[PlantedRule]
) -> list[dict[str, Any]]:
    """For each planted rule the folds whose list has it, as it is or in another form.

    Turned round: "if age <= 70 ... else" and "if age > 70 ... else", last in a list, say the
    same. In another rule: the disease, with something else or alone.
    """
    recovered = []
    for rule in planted:
        parts = set(rule.antecedent)
        disease = min(parts, key=lambda part: (part.startswith("age "), part))
        forms: dict[str, list[int]] = {"folds": [], "turned_round": [], "in_another_rule": []}
        for k, one in enumerate(lists, 1):
            rules = [set(line["parts"]) for line in one["lines"][:-1]]
            if parts in rules:
                forms["folds"].append(k)
            elif rules and rules[-1] == {_opposite(disease)} and len(parts) == 1:
                forms["turned_round"].append(k)
            elif not disease.startswith("age ") and any(disease in other for other in rules):
                forms["in_another_rule"].append(k)
        about = {"rule": rule.text, "in_the_paper": rule.paper, "risk": rule.risk}
        recovered.append(about | forms)
    return recovered


def _opposite(condition: str) -> str:
    """The other side of a cut."""
    if " <= " in condition:
        return condition.replace(" <= ", " > ")
    return condition.replace(" > ", " <= ")


def _classifier(measured: Measured, reference: Measured | None) -> dict[str, Any]:
    aucs, brier, recalibration = measured.aucs, measured.brier(), measured.recalibration()
    mean, deviation = spread(aucs)
    interval = measured.auc
    return {
        "auc": {
            "mean": mean,
            "sd": deviation,
            "low": interval.low,
            "high": interval.high,
            "folds": aucs,
        },
        "above_brl_point": _difference(measured, reference),
        "seconds": _seconds(measured.seconds) if measured.learns else None,
        "cpu_seconds": _seconds(measured.cpu_seconds) if measured.learns else None,
        "roc": [_corners(curve) for curve in measured.curves()],
        "calibration": [
            {
                "n": g.n,
                "n_events": g.n_events,
                "predicted": g.predicted,
                "observed": _estimate(g.observed),
            }
            for g in measured.calibration()
        ],
        "recalibration": recalibration
        and {
            "slope": _estimate(recalibration.slope),
            "intercept": _estimate(recalibration.intercept),
            "in_the_large": _estimate(recalibration.in_the_large),
        },
        "brier": brier and {**_estimate(brier.score), "scaled": brier.scaled},
        "warnings": [list(said) for said in measured.warnings],
    }


def _difference(measured: Measured, reference: Measured | None) -> dict[str, Any] | None:
    """AUC above that of the point list in the same folds."""
    if reference is None or measured is reference:
        return None
    differences = np.subtract(measured.aucs, reference.aucs)
    mean, deviation = spread(differences.tolist())
    return {
        "mean": mean,
        "sd": deviation,
        "folds": differences.tolist(),
        "n_folds_above": int((differences > 0).sum()),
        "n_folds_below": int((differences < 0).sum()),
    }


def _seconds(values: Sequence[float]) -> dict[str, Any]:
    mean, deviation = spread(values)
    return {"mean": mean, "sd": deviation, "folds": list(values)}


def _corners(curve: Curve) -> dict[str, list[float]]:
    """The corners of a ROC curve; evenly chosen ones of a long curve, its ends among them."""
    n = len(curve.thresholds)
    kept = np.unique(np.linspace(0, n - 1, min(n, MOST_CORNERS)).round().astype(int))
    return {
        "false_positive_rate": curve.false_positive_rate[kept].tolist(),
        "sensitivity": curve.sensitivity[kept].tolist(),
    }


def _estimate(estimate: Estimate) -> dict[str, float]:
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}
