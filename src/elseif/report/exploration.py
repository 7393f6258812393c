"""The content of an explorer: lists chosen from the posterior, and the people counted in them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from elseif.checks import check_count
from elseif.disclosure.published_cells import Cells
from elseif.disclosure.rounding import Rounding
from elseif.errors import ParamError
from elseif.fitted_model import FittedModel, as_model
from elseif.model.prior import ListPrior
from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import point_estimate
from elseif.posterior.rule_list import ModelMetadata
from elseif.projection.path import ProjectionPath
from elseif.report.patterns import Cases, antecedent_truths, list_counts

MOST_FILTERS = 24  # antecedents to filter by, the likeliest
MOST_ANTECEDENTS = 5_000  # to insert: about a megabyte and a half


def explore(
    model: Any,
    X: Any,
    y: Any,
    n_lists: int = 200,
    sample_weight: Any = None,
    holdout: tuple[Any, Any] | None = None,
) -> Exploration:
    """Choose the lists to show, and read the people that they are counted on."""
    check_count("n_lists", n_lists)
    model = as_model(model)
    if model.posterior is None:
        raise ParamError(
            "The explorer needs a posterior, and this model was saved without one: fit it again, "
            "or save the model with its lists."
        )
    cases = _cases(model, X, y, sample_weight)
    chosen = _choose(model, model.posterior, n_lists)
    held_out = None if holdout is None else _cases(model, *holdout, None)
    explored = Exploration(model, model.posterior, chosen, cases, held_out)
    _check_training_data(explored)
    return explored


@dataclass(frozen=True, eq=False)
class Chosen:
    """Lists to show, best first, and the antecedents they use, the likeliest first."""

    lists: list[int]  # places in the posterior's distinct lists
    antecedents: list[int]  # places in the pool
    more: list[int]  # others of the pool, that no list shown uses
    n_needed: int  # this many, the first ones, make up the point estimate and the MAP list
    point: int  # place in lists

    def items(self, posterior: Posterior, position: int) -> list[int]:
        """A list as places in antecedents."""
        return [self._where[a] for a in posterior.distinct.antecedent_list(position)]

    @cached_property
    def _where(self) -> dict[int, int]:
        return {a: i for i, a in enumerate(self.antecedents)}


@dataclass(frozen=True, eq=False)
class Exploration:
    """Lists to show, and the people to count in their lines."""

    model: FittedModel
    posterior: Posterior
    chosen: Chosen
    cases: Cases
    held_out: Cases | None

    @property
    def prior(self) -> ListPrior:
        return self.model.prior

    @property
    def path(self) -> ProjectionPath | None:
        """The projected lists, which reveal exact counts."""
        return self.model.projection_path

    @property
    def metadata(self) -> ModelMetadata:
        return self.posterior.metadata

    @property
    def unit(self) -> float:
        """What a weight of 1 stands for."""
        return float(self.metadata.count_unit)

    def truths(self, cases: Cases, n: int | None = None) -> np.ndarray:
        """Whether each of the first antecedents, or of all, is true of each row."""
        antecedents = [self.posterior.pool[a] for a in self.chosen.antecedents[:n]]
        return antecedent_truths(antecedents, cases.table, self.metadata.kinds)

    def held_out_cells(self, rounding: Rounding) -> Cells | None:
        """How counts of held-out people are shown; each counts once."""
        return None if self.held_out is None else self.held_out.cells(rounding, 1.0)


def _cases(model: FittedModel, X: Any, y: Any, sample_weight: Any) -> Cases:
    table = model.read_training(X)
    labels = model.read_labels(y, sample_weight, table)
    known = model.metadata.classes.tolist()
    unknown = [c for c in labels.classes.tolist() if c not in known]
    if unknown:
        raise ParamError(f"y has the label {unknown[0]!r}, which the model does not know.")
    position = np.array([known.index(c) for c in labels.classes.tolist()] + [-1])
    return Cases(table, position[labels.codes], labels.weights, len(known))


def _choose(model: FittedModel, posterior: Posterior, n_lists: int) -> Chosen:
    best = posterior.best_first[:n_lists].tolist()
    point, _ = point_estimate(posterior)
    if point not in best:
        best.append(point)
    used = {a for i in best for a in posterior.distinct.antecedent_list(i)}
    needed = dict.fromkeys(
        [*posterior.distinct.antecedent_list(point), *posterior.distinct.antecedent_list(best[0])]
    )
    likeliest = np.argsort(-posterior.inclusion_probabilities, kind="stable").tolist()
    # antecedents to filter by come before those that only a remote list has
    ordered = dict.fromkeys([*needed, *likeliest[:MOST_FILTERS]])
    shown = list(dict.fromkeys([*ordered, *(a for a in likeliest if a in used)]))
    rest = dict.fromkeys([*_of_path(model, posterior), *likeliest])
    known = set(shown)
    more = [a for a in rest if a not in known][: max(0, MOST_ANTECEDENTS - len(shown))]
    return Chosen(best, shown, more, len(needed), best.index(point))


def _of_path(model: FittedModel, posterior: Posterior) -> list[int]:
    """The antecedents of the projected lists, as places in the pool."""
    path = model.projection_path
    if path is None:
        return []
    positions = {antecedent: a for a, antecedent in enumerate(posterior.pool.antecedents)}
    return [positions[x] for each in path.lists for x in each.antecedents if x in positions]


def _check_training_data(explored: Exploration) -> None:
    """Raise unless the data give the point estimate the counts that it was found with."""
    posterior, chosen, cases = explored.posterior, explored.chosen, explored.cases
    position = chosen.lists[chosen.point]
    items = chosen.items(posterior, position)
    counts = list_counts(items, explored.truths(cases, chosen.n_needed), cases)
    expected = posterior.distinct.counts(position)
    if not np.array_equal(counts, expected):
        raise ParamError(
            "X and y are not the data that the model was fitted to: the rules of the point "
            f"estimate capture {counts.sum(axis=1).tolist()} cases, and captured "
            f"{expected.sum(axis=1).tolist()} in fit. Give the training data, and sample_weight "
            "if there was one."
        )
