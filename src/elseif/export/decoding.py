"""From the document of a model file to a Model; none of it is executed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.display_labels import ColumnLabels, DisplayLabels, OutcomeLabels
from elseif.antecedents.labels_file import check_display_labels
from elseif.antecedents.pool import Pool
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.conditions.fit_report import FitReport
from elseif.conditions.training_range import TrainingRange
from elseif.disclosure.rounding import Rounding
from elseif.errors import ModelFileError, ParamError
from elseif.export.document import (
    ColumnPart,
    ConditionPart,
    ConvergencePart,
    Document,
    ExactPart,
    LabelsPart,
    PathScoresPart,
    PoolPart,
    PosteriorPart,
    ProjectionPathPart,
    QuantityPart,
    ReadingPart,
    RulePart,
    TablePart,
)
from elseif.export.json_values import decode, decode_labels, decode_number, hashable
from elseif.fitted_model import FittedModel
from elseif.model.prior import ListPrior
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.rule_list import ModelMetadata, Rule, RuleList
from elseif.projection.path import PathScores, ProjectionPath
from elseif.sampler.convergence import Convergence
from elseif.sampler.exact_posterior import CoverPatterns, ExactPosterior, Summaries
from elseif.sampler.quantity import Quantity
from elseif.tables.columns import Kind
from elseif.tables.text_files import TextFormat

OLD_INCLUSION = "inclusion of antecedent "


def decode_model(document: Document) -> FittedModel:
    """The model of a document that has been checked."""
    orders = [_categories(order) for order in document.orders]
    metadata = _metadata(document)
    pool = _pool(document.pool, orders)
    posterior = (
        None if document.posterior is None else _posterior(document.posterior, pool, metadata)
    )
    convergence = None if document.convergence is None else _convergence(document.convergence)
    if posterior is not None and convergence is not None:
        posterior.unsteady = convergence.unsteady_inclusions
    training = document.training
    projection = document.projection
    report = _fit_report(document.table, pool.aliases)
    check_display_labels(
        metadata.display, list(metadata.kinds), report.columns, metadata.classes.tolist()
    )
    return FittedModel(
        rule_list=_rule_list(document.rule_list, orders, metadata),
        map_rule_list=_rule_list(document.map_rule_list, orders, metadata),
        posterior=posterior,
        convergence=convergence,
        fit_report=report,
        settings={name: _plain(value) for name, value in document.settings.items()},
        training={
            "n": float(np.sum(training.label_counts)),
            "label_counts": list(training.label_counts),
            "fingerprint": training.fingerprint,
            **({} if training.reading is None else {"reading": _reading(training.reading)}),
            "versions": dict(training.versions),
            "date": training.date,
        },
        feature_names=document.table.feature_names,
        n_features=document.table.n_features,
        pool=pool,
        edited=document.edited,
        learnt=None if document.learnt is None else {str(k): v for k, v in document.learnt.items()},
        cohort=None if document.cohort is None else document.cohort.model_dump(),
        recalibrated=None if document.recalibrated is None else document.recalibrated.model_dump(),
        federation=None if document.federation is None else document.federation.model_dump(),
        projected_rule_list=None
        if projection is None
        else _rule_list(projection.rule_list, orders, metadata),
        projection_path=None
        if projection is None or projection.path is None
        else _path(projection.path, orders, metadata),
    )


def _reading(part: ReadingPart) -> dict[str, Any]:
    """How the training table was read, if a table can be read in that way."""
    said = part.model_dump(exclude_defaults=True)
    try:
        TextFormat(**said)
    except ParamError as error:
        raise ModelFileError(f"training: reading: {error}") from error
    return said


def _plain(value: Any) -> Any:
    """A value as Python has it; parts of the document are first made plain JSON again."""
    return decode(value.model_dump(by_alias=True) if hasattr(value, "model_dump") else value)


def _categories(values: Sequence[Any]) -> tuple[Any, ...]:
    """Categories, of which predictions make sets."""
    return tuple(hashable([_plain(value) for value in values]))


def _metadata(document: Document) -> ModelMetadata:
    outcome, rounding = document.outcome, document.training.rounding
    labels = [
        v.model_dump(by_alias=True) if hasattr(v, "model_dump") else v for v in outcome.labels
    ]
    return ModelMetadata(
        classes=decode_labels(outcome.label_type, labels),
        pseudocounts=np.array(outcome.pseudocounts, dtype=np.float64),
        kinds={column.name: Kind(column.kind) for column in document.table.columns},
        count_unit=document.training.count_unit,
        outcome=outcome.name,
        rounding=None if rounding is None else Rounding(rounding.min_cell, rounding.step),
        display=_display(document.labels),
    )


def _display(part: LabelsPart | None) -> DisplayLabels:
    if part is None:
        return DisplayLabels()
    columns = {
        name: ColumnLabels(each.name, each.unit, each.question, dict(each.levels))
        for name, each in part.columns.items()
    }
    labels = part.outcome
    outcome = OutcomeLabels(labels.name, labels.event, labels.no_event, dict(labels.labels))
    return DisplayLabels(columns, outcome, dict(part.conditions))


def _condition(part: ConditionPart, orders: Sequence[tuple[Any, ...]]) -> Condition:
    order = None if part.order is None else orders[part.order]
    return Condition(part.column, part.operator, _plain(part.value), order)


def _rule_list(
    rules: Sequence[RulePart], orders: Sequence[tuple[Any, ...]], metadata: ModelMetadata
) -> RuleList:
    made = [
        Rule(
            Antecedent(_condition(part, orders) for part in rule.conditions),
            np.array(rule.label_counts, dtype=np.float64),
            metadata,
        )
        for rule in rules
    ]
    return RuleList(made, metadata)


def _path(
    part: ProjectionPathPart, orders: Sequence[tuple[Any, ...]], metadata: ModelMetadata
) -> ProjectionPath:
    scores = part.scores
    return ProjectionPath(
        [_rule_list(rules, orders, metadata) for rules in part.lists],
        [decode_number(distance) for distance in part.distances],
        decode_number(part.point_distance),
        None if scores is None else _path_scores(scores),
    )


def _path_scores(part: PathScoresPart) -> PathScores:
    def array(values: Sequence[Any]) -> np.ndarray:
        return np.array([decode_number(value) for value in values], dtype=float)

    return PathScores(
        folds=part.folds,
        n=part.n,
        log_loss=array(part.log_loss),
        log_loss_gap=array(part.log_loss_gap),
        log_loss_gap_error=array(part.log_loss_gap_error),
        auc=array(part.auc),
        posterior_log_loss=decode_number(part.posterior_log_loss),
        posterior_auc=decode_number(part.posterior_auc),
        point_log_loss=decode_number(part.point_log_loss),
        point_auc=decode_number(part.point_auc),
    )


def _pool(part: PoolPart, orders: Sequence[tuple[Any, ...]]) -> Pool:
    offsets, condition_ids = _joined(part.antecedents)
    return Pool(
        conditions=tuple(_condition(condition, orders) for condition in part.conditions),
        offsets=offsets,
        condition_ids=condition_ids,
        supports=np.full(len(part.antecedents), np.nan)
        if part.supports is None
        else np.array(part.supports, dtype=np.float64),
        aliases={name: tuple(twins) for name, twins in part.aliases.items()},
    )


def _posterior(part: PosteriorPart, pool: Pool, metadata: ModelMetadata) -> Posterior:
    counts = [row for rows in part.label_counts for row in rows]
    offsets, items = _joined(part.lists)
    lists = Lists(
        offsets=offsets,
        items=items,
        label_counts=np.array(counts, dtype=np.int64),
        log_posterior=np.array(part.log_posterior, dtype=np.float64),
    )
    chains = [
        ChainDraws(np.array(c.n_draws, dtype=np.int64), np.array(c.lists, dtype=np.int64))
        for c in part.chains
    ]
    exact = None if part.exact is None else _exact(part.exact, pool)
    return Posterior(pool, metadata, chains, lists, exact)


def _exact(part: ExactPart, pool: Pool) -> ExactPosterior:
    return ExactPosterior(
        summaries=Summaries(
            part.log_evidence,
            np.array(part.length_probabilities, dtype=np.float64),
            np.array(part.inclusion, dtype=np.float64),
            decode_number(part.mean_average_cardinality),
        ),
        patterns=CoverPatterns(
            np.array(part.patterns, dtype=np.int64),
            np.array(part.pattern_counts, dtype=np.int64),
        ),
        prior=ListPrior(
            pool.cardinalities,
            part.expected_length,
            part.expected_cardinality,
            np.array(part.weights, dtype=np.float64),
        ),
        map_place=part.map_list,
        point_place=part.point_list,
        point_note=part.point_note,
    )


def _joined(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists of small numbers as one array, and where each begins and the last ends."""
    ends = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return ends, np.fromiter(chain.from_iterable(lists), dtype=np.int32, count=int(ends[-1]))


