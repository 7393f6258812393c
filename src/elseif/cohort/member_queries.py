"""Who belongs to a cohort: index dates, observation, criteria and outcomes, as ibis expressions."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import ibis

from elseif.cohort.attrition import NEW, STEPS, steps_of
from elseif.cohort.cdm_queries import CdmTables, as_flag, in_span, in_window, known_flag
from elseif.cohort.concepts import ExistingCohort
from elseif.cohort.definition import OLDEST, CohortDefinition, set_key
from elseif.cohort.inclusion import Inclusion, PriorRecords
from elseif.cohort.parts import OTHER_SEX, SEXES
from elseif.cohort.value_checks import Window

Members = Mapping[str, Collection[int]]  # concept ids of every concept set, by what it is for


class Membership(CdmTables):
    """Persons with the index event, judged by every step."""

    def days(
        self,
        definition: CohortDefinition,
        members: Members,
        event: str,
        span: tuple[int, int] | None = None,
    ) -> Any:
        """Persons and days of an event: of records, or of entries into a cohort."""
        what = definition.events[event]
        if isinstance(what, ExistingCohort):
            rows = self.table("cohort")
            rows = rows.filter(
                rows.cohort_definition_id == int(what.cohort),
                rows.cohort_start_date.notnull(),
                in_span(rows.subject_id, span),
            )
            return rows.select(person_id=rows.subject_id, date=rows.cohort_start_date)
        return self.any_records(members, event, what.sets, span)

    def any_records(
        self, members: Members, name: str, sets: Collection[Any], span: tuple[int, int] | None
    ) -> Any:
        """Dated records of any concept set of an event or a criterion, in its domains."""
        tables = [
            self.records(domain, members[set_key(name, number)], span).drop("concept_id")
            for number, concepts in enumerate(sets)
            for domain in concepts.domain
        ]
        if len(tables) == 1:
            return tables[0]
        # ids may have other types in one table than in another
        return ibis.union(*(e.mutate(person_id=e.person_id.cast("int64")) for e in tables))

    def first(self, definition: CohortDefinition, members: Members, span: tuple[int, int]) -> Any:
        """The index date of each person."""
        rows = self.days(definition, members, "index", span)
        days = definition.first_after_days
        if days is None:
            return rows.group_by("person_id").agg(index_date=rows.date.min())
        seen = self.periods().rename(observed_id="person_id")
        rows = rows.join(seen, rows.person_id == seen.observed_id)
        rows = rows.filter(
            rows.start <= rows.date - ibis.interval(days=days), rows.end >= rows.date
        )
        return rows.group_by("person_id").agg(index_date=rows.date.min())

    def judged(
        self,
        definition: CohortDefinition,
        members: Members,
        span: tuple[int, int],
        with_outcome: bool,
    ) -> Any:
        """Persons with the index event, and for each step 1 where it is passed, else 0."""
        first = self.first(definition, members, span)
        people = self.table("person")
        people = people.filter(in_span(people.person_id, span)).select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        seen = self.observation(definition, first, span)
        rows = first.left_join(people, first.person_id == people.known)
        rows = rows.left_join(seen, rows.person_id == seen.observed_id)
        age = rows.index_date.year() - rows.year_of_birth
        columns = {
            "raw_id": rows.person_id,
            "person_id": rows.person_id.cast("int64"),
            "index_date": rows.index_date,
            "year_of_birth": rows.year_of_birth.cast("int64"),
            "gender": rows.gender.cast("int64"),
            "in_person": as_flag(rows.known.notnull()),
            "of_age": as_flag((age >= 0) & (age <= OLDEST)),
            **{name: known_flag(rows[name]) for name in STEPS[2:]},
            **_included(definition.criteria, age, rows),
        }
        if with_outcome:
            columns["last_day"] = rows.last_day
        rows = rows.select(**columns)
        for name, criterion in definition.criteria.records.items():
            counted = self.prior(definition, members, name, criterion, span)
            rows = rows.left_join(counted, rows.raw_id == counted.counted_id).drop("counted_id")
            has = known_flag(rows.n_records) >= criterion.at_least
            flag = as_flag(~has if name.startswith("no") else has)
            rows = rows.mutate(**{name: flag}).drop("n_records")
        if not with_outcome:
            return rows
        kept = [name for name in rows.columns if name != "last_day"]
        after = self.outcomes(definition, members, "outcome", first, span)
        rows = rows.left_join(after, rows.raw_id == after.outcome_id)
        while_observed = as_flag(rows.first_outcome <= rows.last_day)
        more = {
            "outcome": known_flag(rows.within),
            "on_index_date": known_flag(rows.on_day),
            "outcome_before_leaving": while_observed,
        }
        if definition.outcome_must_be_new:
            more[NEW] = as_flag(known_flag(rows.until_index) == 0)
        if definition.include_all_outcomes:
            more["observed_after"] = ibis.greatest(rows.observed_after, while_observed)
        return rows.select(**{**{name: rows[name] for name in kept}, **more})

    def members(self, definition: CohortDefinition, members: Members, span: tuple[int, int]) -> Any:
        """Those who pass every step, with their index dates."""
        by_outcome = definition.outcome_must_be_new or definition.include_all_outcomes
        people = self.judged(definition, members, span, by_outcome)
        people = people.filter([people[step] == 1 for step in steps_of(definition)])
        return people.select(member="raw_id", index_date="index_date")

    def before(
        self,
        definition: CohortDefinition,
        members: Members,
        domain: str,
        concepts: Collection[int] | None,
        window: Window,
        span: tuple[int, int],
    ) -> Any:
        """Records of members in a window before the index date."""
        people = self.members(definition, members, span)
        rows = self.records(domain, concepts, span)
        rows = rows.join(people, rows.person_id == people.member)
        return rows.filter(in_window(rows, window))

    def prior(
        self,
        definition: CohortDefinition,
        members: Members,
        name: str,
        criterion: PriorRecords,
        span: tuple[int, int],
    ) -> Any:
        """How many records of a criterion each person has in its window."""
        first = self.first(definition, members, span)
        rows = self.any_records(members, name, criterion.records.sets, span)
        rows = rows.rename(counted_id="person_id")
        rows = rows.join(first, rows.counted_id == first.person_id)
        rows = rows.filter(in_window(rows, criterion.window))
        if criterion.observed:
            seen = self.observation(definition, first, span).select("observed_id", "first_day")
            rows = rows.drop("person_id").join(seen, rows.counted_id == seen.observed_id)
            rows = rows.filter(rows.date >= rows.first_day)
        return rows.group_by("counted_id").agg(n_records=rows.date.count())

    def observation(self, definition: CohortDefinition, first: Any, span: tuple[int, int]) -> Any:
        """Persons seen on the index date, whether long enough before and after, and until when.

        Before and after are of one row of observation; the last day is the latest of those rows
        that begin early enough.
        """
        rows = self.periods()
        rows = rows.filter(in_span(rows.person_id, span)).rename(observed_id="person_id")
        rows = rows.join(first, rows.observed_id == first.person_id)
        rows = rows.filter(rows.start <= rows.index_date, rows.end >= rows.index_date)
        before = rows.start <= rows.index_date - ibis.interval(days=definition.observation_before)
        after = rows.end >= rows.index_date + ibis.interval(days=definition.observation_after)
        return rows.group_by("observed_id").agg(
            observed=as_flag(rows.start.notnull()).max(),
            observed_before=as_flag(before).max(),
            observed_after=as_flag(before & after).max(),
            last_day=rows.end.max(where=before),
            first_day=rows.start.min(where=before),
        )

    def outcomes(
        self,
        definition: CohortDefinition,
        members: Members,
        event: str,
        first: Any,
        span: tuple[int, int],
    ) -> Any:
        """Whether the outcome was recorded in its window (and when), on the day, or until then."""
        rows = self.days(definition, members, event, span).rename(outcome_id="person_id")
        rows = rows.join(first, rows.outcome_id == first.person_id)
        begin, end = definition.outcome_window
        within = (rows.date >= rows.index_date + ibis.interval(days=begin)) & (
            rows.date <= rows.index_date + ibis.interval(days=end)
        )
        return rows.group_by("outcome_id").agg(
            within=as_flag(within).max(),
            on_day=as_flag(rows.date == rows.index_date).max(),
            until_index=as_flag(rows.date <= rows.index_date).max(),
            first_outcome=rows.date.min(where=within),
        )


def _included(criteria: Inclusion, age: Any, rows: Any) -> dict[str, Any]:
    """Steps of age, sex and year; 0 where a value is not known."""
    flags = {}
    if criteria.age is not None:
        flags["included_age"] = as_flag(_in_range(age, criteria.age))
    if criteria.sex is not None:
        gender = rows.gender.fill_null(0)
        kept = gender.isin([number for number, sex in SEXES.items() if sex in criteria.sex])
        if OTHER_SEX in criteria.sex:
            kept = kept | ~gender.isin(sorted(SEXES))
        flags["included_sex"] = as_flag(kept)
    if criteria.index_year is not None:
        flags["included_year"] = as_flag(_in_range(rows.index_date.year(), criteria.index_year))
    return flags


def _in_range(value: Any, ends: tuple[int | None, int | None]) -> Any:
    least, most = ends
    if least is None:
        return value <= most
    return value >= least if most is None else value.between(least, most)
