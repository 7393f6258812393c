"""DuckDB, PostgreSQL and Spark as the tests use them: small, local, and filled by the tests."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import duckdb
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
from psycopg import sql

from elseif.cohort import Database, connect
from tests.cohort.rows import Tables

ARROW_TYPES = {
    "integer": pa.int32(),
    "date": pa.date32(),
    "text": pa.string(),
    "number": pa.float64(),
}
READER = "reader"
# characters that a URL must escape, and a word that no other text contains
PASSWORD = "hush@Tr0ub4dor/%:#?"


class NotHere(Exception):
    """An engine cannot be had on this machine; the text says how to get it."""


class Engine(Protocol):
    """Somewhere to put tables, and to extract from."""

    def load(self, tables: Tables, schema: str = "cdm") -> None: ...

    def connect(self, schema: str = "cdm") -> Database: ...


def arrow_tables(tables: Tables) -> dict[str, pa.Table]:
    """The rows with the types of the common data model."""
    return {
        table: pa.table(
            {
                name: pa.array([row[i] for row in rows], ARROW_TYPES[kind])
                for i, (name, kind) in enumerate(tables.columns(table).items())
            }
        )
        for table, rows in tables.rows().items()
    }


def write_duckdb(path: Path, tables: Tables, schema: str = "cdm") -> Path:
    """A DuckDB file that holds the tables in a schema."""
    with duckdb.connect(str(path)) as connection:
        quoted = '"' + schema.replace('"', '""') + '"'
        connection.execute(f"DROP SCHEMA IF EXISTS {quoted} CASCADE")
        connection.execute(f"CREATE SCHEMA {quoted}")
        for name, table in arrow_tables(tables).items():
            connection.register("rows_to_copy", table)
            connection.execute(f"CREATE TABLE {quoted}.{name} AS SELECT * FROM rows_to_copy")
            connection.unregister("rows_to_copy")
    return path


class DuckDBEngine:
    """One file in a folder."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "omop.duckdb"

    def load(self, tables: Tables, schema: str = "cdm") -> None:
        write_duckdb(self.path, tables, schema)

    def connect(self, schema: str = "cdm") -> Database:
        return connect(str(self.path), schema)


