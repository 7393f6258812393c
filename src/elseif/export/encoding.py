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
from elseif.export.document import FORMAT, VERSION
from elseif.export.json_values import encode, encode_labels, encode_number
from elseif.fitted_model import FittedModel
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import ModelMetadata, RuleList
from elseif.sampler.convergence import Convergence


def encode_model(model: FittedModel, with_posterior: bool) -> dict[str, Any]:
    """The document of a model, without its checksum."""
    orders = _Orders()
    posterior = model.posterior if with_posterior else None
    rounding = model.metadata.rounding
    return {
        "format": FORMAT,
        "format_version": VERSION,
        "made_by": f"elseif {elseif.__version__}",
        "outcome": _outcome(model.metadata),
        **({} if model.edited is None else {"edited": model.edited}),
        "rule_list": _rules(model.rule_list, orders),
        "map_rule_list": _rules(model.map_rule_list, orders),
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
    }


def _cut(values: Sequence[Any], offsets: np.ndarray) -> list[Sequence[Any]]:
    bounds = offsets.tolist()
    return [values[a:b] for a, b in pairwise(bounds)]
