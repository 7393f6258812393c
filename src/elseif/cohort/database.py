"""A connection to a database: read-only, reopened when lost, and never showing secrets."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from elseif.checks import check_schema, did_you_mean
from elseif.cohort.address import Address, read_address
from elseif.cohort.cdm_layout import RESULTS, SOURCE, VOCABULARY, Layout, find_layout
from elseif.cohort.drivers import DRIVERS, Driver, LostConnectionError, load
from elseif.cohort.synthetic import says_synthetic
from elseif.errors import DatabaseError, ParamTypeError

WAITS = (0.2, 1.0, 4.0, 10.0, 15.0)  # seconds before each new try of a lost connection

Answer = TypeVar("Answer")


def connect(
    url: str | os.PathLike[str],
    schema: str | None = None,
    *,
    vocabulary_schema: str | None = None,
    results_schema: str | None = None,
) -> Database:
    """Connect to a database in the OMOP common data model, for reading only.

    Parameters
    ----------
    url : str or path
        ``duckdb:///FILE`` or the path of a DuckDB file; ``postgresql://USER@HOST:PORT/NAME``
        (keep the password in ``PGPASSWORD`` or ``~/.pgpass``); ``spark`` for the active Spark
        session or a local one; ``spark:///FOLDER`` for a folder of Parquet files named after the
        tables.
    schema : str, default=None
        Where the tables are; by default the database's own default schema.
    vocabulary_schema : str, default=None
        Where ``concept`` and ``concept_ancestor`` are, if not in ``schema``.
    results_schema : str, default=None
        Where ``cohort`` is, if not in ``schema``.

    Returns
    -------
    Database
        The open database, which can be used in a ``with`` statement.

    Examples
    --------
    >>> from elseif.cohort import connect
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> with connect("duckdb:///patients.duckdb", schema="cdm") as database:
    ...     database.kind
    'duckdb'
    """
    schemas = [_checked(each) for each in (schema, vocabulary_schema, results_schema)]
    address = read_address(url)
    return Database(DRIVERS[address.kind](address), *schemas)


def _checked(schema: str | None) -> str | None:
    """The name of a schema, if it is one; anything else never reaches a database."""
    if schema is not None:
        check_schema(schema)
    return schema


class Database:
    """An open database, made by ``connect`` or ``Database.from_backend``.

    Parameters
    ----------
    driver : Driver
        Handles this kind of database.
    schema : str, default=None
        Where the tables are.
    vocabulary_schema : str, default=None
        Where ``concept`` and ``concept_ancestor`` are, if not in ``schema``.
    results_schema : str, default=None
        Where ``cohort`` is, if not in ``schema``.

    Examples
    --------
    >>> import ibis
    >>> from elseif.cohort import Database, connect
    >>> from elseif.datasets import make_stroke_cdm
    >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
    >>> database = connect("patients.duckdb", schema="cdm")
    >>> database
    <Database: the DuckDB file patients.duckdb, schema cdm>
    >>> database.close()
    >>> Database.from_backend(ibis.duckdb.connect("patients.duckdb"), schema="cdm").kind
    'duckdb'
    """

    def __init__(
        self,
        driver: Driver,
        schema: str | None,
        vocabulary_schema: str | None = None,
        results_schema: str | None = None,
    ) -> None:
        load("ibis", "Reading a database")
        load("pyarrow", "Reading a database")
        self._driver, self.schema = driver, schema
        self.vocabulary_schema = vocabulary_schema or schema
        self.results_schema = results_schema or schema
        self._is_open = True
        if driver.connection is None:
            with self._translated():
                driver.open()

    @classmethod
    def from_backend(
        cls,
        backend: Any,
        schema: str | None = None,
        *,
        vocabulary_schema: str | None = None,
        results_schema: str | None = None,
    ) -> Database:
        """Use an open ibis session, such as ``ibis.postgres.connect(...)``; it stays open.

        Parameters
        ----------
        backend : ibis backend
            The session.
        schema : str, default=None
            Where the tables are.
        vocabulary_schema : str, default=None
            Where ``concept`` and ``concept_ancestor`` are, if not in ``schema``.
        results_schema : str, default=None
            Where ``cohort`` is, if not in ``schema``.

        Returns
        -------
        Database
            The database.
        """
        load("ibis", "Reading a database")
        from elseif.cohort.engine import unwrap

        kind, connection = unwrap(backend)
        address = Address(kind, f"the {NAMES[kind]} session", f"{kind}:session")
        schemas = [_checked(each) for each in (schema, vocabulary_schema, results_schema)]
        return cls(DRIVERS[kind](address, connection), *schemas)

    @property
    def kind(self) -> str:
        """Which kind of database it is: "duckdb", "postgresql" or "spark"."""
        return self._driver.address.kind

    @property
    def label(self) -> str:
        """How messages name it; without user and password."""
        return self._driver.address.label

    @property
    def identity(self) -> str:
        """What distinguishes it from other sources; without user and password."""
        others = (self.vocabulary_schema, self.results_schema)
        more = "".join(f":{each or ''}" for each in others) if set(others) != {self.schema} else ""
        return f"{self._driver.address.identity}:{self.schema or ''}{more}"

    @property
    def path(self) -> Path | None:
        """The file or folder of an embedded database; None for a server or a session."""
        return self._driver.address.path

    @property
    def backend(self) -> Any:
        """An ibis backend on the same connection, for queries of your own."""
        from elseif.cohort.engine import wrap

        self._check_open()
        return wrap(self.kind, self._driver.connection)

    def __repr__(self) -> str:
        schema = "" if self.schema is None else f", schema {self.schema}"
        return f"<Database: {self.label}{schema}{'' if self._is_open else ', closed'}>"

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __reduce__(self) -> Any:
        raise ParamTypeError(
            "A database cannot be pickled: it may contain a password. Connect again."
        )

    def close(self) -> None:
        """Close the connection, unless it was opened elsewhere."""
        self._is_open = False
        with contextlib.suppress(*self._driver.errors()):
            self._driver.close()

    def queries(self, tables: Collection[str], more: Collection[str] = ()) -> Any:
        """The queries of an extraction, once the tables have been found.

        Parameters
        ----------
        tables : collection of str
            The tables that are needed.
        more : collection of str
            Columns that are needed besides the usual ones, as ``table.column``.

        Returns
        -------
        Queries
            The queries.
        """
        from elseif.cohort.engine import Queries

        schemas: dict[str | None, list[str]] = {}
        for table in tables:
            schemas.setdefault(self._schema_of(table), []).append(table)
        layouts, problems = {}, []
        for schema, of_schema in schemas.items():
            try:
                layouts[schema] = self._layout(schema, of_schema, more)
            except LostConnectionError:
                raise
            except DatabaseError as error:
                problems.append(str(error))
        if problems:
            raise DatabaseError(" ".join(problems))
        main = layouts.get(self.schema, Layout(self.schema, {}))
        elsewhere = {
            table: layouts[schema]
            for schema, of_schema in schemas.items()
            if schema != self.schema
            for table in of_schema
        }
        return Queries(self.kind, replace(main, elsewhere=elsewhere))

    def _schema_of(self, table: str) -> str | None:
        if table in VOCABULARY:
            return self.vocabulary_schema
        return self.results_schema if table in RESULTS else self.schema

    def _layout(self, schema: str | None, tables: Collection[str], more: Collection[str]) -> Layout:
        def look() -> list[tuple[str, str, str]]:
            with self._translated():
                return self._driver.columns(schema)

        layout = find_layout(self.again(look), schema, tables, self._driver.label, more)
        return replace(layout, catalogue=self._driver.catalogue(schema))

    def table(self, name: str) -> Any:
        """A table of the database with any columns, which ``fit`` counts inside the database.

        Parameters
        ----------
        name : str
            The table or view, in the schema of the connection.

        Returns
        -------
        ibis table
            A lazy table.

        Examples
        --------
        >>> from elseif.cohort import connect
        >>> from elseif.datasets import make_stroke_cdm
        >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
        >>> with connect("patients.duckdb", schema="cdm") as database:
        ...     database.table("person").columns[:2]
        ('person_id', 'gender_concept_id')
        """

        def look() -> list[str]:
            with self.translated():
                return list(dict.fromkeys(row[0] for row in self._driver.columns(self.schema)))

        names = self.again(look)
        where = "" if self.schema is None else f" in the schema {self.schema}"
        if not names:
            raise DatabaseError(
                f"{self._driver.label} has no table{where} that may be read. Is it the right "
                "schema?"
            )
        if name not in names:
            hint = did_you_mean(name, names)
            raise DatabaseError(f"{self._driver.label} has no table {name!r}{where}; {hint}")
        self._driver.tables = name
        with self.translated():
            return self.backend.table(name, database=self._place())

    def _place(self) -> str | tuple[str, str] | None:
        """Where ibis finds the tables of the schema."""
        catalogue = self._driver.catalogue(self.schema)
        if self.schema is None or catalogue is None:
            return self.schema
        return catalogue, self.schema

    @contextlib.contextmanager
    def translated(self) -> Iterator[None]:
        """Replace errors raised by drivers, which may contain secrets, by readable ones.

        Returns
        -------
        context manager
            For a ``with`` statement around queries of your own.

        Examples
        --------
        >>> from elseif.cohort import connect
        >>> from elseif.datasets import make_stroke_cdm
        >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
        >>> with connect("patients.duckdb", schema="cdm") as database, database.translated():
        ...     int(database.table("person").count().execute())
        110
        """
        with self._translated():
            yield

    def source_names(self) -> list[str]:
        """What the table cdm_source says about the database.

        Returns
        -------
        list of str
            Names and descriptions; empty if there is no such table.
        """
        try:
            queries = self.queries([SOURCE])
        except LostConnectionError:
            raise
        except DatabaseError:  # the table is not needed, and often not there
            return []
        sources = self.fetch(queries.source_names())
        return [] if sources is None else [name for name in sources["name"].to_pylist() if name]

    def is_synthetic(self) -> bool:
        """Whether the table cdm_source describes the patients as synthetic or simulated.

        Returns
        -------
        bool
            Whether it does; False if there is no such table.

        Examples
        --------
        >>> from elseif.cohort import connect
        >>> from elseif.datasets import make_stroke_cdm
        >>> planted = make_stroke_cdm("patients.duckdb", n_patients=100, n_others=10, n_concepts=77)
        >>> with connect("patients.duckdb", schema="cdm") as database:
        ...     database.is_synthetic()
        True
        """
        return says_synthetic(self.source_names())

    def stream(self, query: Any) -> Iterator[Any]:
        """Run a query and read its result a batch of rows at a time.

        Parameters
        ----------
        query : ibis expression
            The query.

        Returns
        -------
        iterator of pyarrow.Table
            The batches.
        """
        import pyarrow as pa

        self._check_open()
        types = {
            "int64": pa.int64(),
            "float64": pa.float64(),
            "date": pa.date32(),
            "string": pa.string(),
        }
        schema = pa.schema(
            [(name, types[kind.removeprefix("!")]) for name, kind in query.columns.items()]
        )
        with self._translated():
            yield from self._driver.stream(query.sql, schema)

    def fetch(self, query: Any) -> Any:
        """Run a query with a small result.

        Parameters
        ----------
        query : ibis expression
            The query.

        Returns
        -------
        pyarrow.Table
            The whole result.
        """
        import pyarrow as pa

        def ask() -> Any:
            tables = list(self.stream(query))
            return pa.concat_tables(tables) if tables else None

        return self.again(ask)

    def numbers(self, query: Any) -> dict[str, int]:
        """Run a query whose result is one row of numbers.

        Parameters
        ----------
        query : ibis expression
            The query.

        Returns
        -------
        dict of int
            The numbers by column.
        """
        row: dict[str, int | None] = self.fetch(query).to_pylist()[0]
        return {name: value or 0 for name, value in row.items()}

    def again(self, work: Callable[[], Answer]) -> Answer:
        """Do some work, and repeat it from the start if the connection is lost.

        Parameters
        ----------
        work : callable
            The work.

        Returns
        -------
        object
            What it returns.
        """
        self._check_open()
        for wait in WAITS:
            try:
                if self._driver.connection is None:
                    with self._translated():
                        self._driver.open()
                return work()
            except LostConnectionError:
                if not self._driver.can_reopen:
                    raise
                self._forget_connection()
                time.sleep(wait)
        with self._translated():
            if self._driver.connection is None:
                self._driver.open()
        return work()

    def _forget_connection(self) -> None:
        with contextlib.suppress(*self._driver.errors(), OSError):
            self._driver.close()
        self._driver.connection = None

    def _check_open(self) -> None:
        if not self._is_open:
            raise DatabaseError(f"The connection to {self.label} is closed. Connect again.")

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Exceptions of drivers as sentences, without the original, which may contain secrets."""
        import pyarrow as pa

        try:
            yield
        except DatabaseError:
            raise
        except (*self._driver.errors(), pa.ArrowException) as error:
            raise self._driver.problem(error) from None


NAMES = {"duckdb": "DuckDB", "postgresql": "PostgreSQL", "spark": "Spark"}
