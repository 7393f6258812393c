"""Addresses of databases, and what must never be seen of them."""

from __future__ import annotations

import pickle
import traceback
from pathlib import Path

import pytest

from elseif.checks import check_schema
from elseif.cohort import Database, connect
from elseif.cohort.address import read_address
from elseif.cohort.drivers import PostgreSQLDriver
from elseif.errors import DatabaseError, ElseifError, ParamError, ParamTypeError
from tests.cohort.extracting import PASSWORD, make_database


def test_postgresql() -> None:
    """Every part of an address, and none of its secrets in what is shown."""
    address = read_address(
        f"postgresql://ann%40ward:{PASSWORD}%2F@db.example:5433/omop?sslmode=require"
    )
    assert address.settings == {
        "host": "db.example",
        "port": 5433,
        "user": "ann@ward",
        "password": f"{PASSWORD}/",
        "dbname": "omop",
        "sslmode": "require",
    }
    for shown in (repr(address), address.label, address.identity):
        assert PASSWORD not in shown
        assert "ann" not in shown
        assert "db.example" in shown


def test_what_is_absent_is_left_to_the_driver() -> None:
    """The environment and ~/.pgpass fill in what an address leaves open."""
    assert read_address("postgresql:///omop").settings == {"dbname": "omop"}
    assert read_address("postgresql://").settings == {}
    assert read_address("postgres://h/omop?host=/run/pg").settings["host"] == "h"
    assert read_address("postgresql:///omop?host=/run/pg").settings["host"] == "/run/pg"


HOSTILE = [
    f"postgresql://ann:{PASSWORD}/x@host/omop",
    f"postgresql://ann:1/{PASSWORD}@host/omop",
    f"postgresql://ann:{PASSWORD}#x@host/omop",
    f"postgresql://ann:x?{PASSWORD}@host/omop",
    f"postgresql://ann:x?a={PASSWORD}@host/omop",
    f"postgresql://ann:{PASSWORD}@host:99999/omop",
    f"postgresql://ann:{PASSWORD}@[host/omop",
    f"postgresql://ann:{PASSWORD}@host/omop/cdm",
    f"postgresql://ann:{PASSWORD}@host/omop?options=-c%20x",
    f"postgresql://ann@host/omop?password={PASSWORD}",
    f"postgresql://ann:{PASSWORD}@host/omop?sslmode=a&sslmode=b",
    f"mysql://ann:{PASSWORD}@host/omop",
    f"ann:{PASSWORD}@host/omop",
    f"ann:{PASSWORD}@host/omop.duckdb",
    f"{PASSWORD}",
    "",
    "duckdb://",
    "duckdb:///:memory:",
]


@pytest.mark.parametrize("url", HOSTILE)
def test_an_address_that_cannot_be_read_is_not_repeated(url: str) -> None:
    """Neither in the sentence nor in a traceback with everything that led to it."""
    with pytest.raises(ParamError) as caught:
        connect(url, "cdm")
    text = "".join(traceback.format_exception(caught.value))
    assert PASSWORD not in str(caught.value)
    assert PASSWORD not in text
    assert str(caught.value).endswith(".")


