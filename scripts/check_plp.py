"""Compare an exported folder with PatientLevelPrediction's own loader, in R.

python scripts/check_plp.py PATIENT_LEVEL_PREDICTION [R_LIBRARY]

PATIENT_LEVEL_PREDICTION is a checkout of its source, which need not be installed. R needs
the packages dplyr and ParallelLogger, the latter possibly in R_LIBRARY.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from elseif.antecedents import Antecedent
from elseif.cohort import Cohort, connect, extract
from elseif.conditions import Condition
from elseif.datasets import make_stroke_cdm
from elseif.fitted_model import FittedModel
from elseif.ohdsi import save_plp_model
from elseif.posterior.rule_list import Rule, RuleList
from tests.ohdsi.models import asking_for_everything

GENDERS = {"female": 8532001, "male": 8507001}
AGE = 1002


def write_covariates(cohort: Cohort, path: Path) -> None:
    """The covariates of each person, as FeatureExtraction has them."""
    rows = ["rowId,covariateId,covariateValue"]
    ids = cohort.catalogue["covariate_id"].tolist()
    recorded = cohort.features.tocoo()
    rows += [f"{r + 1},{ids[c]},1" for r, c in zip(recorded.row, recorded.col, strict=True)]
    for person, (age, sex) in enumerate(zip(cohort.age, cohort.sex, strict=True), 1):
        rows.append(f"{person},{AGE},{age}")
        if sex in GENDERS:
            rows.append(f"{person},{GENDERS[sex]},1")
    path.write_text("\n".join(rows) + "\n")


def with_odd_conditions(model: FittedModel) -> FittedModel:
    """A list of the conditions that are hardest to say: missing, none of, between."""
    concept = next(a for a in model.rule_list.antecedents if len(a) == 1)[0].column
    antecedents = [
        Antecedent([Condition(concept, "is missing")]),
        Antecedent([Condition("age", "between", (60.0, 65.0)), Condition("sex", "!=", "male")]),
        Antecedent([Condition("sex", "in", ("male", "unknown")), Condition("age", "<", 55.0)]),
        Antecedent([Condition("age", "in", (71.0, 73.0))]),
        Antecedent([Condition(concept, "is false"), Condition("sex", "=", "female")]),
    ]
    rules = [
        Rule(antecedent, np.array([7.0 + i, 3.0]), model.metadata)
        for i, antecedent in enumerate([*antecedents, Antecedent()])
    ]
    made = RuleList(rules, model.metadata)
    return replace(model, rule_list=made, map_rule_list=made)


def main() -> None:
    source, library = Path(sys.argv[1]), sys.argv[2:]
    environment = {**os.environ, "R_LIBS": os.pathsep.join(library)} if library else None
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_stroke_cdm(folder / "one.duckdb", n_patients=400, n_others=40, random_state=1)
        with connect(folder / "one.duckdb", "cdm") as database:
            cohort = extract(database, "stroke")
        write_covariates(cohort, folder / "covariates.csv")
        everything = asking_for_everything(cohort)
        models = {"every": everything, "odd": with_odd_conditions(everything)}
        for kind, model in models.items():
            risks = model.predict_proba(cohort.table())[:, 1]
            rows = [f"{i},{float(risk)!r}" for i, risk in enumerate(risks, 1)]
            (folder / "risks.csv").write_text("\n".join(["rowId,risk", *rows]) + "\n")
            exported = save_plp_model(model, folder / kind)
            print(f"{len(rows)} persons, {len(set(risks))} different risks, conditions: {kind}")
            program = Path(__file__).with_suffix(".R")
            given = [source, exported, folder / "covariates.csv", folder / "risks.csv"]
            subprocess.run(["Rscript", "--vanilla", program, *given], check=True, env=environment)


if __name__ == "__main__":
    main()
