"""The explorer's data: lists, rules, counts to edit with, and the path of projected lists."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elseif.disclosure.published_cells import Cells
from elseif.model.consequent import consequent_interval
from elseif.report.decades import decade, in_decades
from elseif.report.exploration import MOST_FILTERS, Chosen, Exploration
from elseif.report.explorer_calculator import MOST_CONDITIONS, calculator_of_conditions
from elseif.report.explorer_path import path_data
from elseif.report.explorer_rules import (
    antecedent_data,
    condition_data,
    conditions_of,
    prior_data,
)
from elseif.report.names import shown, spelt_out
from elseif.report.patterns import aggregate, area_under_curve, lines_of, list_counts
from elseif.showing.numbers import percent
from elseif.showing.probability_axis import probability_end

LEVEL = 0.95
NEEDS_GROUPS = (
    "Editing is off: it needs the number of people in every group that the rules distinguish"
)
NO_EDITING = {
    "patterns": None,
    "refusal": f"{NEEDS_GROUPS}, which a page with a minimum cell does not contain. Edit on a page "
    "made without one, where the training data are kept.",
}


def explorer_data(
    explored: Exploration, cells: Cells | None = None, held_out: Cells | None = None
) -> dict[str, Any]:
    """The data of the page; with cells, from counts as these show them."""
    if cells is not None:
        explored = replace(explored, chosen=_in_no_order(explored))
    chosen, cases = explored.chosen, explored.cases
    posterior, metadata = explored.posterior, explored.metadata
    lists = _exact_lists(explored) if cells is None else _coarse_lists(explored, cells, held_out)
    share = float(posterior.list_probabilities[chosen.lists].sum())
    if cells is None or cells.rounding is None:
        n_cases, rounding = float(cases.weights[cases.used].sum() * explored.unit), None
    else:
        share, rounding = round(share, 1), cells.rounding
        n_cases = float(cells.by_label(np.ones(len(cells.codes), dtype=bool)).sum())
    unit = explored.unit if rounding is None else 1.0
    point = next(i for i, entry in enumerate(lists) if entry["isPoint"])
    for entry in lists:
        del entry["isPoint"]
    positions = [*chosen.antecedents, *(chosen.more if rounding is None else ())]
    conditions = conditions_of(posterior.pool, positions)
    return {
        "labels": [{"shown": shown(n), "full": spelt_out(n)} for n in metadata.label_names],
        "places": [1] if len(metadata.classes) == 2 else list(range(len(metadata.classes))),
        "pseudocounts": metadata.pseudocounts.astype(float).tolist(),
        "unit": unit,
        "level": LEVEL,
        "prior": prior_data(explored.prior),
        "conditions": condition_data(conditions, metadata.display),
        "antecedents": antecedent_data(posterior, explored.prior, positions, rounding is None),
        "nFilters": min(len(chosen.antecedents), MOST_FILTERS),
        "nPool": len(posterior.pool) if rounding is None else None,
        "lists": lists,
        "end": _bars_end(lists, point, metadata.pseudocounts, unit),
        "point": point,
        "share": share,
        "shareText": percent(share) if rounding is None else f"about {percent(share)}",
        "nCases": n_cases,
        "roundedTo": None if rounding is None else rounding.step,
        "calculator": calculator_of_conditions(explored.model, conditions, rounding),
        "nCalculator": min(len(conditions), MOST_CONDITIONS),
        "path": path_data(explored) if rounding is None else None,
        **(_pattern_data(explored) if rounding is None else NO_EDITING),
    }


def _in_no_order(explored: Exploration) -> Chosen:
    """The same with antecedents by rounded inclusion and name: their order reveals nothing else."""
    posterior, chosen = explored.posterior, explored.chosen
    inclusion, names = np.round(posterior.inclusion_probabilities, 1), posterior.pool.names
    return replace(
        chosen, antecedents=sorted(chosen.antecedents, key=lambda a: (-inclusion[a], names[a]))
    )


def _exact_lists(explored: Exploration) -> list[dict[str, Any]]:
    """The lists, best first, with all that is known of them."""
    posterior, chosen = explored.posterior, explored.chosen
    metadata, held_out = explored.metadata, explored.held_out
    truths = None if held_out is None else explored.truths(held_out)
    lists = []
    for i, position in enumerate(chosen.lists):
        items = chosen.items(posterior, position)
        counts = posterior.distinct.counts(position)
        share = float(posterior.list_probabilities[position])
        auc = _Areas(counts * metadata.count_unit, metadata.pseudocounts)
        seen = None
        if truths is not None and held_out is not None:
            seen = list_counts(items, truths, held_out)
        lists.append(
            {
                "items": items,
                "logPosterior": float(posterior.distinct.log_posterior[position]),
                "share": share,
                "shareText": percent(share, 1),
                "counts": counts.tolist(),
                "auc": auc.of_training,
                "holdoutAuc": auc.of(seen),
                "isPoint": i == chosen.point,
            }
        )
    return lists


def _coarse_lists(
    explored: Exploration, cells: Cells, held_out: Cells | None
) -> list[dict[str, Any]]:
    """The lists in an order that reveals nothing, with rounded counts and what they imply."""
    posterior, chosen = explored.posterior, explored.chosen
    truths = explored.truths(explored.cases)[:, explored.cases.used]
    seen = None
    if explored.held_out is not None:
        seen = explored.truths(explored.held_out)[:, explored.held_out.used]
    lists = []
    for position in in_decades(posterior, chosen.lists):
        items = chosen.items(posterior, position)
        counts = _shown_counts(items, truths, cells)
        auc = _Areas(counts, explored.metadata.pseudocounts)
        share = decade(float(posterior.list_probabilities[position]))
        seen_counts = None
        if seen is not None and held_out is not None:
            seen_counts = _shown_counts(items, seen, held_out)
        lists.append(
            {
                "items": items,
                "logPosterior": None,
                "share": share.middle,
                "shareText": share.text,
                "counts": counts.astype(int).tolist(),
                "auc": auc.of_training,
                "holdoutAuc": auc.of(seen_counts),
                "isPoint": position == chosen.lists[chosen.point],
            }
        )
    return lists


def _bars_end(
    lists: Sequence[dict[str, Any]], point: int, pseudocounts: np.ndarray, unit: float
) -> float:
    """Where bars of probabilities end: far enough for the point estimate and nine draws of ten.

    A line that few people reach has an interval that would make all other bars slivers.
    """
    labels = [1] if len(pseudocounts) == 2 else range(len(pseudocounts))
    highest: dict[tuple[float, ...], float] = {}  # of a line, by its counts
    ends = []
    for entry in lists:
        for counts in map(tuple, entry["counts"]):
            if counts not in highest:
                alike = np.array(counts) * unit, pseudocounts
                highest[counts] = max(consequent_interval(*alike, k, LEVEL)[1] for k in labels)
        end = probability_end(max(highest[tuple(counts)] for counts in entry["counts"]))
        ends.append((end, entry["share"]))
    ends_in_order = sorted(ends)
    reached = np.cumsum([share for _, share in ends_in_order])
    far = int(np.searchsorted(reached, 0.9 * reached[-1]))
    return max(ends_in_order[far][0], ends[point][0])


def _shown_counts(items: Sequence[int], truths: np.ndarray, cells: Cells) -> np.ndarray:
    """The counts of a list's lines as cells show them."""
    lines = lines_of(items, truths)
    parts = [lines == j for j in range(len(items) + 1)]
    cells.parted(parts)
    return np.array([cells.by_label(part) for part in parts])


