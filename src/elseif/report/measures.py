"""Out-of-sample performance as plain data: what the evaluation found, small cells withheld."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.evaluation.calibration import (
    Brier,
    Recalibration,
    brier,
    calibration_groups,
    quantile_groups,
    recalibration,
)
from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.decision_curve import decision_curve
from elseif.evaluation.discrimination import (
    Curve,
    auc_with_interval,
    curve,
    fold_aucs,
    fold_average_precisions,
)
from elseif.evaluation.intervals import UNKNOWN, Estimate
from elseif.evaluation.subgroups import Grouping, subgroup_performance
from elseif.evaluation.thresholds import at_thresholds
from elseif.report.small_cells import WITHHELD, Count, SmallCells

DECISION_THRESHOLDS = tuple(k / 100 for k in range(1, 100))
ROC_GRID = 101
MOST_CORNERS = 100  # of a curve: averages over the posterior give everybody a risk of their own


@dataclass(frozen=True)
class CurvePoints:
    """A curve of one fold, of all folds together, or of the held-out table."""

    name: str
    thresholds: list[float | None]  # None: nobody reaches it
    false_positive_rate: list[float]
    sensitivity: list[float]
    precision: list[float]


@dataclass(frozen=True)
class Discrimination:
    """How well risks order people."""

    auc: Estimate
    fold_aucs: list[float]
    average_precision: float
    fold_average_precisions: list[float]
    prevalence: float
    curves: list[CurvePoints]
    mean_roc: list[tuple[float, float]]  # over folds, at equal false positive rates


@dataclass(frozen=True)
class GroupRow:
    """A group of people: mean predicted risk, and the share that had the event."""

    name: str
    n: Count
    n_events: Count
    predicted: float
    observed: Estimate


@dataclass(frozen=True)
class Calibration:
    """Whether risks come true."""

    by_line: list[GroupRow]
    by_quantile: list[GroupRow]
    recalibration: Recalibration
    brier: Brier


@dataclass(frozen=True)
class Decision:
    """Net benefit by threshold; None where it is withheld."""

    thresholds: list[float]
    model: list[float | None]
    treat_all: list[float]
    better: list[tuple[float, float]]  # where the model is above both simple ways, from and to


@dataclass(frozen=True)
class ThresholdRow:
    """Treating everybody at or above a risk."""

    threshold: float
    n_treated: Count
    n_true_positive: Count
    n_false_positive: Count
    sensitivity: Estimate
    specificity: Estimate
    positive_predictive_value: Estimate
    negative_predictive_value: Estimate


@dataclass(frozen=True)
class SubgroupRow:
    """Performance within a group of people."""

    column: str
    name: str
    n: Count
    n_events: Count
    observed: Estimate
    predicted: float | None
    observed_to_expected: float | None
    auc: Estimate
    brier: float | None
    small: bool


@dataclass(frozen=True)
class LabelRow:
    """One label against all others."""

    name: str
    n: Count
    auc: Estimate
    average_precision: float
    brier: float


@dataclass(frozen=True)
class Measures:
    """Everything that was measured on observations left out of fitting."""

    method: str
    n: Count
    n_events: Count
    n_folds: int
    discrimination: Discrimination
    calibration: Calibration
    decision: Decision
    thresholds: list[ThresholdRow]
    subgroups: list[SubgroupRow]
    by_label: list[LabelRow]


@dataclass(frozen=True, eq=False)
class Judged:
    """What is judged: one label's risk, beside the lines that people fall into."""

    validation: Validation
    place: int
    line: np.ndarray  # int (n,): the line of the list that each observation falls into
    line_names: Sequence[str]
    groupings: Sequence[Grouping]
    label_names: Sequence[str]


