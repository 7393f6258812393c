"""Persons made by hand, each at one edge of the definition, and what is right for each.

Nearly all of them are diagnosed on 2015-06-01.  365 days before that is 2014-06-01; 365 days
after it is 2016-05-31, because 2016 has a 29 February.
"""

from __future__ import annotations

from datetime import date

from tests.cohort.rows import Tables

# conditions: the diseases that matter have their true concept ids, the others are local ones
AF, PAROXYSMAL = 313217, 4154290
AFTER_SURGERY, AFTER_SURGERY_RESOLVED = 2_000_000_010, 2_000_000_011
INFARCTION, LACUNAR = 443454, 2_000_000_020
OCCLUSION, OCCLUSION_LEFT = 372924, 2_000_000_021
HYPERTENSION, ESSENTIAL = 316866, 320128
DIABETES, SECONDARY_DIABETES, STEROID_DIABETES = 201820, 195771, 2_000_000_030
COUGH, UNNAMED_CONDITION = 254761, 2_000_000_031
# drugs
WARFARIN, DIGOXIN = 1310149, 1326303
ASPIRIN, OTHER_ASPIRIN, COUGH_DRUG = 2_000_000_040, 2_000_000_041, 2_000_000_042
UNNAMED_DRUG = 2_000_000_050

FEMALE, MALE, OTHER_GENDER = 8532, 8507, 8521


def d(text: str) -> date:
    return date.fromisoformat(text)


# concept_id, concept_name
CONCEPTS = [
    (0, "No matching concept"),
    (AF, "Atrial fibrillation"),
    (PAROXYSMAL, "Paroxysmal atrial fibrillation"),
    (AFTER_SURGERY, "Atrial fibrillation after surgery"),
    (AFTER_SURGERY_RESOLVED, "Atrial fibrillation after surgery, resolved"),
    (INFARCTION, "Cerebral infarction"),
    (LACUNAR, "Lacunar infarction"),
    (OCCLUSION, "Cerebral artery occlusion"),
    (OCCLUSION_LEFT, "Cerebral artery occlusion, left"),
    (HYPERTENSION, "Hypertensive disorder"),
    (ESSENTIAL, "Essential hypertension"),
    (DIABETES, "Diabetes mellitus"),
    (SECONDARY_DIABETES, "Secondary diabetes mellitus"),
    (STEROID_DIABETES, "Diabetes mellitus due to steroids"),
    (COUGH, "Cough"),
    (WARFARIN, "warfarin"),
    (DIGOXIN, "digoxin"),
    # two concepts of one name, and a drug that has the name of a condition
    (ASPIRIN, "aspirin 81 MG Oral Tablet"),
    (OTHER_ASPIRIN, "aspirin 81 MG Oral Tablet"),
    (COUGH_DRUG, "Cough"),
    # UNNAMED_CONDITION and UNNAMED_DRUG are recorded, but have no row here
]

# ancestor_concept_id, descendant_concept_id: most have a row for themselves, as the vocabulary
# has; digoxin and cough have none, which must not matter
ANCESTORS = [
    (AF, AF),
    (AF, PAROXYSMAL),
    (AF, AFTER_SURGERY),
    (AF, AFTER_SURGERY_RESOLVED),
    (PAROXYSMAL, PAROXYSMAL),
    (AFTER_SURGERY, AFTER_SURGERY),
    (AFTER_SURGERY, AFTER_SURGERY_RESOLVED),
    (INFARCTION, INFARCTION),
    (INFARCTION, LACUNAR),
    (OCCLUSION, OCCLUSION),
    (OCCLUSION, OCCLUSION_LEFT),
    (HYPERTENSION, HYPERTENSION),
    (HYPERTENSION, ESSENTIAL),
    (DIABETES, DIABETES),
    (DIABETES, SECONDARY_DIABETES),
    (DIABETES, STEROID_DIABETES),
    (SECONDARY_DIABETES, SECONDARY_DIABETES),
    (SECONDARY_DIABETES, STEROID_DIABETES),
]

# person_id, gender_concept_id, year_of_birth
PERSONS: list[tuple[int, int | None, int | None]] = []
# person_id, start, end
PERIODS: list[tuple[int, date, date]] = []
# person_id, concept, start
CONDITIONS: list[tuple[int, int, date]] = []
DRUGS: list[tuple[int, int, date]] = []


def person(person_id: int, gender: int | None, born: int | None) -> None:
    PERSONS.append((person_id, gender, born))


def observed(person_id: int, start: str, end: str) -> None:
    PERIODS.append((person_id, d(start), d(end)))


def condition(person_id: int, concept: int, day: str) -> None:
    CONDITIONS.append((person_id, concept, d(day)))


