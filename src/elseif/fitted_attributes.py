"""The attributes of a fitted classifier, which are parts of its model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar, cast

import numpy as np

from elseif.antecedents.pool import Pool
from elseif.conditions.fit_report import FitReport
from elseif.fitted_model import FittedModel
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList
from elseif.projection.path import ProjectionPath
from elseif.sampler.convergence import Convergence

T = TypeVar("T")


class OfModel(Generic[T]):
    """An attribute that exists once the model has it, and that only fit changes."""

    def __init__(self, read: Callable[[FittedModel], T | None]) -> None:
        self._read = read

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, classifier: Any, owner: type | None = None) -> T:
        if classifier is None:
            return cast(T, self)
        model = vars(classifier).get("model_")
        value = None if model is None else self._read(model)
        if value is None:
            why = ": it is not fitted yet" if model is None else ""
            raise AttributeError(
                f"{type(classifier).__name__!r} object has no attribute {self._name!r}{why}"
            )
        return value

    def __set__(self, classifier: Any, value: T) -> None:
        raise AttributeError(f"{self._name!r} is read from model_ and cannot be set")


class PathOfModel(OfModel[ProjectionPath]):
    """The path of projected lists, linked to the classifier that it is read from."""

    def __get__(self, classifier: Any, owner: type | None = None) -> ProjectionPath:
        path = super().__get__(classifier, owner)
        return path if classifier is None else path.of(classifier)


class FittedAttributes:
    """Fitted attributes of BayesianRuleListClassifier, read from ``model_``."""

    model_: FittedModel
    rule_list_ = OfModel[RuleList](lambda model: model.rule_list)
    map_rule_list_ = OfModel[RuleList](lambda model: model.map_rule_list)
    posterior_ = OfModel[Posterior](lambda model: model.posterior)
    convergence_ = OfModel[Convergence](lambda model: model.named_convergence)
    pool_ = OfModel[Pool](lambda model: model.pool)
    fit_report_ = OfModel[FitReport](lambda model: model.fit_report)
    classes_ = OfModel[np.ndarray](lambda model: model.metadata.classes)
    n_iter_ = OfModel[int](
        lambda model: 0 if model.convergence is None else model.convergence.n_iter
    )
    fingerprint_ = OfModel[str](lambda model: model.training["fingerprint"])
    projection_path_ = PathOfModel(lambda model: model.projection_path)
    projected_rule_list_ = OfModel[RuleList](lambda model: model.projected_rule_list)
    edited_ = OfModel[str](lambda model: model.edited)
    learnt_ = OfModel[dict[str, float]](lambda model: model.learnt)
    n_features_in_ = OfModel[int](lambda model: model.n_features)
    feature_names_in_ = OfModel[np.ndarray](
        lambda model: (
            None if model.feature_names is None else np.array(model.feature_names, dtype=object)
        )
    )
