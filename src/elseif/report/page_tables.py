"""The report's tables: captions, headings and rows of text, so that every number can be copied."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from elseif.report.wording import (
    brier_decimals,
    count,
    estimate,
    how_validated,
    number,
    percent,
    percent_estimate,
    threshold_decimals,
)
from elseif.showing.numbers import numbers_alike
from elseif.showing.probability_axis import percent_tick

Data = Mapping[str, Any]


@dataclass(frozen=True)
class Table:
    """A table as texts; the first cell of a row is its head, ``words`` columns are not numbers."""

    caption: str
    heads: list[str]
    rows: list[list[str]]
    words: int = 1


def all_tables(summary: Data) -> dict[str, Table]:
    """Every table of the page by its name."""
    validation = summary["validation"]
    how = how_validated(validation)
    tables = {
        "labels": _labels(summary),
        "by_label": _by_label(validation, how),
        "settings": _settings(summary),
        **evaluation_tables(validation),
    }
    if summary["convergence"] is not None:
        tables |= _convergence(summary["convergence"])
    if summary["posterior"] is not None:
        tables |= _posterior(summary["posterior"])
    if summary["projection"] is not None:
        tables["projection"] = _projection(summary["projection"])
    if summary["stability"] is not None:
        tables |= _stability(summary)
    return tables


def evaluation_tables(validation: Data) -> dict[str, Table]:
    """The tables on the performance for one label."""
    how = how_validated(validation)
    return {
        "curves": _curves(validation["discrimination"], how),
        "folds_auc": _fold_values(validation["discrimination"], how),
        "by_line": _groups(
            validation["calibration"]["by_line"], "line of the list",
            f"Predicted and observed risk by line of the list ({how})",
        ),
        "by_quantile": _groups(
            validation["calibration"]["by_quantile"], "group",
            f"Predicted and observed risk by groups of increasing risk ({how})",
        ),
        "recalibration": _recalibration(validation["calibration"], how),
        "decision": _decision(validation["decision"], how),
        "thresholds": _thresholds(validation["thresholds"], how),
        "histogram": _histogram(validation["calibration"]["histogram"], how),
        "subgroups": _subgroups(validation["subgroups"], how),
    }  # fmt: skip


def quartile_texts(column: Data) -> list[str | None]:
    """Median and quartiles of each group as texts, all with the same decimals.

    Between dates, and beside a minus sign, a dash would be misread.
    """
    known = [group for group in column["quartiles"] if group is not None]
    texts = [group[key] for group in known for key in ("median", "low", "high")]
    if column["kind"] == "numeric":
        texts = numbers_alike([float(text) for text in texts])
    dash = " to " if any("−" in text or "-" in text[1:] for text in texts) else "–"
    groups = iter(zip(texts[::3], texts[1::3], texts[2::3], strict=True))
    shown = (f"{median} ({low}{dash}{high})" for median, low, high in groups)
    return [None if group is None else next(shown) for group in column["quartiles"]]


def _histogram(histogram: Data, how: str) -> Table:
    rows = [
        [f"{percent_tick(low)} to {percent_tick(high)}", count(events), count(others)]
        for (low, high), events, others in zip(
            pairwise(histogram["edges"]), histogram["events"], histogram["others"], strict=True
        )
        if events or others
    ]
    return Table(f"Cases by predicted risk ({how})", ["risk", "event", "no event"], rows)


def _projection(projection: Data) -> Table:
    caption = "The list closest to the posterior, by the most rules that it may have"
    rows = [list(row) for row in projection["rows"]]
    return Table(caption, list(projection["heads"]), rows)


def _labels(summary: Data) -> Table:
    risks = [(line, risk) for line in summary["lines"] for risk in line["risks"]]
    rows = [
        [line["condition"] or line["head"], risk["name"], count(risk["n"]),
         percent(risk["probability"]), f"{percent(risk['low'])} to {percent(risk['high'])}"]
        for line, risk in risks
    ]  # fmt: skip
    level = f"{100 * summary['about']['level']:g}%"
    heads = ["line", "label", "n", "probability", f"{level} credible interval"]
    if any(risk.get("low_over_lists") is not None for _, risk in risks):
        heads.append(f"{level}, over all lists")
        for row, (_, risk) in zip(rows, risks, strict=True):
            low, high = risk["low_over_lists"], risk["high_over_lists"]
            row.append("" if low is None else f"{percent(low)} to {percent(high)}")
    return Table(
        "Every label in every line (training counts, in sample)",
        heads,
        rows,
        words=2,
    )


def _curves(discrimination: Data, how: str) -> Table:
    rows = [
        [c["name"], "none" if t is None else f"at least {percent(t)}", *map(percent, rest)]
        for c in discrimination["curves"]
        for t, *rest in zip(
            c["thresholds"], c["false_positive_rate"], c["sensitivity"], c["precision"], strict=True
        )
    ]
    heads = ["curve", "risk", "false positive rate", "sensitivity (recall)", "precision"]
    return Table(f"Corners of the ROC and precision-recall curves ({how})", heads, rows, words=2)


def _fold_values(discrimination: Data, how: str) -> Table:
    pairs = zip(discrimination["fold_aucs"], discrimination["fold_average_precisions"], strict=True)
    rows = [[f"fold {i}", number(auc), number(ap)] for i, (auc, ap) in enumerate(pairs, 1)]
    whole = [number(discrimination["auc"]["value"]), number(discrimination["average_precision"])]
    if len(rows) == 1:
        rows = [["held-out table", *whole]]
    else:
        rows.append(["mean" if rows else "all cases together", *whole])
    return Table(f"AUC and average precision ({how})", ["", "AUC", "average precision"], rows)


def _by_label(validation: Data, how: str) -> Table:
    decimals = brier_decimals(*(row["brier"] for row in validation["by_label"]))
    rows = [
        [row["name"], count(row["n"]), estimate(row["auc"]), number(row["average_precision"]),
         number(row["brier"], decimals)]
        for row in validation["by_label"]
    ]  # fmt: skip
    heads = ["label", "n", "AUC (95% interval)", "average precision", "Brier score"]
    return Table(f"Each label against all others ({how})", heads, rows)


def _groups(rows: Sequence[Data], what: str, caption: str) -> Table:
    return Table(
        caption,
        [what, "n", "events", "mean predicted", "observed (95% interval)"],
        [
            [row["name"], count(row["n"]), count(row["n_events"]), percent(row["predicted"]),
             percent_estimate(row["observed"])]
            for row in rows
        ],
    )  # fmt: skip


def _recalibration(calibration: Data, how: str) -> Table:
    fit, brier = calibration["recalibration"], calibration["brier"]
    decimals = brier_decimals(brier["score"]["value"], brier["of_prevalence"])
    rows = [
        ["calibration slope", estimate(fit["slope"]), "1"],
        ["calibration intercept (with that slope)", estimate(fit["intercept"]), "0"],
        ["calibration in the large (slope fixed at 1)", estimate(fit["in_the_large"]), "0"],
        ["Brier score", estimate(brier["score"], decimals), "0"],
        [
            "Brier score of predicting the overall share",
            number(brier["of_prevalence"], decimals),
            "",
        ],
        ["scaled Brier score", percent(brier["scaled"]), "100%"],
    ]
    return Table(f"Calibration ({how})", ["measure", "value (95% interval)", "ideal"], rows)


def _decision(decisions: Data, how: str) -> Table:
    decimals = threshold_decimals(decisions["thresholds"])
    small = 4 + decimals  # net benefits of a rare event are small, too
    rows = [
        [percent(t, decimals), number(m, small), number(a, small), "0"]
        for t, m, a in zip(
            decisions["thresholds"], decisions["model"], decisions["treat_all"], strict=True
        )
    ]
    heads = ["threshold", "use the list", "treat all", "treat none"]
    return Table(f"Net benefit per case ({how})", heads, rows)


def _thresholds(rows: Sequence[Data], how: str) -> Table:
    shares = (
        "sensitivity",
        "specificity",
        "positive_predictive_value",
        "negative_predictive_value",
    )
    return Table(
        f"Calling all at or above a risk positive ({how}; Wilson’s 95% intervals)",
        ["risk at least", "n at or above", "with the event", "sensitivity", "specificity",
         "positive predictive value", "negative predictive value"],
        [
            [percent(row["threshold"], 0 if round(100 * row["threshold"], 6) % 1 == 0 else 1),
             count(row["n_treated"]), count(row["n_true_positive"]),
             *(percent_estimate(row[share]) for share in shares)]
            for row in rows
        ],
    )  # fmt: skip


def _subgroups(rows: Sequence[Data], how: str) -> Table:
    decimals = brier_decimals(*(row["brier"] for row in rows))
    return Table(
        f"Performance by subgroup ({how})",
        ["column", "group", "n", "events", "observed (95% interval)", "mean predicted",
         "observed / expected", "AUC (95% interval)", "Brier score"],
        [
            [row["column"], row["name"], count(row["n"]), count(row["n_events"]),
             percent_estimate(row["observed"]), percent(row["predicted"]),
             number(row["observed_to_expected"], 2),
             "too few cases" if row["small"] else estimate(row["auc"]),
             number(row["brier"], decimals)]
            for row in rows
        ],
        words=2,
    )  # fmt: skip


def _length_of_run(convergence: Data) -> list[list[str]]:
    n_chains, n_iter = count(convergence["n_chains"]), convergence["n_iter"]
    if convergence["independent"]:
        n_kept = count(n_iter - n_iter // 2)
        return [["sequences of independent draws", n_chains], ["draws of each", n_kept]]
    return [
        ["chains", n_chains],
        ["iterations of each chain, the first half discarded", count(n_iter)],
    ]


def _convergence(convergence: Data) -> dict[str, Table]:
    quantities = [
        [
            q["name"],
            number(q["mean"]),
            number(q["mcse"]),
            number(q["r_hat"]),
            number(q["ess_bulk"], 0),
            number(q["ess_tail"], 0),
            number(q["ess_replica"], 0),
            "steady" if q["steady"] else "not yet",
        ]
        for q in convergence["quantities"]
    ]
    moves = [[f"proposals accepted: {k}", percent(v)] for k, v in convergence["acceptance"]]
    moves += [
        [f"swaps accepted, temperatures {i} and {i + 1}", percent(v)]
        for i, v in enumerate(convergence["exchange"], 1)
    ]
    draws: dict[int, list[str]] = {}
    for trace in convergence["traces"]:
        for draw, value in zip(trace["draws"], trace["log_posterior"], strict=True):
            draws.setdefault(draw, [f"{draw:,}"]).append(number(value, 2))
    chains = [f"chain {trace['chain']}" for trace in convergence["traces"]]
    return {
        "convergence": Table(
            "Diagnostics of the draws",
            ["", "value"],
            [*map(list, convergence["rows"]), *_length_of_run(convergence)],
        ),
        "quantities": Table(
            "Convergence diagnostics of each quantity",
            ["quantity", "mean", "Monte Carlo standard error", "R-hat", "bulk ESS", "tail ESS",
             "ESS by replica", "steady"],
            quantities,
        ),
        "moves": Table("How the chains moved", ["", "share"], moves),
        "traces": Table("Log posterior along the chains", ["draw", *chains], list(draws.values())),
    }  # fmt: skip


def _posterior(posterior: Data) -> dict[str, Table]:
    unsteady = set(posterior["unsteady_inclusions"])
    return {
        "lengths": Table(
            "Probability of each length (rules, the last line not counted)",
            ["rules", "probability"],
            [[str(m), percent(p, 2)] for m, p in posterior["lengths"]],
        ),
        "inclusion": Table(
            "Probability that each rule is in the list (those of 1% and more)",
            ["rule", "inclusion", ""],
            [
                [name, percent(p), "not yet steady" if name in unsteady else ""]
                for name, p in posterior["inclusion"]
            ],
        ),
    }


def _stability(summary: Data) -> dict[str, Table]:
    stability = summary["stability"]
    total = stability["n_lists"]
    return {
        f"stable_{key}": Table(
            f"Number of the {total} folds’ lists with each {one}",
            [one, f"lists of {total}"],
            [[name, str(n)] for name, n in stability[key]],
        )
        for key, one in (("rules", "rule"), ("conditions", "condition"), ("columns", "column"))
    }


def _settings(summary: Data) -> Table:
    return Table(
        "Settings of the classifier",
        ["setting", "value", ""],
        [[s["name"], s["value"], "default" if s["is_default"] else "set"]
         for s in sorted(summary["settings"], key=lambda setting: setting["is_default"])],
        words=3,
    )  # fmt: skip