def measure(judged: Judged, thresholds: Sequence[float], cells: SmallCells) -> Measures:
    """All measures of one label against the rest."""
    validation = judged.validation
    truth, risk = validation.against_the_rest(judged.place)
    pooled = curve(truth, risk)
    told_apart = cells.told_apart(pooled.n_true_positive, pooled.n_false_positive)
    shown_at = {
        float(t): bool(told_apart[_place(pooled, t)]) for t in (*DECISION_THRESHOLDS, *thresholds)
    }
    n_folds = len(validation.folds)
    return Measures(
        validation.method,
        cells.count(len(truth)),
        cells.count(int(truth.sum())),
        n_folds,
        _discrimination(truth, risk, validation.fold, cells),
        _calibration(judged, truth, risk, cells),
        _decision(truth, risk, shown_at),
        _threshold_rows(truth, risk, thresholds, shown_at),
        [row for g in judged.groupings for row in _subgroup_rows(g, truth, risk, cells)],
        _label_rows(judged, cells),
    )


def _discrimination(
    truth: np.ndarray, risk: np.ndarray, fold: np.ndarray, cells: SmallCells
) -> Discrimination:
    precisions = fold_average_precisions(truth, risk, fold)
    numbers = np.unique(fold)
    if cells.on or len(numbers) == 1:
        # curves of folds are made of small counts: with cells to withhold, one curve for all
        curves = [_points("all", curve(truth, risk), cells)]
    else:
        curves = [
            _points(f"fold {f + 1}", curve(truth[fold == f], risk[fold == f]), cells)
            for f in numbers
        ]
    return Discrimination(
        auc_with_interval(truth, risk, fold),
        fold_aucs(truth, risk, fold),
        float(np.mean(precisions)),
        precisions,
        float(truth.mean()),
        [_thinned(found) for found in curves],
        _mean_roc(curves) if len(curves) > 1 else [],
    )


def _points(name: str, found: Curve, cells: SmallCells) -> CurvePoints:
    shown = cells.told_apart(found.n_true_positive, found.n_false_positive)
    return CurvePoints(
        name,
        [float(t) if np.isfinite(t) else None for t in found.thresholds[shown]],
        found.false_positive_rate[shown].tolist(),
        found.sensitivity[shown].tolist(),
        found.precision[shown].tolist(),
    )


def _thinned(points: CurvePoints) -> CurvePoints:
    """Evenly chosen corners of a long curve, its ends among them."""
    n = len(points.thresholds)
    if n <= MOST_CORNERS:
        return points
    kept = np.linspace(0, n - 1, MOST_CORNERS).round().astype(int)
    return CurvePoints(
        points.name,
        [points.thresholds[i] for i in kept],
        [points.false_positive_rate[i] for i in kept],
        [points.sensitivity[i] for i in kept],
        [points.precision[i] for i in kept],
    )


def _mean_roc(curves: Sequence[CurvePoints]) -> list[tuple[float, float]]:
    """Mean sensitivity of the folds at each false positive rate: its area is the mean AUC."""
    corners = np.unique(np.concatenate([c.false_positive_rate for c in curves]))
    if len(corners) > ROC_GRID:
        corners = np.linspace(0, 1, ROC_GRID)
    lower, upper = np.mean([_heights(c, corners) for c in curves], axis=0)
    ends = zip(corners.tolist(), lower.tolist(), upper.tolist(), strict=True)
    path = [point for x, low, high in ends for point in ((x, low), (x, high))]
    return list(dict.fromkeys(path))


