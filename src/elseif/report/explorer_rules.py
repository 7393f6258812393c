"""Antecedents, conditions and prior, as data of the explorer page."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from elseif.antecedents.display_labels import DisplayLabels
from elseif.antecedents.pool import Pool
from elseif.conditions.condition import NUMERIC_OPERATORS, Condition
from elseif.model.prior import ListPrior
from elseif.posterior.draws import Posterior
from elseif.report.answer_cells import condition_values
from elseif.report.edited_list import antecedent_document
from elseif.report.names import shown, spelt_out
from elseif.showing.numbers import percent
from elseif.tables.times import as_date


def antecedent_data(
    posterior: Posterior, prior: ListPrior, positions: Sequence[int], is_exact: bool
) -> list[dict[str, Any]]:
    """Antecedents by their positions in the pool: text, conditions, weight, inclusion probability.

    If ``is_exact`` is false, inclusion probabilities are rounded to the nearest tenth.
    """
    pool, inclusion = posterior.pool, posterior.inclusion_probabilities
    display = posterior.metadata.display
    if not is_exact:
        inclusion = np.round(inclusion, 1)
    number = {condition: i for i, condition in enumerate(conditions_of(pool, positions))}
    return [
        {
            "item": item,
            **_texts(display.text(pool[a], shown), posterior.text(a)),
            "conditions": [number[c] for c in pool[a]],
            "cardinality": pool[a].cardinality,
            "weight": float(prior.weights[a]),
            "inclusion": float(inclusion[a]),
            "inclusionText": inclusion_text(float(inclusion[a]), is_exact),
            "steady": a not in posterior.unsteady,
            "document": antecedent_document(pool[a]),
        }
        for item, a in enumerate(positions)
    ]


def inclusion_text(share: float, is_exact: bool) -> str:
    """An inclusion probability; rounded to a tenth, 0 and 1 are approximate."""
    if is_exact:
        return percent(share)
    return "below 5%" if share == 0 else "over 95%" if share == 1 else percent(share)


def conditions_of(pool: Pool, positions: Sequence[int]) -> list[Condition]:
    """The distinct conditions of some antecedents, in order of appearance."""
    return list(dict.fromkeys(c for a in positions for c in pool[a]))


def condition_data(conditions: Sequence[Condition], display: DisplayLabels) -> list[dict[str, Any]]:
    """Conditions with their text, and their position among those that differ only in the threshold.

    ``family`` is None for conditions without a threshold.
    """
    families: dict[tuple[str, str], list[Condition]] = {}
    for condition in conditions:
        if condition.operator in NUMERIC_OPERATORS:
            families.setdefault((condition.column, condition.operator), []).append(condition)
    ranks = {
        condition: (number, rank)
        for number, members in enumerate(families.values())
        for rank, condition in enumerate(sorted(members, key=_threshold))
    }
    data = []
    for condition in conditions:
        family, rank = ranks.get(condition, (None, None))
        texts = _texts(display.condition(condition, shown), display.condition(condition))
        data.append({**texts, "family": family, "rank": rank})
    return data


def _texts(text: str, whole: str) -> dict[str, str | None]:
    """What is shown, and the same spelt out where that differs."""
    spelt = spelt_out(whole)
    return {"text": text, "spelt": None if spelt == text else spelt}


def _threshold(condition: Condition) -> tuple[Any, ...]:
    """What the conditions of a family are sorted by."""
    values = condition_values(condition)
    if condition.order is not None:
        return tuple(condition.order.index(value) for value in values)
    is_number = all(isinstance(value, (int, float, np.number)) for value in values)
    return tuple(float(v) for v in values) if is_number else tuple(as_date(v) for v in values)


def prior_data(prior: ListPrior) -> dict[str, Any]:
    """What the page needs to compute a prior: sums over the whole pool, by cardinality."""
    log_length = np.log(prior.expected_length)
    groups = []
    for c, log_mass in zip(prior.distinct_cardinalities, prior.log_mass, strict=True):
        same = prior.cardinalities == c
        group = {"cardinality": int(c), "n": int(same.sum()), "logMass": float(log_mass)}
        groups.append({**group, "weight": float(prior.weights[same].sum())})
    return {
        "logExpectedLength": float(log_length),
        "logNormaliser": -float(prior.log_length[0]),
        "cardinalities": groups,
    }
