"""A rule list as a model folder that OHDSI's PatientLevelPrediction loads and predicts with.

PatientLevelPrediction's generalised linear models (createGlmModel) sum coefficients of covariates
and put the sum through a mapping, which may be any R function. A list is expressed in this way: the
coefficients are 1 for age and powers of two for the other covariates, so that the sum tells which
of them a person has, and the mapping takes it apart again and goes through the rules.
"""

from __future__ import annotations

import csv
import io
import json
import os
from pathlib import Path
from typing import Any

from elseif.antecedents.antecedent import Antecedent
from elseif.cohort.concepts import ConceptSet
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.definition_file import definition_from
from elseif.cohort.parts import SEXES
from elseif.conditions.condition import (
    BETWEEN,
    EQUAL,
    FALSE,
    MISSING,
    ONE_OF,
    TRUE,
    UNEQUAL,
    Condition,
)
from elseif.errors import ExportError
from elseif.export.plain import header
from elseif.files.atomic import write_atomically
from elseif.files.folders import make_folder
from elseif.fitted_model import FittedModel, as_model
from elseif.ohdsi.cdm_sql import check_definition, check_recorded_ever
from elseif.posterior.rule_list import RuleList
from elseif.visible import show_name

AGE_COVARIATE, AGE_ANALYSIS, GENDER_ANALYSIS = 1002, 2, 1
AGES = 128  # more than anybody is old: what age takes of the sum
MOST_COVARIATES = 45  # besides age: a sum has 53 bits
NUMBERS = {">": ">", "<=": "<=", ">=": ">=", "<": "<", "=": "==", "!=": "!="}


def save_plp_model(
    model: Any, folder: str | os.PathLike[str], which: str | None = None, force: bool = False
) -> Path:
    """Write a folder that PatientLevelPrediction's loadPlpModel reads.

    Parameters
    ----------
    model : BayesianRuleListClassifier or FittedModel
        A model of two labels that was learnt from a cohort, whose concept ids it keeps.
    folder : str or path
        The folder; it is made if it is absent.
    which : {"point", "map", "projected"}, default=None
        The list; None for the one that predicts.
    force : bool, default=False
        Replace files that exist.

    Returns
    -------
    Path
        The folder.

    Examples
    --------
    >>> from elseif import BayesianRuleListClassifier
    >>> from elseif.cohort import connect, extract
    >>> from elseif.datasets import make_stroke_cdm
    >>> from elseif.ohdsi import save_plp_model
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("patients.duckdb", schema="cdm") as database:
    ...     cohort = extract(database, "stroke")
    >>> clf = BayesianRuleListClassifier(kernel="exact", max_cardinality=1, min_support=0.3)
    >>> folder = save_plp_model(clf.fit(cohort.table(), cohort.labels()), "plp")
    >>> sorted(path.name for path in folder.iterdir())[:2]
    ['attributes.json', 'covariateImportance.csv']
    """
    texts = plp_files(as_model(model), which)
    folder = Path(folder)
    make_folder(folder)
    for name, text in texts.items():
        write_atomically(folder / name, text, force)
    return folder


