"""Summary: every number of a report as plain data, also exported as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from elseif.disclosure.holding import hold
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.errors import DisclosureError
from elseif.evaluation.cross_validation import Validation
from elseif.evaluation.discrimination import auc_with_interval
from elseif.evaluation.intervals import Estimate
from elseif.evaluation.stability import Stability
from elseif.fitted_model import FittedModel
from elseif.posterior.line_intervals import line_intervals
from elseif.posterior.rule_list import RuleList, with_display
from elseif.progress import Progress
from elseif.report.counted import Counted, count_people, rejudged
from elseif.report.fold_lists import FoldSummary, fold_stability, fold_summaries
from elseif.report.grouping import plain_count
from elseif.report.in_words import people_in_words
from elseif.report.list_lines import Line, list_lines
from elseif.report.measures import Judged, Measures, measure, whole_sample
from elseif.report.plain_data import plain
from elseif.report.posterior_summary import (
    ConvergenceSummary,
    PosteriorSummary,
    describe_convergence,
    describe_posterior,
)
from elseif.report.projection_summary import (
    ProjectionSummary,
    describe_projection,
)
from elseif.report.report_data import ReportData, gather
from elseif.report.report_options import risk_thresholds
from elseif.report.settings_used import SettingUsed, settings_used
from elseif.report.training import (
    Training,
    is_resubstituted,
    judge,
    notes_on,
)
from elseif.report.training_people import PeopleSummary, describe_people
from elseif.report.tripod import Item, tripod_items
from elseif.tables.origin import origin_notes, says_so
from elseif.training_record import now, versions

FORMAT = 2
LEVEL = 0.95


@dataclass(frozen=True)
class About:
    """What the report is about."""

    title: str
    event: str  # what a probability is of: the outcome's name, or the label's
    positive: str
    labels: list[str]
    outcome: str | None
    n_antecedents: int | None  # candidates; None under a minimum cell
    learnt: dict[str, float] | None  # settings that were learnt; the same
    n: float
    n_events: float
    n_without_label: float
    weighted: bool
    min_cell: int | None
    rounded_to: int | None  # what numbers of people are multiples of
    level: float
    predicts: str  # "point", "posterior", "map" or "projected"
    created: str
    command: str | None
    fingerprint: str | None
    trained: str | None
    trained_with: dict[str, str]
    versions: dict[str, str]
    random_state: int
    edited: bool  # by hand, after fitting
    resubstituted: bool  # the held-out table looks like the training table
    note: str | None  # of whoever made the report
    notes: list[str]


@dataclass(frozen=True)
class LabelMeasures:
    """Performance for another label, against all others together."""

    label: str
    validation: Measures
    cross_validated_auc: Estimate | None
    apparent_auc: float


@dataclass(frozen=True)
class Summary:
    """All the content of a report.

    Attributes
    ----------
    format : int
        Version of this format.
    about : About
        The model, the data and the report itself.
    lines : list[Line]
        The rules with their probabilities.
    people : PeopleSummary
        The training data, column by column.
    validation : Measures
        Performance out of sample.
    other_labels : list[LabelMeasures]
        The same for every other label, where there are more than two and none was chosen.
    cross_validated_auc : Estimate | None
        AUC by cross-validation, if performance is measured on a held-out table.
    apparent_auc : float
        AUC on the training data.
    convergence : ConvergenceSummary | None
        Convergence of the sampler.
    posterior : PosteriorSummary | None
        The other lists of the posterior.
    projection : ProjectionSummary | None
        The projected lists by number of rules.
    stability : Stability | None
        How similar the lists of the folds are.
    folds : list[FoldSummary]
        One entry for each fold.
    settings : list[SettingUsed]
        Settings of the classifier.
    tripod : list[Item]
        Items of TRIPOD+AI that software can fill in.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import summarise
    >>> summarise(clf, X, y, folds=2).to_dict()["lines"][0]["n"]
    1324
    """

    format: int
    about: About
    lines: list[Line]
    people: PeopleSummary
    validation: Measures
    other_labels: list[LabelMeasures]
    cross_validated_auc: Estimate | None
    apparent_auc: float
    convergence: ConvergenceSummary | None
    posterior: PosteriorSummary | None
    projection: ProjectionSummary | None
    stability: Stability | None
    folds: list[FoldSummary]
    settings: list[SettingUsed]
    tripod: list[Item]

    def to_dict(self) -> dict[str, Any]:
        """Convert to plain data that JSON can hold.

        Returns
        -------
        dict
            All attributes; None stands for what is unknown.
        """
        document: dict[str, Any] = plain(asdict(self))
        return document


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
    """Collect everything that a report says about a fitted classifier.

    Performance is measured out of sample: by cross-validation, or on a held-out table.

    Parameters
    ----------
    fitted : BayesianRuleListClassifier or FittedModel
        The model.
    X, y : table and labels
        The training data.
    holdout : tuple, default=None
        A held-out table ``(X, y)``.
    sample_weight : array, default=None
        The weights of ``fit``.
    progress : Progress, default=None
        Receives progress updates.
    **options
        Those of `ReportOptions`.

    Returns
    -------
    Summary
        Plain data, from which ``report_page`` writes the page.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> X, y = load_titanic(split="paper")
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X, y)
    >>> from elseif.report import summarise
    >>> len(summarise(clf, X, y, folds=2).lines)
    4
    """
    evidence = gather(
        fitted, X, y, holdout=holdout, sample_weight=sample_weight, progress=progress, **options
    )
    if evidence.min_cell is None:
        return summary_of(evidence, count_people(evidence.trained, None, evidence.apart))

    def attempt(rounding: Rounding) -> tuple[Summary, list[Cells]]:
        counted = count_people(evidence.trained, rounding, evidence.apart)
        return summary_of(evidence, counted), counted.published

    return hold(evidence.min_cell, attempt)


def summary_of(evidence: ReportData, counted: Counted) -> Summary:
    """The report's numbers, of exact or of rounded counts."""
    model, trained, event = evidence.model, evidence.trained, evidence.event
    _enough_people(counted)
    rule_list = counted.list_of_training(model.chosen_list(), trained)
    fold_lists: list[RuleList] = []
    apart, crossed = evidence.apart, evidence.crossed
    if crossed is not None:
        fold_lists = [
            with_display(each, model.metadata.display)
            for each in counted.lists_of_folds(crossed, trained.table)
        ]
    if counted.rounding is not None:
        crossed = crossed and rejudged(crossed, fold_lists, trained.table)
        apart = apart and rejudged(apart, [rule_list], evidence.table)
    validation = apart or crossed
    assert validation is not None
    judged, *others = (
        judge(rule_list, evidence.table, validation, evidence.groups, p)
        for p in _evaluated(evidence)
    )
    is_exact = counted.rounding is None

    def aucs(of: int) -> tuple[Estimate | None, float]:
        """AUC by cross-validation next to that of a held-out table, and in sample."""
        both = apart is not None and crossed is not None
        return (
            _auc(crossed, of, counted.people) if both and crossed is not None else None,
            _apparent(evidence, of)
            if is_exact
            else _apparent_of_lines(rule_list, trained, counted, of),
        )

    return Summary(
        FORMAT,
        _about(evidence, counted, judged),
        list_lines(rule_list, event, LEVEL, _over_lists(evidence) if is_exact else None),
        _people(model, trained, counted),
        _measured(evidence, judged, counted),
        [
            LabelMeasures(o.label_name, _measured(evidence, o, counted), *aucs(o.label))
            for o in others
        ],
        *aucs(event),
        describe_convergence(model.convergence, model.posterior, is_exact),
        describe_posterior(model.posterior, rule_list, model.convergence, is_exact),
        describe_projection(model, event, is_exact),
        None if crossed is None else fold_stability(fold_lists, trained.table, event, is_exact),
        [] if crossed is None else fold_summaries(crossed, fold_lists, event, counted),
        settings_used(model),
        tripod_items(bool(evidence.groups), model.recalibrated is not None),
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


def _evaluated(evidence: ReportData) -> list[int]:
    """The labels to evaluate: the one chosen; of more than two, all, if none was chosen."""
    n_labels = evidence.trained.n_labels
    if n_labels == 2 or evidence.options.positive is not None:
        return [evidence.event]
    return [evidence.event, *(p for p in range(n_labels) if p != evidence.event)]


def _measured(evidence: ReportData, judged: Judged, counted: Counted) -> Measures:
    thresholds = risk_thresholds(evidence.options, judged.validation, judged.label)
    cells = counted.people if counted.held_out is None else counted.held_out
    return measure(judged, thresholds, cells)


def _about(evidence: ReportData, counted: Counted, judged: Judged) -> About:
    model, options = evidence.model, evidence.options
    trained, event = evidence.trained, evidence.event
    metadata, training = model.metadata, model.training
    positive = metadata.label_names[event]
    by_label = counted.people.by_label(np.ones(len(trained.rows), dtype=bool))
    rounding = counted.rounding
    n_without = trained.n_without_label
    return About(
        title=says_so(options.title or _title(evidence), model.is_synthetic),
        event=metadata.probability_of(event),
        positive=positive,
        labels=list(metadata.label_names),
        outcome=metadata.display.outcome.name or metadata.outcome,
        n_antecedents=len(model.pool) if rounding is None else None,
        learnt=model.learnt if rounding is None else None,
        n=plain_count(by_label.sum()),
        n_events=plain_count(by_label[event]),
        n_without_label=n_without if rounding is None else rounding.count(n_without),
        weighted=trained.weighted,
        min_cell=None if rounding is None else rounding.min_cell,
        rounded_to=None if rounding is None else rounding.step,
        level=LEVEL,
        predicts=model.predict_with,
        created=now().strftime("%Y-%m-%d %H:%M UTC"),
        command=options.command,
        # who knows the others would find with it what the last one has
        fingerprint=None if rounding else _text_or_none(training.get("fingerprint")),
        trained=_text_or_none(training.get("date")),
        trained_with={str(k): str(v) for k, v in (training.get("versions") or {}).items()},
        versions=versions(),
        random_state=int(options.random_state),
        edited=model.edited is not None,
        resubstituted=is_resubstituted(judged, trained),
        note=options.note,
        notes=[
            *origin_notes(model.cohort, model.recalibrated, model.federation, rounding),
            *notes_on(judged, trained),
        ],
    )


def _title(evidence: ReportData) -> str:
    """A title where none was given: the outcome's name, or the event's."""
    metadata = evidence.model.metadata
    outcome = metadata.display.outcome.name or metadata.outcome
    of = metadata.probability_of(evidence.event)
    return f"A rule list for {outcome if outcome and len(_evaluated(evidence)) > 1 else of}"


def _people(model: FittedModel, trained: Training, counted: Counted) -> PeopleSummary:
    rule_list = model.chosen_list()
    people = describe_people(
        trained.table,
        trained.rows,
        rule_list.metadata.label_names,
        model.fit_report,
        {name for antecedent in rule_list.antecedents for name in antecedent.columns},
        counted.people,
    )
    return people_in_words(people, model.metadata.display)


def _over_lists(evidence: ReportData) -> np.ndarray | None:
    """The interval over all lists for the people on each line; a posterior reveals counts."""
    model, trained = evidence.model, evidence.trained
    if model.posterior is None:
        return None
    people = trained.table.take(trained.rows)
    return line_intervals(model.posterior, model.chosen_list(), people, LEVEL)


def _auc(validation: Validation, label: int, cells: Cells) -> Estimate:
    sample = whole_sample(validation, label, cells)
    return auc_with_interval(sample.truth, sample.risk, sample.fold)


def _apparent(evidence: ReportData, label: int) -> float:
    """The AUC on the very table of fit: too good, and labelled as such."""
    trained = evidence.trained
    risk = evidence.model.probabilities(trained.table)[trained.rows, label]
    return auc_with_interval(trained.labels == label, risk).value


def _apparent_of_lines(
    rule_list: RuleList, trained: Training, counted: Counted, label: int
) -> float:
    """The same of the rounded counts of each line."""
    risks = np.array([rule.probabilities[label] for rule in rule_list])
    lines = [trained.line == j for j in range(len(risks))]
    counts = np.array([counted.people.by_label(line) for line in lines]).astype(np.int64)
    events = counts[:, label]
    others = counts.sum(axis=1) - events
    truth = np.repeat([True, False], [events.sum(), others.sum()])
    risk = np.concatenate([np.repeat(risks, events), np.repeat(risks, others)])
    return auc_with_interval(truth, risk).value


def _text_or_none(value: Any) -> str | None:
    return None if value is None else str(value)