def test_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A DuckDB file by its path or as an address, relative or not."""
    path = make_database(tmp_path / "some omop.duckdb")
    monkeypatch.chdir(tmp_path)
    for url in (
        path,
        str(path),
        path.name,
        f"duckdb:///{path.name}",
        f"duckdb:///{path}",
        f"duckdb://{path}",
    ):
        address = read_address(url)
        assert (address.kind, address.path) == ("duckdb", path)
        with connect(url, "cdm") as database:
            assert repr(database) == "<Database: the DuckDB file some omop.duckdb, schema cdm>"
        assert "closed" in repr(database)
    with pytest.raises(DatabaseError, match=r"none\.duckdb does not exist"):
        connect("duckdb:///none.duckdb")
    with pytest.raises(DatabaseError, match="is a folder"):
        connect(f"duckdb://{tmp_path}")
    with pytest.raises(DatabaseError, match="There is no folder"):
        connect("spark:///none")
    assert read_address("spark").path is None
    assert read_address(f"spark://{tmp_path}").path == tmp_path


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("{t}/no.duckdb", "The DuckDB file {t}/no.duckdb does not exist."),
        ("duckdb:///{t}/no", "The DuckDB file {t}/no does not exist."),
        ("no.duckdb", "The DuckDB file no.duckdb does not exist."),
        (
            "duckdb://{t}/no",
            "The DuckDB file {t}/no does not exist, and neither does {r}/no in this folder.",
        ),
        ("duckdb://{t}/folder", "The DuckDB file {t}/folder is a folder."),
    ],
)
def test_a_file_that_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str, said: str
) -> None:
    """The sentence has the path that was looked for, with its first slash."""
    (tmp_path / "folder").mkdir()
    monkeypatch.chdir(tmp_path)
    places = {"t": tmp_path, "r": str(tmp_path).removeprefix("/")}
    with pytest.raises(DatabaseError) as caught:
        read_address(url.format(**places))
    assert str(caught.value) == said.format(**places)


def test_an_absolute_path_is_no_relative_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file of the same path below this folder is not taken for it."""
    path = make_database(tmp_path / "omop.duckdb")
    below = tmp_path / str(path).removeprefix("/")
    below.parent.mkdir(parents=True)
    make_database(below)
    monkeypatch.chdir(tmp_path)
    assert read_address(str(path)).path == path
    assert read_address(path).path == path
    assert read_address(f"duckdb:///{path}").path == path
    assert read_address(f"duckdb://{path}").path == below  # from here, if it is there


@pytest.mark.parametrize(
    "name", ["cdm; DROP TABLE person", 'a"b', "a.b", "", "1a", "a" * 64, "a b", "ü", "a\n", "a-b"]
)
def test_hostile_schema(name: str) -> None:
    """What is no name is refused before any database is looked for."""
    with pytest.raises(ParamError, match="is not a valid schema name"):
        connect("duckdb:///none.duckdb", name)


def test_schema_names() -> None:
    """Letters, digits, underscores, dollars."""
    for name in ("cdm_5$4", "_" + "a" * 62):
        check_schema(name)
    with pytest.raises(ParamTypeError, match="not a bytes"):
        connect("duckdb:///none.duckdb", b"cdm")  # type: ignore[arg-type]
    with pytest.raises(ParamTypeError, match="not a int"):
        read_address(5)  # type: ignore[arg-type]


def test_what_a_driver_says_is_looked_through(monkeypatch: pytest.MonkeyPatch) -> None:
    """A driver that repeats a password is not quoted; a user's name is hidden."""
    driver = PostgreSQLDriver(read_address(f"postgresql://ann:{PASSWORD}@host/omop"))
    assert driver.said(ValueError(f"bad {PASSWORD} here")) == "the driver reports ValueError"
    assert driver.said(ValueError('role "ann" is no banner\nLINE 1')) == 'role "***" is no banner'
    monkeypatch.setenv("PGPASSWORD", "from-outside")
    assert "from-outside" not in driver.said(ValueError("it was from-outside"))


def test_a_closed_database(tmp_path: Path) -> None:
    """It says so, and it cannot be pickled, open or closed."""
    with connect(make_database(tmp_path / "omop.duckdb"), "cdm") as database:
        with pytest.raises(ParamTypeError, match="cannot be pickled"):
            pickle.dumps(database)
        assert set(database.backend.con.execute("SELECT 1").fetchall()) == {(1,)}
    with pytest.raises(DatabaseError, match="is closed"):
        database.queries(["person"])
    with pytest.raises(ElseifError, match="not an ibis backend"):
        Database.from_backend(object())


@pytest.mark.parametrize(
    ("user", "name", "told", "said"),
    [
        ("server", "d", "connection to server at port 1 failed", None),
        ("server", "d", 'authentication failed for user "server"',
         'authentication failed for user "***"'),
        ("ann", "d", "no such user: ann", "no such user: ***"),
        ("ann", "d", "cannot open /home/ann/key", "cannot open /home/***/key"),
        ("omop", "omop", 'database "omop" does not exist', None),
        ("omop", "omop", 'role "omop" does not exist', 'role "***" does not exist'),
        ("omop", "d", 'database "omop" does not exist', 'database "***" does not exist'),
    ],
)  # fmt: skip
def test_only_the_user_is_hidden(user: str, name: str, told: str, said: str | None) -> None:
    """A word of the sentence that a user is called by, too, stays; so does the database's name."""
    driver = PostgreSQLDriver(read_address(f"postgresql://{user}@h/{name}"))
    assert driver.said(ValueError(told)) == (said or told)
