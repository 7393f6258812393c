"""Summary: every number of a report as plain data, which is also what is exported as JSON."""

from __future__ import annotations

import datetime
import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from numbers import Real
from typing import Any

import numpy as np

from elseif.disclosure.cells import Cells
from elseif.disclosure.holding import hold
from elseif.disclosure.rounding import Rounding, check_min_cell
from elseif.errors import DisclosureError, ParamError, ParamTypeError
from elseif.evaluation.cross_validation import Validation, cross_validate, held_out
from elseif.evaluation.discrimination import auc_with_interval, fold_aucs
from elseif.evaluation.intervals import Estimate
from elseif.evaluation.stability import Stability, stability
from elseif.evaluation.subgroups import Grouping
from elseif.export.disclosed import check_predicts_by_a_list
from elseif.posterior.rule_list import RuleList
from elseif.progress import Progress
from elseif.report.counted import Counted, count_people, rejudged
from elseif.report.grouping import plain_count
from elseif.report.measures import Measures, measure, whole_sample
from elseif.report.plain_data import plain
from elseif.report.posterior_summary import (
    ConvergenceSummary,
    PosteriorSummary,
    describe_convergence,
    describe_posterior,
)
from elseif.report.subject import Subject, subject_of, versions
from elseif.report.training import (
    Training,
    groupings,
    judge,
    notes_on,
    read_training,
    table_of,
)
from elseif.report.training_people import People, describe_people
from elseif.report.tripod import Item, tripod_items
from elseif.tables.labels import label_place
from elseif.tables.reading import Table

FORMAT = 1
LEVEL = 0.95
THRESHOLDS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)


@dataclass(frozen=True)
class ReportOptions:
    """What a report should hold.

    ``folds`` cross-validates (None: not, where there is a held-out table). ``subgroups``
    names columns, or gives values by name for what is no column. With ``min_cell`` every
    number of people is rounded to multiples of it, and all else follows from the rounded
    numbers. ``positive`` is the label whose risk is judged: the last by default, against
    all others.
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
    n: float
    probability: float
    low: float
    high: float


@dataclass(frozen=True)
class Line:
    """One line of the list, with the counts of training."""

    head: str
    condition: str
    n: float
    risks: list[LabelRisk]  # of the judged label first


@dataclass(frozen=True)
class FoldSummary:
    """One fold's list."""

    rules: list[tuple[str, float]]  # conditions, and probability of the judged label
    auc: float | None  # None where a minimum cell is held
    n_train: float
    n_test: float
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
    n: float
    n_events: float
    n_without_label: float
    weighted: bool
    min_cell: int | None
    rounded_to: int | None  # what numbers of people are multiples of
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
    found = gather(
        fitted, X, y, holdout=holdout, sample_weight=sample_weight, progress=progress, **options
    )
    if found.min_cell is None:
        return summary_of(found, count_people(found.trained, None, found.apart))

    def attempt(rounding: Rounding) -> tuple[Summary, list[Cells]]:
        counted = count_people(found.trained, rounding, found.apart)
        return summary_of(found, counted), counted.published

    return hold(found.min_cell, attempt)


@dataclass(frozen=True, eq=False)
class Evidence:
    """All that a report is made of, before anything of it is counted."""

    subject: Subject
    options: ReportOptions
    min_cell: int | None
    place: int  # of the label that is judged
    X: Any
    trained: Training
    table: Table  # whose rows are judged
    groups: Sequence[Grouping]
    apart: Validation | None  # on a held-out table
    crossed: Validation | None  # over folds


