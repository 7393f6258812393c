"""The concepts of the nafld data: standard ones where their ids could be looked up, else local.

Ids, names and codes are those of OHDSI's PhenotypeLibrary and of public sample databases. What
could not be looked up there has an id of 2,000,000,000 or more, the range that OMOP leaves to
local concepts, and the vocabulary "nafld".
"""

from __future__ import annotations

from dataclasses import dataclass

from elseif.datasets.cdm_file import SEXES, ConceptRow

LOCAL_VOCABULARY = "nafld"
FIRST_LOCAL_ID = 2_000_000_000
RECORD_TYPE = 32817  # from an electronic health record


@dataclass(frozen=True)
class Recorded:
    """What an event or a test of the data is in the vocabulary."""

    id: int
    name: str
    code: str = ""  # in SNOMED or LOINC; empty for a local concept
    unit: str | None = None


ATRIAL_FIBRILLATION, STROKE = "afib", "stroke"

# nafld3: the data tell no kind of stroke, of diabetes or of hypertension
EVENTS = {
    ATRIAL_FIBRILLATION: Recorded(313217, "Atrial fibrillation", "49436004"),
    "ang/isc": Recorded(4185932, "Ischemic heart disease", "414545008"),
    "cardiac arrest": Recorded(321042, "Cardiac arrest", "410429000"),
    "diabetes": Recorded(201820, "Diabetes mellitus", "73211009"),
    "dyslipidemia": Recorded(FIRST_LOCAL_ID + 1, "Dyslipidemia"),
    "heart failure": Recorded(316139, "Heart failure", "84114007"),
    "htn": Recorded(316866, "Hypertensive disorder", "38341003"),
    "MI": Recorded(4329847, "Myocardial infarction", "22298006"),
    "nafld": Recorded(4026131, "Non-alcoholic fatty liver", "197315008"),
    STROKE: Recorded(381316, "Cerebrovascular accident", "230690007"),
}

# nafld2. Every value of "chol" is that of "hdl" on the same day, and every value of "dbp" that of
# "sbp": two tests were written over two others before the data were published. What stands under
# "chol" and "dbp" is therefore no cholesterol and no diastolic pressure, and gets local concepts.
TESTS = {
    "hdl": Recorded(
        3007070, "Cholesterol in HDL [Mass/volume] in Serum or Plasma", "2085-9", "mg/dL"
    ),
    "chol": Recorded(FIRST_LOCAL_ID + 11, "nafld2 chol: a copy of hdl, not total cholesterol"),
    "sbp": Recorded(3004249, "Systolic blood pressure", "8480-6", "mmHg"),
    "dbp": Recorded(FIRST_LOCAL_ID + 12, "nafld2 dbp: a copy of sbp, not diastolic pressure"),
    "fib4": Recorded(FIRST_LOCAL_ID + 13, "FIB-4 index of liver fibrosis"),
    "smoke": Recorded(FIRST_LOCAL_ID + 14, "Smoking, 1 for yes and 0 for no"),
}

# nafld1, on the day of entry
AT_ENTRY = {
    "weight": Recorded(3025315, "Body weight", "29463-7", "kg"),
    "height": Recorded(3036277, "Body height", "8302-2", "cm"),
    "bmi": Recorded(3038553, "Body mass index (BMI) [Ratio]", "39156-5", "kg/m2"),
}

# concepts that definitions of stroke ask for, of which these data have no record
NEVER_RECORDED = (
    Recorded(381591, "Cerebrovascular disease", "62914000"),
    Recorded(443454, "Cerebral infarction", "432504007"),
    Recorded(372924, "Cerebral artery occlusion", "20059004"),
    Recorded(375557, "Cerebral embolism", "75543006"),
    Recorded(441874, "Cerebral thrombosis", "71444005"),
    Recorded(373503, "Transient cerebral ischemia", "266257000"),
    Recorded(321052, "Peripheral vascular disease", "400047006"),
)

PARENTS = {
    EVENTS["MI"].id: EVENTS["ang/isc"].id,
    **dict.fromkeys(
        (EVENTS[STROKE].id, 443454, 372924, 375557, 441874, 373503), NEVER_RECORDED[0].id
    ),
}


def concept_rows() -> list[ConceptRow]:
    """Every concept of the database."""
    conditions = [*EVENTS.values(), *NEVER_RECORDED]
    measurements = [*TESTS.values(), *AT_ENTRY.values()]
    return [
        *(_row(one, "Condition", "SNOMED", "Clinical Finding") for one in conditions),
        *(_row(one, "Measurement", "LOINC", "Clinical Observation") for one in measurements),
        *SEXES,
        (RECORD_TYPE, "EHR", "Type Concept", "Type Concept", "Type Concept", "OMOP4976890"),
    ]


def ancestor_rows() -> list[tuple[int, int, int, int]]:
    """Every concept beneath itself, and those that lie beneath another of these."""
    known = [*EVENTS.values(), *NEVER_RECORDED, *TESTS.values(), *AT_ENTRY.values()]
    rows = [(one.id, one.id, 0, 0) for one in known]
    return rows + [(parent, child, 1, 1) for child, parent in PARENTS.items()]


def _row(one: Recorded, domain: str, vocabulary: str, concept_class: str) -> ConceptRow:
    if one.code:
        return one.id, one.name, domain, vocabulary, concept_class, one.code
    return one.id, one.name, domain, LOCAL_VOCABULARY, "Local", f"nafld {one.id}"
