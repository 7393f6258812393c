"""Recalibration: old counts of each line as a prior, and the new counts added."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from elseif.errors import DataError, ParamError
from elseif.evaluation.cross_validation import Validation, held_out
from elseif.fitted_model import FittedModel, as_model
from elseif.model.likelihood import rule_log_likelihoods
from elseif.posterior.rule_list import Rule, RuleList
from elseif.tables.origin import origin_of
from elseif.training_record import now, training_record

DISCOUNTS = np.linspace(0, 1, 201)  # among which the best is looked for


def external_cases(model: FittedModel, X: Any, y: Any) -> tuple[Validation, np.ndarray]:
    """Predictions for a table from elsewhere, and the line that each row falls into."""
    table = model.read(X)
    validation = held_out(model.predict_proba, model.metadata.classes, table, y)
    return validation, model.chosen_list().captured_in(table)[validation.rows]


def line_counts(validation: Validation, line: np.ndarray, n_lines: int) -> np.ndarray:
    """How many observations of each label fall into each line. Shape (lines, labels)."""
    counts = np.zeros((n_lines, len(validation.classes)))
    np.add.at(counts, (line, validation.labels), 1)
    return counts


def learn_discount(old: np.ndarray, new: np.ndarray, pseudocounts: np.ndarray) -> float:
    """The discount of the old counts under which the new ones are most probable.

    A power prior: an old observation counts for a share of one. The marginal likelihood of the
    new counts is that of the Dirichlet-multinomial with the discounted counts as pseudocounts.
    """
    log_evidence = [
        sum(
            float(rule_log_likelihoods(after, pseudocounts + share * before))
            for before, after in zip(old, new, strict=True)
        )
        for share in DISCOUNTS
    ]
    return float(DISCOUNTS[int(np.argmax(log_evidence))])


def recalibrate(model: Any, X: Any, y: Any, discount: float | None = None) -> FittedModel:
    """Update the probabilities of a list with new data, and keep its rules.

    Each line has the Dirichlet posterior of the pseudocounts, the old label counts times a
    discount, and the new label counts (a power prior, Ibrahim and Chen 2000). With a discount of 1
    the probabilities are those of both data sets together, with 0 those of the new one alone.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        A model learnt elsewhere.
    X : table
        Observations of the new place.
    y : array
        Their labels; rows without one are left out.
    discount : float, default=None
        The weight of an old observation, between 0 and 1; by default the value that makes the new
        labels most probable.

    Returns
    -------
    FittedModel
        A model of one list, without a posterior over lists; its ``recalibrated`` has the counts
        from which it was made.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.datasets import load_titanic
    >>> from elseif.evaluation import recalibrate
    >>> X, y = load_titanic()
    >>> clf = BayesianRuleListClassifier(random_state=0).fit(X[::2], y[::2])
    >>> both = recalibrate(clf, X[1::2], y[1::2], discount=1)
    >>> both.n, both.recalibrated["discount"]
    (2201.0, 1.0)
    """
    model = as_model(model)
    if model.predict_with == "posterior":
        raise ParamError(
            "predict_with is 'posterior', an average over lists; one list can be recalibrated: "
            "use predict_with='point', 'map' or 'projected'."
        )
    if model.metadata.rounding is not None:
        raise DataError(
            "This model was saved with min_cell: its counts are rounded, and no prior for another "
            "place. Recalibrate the model that was saved without min_cell."
        )
    rule_list = model.chosen_list()
    old = np.array([rule.label_counts for rule in rule_list.rules])
    validation, line = external_cases(model, X, y)
    new = line_counts(validation, line, len(old))
    if discount is None:
        discount = learn_discount(old, new, rule_list.metadata.pseudocounts)
    if isinstance(discount, bool) or not 0 <= discount <= 1:
        raise ParamError(f"discount is {discount!r}; it must lie between 0 and 1.")
    made = _with_counts(model, rule_list, old, new, float(discount))
    origin = origin_of(X, set(model.metadata.kinds))
    if made.cohort is None or origin is None:
        return replace(made, cohort=made.cohort or origin)
    both = bool(made.cohort["synthetic"] or origin["synthetic"])
    return replace(made, cohort={**made.cohort, "synthetic": both})


def _with_counts(
    model: FittedModel, rule_list: RuleList, old: np.ndarray, new: np.ndarray, discount: float
) -> FittedModel:
    """The same rules with other counts, and nothing that was learnt of other lists."""
    metadata = replace(rule_list.metadata, count_unit=1.0)
    rules = [
        Rule(rule.antecedent, discount * before + after, metadata)
        for rule, before, after in zip(rule_list.rules, old, new, strict=True)
    ]
    made = RuleList(rules, metadata)
    return replace(
        model,
        rule_list=made,
        map_rule_list=made,
        projected_rule_list=None,
        projection_path=None,
        posterior=None,
        convergence=None,
        settings={**model.settings, "predict_with": "point"},
        training=training_record(made, None),
        recalibrated={
            "discount": discount,
            "old_label_counts": old.tolist(),
            "new_label_counts": new.tolist(),
            "learnt": model.training["date"],
            "date": now().strftime("%Y-%m-%dT%H:%M:%SZ"),
        },
    )
