"""Persons at their index date with what a list asks for, as one query: for scoring in SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import ibis

from elseif.cohort.cdm_queries import CdmTables, Query, as_flag, different, whole
from elseif.cohort.concepts import NO_CONCEPT, Concept, ConceptSet
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.inclusion import OLDEST
from elseif.cohort.parts import OTHER_SEX, SEXES
from elseif.errors import ParamError


class ScoringQueries(CdmTables):
    """Queries that look up everything by themselves, so that a site needs no extraction."""

    def scored_people(
        self,
        definition: CohortDefinition,
        concepts: Mapping[str, tuple[str, int]],
        index_table: str | None = None,
    ) -> Query:
        """Persons at their index date, and whether some concepts were recorded before it.

        Concept sets are looked up in concept_ancestor by the statement itself. Of the steps of a
        cohort those are asked for that are known on the index date.
        """
        people = (
            self._at_own_index(definition)
            if index_table is None
            else self._at_given_index(index_table)
        )
        rows = people
        for domain in sorted({domain for domain, _ in concepts.values()}):
            wanted = {name: i for name, (of, i) in concepts.items() if of == domain}
            recorded = self._recorded(domain, wanted, people)
            on = [rows.person_id == recorded.seen_id, rows.index_date == recorded.seen_date]
            kept = [*rows.columns, *wanted]
            rows = rows.left_join(recorded, on).select(*kept)
        sex = rows.gender.cases(*SEXES.items(), else_=OTHER_SEX)
        return self.query(
            rows.select(
                person_id=rows.person_id,
                index_date=rows.index_date,
                age=rows.index_date.year() - rows.year_of_birth.cast("int64"),
                sex=sex,
                **{name: rows[name].fill_null(0) == 1 for name in concepts},
            )
        )

    def _at_own_index(self, definition: CohortDefinition) -> Any:
        """Persons at their first record of the index condition who can be scored then."""
        rows = self.events("condition")
        records = rows.filter(rows.date.notnull(), rows.person_id.notnull())
        first = records.filter(self._in_set(records.concept_id, _concept_set(definition.index)))
        first = first.group_by("person_id").agg(index_date=first.date.min())
        people = self.table("person")
        people = people.select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        rows = first.join(people, first.person_id == people.known)
        periods = self.periods().rename(observed_id="person_id")
        seen = periods.join(first, periods.observed_id == first.person_id)
        early = seen.index_date - ibis.interval(days=definition.observation_before)
        seen = seen.filter(seen.start <= early, seen.end >= seen.index_date)
        seen = different(seen.select("observed_id"))
        rows = rows.join(seen, rows.person_id == seen.observed_id)
        age = rows.index_date.year() - rows.year_of_birth
        rows = rows.filter((age >= 0) & (age <= OLDEST))
        kept = ["person_id", "index_date", "year_of_birth", "gender"]
        rows = rows.select(*kept)
        if not definition.outcome_must_be_new:
            return rows
        had = records.filter(self._in_set(records.concept_id, _concept_set(definition.outcome)))
        had = had.join(first, had.person_id == first.person_id)
        had = had.filter(had.date <= had.index_date)
        had = different(had.select(had_id=had.person_id))
        rows = rows.left_join(had, rows.person_id == had.had_id)
        return rows.filter(rows.had_id.isnull()).select(*kept)

    def _at_given_index(self, table: str) -> Any:
        """Persons at the dates of a table of the user's."""
        *qualifiers, name = table.split(".")
        if len(qualifiers) > 2 or not all([*qualifiers, name]):
            raise ParamError(
                f"The table of index dates is {table!r:.100}; it must be TABLE, SCHEMA.TABLE or "
                "CATALOGUE.SCHEMA.TABLE."
            )
        schema = qualifiers[-1] if qualifiers else self._layout.schema
        catalogue = qualifiers[0] if len(qualifiers) == 2 else None
        types = {"person_id": "int64", "index_date": "date"}
        given = ibis.table(types, name=name, catalog=catalogue, database=schema)
        given = given.select(person_id=given.person_id, index_date=given.index_date.cast("date"))
        people = self.table("person")
        people = people.select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        rows = given.join(people, given.person_id == people.known)
        return rows.select("person_id", "index_date", "year_of_birth", "gender")

    def _recorded(self, domain: str, concepts: Mapping[str, int], people: Any) -> Any:
        """For each person and index date 1 where a concept was recorded before, else 0."""
        rows = self.records(domain, list(concepts.values()))
        at = people.select(seen_id="person_id", seen_date="index_date")
        rows = rows.join(at, rows.person_id == at.seen_id)
        rows = rows.filter(rows.date < rows.seen_date)
        return rows.group_by("seen_id", "seen_date").agg(
            **{name: as_flag(rows.concept_id == int(i)).max() for name, i in concepts.items()}
        )

    def _in_set(self, concept: Any, concepts: ConceptSet) -> Any:
        """Whether a concept is in a set, by concept_ancestor where descendants are."""
        return self._beneath(concept, concepts.include) & ~(
            self._beneath(concept, concepts.exclude) if concepts.exclude else ibis.literal(False)
        )

    def _beneath(self, concept: Any, concepts: Collection[Concept]) -> Any:
        is_listed = concept.isin(whole([c.id for c in concepts]))
        parents = [c.id for c in concepts if c.descendants]
        if not parents:
            return is_listed
        rows = self.table("concept_ancestor")
        rows = rows.filter(rows.ancestor_concept_id.isin(whole(parents)))
        return is_listed | (concept.isin(rows.descendant_concept_id) & (concept != NO_CONCEPT))


def _concept_set(event: Any) -> ConceptSet:
    """The conditions that an event is, which alone can be looked up without an extraction."""
    if not isinstance(event, ConceptSet) or tuple(event.domain) != ("condition",):
        raise ParamError("Only index events and outcomes that are conditions can be scored in SQL.")
    return event
