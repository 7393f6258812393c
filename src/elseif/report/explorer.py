"""The explorer: the posterior's good lists as a landscape, and editing with a price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from elseif import __version__
from elseif.antecedents.expert import read_weights
from elseif.errors import ParamError
from elseif.model.prior import ListPrior
from elseif.parameters import check_count
from elseif.posterior.draws import Posterior
from elseif.posterior.point_estimate import point_estimate
from elseif.posterior.rule_list import Vocabulary
from elseif.report.calculator import condition_text
from elseif.report.edited_list import antecedent_document, edited_list
from elseif.report.names import shown, spelt_out
from elseif.report.page import render_page
from elseif.report.patterns import (
    MOST_ANTECEDENTS,
    Cases,
    aggregate,
    antecedent_truths,
    area_under_curve,
    list_counts,
)
from elseif.tables.labels import category_order, label_array, read_labels
from elseif.tables.matching import match_columns
from elseif.tables.reading import read_table

__all__ = ["explorer_page", "edited_list"]

LEVEL = 0.95


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

    ``model`` is a fitted classifier, or a model saved with its posterior; X, y and
    ``sample_weight`` are its training data, of which the page holds counts alone.
    ``min_cell`` is the smallest number of cases that a count may show. ``holdout`` is
    another (X, y) to measure AUC on.
    """
    check_count("n_lists", n_lists)
    if min_cell is not None:
        check_count("min_cell", min_cell)
    source = _source(model)
    cases = _cases(source, X, y, sample_weight)
    chosen = _choose(source.posterior, n_lists)
    _check_training_data(source, chosen, cases)
    data = _data(source, chosen, cases, min_cell)
    _add_areas(data, source, chosen, holdout)
    names = source.vocabulary.label_names
    outcome = names[-1] if len(names) == 2 else "each label"
    context = {
        "title": title or f"Lists for the probability of {outcome}",
        "data": data,
        "version": __version__,
        "is_held_out": holdout is not None,
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
    def vocabulary(self) -> Vocabulary:
        return self.posterior.vocabulary


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
    columns = list(names) if names is not None else [f"x{i}" for i in range(n_features)]
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
    known = source.vocabulary.classes.tolist()
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
    truths = antecedent_truths(antecedents, cases.table, source.vocabulary.kinds)
    found = list_counts(items, truths, cases)
    expected = posterior.distinct.counts(place)
    if not np.array_equal(found, expected):
        raise ParamError(
            f"X and y are not the data that the model was fitted to: the point estimate catches "
            f"{found.sum(axis=1).tolist()} cases by rule, and did {expected.sum(axis=1).tolist()}. "
            "Give the training data, and sample_weight if there was one."
        )


def _data(source: _Source, chosen: _Chosen, cases: Cases, min_cell: int | None) -> dict[str, Any]:
    """All that the page holds."""
    posterior, vocabulary = source.posterior, source.vocabulary
    unit = float(vocabulary.count_unit)
    lists = [
        {
            "items": chosen.items(posterior, place),
            "logPosterior": float(posterior.distinct.log_posterior[place]),
            "share": float(posterior.probabilities[place]),
            "counts": withheld(posterior.distinct.counts(place), unit, min_cell),
        }
        for place in chosen.lists
    ]
    return {
        "labels": [{"shown": shown(n), "full": spelt_out(n)} for n in vocabulary.label_names],
        "places": [1] if len(vocabulary.classes) == 2 else list(range(len(vocabulary.classes))),
        "pseudocounts": vocabulary.pseudocounts.astype(float).tolist(),
        "unit": unit,
        "level": LEVEL,
        "prior": _prior_data(source.prior),
        "antecedents": _antecedent_data(source, chosen),
        "lists": lists,
        "point": chosen.point,
        "share": float(posterior.probabilities[chosen.lists].sum()),
        "nCases": float(cases.weights[cases.codes >= 0].sum() * unit),
        "minCell": min_cell,
        **_pattern_data(source, chosen, cases, min_cell),
    }


def _antecedent_data(source: _Source, chosen: _Chosen) -> list[dict[str, Any]]:
    pool = source.posterior.pool
    inclusion = source.posterior.inclusion_probabilities
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
        for item, a in enumerate(chosen.antecedents)
    ]


def _pattern_data(
    source: _Source, chosen: _Chosen, cases: Cases, min_cell: int | None
) -> dict[str, Any]:
    """Counts to edit with, or why there are none."""
    unit = source.vocabulary.count_unit
    antecedents = [source.posterior.pool[a] for a in chosen.antecedents[:MOST_ANTECEDENTS]]
    if not antecedents:
        return {"patterns": None, "refusal": "Editing is off: there is no rule to choose from."}
    truths = antecedent_truths(antecedents, cases.table, source.vocabulary.kinds)
    patterns = aggregate(truths, cases, chosen.n_needed, (min_cell or 0) / unit)
    if patterns is None:
        why = (
            "Editing is off: it needs the number of cases in every group that the rules tell apart"
        )
        small = f", and some groups have fewer than {min_cell} cases of a label."
        many = ", and there are too many groups to hold here."
        return {"patterns": None, "refusal": why + (many if min_cell is None else small)}
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


def withheld(counts: np.ndarray, unit: float, min_cell: int | None) -> list[list[int] | None]:
    """Counts of a list's lines, without lines that show fewer cases than allowed.

    When one line alone is withheld, the smallest other is too: the total would tell.
    """
    rows: list[list[int] | None] = counts.tolist()
    if min_cell is None:
        return rows
    cases = counts * unit
    small: np.ndarray = np.any((cases > 0) & (cases < min_cell), axis=1)
    if small.sum() == 1 and len(small) > 1:
        totals = np.where(small, np.inf, cases.sum(axis=1))
        small[int(np.argmin(totals))] = True
    return [None if hide else row for row, hide in zip(rows, small.tolist(), strict=True)]


def _add_areas(
    data: dict[str, Any], source: _Source, chosen: _Chosen, holdout: tuple[Any, Any] | None
) -> None:
    """AUC of every list shown: on the training data, and on other data where given."""
    posterior, vocabulary = source.posterior, source.vocabulary
    cases = None if holdout is None else _cases(source, *holdout, None)
    truths = None
    if cases is not None:
        antecedents = [posterior.pool[a] for a in chosen.antecedents]
        truths = antecedent_truths(antecedents, cases.table, vocabulary.kinds)
    for entry, place in zip(data["lists"], chosen.lists, strict=True):
        counts = posterior.distinct.counts(place) * vocabulary.count_unit
        entry["auc"] = area_under_curve(counts, vocabulary.pseudocounts)
        entry["holdoutAuc"] = None
        if cases is not None and truths is not None:
            held_out = list_counts(entry["items"], truths, cases)
            entry["holdoutAuc"] = area_under_curve(counts, vocabulary.pseudocounts, held_out)