def _heights(points: CurvePoints, at: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sensitivity at false positive rates: at a vertical step, its lower and its upper end."""
    rates, heights = np.array(points.false_positive_rate), np.array(points.sensitivity)
    first = np.searchsorted(rates, at, side="left")
    last = np.searchsorted(rates, at, side="right") - 1
    between = np.interp(at, rates, heights)
    corner = rates[first] == at
    return np.where(corner, heights[first], between), np.where(corner, heights[last], between)


def _calibration(
    judged: Judged, truth: np.ndarray, risk: np.ndarray, cells: SmallCells
) -> Calibration:
    tenth, n_tenths = quantile_groups(risk)
    names = [f"group {g + 1} of {n_tenths}" for g in range(n_tenths)]
    return Calibration(
        _group_rows(truth, risk, judged.line, judged.line_names, cells),
        _group_rows(truth, risk, tenth, names, cells),
        recalibration(truth, risk),
        brier(truth, risk),
    )


def _group_rows(
    truth: np.ndarray, risk: np.ndarray, group: np.ndarray, names: Sequence[str], cells: SmallCells
) -> list[GroupRow]:
    found = calibration_groups(truth, risk, group, len(names))
    hidden = cells.hidden(np.array([[g.n_events, g.n - g.n_events] for g in found]))
    return [
        GroupRow(
            name,
            WITHHELD if hide else g.n,
            WITHHELD if hide else g.n_events,
            g.predicted,
            UNKNOWN if hide else g.observed,
        )
        for name, g, hide in zip(names, found, hidden, strict=True)
    ]


def _decision(truth: np.ndarray, risk: np.ndarray, shown_at: dict[float, bool]) -> Decision:
    found = decision_curve(truth, risk, DECISION_THRESHOLDS)
    shown = np.array([shown_at[t] for t in DECISION_THRESHOLDS])
    better = (found.model > np.maximum(found.treat_all, 0) + 1e-12) & shown
    return Decision(
        found.thresholds.tolist(),
        [float(v) if show else None for v, show in zip(found.model, shown, strict=True)],
        found.treat_all.tolist(),
        [(DECISION_THRESHOLDS[i], DECISION_THRESHOLDS[j - 1]) for i, j in _runs(better)],
    )


def _runs(truth: np.ndarray) -> list[tuple[int, int]]:
    """Stretches of truth, from each to the place behind it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], truth.astype(int), [0]])))
    return [(int(i), int(j)) for i, j in zip(edges[::2], edges[1::2], strict=True)]


def _threshold_rows(
    truth: np.ndarray, risk: np.ndarray, thresholds: Sequence[float], shown_at: dict[float, bool]
) -> list[ThresholdRow]:
    rows = []
    for found in at_thresholds(truth, risk, thresholds):
        show = shown_at[found.threshold]
        rows.append(
            ThresholdRow(
                found.threshold,
                found.n_true_positive + found.n_false_positive if show else WITHHELD,
                found.n_true_positive if show else WITHHELD,
                found.n_false_positive if show else WITHHELD,
                found.sensitivity if show else UNKNOWN,
                found.specificity if show else UNKNOWN,
                found.positive_predictive_value if show else UNKNOWN,
                found.negative_predictive_value if show else UNKNOWN,
            )
        )
    return rows


def _subgroup_rows(
    grouping: Grouping, truth: np.ndarray, risk: np.ndarray, cells: SmallCells
) -> list[SubgroupRow]:
    found = subgroup_performance(grouping, truth, risk)
    hidden = cells.hidden(np.array([[g.n_events, g.n - g.n_events] for g in found]))
    return [
        SubgroupRow(
            g.column,
            g.name,
            WITHHELD if hide else g.n,
            WITHHELD if hide else g.n_events,
            UNKNOWN if hide else g.observed,
            None if hide else g.predicted,
            None if hide else g.observed_to_expected,
            UNKNOWN if hide else g.auc,
            None if hide else g.brier.score.value,
            g.small,
        )
        for g, hide in zip(found, hidden, strict=True)
    ]


def _label_rows(judged: Judged, cells: SmallCells) -> list[LabelRow]:
    """Every label against the rest, where there are more than two."""
    if len(judged.label_names) == 2:
        return []
    validation = judged.validation
    counts = np.bincount(validation.labels, minlength=len(judged.label_names))
    hidden = cells.hidden(counts[:, None])
    rows = []
    for place, name in enumerate(judged.label_names):
        truth, risk = validation.against_the_rest(place)
        rows.append(
            LabelRow(
                name,
                WITHHELD if hidden[place] else int(counts[place]),
                auc_with_interval(truth, risk, validation.fold),
                float(np.mean(fold_average_precisions(truth, risk, validation.fold))),
                brier(truth, risk).score.value,
            )
        )
    return rows


def _place(found: Curve, threshold: float) -> int:
    """The point of a curve at which everybody of at least a risk is found."""
    return int(np.searchsorted(-found.thresholds, -threshold, side="right")) - 1