def drug(person_id: int, concept: int, day: str) -> None:
    DRUGS.append((person_id, concept, d(day)))


# 1 qualifies with not a day to spare on either side; the drug of the day before counts, the
# drug of the index date does not; a stroke on the last day of the window counts
person(1, FEMALE, 1945)
observed(1, "2014-06-01", "2016-05-31")
condition(1, AF, "2015-06-01")
drug(1, WARFARIN, "2015-05-31")
drug(1, DIGOXIN, "2015-06-01")
condition(1, INFARCTION, "2016-05-31")

# 2 lacks one day of observation before
person(2, FEMALE, 1945)
observed(2, "2014-06-02", "2018-12-31")
condition(2, AF, "2015-06-01")

# 3 lacks one day of observation after
person(3, MALE, 1945)
observed(3, "2010-01-01", "2016-05-30")
condition(3, AF, "2015-06-01")

# 4 has a stroke on the index date: neither outcome nor history
person(4, MALE, 1950)
observed(4, "2010-01-01", "2018-12-31")
condition(4, AF, "2015-06-01")
condition(4, INFARCTION, "2015-06-01")
condition(4, COUGH, "2015-05-31")

# 5 has a stroke of a narrower kind on the first day of the window
person(5, FEMALE, 1955)
observed(5, "2010-01-01", "2018-12-31")
condition(5, AF, "2015-06-01")
condition(5, LACUNAR, "2015-06-02")

# 6 has a stroke one day after the window; the day before the index date brings one as well,
# which is history and no outcome
person(6, MALE, 1960)
observed(6, "2010-01-01", "2018-12-31")
condition(6, AF, "2015-06-01")
condition(6, INFARCTION, "2015-05-31")
condition(6, INFARCTION, "2016-06-01")

# 7 has an occlusion, which the outcome includes without its descendants; before that it has one
# of a narrower kind, which belongs to the group, that includes the same concept with them
person(7, FEMALE, 1940)
observed(7, "2010-01-01", "2018-12-31")
condition(7, AF, "2015-06-01")
condition(7, OCCLUSION, "2015-09-09")
condition(7, OCCLUSION_LEFT, "2015-05-01")

# 8 has such a descendant: no outcome
person(8, MALE, 1940)
observed(8, "2010-01-01", "2018-12-31")
condition(8, AF, "2015-06-01")
condition(8, OCCLUSION_LEFT, "2015-09-09")

# 9 has two diagnoses: the first is too early in the period, and the second is not the first
person(9, FEMALE, 1945)
observed(9, "2012-06-01", "2018-12-31")
condition(9, AF, "2013-01-01")
condition(9, AF, "2015-06-01")

# 10 has two diagnoses: the earlier is of a narrower kind and wins; the drug between the two is
# no history; the stroke is 365 days after the earlier one
person(10, MALE, 1944)
observed(10, "2010-01-01", "2018-12-31")
condition(10, AF, "2015-06-01")
condition(10, PAROXYSMAL, "2014-12-01")
drug(10, WARFARIN, "2015-03-01")
drug(10, DIGOXIN, "2014-11-30")
condition(10, INFARCTION, "2015-12-01")

# 11 has two diagnoses: the first lies before all observation
person(11, FEMALE, 1945)
observed(11, "2012-01-01", "2018-12-31")
condition(11, AF, "2010-01-01")
condition(11, AF, "2015-06-01")

# 12 has a gap in observation, which ends a month before the index date
person(12, MALE, 1945)
observed(12, "2010-01-01", "2015-03-31")
observed(12, "2015-05-01", "2018-12-31")
condition(12, AF, "2015-06-01")

# 13 has two periods without a day between them: they are not joined
person(13, FEMALE, 1945)
observed(13, "2010-01-01", "2015-05-31")
observed(13, "2015-06-01", "2018-12-31")
condition(13, AF, "2015-06-01")

# 14 has overlapping periods, one long enough before and the other after: neither suffices
person(14, MALE, 1945)
observed(14, "2010-01-01", "2015-12-31")
observed(14, "2014-12-01", "2018-12-31")
condition(14, AF, "2015-06-01")

# 15 has overlapping periods of which one suffices
person(15, FEMALE, 1965)
observed(15, "2014-12-01", "2015-12-31")
observed(15, "2010-01-01", "2018-12-31")
condition(15, AF, "2015-06-01")

# 16 has nothing but a kind that is excluded with its descendants
person(16, MALE, 1945)
observed(16, "2010-01-01", "2018-12-31")
condition(16, AFTER_SURGERY_RESOLVED, "2015-06-01")

