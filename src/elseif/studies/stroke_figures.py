"""The study's figures, from its plain results."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from elseif.showing import COLOURS, INK, MUTED, SOFT, escape_mathtext, new_figure, tidy
from elseif.studies.stroke_paper import DATABASE, published_rows
from elseif.studies.stroke_results import POINT
from elseif.studies.stroke_tables import row_order

Data = Mapping[str, Any]

CURVES = (POINT, "CHADS2", "CHA2DS2-VASc")
STYLES = ("-", (0, (5, 1.5)), (0, (1, 1)))  # distinguishable without colour too
PANELS_A_ROW = 4
PAPER_COLOUR = "#cc3311"
MARGIN = 0.02


def written(name: str) -> str:
    """A name as it is printed."""
    return name.replace("CHADS2", "CHADS₂").replace("CHA2DS2", "CHA₂DS₂")


def list_figure(rule_list: Any, title: str) -> Any:
    """Figure 4: the list, with what it is about above it."""
    figure = rule_list.plot()
    figure.suptitle(escape_mathtext(title, 100), x=0.01, ha="left", fontsize=10)
    return figure


def roc_figure(results: Data, title: str) -> Any:
    """Figure 5: ROC curves of all folds, of the point list and of the scores that there are."""
    figure = new_figure(5.6, 6.0)
    axes = figure.subplots()
    axes.plot([0, 1], [0, 1], color=MUTED, linewidth=0.8)
    drawn = [name for name in CURVES if name in results["classifiers"]]
    for k, name in enumerate(drawn):
        classifier = results["classifiers"][name]
        auc = classifier["auc"]
        label = f"{written(name)}: AUC {auc['mean']:.3f} (s.d. {auc['sd']:.3f})"
        for j, curve in enumerate(classifier["roc"]):
            axes.plot(
                curve["false_positive_rate"],
                curve["sensitivity"],
                color=COLOURS[k],
                linestyle=STYLES[k],
                linewidth=1.1,
                label=label if j == 0 else None,
            )
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel("false positive rate (1 − specificity)")
    axes.set_ylabel("sensitivity")
    axes.set_title(escape_mathtext(title, 60), loc="left", fontsize=10)
    axes.legend(frameon=False, loc="lower right", fontsize=9)
    tidy(axes, percent="xy")
    axes.grid(alpha=0.25)
    return figure


def auc_figure(populations: Sequence[Data], title: str, with_paper: bool) -> Any:
    """AUC of every fold and its mean, for every population, beside the paper's means."""
    names: dict[str, None] = {}
    for results in populations:
        published = published_rows(results["population"]) if with_paper else {}
        names |= dict.fromkeys(n for n in row_order(results, published))
    shown = [n for n in names if any(n in results["classifiers"] for results in populations)]
    figure = new_figure(2.4 + 2.9 * len(populations), 1.4 + 0.33 * len(shown))
    grid = figure.subplots(1, len(populations), sharey=True, sharex=True, squeeze=False)[0]
    for axes, results in zip(grid, populations, strict=True):
        published = published_rows(results["population"]) if with_paper else {}
        for j, name in enumerate(shown):
            if name in results["classifiers"]:
                auc = results["classifiers"][name]["auc"]
                axes.plot(auc["folds"], [j] * len(auc["folds"]), "o", color=SOFT, alpha=0.5)
                axes.plot(auc["mean"], j, "|", color=INK, markersize=14, markeredgewidth=2)
            if name in published:
                axes.plot(published[name].auc.mean, j, "x", color=PAPER_COLOUR, markersize=6)
        axes.set_title(f"{results['population']} (n = {results['n']:,})", fontsize=10, loc="left")
        axes.set_yticks(range(len(shown)), [escape_mathtext(written(name)) for name in shown])
        axes.tick_params(axis="y", length=0)
        tidy(axes)
        axes.spines["left"].set_visible(False)
        axes.grid(axis="both", alpha=0.25)
    grid[0].set_ylim(len(shown) - 0.5, -0.5)
    key = "dot: a fold, bar: the mean of the folds"
    if with_paper:
        key += f", cross: the paper, which is about another database ({DATABASE})"
    figure.supxlabel(f"AUC ({key})", fontsize=9)
    figure.suptitle(escape_mathtext(title, 100), x=0.01, ha="left", fontsize=10)
    return figure


def calibration_figure(results: Data, title: str) -> Any:
    """Observed share against predicted risk by tenths of the risk, a panel for each classifier."""
    calibrated = {n: one for n, one in results["classifiers"].items() if one["calibration"]}
    n_columns = min(PANELS_A_ROW, len(calibrated))
    n_rows = math.ceil(len(calibrated) / n_columns)
    figure = new_figure(2.6 * n_columns + 0.4, 2.5 * n_rows + 0.9)
    grid = figure.subplots(n_rows, n_columns, sharex=True, sharey=True, squeeze=False).ravel()
    highest = max(
        max(g["predicted"], g["observed"]["high"]) for one in calibrated.values()
        for g in one["calibration"]
    )  # fmt: skip
    end = min(1.0, math.ceil(10 * (highest + MARGIN)) / 10)
    for axes, (name, one) in zip(grid, calibrated.items(), strict=False):
        axes.plot([0, end], [0, end], color=MUTED, linewidth=0.8)
        groups = one["calibration"]
        predicted = np.array([g["predicted"] for g in groups])
        ends = np.array([[g["observed"]["low"], g["observed"]["high"]] for g in groups])
        axes.vlines(predicted, ends[:, 0], ends[:, 1], color=SOFT, linewidth=2, alpha=0.6)
        axes.plot(predicted, [g["observed"]["value"] for g in groups], "o", color=INK, markersize=4)
        slope = one["recalibration"]["slope"]["value"]
        shown = "" if slope is None else f"\nslope {slope:.2f}"
        axes.set_title(f"{escape_mathtext(written(name))}{shown}", fontsize=9, loc="left")
        axes.set_xlim(0, end)
        axes.set_ylim(0, end)
        axes.set_aspect("equal")
        tidy(axes, percent="xy")
        axes.grid(alpha=0.25)
    for k, axes in enumerate(grid[len(calibrated) :], len(calibrated)):
        axes.set_visible(False)
        grid[k - n_columns].tick_params(labelbottom=True)  # the lowest panel of its column now
    figure.supxlabel(
        "predicted risk, mean of a tenth of the patients (line: 95% interval)", fontsize=9
    )
    figure.supylabel("observed share", fontsize=9)
    figure.suptitle(escape_mathtext(title, 100), x=0.01, ha="left", fontsize=10)
    return figure
