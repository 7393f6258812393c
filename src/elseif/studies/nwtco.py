"""Relapse within two years: R's nwtco, 4,028 children with Wilms' tumour."""

from __future__ import annotations

import numpy as np
import pandas as pd

from elseif.datasets import read_survival
from elseif.studies.follow_up import EVENT, LEFT
from elseif.studies.real_cohort import FollowedPeople, RealCohort, run_real_cohort
from elseif.studies.running import ComparisonSettings

HISTOLOGY = {1: "favourable", 2: "unfavourable"}
COHORT = RealCohort(
    name="nwtco",
    outcome="relapse",
    days=2 * 365,
    title="Relapse of Wilms' tumour within {span}: real people, R's nwtco data",
    introduction=(
        "These are real people of a public data set, R's nwtco: children of the third and fourth "
        "National Wilms' Tumor Study (Breslow and Chatterjee 1999). Known of them are age in "
        "months, stage, histology as the hospital and as the central laboratory saw it, and the "
        "study. Deaths are not recorded apart from the end of follow-up."
    ),
    event="relapsed",
)


def read_nwtco() -> FollowedPeople:
    """The table with histology in words, without identifiers."""
    table = read_survival("nwtco")
    columns = {
        "age in months": table["age"],
        "stage": table["stage"],
        "histology by hospital": table["instit"].map(HISTOLOGY),
        "histology by central laboratory": table["histol"].map(HISTOLOGY),
        "study": table["study"].map({3: "third", 4: "fourth"}),
    }
    return FollowedPeople(
        pd.DataFrame(columns),
        table["edrel"].to_numpy(dtype=float),
        np.where(table["rel"] == 1, EVENT, LEFT),
    )


def run(settings: ComparisonSettings) -> None:
    """Compare classifiers, and write the list with its report."""
    run_real_cohort(COHORT, read_nwtco, settings)
