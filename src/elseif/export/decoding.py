"""From the model file's document to a Model; nothing in it is run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from elseif.antecedents.antecedent import Antecedent
from elseif.antecedents.pool import Pool
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.conditions.fit_report import FitReport
from elseif.disclosure.rounding import Rounding
from elseif.export.document import (
    ColumnPart,
    ConditionPart,
    ConvergencePart,
    Document,
    PoolPart,
    PosteriorPart,
    RulePart,
    TablePart,
)
from elseif.export.json_values import decode, decode_labels, decode_number, hashable
from elseif.fitted_model import FittedModel
from elseif.posterior.draws import ChainDraws, Lists, Posterior
from elseif.posterior.rule_list import ModelMetadata, Rule, RuleList
from elseif.sampler.convergence import Convergence, Quantity
from elseif.tables.columns import Kind


def decode_model(document: Document) -> FittedModel:
    """The model of a document that has been checked."""
    orders = [_categories(order) for order in document.orders]
    metadata = _metadata(document)
    pool = _pool(document.pool, orders)
    posterior = document.posterior
    training = document.training
    return FittedModel(
        rule_list=_rule_list(document.rule_list, orders, metadata),
        map_rule_list=_rule_list(document.map_rule_list, orders, metadata),
        posterior=None if posterior is None else _posterior(posterior, pool, metadata),
        convergence=None if document.convergence is None else _convergence(document.convergence),
        fit_report=_fit_report(document.table, pool.aliases),
        settings={name: _plain(value) for name, value in document.settings.items()},
        training={
            "n": float(np.sum(training.label_counts)),
            "label_counts": list(training.label_counts),
            "fingerprint": training.fingerprint,
            "versions": dict(training.versions),
            "date": training.date,
        },
        feature_names=document.table.feature_names,
        n_features=document.table.n_features,
        pool=pool,
        edited=document.edited,
    )


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
    )


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
    return Posterior(pool, metadata, chains, lists)


def _joined(lists: Sequence[Sequence[int]]) -> tuple[np.ndarray, np.ndarray]:
    """Lists of small numbers as one array, and where each begins and the last ends."""
    ends = np.cumsum([0, *map(len, lists)]).astype(np.int64)
    return ends, np.fromiter(chain.from_iterable(lists), dtype=np.int32, count=int(ends[-1]))


def _convergence(part: ConvergencePart) -> Convergence:
    return Convergence(
        r_hat=decode_number(part.r_hat),
        status=part.status,
        quantities=tuple(
            Quantity(
                q.name,
                decode_number(q.r_hat),
                decode_number(q.ess_bulk),
                decode_number(q.ess_tail),
            )
            for q in part.quantities
        ),
        inclusion_r_hat=decode_number(part.inclusion_r_hat),
        inclusion_difference=decode_number(part.inclusion_difference),
        n_chains=part.n_chains,
        n_iter=part.n_iter,
        n_distinct=part.n_distinct,
        acceptance={name: decode_number(rate) for name, rate in part.acceptance.items()},
        swap_rates=tuple(decode_number(rate) for rate in part.exchange),
        independent=part.independent,
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
    )
    if column.excluded is None:
        return column
    n_levels, holds = max(column.n_levels, len(column.levels)), column.levels_hold
    return replace(column.without_values(), n_levels=n_levels, holds=holds)
