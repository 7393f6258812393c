"""A slow reference for the extraction: one person at a time, sets and loops, no SQL.

It knows the definition (plain data) and the data frames of the six tables, and never imports
what `elseif.cohort` extracts with.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

import pandas as pd

from elseif.cohort import CohortDefinition, ConceptSet

SEX = {8532: "female", 8507: "male"}
ANALYSIS = {"condition": 101, "drug": 301}
# why a person with the index condition is not in the cohort, in the order of the attrition
REASONS = ("no person", "no age", "not observed", "before too short", "after too short")
NOT_NEW = "not new"  # a further step, where the definition asks for it

Frames = Mapping[str, pd.DataFrame]
Feature = tuple[str, int]


@dataclass
class Patient:
    """One person of the cohort."""

    index_date: date
    outcome: bool
    age: int
    sex: str
    features: set[Feature]
    groups: set[str]


@dataclass
class NaiveCohort:
    """What the extraction should give, in plain sets."""

    patients: dict[int, Patient]
    names: dict[Feature, str]
    n_with_index: int
    reasons: Counter[str]
    must_be_new: bool
    lost_outcomes: int  # of those who leave after it, and would else be members

    @property
    def attrition(self) -> list[int]:
        """How many persons are left at the start, and after each reason to leave."""
        left = [self.n_with_index]
        for reason in (*REASONS, *([NOT_NEW] if self.must_be_new else [])):
            left.append(left[-1] - self.reasons[reason])
        return left


@dataclass
class _History:
    """Everything about one person, read once."""

    periods: list[tuple[date, date]]
    conditions: list[tuple[int, date]]
    drugs: list[tuple[int, date]]


def naive_extraction(frames: Frames, definition: CohortDefinition) -> NaiveCohort:
    """The cohort of a definition, by looking at every person in turn."""
    people = _people(frames["person"])
    histories = _histories(frames)
    index = members(definition.index, frames["concept_ancestor"])
    outcome = members(definition.outcome, frames["concept_ancestor"])
    groups = {
        name: members(concepts, frames["concept_ancestor"])
        for name, concepts in definition.groups.items()
    }
    patients: dict[int, Patient] = {}
    reasons: Counter[str] = Counter()
    n_with_index = lost_outcomes = 0
    for person_id, history in histories.items():
        days = [day for concept, day in history.conditions if concept in index]
        if not days:
            continue
        n_with_index += 1
        first = min(days)
        reason = _reason_to_leave(people.get(person_id), history, first, definition)
        low, high = definition.outcome_window
        window = {first + timedelta(days=n) for n in range(low, high + 1)}
        is_new = not any(c in outcome and day <= first for c, day in history.conditions)
        is_wanted = is_new or not definition.outcome_must_be_new
        if reason == REASONS[-1] and any(
            c in outcome and day in window and day <= _last_day(history, first, definition)
            for c, day in history.conditions
        ):
            if definition.include_all_outcomes:
                reason = ""
            elif is_wanted:
                lost_outcomes += 1
        if not reason and not is_wanted:
            reason = NOT_NEW
        if reason:
            reasons[reason] += 1
            continue
        gender, born = people[person_id]
        before = {("condition", concept) for concept, day in history.conditions if day < first}
        before |= {("drug", concept) for concept, day in history.drugs if day < first}
        features = {f for f in before if f[0] in definition.domains and f[1] != 0}
        patients[person_id] = Patient(
            index_date=first,
            outcome=any(c in outcome and day in window for c, day in history.conditions),
            age=first.year - born,
            sex=SEX.get(gender, "unknown"),
            features=features,
            groups={
                name
                for name, members in groups.items()
                if any(concept in members for _, concept in features)
            },
        )
    every = set().union(*(patient.features for patient in patients.values()))
    return NaiveCohort(
        patients,
        _names(every, frames["concept"]),
        n_with_index,
        reasons,
        definition.outcome_must_be_new,
        lost_outcomes,
    )


def _last_day(history: _History, first: date, definition: CohortDefinition) -> date:
    """Until when a person was observed, in a period that begins early enough."""
    return max(
        end
        for start, end in history.periods
        if start <= first <= end and (first - start).days >= definition.observation_before
    )


def _reason_to_leave(
    person: tuple[int, int | None] | None,
    history: _History,
    first: date,
    definition: CohortDefinition,
) -> str:
    if person is None:
        return "no person"
    born = person[1]
    if born is None or not 0 <= first.year - born <= 120:
        return "no age"
    around = [(start, end) for start, end in history.periods if start <= first <= end]
    if not around:
        return "not observed"
    enough_before = [
        (start, end)
        for start, end in around
        if (first - start).days >= definition.observation_before
    ]
    if not enough_before:
        return "before too short"
    if not any((end - first).days >= definition.observation_after for _, end in enough_before):
        return "after too short"
    return ""


def _people(persons: pd.DataFrame) -> dict[int, tuple[int, int | None]]:
    people = {}
    for row in persons.itertuples():
        gender = 0 if pd.isna(row.gender_concept_id) else int(row.gender_concept_id)
        born = None if pd.isna(row.year_of_birth) else int(row.year_of_birth)
        people[int(row.person_id)] = (gender, born)
    return people


def _histories(frames: Frames) -> dict[int, _History]:
    histories: dict[int, _History] = defaultdict(lambda: _History([], [], []))
    for row in frames["observation_period"].itertuples():
        start, end = row.observation_period_start_date, row.observation_period_end_date
        if not (pd.isna(row.person_id) or pd.isna(start) or pd.isna(end)):
            histories[int(row.person_id)].periods.append((_day(start), _day(end)))
    for row in frames["condition_occurrence"].itertuples():
        concept, day = row.condition_concept_id, row.condition_start_date
        if not (pd.isna(row.person_id) or pd.isna(concept) or pd.isna(day)):
            histories[int(row.person_id)].conditions.append((int(concept), _day(day)))
    for row in frames["drug_exposure"].itertuples():
        concept, day = row.drug_concept_id, row.drug_exposure_start_date
        if not (pd.isna(row.person_id) or pd.isna(concept) or pd.isna(day)):
            histories[int(row.person_id)].drugs.append((int(concept), _day(day)))
    return histories


def _day(value: object) -> date:
    return pd.Timestamp(value).date()  # type: ignore[arg-type]


def members(concepts: ConceptSet, ancestors: pd.DataFrame) -> set[int]:
    below: dict[int, set[int]] = defaultdict(set)
    for row in ancestors.itertuples():
        below[int(row.ancestor_concept_id)].add(int(row.descendant_concept_id))
    names: set[int] = set()
    for concept in concepts.include:
        names |= {concept.id} | (below[concept.id] if concept.descendants else set())
    for concept in concepts.exclude:
        names -= {concept.id} | (below[concept.id] if concept.descendants else set())
    return names - {0}  # no concept, even where a vocabulary has it beneath one


def _names(features: set[Feature], concepts: pd.DataFrame) -> dict[Feature, str]:
    """Names in one line; the concept is added where two are alike, and the domain if need be."""
    known = {
        int(row.concept_id): " ".join(row.concept_name.split())
        for row in concepts.itertuples()
        if not pd.isna(row.concept_name)
    }
    uses = Counter(known[concept] for _, concept in features if known.get(concept))
    uses.update(("age", "sex"))  # columns of every table
    in_both = {c for domain, c in features if ("condition", c) in features and domain == "drug"}
    names = {}
    for domain, concept in features:
        name = known.get(concept, "")
        if concept in in_both:
            names[domain, concept] = f"{name or 'unnamed'} (concept {concept}, {domain})"
        elif not name:
            names[domain, concept] = f"concept {concept}"
        elif uses[name] > 1:
            names[domain, concept] = f"{name} (concept {concept})"
        else:
            names[domain, concept] = name
    return names
