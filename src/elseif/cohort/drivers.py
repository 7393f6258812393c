"""One class for each kind of database: open it read-only, stream a query, explain errors."""

from __future__ import annotations

import atexit
import contextlib
import functools
import os
import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

from elseif.cohort.address import Address
from elseif.errors import DatabaseError, ParamError, install
from elseif.files.temporary import temporary_folder

ROWS_AT_ONCE = 1 << 17
CONNECT_SECONDS = 15
LONGEST_MESSAGE = 300
INSTALL = install("omop")
INSTALL_SPARK = install("omop,spark")


# what drivers quote of a value that they cannot convert
_DATE = re.compile(r"(\d{4,}-\d{2}-\d{2}(?: \(?BC\)?)?)")
_BEFORE_USER = re.compile(r"(?:user|role)[ :=]+$", re.IGNORECASE)
_QUOTED = re.compile(r"""["']([^"']{1,40})["']""")


class LostConnectionError(DatabaseError):
    """The connection broke, which another try may mend."""


def load(module: str, what: str, install: str = INSTALL) -> Any:
    """A module of an extra, or how to get it."""
    try:
        return import_module(module)
    except ImportError:
        raise ParamError(f"{what} needs {module.split('.')[0]}: {install}.") from None


class Driver(ABC):
    """A database that can be opened, read and closed."""

    def __init__(self, address: Address, connection: Any = None) -> None:
        self.address = address
        self.connection = connection
        self.can_reopen = connection is None
        # what is read, as errors name it
        self.tables = "person, observation_period, condition_occurrence and drug_exposure"

    @abstractmethod
    def open(self) -> Any:
        """Open a connection that cannot write."""

    def close(self) -> None:
        """Close what open has opened."""
        if self.can_reopen and self.connection is not None:
            self.connection.close()
            self.connection = None

    @abstractmethod
    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        """The rows of a query as Arrow tables, some at a time."""

    @abstractmethod
    def columns(self, schema: str | None) -> list[tuple[str, str, str]]:
        """Table, column and type of everything in a schema that may be read."""

    def catalogue(self, schema: str | None) -> str | None:
        """The database that a schema must be named with; None where the schema's name is enough."""
        return None

    @abstractmethod
    def errors(self) -> tuple[type[Exception], ...]:
        """Kinds of exceptions that the driver raises."""

    def problem(self, error: Exception) -> DatabaseError:
        """What such an exception means, in a sentence without secrets."""
        return DatabaseError(f"{self.label}: {self.said(error)}.")

    def unfit(self, error: Exception) -> DatabaseError:
        """A value that is not a date, or beyond what can be reckoned with; named where known."""
        said = self.said(error)
        match = _DATE.search(said) or _QUOTED.search(said)
        value = "a value that" if match is None else f"{match[1]!r}, which"
        return DatabaseError(
            f"{self.label} holds {value} cannot be read as a date or as a whole number. "
            "Dates must be of the years 1 to 9999, and as texts be written YYYY-MM-DD. Look for it "
            f"in {self.tables}; correct it, or read views that leave it out."
        )

    @property
    def label(self) -> str:
        """The database, at the start of a sentence."""
        return self.address.label[:1].upper() + self.address.label[1:]

    def said(self, error: Exception) -> str:
        """The first line of a driver's message, if it contains no secret."""
        text = str(error).strip() or type(error).__name__
        line = " ".join(text.splitlines()[0].split()).rstrip(".")[:LONGEST_MESSAGE]
        secrets = (*self.address.secrets, os.environ.get("PGPASSWORD", ""))
        if any(secret and secret in text for secret in secrets):
            return f"the driver reports {type(error).__name__}"
        return self._without_user(line)

    def _without_user(self, line: str) -> str:
        """A line without the user's name; a word of the sentence that is the same word stays."""
        user, database = (str(self.address.settings.get(key, "")) for key in ("user", "dbname"))
        if not user:
            return line

        def hidden(match: re.Match[str]) -> str:
            before, after = line[: match.start()], line[match.end() :]
            is_word = not before[-1:].strip() and not after[:1].strip(" ,.:")
            is_named = _BEFORE_USER.search(before) is not None
            is_database = user == database and before.endswith('database "')
            return user if (is_word and not is_named) or is_database else "***"

        return re.sub(rf"(?<!\w){re.escape(user)}(?!\w)", hidden, line)


@functools.cache
def _spill_folder() -> Path:
    """A private folder for rows that memory cannot hold; connections to one file share it."""
    stack = contextlib.ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(temporary_folder("elseif-duckdb"))


