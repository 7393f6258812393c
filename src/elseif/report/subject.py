"""Subject: what a report is about, from a fitted classifier or a model read from a file."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

import elseif
from elseif.conditions.fit_report import FitReport
from elseif.errors import ParamTypeError
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import RuleList
from elseif.sampler.convergence import Convergence

NAMED_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba")


@dataclass(frozen=True, eq=False)
class Subject:
    """A fitted list and where it comes from."""

    rule_list: RuleList
    posterior: Posterior | None
    convergence: Convergence | None
    fit_report: FitReport
    settings: Mapping[str, Any]
    training: Mapping[str, Any]  # fingerprint, versions and date, where they are known
    feature_names: Sequence[str] | None
    n_features: int
    predict_proba: Callable[[Any], np.ndarray]
    make_classifier: Callable[[], Any]  # an unfitted one of the same settings

    @property
    def predicts_with(self) -> str:
        """What predicts: the point estimate, the posterior or the most probable list."""
        return str(self.settings.get("predict_with", "point"))


def subject_of(fitted: Any) -> Subject:
    """The subject in a fitted classifier, or in a Model (anything with its attributes)."""
    if hasattr(fitted, "rule_list") and hasattr(fitted, "settings"):
        return _of_model(fitted)
    if hasattr(fitted, "rule_list_"):
        return _of_classifier(fitted)
    raise ParamTypeError(
        f"A report needs a fitted BayesianRuleListClassifier or a Model, not "
        f"{type(fitted).__name__}. Call fit first, or read a model file."
    )


def _of_classifier(classifier: Any) -> Subject:
    def unfitted() -> Any:
        from sklearn.base import clone  # loaded with the classifier already

        return clone(classifier)

    at_map = classifier.predict_with == "map"
    return Subject(
        rule_list=classifier.map_rule_list_ if at_map else classifier.rule_list_,
        posterior=getattr(classifier, "posterior_", None),
        convergence=getattr(classifier, "convergence_", None),
        fit_report=classifier.fit_report_,
        settings=classifier.get_params(deep=False),
        training={"fingerprint": getattr(classifier, "fingerprint_", None)},
        feature_names=getattr(classifier, "feature_names_in_", None),
        n_features=int(classifier.n_features_in_),
        predict_proba=classifier.predict_proba,
        make_classifier=unfitted,
    )


def _of_model(model: Any) -> Subject:
    def unfitted() -> Any:
        from elseif.estimator import BayesianRuleListClassifier

        return BayesianRuleListClassifier(**model.settings)

    how = model.settings.get("predict_with", "point")
    rule_list = model.map_rule_list if how == "map" else model.rule_list

    def predict_proba(X: Any) -> np.ndarray:
        if how != "posterior" or model.posterior is None:
            return rule_list.predict_proba(X)
        from elseif.posterior.predictive import predictive_probabilities
        from elseif.tables.reading import read_table

        return predictive_probabilities(model.posterior, read_table(X))

    return Subject(
        rule_list=rule_list,
        posterior=model.posterior,
        convergence=model.convergence,
        fit_report=model.fit_report,
        settings=model.settings,
        training=model.training,
        feature_names=model.feature_names,
        n_features=int(model.n_features),
        predict_proba=predict_proba,
        make_classifier=unfitted,
    )


def versions() -> dict[str, str]:
    """Versions of what computed the report."""
    found = {"elseif": elseif.__version__, "Python": platform.python_version()}
    for name in NAMED_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:  # pragma: no cover - an installation without metadata
            continue
    return found
