"""The path of projected lists, as data of the explorer page."""

from __future__ import annotations

from typing import Any

import numpy as np

from elseif.report.exploration import Exploration
from elseif.report.patterns import area_under_curve
from elseif.report.plain_data import plain
from elseif.report.projection_summary import WHAT_FOR
from elseif.showing.path_text import path_lines


def path_data(explored: Exploration) -> dict[str, Any] | None:
    """The projected list of each length, with its distance and scores; None without a path."""
    path = explored.path
    if path is None:
        return None
    pool, chosen = explored.posterior.pool, explored.chosen
    item = {pool[a]: i for i, a in enumerate([*chosen.antecedents, *chosen.more])}
    metadata, scores = explored.metadata, path.scores
    lists = []
    for m, (rule_list, distance) in enumerate(zip(path.lists, path.distances, strict=True)):
        if not all(antecedent in item for antecedent in rule_list.antecedents):
            continue  # of a pool larger than the page
        counts = np.array([rule.label_counts for rule in rule_list])
        entry = {
            "most": m,
            "items": [item[antecedent] for antecedent in rule_list.antecedents],
            "counts": np.rint(counts / metadata.count_unit).astype(int).tolist(),
            "trainingAuc": area_under_curve(counts, metadata.pseudocounts),
            "distance": float(distance),
        }
        if scores is not None:
            entry["logLoss"], entry["auc"] = float(scores.log_loss[m]), float(scores.auc[m])
        lists.append(entry)
    point = {"distance": path.point_distance}
    posterior = {"distance": 0.0}
    if scores is not None:
        point |= {"logLoss": scores.point_log_loss, "auc": scores.point_auc}
        posterior |= {"logLoss": scores.posterior_log_loss, "auc": scores.posterior_auc}
    data: dict[str, Any] = plain(
        {
            "words": [WHAT_FOR, *path_lines(path)],
            "lists": lists,
            "point": point,
            "posterior": posterior,
            "isScored": scores is not None,
            "suggested": path.suggested,
            "chosen": path.chosen,
        }
    )
    return data
