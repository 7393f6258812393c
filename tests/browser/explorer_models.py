"""Fitted models that tests of the explorer share, each fitted once."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from elseif import BayesianRuleListClassifier
from elseif.antecedents.own_antecedents import read_weights
from elseif.model.consequent import consequent_interval
from elseif.model.likelihood import log_likelihood
from elseif.model.prior import ListPrior
from elseif.posterior.rule_list import make_rule_list
from elseif.report import explorer_page
from elseif.report.edited_list import antecedent_document
from tests.browser.models import clinical

DATA = "() => JSON.parse(document.getElementById('data').textContent)"


class Fitted(NamedTuple):
    """A classifier with the data it was fitted to."""

    classifier: BayesianRuleListClassifier
    X: pd.DataFrame
    y: Any
    sample_weight: Any = None

    def page(self, **settings: Any) -> str:
        return explorer_page(
            self.classifier, self.X, self.y, sample_weight=self.sample_weight, **settings
        )


def fit(X: pd.DataFrame, y: Any, sample_weight: Any = None, **settings: Any) -> Fitted:
    """A short run: whether it converged is of no matter here."""
    classifier = BayesianRuleListClassifier(random_state=0, n_iter=3000, n_chains=2, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Fitted(classifier.fit(X, y, sample_weight), X, y, sample_weight)


@cache
def plain_model() -> Fitted:
    return fit(*clinical(500), expected_length=5)


@cache
def weighted_model() -> Fitted:
    """Weights of observations and of antecedents, uneven pseudocounts, cardinality 3."""
    X, y = clinical(400, seed=2)
    weights = np.random.default_rng(0).integers(1, 5, len(X)) / 2
    settings = {"antecedent_weights": {"age": 3.0, "ldl": 0.25}, "pseudocounts": [0.5, 2]}
    columns = ["age", "ldl", "nyha", "diabetes", "admitted"]
    return fit(X[columns], y, weights, max_cardinality=3, min_support=0.2, **settings)


@cache
def many_labels_model() -> Fitted:
    X, _ = clinical(400, seed=3)
    chance = np.random.default_rng(0).random(len(X))
    y = np.where(X["age"] + 40 * chance > 95, "died", np.where(chance < 0.4, "ill", "well"))
    return fit(X[["age", "nyha", "diabetes", "smoking"]], pd.Series(y, name="fate"))


MODELS = {"plain": plain_model, "weighted": weighted_model, "many_labels": many_labels_model}


def write(folder: Path, text: str) -> Path:
    path = folder / "explorer.html"
    path.write_text(text, encoding="utf-8")
    return path


def antecedents_of(data: dict[str, Any], fitted: Fitted) -> list[int]:
    """The page's antecedents as places in the pool, by their documents."""
    documents = {antecedent_document(x): a for a, x in enumerate(fitted.classifier.pool_)}
    return [documents[entry["document"]] for entry in data["antecedents"]]


def python_price(
    fitted: Fitted, places: list[int]
) -> tuple[float, np.ndarray, list[list[tuple[float, float]]]]:
    """Log posterior, counts and intervals of a list, by the formulas of elseif.model alone."""
    clf = fitted.classifier
    pool, metadata = clf.pool_, clf.rule_list_.metadata
    antecedents = [pool[a] for a in places]
    n_labels = len(metadata.classes)
    empty = make_rule_list(antecedents, np.zeros((len(places) + 1, n_labels)), metadata)
    lines = empty.captured_by(fitted.X)
    codes = np.searchsorted(metadata.classes, np.asarray(fitted.y))
    weights = np.ones(len(codes)) if fitted.sample_weight is None else fitted.sample_weight
    counts = np.zeros((len(places) + 1, n_labels))
    np.add.at(counts, (lines, codes), weights)
    prior = ListPrior(
        pool.cardinalities,
        float(clf.expected_length),
        float(clf.expected_cardinality),
        read_weights(clf.antecedent_weights, pool, list(fitted.X.columns)),
    )
    log_posterior = prior.log_probability(places) + log_likelihood(counts, metadata.pseudocounts)
    intervals = [
        [consequent_interval(line, metadata.pseudocounts, label) for label in range(n_labels)]
        for line in counts
    ]
    return log_posterior, counts, intervals
