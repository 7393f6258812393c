"""External validation: a model evaluated on people whom it has not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elseif.errors import DataError
from elseif.evaluation.calibration import Brier, Recalibration, brier, recalibration
from elseif.evaluation.discrimination import auc_with_interval
from elseif.evaluation.intervals import LEVEL, Estimate, wilson
from elseif.evaluation.net_benefit import DecisionCurve, decision_curve
from elseif.evaluation.updating import external_cases, line_counts
from elseif.export.disclosed import disclosed, disclosed_list
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.rule_list import Rule, RuleList
from elseif.report.measures import Measures, Sample, measure_people
from elseif.report.patterns import antecedent_truths
from elseif.report.recalibrated_lines import RecalibratedLines, recalibrated_lines
from elseif.report.wording import EXTERNAL
from elseif.tables.labels import label_place
from elseif.tables.origin import origin_of

THRESHOLDS = (0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)


@dataclass(frozen=True)
class LineJudged:
    """One line of the list: the probability it states, and what came.

    Attributes
    ----------
    rule : str
        Its conditions.
    predicted : float
        The stated probability.
    n : float
        Observations that fall into it.
    n_events : float
        Events among them.
    expected : float
        Events expected by the stated probability.
    observed : Estimate
        Share of events, with Wilson's interval.
    """

    rule: str
    predicted: float
    n: float
    n_events: float
    expected: float
    observed: Estimate


@dataclass(frozen=True)
class Drift:
    """How often a condition is true, where the model was learnt and here.

    Attributes
    ----------
    condition : str
        The condition.
    learnt : float
        Share of the training observations.
    here : float
        Share of these observations.
    standardised : float
        Difference in units of the mean standard deviation.
    """

    condition: str
    learnt: float
    here: float
    standardised: float


@dataclass(frozen=True)
class ExternalValidation:
    """Performance of a model on people who were not in its training data.

    Attributes
    ----------
    positive : str
        The label whose probability is evaluated.
    n : float
        Observations with a label.
    n_events : float
        Those with the positive label.
    learnt_n : float
        Observations that the model was learnt from.
    learnt_n_events : float
        Those of them with the positive label.
    auc : Estimate
        Area under the ROC curve.
    brier : Brier
        Brier score.
    recalibration : Recalibration
        Calibration slope and intercepts.
    lines : list[LineJudged]
        Observed and expected events on each line: the calibration curve of a list.
    decisions : DecisionCurve
        Net benefit by threshold.
    drift : list[Drift]
        How much the prevalence of each condition differs; empty under a minimum cell.
    min_cell : int | None
        What counts are rounded to multiples of.
    notes : list[str]
        What a reader must know.
    measures : Measures
        All measures in the form of a report's: curves, groups of people by risk, thresholds.
    recalibrated : RecalibratedLines | None
        Every line with the counts of both places; None where the model has no counts of a list.
    synthetic : bool
        Whether the model was learnt from, or evaluated on, synthetic patients.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.report import validate_externally
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = validate_externally(clf, X[1::2], y[1::2])
    >>> found.positive, found.n
    ('survived', 1100.0)
    """

    positive: str
    n: float
    n_events: float
    learnt_n: float
    learnt_n_events: float
    auc: Estimate
    brier: Brier
    recalibration: Recalibration
    lines: list[LineJudged]
    decisions: DecisionCurve
    drift: list[Drift]
    min_cell: int | None
    notes: list[str]
    measures: Measures
    recalibrated: RecalibratedLines | None
    synthetic: bool


def validate_externally(
    model: Any,
    X: Any,
    y: Any,
    *,
    positive: Any = None,
    thresholds: Sequence[float] = THRESHOLDS,
    min_cell: int | None = None,
    discount: float | None = None,
) -> ExternalValidation:
    """Evaluate a model on a table that took no part in making it.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        The model.
    X : table
        Observations of another place or time, with the columns of ``fit``.
    y : array
        Their labels; rows without one are left out.
    positive : label, default=None
        The label whose probability is evaluated; by default the last.
    thresholds : sequence of float
        Risks at which the net benefit is computed.
    min_cell : int, default=None
        Round every number of people to multiples of this; all measures are computed from the
        rounded numbers of the lines, and the drift of conditions is left out.
    discount : float, default=None
        The weight of an old observation in the recalibrated lines, between 0 and 1; by default the
        value that makes the new labels most probable.

    Returns
    -------
    ExternalValidation
        Discrimination, calibration, net benefit, every line, and drift.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.report import validate_externally
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> found = validate_externally(clf, X[1::2], y[1::2])
    >>> round(found.auc.value, 2), sum(line.n for line in found.lines)
    (0.72, 1100.0)
    """
    has_counts = _has_counts(as_model(model))
    model = disclosed(model, min_cell)  # exact probabilities would reveal counts
    rule_list = model.chosen_list()
    event = label_place(rule_list.positive if positive is None else positive, rule_list.classes)
    cases, line = external_cases(model, X, y)
    counts = line_counts(cases, line, len(rule_list) + 1)
    truth, risk = cases.labels == event, cases.probabilities[:, event]
    step = None
    if min_cell is not None:
        rounded = disclosed_list(_list_of(rule_list, counts), min_cell)
        counts = np.array([rule.label_counts for rule in rounded.rules])
        step = None if rounded.metadata.rounding is None else rounded.metadata.rounding.step
        truth, risk, line = _people_of(counts, rule_list, event)
    if not len(truth):
        raise DataError("Nobody is left to evaluate the model on; give more rows, or a lower cell.")
    trained = model.training["label_counts"]
    origin = origin_of(X, set(model.metadata.kinds))
    synthetic = model.is_synthetic or (origin is not None and bool(origin["synthetic"]))
    names = [rule.text or "else" for rule in rule_list.rules]
    sample = Sample(truth, risk)
    return ExternalValidation(
        positive=rule_list.metadata.label_names[event],
        n=float(len(truth)),
        n_events=float(truth.sum()),
        learnt_n=model.n,
        learnt_n_events=float(trained[event]),
        auc=auc_with_interval(truth, risk),
        brier=brier(truth, risk),
        recalibration=recalibration(truth, risk),
        lines=_lines(rule_list, counts, event),
        decisions=decision_curve(truth, risk, list(thresholds)),
        drift=_drift(model, X, cases.rows) if step is None else [],
        min_cell=step,
        notes=_notes(truth, step, averages=model.predict_with == "posterior"),
        measures=measure_people(EXTERNAL, sample, line, names, thresholds),
        recalibrated=recalibrated_lines(rule_list, counts, event, discount) if has_counts else None,
        synthetic=bool(synthetic),
    )


def _has_counts(model: FittedModel) -> bool:
    """Whether a model predicts by one list whose counts are known, and can be a prior."""
    return model.predict_with != "posterior" and model.metadata.rounding is None


def _list_of(rule_list: RuleList, counts: np.ndarray) -> RuleList:
    """The same rules with the counts of these people, in whole numbers."""
    metadata = replace(rule_list.metadata, count_unit=1.0, rounding=None)
    pairs = zip(rule_list.rules, counts, strict=True)
    return RuleList([Rule(rule.antecedent, row, metadata) for rule, row in pairs], metadata)


def _people_of(
    counts: np.ndarray, rule_list: RuleList, event: int
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People of rounded counts: whether each has the label, the line's probability, the line."""
    risks = np.array([rule.probabilities[event] for rule in rule_list.rules])
    events = counts[:, event].round().astype(int)
    others = counts.sum(axis=1).round().astype(int) - events
    truth = np.concatenate([np.ones(events.sum(), bool), np.zeros(others.sum(), bool)])
    numbers = np.arange(len(risks))
    line = np.concatenate([np.repeat(numbers, events), np.repeat(numbers, others)])
    return truth, risks[line], line


