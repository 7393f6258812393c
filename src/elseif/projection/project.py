"""From a problem and its posterior to the path of projected lists."""

from __future__ import annotations

import math

import numpy as np

from elseif.antecedents.pool import Pool
from elseif.bits.merging import merge_observations
from elseif.bits.packed_mask import pack_mask, stack_words
from elseif.bits.packing import make_layout
from elseif.editing.draft import Draft
from elseif.model.problem import Problem
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList, make_rule_list
from elseif.projection.path import ProjectionPath
from elseif.projection.search import Search, beginnings_of_drawn, nearest_lists
from elseif.projection.target import Target, make_target


def project_problem(
    problem: Problem, posterior: Posterior, point: RuleList, max_length: int
) -> ProjectionPath:
    """The path of the lists closest to the posterior, with at most 0 to ``max_length`` rules."""
    pool, metadata = posterior.pool, posterior.metadata
    if not len(pool):
        return ProjectionPath([point] * (max_length + 1), [0.0] * (max_length + 1), 0.0)
    target = make_target(problem, posterior)
    starts = beginnings_of_drawn(target, posterior, max_length)
    search = Search(target)
    lists, distances, nearest = [], [], math.inf
    for candidate in nearest_lists(target, starts, max_length):
        if candidate.loss < nearest - search.tie:  # of equal ones the shortest
            nearest = candidate.loss
            antecedents = [pool[int(target.candidates[a])] for a in candidate.rules]
            best = make_rule_list(antecedents, search.label_counts(candidate.rules), metadata)
        lists.append(best)
        distances.append(target.distance(nearest))
    missing = max_length + 1 - len(lists)  # longer than the pool
    lists += lists[-1:] * missing
    distances += distances[-1:] * missing
    return ProjectionPath(lists, distances, _distance_of(point, target, pool))


def _distance_of(rule_list: RuleList, target: Target, pool: Pool) -> float:
    """How far a list is from the posterior; NaN if it is not made of candidates."""
    index_of = {pool[int(a)]: i for i, a in enumerate(target.candidates)}
    if not all(antecedent in index_of for antecedent in rule_list.antecedents):
        return float(np.nan)
    rules = tuple(index_of[antecedent] for antecedent in rule_list.antecedents)
    return target.distance(Search(target).loss_of(rules))


def problem_of_draft(draft: Draft) -> Problem:
    """The problem that a list was learnt from, out of the training data of a draft."""
    context, metadata = draft.context, draft.context.metadata
    layout = make_layout(
        context.labels.codes, len(metadata.classes), context.labels.weights, metadata.count_unit
    )
    pool = context.pool
    columns = (
        context.table.column(c.column, metadata.kinds.get(c.column)) for c in pool.conditions
    )
    masks = [
        pack_mask(condition.mask(column), layout)
        for condition, column in zip(pool.conditions, columns, strict=True)
    ]
    covers = stack_words(masks, layout)
    covers, layout = merge_observations(covers, layout) or (covers, layout)
    return Problem(covers, layout, metadata.pseudocounts, context.model.prior, pool.members)
