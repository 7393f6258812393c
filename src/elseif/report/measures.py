"""Out-of-sample performance as plain data, from exact or rounded counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from elseif.disclosure.coarse_sample import coarse_sample
from elseif.disclosure.published_cells import Cells
from elseif.evaluation.calibration import (
    Brier,
    Recalibration,
    brier,
    calibration_groups,
    overstatement,
    quantile_groups,
    recalibration,
)
from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.discrimination import (
    auc_with_interval,
    curve,
    fold_aucs,
    fold_average_precisions,
)
from elseif.evaluation.intervals import Estimate
from elseif.evaluation.net_benefit import decision_curve
from elseif.evaluation.subgroups import Grouping, subgroup_performance
from elseif.evaluation.thresholds import at_thresholds
from elseif.report.grouping import merged
from elseif.showing.probability_axis import probability_end

LOW_RISKS = 0.1  # where no risk is higher, thresholds are in steps of 0.1% up to here
ROC_GRID = 101
N_BINS = 25  # of the histogram of risks
MOST_CORNERS = 100  # of a curve: posterior averages give everybody a different risk


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
    n: int
    n_events: int
    predicted: float
    observed: Estimate


@dataclass(frozen=True)
class Histogram:
    """How many people have which risk, by what became of them."""

    edges: list[float]
    events: list[int]
    others: list[int]


@dataclass(frozen=True)
class Calibration:
    """Whether risks come true."""

    by_line: list[GroupRow]
    by_quantile: list[GroupRow]
    histogram: Histogram
    recalibration: Recalibration
    overstatement: Estimate  # distance of risks from the overall share that did not come true
    brier: Brier


@dataclass(frozen=True)
class Decision:
    """Net benefit by threshold."""

    thresholds: list[float]
    model: list[float]
    treat_all: list[float]
    better: list[tuple[float, float]]  # where the model is above both simple ways, from and to


@dataclass(frozen=True)
class ThresholdRow:
    """Treating everybody at or above a risk."""

    threshold: float
    n_treated: int
    n_true_positive: int
    n_false_positive: int
    sensitivity: Estimate
    specificity: Estimate
    positive_predictive_value: Estimate
    negative_predictive_value: Estimate


@dataclass(frozen=True)
class SubgroupRow:
    """Performance within a group of people."""

    column: str
    name: str
    n: int
    n_events: int
    observed: Estimate
    predicted: float
    observed_to_expected: float
    auc: Estimate
    brier: float
    small: bool


@dataclass(frozen=True)
class LabelRow:
    """One label against all others."""

    name: str
    n: int
    auc: Estimate
    average_precision: float
    brier: float


@dataclass(frozen=True)
class Measures:
    """Everything that was measured on observations left out of fitting."""

    method: str
    n: int
    n_events: int
    n_folds: int
    discrimination: Discrimination
    calibration: Calibration
    decision: Decision
    thresholds: list[ThresholdRow]
    subgroups: list[SubgroupRow]
    by_label: list[LabelRow]


@dataclass(frozen=True, eq=False)
class Judged:
    """What is evaluated: one label's risk, and the lines that people fall into."""

    validation: Validation
    label: int  # its index
    line: np.ndarray  # int (n,): the line of the list that each observation falls into
    line_names: Sequence[str]
    groupings: Sequence[Grouping]
    label_names: Sequence[str]

    @property
    def label_name(self) -> str:
        return self.label_names[self.label]

    def group(self, members: np.ndarray, cells: Cells) -> tuple[np.ndarray, np.ndarray]:
        """Who of a group had the event, and at which risk."""
        risk = self.validation.probabilities[:, self.label]
        return coarse_sample(cells, members, risk, self.label)


@dataclass(frozen=True, eq=False)
class Sample:
    """Who had the event, at which risk; of rounded counts it has no folds."""

    truth: np.ndarray
    risk: np.ndarray
    fold: np.ndarray | None = None