class DuckDBDriver(Driver):
    """A DuckDB file."""

    def open(self) -> Any:
        duckdb = load("duckdb", "A DuckDB database")
        # without its own settings, so that others in this process may have it open, too
        self.connection = duckdb.connect(str(self.address.path), read_only=True)
        spill = str(_spill_folder()).replace("'", "''")
        with contextlib.suppress(duckdb.Error):  # refused where another one is in use already
            self.connection.execute(f"SET temp_directory = '{spill}'")
        self.connection.execute("SET TimeZone = 'UTC'")
        return self.connection

    def close(self) -> None:
        if self.can_reopen and self.connection is not None:
            self.connection.interrupt()  # else closing waits for an interrupted query
        super().close()

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        result = self.connection.execute(sql)
        # the name of DuckDB before 1.5, which later ones warn of
        old = getattr(result, "to_arrow_reader", None) is None
        read = result.fetch_record_batch if old else result.to_arrow_reader
        for batch in read(ROWS_AT_ONCE):
            yield pa.Table.from_batches([batch]).cast(schema)

    def columns(self, schema: str | None) -> list[tuple[str, str, str]]:
        sql = (
            "SELECT table_name, column_name, data_type FROM information_schema.columns "
            "WHERE table_schema = coalesce(?, current_schema()) "
            "AND table_catalog IN (current_database(), 'temp') ORDER BY ordinal_position"
        )
        rows: list[tuple[str, str, str]] = self.connection.execute(sql, [schema]).fetchall()
        return rows

    def catalogue(self, schema: str | None) -> str | None:
        # DuckDB calls a database by its file: in cdm.duckdb, "cdm" may be the file or the schema
        name = self.connection.execute("SELECT current_database()").fetchone()[0]
        return str(name) if schema is not None and name.lower() == schema.lower() else None

    def errors(self) -> tuple[type[Exception], ...]:
        return (load("duckdb", "A DuckDB database").Error,)

    def problem(self, error: Exception) -> DatabaseError:
        said = self.said(error)
        if "different configuration" in said:
            return DatabaseError(
                f"{self.label} is open already in this program, in another way. Close it there, or "
                "give an ibis backend of that connection to Database.from_backend(...)."
            )
        if "lock on file" in said:
            return DatabaseError(
                f"{self.label} is open elsewhere for writing. Close it there, then try again."
            )
        if "not a valid DuckDB database" in said:
            return DatabaseError(f"{self.label} is not a DuckDB database.")
        duckdb = load("duckdb", "A DuckDB database")
        if isinstance(error, duckdb.ConversionException | duckdb.OutOfRangeException):
            return self.unfit(error)
        return DatabaseError(f"{self.label}: {said}.")


class PostgreSQLDriver(Driver):
    """A PostgreSQL server."""

    def open(self) -> Any:
        psycopg = load("psycopg", "A PostgreSQL database")
        settings: dict[str, Any] = {"connect_timeout": CONNECT_SECONDS, **self.address.settings}
        connection = psycopg.connect(**settings, **SESSION, autocommit=True)
        try:  # by statements: not every pool of connections lets settings through
            connection.execute("SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY")
            connection.execute("SET TimeZone TO 'UTC'")
            connection.read_only = True
        except psycopg.Error:
            connection.close()
            raise
        self.connection = connection
        return self.connection

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        import pyarrow as pa

        with self.connection.transaction():
            if self.can_reopen is False:  # a session that somebody else has opened
                self.connection.execute("SET TRANSACTION READ ONLY")
            with self.connection.cursor(name="elseif_rows", binary=True) as cursor:
                cursor.execute(sql)
                while rows := cursor.fetchmany(ROWS_AT_ONCE):
                    columns = zip(*rows, strict=True)
                    yield pa.Table.from_arrays(
                        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)],
                        schema=schema,
                    )

    def columns(self, schema: str | None) -> list[tuple[str, str, str]]:
        sql = (
            "SELECT c.relname, a.attname, format_type(a.atttypid, NULL) FROM pg_class c "
            "JOIN pg_namespace n ON n.oid = c.relnamespace "
            "JOIN pg_attribute a ON a.attrelid = c.oid "
            "WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND a.attnum > 0 "
            "AND NOT a.attisdropped AND has_table_privilege(c.oid, 'SELECT') "
            "AND CASE WHEN %(schema)s::text IS NULL THEN n.nspname = ANY(current_schemas(false)) "
            "ELSE n.nspname = %(schema)s END ORDER BY c.oid, a.attnum"
        )
        with self.connection.transaction():
            rows: list[tuple[str, str, str]]
            rows = self.connection.execute(sql, {"schema": schema}).fetchall()
        return rows

    def errors(self) -> tuple[type[Exception], ...]:
        return (load("psycopg", "A PostgreSQL database").Error,)

    def problem(self, error: Exception) -> DatabaseError:
        state = getattr(error, "sqlstate", None) or ""
        said = self.said(error)
        if self.connection is None:
            return self._refused(said, str(error))
        if self.connection.closed or state[:2] == "08" or state in RETRIED:
            return LostConnectionError(f"{self.label} is no longer connected: {said}.")
        if state == "57014" and "timeout" in said:
            return DatabaseError(
                f"{self.label} ended a query at its statement timeout. Ask for a longer "
                "statement_timeout for this user, or extract fewer persons a batch."
            )
        if isinstance(error, load("psycopg", "A PostgreSQL database").DataError):
            return self.unfit(error)
        if state == "42501":
            return DatabaseError(
                f"{self.label} does not let this user read: {said}. The right to SELECT on the "
                "tables of the common data model suffices."
            )
        return DatabaseError(f"{self.label}: {said}.")

    def _refused(self, said: str, lowered: str) -> DatabaseError:
        """No connection was made; the sentence separates a wrong password from an absent server.

        Nothing that was given may be repeated: the password may be a word such as "postgres".
        """
        if any(word in lowered for word in ("password", "authentication", "role")):
            return DatabaseError(
                f"{self.label} refuses the user or the password. The password is taken from the "
                "address, from PGPASSWORD or from ~/.pgpass."
            )
        return LostConnectionError(f"{self.label} cannot be reached: {said}.")


