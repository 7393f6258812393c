"""From a pool and the labels of its observations to the fitted model."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from elseif.antecedents.named_levels import only_named_levels
from elseif.bits.packing import BitLayout
from elseif.conditions.binarise import Binarised
from elseif.conditions.fit_report import FitReport, in_the_end
from elseif.fitted_model import FittedModel
from elseif.list_prior import list_prior, warn_of_long_prior
from elseif.model.prior import ListPrior
from elseif.model.problem import Problem
from elseif.parameters import without_learn
from elseif.posterior.rule_list import ModelMetadata
from elseif.showing.thin_lines import thin_lines_notes
from elseif.tables.labels import Labels
from elseif.training_record import training_record

if TYPE_CHECKING:
    from elseif.antecedents.mining import Mined
    from elseif.sampler.checkpoints import Checkpoints
    from elseif.sampling_mixin import Drawn


@dataclass(frozen=True, eq=False)
class Observed:
    """Labelled observations, and what a model keeps of the table that they come from."""

    names: Sequence[str]  # of the columns
    named: bool  # whether the table has names, or only places
    n_rows: int
    labels: Labels
    layout: BitLayout
    pseudocounts: np.ndarray
    outcome: str | None
    fingerprint: str | None
    cohort: Mapping[str, Any] | None = None
    federation: Mapping[str, Any] | None = None


class FittedPool(NamedTuple):
    """A fitted model, and its chains, which can be continued."""

    model: FittedModel
    drawn: Drawn
    problem: Problem
    kept: Checkpoints | None  # checkpoints of the fit


def fit_pool(
    classifier: Any,
    settings: dict[str, Any],
    observed: Observed,
    binarised: Binarised,
    mined: Mined,
    notes: Sequence[str | None] = (),
) -> FittedPool:
    """Learn the posterior over the lists of a pool.

    The classifier has the settings of the sampler, and is not changed. ``notes`` come after those
    of the fit itself in the fit report.
    """
    labels = observed.labels
    columns, conditions = only_named_levels(binarised, mined.pool.conditions)
    mined = replace(mined, pool=replace(mined.pool, conditions=conditions))
    known, to_learn = without_learn(settings)
    prior = list_prior(known, mined.pool, observed.names)
    warn_of_long_prior(classifier.expected_length, mined.pool)
    problem = _problem(mined, observed.pseudocounts, prior)
    classifier._check_projection(problem)
    kinds = {column.name: column.kind for column in binarised.columns}
    data = observed.fingerprint or _digest(problem)
    with classifier._checkpointing(data, settings) as (seed, kept):
        learnt = classifier._learn(problem, to_learn, seed, kept)
        problem = learnt.problem
        metadata = ModelMetadata(
            labels.classes, problem.pseudocounts, kinds, labels.unit, observed.outcome
        )
        drawn = classifier._sample(problem, mined.pool, metadata, seed, kept)
    path = classifier._projected(problem, drawn.posterior, drawn.rule_list)
    projected = None if path is None else path.lists[-1]
    all_notes = (
        drawn.point_note,
        *thin_lines_notes(drawn.rule_list, projected),
        learnt.note,
        *mined.left_out.notes,
        *notes,
    )
    model = FittedModel(
        rule_list=drawn.rule_list,
        map_rule_list=drawn.map_rule_list,
        posterior=drawn.posterior,
        convergence=drawn.convergence,
        fit_report=FitReport(
            columns=tuple(in_the_end(columns, conditions, mined.left_out.reasons)),
            n_rows=observed.n_rows,
            n_rows_without_label=labels.n_dropped,
            aliases=mined.pool.aliases,
            near_equivalents=mined.left_out.near_equivalents,
            notes=tuple(filter(None, all_notes)),
        ),
        settings=settings,
        training=training_record(drawn.rule_list, observed.fingerprint),
        feature_names=list(observed.names) if observed.named else None,
        n_features=len(observed.names),
        pool=mined.pool,
        learnt=learnt.values or None,
        cohort=None if observed.cohort is None else dict(observed.cohort),
        federation=None if observed.federation is None else dict(observed.federation),
        projection_path=path,
        projected_rule_list=projected,
    )
    return FittedPool(model, drawn, problem, kept)


def _problem(mined: Mined, pseudocounts: np.ndarray, prior: ListPrior) -> Problem:
    """What the posterior over the lists of a pool depends on."""
    problem = Problem(mined.covers, mined.layout, pseudocounts, prior, mined.condition_ids)
    if mined.shards is None:
        return problem
    small = None if mined.local_covers is None else replace(problem, covers=mined.local_covers[0])
    return replace(problem, shards=mined.shards, small=small)


def _digest(problem: Problem) -> str:
    """A digest that identifies the checkpoints of a problem without rows."""
    digest = hashlib.sha256()
    layout = problem.layout
    for array in (problem.covers, layout.section_labels, layout.section_weights):
        digest.update(np.ascontiguousarray(array).tobytes())
    digest.update(np.ascontiguousarray(layout.everyone()).tobytes())
    return digest.hexdigest()