def measure(judged: Judged, thresholds: Sequence[float], cells: Cells) -> Measures:
    """All measures of one label against the rest, of the people in ``cells``."""
    validation = judged.validation
    sample = whole_sample(validation, judged.label, cells)
    return Measures(
        validation.method,
        len(sample.truth),
        int(sample.truth.sum()),
        len(validation.folds),
        _discrimination(sample),
        _calibration(_line_rows(judged, cells), sample),
        _decision(sample),
        _threshold_rows(sample, thresholds),
        [row for g in judged.groupings for row in _subgroup_rows(g, judged, cells)],
        _label_rows(judged, cells),
    )


def measure_people(
    method: str, sample: Sample, line: np.ndarray, line_names: Sequence[str],
    thresholds: Sequence[float],
) -> Measures:  # fmt: skip
    """All measures of people who took no part in fitting, each on a line of the list.

    No count is rounded here: under a minimum cell, people are made of rounded counts before.
    """
    by_line = [
        _group_row(name, sample.truth[line == j], sample.risk[line == j])
        for j, name in enumerate(line_names)
    ]
    return Measures(
        method,
        len(sample.truth),
        int(sample.truth.sum()),
        0,
        _discrimination(sample),
        _calibration(by_line, sample),
        _decision(sample),
        _threshold_rows(sample, thresholds),
        [],
        [],
    )


def whole_sample(validation: Validation, label: int, cells: Cells) -> Sample:
    """Everybody who was evaluated."""
    everybody = np.ones(len(validation.labels), dtype=bool)
    truth, risk = coarse_sample(cells, everybody, validation.probabilities[:, label], label)
    return Sample(truth, risk, validation.fold if cells.rounding is None else None)


def _discrimination(sample: Sample) -> Discrimination:
    truth, risk, fold = sample.truth, sample.risk, sample.fold
    one = np.zeros(len(truth), dtype=np.int64)
    numbers = [] if fold is None else np.unique(fold).tolist()
    if len(numbers) < 2:
        curves = [_points("all", truth, risk)]
    else:
        curves = [_points(f"fold {f + 1}", truth[fold == f], risk[fold == f]) for f in numbers]
    precisions = fold_average_precisions(truth, risk, one if fold is None else fold)
    return Discrimination(
        auc_with_interval(truth, risk, fold),
        [] if fold is None else fold_aucs(truth, risk, fold),
        float(np.mean(precisions)),
        [] if fold is None else precisions,
        float(truth.mean()),
        [_thinned(curve_points) for curve_points in curves],
        _mean_roc(curves) if len(curves) > 1 else [],
    )


