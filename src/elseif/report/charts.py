"""The report's charts, from the summary's plain data; colours come from the style sheet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from elseif.report.svg import Frame, Svg, element, marker, nice_ticks, picture
from elseif.showing.probability_axis import percent_tick, probability_end

Data = Mapping[str, Any]

TENTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
BAR = (200.0, 20.0)
N_CHAIN_STYLES = 8


def interval_bar(risk: Data, scale: float, label: str) -> Svg:
    """A credible interval as a bar on a scale from 0, with a mark at the probability.

    The interval over all lists is a thin line through it.
    """
    value, low, high = risk["probability"], risk["low"], risk["high"]
    width, height = BAR
    parts = [
        element("line", x1=width * k / 4, x2=width * k / 4, y1=0, y2=height, class_="grid")
        for k in range(5)
    ]
    left, right = width * low / scale, width * min(high, scale) / scale
    parts.append(
        element("rect", x=left, y=5, width=max(right - left, 1.0), height=10, class_="interval")
    )
    if risk.get("low_over_lists") is not None:
        ends = [width * min(risk[f"{end}_over_lists"], scale) / scale for end in ("low", "high")]
        parts.append(
            element("line", x1=ends[0], x2=ends[1], y1=height / 2, y2=height / 2, class_="whisker")
        )
    position = width * min(value, scale) / scale
    parts.append(element("line", x1=position, x2=position, y1=1, y2=height - 1, class_="mark"))
    return element(
        "svg", element("title", label), *parts, role="img", class_="bar",
        viewBox=f"0 0 {width:g} {height:g}", preserveAspectRatio="none",
    )  # fmt: skip


def share_bar(value: float, label: str) -> Svg:
    """A share as a bar from 0 to 1."""
    width, height = BAR
    return element(
        "svg", element("title", label),
        element("rect", x=0, y=4, width=width, height=12, class_="track"),
        element("rect", x=0, y=4, width=width * value, height=12, class_="filled"),
        role="img", class_="bar", viewBox=f"0 0 {width:g} {height:g}", preserveAspectRatio="none",
    )  # fmt: skip


def roc_chart(discrimination: Data, description: str, key: str = "") -> Svg:
    """ROC curves of all folds, and their mean."""
    frame = Frame((0, 1), (0, 1))
    curves, mean = discrimination["curves"], discrimination["mean_roc"]
    parts = [
        frame.axes("False positive rate (1 − specificity)", "Sensitivity", TENTHS, TENTHS),
        frame.line([(0, 0), (1, 1)], "reference"),
    ]
    one = "curve fold" if mean else "curve"
    for curve in curves:
        points = zip(curve["false_positive_rate"], curve["sensitivity"], strict=True)
        parts.append(frame.line(points, one))
    entries = [("reference", "chance")]
    if mean:
        parts.append(frame.line([(x, y) for x, y in mean], "curve"))
        entries = [("curve", f"mean of {len(curves)} folds"), ("curve fold", "each fold"), *entries]
    else:
        entries = [("curve", "the list"), *entries]
    parts.append(frame.legend(*entries))
    return picture(f"roc{key}", frame.size, "ROC curve", description, *parts, class_="chart")


def precision_recall_chart(discrimination: Data, description: str, key: str = "") -> Svg:
    """Precision against recall of all folds."""
    curves, prevalence = discrimination["curves"], discrimination["prevalence"]
    reached = [p for curve in curves for p in curve["precision"][1:] if p is not None]
    highest = max([prevalence, *reached])
    # of a rare event, precisions would lie on the axis
    top = 1.0 if highest > 0.5 else probability_end(highest)
    frame = Frame((0, 1), (0, top))
    ticks = TENTHS if top == 1 else nice_ticks(0, top)
    parts = [
        frame.axes("Recall (sensitivity)", "Precision", TENTHS, ticks),
        frame.line([(0, prevalence), (1, prevalence)], "reference"),
    ]
    one = "curve fold strong" if len(curves) > 1 else "curve"
    for curve in curves:
        # the first point finds nobody and has no precision of its own
        points = list(zip(curve["sensitivity"], curve["precision"], strict=True))[1:]
        if points and points[0][0] is not None:  # without events there is no recall
            parts.append(frame.steps([(0.0, points[0][1]), *points], one))
    name = "each fold" if len(curves) > 1 else "the list"
    parts.append(frame.legend((one, name), ("reference", "share with the event")))
    return picture(
        f"precision-recall{key}", frame.size, "Precision and recall", description, *parts,
        class_="chart",
    )  # fmt: skip


def calibration_chart(calibration: Data, description: str, key: str = "") -> Svg:
    """Observed against predicted risk, above a histogram of the risks by outcome."""
    lines = [row for row in calibration["by_line"] if _drawn(row)]
    groups = [row for row in calibration["by_quantile"] if _drawn(row)]
    histogram = calibration["histogram"]
    highest = [r["observed"]["high"] for r in [*lines, *groups]] or [1.0]
    predicted = [r["predicted"] for r in [*lines, *groups]]
    end = probability_end(max([*highest, *predicted, histogram["edges"][-1]]))
    ticks = nice_ticks(0, end)
    frame = Frame((0, end), (0, end))
    parts = [
        frame.axes("", "Observed share", ticks, ticks),
        frame.line([(0, 0), (end, end)], "reference"),
    ]
    parts += [_whisker(frame, row, "group", "dot hollow group") for row in groups]
    parts += [_whisker(frame, row, "line", "dot line") for row in lines]
    parts.append(
        frame.legend(
            ("dot line", "lines of the list"),
            ("dot hollow group", "groups by risk"),
            ("reference", "ideal"),
        )
    )
    below = Frame((0, end), (-1, 1), height=frame.height + 118, top=frame.height - 14, bottom=28)
    parts.append(_histogram(below, histogram, ticks))
    return picture(
        f"calibration{key}", below.size, "Calibration", description, *parts, class_="chart"
    )


def _histogram(frame: Frame, histogram: Data, ticks: Sequence[float]) -> Svg:
    """Shares of those with the event upwards, and of those without downwards."""
    parts = [frame.axes("", "", ticks, [], show=lambda _: "")]
    edges = histogram["edges"]
    shares = [
        [n / max(sum(histogram[of]), 1) for n in histogram[of]] for of in ("events", "others")
    ]
    top = max([1e-9, *shares[0], *shares[1]])
    for of, sign, class_ in ((shares[0], 1, "events"), (shares[1], -1, "others")):
        for (left, right), share in zip(pairwise(edges), of, strict=True):
            if share:
                end = sign * share / top
                y, height = frame.y(max(end, 0)), abs(frame.y(end) - frame.y(0))
                parts.append(
                    element(
                        "rect", x=frame.x(left) + 0.5, y=y, height=max(height, 1.0),
                        width=max(frame.x(right) - frame.x(left) - 1, 0.5), class_=class_,
                    )
                )  # fmt: skip
    start, end = frame.x(frame.x_range[0]), frame.x(frame.x_range[1])
    axis = frame.y(0)
    parts.append(element("line", x1=start, x2=end, y1=axis, y2=axis, class_="none"))
    middle, floor = (start + end) / 2, frame.y(frame.y_range[0])
    parts.append(
        element(
            "text", "Predicted risk", x=middle, y=floor + 18, class_="name", text_anchor="middle"
        )
    )
    for text, y in (("event", axis - 18), ("no event", axis + 26)):
        parts.append(element("text", text, x=start - 6, y=y, class_="tick", text_anchor="end"))
    return element("g", *parts)


def _drawn(row: Data) -> bool:
    return row["observed"]["value"] is not None and row["predicted"] is not None


def _whisker(frame: Frame, row: Data, class_: str, dot: str) -> Svg:
    x, seen = frame.x(row["predicted"]), row["observed"]
    low, high = frame.y(seen["low"]), frame.y(seen["high"])
    return element(
        "g",
        element("line", x1=x, x2=x, y1=low, y2=high, class_=f"whisker {class_}"),
        marker(x, frame.y(seen["value"]), dot),
    )


def decision_chart(decision: Data, prevalence: float, description: str, key: str = "") -> Svg:
    """Net benefit of the model, of treating all and of treating none."""
    at, model, treat_all = decision["thresholds"], decision["model"], decision["treat_all"]
    used = [t for t, v in zip(at, model, strict=True) if abs(v) > 1e-12]
    end = probability_end(min(1.0, max([2 * prevalence, *[t + 0.02 for t in used]])))
    top = 1.1 * (max([prevalence, *model]) or 0.01)
    bottom = min(-0.15 * top, *model, 0.0)
    frame = Frame((0, end), (bottom, top), left=70, height=370)
    inside = [(t, v, a) for t, v, a in zip(at, model, treat_all, strict=True) if t <= end + 1e-9]
    parts = [
        frame.axes(
            "Threshold probability", "Net benefit per case", nice_ticks(0, end),
            nice_ticks(bottom, top), show_y=lambda v: f"{v:.3g}",
        ),
        frame.line([(0, 0), (end, 0)], "none"),
        frame.line(_above(((0.0, prevalence), *((t, a) for t, _, a in inside)), bottom), "all"),
        frame.line([(t, v) for t, v, _ in inside], "curve"),
        frame.legend(("curve", "use the list"), ("all", "treat all"), ("none", "treat none")),
    ]  # fmt: skip
    return picture(
        f"decision{key}", frame.size, "Decision curve", description, *parts, class_="chart"
    )


def _above(points: Sequence[tuple[float, float]], floor: float) -> list[tuple[float, float]]:
    """A falling line, clipped at the bottom of the chart."""
    kept = [points[0]]
    for (x0, y0), (x1, y1) in pairwise(points):
        if y1 < floor:
            kept.append((x0 + (x1 - x0) * (y0 - floor) / (y0 - y1), floor))
            break
        kept.append((x1, y1))
    return kept


def trace_chart(traces: Sequence[Data], description: str) -> Svg:
    """Log posterior along the kept draws of each chain."""
    values = [v for trace in traces for v in trace["log_posterior"]]
    low, high = min(values), max(values)
    pad = 0.05 * (high - low) or 1.0
    last = max(trace["draws"][-1] for trace in traces)
    beyond = 3.6 * len(f"{last:,}")  # half of the last number, which may be at the very end
    frame = Frame(
        (0, max(last, 2)), (low - pad, high + pad),
        width=480, height=270, left=72, top=12, right=max(24, beyond),
    )  # fmt: skip
    ticks = nice_ticks(*frame.y_range, about=4)
    parts = [
        frame.axes(
            "Kept draw", "Log posterior", nice_ticks(0, last, 4), ticks,
            show=lambda v: f"{v:,.0f}", show_y=lambda v: f"{v:,.6g}".replace("-", "−"),
        )
    ]  # fmt: skip
    for trace in traces:
        points = zip(trace["draws"], trace["log_posterior"], strict=True)
        style = (trace["chain"] - 1) % N_CHAIN_STYLES + 1
        parts.append(frame.line(points, f"trace chain{style}"))
    return picture(
        "trace", frame.size, "Traces of the chains", description, *parts, class_="chart wide"
    )


def length_chart(lengths: Sequence[Sequence[float]], description: str) -> Svg:
    """Posterior probability of each number of rules."""
    first, last = int(lengths[0][0]), int(lengths[-1][0])
    top = probability_end(max(p for _, p in lengths))
    frame = Frame((first - 0.6, last + 0.6), (0, top), height=280, top=12)
    ticks = [float(m) for m in range(first, last + 1)]
    ticks = ticks[:: max(1, len(ticks) // 12)]
    parts = [
        frame.axes(
            "Number of rules", "Probability", ticks, nice_ticks(0, top, 4),
            show=lambda v: f"{v:.0f}", show_y=percent_tick,
        )
    ]  # fmt: skip
    half = (frame.x(1) - frame.x(0)) * 0.36
    for m, p in lengths:
        parts.append(
            element(
                "rect",
                x=frame.x(m) - half,
                y=frame.y(p),
                width=2 * half,
                height=frame.y(0) - frame.y(p),
                class_="filled",
            )
        )
    return picture(
        "lengths", frame.size, "Length of the posterior's lists", description, *parts,
        class_="chart",
    )  # fmt: skip