def plp_files(model: FittedModel, which: str | None = None) -> dict[str, str]:
    """The files of the folder by name."""
    if model.cohort is None:
        raise ExportError(
            "The model was not learnt from a cohort: its columns have no covariate ids."
        )
    rule_list = model.chosen_list(which)
    if len(rule_list.classes) != 2:
        raise ExportError("PatientLevelPrediction's models have two labels.")
    check_recorded_ever(model, [c.column for a in rule_list.antecedents for c in a])
    covariates = _covariates(model, [c for a in rule_list.antecedents for c in a])
    bits = {key: i for i, key in enumerate(k for k in covariates if k[0] != "age")}
    if len(bits) > MOST_COVARIATES:
        raise ExportError(
            f"The list asks for {len(bits)} covariates; at most {MOST_COVARIATES} can be encoded."
        )
    columns = {c["column"]: (c["domain"], int(c["concept_id"])) for c in model.cohort["concepts"]}
    mapping = _mapping(rule_list, bits, columns)
    ids = [covariates[key][0] for key in covariates]
    powers = [1.0 if key[0] == "age" else float(AGES * 2 ** bits[key]) for key in covariates]
    definition = definition_from(model.cohort["definition"], "The model")
    check_definition(definition, None)
    if not isinstance(definition.index, ConceptSet):
        raise ExportError("Only cohorts that begin with records of concepts are supported here.")
    glm = {
        "intercept": 0,
        "coefficients": {
            "covariateId": ids,
            "coefficient": powers,
            "attr_class": "data.frame",
            "attr_row.names": list(range(1, len(ids) + 1)),
        },
        "mapping": mapping,
        "predictionFunction": "PatientLevelPrediction::predictGlm",
    }
    domains = sorted({key[0] for key in covariates if key[0] in ANALYSES})
    documents = {
        "attributes.json": {"class": "plpModel", "modelType": "binary", "saveType": "RtoJson"},
        "model.json": glm,
        "modelDesign.json": _design(definition, ids, domains),
        "preprocessing.json": {"requiresDenseMatrix": False},
        "trainDetails.json": {
            "analysisId": "elseif",
            "developmentDatabase": _databases(model),
            "developmentDatabaseId": "unknown",
            "trainingTime": "unknown",
            "modelName": "Bayesian rule list",
            "synthetic": bool(model.is_synthetic),
            "about": list(header(model, rule_list)),
            "madeBy": f"elseif {model.training['versions'].get('elseif', '')}".strip(),
        },
    }
    texts = {
        name: json.dumps(content, indent=2, allow_nan=False) + "\n"
        for name, content in documents.items()
    }
    texts["covariateImportance.csv"] = _importance(covariates)
    return texts


# FeatureExtraction's analyses "any time before" of these domains
ANALYSES = {"condition": 101, "drug": 301}
Key = tuple[str, Any]  # ("age", None), ("sex", "female"), ("condition", concept id)
Covariate = tuple[int, str, int, int]  # covariate id, name, analysis, concept id


def _databases(model: FittedModel) -> str:
    """The sites that counted, or the name of the cohort's database."""
    if model.federation is not None:
        return ", ".join(show_name(site["site"]) for site in model.federation["sites"])
    names = [] if model.cohort is None else model.cohort["source_names"]
    return ", ".join(names) or "unknown"


def _covariates(model: FittedModel, conditions: list[Condition]) -> dict[Key, Covariate]:
    """What FeatureExtraction calls everything that conditions ask for."""
    assert model.cohort is not None
    known = {c["column"]: c for c in model.cohort["concepts"]}
    genders = {sex: concept for concept, sex in SEXES.items()}
    covariates: dict[Key, Covariate] = {}
    for condition in conditions:
        name = condition.column
        if name == "age":
            covariates["age", None] = (AGE_COVARIATE, "age in years", AGE_ANALYSIS, 0)
        elif name == "sex":
            for sex, concept in genders.items():
                covariate = concept * 1000 + GENDER_ANALYSIS
                covariates["sex", sex] = (covariate, f"gender = {sex}", GENDER_ANALYSIS, concept)
        elif name in known:
            if condition.operator not in (TRUE, FALSE, MISSING):
                raise ExportError(f"{condition.name}: a concept is recorded or not.")
            concept, analysis = int(known[name]["concept_id"]), ANALYSES[known[name]["domain"]]
            key = (str(known[name]["domain"]), concept)
            covariates[key] = (concept * 1000 + analysis, name, analysis, concept)
        else:
            raise ExportError(f"The column {name!r:.100} has no concept id, so no covariate id.")
    return covariates


class _InR:
    """Conditions as R expressions."""

    def __init__(self, bits: dict[Key, int], columns: dict[str, Key]) -> None:
        self.bits, self.columns = bits, columns

    def condition(self, condition: Condition) -> str:
        """One condition; a cohort has no missing values."""
        if condition.operator == MISSING:
            return "(value < 0)"  # false of everybody; a lone FALSE would be of one person
        if condition.column == "age":
            return self._age(condition)
        if condition.column == "sex":
            return self._sex(condition)
        bit = self._bit(self.columns[condition.column])
        return bit if condition.operator == TRUE else f"!{bit}"

    def _age(self, condition: Condition) -> str:
        if condition.operator == BETWEEN:
            low, high = condition.value
            return f"(age > {float(low)!r} & age <= {float(high)!r})"
        if condition.operator == ONE_OF:
            return f"(age %in% c({', '.join(repr(float(v)) for v in condition.value)}))"
        return f"(age {NUMBERS[condition.operator]} {float(condition.value)!r})"

    def _sex(self, condition: Condition) -> str:
        if condition.operator not in (EQUAL, UNEQUAL, ONE_OF):
            raise ExportError(f"{condition.name}: sexes have no order.")
        values = condition.value if condition.operator == ONE_OF else (condition.value,)
        parts = [self._is_sex(str(value)) for value in values]
        text = f"({' | '.join(parts)})"
        return f"!{text}" if condition.operator == UNEQUAL else text

    def _is_sex(self, value: str) -> str:
        known = list(SEXES.values())
        if value in known:
            return self._bit(("sex", value))
        return f"!({' | '.join(self._bit(('sex', sex)) for sex in known)})"

    def _bit(self, key: Key) -> str:
        return f"bit({self.bits[key]})"

    def antecedent(self, antecedent: Antecedent) -> str:
        """All conditions of a rule."""
        return " & ".join(self.condition(condition) for condition in antecedent)


