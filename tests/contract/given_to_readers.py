"""What the snippets of a page take for granted: the reader's tables, files and names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy import sparse

from elseif import BayesianRuleListClassifier

N = 400


def people() -> pd.DataFrame:
    """Whose stroke depends so much on age and smoking that few lists are probable."""
    rng = np.random.default_rng(0)
    age = rng.choice([45, 55, 75], N)
    smoker = rng.random(N) < 0.4
    return pd.DataFrame(
        {
            "age": age,
            "sex": rng.choice(["female", "male"], N),
            "smoker": smoker,
            "stroke": rng.random(N) < np.where(smoker, 0.95, 0.02 + 0.5 * (age > 60)),
        }
    )


def patients_file() -> dict[str, Any]:
    people().to_csv("patients.csv", index=False)
    return {}


def sparse_and_parquet() -> dict[str, Any]:
    """A matrix of drugs beside people, and claims in Parquet files."""
    rng = np.random.default_rng(1)
    claims = people().assign(person=np.arange(N))
    claims.to_parquet("claims.parquet")
    claims.drop(columns=["person", "stroke"]).to_parquet("new_claims.parquet")
    matrix = sparse.csr_array(rng.random((N, 20)) < 0.1)
    names = [f"drug {i}" for i in range(20)]
    return {"matrix": matrix, "names": names, "people": claims, "y": claims["stroke"]}


def fitted_classifier() -> dict[str, Any]:
    table = people()
    classifier = BayesianRuleListClassifier(random_state=0)
    return {"classifier": classifier.fit(table.drop(columns="stroke"), table["stroke"])}


def cohort_folder() -> dict[str, Any]:
    """As an extraction left it."""
    from elseif.cohort import connect, extract
    from elseif.datasets import make_stroke_cdm

    make_stroke_cdm("patients.duckdb", n_patients=400, n_others=10, n_concepts=77)
    with connect("patients.duckdb", schema="cdm") as database:
        extract(database, "stroke", folder="cohort")
    return {}


def table_and_labels() -> dict[str, Any]:
    """In Python, and in a file; of few columns, since every length is cross-validated."""
    table = people().assign(old=lambda p: p["age"] > 60)[["old", "smoker", "stroke"]]
    table.rename(columns={"stroke": "died"}).to_csv("people.csv", index=False)
    classifier = {"BayesianRuleListClassifier": BayesianRuleListClassifier}
    return {"X": table[["old", "smoker"]], "y": table["stroke"], **classifier}


def nothing() -> dict[str, Any]:
    return {}


# the pages of which every snippet runs
GIVEN: dict[str, Callable[[], dict[str, Any]]] = {
    "README.md": patients_file,
    "docs/cohort.md": cohort_folder,
    "docs/disclosure.md": patients_file,
    "docs/exports.md": fitted_classifier,
    "docs/external-validation.md": nothing,
    "docs/federation.md": nothing,
    "docs/index.md": nothing,
    "docs/long-fits.md": table_and_labels,
    "docs/projection.md": table_and_labels,
    "docs/serving.md": table_and_labels,
    "docs/synthetic-patients.md": nothing,
    "docs/tables.md": sparse_and_parquet,
}