def _lines(rule_list: RuleList, counts: np.ndarray, event: int) -> list[LineJudged]:
    lines = []
    for rule, row in zip(rule_list.rules, counts, strict=True):
        n, n_events = float(row.sum()), float(row[event])
        predicted = float(rule.probabilities[event])
        observed = wilson(n_events, n, LEVEL)
        name = rule.text or "else"
        lines.append(LineJudged(name, predicted, n, n_events, n * predicted, observed))
    return lines


def _drift(model: FittedModel, X: Any, rows: np.ndarray) -> list[Drift]:
    """Single conditions of the pool, by how much their prevalence differs."""
    if model.metadata.rounding is not None or not len(model.pool.supports):
        return []
    single = np.flatnonzero(model.pool.cardinalities == 1)
    table = model.read(X).take(rows)
    drifts = []
    for i in single.tolist():
        antecedent = model.pool[i]
        truths = antecedent_truths([antecedent], table, model.metadata.kinds)[0]
        learnt, observed = float(model.pool.supports[i]), float(truths.mean())
        spread = np.sqrt((learnt * (1 - learnt) + observed * (1 - observed)) / 2)
        gap = (observed - learnt) / spread if spread else 0.0
        drifts.append(Drift(model.metadata.display.text(antecedent), learnt, observed, float(gap)))
    return sorted(drifts, key=lambda one: -abs(one.standardised))


def _notes(truth: np.ndarray, step: int | None, averages: bool) -> list[str]:
    notes = []
    if averages:
        notes.append(
            "This model predicts with an average over lists: measures and curves evaluate the "
            "average, and the lines are those of its point estimate."
        )
    fewest = int(min(truth.sum(), len(truth) - truth.sum()))
    if fewest == 0:
        notes.append(
            "Everybody in this table has the same outcome: discrimination and the calibration "
            "slope cannot be measured."
        )
    elif fewest < 100:
        notes.append(
            "Fewer than 100 cases with the outcome, or without it: too few to assess calibration "
            "(Collins, Ogundimu and Altman 2016). Mind the width of the intervals."
        )
    if step is not None:
        notes.append(
            f"Counts are rounded to multiples of {step}; all measures are computed from the "
            "rounded counts, and the drift of conditions is left out."
        )
    return notes
