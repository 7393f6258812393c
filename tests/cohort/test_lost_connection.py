"""PostgreSQL that goes away, is slow, or lets one do nothing but read."""

from __future__ import annotations

import traceback
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from elseif.cohort import Cohort, connect, extract, read_cohort
from elseif.errors import DatabaseError, ElseifError
from tests.cohort import handmade as made
from tests.cohort.comparing import assert_equal_cohorts
from tests.cohort.definitions import HANDMADE
from tests.cohort.engines import PASSWORD, READER, PostgresServer
from tests.cohort.proxy import Proxy
from tests.cohort.test_reference import medium_database

SCHEMA = "lossy"
BATCH = 60


@pytest.fixture(autouse=True)
def _short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again at once: half a minute of patience is for people."""
    monkeypatch.setattr("elseif.cohort.database.WAITS", (0.01, 0.02, 0.05))


@pytest.fixture(scope="module")
def whole(postgres: PostgresServer) -> Cohort:
    """What an undisturbed extraction gives."""
    postgres.load(medium_database(seed=1), SCHEMA)
    with connect(postgres.url(), SCHEMA) as database:
        return extract(database, HANDMADE, persons_a_batch=BATCH)


@pytest.fixture
def proxy(postgres: PostgresServer) -> Iterator[Proxy]:
    with Proxy(postgres.port) as made_proxy:
        yield made_proxy


def extract_through(
    proxy: Proxy, postgres: PostgresServer, folder: Path | None, cut: float = 0.0, total: int = 0
) -> Cohort:
    """Extract through the proxy, which is told to cut after a part of all the bytes."""
    with connect(postgres.url(port=proxy.port), SCHEMA) as database:
        if cut:
            proxy.cut_after(int(cut * total))
        return extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)


@pytest.fixture
def n_bytes(proxy: Proxy, postgres: PostgresServer, whole: Cohort) -> int:
    """How much comes back over the wire when nothing is cut."""
    assert_equal_cohorts(extract_through(proxy, postgres, None), whole)
    return proxy.n_bytes


@pytest.mark.fault(
    "75",
    "a lost connection, a killed extraction, a full disk",
    "the range is requested again, five times within half a minute, then "
    "`DatabaseError`; running the same command continues; a folder without a manifest is "
    "not accepted as a cohort",
)
@pytest.mark.parametrize("part", [0.02, 0.3, 0.6, 0.9])
def test_cut_once(
    proxy: Proxy, postgres: PostgresServer, whole: Cohort, n_bytes: int, part: float, tmp_path: Path
) -> None:
    """The connection is made anew, what was cut is asked again, and the result is the same."""
    cohort = extract_through(proxy, postgres, tmp_path / "cohort", part, n_bytes)
    assert proxy.n_cuts == 1
    assert_equal_cohorts(cohort, whole)
    assert_equal_cohorts(read_cohort(tmp_path / "cohort"), whole)


@pytest.mark.fault(
    "76",
    "credentials in a URL, in the environment, in a driver's messages",
    "do not appear in any error, traceback, output, folder or model",
)
def test_cut_for_good_and_continued(
    proxy: Proxy, postgres: PostgresServer, whole: Cohort, n_bytes: int, tmp_path: Path
) -> None:
    """A sentence; no cohort; and a second run asks only for what is missing."""
    folder = tmp_path / "cohort"
    with (  # noqa: PT012
        pytest.raises(DatabaseError) as caught,
        connect(postgres.url(port=proxy.port), SCHEMA) as database,
    ):
        proxy.cut_after(int(0.7 * n_bytes), forever=True)
        extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)
    assert proxy.n_cuts >= 1
    text = str(caught.value)
    assert text.endswith(".")
    assert "connection" in text.lower()
    assert f"kept in {folder}: the same command continues there." in text
    assert_no_secret("".join(traceback.format_exception(caught.value)))
    assert not list(folder.rglob("*manifest*"))
    with pytest.raises(ElseifError):
        read_cohort(folder)
    proxy.heal()
    before = proxy.n_bytes
    with connect(postgres.url(port=proxy.port), SCHEMA) as database:
        cohort = extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)
    assert_equal_cohorts(cohort, whole)
    assert_equal_cohorts(read_cohort(folder), whole)
    assert proxy.n_bytes - before < 0.9 * n_bytes  # parts that were there are not asked again


@pytest.mark.fault(
    "78",
    "a statement timeout, a user with read access only, or without it",
    "`DatabaseError` that says what to request; read access is enough, and no temporary "
    "table is left behind",
)
def test_server_is_not_there(postgres: PostgresServer) -> None:
    with Proxy(postgres.port) as proxy:
        port = proxy.port
    with pytest.raises(DatabaseError) as caught:  # noqa: SIM117
        with connect(postgres.url(port=port), SCHEMA) as database:
            extract(database, HANDMADE)
    assert str(port) in str(caught.value)
    assert_no_secret("".join(traceback.format_exception(caught.value)))


@pytest.mark.parametrize(
    ("user", "password"), [(READER, "wrong-hush-Tr0ub4dor"), ("nobody", PASSWORD)]
)
def test_wrong_password(postgres: PostgresServer, user: str, password: str) -> None:
    with pytest.raises(DatabaseError) as caught:  # noqa: SIM117
        with connect(postgres.url(user, password), SCHEMA) as database:
            extract(database, HANDMADE)
    assert_no_secret("".join(traceback.format_exception(caught.value)))


@pytest.mark.parametrize("password", ["password", "authentication", READER])
def test_a_password_that_is_a_word_of_the_message(
    postgres: PostgresServer, password: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The hint says what is wrong, and at once: it is not taken for a server that is away."""
    monkeypatch.setattr("elseif.cohort.database.WAITS", (1000.0,))
    with pytest.raises(DatabaseError, match="refuses the user or the password"):
        connect(postgres.url(READER, password), SCHEMA)


