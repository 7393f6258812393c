"""Summary: every number of a report as plain data, which is also what is exported as JSON."""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from elseif.errors import ParamError, ParamTypeError
from elseif.evaluation.cross_validation import Validation, cross_validate, held_out
from elseif.evaluation.discrimination import auc_with_interval, fold_aucs
from elseif.evaluation.intervals import Estimate
from elseif.evaluation.stability import Stability, stability
from elseif.posterior.rule_list import RuleList, label_place
from elseif.progress import Progress
from elseif.report.chains import (
    ConvergenceSummary,
    PosteriorSummary,
    describe_convergence,
    describe_posterior,
)
from elseif.report.measures import Measures, measure
from elseif.report.people import People, describe_people
from elseif.report.plain_data import plain
from elseif.report.small_cells import WITHHELD, Count, SmallCells, plain_count
from elseif.report.subject import Subject, subject_of, versions
from elseif.report.training import (
    Training,
    groupings,
    judge,
    notes_on,
    read_training,
    table_of,
)
from elseif.report.tripod import Item, tripod_items
from elseif.tables.reading import Table

FORMAT = 1
LEVEL = 0.95
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class ReportOptions:
    """What a report should hold.

    ``folds`` cross-validates (None: not, where there is a held-out table). ``subgroups``
    names columns, or gives values by name for what is no column. Counts of 1 to
    ``min_cell`` - 1 people are withheld. ``positive`` is the label whose risk is judged:
    the last by default, against all others.
    """

    folds: int | None = 5
    subgroups: Sequence[str] | Mapping[str, Any] | None = None
    min_cell: int | None = None
    positive: Any = None
    thresholds: Sequence[float] | None = None  # by default, some up to the highest risk
    random_state: int = 0
    title: str | None = None
    command: str | None = None  # how to make this report again


@dataclass(frozen=True)
class LabelRisk:
    """Probability of one label in a line, with its credible interval."""

    name: str
    n: Count
    probability: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Line:
    """One line of the list, with the counts of training."""

    head: str
    condition: str
    n: Count
    risks: list[LabelRisk]  # of the judged label first


@dataclass(frozen=True)
class FoldSummary:
    """One fold's list."""

    rules: list[tuple[str, float]]  # conditions, and probability of the judged label
    auc: float
    n_train: int
    n_test: int
    status: str
    r_hat: float
    seconds: float
    warnings: list[str]


@dataclass(frozen=True)
class About:
    """What the report is about."""

    title: str
    positive: str
    labels: list[str]
    outcome: str | None
    n: Count
    n_events: Count
    n_without_label: Count
    weighted: bool
    min_cell: int | None
    level: float
    predicts: str  # "point", "posterior" or "map"
    created: str
    command: str | None
    fingerprint: str | None
    trained: str | None
    trained_with: dict[str, str]
    versions: dict[str, str]
    random_state: int
    notes: list[str]


@dataclass(frozen=True)
class Setting:
    """One setting of the estimator, as Python writes it."""

    name: str
    value: str
    is_default: bool


@dataclass(frozen=True)
class Summary:
    """Everything that a report says."""

    format: int
    about: About
    lines: list[Line]
    people: People
    validation: Measures
    cross_validated_auc: Estimate | None  # where a held-out table is what counts
    apparent_auc: float  # in sample
    convergence: ConvergenceSummary | None
    posterior: PosteriorSummary | None
    stability: Stability | None
    folds: list[FoldSummary]
    settings: list[Setting]
    tripod: list[Item]

    def to_dict(self) -> dict[str, Any]:
        """Plain data for JSON: None stands for what is unknown."""
        found: dict[str, Any] = plain(asdict(self))
        return found


