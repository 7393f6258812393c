"""Model: a fitted classifier as plain parts, without scikit-learn or compiled code."""

from __future__ import annotations

import datetime
import os
import platform
import warnings
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

import numpy as np

import elseif
from elseif.antecedents.pool import Pool
from elseif.conditions.fit_report import FitReport
from elseif.conditions.matching import match_columns
from elseif.errors import DataError, ModelFileError, ParamTypeError
from elseif.posterior.draws import Posterior
from elseif.posterior.rule_list import ModelMetadata, RuleList
from elseif.sampler.convergence import Convergence
from elseif.tables.fingerprint import column_digest, data_fingerprint
from elseif.tables.labels import category_order, label_array, read_labels
from elseif.tables.reading import read_table

if TYPE_CHECKING:
    from elseif.estimator import BayesianRuleListClassifier

NAMED_VERSIONS = ("numpy", "scipy", "scikit-learn", "numba")
FITTED = ("rule_list_", "map_rule_list_", "fit_report_", "pool_", "n_features_in_")


@dataclass(frozen=True, eq=False)
class FittedModel:
    """All that a model file holds."""

    rule_list: RuleList
    map_rule_list: RuleList
    posterior: Posterior | None
    convergence: Convergence | None
    fit_report: FitReport
    settings: dict[str, Any]  # of the estimator
    training: dict[str, Any]  # n, label_counts, fingerprint of the data, versions, date
    feature_names: list[str] | None
    n_features: int
    pool: Pool
    edited: str | None = None  # what was changed by hand in the list

    @property
    def metadata(self) -> ModelMetadata:
        """Labels, pseudocounts and kinds of columns."""
        return self.rule_list.metadata

    @property
    def n(self) -> float:
        """Training observations, by their weights."""
        return float(self.training["n"])

    @classmethod
    def of(cls, classifier: BayesianRuleListClassifier) -> FittedModel:
        """The model in a fitted classifier."""
        absent = [name for name in FITTED if not hasattr(classifier, name)]
        if absent:
            raise ParamTypeError(
                f"{type(classifier).__name__} is no fitted BayesianRuleListClassifier: it has no "
                f"{absent[0]}. Call fit first."
            )
        names = getattr(classifier, "feature_names_in_", None)
        return cls(
            rule_list=classifier.rule_list_,
            map_rule_list=classifier.map_rule_list_,
            posterior=getattr(classifier, "posterior_", None),
            convergence=getattr(classifier, "convergence_", None),
            fit_report=classifier.fit_report_,
            settings=classifier.get_params(deep=False),
            training=_training(classifier),
            feature_names=None if names is None else [str(name) for name in names],
            n_features=int(classifier.n_features_in_),
            pool=classifier.pool_,
            edited=getattr(classifier, "edited_", None),
        )

    def was_trained_on(self, X: Any, y: Any, sample_weight: Any = None) -> bool:
        """Whether these are the very data of fit, so that a test on them is none."""
        if self.training["fingerprint"] is None:
            raise ModelFileError("The model has no fingerprint of its data.")
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # what differs is the answer, not news
                found = self._fingerprint(X, y, sample_weight)
        except DataError:  # data that could not have been fitted
            return False
        return bool(found == self.training["fingerprint"])

    def _fingerprint(self, X: Any, y: Any, sample_weight: Any) -> str:
        table = match_columns(
            read_table(X, allow_infinite=True), self.feature_names, self.n_features, "the model"
        )
        labels = np.asarray(label_array(y)).ravel()
        if len(labels) != table.n_rows:
            raise DataError(f"X has {table.n_rows} rows, y has {len(labels)} labels.")
        read = read_labels(labels, sample_weight, True, category_order(y))
        columns = (table.column(c.name, c.kind) for c in self.fit_report.columns)
        return data_fingerprint(read, map(column_digest, columns))


def as_model(model: Any) -> FittedModel:
    """A model, or that of a fitted classifier."""
    return model if isinstance(model, FittedModel) else FittedModel.of(model)


def _training(classifier: Any) -> dict[str, Any]:
    """What stands behind a classifier: of one that was loaded, what its file said."""
    counts = np.sum([rule.label_counts for rule in classifier.rule_list_.rules], axis=0)
    # kept beside the list it came with: a later fit makes another list
    loaded_list, kept = getattr(classifier, "_loaded_training", (None, {}))
    if loaded_list is classifier.rule_list_:
        return dict(kept)
    return {
        "n": float(counts.sum()),
        "label_counts": counts.tolist(),
        "fingerprint": getattr(classifier, "fingerprint_", None),
        "versions": _versions(),
        "date": _now(),
    }


def _versions() -> dict[str, str]:
    found = {"elseif": elseif.__version__, "python": platform.python_version()}
    for name in NAMED_VERSIONS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def _now() -> str:
    """The time in UTC, to the second; SOURCE_DATE_EPOCH tells it where output must repeat."""
    told = os.environ.get("SOURCE_DATE_EPOCH", "")
    if told.isdecimal():
        now = datetime.datetime.fromtimestamp(int(told), datetime.UTC)
    else:
        now = datetime.datetime.now(datetime.UTC)
    return now.strftime("%Y-%m-%dT%H:%M:%SZ")