def test_credentials_are_never_shown(
    postgres: PostgresServer,
    whole: Cohort,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(0)
    folder = tmp_path / "cohort"
    with connect(postgres.url(), SCHEMA) as database:
        assert_no_secret(repr(database) + str(database))
        cohort = extract(database, HANDMADE, folder=folder, persons_a_batch=BATCH)
    assert_no_secret(repr(database) + repr(cohort) + repr(vars(cohort) if vars(cohort) else ""))
    shown = capfd.readouterr()
    assert_no_secret(shown.out + shown.err + caplog.text)
    files = [path for path in folder.rglob("*") if path.is_file()]
    assert files
    for path in files:
        assert_no_secret(path.read_bytes().decode("latin-1"))
        assert_no_secret(str(path))


@pytest.mark.parametrize(
    "address",
    [
        f"postgresql://reader:{PASSWORD}@127.0.0.1:1/postgres",  # not escaped
        "postgresql://reader:hush-Tr0ub4dor@127.0.0.1:notaport/postgres",
        "mysql://reader:hush-Tr0ub4dor@127.0.0.1/postgres",
        "reader:hush-Tr0ub4dor@127.0.0.1/postgres",
        "postgresql://reader:hush-Tr0ub4dor@[::1/postgres",
        "postgresql://127.0.0.1:1/postgres?user=reader&password=hush-Tr0ub4dor",
    ],
)
def test_odd_addresses_are_not_repeated(address: str) -> None:
    """An address that cannot be used may still hold a password."""
    with pytest.raises(ElseifError) as caught, connect(address, SCHEMA) as database:
        extract(database, HANDMADE)
    assert_no_secret("".join(traceback.format_exception(caught.value)))


def test_statement_timeout(postgres: PostgresServer) -> None:
    """A server that allows a statement a moment only: a sentence that says so."""
    schema = "slow"
    postgres.load(made.TABLES, schema)
    with postgres.owner() as owner:
        owner.execute(f"ALTER TABLE {schema}.condition_occurrence RENAME TO records")
        owner.execute(
            f"CREATE VIEW {schema}.condition_occurrence AS SELECT r.* FROM {schema}.records r "
            "WHERE pg_sleep(0.05) IS NOT NULL"
        )
        owner.execute(f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO {READER}")
        owner.execute(f"ALTER ROLE {READER} SET statement_timeout = '300ms'")
        try:
            with pytest.raises(DatabaseError, match=r"(?i)timeout|time") as caught:  # noqa: SIM117
                with connect(postgres.url(), schema) as database:
                    extract(database, HANDMADE)
        finally:
            owner.execute(f"ALTER ROLE {READER} RESET statement_timeout")
    assert_no_secret("".join(traceback.format_exception(caught.value)))


def test_reader_leaves_nothing_behind(postgres: PostgresServer, whole: Cohort) -> None:
    """A role that may only read suffices, and one that may do more makes nothing either."""
    before = catalogue(postgres)
    for user in (READER, "owner"):
        with connect(postgres.url(user), SCHEMA) as database:
            cohort = extract(database, HANDMADE, persons_a_batch=BATCH)
            assert catalogue(postgres) == before  # nothing temporary while it is open
            with pytest.raises(psycopg.Error, match=r"denied|read-only"):
                database.backend.raw_sql(f"CREATE TABLE {SCHEMA}.mine (one int)")
        assert_equal_cohorts(cohort, whole)
    assert catalogue(postgres) == before
    assert sessions(postgres) == 0


def test_no_right_to_read(postgres: PostgresServer) -> None:
    schema = "closed"
    postgres.load(made.TABLES, schema)
    with postgres.owner() as owner:
        owner.execute(f"REVOKE SELECT ON {schema}.drug_exposure FROM {READER}")
    with pytest.raises(DatabaseError, match=r"drug_exposure|right|permission") as caught:  # noqa: SIM117
        with connect(postgres.url(), schema) as database:
            extract(database, HANDMADE)
    assert_no_secret("".join(traceback.format_exception(caught.value)))


def catalogue(postgres: PostgresServer) -> set[tuple[str, ...]]:
    """Every object of the database: tables, views, temporary ones, types, functions, schemas."""
    queries = (
        "SELECT 'class', oid::text, relname FROM pg_class WHERE relnamespace::regnamespace::text "
        "!~ '^pg_toast'",
        "SELECT 'type', oid::text, typname FROM pg_type",
        "SELECT 'function', oid::text, proname FROM pg_proc",
        "SELECT 'schema', oid::text, nspname FROM pg_namespace",
    )
    with postgres.owner() as owner:
        return {row for query in queries for row in owner.execute(query).fetchall()}


def sessions(postgres: PostgresServer) -> int:
    """Sessions of the reader that are still open; one that ends may take a moment."""
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = %s"
    with postgres.owner() as owner:
        for _ in range(50):
            row = owner.execute(query, (READER,)).fetchone()
            assert row is not None
            if not row[0]:
                return 0
            owner.execute("SELECT pg_sleep(0.1)")
        return int(row[0])


def assert_no_secret(text: str) -> None:
    assert "Tr0ub4dor" not in text
