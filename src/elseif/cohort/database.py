"""A connection to a database: read-only, opened again when it is lost, silent about secrets."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from elseif.checks import check_schema
from elseif.cohort.address import Address, read_address
from elseif.cohort.cdm_layout import SOURCE, find_layout
from elseif.cohort.drivers import DRIVERS, Driver, LostConnectionError, load
from elseif.errors import DatabaseError, ParamTypeError

WAITS = (0.2, 1.0, 4.0, 10.0, 15.0)  # seconds before each new try of a lost connection

Answer = TypeVar("Answer")


def connect(url: str | os.PathLike[str], schema: str | None = None) -> Database:
    """Connect to a database that holds the OMOP common data model, for reading only.

    ``url`` is ``duckdb:///FILE`` or the path of a DuckDB file,
    ``postgresql://USER@HOST:PORT/NAME`` (whose password is best left to ``PGPASSWORD`` or
    ``~/.pgpass``), ``spark`` for the active Spark session or a local one, or
    ``spark:///FOLDER`` for a folder of Parquet files named after the tables. ``schema``
    is where the tables are; without it, where the database looks by itself.
    """
    schema = _checked(schema)
    address = read_address(url)
    return Database(DRIVERS[address.kind](address), schema)


def _checked(schema: str | None) -> str | None:
    """The name of a schema, if it is one; anything else never reaches a database."""
    if schema is not None:
        check_schema(schema)
    return schema


class Database:
    """An open database; made by ``connect`` or ``Database.from_backend``."""

    def __init__(self, driver: Driver, schema: str | None) -> None:
        load("ibis", "Reading a database")
        load("pyarrow", "Reading a database")
        self._driver, self.schema = driver, schema
        self._is_open = True
        if driver.connection is None:
            with self._translated():
                driver.open()

    @classmethod
    def from_backend(cls, backend: Any, schema: str | None = None) -> Database:
        """Use a session that exists, such as ``ibis.postgres.connect(...)``; it stays open."""
        load("ibis", "Reading a database")
        from elseif.cohort.engine import unwrap

        kind, connection = unwrap(backend)
        address = Address(kind, f"the {NAMES[kind]} session", f"{kind}:session")
        return cls(DRIVERS[kind](address, connection), _checked(schema))

    @property
    def kind(self) -> str:
        """Which kind of database it is: "duckdb", "postgresql" or "spark"."""
        return self._driver.address.kind

    @property
    def label(self) -> str:
        """What it is called in sentences; without user and password."""
        return self._driver.address.label

    @property
    def identity(self) -> str:
        """What tells it from other sources; without user and password."""
        return f"{self._driver.address.identity}:{self.schema or ''}"

    @property
    def path(self) -> Path | None:
        """The file or folder of an embedded database; None of a server's or a session's."""
        return self._driver.address.path

    @property
    def backend(self) -> Any:
        """An ibis backend on the same connection, for questions of your own."""
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
        raise ParamTypeError("A database cannot be pickled: it may hold a password. Connect anew.")

    def close(self) -> None:
        """Close the connection, unless it was somebody else's."""
        self._is_open = False
        with contextlib.suppress(*self._driver.errors()):
            self._driver.close()

    def questions(self, tables: Collection[str]) -> Any:
        """What can be asked, once the tables have been found."""
        from elseif.cohort.engine import Queries

        def look() -> list[tuple[str, str, str]]:
            with self._translated():
                return self._driver.columns(self.schema)

        layout = find_layout(self.again(look), self.schema, tables, self._driver.label)
        return Queries(self.kind, layout)

    def source_names(self) -> list[str]:
        """What the database says that it is, in its table cdm_source; nothing if it has none."""
        try:
            questions = self.questions([SOURCE])
        except LostConnectionError:
            raise
        except DatabaseError:  # the table is not needed, and often not there
            return []
        found = self.fetch(questions.source_names())
        return [] if found is None else [name for name in found["name"].to_pylist() if name]

    def stream(self, query: Any) -> Iterator[Any]:
        """The answer to a query as Arrow tables, some rows at a time."""
        import pyarrow as pa

        self._check_open()
        types = {"int64": pa.int64(), "date": pa.date32(), "string": pa.string()}
        schema = pa.schema(
            [(name, types[kind.removeprefix("!")]) for name, kind in query.columns.items()]
        )
        with self._translated():
            yield from self._driver.stream(query.sql, schema)

    def fetch(self, query: Any) -> Any:
        """The whole answer to a query that has a short one."""
        import pyarrow as pa

        def ask() -> Any:
            tables = list(self.stream(query))
            return pa.concat_tables(tables) if tables else None

        return self.again(ask)

    def numbers(self, query: Any) -> dict[str, int]:
        """The answer to a query that has one row of numbers."""
        row: dict[str, int | None] = self.fetch(query).to_pylist()[0]
        return {name: value or 0 for name, value in row.items()}

    def again(self, work: Callable[[], Answer]) -> Answer:
        """Do some work, and do it again from its start when the connection is lost meanwhile."""
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
            raise DatabaseError(f"The connection to {self.label} is closed. Connect anew.")

    @contextlib.contextmanager
    def _translated(self) -> Iterator[None]:
        """Exceptions of drivers as sentences; what they were is cut off, lest it tell secrets."""
        import pyarrow as pa

        try:
            yield
        except DatabaseError:
            raise
        except (*self._driver.errors(), pa.ArrowException) as error:
            raise self._driver.problem(error) from None


NAMES = {"duckdb": "DuckDB", "postgresql": "PostgreSQL", "spark": "Spark"}
