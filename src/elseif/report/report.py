"""The report: one self-contained page from a summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from elseif.errors import ParamError, ParamTypeError
from elseif.report import charts, wording
from elseif.report.findings import SIGNS, evaluations, verdict
from elseif.report.methods import methods_text
from elseif.report.page import render_page
from elseif.report.page_tables import all_tables, evaluation_tables, quartile_texts
from elseif.report.projection_summary import path_chart
from elseif.report.summary import Summary
from elseif.report.svg import Svg
from elseif.showing.numbers import decimals_for
from elseif.showing.probability_axis import percent_tick, probability_end

INCLUSIONS_DRAWN = 12
PAGES = ("calculator", "explorer")  # that a report can link to
FOLD_STATUS = {
    "converged": "converged",
    "warn": "converged by the paper’s criterion",
    "not converged": "not converged",
    "undetermined": "convergence not assessed",
}
SECTIONS = (
    ("verdict", "Verdict"),
    ("list", "The list"),
    ("reading", "How to read it"),
    ("people", "Training data"),
    ("discrimination", "Discrimination"),
    ("calibration", "Calibration"),
    ("decision", "Decision curve"),
    ("thresholds", "Performance by threshold"),
    ("subgroups", "Performance by subgroup"),
    ("convergence", "Convergence"),
    ("posterior", "The posterior"),
    ("projection", "The projected list"),
    ("stability", "Stability"),
    ("methods", "Methods paragraph"),
    ("settings", "Settings and data"),
    ("tripod", "TRIPOD+AI"),
)


def report_page(
    summary: Summary | Mapping[str, Any], *, links: Mapping[str, str] | None = None
) -> str:
    """Write the report as one self-contained HTML page.

    Parameters
    ----------
    summary : Summary or dict
        A summary, or what its ``to_dict`` gave.
    links : dict, default=None
        Relative addresses of the model's other pages: "calculator", "explorer".

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import summarise, report_page
    >>> page = report_page(summarise(clf, X, y, folds=2, title="Titanic"))
    >>> page.startswith("<!doctype html>")
    True
    """
    if not isinstance(summary, (Summary, Mapping)):
        raise ParamTypeError(
            f"summary must be what summarise returns, not {type(summary).__name__}: "
            "report_page(summarise(clf, X, y))."
        )
    document = summary.to_dict() if isinstance(summary, Summary) else dict(summary)
    context = {
        "s": document,
        "quartiles": [quartile_texts(column) for column in document["people"]["columns"]],
        "title": document["about"]["title"],
        "sections": [
            each for each in SECTIONS if each[0] != "projection" or document["projection"]
        ],
        "heading_of": dict(SECTIONS),
        "verdict": verdict(document),
        "signs": SIGNS,
        "links": _checked(links or {}),
        "methods": methods_text(document),
        "how": wording.how_validated(document["validation"]),
        "tables": all_tables(document),
        "charts": all_charts(document),
        "evaluations": _evaluations(document),
        "words": _words(document),
        "bars": _bars(document),
        "fold_status": FOLD_STATUS,
        "count": wording.count,
        "percent": wording.percent,
        "number": wording.number,
    }
    return render_page("report.html", context, data=document)


def _checked(links: Mapping[str, str]) -> dict[str, str]:
    """Links to pages that are known, in the order they are shown; no scheme, nothing elsewhere."""
    for what, address in links.items():
        if what not in PAGES:
            raise ParamError(f"links: there is no page {what!r}; pages are {', '.join(PAGES)}.")
        if urlsplit(address).scheme or urlsplit(address).netloc:
            raise ParamError(f"links[{what!r}] is {address!r}; it must be a relative address.")
    return {what: links[what] for what in PAGES if what in links}


def _evaluations(summary: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What is shown on the performance for each label that is evaluated."""
    others = {each["label"]: each for each in summary["other_labels"]}
    shown = []
    for i, (label, validation) in enumerate(evaluations(summary)):
        view = {
            **summary,
            **{k: v for k, v in others.get(label, {}).items() if k != "label"},
            "validation": validation,
        }
        shown.append(
            {
                "label": label,
                "v": validation,
                "charts": evaluation_charts(validation, f"-{i}" if i else ""),
                "tables": evaluation_tables(validation),
                "discrimination": wording.discrimination_words(view),
                "calibration": wording.calibration_words(view),
                "decision": wording.decision_words(validation["decision"]),
            }
        )
    return shown