# a server that has gone silent is given up after two minutes
SESSION: Mapping[str, Any] = {
    "application_name": "elseif",
    "keepalives_idle": 60,
    "keepalives_interval": 10,
    "keepalives_count": 6,
    "tcp_user_timeout": 120_000,
}
# shut down, starting up, or a standby that had to cancel the query: worth another try
RETRIED = ("57P01", "57P02", "57P03", "40001", "40P01")


class SparkDriver(Driver):
    """A Spark session: the one that is active, or one of our own on this machine."""

    def __init__(self, address: Address, connection: Any = None) -> None:
        super().__init__(address, connection)
        self._is_ours = False

    def open(self) -> Any:
        session = load("pyspark.sql", "Spark", INSTALL_SPARK).SparkSession
        self.connection = session.getActiveSession() or _active_connect_session()
        self._is_ours = self.connection is None
        if self._is_ours:
            # a server has its own settings, and no master on this machine
            is_remote = bool(os.environ.get("SPARK_REMOTE"))
            builder = session.builder
            for key, value in (REMOTE_SETTINGS if is_remote else SPARK_SETTINGS).items():
                builder = builder.config(key, value)
            self.connection = builder.getOrCreate()
        if self.address.path is not None:
            for table in sorted(self.address.path.iterdir()):
                if table.suffix == ".parquet":
                    rows = self.connection.read.parquet(str(table))
                    rows.createOrReplaceTempView(table.stem.lower())
        return self.connection

    def close(self) -> None:
        if self._is_ours and self.connection is not None:
            self.connection.stop()
        self.connection = None

    def stream(self, sql: str, schema: Any) -> Iterator[Any]:
        yield self.connection.sql(sql).toArrow().cast(schema)

    def columns(self, schema: str | None) -> list[tuple[str, str, str]]:
        catalog = self.connection.catalog
        if schema is not None and not catalog.databaseExists(schema):
            return []
        rows = []
        for table in catalog.listTables(schema):
            if table.isTemporary and schema is not None:
                continue  # a view of the session, which no schema has
            name = f"`{table.name}`" if schema is None else f"`{schema}`.`{table.name}`"
            types = self.connection.table(name).dtypes
            rows += [(table.name, column, kind) for column, kind in types]
        return rows

    def errors(self) -> tuple[type[Exception], ...]:
        base = load("pyspark.errors", "Spark", INSTALL_SPARK).PySparkException
        classes = [base, ConnectionError]
        for module, name in (("py4j.protocol", "Py4JError"), ("grpc", "RpcError")):
            with contextlib.suppress(ImportError):  # of a session here, or of a server
                classes.append(getattr(import_module(module), name))
        return tuple(classes)

    def problem(self, error: Exception) -> DatabaseError:
        if _is_lost(error):
            self._is_ours = False  # nothing is left to stop
            return LostConnectionError(f"{self.label} has ended: {self.said(error)}.")
        state = getattr(error, "getSqlState", lambda: None)() or ""
        if state[:2] == "22":  # exceptions of data, in every SQL
            return self.unfit(error)
        return DatabaseError(f"{self.label}: {self.said(error)}.")


def _active_connect_session() -> Any:
    """The active session of a Spark Connect server, which the classic session does not know."""
    try:
        connect = import_module("pyspark.sql.connect.session")
    except ImportError:  # Spark Connect's dependencies are not installed
        return None
    return connect.SparkSession.getActiveSession()


def _is_lost(error: Exception) -> bool:
    """Whether Java or the server has gone."""
    if isinstance(error, ConnectionError) or type(error).__name__ == "Py4JNetworkError":
        return True
    code = getattr(error, "code", None)  # of gRPC
    return callable(code) and getattr(code(), "name", "") == "UNAVAILABLE"


REMOTE_SETTINGS: Mapping[str, str] = {"spark.sql.session.timeZone": "UTC"}
SPARK_SETTINGS: Mapping[str, str] = {
    "spark.master": "local[*]",
    "spark.app.name": "elseif",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "8",
}
DRIVERS: Mapping[str, type[Driver]] = {
    "duckdb": DuckDBDriver,
    "postgresql": PostgreSQLDriver,
    "spark": SparkDriver,
}