def gather(
    fitted: Any,
    X: Any,
    y: Any,
    *,
    holdout: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> Evidence:
    """Read the tables and run the folds of a report; options as of ``summarise``."""
    told = _read_options(options)
    subject = subject_of(fitted)
    known = subject.rule_list.metadata.rounding
    min_cell = check_min_cell(told.min_cell)
    if min_cell is None and known is not None:
        min_cell = known.min_cell  # what a model keeps, its report keeps
    if min_cell is not None:
        check_predicts_by_a_list(subject.settings)
    if told.folds is None and holdout is None:
        raise ParamError(
            "A report needs observations that the list was not learnt from: give folds (such as "
            "5), or a held-out table as holdout=(X, y)."
        )
    place = _place(subject.rule_list, told.positive)
    # all that can be wrong with the tables is found before the folds take their time
    trained = read_training(subject, X, y, sample_weight)
    table = trained.table if holdout is None else table_of(subject, holdout[0])
    groups = groupings(told.subgroups, table, subject)
    apart = None
    if holdout is not None:
        apart = held_out(subject.predict_proba, subject.rule_list.classes, *holdout)
    crossed = None
    if told.folds is not None:
        crossed = cross_validate(
            subject.make_classifier(), X, y, folds=told.folds, sample_weight=sample_weight,
            random_state=told.random_state, progress=progress,
        )  # fmt: skip
    return Evidence(subject, told, min_cell, place, X, trained, table, groups, apart, crossed)


def summary_of(found: Evidence, counted: Counted) -> Summary:
    """The report's numbers, of exact or of rounded counts."""
    subject, trained, place = found.subject, found.trained, found.place
    _enough_people(counted)
    rule_list = counted.list_of_training(subject.rule_list, trained)
    fold_lists: list[RuleList] = []
    apart, crossed = found.apart, found.crossed
    if crossed is not None:
        fold_lists = counted.lists_of_folds(crossed, trained.table)
    if counted.rounding is not None:
        crossed = crossed and rejudged(crossed, fold_lists, trained.table)
        apart = apart and rejudged(apart, [rule_list], found.table)
    validation = apart or crossed
    assert validation is not None
    judged = judge(rule_list, found.table, validation, found.groups, place)
    is_exact = counted.rounding is None
    return Summary(
        FORMAT,
        _about(found, counted, notes_on(judged, trained, crossed)),
        _lines(rule_list, place),
        _people(subject, trained, counted),
        measure(judged, _thresholds(found.options, validation, place), _judged_cells(counted)),
        None if apart is None or crossed is None else _auc(crossed, place, counted.people),
        _apparent(found) if is_exact else _apparent_of_lines(rule_list, trained, counted, place),
        describe_convergence(subject.convergence, subject.posterior, is_exact),
        describe_posterior(subject.posterior, rule_list, subject.convergence, is_exact),
        None if crossed is None else _stability(fold_lists, trained.table, place, is_exact),
        [] if crossed is None else _folds(crossed, fold_lists, place, counted),
        _settings(subject),
        tripod_items(bool(found.groups)),
    )


def _enough_people(counted: Counted) -> None:
    """Refuse a table of which nothing is left."""
    for cells in (counted.people, counted.held_out):
        if cells is None or cells.rounding is None:
            continue
        if not cells.by_label(np.ones(len(cells.codes), dtype=bool)).sum():
            raise DisclosureError(
                f"There are too few people for min_cell={cells.rounding.min_cell}: their number "
                "rounds to 0."
            )


def _judged_cells(counted: Counted) -> Cells:
    return counted.people if counted.held_out is None else counted.held_out


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


def _about(found: Evidence, counted: Counted, notes: list[str]) -> About:
    subject, told, trained, place = found.subject, found.options, found.trained, found.place
    metadata, training = subject.rule_list.metadata, subject.training
    positive = metadata.label_names[place]
    by_label = counted.people.by_label(np.ones(len(trained.rows), dtype=bool))
    rounding = counted.rounding
    n_without = trained.n_without_label
    return About(
        title=told.title or f"A rule list for {positive}",
        positive=positive,
        labels=list(metadata.label_names),
        outcome=metadata.outcome,
        n=plain_count(by_label.sum()),
        n_events=plain_count(by_label[place]),
        n_without_label=n_without if rounding is None else rounding.count(n_without),
        weighted=trained.weighted,
        min_cell=None if rounding is None else rounding.min_cell,
        rounded_to=None if rounding is None else rounding.step,
        level=LEVEL,
        predicts=subject.predicts_with,
        created=_now(),
        command=told.command,
        # who knows the others would find with it what the last one has
        fingerprint=None if rounding else _text_or_none(training.get("fingerprint")),
        trained=_text_or_none(training.get("date")),
        trained_with={str(k): str(v) for k, v in (training.get("versions") or {}).items()},
        versions=versions(),
        random_state=int(told.random_state),
        notes=notes,
    )


def _place(rule_list: RuleList, positive: Any) -> int:
    label = rule_list.positive if positive is None else positive
    return label_place(label, rule_list.classes)


def _people(subject: Subject, trained: Training, counted: Counted) -> People:
    rule_list = subject.rule_list
    return describe_people(
        trained.table,
        trained.rows,
        rule_list.metadata.label_names,
        subject.fit_report,
        {name for antecedent in rule_list.antecedents for name in antecedent.columns},
        counted.people,
    )


def _lines(rule_list: RuleList, place: int) -> list[Line]:
    """The list with its training counts, the judged label first in each line."""
    names = rule_list.metadata.label_names
    order = [place, *(p for p in range(len(names)) if p != place)]
    lines = []
    for j, rule in enumerate(rule_list):
        risks = []
        for p in order:
            low, high = rule.interval(rule_list.classes[p], LEVEL)
            n = plain_count(float(rule.label_counts[p]))
            risks.append(LabelRisk(names[p], n, float(rule.probabilities[p]), low, high))
        head = _head(j, len(rule_list))
        lines.append(Line(head, rule.antecedent.name, plain_count(rule.n), risks))
    return lines


def _head(j: int, length: int) -> str:
    if length == 0:
        return "always"
    return "else" if j == length else "if" if j == 0 else "else if"


def _auc(validation: Validation, place: int, cells: Cells) -> Estimate:
    sample = whole_sample(validation, place, cells)
    return auc_with_interval(sample.truth, sample.risk, sample.fold)


def _apparent(found: Evidence) -> float:
    """The AUC on the very table of fit: too good, and labelled as such."""
    trained, place = found.trained, found.place
    risk = found.subject.predict_proba(found.X)[trained.rows, place]
    return auc_with_interval(trained.labels == place, risk).value


def _apparent_of_lines(
    rule_list: RuleList, trained: Training, counted: Counted, place: int
) -> float:
    """The same of the rounded counts of each line."""
    risks = np.array([rule.probabilities[place] for rule in rule_list])
    lines = [trained.line == j for j in range(len(risks))]
    counts = np.array([counted.people.by_label(line) for line in lines]).astype(np.int64)
    events = counts[:, place]
    others = counts.sum(axis=1) - events
    truth = np.repeat([True, False], [events.sum(), others.sum()])
    risk = np.concatenate([np.repeat(risks, events), np.repeat(risks, others)])
    return auc_with_interval(truth, risk).value


def _stability(lists: Sequence[RuleList], table: Table, place: int, is_exact: bool) -> Stability:
    found = stability(lists, table, place)
    # a mean over people would tell how many fall into which lines of two lists
    return found if is_exact else replace(found, mean_risk_difference=float("nan"))


def _folds(
    crossed: Validation, lists: Sequence[RuleList], place: int, counted: Counted
) -> list[FoldSummary]:
    is_exact = counted.rounding is None
    aucs: Sequence[float | None] = [None] * len(lists)
    if is_exact:
        aucs = fold_aucs(*crossed.against_the_rest(place), crossed.fold)
    found = []
    for f, (fold, rule_list, auc) in enumerate(zip(crossed.folds, lists, aucs, strict=True)):
        here = crossed.fold == f
        rules = [(rule.antecedent.name, float(rule.probabilities[place])) for rule in rule_list]
        found.append(
            FoldSummary(
                rules,
                auc,
                plain_count(counted.people.by_label(~here).sum()),
                plain_count(counted.people.by_label(here).sum()),
                fold.convergence.status,
                fold.convergence.r_hat,
                round(fold.seconds, 2),
                list(fold.warnings) if is_exact else [],  # warnings may count a few people
            )
        )
    return found


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