def _points(name: str, truth: np.ndarray, risk: np.ndarray) -> CurvePoints:
    points = curve(truth, risk)
    return CurvePoints(
        name,
        [float(t) if np.isfinite(t) else None for t in points.thresholds],
        points.false_positive_rate.tolist(),
        points.sensitivity.tolist(),
        points.precision.tolist(),
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


def _line_rows(judged: Judged, cells: Cells) -> list[GroupRow]:
    rows = []
    for j, name in enumerate(judged.line_names):
        truth, risk = judged.group(judged.line == j, cells)
        rows.append(_group_row(name, truth, risk))
    return rows


def _calibration(by_line: list[GroupRow], sample: Sample) -> Calibration:
    tenth, n_tenths = quantile_groups(sample.risk)
    return Calibration(
        by_line,
        [
            _group_row(
                f"group {g + 1} of {n_tenths}", sample.truth[tenth == g], sample.risk[tenth == g]
            )
            for g in range(n_tenths)
        ],
        _histogram(sample),
        recalibration(sample.truth, sample.risk),
        overstatement(sample.truth, sample.risk),
        brier(sample.truth, sample.risk),
    )


def _histogram(sample: Sample) -> Histogram:
    """Risks in bins of equal width from 0 to a round number; of rounded counts, as all here."""
    end = probability_end(float(sample.risk.max(initial=0.0)))
    edges = np.linspace(0, end, N_BINS + 1)
    risk = np.minimum(sample.risk, end)
    events, others = (
        np.histogram(risk[members], edges)[0].tolist() for members in (sample.truth, ~sample.truth)
    )
    return Histogram(edges.tolist(), events, others)


def _group_row(name: str, truth: np.ndarray, risk: np.ndarray) -> GroupRow:
    (group,) = calibration_groups(truth, risk, np.zeros(len(truth), dtype=np.int64), 1)
    return GroupRow(name, group.n, group.n_events, group.predicted, group.observed)


def _decision(sample: Sample) -> Decision:
    thresholds = decision_thresholds(float(sample.risk.max()))
    decisions = decision_curve(sample.truth, sample.risk, thresholds)
    better = decisions.model > np.maximum(decisions.treat_all, 0) + 1e-12
    return Decision(
        decisions.thresholds.tolist(),
        decisions.model.tolist(),
        decisions.treat_all.tolist(),
        [(thresholds[i], thresholds[j - 1]) for i, j in _runs(better)],
    )


def decision_thresholds(highest: float) -> tuple[float, ...]:
    """Thresholds of a decision curve: whole percentages, and finer ones where all risks are low.

    Parameters
    ----------
    highest : float
        The highest risk.

    Returns
    -------
    tuple of float
        In increasing order.

    Examples
    --------
    >>> from elseif.report.measures import decision_thresholds
    >>> decision_thresholds(0.4)[:3], decision_thresholds(0.03)[:3]
    ((0.01, 0.02, 0.03), (0.001, 0.002, 0.003))
    """
    fine = [k / 1000 for k in range(1, round(1000 * LOW_RISKS))] if highest <= LOW_RISKS else []
    first = round(100 * LOW_RISKS) if fine else 1
    return (*fine, *(k / 100 for k in range(first, 100)))


def _runs(truth: np.ndarray) -> list[tuple[int, int]]:
    """Stretches of truth, from each to the place behind it."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], truth.astype(int), [0]])))
    return [(int(i), int(j)) for i, j in zip(edges[::2], edges[1::2], strict=True)]


def _threshold_rows(sample: Sample, thresholds: Sequence[float]) -> list[ThresholdRow]:
    return [
        ThresholdRow(
            counts.threshold,
            counts.n_true_positive + counts.n_false_positive,
            counts.n_true_positive,
            counts.n_false_positive,
            counts.sensitivity,
            counts.specificity,
            counts.positive_predictive_value,
            counts.negative_predictive_value,
        )
        for counts in at_thresholds(sample.truth, sample.risk, thresholds)
    ]


def _subgroup_rows(grouping: Grouping, judged: Judged, cells: Cells) -> list[SubgroupRow]:
    named = [(name, grouping.codes == g) for g, name in enumerate(grouping.names)]
    rows = []
    for name, members in merged(named, cells):
        truth, risk = judged.group(members, cells)
        one = Grouping(grouping.column, (name,), np.zeros(len(truth), dtype=np.int64))
        (g,) = subgroup_performance(one, truth, risk)
        rows.append(
            SubgroupRow(
                g.column,
                g.name,
                g.n,
                g.n_events,
                g.observed,
                g.predicted,
                g.observed_to_expected,
                g.auc,
                g.brier.score.value,
                g.small,
            )
        )
    return rows


def _label_rows(judged: Judged, cells: Cells) -> list[LabelRow]:
    """Every label against the rest, if there are more than two."""
    if len(judged.label_names) == 2:
        return []
    rows = []
    for label, name in enumerate(judged.label_names):
        sample = whole_sample(judged.validation, label, cells)
        discrimination = _discrimination(sample)
        score = brier(sample.truth, sample.risk).score.value
        n = int(sample.truth.sum())
        rows.append(LabelRow(name, n, discrimination.auc, discrimination.average_precision, score))
    return rows