def all_charts(summary: Mapping[str, Any]) -> dict[str, Svg]:
    """Every drawing by its name."""
    drawn = evaluation_charts(summary["validation"])
    convergence, posterior = summary["convergence"], summary["posterior"]
    if convergence is not None and convergence["traces"]:
        drawn["traces"] = charts.trace_chart(
            convergence["traces"],
            "Log posterior of the kept draws of each chain. The traces of chains that agree "
            "overlap.",
        )
    if posterior is not None:
        drawn["lengths"] = charts.length_chart(
            posterior["lengths"],
            f"Probability of each number of rules; the mean is {posterior['mean_length']:.2f}.",
        )
    if summary["projection"] is not None:
        drawn["projection"] = path_chart(summary["projection"])
    return drawn


def evaluation_charts(validation: Mapping[str, Any], key: str = "") -> dict[str, Svg]:
    """The drawings on the performance for one label; ``key`` keeps their ids apart."""
    how = wording.how_validated(validation)
    discrimination = validation["discrimination"]
    n_curves = len(discrimination["curves"])
    drawn = {
        "precision_recall": charts.precision_recall_chart(
            discrimination,
            f"Precision against recall, {how}, {_curves(n_curves)}. Average precision "
            f"{wording.number(discrimination['average_precision'])}.",
            key,
        ),
        "calibration": charts.calibration_chart(
            validation["calibration"],
            f"Observed share against predicted risk, {how}; the diagonal is ideal. Below, a "
            "histogram of the predicted risks of cases with and without the event. The tables "
            "below have the numbers.",
            key,
        ),
        "decision": charts.decision_chart(
            validation["decision"],
            discrimination["prevalence"],
            f"Net benefit by threshold, {how}: of using the list, treating all, treating none.",
            key,
        ),
    }
    if discrimination["auc"]["value"] is not None:
        drawn["roc"] = charts.roc_chart(
            discrimination,
            f"Sensitivity against false positive rate, {how}, {_curves(n_curves)}. AUC "
            f"{wording.estimate(discrimination['auc'])}.",
            key,
        )
    return drawn


def _curves(n: int) -> str:
    return "1 curve" if n == 1 else f"{n} curves"


def _bars(summary: Mapping[str, Any]) -> dict[str, Any]:
    """The list's intervals, inclusion and stability as bars in tables."""
    # of more than two labels all are shown, unless one was chosen
    n_labels = len(summary["about"]["labels"]) if summary["other_labels"] else 1
    lines = [_in_order(line["risks"][:n_labels], summary) for line in summary["lines"]]
    shown = [risk for risks in lines for risk in risks]
    ends = [risk["high"] for risk in shown]
    ends += [risk["high_over_lists"] for risk in shown if risk.get("high_over_lists") is not None]
    scale = probability_end(max(ends))
    decimals = decimals_for(min(r["high"] - r["low"] for r in shown))
    drawn = [[_bar(risk, scale, decimals, n_labels > 1) for risk in risks] for risks in lines]
    posterior = summary["posterior"]
    inclusion = [] if posterior is None else posterior["inclusion"]
    unsteady = [] if posterior is None else posterior["unsteady_inclusions"]
    return {
        "scale": percent_tick(scale),
        "lines": drawn,
        "has_over_lists": any(bar["over_lists"] for bars in drawn for bar in bars),
        "inclusion": [
            (
                name,
                wording.percent(p),
                name not in unsteady,
                charts.share_bar(p, wording.percent(p)),
            )
            for name, p in inclusion[:INCLUSIONS_DRAWN]
        ],
    }


def _in_order(risks: list[Any], summary: Mapping[str, Any]) -> list[Any]:
    """Risks in the order of the labels, the same on every line."""
    return sorted(risks, key=lambda risk: summary["about"]["labels"].index(risk["name"]))


def _bar(risk: Mapping[str, Any], scale: float, decimals: int, named: bool) -> dict[str, Any]:
    """One risk with its intervals, in words and drawn."""
    shown = wording.percent(risk["probability"], decimals)
    interval = wording.percent_range(risk["low"], risk["high"], decimals)
    over_lists = ""
    label = f"{shown} ({interval})"
    if risk.get("low_over_lists") is not None:
        over_lists = wording.percent_range(
            risk["low_over_lists"], risk["high_over_lists"], decimals
        )
        label += f", over all lists {over_lists}"
    return {
        "label": risk["name"] if named else "",
        "risk": shown,
        "interval": interval,
        "over_lists": over_lists,
        "bar": charts.interval_bar(risk, scale, label),
    }


def _words(summary: Mapping[str, Any]) -> dict[str, list[str]]:
    """Sentences that open the sections."""
    return {
        "reading": wording.reading_words(summary),
        "people": wording.people_words(summary),
        "lists": wording.best_lists_words(summary) if summary["posterior"] else [],
        "stability": wording.stability_words(summary["stability"]) if summary["stability"] else [],
    }
