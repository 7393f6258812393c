"""The report: one self-contained page from a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elseif.report import charts, wording
from elseif.report.page import render_page
from elseif.report.page_tables import all_tables
from elseif.report.summary import Summary
from elseif.report.svg import Svg

STATUS_WORDS = {  # value and basis of the key figure
    "converged": ("chains agree", "by the strict limits"),
    "warn": ("chains agree", "by the paper’s limit; stricter limits are not all met"),
    "not converged": ("chains disagree", "run longer before relying on the list"),
    "undetermined": ("unknown", "nothing to compare"),
}
EXACT_WORDS = {  # the same of draws from the sum over all lists
    "converged": ("exact", "all lists were weighed"),
    "warn": ("exact", "all lists were weighed; more draws would give steadier details"),
    "not converged": ("too few draws", "draw more before relying on the list"),
}
INCLUSIONS_DRAWN = 12
SECTIONS = (
    ("list", "The list"),
    ("reading", "How to read it"),
    ("people", "Who it was trained on"),
    ("discrimination", "Discrimination"),
    ("calibration", "Calibration"),
    ("decision", "Decision curve"),
    ("thresholds", "By threshold"),
    ("subgroups", "By subgroup"),
    ("convergence", "Convergence"),
    ("posterior", "The posterior"),
    ("stability", "Stability"),
    ("settings", "Settings and data"),
    ("tripod", "TRIPOD+AI"),
)


def write_report(summary: Summary | Mapping[str, Any]) -> str:
    """The page as HTML, from a summary or from what its ``to_dict`` gave."""
    found = summary.to_dict() if isinstance(summary, Summary) else dict(summary)
    context = {
        "s": found,
        "title": found["about"]["title"],
        "sections": SECTIONS,
        "how": wording.how_validated(found["validation"]),
        "tables": all_tables(found),
        "charts": all_charts(found),
        "words": _words(found),
        "bars": _bars(found),
        "glance": _glance(found),
        "count": wording.count,
        "percent": wording.percent,
        "number": wording.number,
    }
    return render_page("report.html", context, data=found)


def all_charts(found: Mapping[str, Any]) -> dict[str, Svg]:
    """Every drawing by its name."""
    validation, how = found["validation"], wording.how_validated(found["validation"])
    discrimination = validation["discrimination"]
    n_curves = len(discrimination["curves"])
    drawn: dict[str, Svg] = {
        "precision_recall": charts.precision_recall_chart(
            discrimination,
            f"Precision against recall, {how}, {_curves(n_curves)}. Average precision "
            f"{wording.number(discrimination['average_precision'])}.",
        ),
        "calibration": charts.calibration_chart(
            validation["calibration"],
            f"Observed share against predicted risk, {how}; the diagonal is ideal. The table "
            "below holds the numbers.",
        ),
        "decision": charts.decision_chart(
            validation["decision"],
            discrimination["prevalence"],
            f"Net benefit by threshold, {how}: the list, treating all, treating none.",
        ),
    }
    if discrimination["auc"]["value"] is not None:
        drawn["roc"] = charts.roc_chart(
            discrimination,
            f"Sensitivity against false positive rate, {how}, {_curves(n_curves)}. AUC "
            f"{wording.estimate(discrimination['auc'])}.",
        )
    convergence, posterior = found["convergence"], found["posterior"]
    if convergence is not None and convergence["traces"]:
        drawn["traces"] = charts.trace_chart(
            convergence["traces"],
            "Log posterior along the kept draws of each chain. Chains that agree lie on top of "
            "each other.",
        )
    if posterior is not None:
        drawn["lengths"] = charts.length_chart(
            posterior["lengths"],
            f"Probability of each number of rules; the mean is {posterior['mean_length']:.2f}.",
        )
    return drawn


def _curves(n: int) -> str:
    return "1 curve" if n == 1 else f"{n} curves"


def _bars(found: Mapping[str, Any]) -> dict[str, Any]:
    """The list's intervals, inclusion and stability as bars in tables."""
    first = [line["risks"][0] for line in found["lines"]]
    scale = charts.bar_scale(max(r["high"] for r in first))
    decimals = _decimals(first)
    lines = []
    for risk in first:
        shown = wording.percent(risk["probability"], decimals)
        low, high = (wording.percent(risk[end], decimals) for end in ("low", "high"))
        interval = f"{low.removesuffix('%')}–{high}"
        lines.append(
            {
                "risk": shown,
                "interval": interval,
                "bar": charts.interval_bar(
                    risk["probability"], risk["low"], risk["high"], scale, f"{shown} ({interval})"
                ),
            }
        )
    posterior = found["posterior"]
    inclusion = [] if posterior is None else posterior["inclusion"]
    return {
        "scale": wording.percent(scale, 0),
        "lines": lines,
        "inclusion": [
            (name, wording.percent(p), charts.share_bar(p, wording.percent(p)))
            for name, p in inclusion[:INCLUSIONS_DRAWN]
        ],
    }


def _decimals(risks: list[Mapping[str, Any]]) -> int:
    """Whole percent, or one decimal where intervals are narrow."""
    return 1 if min(r["high"] - r["low"] for r in risks) < 0.02 else 0


def _words(found: Mapping[str, Any]) -> dict[str, list[str]]:
    """Sentences that open the sections."""
    return {
        "reading": wording.reading_words(found),
        "people": wording.people_words(found),
        "discrimination": wording.discrimination_words(found),
        "calibration": wording.calibration_words(found),
        "decision": wording.decision_words(found["validation"]["decision"]),
        "stability": wording.stability_words(found["stability"]) if found["stability"] else [],
    }


def _glance(found: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The key figures: name, value, and what it rests on."""
    validation, about = found["validation"], found["about"]
    how = wording.how_validated(validation)
    auc, calibration = validation["discrimination"]["auc"], validation["calibration"]
    slope = calibration["recalibration"]["slope"]
    n_rules, n_events = len(found["lines"]) - 1, wording.count(about["n_events"])
    glance = [
        ("Rules", str(n_rules), "and a last line for everybody else"),
        ("People", wording.count(about["n"]), f"{n_events} with the outcome"),
        ("AUC", wording.number(auc["value"]), f"{_range(auc, 3)}{how}"),
        ("Calibration slope", wording.number(slope["value"], 2), f"{_range(slope, 2)}{how}"),
        ("Scaled Brier score", wording.percent(calibration["brier"]["scaled"]), how),
    ]
    if found["convergence"] is not None:
        words = STATUS_WORDS | (EXACT_WORDS if found["convergence"]["independent"] else {})
        value, basis = words[found["convergence"]["status"]]
        r_hat = wording.number(found["convergence"]["r_hat"])
        glance.append(("Sampling", value, f"{basis}; R-hat {r_hat}"))
    return glance


def _range(found: Mapping[str, Any], decimals: int) -> str:
    if found["low"] is None:
        return ""
    low, high = wording.number(found["low"], decimals), wording.number(found["high"], decimals)
    return f"95% interval {low} to {high}; "
