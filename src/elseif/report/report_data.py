"""The input of a report: tables read and folds run, before anything is counted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from elseif.disclosure.rounding import check_min_cell
from elseif.errors import ParamError
from elseif.evaluation.cross_validation import Validation, cross_validate, held_out
from elseif.evaluation.subgroups import Grouping
from elseif.export.disclosed import check_predicts_by_a_list
from elseif.fitted_model import FittedModel, as_model
from elseif.posterior.rule_list import RuleList
from elseif.progress import Progress
from elseif.report.in_words import groups_in_words
from elseif.report.projection_summary import with_path_scores
from elseif.report.report_memory import check_report_memory
from elseif.report.report_options import ReportOptions, read_options
from elseif.report.training import Training, groupings, read_training
from elseif.tables.labels import label_place
from elseif.tables.reading import Table


@dataclass(frozen=True, eq=False)
class ReportData:
    """All that a report is made of, before anything of it is counted."""

    model: FittedModel
    options: ReportOptions
    min_cell: int | None
    event: int  # index of the label that is judged
    trained: Training
    table: Table  # whose rows are judged
    groups: Sequence[Grouping]
    apart: Validation | None  # on a held-out table
    crossed: Validation | None  # over folds


def gather(
    fitted: Any,
    X: Any,
    y: Any,
    *,
    holdout: tuple[Any, Any] | None = None,
    sample_weight: Any = None,
    progress: Progress | None = None,
    **options: Any,
) -> ReportData:
    """Read the tables and run the folds of a report; options as of ``summarise``."""
    given = read_options(options)
    model = as_model(fitted)
    if given.labels is not None:
        model = model.with_labels(given.labels)
    known = model.metadata.rounding
    min_cell = check_min_cell(given.min_cell)
    if min_cell is None and known is not None:
        min_cell = known.min_cell  # what a model keeps, its report keeps
    if min_cell is not None:
        check_predicts_by_a_list(model)
    if given.folds is None and holdout is None:
        raise ParamError(
            "A report needs observations that the list was not learnt from: give folds (such as "
            "5), or a held-out table as holdout=(X, y)."
        )
    event = _place(model.rule_list, given.positive)
    # all that can be wrong with the tables is found before the folds take their time
    trained = read_training(model, X, y, sample_weight)
    table = trained.table if holdout is None else model.read_training(holdout[0])
    groups = groupings(given.subgroups, table, model.metadata.kinds)
    groups = groups_in_words(groups, model.metadata)
    apart = None
    if holdout is not None:
        apart = held_out(model.predict_proba, model.metadata.classes, table, holdout[1])
    crossed = None
    if given.folds is not None:
        check_report_memory(X, trained.table, len(model.metadata.classes))
        fresh, data = _unfitted(fitted, model), (X, y, sample_weight)
        how: dict[str, Any] = {
            "folds": given.folds,
            "random_state": given.random_state,
            "progress": progress,
        }
        crossed = cross_validate(fresh, X, y, sample_weight=sample_weight, **how)
        if min_cell is None:
            model = with_path_scores(model, fresh, data, how)
    return ReportData(model, given, min_cell, event, trained, table, groups, apart, crossed)


def _place(rule_list: RuleList, positive: Any) -> int:
    label = rule_list.positive if positive is None else positive
    return label_place(label, rule_list.classes)


def _unfitted(fitted: Any, model: FittedModel) -> Any:
    """A classifier to fit to folds: of the same class and settings as the one reported on."""
    from sklearn.base import clone

    from elseif.estimator import BayesianRuleListClassifier

    settings = model.settings
    if model.date_orders:  # which the rows of a fold alone may not show
        orders = {n: o for n, o in model.date_orders.items() if n in (settings["kinds"] or {})}
        settings = {**settings, "kinds": {**(settings["kinds"] or {}), **orders}}
    if isinstance(fitted, FittedModel):
        return BayesianRuleListClassifier(**settings)
    classifier = clone(fitted)
    known = classifier.get_params(deep=False)
    return classifier.set_params(**{k: v for k, v in settings.items() if k in known})