# 17 has the excluded kind first: the diagnosis proper is the index, the other is history
person(17, FEMALE, 1935)
observed(17, "2010-01-01", "2018-12-31")
condition(17, AFTER_SURGERY, "2014-01-15")
condition(17, AF, "2015-06-01")

# 18 is in every table but person
observed(18, "2010-01-01", "2018-12-31")
condition(18, AF, "2015-06-01")
drug(18, WARFARIN, "2015-01-01")

# 19 has no year of birth, 20 is born in the year after the index date
person(19, MALE, None)
observed(19, "2010-01-01", "2018-12-31")
condition(19, AF, "2015-06-01")
person(20, FEMALE, 2016)
observed(20, "2010-01-01", "2018-12-31")
condition(20, AF, "2015-06-01")

# 21 is born in the year of the index date, 22 would be 120 and 23 would be 121
person(21, MALE, 2015)
observed(21, "2010-01-01", "2018-12-31")
condition(21, AF, "2015-06-01")
person(22, FEMALE, 1895)
observed(22, "2010-01-01", "2018-12-31")
condition(22, AF, "2015-06-01")
person(23, MALE, 1894)
observed(23, "2010-01-01", "2018-12-31")
condition(23, AF, "2015-06-01")

# 24 to 26 have a gender of 0, none, and one that is neither female nor male
person(24, 0, 1945)
observed(24, "2010-01-01", "2018-12-31")
condition(24, AF, "2015-06-01")
person(25, None, 1945)
observed(25, "2010-01-01", "2018-12-31")
condition(25, AF, "2015-06-01")
person(26, OTHER_GENDER, 1945)
observed(26, "2010-01-01", "2018-12-31")
condition(26, AF, "2015-06-01")

# 27 is observed, but nothing was ever recorded; 28 is not even observed
person(27, FEMALE, 1945)
observed(27, "2010-01-01", "2018-12-31")
person(28, MALE, 1945)

# 29 has hypertension of a narrower kind, and a diabetes that the group excludes
person(29, FEMALE, 1946)
observed(29, "2010-01-01", "2018-12-31")
condition(29, AF, "2015-06-01")
condition(29, ESSENTIAL, "2015-05-31")
condition(29, STEROID_DIABETES, "2013-02-03")

# 30 has hypertension on the index date, which is too late, and diabetes long before any
# observation, which is early enough
person(30, MALE, 1947)
observed(30, "2010-01-01", "2018-12-31")
condition(30, AF, "2015-06-01")
condition(30, HYPERTENSION, "2015-06-01")
condition(30, DIABETES, "1999-12-31")

# 31 has records without a concept, records of concepts without a name, both aspirins, and the
# cough as a disease and as a drug, some of them many times
person(31, FEMALE, 1948)
observed(31, "2010-01-01", "2018-12-31")
condition(31, AF, "2015-06-01")
condition(31, AF, "2015-06-01")
condition(31, AF, "2016-06-01")
condition(31, 0, "2012-01-01")
condition(31, 0, "2012-01-02")
drug(31, 0, "2012-01-03")
condition(31, UNNAMED_CONDITION, "2012-01-01")
drug(31, UNNAMED_DRUG, "2012-01-01")
condition(31, COUGH, "2012-01-01")
drug(31, COUGH_DRUG, "2012-01-01")
drug(31, ASPIRIN, "2012-01-01")
drug(31, ASPIRIN, "2013-01-01")
drug(31, OTHER_ASPIRIN, "2014-01-01")

# 32 has no diagnosis of the index condition, and every feature: nothing of it may leak
person(32, MALE, 1949)
observed(32, "2010-01-01", "2018-12-31")
condition(32, SECONDARY_DIABETES, "2012-01-01")
condition(32, INFARCTION, "2015-07-01")
drug(32, WARFARIN, "2012-01-01")
condition(32, 0, "2012-01-01")

# 33 is in observation_period alone, and 34 in drug_exposure alone
observed(33, "2010-01-01", "2018-12-31")
drug(34, WARFARIN, "2012-01-01")

# 35 has the diagnosis on the first day of an older period and on no other: a long period that
# does not contain the index date is of no use
person(35, FEMALE, 1945)
observed(35, "2005-01-01", "2014-12-31")
condition(35, AF, "2015-06-01")

# 36 is born after everything in the database and was never observed; 37 is born after the last
# year in which it was observed
person(36, MALE, 2030)
person(37, FEMALE, 2019)
observed(37, "2010-01-01", "2018-12-31")

# 38 has a period that ends before it begins
person(38, MALE, 1945)
observed(38, "2018-12-31", "2010-01-01")
condition(38, AF, "2015-06-01")

TABLES = Tables(PERSONS, PERIODS, CONDITIONS, DRUGS, CONCEPTS, ANCESTORS)

