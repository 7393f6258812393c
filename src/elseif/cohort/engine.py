"""The queries sent to a database, written once in ibis for every dialect."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import ibis

from elseif.cohort.attrition import steps_of
from elseif.cohort.cdm_layout import CDM, EVENTS, SOURCE
from elseif.cohort.cdm_queries import (
    ANY_RANGE,
    DIALECTS as DIALECTS,
    Query as Query,
    as_flag,
    different,
    in_span,
    in_window,
    known_flag,
    whole,
)
from elseif.cohort.definition import CohortDefinition
from elseif.cohort.feature import CLASSES, GROUPS, INGREDIENT, Ancestors, Feature
from elseif.cohort.member_queries import Members, Membership
from elseif.cohort.value_checks import ANY_TIME_BEFORE
from elseif.errors import DatabaseError

LARGEST = 1e300  # numbers beyond are no measurements, and neither is what is not finite


def wrap(kind: str, connection: Any) -> Any:
    """An ibis backend around a connection."""
    return getattr(ibis, DIALECTS[kind]).from_connection(connection)


def unwrap(backend: Any) -> tuple[str, Any]:
    """Kind and connection of an ibis backend."""
    kinds = {dialect: kind for kind, dialect in DIALECTS.items()}
    kind = kinds.get(getattr(backend, "name", ""))
    if kind is None:
        raise DatabaseError(
            f"{type(backend).__module__} is not an ibis backend of DuckDB, PostgreSQL or Spark."
        )
    return kind, backend._session if kind == "spark" else backend.con


class Queries(Membership):
    """Every query of an extraction, as SQL of one dialect."""

    ANY_RANGE = ANY_RANGE

    def source_names(self) -> Query:
        """The name of the database, long and abbreviated."""
        rows = self.table(SOURCE)
        names = [rows.select(name=rows[column]) for column in rows.columns]
        return self.query(different(ibis.union(*names)).order_by("name"))

    def persons_in_database(self) -> Query:
        """How many persons there are, and how many different ids they have."""
        people = self.table("person")
        ids = people.person_id
        return self.query(people.agg(rows=ids.count(), persons=ids.nunique()))

    def fractional_persons(self) -> Query | None:
        """How many ids of persons are no whole numbers; None where their type excludes it."""
        if self._layout.tables["person"][1]["person_id"][1] == "int64":
            return None
        people = self.table("person")
        is_fraction = people.person_id != people.person_id.floor()
        return self.query(people.agg(persons=as_flag(is_fraction).sum().fill_null(0).cast("int64")))

    def descendants(self, ids: Collection[int]) -> Query:
        """Which concepts lie beneath which."""
        rows = self.table("concept_ancestor")
        rows = rows.filter(rows.ancestor_concept_id.isin(whole(ids)))
        rows = rows.select(
            ancestor=rows.ancestor_concept_id.cast("int64"),
            descendant=rows.descendant_concept_id.cast("int64"),
        )
        return self.query(different(rows).order_by("ancestor", "descendant"))

    def names(self, ids: Collection[int]) -> Query:
        """What concepts are called."""
        rows = self.table("concept")
        rows = rows.filter(rows.concept_id.isin(whole(ids)))
        rows = rows.select(concept_id=rows.concept_id.cast("int64"), name=rows.concept_name)
        return self.query(different(rows).order_by("concept_id"))

    def index_persons(self, definition: CohortDefinition, members: Members) -> Query:
        """How many persons have the index event, and the least and greatest of their ids."""
        ids = self.days(definition, members, "index").person_id
        expression = ids.as_table().agg(
            persons=ids.nunique(), least=ids.min().cast("int64"), most=ids.max().cast("int64")
        )
        return self.query(expression)

    def histogram(
        self, definition: CohortDefinition, members: Members, span: tuple[int, int], width: int
    ) -> Query:
        """Persons with the index event in strips of ids; edges are ids that exist."""
        rows = self.days(definition, members, "index", span)
        rows = different(rows.select("person_id"))
        rows = rows.mutate(strip=(rows.person_id.cast("float64") / int(width)).floor())
        strips = rows.group_by("strip").agg(
            persons=rows.person_id.count(),
            least=rows.person_id.min().cast("int64"),
            most=rows.person_id.max().cast("int64"),
        )
        return self.query(strips.select("persons", "least", "most").order_by("least"))

    def persons(
        self, definition: CohortDefinition, members: Members, span: tuple[int, int]
    ) -> Query:
        """One row for each person with the index event, and which steps it passes."""
        rows = self.judged(definition, members, span, with_outcome=True)
        columns = ["person_id", "index_date", "year_of_birth", "gender", *steps_of(definition)]
        columns += ["outcome", "on_index_date", "outcome_before_leaving"]
        first = self.first(definition, members, span)
        for number, name in enumerate(definition.outcomes, 1):
            after = self.outcomes(definition, members, f"outcome {name}", first, span)
            after = after.select(outcome_id="outcome_id", **{f"within_{number}": after.within})
            rows = rows.left_join(after, rows.raw_id == after.outcome_id).drop("outcome_id")
            flag = known_flag(rows[f"within_{number}"])
            rows = rows.mutate(**{f"outcome_{number}": flag}).drop(f"within_{number}")
            columns.append(f"outcome_{number}")
        return self.query(rows.select(*columns).order_by("person_id"))

    def features(
        self, definition: CohortDefinition, members: Members, number: int, span: tuple[int, int]
    ) -> Query:
        """The records of a feature for each member before the index date."""
        feature = definition.columns[number]
        ids = members.get(f"feature {number}")
        if feature.rollup == GROUPS:
            grouped = _all_groups(definition, members)
            ids = grouped if ids is None else grouped.intersection(ids)
        if feature.value == "last":
            return self._last_values(definition, members, feature, ids, span)
        rows = self.before(definition, members, feature.domain, ids, feature.window, span)
        if feature.rollup is not None and feature.rollup != GROUPS:
            rows = self._rolled_up(rows, feature)
        rows = rows.select(
            person_id=rows.person_id.cast("int64"), concept_id=rows.concept_id.cast("int64")
        )
        if feature.is_of_domain:
            concepts = rows.concept_id
            value = concepts.nunique() if feature.value == "distinct" else concepts.count()
            rows = rows.group_by("person_id").agg(value=value.cast("float64"))
            rows = rows.mutate(concept_id=ibis.literal(0, "int64"))
            rows = rows.select("person_id", "concept_id", "value")
        elif feature.counts:
            rows = rows.group_by("person_id", "concept_id").agg(
                value=rows.concept_id.count().cast("float64")
            )
            if feature.rollup != GROUPS:
                rows = rows.filter(rows.value >= min(feature.at_least))
        else:
            rows = different(rows)
        return self.query(rows.order_by("person_id", "concept_id"))

    def group_records(
        self, definition: CohortDefinition, members: Members, domain: str, span: tuple[int, int]
    ) -> Query:
        """Which concepts of groups were recorded in a domain before the index date."""
        ids = _all_groups(definition, members)
        rows = self.before(definition, members, domain, ids, ANY_TIME_BEFORE, span)
        rows = rows.select(
            person_id=rows.person_id.cast("int64"), concept_id=rows.concept_id.cast("int64")
        )
        return self.query(different(rows).order_by("person_id", "concept_id"))

    def n_entries(self, cohorts: Collection[int]) -> Query:
        """How many entries some cohorts of the table cohort have."""
        rows = self.table("cohort")
        rows = rows.filter(rows.cohort_definition_id.isin(whole(cohorts)))
        return self.query(rows.agg(total=ibis._.count()))

    def n_records(self, table: str) -> Query:
        """How many rows a table has."""
        return self.query(self.table(table).agg(total=ibis._.count()))

    def records_by_group(self, domain: str, groups: Mapping[str, Collection[int]]) -> Query:
        """How many records of a domain each group of concepts has."""
        rows = self.events(domain)
        counts = {
            name: as_flag(rows.concept_id.isin(whole(ids))).sum().fill_null(0).cast("int64")
            for name, ids in groups.items()
        }
        return self.query(rows.agg(**counts))

    def event_issues(self, domain: str) -> Query:
        """Records of a domain that cannot be used, and whose they are."""
        rows = self.joined_with_persons(self.events(domain))
        concept = rows.concept_id
        return self.query(
            rows.agg(
                total=rows.count(),
                **_counts("without_person", rows, rows.known.isnull()),
                **_counts("without_concept", rows, concept.isnull() | (concept == 0)),
                **_counts("without_date", rows, rows.date.isnull()),
            )
        )

    def period_issues(self) -> Query:
        """Observation periods that cannot be used, and whose they are."""
        rows = self.joined_with_persons(self.periods())
        return self.query(
            rows.agg(
                total=rows.count(),
                **_counts("without_person", rows, rows.known.isnull()),
                **_counts("without_date", rows, rows.start.isnull() | rows.end.isnull()),
                **_counts("reversed", rows, rows.end < rows.start),
            )
        )

    def person_issues(self) -> Query:
        """Persons without a year of birth, or born after all that was observed of them.

        Who was never observed is compared with the last observation of anybody.
        """
        periods = self.periods()
        last = periods.group_by("person_id").agg(last=periods.end.max())
        last = last.select(observed="person_id", last="last")
        people = self.table("person").cross_join(periods.agg(end_of_all=periods.end.max()))
        rows = people.left_join(last, people.person_id == last.observed)
        rows = rows.mutate(last=ibis.coalesce(rows["last"], rows.end_of_all))
        return self.query(
            rows.agg(
                **_counts("without_birth", rows, rows.year_of_birth.isnull()),
                **_counts("unborn", rows, rows.year_of_birth > rows["last"].year()),
            )
        )

    def _rolled_up(self, rows: Any, feature: Feature) -> Any:
        """Records with the ancestors of their concepts in place of the concepts."""
        above = self.table("concept_ancestor")
        if isinstance(feature.rollup, Ancestors):
            top = above.filter(
                above.ancestor_concept_id == feature.rollup.below,
                above.min_levels_of_separation == feature.rollup.level,
            )
            wanted = top.select(wanted=top.descendant_concept_id)
        else:
            named = self.table("concept")
            kept = [named.concept_class_id == CLASSES[str(feature.rollup)]]
            if feature.rollup == INGREDIENT:
                kept.append(named.standard_concept == "S")
            named = named.filter(kept)
            wanted = named.select(wanted=named.concept_id)
        wanted = different(wanted)
        pairs = above.join(wanted, above.ancestor_concept_id == wanted.wanted)
        pairs = pairs.select(above="wanted", below="descendant_concept_id")
        pairs = different(pairs.filter(pairs.above != 0))
        rows = rows.join(pairs, rows.concept_id == pairs.below)
        return rows.select(person_id=rows.person_id, concept_id=rows.above, date=rows.date)

    def _last_values(
        self,
        definition: CohortDefinition,
        members: Members,
        feature: Feature,
        concepts: Collection[int] | None,
        span: tuple[int, int],
    ) -> Query:
        """The last number of each concept and unit; of several on a day, the least."""
        rows = self.table(EVENTS[feature.domain])
        person, concept, date = list(CDM[EVENTS[feature.domain]])[:3]
        value = rows.value_as_number
        rows = rows.select(
            person_id=rows[person],
            concept_id=rows[concept].cast("int64"),
            date=rows[date],
            unit=ibis.greatest(rows.unit_concept_id.fill_null(0).cast("int64"), 0),
            value=value,
        )
        wanted = rows.concept_id != 0 if concepts is None else rows.concept_id.isin(whole(concepts))
        # no NaN, which is greater than any number in every one of these databases
        numbers = rows.value.between(-LARGEST, LARGEST)
        rows = rows.filter(wanted, rows.date.notnull(), numbers, in_span(rows.person_id, span))
        people = self.members(definition, members, span)
        rows = rows.join(people, rows.person_id == people.member)
        rows = rows.filter(in_window(rows, feature.window))
        rows = rows.mutate(person_id=rows.person_id.cast("int64"))
        last = rows.group_by("person_id", "concept_id", "unit").agg(last=rows.date.max())
        last = last.rename(last_person="person_id", last_concept="concept_id", last_unit="unit")
        rows = rows.join(
            last,
            [
                rows.person_id == last.last_person,
                rows.concept_id == last.last_concept,
                rows.unit == last.last_unit,
                rows.date == last["last"],
            ],
        )
        rows = rows.group_by("person_id", "concept_id", "unit").agg(value=rows.value.min())
        return self.query(rows.order_by("person_id", "concept_id", "unit"))


def _all_groups(definition: CohortDefinition, members: Members) -> frozenset[int]:
    return frozenset[int]().union(*(members[f"group {name}"] for name in definition.groups))


def _counts(name: str, rows: Any, condition: Any) -> dict[str, Any]:
    return {
        f"{name}_records": as_flag(condition).sum().fill_null(0).cast("int64"),
        f"{name}_persons": rows.person_id.nunique(where=condition),
    }