def summarise(
    fitted: Any,
    X: Any,
    y: Any,
    *,
    holdout: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Summary:
    """Everything a report says of a fitted classifier or Model and the table it was fitted to.

    Performance is measured out of sample: by cross-validation, or on a held-out table
    ``(X, y)``. Other options are those of ReportOptions: folds, subgroups, min_cell,
    positive, thresholds, random_state, title, command.
    """
    told = _read_options(options)
    subject, cells = subject_of(fitted), SmallCells(told.min_cell)
    if told.folds is None and holdout is None:
        raise ParamError(
            "A report needs observations that the list was not learnt from: give folds (such as "
            "5), or a held-out table as holdout=(X, y)."
        )
    rule_list = subject.rule_list
    place = _place(rule_list, told.positive)
    # all that can be wrong with the tables is found before the folds take their time
    trained_on = read_training(subject, X, y, sample_weight)
    table = trained_on.table if holdout is None else table_of(subject, holdout[0])
    groups = groupings(told.subgroups, table, subject)
    apart = None
    if holdout is not None:
        apart = held_out(subject.predict_proba, rule_list.classes, *holdout)
    crossed = None
    if told.folds is not None:
        crossed = cross_validate(
            subject.make_classifier(), X, y, folds=told.folds, sample_weight=sample_weight,
            random_state=told.random_state, progress=progress,
        )  # fmt: skip
    validation = apart or crossed
    assert validation is not None
    judged = judge(subject, table, validation, groups, place)
    return Summary(
        FORMAT,
        _about(subject, told, trained_on, cells, notes_on(judged, trained_on, crossed)),
        _lines(rule_list, place, cells),
        _people(subject, trained_on, cells),
        measure(judged, _thresholds(told, validation, place), cells),
        None if apart is None or crossed is None else _auc(crossed, place),
        _apparent(subject, X, trained_on, place),
        describe_convergence(subject.convergence, subject.posterior),
        describe_posterior(subject.posterior, rule_list, subject.convergence),
        _stability(crossed, trained_on.table, place),
        _folds(crossed, place, cells),
        _settings(subject),
        tripod_items(bool(groups)),
    )


def _read_options(options: Mapping[str, Any]) -> ReportOptions:
    known = [field.name for field in fields(ReportOptions)]
    for name in options:
        if name not in known:
            raise ParamTypeError(
                f"A report has no option {name!r}; its options are {', '.join(known)}."
            )
    told = ReportOptions(**options)
    if isinstance(told.subgroups, str):
        raise ParamTypeError(
            f"subgroups is {told.subgroups!r}; it must be a list of columns, "
            f"such as [{told.subgroups!r}]."
        )
    bad = [t for t in told.thresholds or () if not (isinstance(t, Real) and 0 < float(t) < 1)]
    if bad:
        raise ParamError(f"thresholds: {bad[0]!r} is no risk; each must lie between 0 and 1.")
    return told


def _thresholds(told: ReportOptions, validation: Validation, place: int) -> list[float]:
    if told.thresholds is not None:
        return [float(t) for t in told.thresholds]
    highest = float(validation.probabilities[:, place].max())
    return [t for t in THRESHOLDS if t <= highest]


def _about(
    subject: Subject, told: ReportOptions, trained: Training, cells: SmallCells, notes: list[str]
) -> About:
    vocabulary = subject.rule_list.vocabulary
    place = _place(subject.rule_list, told.positive)
    positive = vocabulary.label_names[place]
    training = subject.training
    return About(
        title=told.title or f"A rule list for {positive}",
        positive=positive,
        labels=list(vocabulary.label_names),
        outcome=vocabulary.outcome,
        n=cells.count(len(trained.rows)),
        n_events=cells.count(int(np.sum(trained.labels == place))),
        n_without_label=cells.count(trained.n_without_label),
        weighted=trained.weighted,
        min_cell=cells.smallest,
        level=LEVEL,
        predicts=subject.predicts_with,
        created=_now(),
        command=told.command,
        fingerprint=_text_or_none(training.get("fingerprint")),
        trained=_text_or_none(training.get("date")),
        trained_with={str(k): str(v) for k, v in (training.get("versions") or {}).items()},
        versions=versions(),
        random_state=int(told.random_state),
        notes=notes,
    )


def _place(rule_list: RuleList, positive: Any) -> int:
    label = rule_list.positive if positive is None else positive
    return label_place(label, rule_list.classes)


def _people(subject: Subject, trained: Training, cells: SmallCells) -> People:
    rule_list = subject.rule_list
    return describe_people(
        trained.table,
        trained.rows,
        trained.labels,
        rule_list.vocabulary.label_names,
        subject.fit_report,
        {name for antecedent in rule_list.antecedents for name in antecedent.columns},
        cells,
    )


def _lines(rule_list: RuleList, place: int, cells: SmallCells) -> list[Line]:
    """The list with its training counts, the judged label first in each line."""
    hidden = cells.hidden(np.array([rule.label_counts for rule in rule_list]))
    names = rule_list.vocabulary.label_names
    order = [place, *(p for p in range(len(names)) if p != place)]
    lines = []
    for j, (rule, hide) in enumerate(zip(rule_list, hidden, strict=True)):
        risks = []
        for p in order:
            low, high = rule.interval(rule_list.classes[p], LEVEL)
            probability = float(rule.probabilities[p])
            count: Count = WITHHELD if hide else plain_count(float(rule.label_counts[p]))
            # with its interval, an exact probability would tell the counts
            risks.append(
                LabelRisk(names[p], count, round(probability, 2), None, None)
                if hide
                else LabelRisk(names[p], count, probability, low, high)
            )
        n: Count = WITHHELD if hide else plain_count(rule.n)
        lines.append(Line(_head(j, len(rule_list)), rule.antecedent.name, n, risks))
    return lines


def _head(j: int, length: int) -> str:
    if length == 0:
        return "always"
    return "else" if j == length else "if" if j == 0 else "else if"


def _auc(validation: Validation, place: int) -> Estimate:
    truth, risk = validation.against_the_rest(place)
    return auc_with_interval(truth, risk, validation.fold)


def _apparent(subject: Subject, X: Any, trained: Training, place: int) -> float:
    """The AUC on the very table of fit: too good, and labelled as such."""
    risk = subject.predict_proba(X)[trained.rows, place]
    return auc_with_interval(trained.labels == place, risk).value


def _stability(crossed: Validation | None, table: Table, place: int) -> Stability | None:
    if crossed is None:
        return None
    return stability([fold.rule_list for fold in crossed.folds], table, place)


def _folds(crossed: Validation | None, place: int, cells: SmallCells) -> list[FoldSummary]:
    if crossed is None:
        return []
    aucs = fold_aucs(*crossed.against_the_rest(place), crossed.fold)
    found = []
    for fold, auc in zip(crossed.folds, aucs, strict=True):
        rules = [
            (rule.antecedent.name, _rounded(float(rule.probabilities[place]), cells))
            for rule in fold.rule_list
        ]
        found.append(
            FoldSummary(
                rules,
                auc,
                fold.n_train,
                fold.n_test,
                fold.convergence.status,
                fold.convergence.r_hat,
                round(fold.seconds, 2),
                [] if cells.on else list(fold.warnings),  # warnings may count a few people
            )
        )
    return found


def _rounded(probability: float, cells: SmallCells) -> float:
    return round(probability, 2) if cells.on else probability


def _settings(subject: Subject) -> list[Setting]:
    from elseif.estimator import BayesianRuleListClassifier

    defaults = inspect.signature(BayesianRuleListClassifier).parameters
    return [
        Setting(name, repr(value), name in defaults and repr(value) == repr(defaults[name].default))
        for name, value in subject.settings.items()
    ]


def _now() -> str:
    """The time in UTC, to the minute; SOURCE_DATE_EPOCH tells it where output must repeat."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    now = datetime.datetime.now(datetime.UTC)
    if told.isdecimal():
        now = datetime.datetime.fromtimestamp(int(told), datetime.UTC)
    return now.strftime("%Y-%m-%d %H:%M UTC")


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)
