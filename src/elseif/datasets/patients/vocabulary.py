"""The concepts of the synthetic database: real ones where their ids are known, else local.

Ids, names and codes are those of OHDSI's PhenotypeLibrary and of the public sample databases.
Whatever could not be looked up there has an id of 2,000,000,000 or more, the range that OMOP
leaves to local concepts, and the vocabulary "elseif synthetic".
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

FIRST_LOCAL_ID = 2_000_000_000
SYNTHETIC_RECORD = FIRST_LOCAL_ID  # the type of every record
FIRST_MADE_UP_ID = FIRST_LOCAL_ID + 10_000
LOCAL_VOCABULARY = "elseif synthetic"
FACTORS = ("brain", "heart", "metabolism", "lung", "mind")

ATRIAL_FIBRILLATION = 313217
WARFARIN = 1310149
HEMIPLEGIA = FIRST_LOCAL_ID + 1
CEREBROVASCULAR_DISEASE = 381591
TRANSIENT_ISCHEMIA = 373503
CAROTID = FIRST_LOCAL_ID + 2
CONSCIOUSNESS = 376961
LATE_EFFECTS = 434056
FIRST_SUBTYPE_ID = FIRST_LOCAL_ID + 100
UNDER_DISEASE = (CEREBROVASCULAR_DISEASE,)


@dataclass(frozen=True)
class Known:
    """A concept with a name of its own, and how common it is before the diagnosis."""

    id: int
    name: str
    code: str  # in SNOMED or RxNorm; empty for a local concept
    share: float  # of the qualifying patients; 0 where it is no candidate predictor
    factor: str = ""  # what it correlates with, besides the burden of disease
    on_factor: float = 0.55  # how much
    parents: tuple[int, ...] = ()
    drug: bool = False
    at_any_age: bool = False  # as common in the young as in the old

    @property
    def vocabulary(self) -> str:
        if not self.code:
            return LOCAL_VOCABULARY
        return "RxNorm" if self.drug else "SNOMED"

    @property
    def concept_class(self) -> str:
        return "Ingredient" if self.drug else "Clinical Finding"


def _subtype(number: int, parent: int, of: str, share: float, factor: str) -> Known:
    name = f"synthetic subtype of {of}"
    return Known(FIRST_SUBTYPE_ID + number, name, "", share, factor, parents=(parent,))


# first recorded on the index date or later
INDEX_CONCEPTS = (
    Known(ATRIAL_FIBRILLATION, "Atrial fibrillation", "49436004", 0.0),
    Known(
        FIRST_SUBTYPE_ID,
        "synthetic subtype of Atrial fibrillation, first",
        "",
        0.0,
        parents=(ATRIAL_FIBRILLATION,),
    ),
    Known(
        FIRST_SUBTYPE_ID + 1,
        "synthetic subtype of Atrial fibrillation, second",
        "",
        0.0,
        parents=(ATRIAL_FIBRILLATION, FIRST_SUBTYPE_ID),
    ),
)

# the conditions of the paper's figure 4, in its order
PLANTED_CONCEPTS = (
    Known(HEMIPLEGIA, "Hemiplegia", "", 0.110, "brain", 0.90),
    Known(CEREBROVASCULAR_DISEASE, "Cerebrovascular disease", "62914000", 0.104, "brain", 0.90),
    Known(TRANSIENT_ISCHEMIA, "Transient cerebral ischemia", "266257000", 0.104, "brain", 0.80),
    Known(
        CAROTID,
        "Occlusion and stenosis of carotid artery without infarction",
        "",
        0.104,
        "brain",
        0.70,
    ),
    Known(
        CONSCIOUSNESS,
        "Disturbance of consciousness",
        "3006004",
        0.124,
        "brain",
        0.70,
        at_any_age=True,
    ),
)

STROKES = (
    Known(443454, "Cerebral infarction", "432504007", 0.08, "brain", 0.85, UNDER_DISEASE),
    Known(
        4110192,
        "Cerebral infarction due to thrombosis of cerebral arteries",
        "195189003",
        0.01,
        "brain",
        0.85,
        (443454,),
    ),
    _subtype(2, 443454, "Cerebral infarction", 0.008, "brain"),
    Known(372924, "Cerebral artery occlusion", "20059004", 0.06, "brain", 0.85, UNDER_DISEASE),
    Known(375557, "Cerebral embolism", "75543006", 0.02, "brain", 0.85, UNDER_DISEASE),
    Known(441874, "Cerebral thrombosis", "71444005", 0.015, "brain", 0.85, UNDER_DISEASE),
)

CONDITIONS = (
    Known(
        LATE_EFFECTS, "Late effects of cerebrovascular disease", "195239002", 0.04, "brain", 0.85
    ),
    Known(316866, "Hypertensive disorder", "38341003", 0.30, "metabolism"),
    Known(320128, "Essential hypertension", "59621000", 0.60, "metabolism", parents=(316866,)),
    _subtype(3, 316866, "Hypertensive disorder", 0.04, "metabolism"),
    Known(201820, "Diabetes mellitus", "73211009", 0.12, "metabolism"),
    Known(201826, "Type 2 diabetes mellitus", "44054006", 0.28, "metabolism", parents=(201820,)),
    _subtype(4, 201826, "Type 2 diabetes mellitus", 0.03, "metabolism"),
    Known(442793, "Complication due to diabetes mellitus", "74627003", 0.05, "metabolism"),
    Known(
        192279,
        "Disorder of kidney due to diabetes mellitus",
        "127013003",
        0.04,
        "metabolism",
        parents=(442793,),
    ),
    Known(
        4174977,
        "Retinopathy due to diabetes mellitus",
        "4855003",
        0.04,
        "metabolism",
        parents=(442793,),
    ),
    Known(316139, "Heart failure", "84114007", 0.27, "heart"),
    Known(
        4229440, "Chronic congestive heart failure", "88805009", 0.16, "heart", parents=(316139,)
    ),
    Known(
        314378,
        "Hypertensive heart disease with congestive heart failure",
        "5148006",
        0.04,
        "heart",
        parents=(316139, 316866),
    ),
    _subtype(5, 4229440, "Chronic congestive heart failure", 0.03, "heart"),
    Known(321319, "Cardiomyopathy", "85898001", 0.06, "heart"),
    Known(4329847, "Myocardial infarction", "22298006", 0.06, "heart"),
    Known(312327, "Acute myocardial infarction", "57054005", 0.07, "heart", parents=(4329847,)),
    Known(318443, "Arteriosclerotic vascular disease", "72092001", 0.06, "heart"),
    Known(317576, "Coronary arteriosclerosis", "53741008", 0.27, "heart", parents=(318443,)),
    Known(321052, "Peripheral vascular disease", "400047006", 0.11, "heart"),
    Known(432867, "Hyperlipidemia", "55822004", 0.36, "metabolism"),
    Known(443597, "Chronic kidney disease stage 3", "433144002", 0.07, "metabolism"),
    Known(440674, "Gout", "90560007", 0.06, "metabolism"),
    Known(255848, "Pneumonia", "233604007", 0.18, "lung"),
    Known(317009, "Asthma", "195967001", 0.12, "lung"),
    Known(261325, "Pulmonary emphysema", "87433001", 0.08, "lung"),
    Known(260139, "Acute bronchitis", "10509002", 0.15, "lung"),
    Known(439777, "Anemia", "271737000", 0.24),
    Known(140673, "Hypothyroidism", "40930008", 0.13),
    Known(80502, "Osteoporosis", "64859006", 0.10),
    Known(80809, "Rheumatoid arthritis", "69896004", 0.04),
    Known(436096, "Chronic pain", "82423001", 0.12),
    Known(4027663, "Peptic ulcer", "13200003", 0.04),
    Known(378419, "Alzheimer's disease", "26929004", 0.05, "mind"),
    Known(380378, "Epilepsy", "84757009", 0.05, "mind"),
    Known(4152280, "Major depressive disorder", "370143000", 0.14, "mind"),
)


def _drug(id_: int, name: str, code: str, share: float, factor: str = "") -> Known:
    return Known(id_, name, code, share, factor, drug=True)


DRUGS = (
    _drug(WARFARIN, "warfarin", "11289", 0.05, "heart"),
    _drug(1112807, "aspirin", "1191", 0.22, "heart"),
    _drug(1322184, "clopidogrel", "32968", 0.09, "heart"),
    _drug(1307046, "metoprolol", "6918", 0.24, "heart"),
    _drug(1307863, "verapamil", "11170", 0.03, "heart"),
    _drug(1309944, "amiodarone", "703", 0.02, "heart"),
    _drug(1326303, "digoxin", "3407", 0.06, "heart"),
    _drug(956874, "furosemide", "4603", 0.28, "heart"),
    _drug(1361711, "nitroglycerin", "4917", 0.11, "heart"),
    _drug(1332418, "amlodipine", "17767", 0.17, "metabolism"),
    _drug(974166, "hydrochlorothiazide", "5487", 0.16, "metabolism"),
    _drug(1503297, "metformin", "6809", 0.13, "metabolism"),
    _drug(1550023, "insulin lispro", "86009", 0.05, "metabolism"),
    _drug(1539403, "simvastatin", "36567", 0.18, "metabolism"),
    _drug(1545958, "atorvastatin", "83367", 0.16, "metabolism"),
    _drug(1167322, "allopurinol", "519", 0.04, "metabolism"),
    _drug(1154343, "albuterol", "435", 0.22, "lung"),
    _drug(1149380, "fluticasone", "41126", 0.12, "lung"),
    _drug(1551099, "prednisone", "8640", 0.15, "lung"),
    _drug(1713332, "amoxicillin", "723", 0.15, "lung"),
    _drug(1501700, "levothyroxine", "10582", 0.12),
    _drug(1125315, "acetaminophen", "161", 0.30),
    _drug(1177480, "ibuprofen", "5640", 0.11),
    _drug(1174888, "hydrocodone", "5489", 0.24),
    _drug(1124957, "oxycodone", "7804", 0.12),
    _drug(1557272, "alendronate", "46041", 0.05),
    _drug(715997, "donepezil", "135447", 0.05, "mind"),
    _drug(701322, "memantine", "6719", 0.03, "mind"),
    _drug(739138, "sertraline", "36437", 0.08, "mind"),
    _drug(755695, "fluoxetine", "4493", 0.05, "mind"),
)

PREDICTORS = (*PLANTED_CONCEPTS, *STROKES, *CONDITIONS, *DRUGS)


@dataclass(frozen=True)
class Catalogue:
    """The candidate predictors in order: the known ones, then those that are made up."""

    ids: np.ndarray
    names: tuple[str, ...]
    drug: np.ndarray
    shares: np.ndarray  # of the qualifying patients
    burden_loads: np.ndarray  # correlation of a made-up concept's liability with the burden

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def place(self) -> dict[int, int]:
        """Where a known concept stands."""
        return {concept.id: i for i, concept in enumerate(PREDICTORS)}


def make_catalogue(n_concepts: int, rng: np.random.Generator) -> Catalogue:
    """The known predictors, and made-up ones whose popularity falls with their rank."""
    n_made_up = n_concepts - len(PREDICTORS)
    drug = rng.random(n_made_up) < 0.35
    rank = rng.permutation(n_made_up) + 1
    shares = 0.455 / (1 + (rank / 43.0) ** 1.15)
    width = max(4, len(str(n_concepts)))
    counts = np.where(drug, np.cumsum(drug), np.cumsum(~drug))
    names = [
        f"synthetic {'drug' if is_drug else 'condition'} {count:0{width}d}"
        for is_drug, count in zip(drug, counts, strict=True)
    ]
    return Catalogue(
        ids=np.append([c.id for c in PREDICTORS], FIRST_MADE_UP_ID + np.arange(n_made_up)),
        names=(*(c.name for c in PREDICTORS), *names),
        drug=np.append([c.drug for c in PREDICTORS], drug),
        shares=np.append([c.share for c in PREDICTORS], shares),
        burden_loads=np.append(np.full(len(PREDICTORS), 0.4), rng.uniform(0.2, 0.68, n_made_up)),
    )


def ancestor_rows() -> list[tuple[int, int, int, int]]:
    """Ancestor, descendant, fewest and most steps between them, of all named concepts."""
    parents = {concept.id: concept.parents for concept in (*INDEX_CONCEPTS, *PREDICTORS)}
    rows = []
    for descendant in parents:
        steps: dict[int, tuple[int, int]] = {descendant: (0, 0)}
        waiting = [(descendant, 0)]
        while waiting:
            below, depth = waiting.pop()
            for parent in parents[below]:
                least, most = steps.get(parent, (depth + 1, depth + 1))
                steps[parent] = (min(least, depth + 1), max(most, depth + 1))
                waiting.append((parent, depth + 1))
        rows += [(ancestor, descendant, least, most) for ancestor, (least, most) in steps.items()]
    return rows
