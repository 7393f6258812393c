"""The explorer: the posterior's good lists as a landscape, and editing with a price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from elseif import __version__
from elseif.antecedents.own_antecedents import read_weights
from elseif.checks import check_count
from elseif.conditions.matching import match_columns
from elseif.disclosure.cells import Cells
from elseif.disclosure.holding import hold
from elseif.disclosure.rounding import Rounding, check_min_cell
from elseif.errors import ParamError
from elseif.model.prior import ListPrior
from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import point_estimate
from elseif.posterior.rule_list import ModelMetadata
from elseif.report.calculator import condition_text
from elseif.report.decades import decade, in_decades
from elseif.report.edited_list import antecedent_document, edited_list
from elseif.report.names import shown, spelt_out
from elseif.report.page import render_page
from elseif.report.patterns import (
    MOST_ANTECEDENTS,
    Cases,
    aggregate,
    antecedent_truths,
    area_under_curve,
    lines_of,
    list_counts,
)
from elseif.tables.labels import category_order, label_array, read_labels
from elseif.tables.reading import read_table

__all__ = ["explorer_page", "edited_list"]

LEVEL = 0.95
NEEDS_GROUPS = (
    "Editing is off: it needs the number of people in every group that the rules tell apart"
)
NO_EDITING = {
    "patterns": None,
    "refusal": f"{NEEDS_GROUPS}, and under a minimum cell these are not told. Edit a page that is "
    "made without one, where the training data are.",
}


def explorer_page(
    model: Any,
    X: Any,
    y: Any,
    n_lists: int = 200,
    min_cell: int | None = None,
    sample_weight: Any = None,
    holdout: tuple[Any, Any] | None = None,
    title: str | None = None,
) -> str:
    """One self-contained HTML page to explore a posterior and to edit lists.

    Parameters
    ----------
    model : BayesianRuleListClassifier or Model
        A fitted classifier, or a model saved with its posterior.
    X, y : table and labels
        The training data, of which the page holds counts alone.
    n_lists : int
        How many lists the page shows, the most probable ones.
    min_cell : int or None
        Round every number of people to multiples of this. Log posteriors and editing, which
        would tell counts, are then left out.
    sample_weight : array or None
        The weights of fit.
    holdout : tuple or None
        Another (X, y) to measure AUC on.
    title : str or None
        Title of the page.

    Returns
    -------
    str
        The page.
    """
    smallest = check_min_cell(min_cell)
    explored = explore(model, X, y, n_lists, sample_weight, holdout)
    if smallest is None:
        return explorer_html(explored, explorer_data(explored), title)

    def attempt(rounding: Rounding) -> tuple[dict[str, Any], list[Cells]]:
        cells = explored.cases.cells(rounding, explored.unit)
        held_out = explored.held_out_cells(rounding)
        data = explorer_data(explored, cells, held_out)
        return data, [cells] if held_out is None else [cells, held_out]

    return explorer_html(explored, hold(smallest, attempt), title)


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
    source = _source(model)
    cases = _cases(source, X, y, sample_weight)
    chosen = _choose(source.posterior, n_lists)
    _check_training_data(source, chosen, cases)
    held_out = None if holdout is None else _cases(source, *holdout, None)
    return Exploration(source, chosen, cases, held_out)


def explorer_html(explored: Exploration, data: dict[str, Any], title: str | None = None) -> str:
    """The page of data that may be shown."""
    source = explored.source
    names = source.metadata.label_names
    outcome = names[-1] if len(names) == 2 else "each label"
    context = {
        "title": title or f"Lists for the probability of {outcome}",
        "data": data,
        "version": __version__,
        "is_held_out": explored.held_out is not None,
        "n_found": len(source.posterior.distinct),
        "n_antecedents": min(len(data["antecedents"]), MOST_ANTECEDENTS),
    }
    return render_page("explorer.html", context, data)


@dataclass(frozen=True, eq=False)
class _Source:
    """A posterior with the prior that it was sampled under."""

    posterior: Posterior
    prior: ListPrior
    names: Sequence[str] | None
    n_features: int

    @property
    def metadata(self) -> ModelMetadata:
        return self.posterior.metadata


@dataclass(frozen=True, eq=False)
class _Chosen:
    """Lists to show, best first, and the antecedents they use, the likeliest first."""

    lists: list[int]  # places in the posterior's distinct lists
    antecedents: list[int]  # places in the pool
    n_needed: int  # the first so many make up the point estimate and the MAP list
    point: int  # place in lists

    def items(self, posterior: Posterior, place: int) -> list[int]:
        """A list as places in antecedents."""
        where = {a: i for i, a in enumerate(self.antecedents)}
        return [where[a] for a in posterior.distinct.antecedent_list(place)]


@dataclass(frozen=True, eq=False)
class Exploration:
    """Lists to show, and the people to count in their lines."""

    source: _Source
    chosen: _Chosen
    cases: Cases
    held_out: Cases | None

    @property
    def unit(self) -> float:
        """What a weight of 1 stands for."""
        return float(self.source.metadata.count_unit)

    def truths(self, cases: Cases, n: int | None = None) -> np.ndarray:
        """Whether each of the first antecedents, or of all, is true of each row."""
        antecedents = [self.source.posterior.pool[a] for a in self.chosen.antecedents[:n]]
        return antecedent_truths(antecedents, cases.table, self.source.metadata.kinds)

    def held_out_cells(self, rounding: Rounding) -> Cells | None:
        """How counts of held-out people are shown; each counts once."""
        return None if self.held_out is None else self.held_out.cells(rounding, 1.0)


def _source(model: Any) -> _Source:
    posterior = getattr(model, "posterior_", getattr(model, "posterior", None))
    if not isinstance(posterior, Posterior):
        what = type(model).__name__
        raise ParamError(
            f"The explorer needs a posterior, and this {what} has none: fit it first, or save the "
            "model with its lists."
        )
    is_classifier = hasattr(model, "posterior_")
    settings = model.get_params(deep=False) if is_classifier else model.settings
    names = getattr(model, "feature_names_in_", None) if is_classifier else model.feature_names
    n_features = model.n_features_in_ if is_classifier else model.n_features
    pool = posterior.pool
    report = model.fit_report_ if is_classifier else model.fit_report
    columns = [column.name for column in report.columns] if names is None else list(names)
    prior = ListPrior(
        pool.cardinalities,
        float(settings["expected_length"]),
        float(settings["expected_cardinality"]),
        read_weights(settings["antecedent_weights"], pool, columns),
    )
    return _Source(posterior, prior, names, n_features)


def _cases(source: _Source, X: Any, y: Any, sample_weight: Any) -> Cases:
    table = match_columns(
        read_table(X, allow_infinite=True), source.names, source.n_features, "the model"
    )
    labels = read_labels(label_array(y), sample_weight, True, category_order(y))
    if len(labels.codes) != table.n_rows:
        raise ParamError(f"X has {table.n_rows} rows, y has {len(labels.codes)} labels.")
    known = source.metadata.classes.tolist()
    unknown = [c for c in labels.classes.tolist() if c not in known]
    if unknown:
        raise ParamError(f"y has the label {unknown[0]!r}, which the model does not know.")
    place = np.array([known.index(c) for c in labels.classes.tolist()] + [-1])
    return Cases(table, place[labels.codes], labels.weights, len(known))


def _choose(posterior: Posterior, n_lists: int) -> _Chosen:
    best = posterior.best_first[:n_lists].tolist()
    point, _ = point_estimate(posterior)
    if point not in best:
        best.append(point)
    used = {a for i in best for a in posterior.distinct.antecedent_list(i)}
    needed = dict.fromkeys(
        [*posterior.distinct.antecedent_list(point), *posterior.distinct.antecedent_list(best[0])]
    )
    likeliest = np.argsort(-posterior.inclusion_probabilities, kind="stable").tolist()
    # antecedents to insert come before those that a far-off list alone has
    ordered = dict.fromkeys([*needed, *likeliest[:MOST_ANTECEDENTS]])
    rest = [a for a in likeliest if a in used]
    return _Chosen(best, list(dict.fromkeys([*ordered, *rest])), len(needed), best.index(point))


def _check_training_data(source: _Source, chosen: _Chosen, cases: Cases) -> None:
    """Raise unless the data give the point estimate the counts that it was found with."""
    posterior = source.posterior
    place = chosen.lists[chosen.point]
    items = chosen.items(posterior, place)
    antecedents = [posterior.pool[a] for a in chosen.antecedents[: chosen.n_needed]]
    truths = antecedent_truths(antecedents, cases.table, source.metadata.kinds)
    found = list_counts(items, truths, cases)
    expected = posterior.distinct.counts(place)
    if not np.array_equal(found, expected):
        raise ParamError(
            f"X and y are not the data that the model was fitted to: the point estimate catches "
            f"{found.sum(axis=1).tolist()} cases by rule, and did {expected.sum(axis=1).tolist()}. "
            "Give the training data, and sample_weight if there was one."
        )


def explorer_data(
    explored: Exploration, cells: Cells | None = None, held_out: Cells | None = None
) -> dict[str, Any]:
    """All that the page holds; with cells, of counts as these show them."""
    if cells is not None:
        explored = replace(explored, chosen=_in_no_order(explored))
    source, chosen, cases = explored.source, explored.chosen, explored.cases
    posterior, metadata = source.posterior, source.metadata
    lists = _exact_lists(explored) if cells is None else _coarse_lists(explored, cells, held_out)
    share = float(posterior.probabilities[chosen.lists].sum())
    if cells is None or cells.rounding is None:
        n_cases, rounding = float(cases.weights[cases.used].sum() * explored.unit), None
    else:
        share, rounding = round(share, 1), cells.rounding
        n_cases = float(cells.by_label(np.ones(len(cells.codes), dtype=bool)).sum())
    return {
        "labels": [{"shown": shown(n), "full": spelt_out(n)} for n in metadata.label_names],
        "places": [1] if len(metadata.classes) == 2 else list(range(len(metadata.classes))),
        "pseudocounts": metadata.pseudocounts.astype(float).tolist(),
        "unit": explored.unit if rounding is None else 1.0,
        "level": LEVEL,
        "prior": _prior_data(source.prior),
        "antecedents": _antecedent_data(explored, is_exact=rounding is None),
        "lists": lists,
        "point": next(i for i, entry in enumerate(lists) if entry.pop("isPoint")),
        "share": share,
        "nCases": n_cases,
        "roundedTo": None if rounding is None else rounding.step,
        **(_pattern_data(explored) if rounding is None else NO_EDITING),
    }


def _in_no_order(explored: Exploration) -> _Chosen:
    """The same with antecedents by rounded inclusion and name: their order tells nothing else."""
    posterior, chosen = explored.source.posterior, explored.chosen
    inclusion, names = np.round(posterior.inclusion_probabilities, 1), posterior.pool.names
    return replace(
        chosen, antecedents=sorted(chosen.antecedents, key=lambda a: (-inclusion[a], names[a]))
    )


def _exact_lists(explored: Exploration) -> list[dict[str, Any]]:
    """The lists, best first, with all that is known of them."""
    posterior, chosen = explored.source.posterior, explored.chosen
    metadata, held_out = explored.source.metadata, explored.held_out
    truths = None if held_out is None else explored.truths(held_out)
    lists = []
    for i, place in enumerate(chosen.lists):
        items = chosen.items(posterior, place)
        counts = posterior.distinct.counts(place)
        share = float(posterior.probabilities[place])
        auc = _Areas(counts * metadata.count_unit, metadata.pseudocounts)
        seen = None
        if truths is not None and held_out is not None:
            seen = list_counts(items, truths, held_out)
        lists.append(
            {
                "items": items,
                "logPosterior": float(posterior.distinct.log_posterior[place]),
                "share": share,
                "shareText": f"{100 * share:.1f}%",
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
    """The lists in an order that tells nothing, with rounded counts and what follows of them."""
    posterior, chosen = explored.source.posterior, explored.chosen
    truths = explored.truths(explored.cases)[:, explored.cases.used]
    seen = None
    if explored.held_out is not None:
        seen = explored.truths(explored.held_out)[:, explored.held_out.used]
    lists = []
    for place in in_decades(posterior, chosen.lists):
        items = chosen.items(posterior, place)
        counts = _shown_counts(items, truths, cells)
        auc = _Areas(counts, explored.source.metadata.pseudocounts)
        found = decade(float(posterior.probabilities[place]))
        seen_counts = None
        if seen is not None and held_out is not None:
            seen_counts = _shown_counts(items, seen, held_out)
        lists.append(
            {
                "items": items,
                "logPosterior": None,
                "share": found.middle,
                "shareText": found.text,
                "counts": counts.astype(int).tolist(),
                "auc": auc.of_training,
                "holdoutAuc": auc.of(seen_counts),
                "isPoint": place == chosen.lists[chosen.point],
            }
        )
    return lists


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


def _antecedent_data(explored: Exploration, is_exact: bool) -> list[dict[str, Any]]:
    source = explored.source
    pool = source.posterior.pool
    inclusion = source.posterior.inclusion_probabilities
    if not is_exact:
        inclusion = np.round(inclusion, 1)
    return [
        {
            "item": item,
            "text": " and ".join(condition_text(c) for c in pool[a]),
            "full": spelt_out(pool.names[a]),
            "cardinality": pool[a].cardinality,
            "weight": float(source.prior.weights[a]),
            "inclusion": float(inclusion[a]),
            "document": antecedent_document(pool[a]),
        }
        for item, a in enumerate(explored.chosen.antecedents)
    ]


def _pattern_data(explored: Exploration) -> dict[str, Any]:
    """Counts to edit with, or why there are none."""
    if not explored.chosen.antecedents:
        return {"patterns": None, "refusal": "Editing is off: there is no rule to choose from."}
    truths = explored.truths(explored.cases, MOST_ANTECEDENTS)
    patterns = aggregate(truths, explored.cases, explored.chosen.n_needed)
    if patterns is None:
        why = f"{NEEDS_GROUPS}, and there are too many to hold here."
        return {"patterns": None, "refusal": why}
    unit = explored.unit
    held = {
        "nAntecedents": patterns.n_antecedents,
        "bits": patterns.bits.tolist(),
        "counts": patterns.counts.tolist(),
        "smallest": float(patterns.counts.sum(axis=1).min() * unit),
    }
    return {"patterns": held, "refusal": None}


def _prior_data(prior: ListPrior) -> dict[str, Any]:
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