def _mapping(rule_list: RuleList, bits: dict[Key, int], columns: dict[str, Key]) -> str:
    """The R function from the sum of coefficients to the risk."""
    words = _InR(bits, columns)
    *rules, last = rule_list.rules
    text = repr(float(last.probabilities[-1]))
    for rule in reversed(rules):
        risk = repr(float(rule.probabilities[-1]))
        text = f"ifelse({words.antecedent(rule.antecedent)}, {risk}, {text})"
    return (
        f"function(value) {{ age <- value %% {AGES}; code <- floor(value / {AGES}); "
        f"bit <- function(k) floor(code / 2^k) %% 2 == 1; {text} + 0 * value }}"
    )


def _design(definition: CohortDefinition, ids: list[int], domains: list[str]) -> dict[str, Any]:
    """The settings by which PatientLevelPrediction finds people and covariates."""
    first, last = definition.outcome_window
    features = {"condition": "ConditionOccurrenceAnyTimePrior", "drug": "DrugExposureAnyTimePrior"}
    return {
        "targetId": None,
        "outcomeId": None,
        "restrictPlpDataSettings": {
            "studyStartDate": "",
            "studyEndDate": "",
            "firstExposureOnly": True,
            "washoutPeriod": definition.observation_before,
            "sampleSize": None,
            "attr_class": "restrictPlpDataSettings",
        },
        "covariateSettings": {
            "temporal": False,
            "temporalSequence": False,
            "DemographicsGender": True,
            "DemographicsAge": True,
            **{features[domain]: True for domain in domains},
            "longTermStartDays": -365,
            "mediumTermStartDays": -180,
            "shortTermStartDays": -30,
            "endDays": -1,  # what is recorded on the index date does not count
            "includedCovariateConceptIds": [],
            "addDescendantsToInclude": False,
            "excludedCovariateConceptIds": [],
            "addDescendantsToExclude": False,
            "includedCovariateIds": ids,
            "attr_fun": "getDbDefaultCovariateData",
            "attr_class": "covariateSettings",
        },
        "populationSettings": {
            "binary": True,
            "includeAllOutcomes": definition.include_all_outcomes,
            "firstExposureOnly": True,
            "washoutPeriod": definition.observation_before,
            "removeSubjectsWithPriorOutcome": definition.outcome_must_be_new,
            "priorOutcomeLookback": 99999,
            "requireTimeAtRisk": True,
            "minTimeAtRisk": definition.observation_after - first,
            "riskWindowStart": first,
            "startAnchor": "cohort start",
            "riskWindowEnd": last,
            "endAnchor": "cohort start",
            "restrictTarToCohortEnd": False,
            "attr_class": "populationSettings",
        },
        "preprocessSettings": {
            "minFraction": 0,
            "normalize": False,
            "removeRedundancy": False,
            "attr_class": "preprocessSettings",
        },
        "modelSettings": {
            "param": {},
            "settings": {
                "modelName": "Bayesian rule list",
                "predict": "predictGlm",
                "saveType": "RtoJson",
                "modelType": "binary",
            },
            "attr_class": "modelSettings",
        },
        "attr_class": "modelDesign",
    }


def _importance(covariates: dict[Key, Covariate]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    head = ("covariateId", "covariateName", "analysisId", "conceptId", "covariateValue", "included")
    writer.writerow(head)
    for covariate, name, analysis, concept in covariates.values():
        writer.writerow([covariate, name, analysis, concept, 1, 1])
    return out.getvalue()
