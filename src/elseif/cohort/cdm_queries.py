"""Tables and records of the common data model as ibis expressions, and queries made of them."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import ibis

from elseif.cohort.cdm_layout import CDM, EVENTS, Layout
from elseif.cohort.value_checks import Window

# stands for a range of persons in a query that is made once and asked many times: making one takes
# longer than many databases take to answer it; no id of a concept or a day is so large
ANY_RANGE = (1_111_222_233_334_444, 5_555_666_677_778_888)
DIALECTS = {"duckdb": "duckdb", "postgresql": "postgres", "spark": "pyspark"}


@dataclass(frozen=True)
class Query:
    """SQL in the dialect of one database, and the types of its columns."""

    sql: str
    columns: Mapping[str, str]  # "int64", "float64", "date" or "string"

    def in_range(self, span: tuple[int, int]) -> Query:
        """A query that was made for ``ANY_RANGE``, for a range of persons."""
        begin, end = (str(int(i)) for i in span)
        sql = self.sql.replace(str(ANY_RANGE[0]), begin).replace(str(ANY_RANGE[1]), end)
        return Query(sql, self.columns)


class CdmTables:
    """The tables of one database."""

    def __init__(self, kind: str, layout: Layout) -> None:
        self._dialect, self._layout = DIALECTS[kind], layout

    def table(self, table: str) -> Any:
        """A table with the columns that are read, under their own names."""
        layout = self._layout.of(table)
        name, columns = layout.tables[table]
        types = dict(columns.values())
        schema = {"catalog": layout.catalogue, "database": layout.schema}
        rows = ibis.table(types, name=name, **schema)
        wanted = CDM[table]
        return rows.select(
            **{
                column: rows[actual].cast(wanted[column])
                if wanted[column] in ("date", "float64")
                else rows[actual]
                for column, (actual, _) in columns.items()
            }
        )

    def events(self, domain: str) -> Any:
        rows = self.table(EVENTS[domain])
        person, concept, date = list(CDM[EVENTS[domain]])[:3]
        return rows.select(person_id=rows[person], concept_id=rows[concept], date=rows[date])

    def periods(self) -> Any:
        rows = self.table("observation_period")
        return rows.select(
            person_id=rows.person_id,
            start=rows.observation_period_start_date,
            end=rows.observation_period_end_date,
        )

    def joined_with_persons(self, rows: Any) -> Any:
        people = self.table("person")
        people = people.select(known=people.person_id)
        return rows.left_join(people, rows.person_id == people.known)

    def records(
        self, domain: str, concepts: Collection[int] | None, span: tuple[int, int] | None = None
    ) -> Any:
        """Dated records of a domain, of some concepts or of any, in a range of persons."""
        rows = self.events(domain)
        wanted = rows.concept_id != 0 if concepts is None else rows.concept_id.isin(whole(concepts))
        return rows.filter(wanted, rows.date.notnull(), in_span(rows.person_id, span))

    def query(self, expression: Any) -> Query:
        types = expression.schema()
        if self._dialect == "pyspark" and any(types[name].is_floating() for name in types.names):
            load_spark_settings()
        columns = {n: "int64" if types[n].is_integer() else str(types[n]) for n in types.names}
        return Query(str(ibis.to_sql(expression, dialect=self._dialect)), columns)


def whole(ids: Collection[int]) -> list[int]:
    """Ids as whole numbers and nothing else, in order, so that the same set is the same SQL."""
    return sorted(int(i) for i in ids)


def in_span(ids: Any, span: tuple[int, int] | None) -> Any:
    return ids.notnull() if span is None else ids.between(int(span[0]), int(span[1]))


def different(rows: Any) -> Any:
    """Rows without repetitions.

    By groups, since distinct() before order_by() is compiled wrongly for PostgreSQL: columns of
    the filter become part of what is distinct, and repetitions come back.
    """
    return rows.group_by(*rows.columns).agg()


def as_flag(condition: Any) -> Any:
    return condition.ifelse(1, 0).cast("int64")


def known_flag(column: Any) -> Any:
    """A flag of a person who may have no row in the table that it comes from."""
    return column.fill_null(0).cast("int64")


def in_window(rows: Any, window: Window) -> Any:
    """Whether a record's date is among some days before the index date."""
    first, last = window
    if last == -1:
        until = rows.date < rows.index_date
    elif last == 0:
        until = rows.date <= rows.index_date
    else:
        until = rows.date <= rows.index_date - ibis.interval(days=-last)
    if first is None:
        return until
    return until & (rows.date >= rows.index_date - ibis.interval(days=-first))


def load_spark_settings() -> None:
    """Let ibis read its Spark settings, which it needs to write numeric columns."""
    if ibis.options.pyspark is None:
        _ = ibis.pyspark