def _convergence(part: ConvergencePart) -> Convergence:
    return Convergence(
        r_hat=decode_number(part.r_hat),
        status=part.status,
        quantities=tuple(_quantity(q) for q in part.quantities),
        inclusion_r_hat=decode_number(part.inclusion_r_hat),
        inclusion_difference=decode_number(part.inclusion_difference),
        n_chains=part.n_chains,
        n_iter=part.n_iter,
        n_distinct=part.n_distinct,
        acceptance={name: decode_number(rate) for name, rate in part.acceptance.items()},
        swap_rates=tuple(decode_number(rate) for rate in part.exchange),
        independent=part.independent,
        share_deviation=(
            decode_number(part.share_deviation[0]),
            decode_number(part.share_deviation[1]),
        ),
        restricted_deviation=(
            decode_number(part.restricted_deviation[0]),
            decode_number(part.restricted_deviation[1]),
        ),
        ended_by=part.ended_by,
        scored_first=part.scored_first,
        point_found_by=part.point_found_by,
        point_is_steady=part.point_is_steady,
    )


def _quantity(part: QuantityPart) -> Quantity:
    """Diagnostics of one quantity; in earlier releases the level followed from the name."""
    number = part.name.removeprefix(OLD_INCLUSION)
    is_inclusion = part.name.startswith("inclusion")
    r_hat, ess_bulk = decode_number(part.r_hat), decode_number(part.ess_bulk)
    return Quantity(
        part.name,
        r_hat,
        ess_bulk,
        decode_number(part.ess_tail),
        level=part.level or ("inclusion" if is_inclusion else "list"),
        index=int(number) if part.level is None and number.isdecimal() else part.index,
        mean=decode_number(part.mean),
        mcse=decode_number(part.mcse),
        ess_replica=decode_number(part.ess_replica),
        r_hat_replica=decode_number(part.r_hat_replica),
        steady=part.steady if part.steady is not None else not (r_hat >= 1.05 or ess_bulk < 100),
    )


def _fit_report(part: TablePart, aliases: dict[str, tuple[str, ...]]) -> FitReport:
    return FitReport(
        columns=tuple(map(_column, part.columns)),
        n_rows=part.n_rows,
        n_rows_without_label=part.n_rows_without_label,
        aliases=aliases,
        notes=tuple(part.notes),
    )


def _column(part: ColumnPart) -> ColumnReport:
    """What fit made of a column; earlier releases kept values of what they left out."""
    column = ColumnReport(
        name=part.name,
        kind=Kind(part.kind),
        n_missing=part.n_missing,
        n_conditions=part.n_conditions,
        cuts=tuple(map(_plain, part.cuts)),
        levels=_categories(part.levels),
        grouped=_categories(part.grouped),
        excluded=part.excluded,
        n_levels=part.n_levels,
        holds=part.holds,
        date_order=part.date_order,
        range=None
        if part.range is None
        else TrainingRange(_plain(part.range.low), _plain(part.range.high), part.range.people),
    )
    if column.excluded is None:
        return column
    n_levels, holds = max(column.n_levels, len(column.levels)), column.levels_hold
    return replace(column.without_values(), n_levels=n_levels, holds=holds)
