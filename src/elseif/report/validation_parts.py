"""Tables, sentences and bars of an external validation page, from its plain data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from elseif.report import wording
from elseif.report.page_tables import Table
from elseif.report.svg import Svg, element
from elseif.report.validation_findings import MUCH_DRIFT, has_drifted, one_side
from elseif.report.wording import count, estimate, number, percent, percent_estimate
from elseif.showing.line_heads import line_head
from elseif.showing.numbers import decimals_for

Data = Mapping[str, Any]
BAR = (200.0, 20.0)
DRIFT_SHOWN = 15


def people_sentence(validation: Data) -> str:
    """Who is here, and whom the list was learnt from."""
    n, n_events = validation["n"], validation["n_events"]
    learnt_n, learnt_events = validation["learnt_n"], validation["learnt_n_events"]
    return (
        f"{count(n)} cases, {count(n_events)} ({percent(n_events / n)}) with the event; the list "
        f"was learnt from {count(learnt_n)}, {percent(learnt_events / learnt_n)} with it."
    )


def line_views(validation: Data, scale: float) -> list[dict[str, Any]]:
    """Every line in words, with a bar."""
    lines = validation["lines"]
    widths = [line["observed"]["high"] - line["observed"]["low"] for line in lines if line["n"]]
    decimals = decimals_for(min(widths)) if widths else 1
    return [_line_view(i, line, len(lines), scale, decimals) for i, line in enumerate(lines)]


def _line_view(i: int, line: Data, n_lines: int, scale: float, decimals: int) -> dict[str, Any]:
    seen, is_last = line["observed"], i == n_lines - 1
    observed = percent(seen["value"], decimals) if line["n"] else "no case"
    interval = wording.percent_range(seen["low"], seen["high"], decimals) if line["n"] else ""
    stated = percent(line["predicted"], decimals)
    label = f"stated {stated}, observed {observed} {f'({interval})' if interval else ''}".strip()
    return {
        "head": line_head(i, n_lines - 1),
        "condition": "" if is_last else line["rule"],
        "stated": stated,
        "observed": observed,
        "interval": interval,
        "n": count(line["n"]),
        "bar": observed_bar(line, scale, label),
    }


def observed_bar(line: Data, scale: float, label: str) -> Svg:
    """What was observed as a bar with its interval, and the stated risk as a dashed line."""
    width, height = BAR
    parts = [
        element("line", x1=width * k / 4, x2=width * k / 4, y1=0, y2=height, class_="grid")
        for k in range(5)
    ]
    if line["n"]:
        seen = line["observed"]
        left, right = width * seen["low"] / scale, width * min(seen["high"], scale) / scale
        parts.append(
            element("rect", x=left, y=5, width=max(right - left, 1.0), height=10, class_="interval")
        )
        x = width * min(seen["value"], scale) / scale
        parts.append(element("line", x1=x, x2=x, y1=1, y2=height - 1, class_="mark"))
    stated = width * min(line["predicted"], scale) / scale
    parts.append(element("line", x1=stated, x2=stated, y1=-2, y2=height + 2, class_="stated"))
    return element(
        "svg", element("title", label), *parts, role="img", class_="bar",
        viewBox=f"0 0 {width:g} {height:g}", preserveAspectRatio="none",
    )  # fmt: skip


def own_tables(validation: Data) -> dict[str, Table]:
    """Lines, drift, and the recalibrated lines."""
    tables = {"lines": _line_table(validation)}
    drift = one_side(validation["drift"])
    if drift:
        caption = "Conditions whose prevalence differs most"
        tables["drift"] = _drift_table(caption, drift[:DRIFT_SHOWN])
    if len(drift) > DRIFT_SHOWN:
        tables["more_drift"] = _drift_table("All further conditions", drift[DRIFT_SHOWN:])
    if validation["recalibrated"] is not None:
        tables["recalibrated"] = _recalibrated_table(validation)
    return tables


def _line_table(validation: Data) -> Table:
    rows = [
        [line["rule"], count(line["n"]), count(line["n_events"]), number(line["expected"], 1),
         number(line["n_events"] / line["expected"], 2) if line["expected"] else "–"]
        for line in validation["lines"]
    ]  # fmt: skip
    expected = sum(line["expected"] for line in validation["lines"])
    total = validation["n_events"] / expected if expected else None
    rows.append(
        ["all lines", count(validation["n"]), count(validation["n_events"]), number(expected, 1),
         "–" if total is None else number(total, 2)]
    )  # fmt: skip
    heads = ["line", "n", "events", "expected", "observed / expected"]
    return Table("Events on every line, and those expected by the stated risks", heads, rows)


def _drift_table(caption: str, drift: list[Data]) -> Table:
    rows = [
        [one["condition"], percent(one["learnt"]), percent(one["here"]),
         _signed(one["standardised"])]
        for one in drift
    ]  # fmt: skip
    return Table(caption, ["condition", "training data", "here", "standardised difference"], rows)


def _recalibrated_table(validation: Data) -> Table:
    rows = [
        [line["rule"], percent(line["predicted"]),
         percent_estimate(line["observed"]) if line["n"] else "no case",
         percent_estimate(made["risk"]),
         f"{count(made['old_n_events'])} of {count(made['old_n'])}",
         f"{count(made['new_n_events'])} of {count(made['new_n'])}"]
        for line, made in zip(validation["lines"], validation["recalibrated"]["lines"], strict=True)
    ]  # fmt: skip
    heads = ["line", "stated", "observed here (95% interval)",
             "recalibrated (95% credible interval)", "events there", "events here"]  # fmt: skip
    return Table("Every line before and after recalibration", heads, rows)


def _signed(value: float) -> str:
    shown = number(value, 2)
    return shown if shown.startswith("−") or not float(shown) else f"+{shown}"


def own_words(validation: Data) -> dict[str, list[str]]:
    """Sentences that open the sections."""
    measures = validation["measures"]
    view = {"validation": measures, "about": {"rounded_to": validation["min_cell"]}}
    return {
        "discrimination": _discrimination_words(validation),
        "calibration": wording.calibration_words(view),
        "decision": wording.decision_words(measures["decision"]),
        "drift": _drift_words(validation),
        "recalibrated": _recalibrated_words(validation),
    }


def _discrimination_words(validation: Data) -> list[str]:
    auc = validation["auc"]
    if auc["value"] is None:
        return ["The AUC needs cases both with and without the event, and is not available."]
    rounded = ", computed from rounded counts" if validation["min_cell"] else ""
    return [
        "For two cases, one with and one without the event, the one with the event is given the "
        f"higher risk {100 * auc['value']:.0f} times in 100 (ties count as half). Chance alone "
        f"would give 50. The AUC is {estimate(auc)}, with DeLong’s 95% confidence interval"
        f"{rounded}.",
        "Discrimination depends on the cases as well as on the list: if they are more alike than "
        "those of the training data, the AUC is lower even if every risk is right.",
    ]


def _drift_words(validation: Data) -> list[str]:
    if not validation["drift"]:
        if validation["min_cell"]:
            return ["Left out: shares of people in many conditions could reveal small numbers."]
        return ["The model file does not contain the prevalence of its conditions."]
    drift = one_side(validation["drift"])
    much = sum(map(has_drifted, drift))
    return [
        f"How often each of the {len(drift):,} single conditions that rules were made of is true, "
        "here and in the training data (of the two sides of a cut, one is shown). The "
        "standardised difference is in units of the mean standard deviation; "
        f"{much:,} of them reach {MUCH_DRIFT:g}, from which groups are usually called different. "
        "Drift alone does not make a list wrong, but shows where to look."
    ]


def _recalibrated_words(validation: Data) -> list[str]:
    made = validation["recalibrated"]
    if made is None:
        return [
            "Not shown: recalibration starts from the exact counts of one list. This model "
            "predicts with an average over lists, or was saved with a minimum cell."
        ]
    learnt = (
        "the value between 0 and 1 that makes the labels here most probable"
        if made["is_learnt"]
        else "as it was given"
    )
    sentences = [
        "The rules are kept, and their risks are updated: the label counts of the training data, "
        "discounted, are the prior of each line, and the counts of these cases are added. The "
        f"discount is {made['discount']:.3g} ({learnt}). With 1, the counts of both places are "
        "added up; with 0, only those of the new place count."
    ]
    if validation["min_cell"]:
        sentences.append("Both counts are rounded, and the risks are computed from rounded counts.")
    sentences.append(
        "The recalibrated risks were learnt from these cases, so this table does not show how "
        "well they would perform on others. elseif validate --recalibrated FILE saves the "
        "recalibrated list."
    )
    return sentences


def facts_of(validation: Data, facts: Mapping[str, str]) -> list[tuple[str, str]]:
    """Facts about model and people, in a list of terms."""
    cell = (
        f"Numbers of people are rounded to multiples of {validation['min_cell']:,}."
        if validation["min_cell"]
        else "All counts are shown."
    )
    return [*facts.items(), ("Small cells", cell)]
