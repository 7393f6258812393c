"""From a Model to the model file's document."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from itertools import pairwise
from typing import Any

import numpy as np

import elseif
from elseif.antecedents.antecedent import Antecedent
from elseif.conditions.binarise import ColumnReport
from elseif.conditions.condition import Condition
from elseif.conditions.training_range import TrainingRange
from elseif.export.document import FORMAT, VERSION
from elseif.export.json_values import encode, encode_labels, encode_number
from elseif.fitted_model import FittedModel
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import ModelMetadata, RuleList
from elseif.projection.path import PathScores
from elseif.sampler.convergence import Convergence
from elseif.sampler.exact_posterior import ExactPosterior


def encode_model(model: FittedModel, with_posterior: bool) -> dict[str, Any]:
    """The document of a model, without its checksum."""
    orders = _Orders()
    posterior = model.posterior if with_posterior else None
    rounding, reading = model.metadata.rounding, model.training.get("reading")
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "made_by": f"elseif {elseif.__version__}",
        "outcome": _outcome(model.metadata),
        **({} if model.edited is None else {"edited": model.edited}),
        **(
            {"labels": _without_empty(asdict(model.metadata.display))}
            if model.metadata.display
            else {}
        ),
        **({} if model.learnt is None else {"learnt": dict(model.learnt)}),
        **({} if model.cohort is None else {"cohort": dict(model.cohort)}),
        **({} if model.recalibrated is None else {"recalibrated": dict(model.recalibrated)}),
        **({} if model.federation is None else {"federation": dict(model.federation)}),
        "rule_list": _rules(model.rule_list, orders),
        "map_rule_list": _rules(model.map_rule_list, orders),
        **_projection(model, orders),
        "table": {
            "n_features": model.n_features,
            "feature_names": model.feature_names,
            "n_rows": model.fit_report.n_rows,
            "n_rows_without_label": model.fit_report.n_rows_without_label,
            "columns": [_column(column) for column in model.fit_report.columns],
            "notes": list(model.fit_report.notes),
        },
        "training": {
            **({} if rounding is None else {"rounding": asdict(rounding)}),
            "label_counts": [float(n) for n in model.training["label_counts"]],
            "count_unit": float(model.metadata.count_unit),
            "fingerprint": model.training["fingerprint"],
            **({"reading": reading} if reading else {}),
            "versions": dict(model.training["versions"]),
            "date": model.training["date"],
        },
        "settings": {name: encode(value) for name, value in model.settings.items()},
        "convergence": None if model.convergence is None else _convergence(model.convergence),
        "pool": {
            "conditions": [orders.encode(c) for c in model.pool.conditions],
            "antecedents": _cut(model.pool.condition_ids.tolist(), model.pool.offsets),
            "supports": model.pool.supports.tolist() if rounding is None else None,
            "aliases": {name: list(twins) for name, twins in model.pool.aliases.items()},
        },
        "posterior": None if posterior is None else _posterior(posterior),
        "orders": orders.table,
    }


class _Orders:
    """Orders of categories, each written once: conditions on a column share theirs."""

    def __init__(self) -> None:
        self.table: list[list[Any]] = []
        self._by_object: dict[int, tuple[tuple[Any, ...], int]] = {}
        self._by_content: dict[Any, int] = {}

    def encode(self, condition: Condition) -> dict[str, Any]:
        return {
            "column": condition.column,
            "operator": condition.operator,
            "value": encode(condition.value),
            "order": None if condition.order is None else self._place(condition.order),
        }

    def _place(self, order: tuple[Any, ...]) -> int:
        if id(order) not in self._by_object:
            written = [encode(category) for category in order]
            content = tuple((type(category), category) for category in written)
            if content not in self._by_content:
                self._by_content[content] = len(self.table)
                self.table.append(written)
            # the order itself is kept, so that no other can have its id
            self._by_object[id(order)] = (order, self._by_content[content])
        return self._by_object[id(order)][1]


def _without_empty(labels: dict[str, Any]) -> dict[str, Any]:
    """Display labels without empty entries."""
    parts = {k: _without_empty(v) if isinstance(v, dict) else v for k, v in labels.items()}
    return {key: value for key, value in parts.items() if value not in (None, {})}


def _outcome(metadata: ModelMetadata) -> dict[str, Any]:
    label_type, labels = encode_labels(metadata.classes)
    return {
        "name": metadata.outcome,
        "label_type": label_type,
        "labels": labels,
        "pseudocounts": metadata.pseudocounts.tolist(),
    }


def _rules(rule_list: RuleList, orders: _Orders) -> list[dict[str, Any]]:
    return [
        {
            "conditions": _conditions(rule.antecedent, orders),
            "label_counts": [float(n) for n in rule.label_counts],
            "probabilities": rule.probabilities.tolist(),
        }
        for rule in rule_list.rules
    ]


def _projection(model: FittedModel, orders: _Orders) -> dict[str, Any]:
    """The projected list and its path, if there are any."""
    if model.projected_rule_list is None:
        return {}
    path = model.projection_path
    parts = {
        "rule_list": _rules(model.projected_rule_list, orders),
        "path": None
        if path is None
        else {
            "lists": [_rules(each, orders) for each in path.lists],
            "distances": path.distances.tolist(),
            "point_distance": encode_number(path.point_distance),
            "scores": None if path.scores is None else _path_scores(path.scores),
        },
    }
    return {"projection": parts}


def _path_scores(scores: PathScores) -> dict[str, Any]:
    return {
        name: [encode_number(v) for v in value.tolist()]
        if isinstance(value, np.ndarray)
        else value
        if isinstance(value, int)
        else encode_number(value)
        for name, value in asdict(scores).items()
    }


def _conditions(antecedent: Antecedent, orders: _Orders) -> list[dict[str, Any]]:
    return [orders.encode(condition) for condition in antecedent]


def _column(report: ColumnReport) -> dict[str, Any]:
    return {
        "name": report.name,
        "kind": report.kind.value,
        "n_missing": None if report.n_missing is None else int(report.n_missing),
        "n_conditions": int(report.n_conditions),
        "cuts": _scalars(report.cuts),
        "levels": _scalars(report.levels),
        "grouped": _scalars(report.grouped),
        "excluded": report.excluded,
        "n_levels": int(report.n_levels),
        "holds": report.holds,
        **({} if report.range is None else {"range": _range(report.range)}),
        **({} if report.date_order is None else {"date_order": report.date_order}),
    }


def _range(training_range: TrainingRange) -> dict[str, Any]:
    return {
        "low": encode(training_range.low),
        "high": encode(training_range.high),
        "people": training_range.people,
    }


def _scalars(values: Iterable[Any]) -> list[Any]:
    return [encode(value) for value in values]


def _convergence(convergence: Convergence) -> dict[str, Any]:
    return {
        "r_hat": encode_number(convergence.r_hat),
        "status": convergence.status,
        "quantities": [
            {
                "name": q.name,
                "r_hat": encode_number(q.r_hat),
                "ess_bulk": encode_number(q.ess_bulk),
                "ess_tail": encode_number(q.ess_tail),
                "level": q.level,
                "index": int(q.index),
                "mean": encode_number(q.mean),
                "mcse": encode_number(q.mcse),
                "ess_replica": encode_number(q.ess_replica),
                "r_hat_replica": encode_number(q.r_hat_replica),
                "steady": q.steady,
            }
            for q in convergence.quantities
        ],
        "inclusion_r_hat": encode_number(convergence.inclusion_r_hat),
        "inclusion_difference": encode_number(convergence.inclusion_difference),
        "n_chains": int(convergence.n_chains),
        "n_iter": int(convergence.n_iter),
        "n_distinct": int(convergence.n_distinct),
        "acceptance": {name: encode_number(rate) for name, rate in convergence.acceptance.items()},
        "exchange": [encode_number(rate) for rate in convergence.swap_rates],
        "independent": convergence.independent,
        "share_deviation": [encode_number(value) for value in convergence.share_deviation],
        "restricted_deviation": [
            encode_number(value) for value in convergence.restricted_deviation
        ],
        "ended_by": convergence.ended_by,
        "scored_first": convergence.scored_first,
        "point_found_by": convergence.point_found_by,
        "point_is_steady": convergence.point_is_steady,
    }


def _posterior(posterior: Posterior) -> dict[str, Any]:
    lists = posterior.distinct
    return {
        "lists": _cut(lists.items.tolist(), lists.offsets),
        "label_counts": _cut(
            lists.label_counts.tolist(), lists.offsets + np.arange(len(lists.offsets))
        ),
        "log_posterior": lists.log_posterior.tolist(),
        "chains": [
            {"n_draws": chain.n_draws.tolist(), "lists": chain.distinct.tolist()}
            for chain in posterior.chains
        ],
        **({} if posterior.exact is None else {"exact": _exact(posterior.exact)}),
    }


def _exact(exact: ExactPosterior) -> dict[str, Any]:
    summaries, prior = exact.summaries, exact.prior
    return {
        "log_evidence": summaries.log_evidence,
        "length_probabilities": summaries.length_probabilities.tolist(),
        "inclusion": summaries.inclusion.tolist(),
        "mean_average_cardinality": encode_number(summaries.mean_average_cardinality),
        "map_list": exact.map_place,
        "point_list": exact.point_place,
        "point_note": exact.point_note,
        "expected_length": prior.expected_length,
        "expected_cardinality": prior.expected_cardinality,
        "weights": [float(weight) for weight in prior.weights],
        "patterns": exact.patterns.patterns.tolist(),
        "pattern_counts": exact.patterns.label_counts.tolist(),
    }


def _cut(values: Sequence[Any], offsets: np.ndarray) -> list[Sequence[Any]]:
    bounds = offsets.tolist()
    return [values[a:b] for a, b in pairwise(bounds)]
