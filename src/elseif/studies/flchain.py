"""Death within five years of a blood sample: R's flchain, 7,874 residents of Olmsted County."""

from __future__ import annotations

import numpy as np
import pandas as pd

from elseif.datasets import read_survival
from elseif.studies.follow_up import EVENT, LEFT
from elseif.studies.real_cohort import FollowedPeople, RealCohort, run_real_cohort
from elseif.studies.running import ComparisonSettings

COHORT = RealCohort(
    name="flchain",
    outcome="death",
    days=5 * 365,
    title="Death within {span} of a blood sample: real people, R's flchain data",
    introduction=(
        "These are real people of a public data set, R's flchain: half of a study of serum free "
        "light chains among the residents of Olmsted County, Minnesota, aged 50 or more, sampled "
        "by age and sex (Dispenzieri et al. 2012). Known of them are age, sex, both light chains "
        "(kappa, lambda), creatinine, a diagnosis of monoclonal gammopathy, and the year of the "
        "sample."
    ),
    event="died",
)


def read_flchain() -> FollowedPeople:
    """The table without what follows from the outcome, or from other columns."""
    table = read_survival("flchain")
    # chapter is the cause of death; flc.grp is a tenth of kappa and lambda together
    columns = ["age", "sex", "sample.yr", "kappa", "lambda", "creatinine", "mgus"]
    return FollowedPeople(
        pd.DataFrame(table[columns]).assign(mgus=table["mgus"] == 1),
        table["futime"].to_numpy(dtype=float),
        np.where(table["death"] == 1, EVENT, LEFT),
    )


def run(settings: ComparisonSettings) -> None:
    """Compare classifiers, and write the list with its report."""
    run_real_cohort(COHORT, read_flchain, settings)
