"""Models of cohorts whose lists ask for everything that a cohort has."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from elseif import BayesianRuleListClassifier
from elseif.antecedents import Antecedent
from elseif.cohort import Cohort
from elseif.conditions import Condition
from elseif.fitted_model import FittedModel
from elseif.posterior.rule_list import Rule, RuleList
from elseif.training_record import training_record


def asking_for_everything(cohort: Cohort, n_concepts: int = 12) -> FittedModel:
    """A list of age, sex, and concepts of both domains: most first, alone and together."""
    named = cohort.catalogue
    counts = np.asarray(cohort.features.sum(axis=0)).ravel()
    order = np.argsort(-counts, kind="stable")
    by_domain = [
        [str(named["name"][i]) for i in order if named["domain"][i] == domain][: n_concepts // 2]
        for domain in ("condition", "drug")
    ]
    names = [name for both in zip(*by_domain, strict=False) for name in both]
    singles = [Antecedent([Condition(name, "is true")]) for name in names]
    female = Condition("sex", "=", "female")
    others = [
        Antecedent([Condition("age", ">", 75.0), female]),
        Antecedent([Condition(names[0], "is true"), Condition(names[1], "is true")]),
        Antecedent([female, Condition(names[2], "is true")]),
    ]
    last = [Antecedent([Condition("age", "<=", 70.0)]), Antecedent([female])]
    antecedents = [*others, *singles, *last]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = BayesianRuleListClassifier(
            antecedents=[tuple(a) for a in antecedents], n_iter=100, random_state=0,
            kernel="tempered",
        ).fit(cohort.table(), cohort.labels())  # fmt: skip
    model = fitted.model_
    rules = [
        Rule(antecedent, np.array([10.0 + index, 3.0]), model.metadata)
        for index, antecedent in enumerate([*antecedents, Antecedent()])
    ]
    made = RuleList(rules, model.metadata)
    training = training_record(made, None)
    return replace(model, rule_list=made, map_rule_list=made, posterior=None, training=training)