@dataclass(frozen=True, eq=False)
class _Areas:
    """AUC of a list, on its training counts and on others."""

    counts: np.ndarray
    pseudocounts: np.ndarray

    @property
    def of_training(self) -> float | None:
        return area_under_curve(self.counts, self.pseudocounts)

    def of(self, counts: np.ndarray | None) -> float | None:
        """On other people's counts, where there are any."""
        if counts is None:
            return None
        return area_under_curve(self.counts, self.pseudocounts, counts)


def _pattern_data(explored: Exploration) -> dict[str, Any]:
    """Counts for editing, or why there are none."""
    if not explored.chosen.antecedents:
        return {"patterns": None, "refusal": "Editing is off: there is no rule to choose from."}
    chosen, pool = explored.chosen, explored.posterior.pool
    antecedents = [pool[a] for a in [*chosen.antecedents, *chosen.more]]
    patterns = aggregate(antecedents, explored.cases, explored.metadata.kinds, chosen.n_needed)
    if patterns is None:
        why = f"{NEEDS_GROUPS}, and there are too many to hold here."
        return {"patterns": None, "refusal": why}
    sizes = patterns.counts.sum(axis=1) * explored.unit
    encoded = {
        "nAntecedents": patterns.n_antecedents,
        "bits": [base64.b64encode(row.tobytes()).decode("ascii") for row in patterns.bits],
        "counts": patterns.counts.tolist(),
        "smallest": float(sizes.min()),
        "nSmallest": int((sizes == sizes.min()).sum()),
    }
    return {"patterns": encoded, "refusal": None}
