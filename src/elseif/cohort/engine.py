"""The queries of an extraction, written once in ibis: the only module that imports it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import ibis

from elseif.cohort.attrition import STEPS
from elseif.cohort.cdm_layout import CDM, EVENTS, SOURCE, Layout
from elseif.cohort.definition import (
    NO_CONCEPT,
    OLDEST,
    CohortDefinition,
    Concept,
    ConceptSet,
)
from elseif.cohort.parts import OTHER_SEX, SEXES
from elseif.errors import DatabaseError

DIALECTS = {"duckdb": "duckdb", "postgresql": "postgres", "spark": "pyspark"}


@dataclass(frozen=True)
class Query:
    """SQL in the dialect of one database, and the types of its columns."""

    sql: str
    columns: Mapping[str, str]  # "int64", "date" or "string"


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


class Queries:
    """Every query of an extraction, as SQL of one dialect."""

    def __init__(self, kind: str, layout: Layout) -> None:
        self._dialect, self._layout = DIALECTS[kind], layout

    def source_names(self) -> Query:
        """What the database says that it is, in long and in short."""
        rows = self._table(SOURCE)
        names = [rows.select(name=rows[column]) for column in rows.columns]
        return self._query(_different(ibis.union(*names)).order_by("name"))

    def persons_in_database(self) -> Query:
        """How many persons there are, and how many different ids they have."""
        people = self._table("person")
        ids = people.person_id
        return self._query(people.agg(rows=ids.count(), persons=ids.nunique()))

    def fractional_persons(self) -> Query | None:
        """How many ids of persons are no whole numbers; None where their type excludes it."""
        if self._layout.tables["person"][1]["person_id"][1] == "int64":
            return None
        people = self._table("person")
        is_fraction = people.person_id != people.person_id.floor()
        return self._query(people.agg(persons=_flag(is_fraction).sum().fill_null(0).cast("int64")))

    def descendants(self, ids: Collection[int]) -> Query:
        """Which concepts lie beneath which."""
        rows = self._table("concept_ancestor")
        rows = rows.filter(rows.ancestor_concept_id.isin(_whole(ids)))
        rows = rows.select(
            ancestor=rows.ancestor_concept_id.cast("int64"),
            descendant=rows.descendant_concept_id.cast("int64"),
        )
        return self._query(_different(rows).order_by("ancestor", "descendant"))

    def names(self, ids: Collection[int]) -> Query:
        """What concepts are called."""
        rows = self._table("concept")
        rows = rows.filter(rows.concept_id.isin(_whole(ids)))
        rows = rows.select(concept_id=rows.concept_id.cast("int64"), name=rows.concept_name)
        return self._query(_different(rows).order_by("concept_id"))

    def index_persons(self, index: Collection[int]) -> Query:
        """How many persons have the index condition, and the least and greatest of their ids."""
        ids = self._records("condition", index).person_id
        expression = ids.as_table().agg(
            persons=ids.nunique(), least=ids.min().cast("int64"), most=ids.max().cast("int64")
        )
        return self._query(expression)

    def histogram(self, index: Collection[int], span: tuple[int, int], width: int) -> Query:
        """Persons with the index condition in strips of ids; edges are ids that exist."""
        rows = self._records("condition", index, span)
        rows = _different(rows.select("person_id"))
        rows = rows.mutate(strip=(rows.person_id.cast("float64") / int(width)).floor())
        strips = rows.group_by("strip").agg(
            persons=rows.person_id.count(),
            least=rows.person_id.min().cast("int64"),
            most=rows.person_id.max().cast("int64"),
        )
        return self._query(strips.select("persons", "least", "most").order_by("least"))

    def persons(
        self,
        definition: CohortDefinition,
        members: Mapping[str, Collection[int]],
        span: tuple[int, int],
    ) -> Query:
        """One row for each person with the index condition, and which steps it passes."""
        rows = self._judged(definition, members, span, with_outcome=True)
        columns = ["person_id", "index_date", "year_of_birth", "gender", *STEPS]
        rows = rows.select(*columns, "outcome", "on_index_date", "outcome_before_leaving")
        return self._query(rows.order_by("person_id"))

    def features(
        self,
        definition: CohortDefinition,
        members: Mapping[str, Collection[int]],
        domain: str,
        span: tuple[int, int],
    ) -> Query:
        """Which concepts of a domain were recorded before the index date of each member."""
        by_outcome = definition.outcome_must_be_new or definition.include_all_outcomes
        people = self._judged(definition, members, span, by_outcome)
        people = people.filter([people[step] == 1 for step in STEPS])
        people = people.select(member="raw_id", index_date="index_date")
        rows = self._records(domain, None, span)
        rows = rows.join(people, rows.person_id == people.member)
        rows = rows.filter(rows.date < rows.index_date)
        rows = rows.select(
            person_id=rows.person_id.cast("int64"), concept_id=rows.concept_id.cast("int64")
        )
        return self._query(_different(rows).order_by("person_id", "concept_id"))

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
            found = self._recorded(domain, wanted, people)
            on = [rows.person_id == found.seen_id, rows.index_date == found.seen_date]
            kept = [*rows.columns, *wanted]
            rows = rows.left_join(found, on).select(*kept)
        sex = rows.gender.cases(*SEXES.items(), else_=OTHER_SEX)
        return self._query(
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
        rows = self._table("condition_occurrence")
        person, concept, date = CDM["condition_occurrence"]
        rows = rows.select(person_id=rows[person], concept_id=rows[concept], date=rows[date])
        records = rows.filter(rows.date.notnull(), rows.person_id.notnull())
        first = records.filter(self._in_set(records.concept_id, definition.index))
        first = first.group_by("person_id").agg(index_date=first.date.min())
        people = self._table("person")
        people = people.select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        rows = first.join(people, first.person_id == people.known)
        periods = self._periods().rename(observed_id="person_id")
        seen = periods.join(first, periods.observed_id == first.person_id)
        early = seen.index_date - ibis.interval(days=definition.observation_before)
        seen = seen.filter(seen.start <= early, seen.end >= seen.index_date)
        seen = _different(seen.select("observed_id"))
        rows = rows.join(seen, rows.person_id == seen.observed_id)
        age = rows.index_date.year() - rows.year_of_birth
        rows = rows.filter((age >= 0) & (age <= OLDEST))
        kept = ["person_id", "index_date", "year_of_birth", "gender"]
        rows = rows.select(*kept)
        if not definition.outcome_must_be_new:
            return rows
        had = records.filter(self._in_set(records.concept_id, definition.outcome))
        had = had.join(first, had.person_id == first.person_id)
        had = had.filter(had.date <= had.index_date)
        had = _different(had.select(had_id=had.person_id))
        rows = rows.left_join(had, rows.person_id == had.had_id)
        return rows.filter(rows.had_id.isnull()).select(*kept)

    def _at_given_index(self, table: str) -> Any:
        """Persons at the dates of a table of the user's."""
        *place, name = table.split(".")
        types = {"person_id": "int64", "index_date": "date"}
        given = ibis.table(types, name=name, database=".".join(place) or self._layout.schema)
        given = given.select(person_id=given.person_id, index_date=given.index_date.cast("date"))
        people = self._table("person")
        people = people.select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        rows = given.join(people, given.person_id == people.known)
        return rows.select("person_id", "index_date", "year_of_birth", "gender")

    def _recorded(self, domain: str, concepts: Mapping[str, int], people: Any) -> Any:
        """For each person and index date 1 where a concept was recorded before, else 0."""
        rows = self._records(domain, concepts.values())
        at = people.select(seen_id="person_id", seen_date="index_date")
        rows = rows.join(at, rows.person_id == at.seen_id)
        rows = rows.filter(rows.date < rows.seen_date)
        return rows.group_by("seen_id", "seen_date").agg(
            **{name: _flag(rows.concept_id == int(i)).max() for name, i in concepts.items()}
        )

    def _in_set(self, concept: Any, concepts: ConceptSet) -> Any:
        """Whether a concept is in a set, by concept_ancestor where descendants are."""
        return self._beneath(concept, concepts.include) & ~(
            self._beneath(concept, concepts.exclude) if concepts.exclude else ibis.literal(False)
        )

    def _beneath(self, concept: Any, concepts: Collection[Concept]) -> Any:
        found = concept.isin(_whole(c.id for c in concepts))
        parents = [c.id for c in concepts if c.descendants]
        if not parents:
            return found
        rows = self._table("concept_ancestor")
        rows = rows.filter(rows.ancestor_concept_id.isin(_whole(parents)))
        return found | (concept.isin(rows.descendant_concept_id) & (concept != NO_CONCEPT))

    def n_records(self, table: str) -> Query:
        """How many rows a table has."""
        return self._query(self._table(table).agg(total=ibis._.count()))

    def records_by_group(self, domain: str, groups: Mapping[str, Collection[int]]) -> Query:
        """How many records of a domain each group of concepts has."""
        rows = self._events(domain)
        counts = {
            name: _flag(rows.concept_id.isin(_whole(ids))).sum().fill_null(0).cast("int64")
            for name, ids in groups.items()
        }
        return self._query(rows.agg(**counts))

    def event_issues(self, domain: str) -> Query:
        """Records of a domain that cannot be used, and whose they are."""
        rows = self._joined_with_persons(self._events(domain))
        concept = rows.concept_id
        return self._query(
            rows.agg(
                total=rows.count(),
                **_counts("without_person", rows, rows.known.isnull()),
                **_counts("without_concept", rows, concept.isnull() | (concept == 0)),
                **_counts("without_date", rows, rows.date.isnull()),
            )
        )

    def period_issues(self) -> Query:
        """Observation periods that cannot be used, and whose they are."""
        rows = self._joined_with_persons(self._periods())
        return self._query(
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
        periods = self._periods()
        last = periods.group_by("person_id").agg(last=periods.end.max())
        last = last.select(observed="person_id", last="last")
        people = self._table("person").cross_join(periods.agg(end_of_all=periods.end.max()))
        rows = people.left_join(last, people.person_id == last.observed)
        rows = rows.mutate(last=ibis.coalesce(rows["last"], rows.end_of_all))
        return self._query(
            rows.agg(
                **_counts("without_birth", rows, rows.year_of_birth.isnull()),
                **_counts("unborn", rows, rows.year_of_birth > rows["last"].year()),
            )
        )

    def _table(self, table: str) -> Any:
        """A table with the columns that are read, under their own names."""
        name, columns = self._layout.tables[table]
        types = dict(columns.values())
        place = {"catalog": self._layout.catalogue, "database": self._layout.schema}
        rows = ibis.table(types, name=name, **place)
        wanted = CDM[table]
        return rows.select(
            **{
                column: rows[actual].cast("date") if wanted[column] == "date" else rows[actual]
                for column, (actual, _) in columns.items()
            }
        )

    def _events(self, domain: str) -> Any:
        rows = self._table(EVENTS[domain])
        person, concept, date = CDM[EVENTS[domain]]
        return rows.select(person_id=rows[person], concept_id=rows[concept], date=rows[date])

    def _periods(self) -> Any:
        rows = self._table("observation_period")
        return rows.select(
            person_id=rows.person_id,
            start=rows.observation_period_start_date,
            end=rows.observation_period_end_date,
        )

    def _joined_with_persons(self, rows: Any) -> Any:
        people = self._table("person")
        people = people.select(known=people.person_id)
        return rows.left_join(people, rows.person_id == people.known)

    def _records(
        self, domain: str, concepts: Collection[int] | None, span: tuple[int, int] | None = None
    ) -> Any:
        """Dated records of a domain, of some concepts or of any, in a range of persons."""
        rows = self._events(domain)
        wanted = (
            rows.concept_id != 0 if concepts is None else rows.concept_id.isin(_whole(concepts))
        )
        return rows.filter(wanted, rows.date.notnull(), _within(rows.person_id, span))

    def _judged(
        self,
        definition: CohortDefinition,
        members: Mapping[str, Collection[int]],
        span: tuple[int, int],
        with_outcome: bool,
    ) -> Any:
        """Persons with the index condition, and for each step 1 where it is passed, else 0."""
        first = self._records("condition", members["index"], span)
        first = first.group_by("person_id").agg(index_date=first.date.min())
        people = self._table("person")
        people = people.filter(_within(people.person_id, span)).select(
            known="person_id", year_of_birth="year_of_birth", gender="gender_concept_id"
        )
        seen = self._observation(definition, first, span)
        rows = first.left_join(people, first.person_id == people.known)
        rows = rows.left_join(seen, rows.person_id == seen.observed_id)
        age = rows.index_date.year() - rows.year_of_birth
        columns = {
            "raw_id": rows.person_id,
            "person_id": rows.person_id.cast("int64"),
            "index_date": rows.index_date,
            "year_of_birth": rows.year_of_birth.cast("int64"),
            "gender": rows.gender.cast("int64"),
            "in_person": _flag(rows.known.notnull()),
            "of_age": _flag((age >= 0) & (age <= OLDEST)),
            **{name: _known_flag(rows[name]) for name in STEPS[2:5]},
        }
        if not with_outcome:
            return rows.select(**columns, new=ibis.literal(1, "int64"))
        after = self._outcomes(definition, members["outcome"], first, span)
        rows = rows.select(**columns, last_day=rows.last_day)
        rows = rows.left_join(after, rows.raw_id == after.outcome_id)
        is_new = _known_flag(rows.until_index) == 0
        while_observed = _flag(rows.first_outcome <= rows.last_day)
        more = {
            "new": _flag(is_new) if definition.outcome_must_be_new else ibis.literal(1, "int64"),
            "outcome": _known_flag(rows.within),
            "on_index_date": _known_flag(rows.on_day),
            "outcome_before_leaving": while_observed,
        }
        if definition.include_all_outcomes:
            more["observed_after"] = ibis.greatest(rows.observed_after, while_observed)
        return rows.select(**{**{name: rows[name] for name in columns}, **more})

    def _observation(self, definition: CohortDefinition, first: Any, span: tuple[int, int]) -> Any:
        """Persons seen on the index date, whether long enough before and after, and until when.

        Before and after are of one row of observation; the last day is the latest of those rows
        that begin early enough.
        """
        rows = self._periods()
        rows = rows.filter(_within(rows.person_id, span)).rename(observed_id="person_id")
        rows = rows.join(first, rows.observed_id == first.person_id)
        rows = rows.filter(rows.start <= rows.index_date, rows.end >= rows.index_date)
        before = rows.start <= rows.index_date - ibis.interval(days=definition.observation_before)
        after = rows.end >= rows.index_date + ibis.interval(days=definition.observation_after)
        return rows.group_by("observed_id").agg(
            observed=_flag(rows.start.notnull()).max(),
            observed_before=_flag(before).max(),
            observed_after=_flag(before & after).max(),
            last_day=rows.end.max(where=before),
        )

    def _outcomes(
        self,
        definition: CohortDefinition,
        concepts: Collection[int],
        first: Any,
        span: tuple[int, int],
    ) -> Any:
        """Whether the outcome was recorded in its window (and when), on the day, or until then."""
        rows = self._records("condition", concepts, span).rename(outcome_id="person_id")
        rows = rows.join(first, rows.outcome_id == first.person_id)
        begin, end = definition.outcome_window
        within = (rows.date >= rows.index_date + ibis.interval(days=begin)) & (
            rows.date <= rows.index_date + ibis.interval(days=end)
        )
        return rows.group_by("outcome_id").agg(
            within=_flag(within).max(),
            on_day=_flag(rows.date == rows.index_date).max(),
            until_index=_flag(rows.date <= rows.index_date).max(),
            first_outcome=rows.date.min(where=within),
        )

    def _query(self, expression: Any) -> Query:
        types = expression.schema()
        columns = {n: "int64" if types[n].is_integer() else str(types[n]) for n in types.names}
        return Query(str(ibis.to_sql(expression, dialect=self._dialect)), columns)


def _whole(ids: Iterable[int]) -> list[int]:
    """Ids as whole numbers and nothing else, in order, so that the same set is the same SQL."""
    return sorted(int(i) for i in ids)


def _within(ids: Any, span: tuple[int, int] | None) -> Any:
    return ids.notnull() if span is None else ids.between(int(span[0]), int(span[1]))


def _different(rows: Any) -> Any:
    """Rows without repetitions.

    By groups, since distinct() before order_by() is compiled wrongly for PostgreSQL: columns of
    the filter become part of what is distinct, and repetitions come back.
    """
    return rows.group_by(*rows.columns).agg()


def _flag(condition: Any) -> Any:
    return condition.ifelse(1, 0).cast("int64")


def _known_flag(column: Any) -> Any:
    """A flag of a person who may have no row in the table that it comes from."""
    return column.fill_null(0).cast("int64")


def _counts(name: str, rows: Any, condition: Any) -> dict[str, Any]:
    return {
        f"{name}_records": _flag(condition).sum().fill_null(0).cast("int64"),
        f"{name}_persons": rows.person_id.nunique(where=condition),
    }