# person -> index date, outcome, age, sex, names of features, names of groups
ANSWER: dict[int, tuple[str, bool, int, str, set[str], set[str]]] = {
    1: ("2015-06-01", True, 70, "female", {"warfarin"}, set()),
    4: ("2015-06-01", False, 65, "male", {f"Cough (concept {COUGH})"}, set()),
    5: ("2015-06-01", True, 60, "female", set(), set()),
    6: ("2015-06-01", False, 55, "male", {"Cerebral infarction"}, set()),
    7: ("2015-06-01", True, 75, "female", {"Cerebral artery occlusion, left"}, {"occlusion"}),
    8: ("2015-06-01", False, 75, "male", set(), set()),
    10: ("2014-12-01", True, 70, "male", {"digoxin"}, set()),
    15: ("2015-06-01", False, 50, "female", set(), set()),
    17: ("2015-06-01", False, 80, "female", {"Atrial fibrillation after surgery"}, set()),
    21: ("2015-06-01", False, 0, "male", set(), set()),
    22: ("2015-06-01", False, 120, "female", set(), set()),
    24: ("2015-06-01", False, 70, "unknown", set(), set()),
    25: ("2015-06-01", False, 70, "unknown", set(), set()),
    26: ("2015-06-01", False, 70, "unknown", set(), set()),
    29: (
        "2015-06-01",
        False,
        69,
        "female",
        {"Essential hypertension", "Diabetes mellitus due to steroids"},
        {"hypertension"},
    ),
    30: ("2015-06-01", False, 68, "male", {"Diabetes mellitus"}, {"diabetes"}),
    31: (
        "2015-06-01",
        False,
        67,
        "female",
        {
            "concept 2000000031",
            "concept 2000000050",
            "Cough (concept 254761)",
            "Cough (concept 2000000042)",
            "aspirin 81 MG Oral Tablet (concept 2000000040)",
            "aspirin 81 MG Oral Tablet (concept 2000000041)",
        },
        set(),
    ),
}

# persons left, and who went: by the steps of the attrition
ATTRITION = [
    (30, 0),  # with the index condition: not 16, 27, 28, 32, 33, 34, 36, 37
    (29, 1),  # in person: not 18
    (26, 3),  # with an age: not 19, 20, 23
    (23, 3),  # observed on the index date: not 11, 35, 38
    (19, 4),  # for a year before: not 2, 9, 12, 13
    (17, 2),  # and for a year after: not 3, 14
]

# records and persons of each hole
ISSUES = {
    "observation periods of nobody in person": (2, 2),  # 18, 33
    "observation periods without a begin or an end": (0, 0),
    "observation periods that end before they begin": (1, 1),  # 38
    "conditions of nobody in person": (1, 1),  # 18
    "conditions without a concept (none, or 0)": (3, 2),  # 31 twice, 32
    "conditions without a start date": (0, 0),
    "drugs of nobody in person": (2, 2),  # 18, 34
    "drugs without a concept (none, or 0)": (1, 1),  # 31
    "drugs without a start date": (0, 0),
    "persons without a year of birth": (1, 1),  # 19
    "persons born after the last year in which they were observed": (
        2,
        2,
    ),  # 36, 37    # 31's two concepts without a row in concept
    "members' features that the table concept lacks": (2, 1),
    "members with stroke on the index date, not counted": (1, 1),  # 4
}

# name, concept_id, domain, covariate_id: by domain, then by concept; the covariate's last three
# digits are OHDSI's analyses 101 (a condition any time prior) and 301 (a drug any time prior)
CATALOGUE = [
    ("Diabetes mellitus", 201820, "condition", 201820101),
    ("Cough (concept 254761)", 254761, "condition", 254761101),
    ("Essential hypertension", 320128, "condition", 320128101),
    ("Cerebral infarction", 443454, "condition", 443454101),
    ("Atrial fibrillation after surgery", 2000000010, "condition", 2000000010101),
    ("Cerebral artery occlusion, left", 2000000021, "condition", 2000000021101),
    ("Diabetes mellitus due to steroids", 2000000030, "condition", 2000000030101),
    ("concept 2000000031", 2000000031, "condition", 2000000031101),
    ("warfarin", 1310149, "drug", 1310149301),
    ("digoxin", 1326303, "drug", 1326303301),
    ("aspirin 81 MG Oral Tablet (concept 2000000040)", 2000000040, "drug", 2000000040301),
    ("aspirin 81 MG Oral Tablet (concept 2000000041)", 2000000041, "drug", 2000000041301),
    ("Cough (concept 2000000042)", 2000000042, "drug", 2000000042301),
    ("concept 2000000050", 2000000050, "drug", 2000000050301),
]