class PostgresServer:
    """A server of its own in a temporary folder, on a free port, with a reader who may only read.

    PostgreSQL refuses to run as root, so that there it runs as the user postgres.
    """

    def __init__(self) -> None:
        self.port = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._as_user: dict[str, Any] = {}
        self._folder = Path()

    def start(self) -> None:
        programs = postgres_programs()
        self._folder = Path(tempfile.mkdtemp(prefix="elseif-pg-"))
        if os.geteuid() == 0:
            shutil.chown(self._folder, *_server_user())
            self._as_user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        password_file = self._folder / "password"
        password_file.write_text(PASSWORD, encoding="utf-8")
        if self._as_user:
            shutil.chown(password_file, *_server_user())
        options = ["--no-sync", "--encoding=UTF8", "--locale=C", "--auth=scram-sha-256"]
        options += ["--username=owner", f"--pwfile={password_file}"]
        self._run([programs / "initdb", *options, "-D", self._folder / "data"])
        for _ in range(5):  # another program may take the free port before the server does
            self.port = free_port()
            if self._serve(programs):
                break
        else:
            raise NotHere(f"PostgreSQL did not start: {self._log()[-500:]}")
        self._make_reader()

    def stop(self) -> None:
        if self._process is not None:
            self._process.send_signal(2)  # a fast shutdown
            self._process.wait(30)
            self._process = None
        shutil.rmtree(self._folder, ignore_errors=True)

    def owner(self) -> psycopg.Connection[tuple[Any, ...]]:
        """A connection that may do anything."""
        return psycopg.connect(
            host="127.0.0.1",
            port=self.port,
            user="owner",
            password=PASSWORD,
            dbname="postgres",
            autocommit=True,
        )

    def url(self, user: str = READER, password: str = PASSWORD, port: int | None = None) -> str:
        """The address of the database for a user."""
        quoted = urllib.parse.quote(password, safe="")
        return f"postgresql://{user}:{quoted}@127.0.0.1:{port or self.port}/postgres"

    def load(self, tables: Tables, schema: str = "cdm") -> None:
        """Replace a schema by the tables, which the reader may then read."""
        kinds = {"integer": "integer", "date": "date", "text": "text", "number": "numeric"}
        with self.owner() as connection, connection.cursor() as cursor:
            name = sql.Identifier(schema)
            cursor.execute(sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(name))
            cursor.execute(sql.SQL("CREATE SCHEMA {}").format(name))
            for table, rows in tables.rows().items():
                columns = [
                    sql.SQL("{} " + kinds[kind]).format(sql.Identifier(column))  # type: ignore[arg-type]
                    for column, kind in tables.columns(table).items()
                ]
                whole = sql.Identifier(schema, table)
                made = sql.SQL("CREATE TABLE {} ({})").format(whole, sql.SQL(", ").join(columns))
                cursor.execute(made)
                with cursor.copy(sql.SQL("COPY {} FROM STDIN").format(whole)) as copy:
                    for row in rows:
                        copy.write_row(row)
            reader = sql.Identifier(READER)
            cursor.execute(sql.SQL("GRANT USAGE ON SCHEMA {} TO {}").format(name, reader))
            cursor.execute(
                sql.SQL("GRANT SELECT ON ALL TABLES IN SCHEMA {} TO {}").format(name, reader)
            )

    def connect(self, schema: str = "cdm") -> Database:
        return connect(self.url(), schema)

    def _make_reader(self) -> None:
        with self.owner() as connection:
            made = sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}")
            connection.execute(made.format(sql.Identifier(READER), sql.Literal(PASSWORD)))
            connection.execute("REVOKE ALL ON DATABASE postgres FROM PUBLIC")
            connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            connection.execute(f"GRANT CONNECT ON DATABASE postgres TO {READER}")

    def _serve(self, programs: Path) -> bool:
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": str(self._folder),
            "fsync": "off",
            "max_connections": "20",
            "shared_buffers": "32MB",
        }
        command = [str(programs / "postgres"), "-D", str(self._folder / "data")]
        for name, value in settings.items():
            command += ["-c", f"{name}={value}"]
        with open(self._folder / "log", "wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self._folder, **self._as_user
            )
        for _ in range(300):
            if process.poll() is not None:
                return False
            try:
                self.owner().close()
            except psycopg.OperationalError:
                time.sleep(0.1)
            else:
                self._process = process
                return True
        process.kill()
        process.wait()
        return False

    def _run(self, command: Sequence[object]) -> None:
        done = subprocess.run(
            [str(part) for part in command],
            capture_output=True,
            text=True,
            check=False,
            cwd=self._folder,
            **self._as_user,
        )
        if done.returncode:
            raise NotHere(f"{command[0]} failed: {done.stderr}")

    def _log(self) -> str:
        return (self._folder / "log").read_text(encoding="utf-8", errors="replace")


class SparkEngine:
    """Spark in local mode with one task at a time, whose tables are Parquet files in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.session = spark_session(folder)

    def load(self, tables: Tables, schema: str = "cdm") -> None:
        self.session.sql(f"DROP DATABASE IF EXISTS `{schema}` CASCADE")
        self.session.sql(f"CREATE DATABASE `{schema}`")
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        for name, table in arrow_tables(tables).items():
            pq.write_table(table, folder / f"{name}.parquet")
            self.session.sql(
                f"CREATE TABLE `{schema}`.{name} USING PARQUET LOCATION '{folder}/{name}.parquet'"
            )

    def connect(self, schema: str = "cdm") -> Database:
        return connect("spark", schema)  # the session that runs already

    def stop(self) -> None:
        self.session.stop()


def spark_session(folder: Path) -> Any:
    """A small Spark session; needs Java."""
    home = os.environ.get("JAVA_HOME")
    if not (home and Path(home, "bin", "java").exists()) and shutil.which("java") is None:
        raise NotHere("Java is not installed; scripts/install_for_tests.sh installs it.")
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.sql.shuffle.partitions": "1",
        "spark.default.parallelism": "1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "1g",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        # a few hundred rows do not repay what Spark compiles for millions
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.adaptive.enabled": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
    }
    builder = SparkSession.builder.master("local[1]").appName("elseif-tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def postgres_programs() -> Path:
    """The folder of initdb and postgres, newest version first."""
    program = shutil.which("initdb")
    folders = [Path(program).resolve().parent] if program else []
    folders += sorted(
        Path("/usr/lib/postgresql").glob("*/bin"),
        key=lambda folder: float(folder.parent.name),
        reverse=True,
    )
    for folder in folders:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NotHere("PostgreSQL is not installed; scripts/install_for_tests.sh installs it.")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def _server_user() -> tuple[str, str]:
    import pwd

    try:
        pwd.getpwnam("postgres")
    except KeyError as error:
        raise NotHere("PostgreSQL does not run as root, and no user postgres exists.") from error
    return "postgres", "postgres"
