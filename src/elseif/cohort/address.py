"""Addresses of databases, parsed without ever showing a secret in them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from elseif.errors import DatabaseError, ParamError, ParamTypeError

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_DUCKDB_ENDINGS = (".duckdb", ".ddb", ".db")
# settings of a connection that an address may carry: none of them holds a secret or runs anything
SETTINGS = (
    "host", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "connect_timeout",
    "target_session_attrs", "channel_binding", "gssencmode", "passfile", "service",
)  # fmt: skip
_FORMS = (
    "duckdb:///FILE (or a path that ends in .duckdb), postgresql://USER@HOST:PORT/NAME, "
    "spark:///FOLDER or spark"
)
_UNREADABLE = (
    "The address of the PostgreSQL database cannot be read; it is not repeated here, because "
    "it may contain a password. It must be postgresql://USER:PASSWORD@HOST:PORT/NAME, in which "
    "the characters / @ : ? # % of a user or password are written as %2F %40 %3A %3F %23 %25. "
    "Better, leave the password out and set PGPASSWORD, or write it into ~/.pgpass."
)


@dataclass(frozen=True)
class Address:
    """An address taken apart; its repr is its label, which holds nothing secret."""

    kind: str  # "duckdb", "postgresql" or "spark"
    label: str  # for people
    identity: str  # identifies the source, in a fingerprint
    path: Path | None = None
    settings: dict[str, str | int] = field(default_factory=dict)
    secrets: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"<Address of {self.label}>"


def read_address(url: str | os.PathLike[str]) -> Address:
    """Take an address apart; ParamError for one that cannot be."""
    if isinstance(url, os.PathLike):
        return _duckdb(os.fspath(url), ())
    if not isinstance(url, str):
        raise ParamTypeError(f"The address of a database must be text, not a {type(url).__name__}.")
    scheme = _SCHEME.match(url)
    if scheme is None:
        return _without_scheme(url)
    kind = scheme[1].lower()
    if kind in ("postgresql", "postgres"):
        return _postgresql(url)
    if kind == "duckdb":
        return _duckdb(url[scheme.end() :], _relative(url[scheme.end() :]))
    if kind == "spark":
        return _spark(url[scheme.end() :])
    raise ParamError(f"elseif does not support databases of the kind {scheme[1]!r}. Give {_FORMS}.")


def _without_scheme(url: str) -> Address:
    if url == "spark":
        return Address("spark", "the Spark session", "spark")
    if url.lower().endswith(_DUCKDB_ENDINGS) and "@" not in url:
        return _duckdb(url, ())
    raise ParamError(f"The address of the database is of an unknown kind. Give {_FORMS}.")


def _duckdb(path_text: str, relative: tuple[str, ...]) -> Address:
    if path_text.strip("/") in ("", ":memory:"):
        raise ParamError(
            "A DuckDB database in memory has no address: give a file, as in duckdb:///FILE, or "
            "in Python Database.from_backend(...)."
        )
    path = _existing((*relative, path_text), Path.is_file)
    if path is None:
        folder = _existing((*relative, path_text), Path.is_dir)
        if folder is not None:
            raise DatabaseError(f"The DuckDB file {folder} is a folder.")
        also_missing = "".join(f", and neither does {text} in this folder" for text in relative)
        raise DatabaseError(f"The DuckDB file {_shown(path_text)} does not exist{also_missing}.")
    return Address("duckdb", f"the DuckDB file {path.name}", f"duckdb:{path.name}", path)


def _spark(rest: str) -> Address:
    path = _existing((*_relative(rest), rest), Path.is_dir)
    if path is None:
        raise DatabaseError(
            f"There is no folder {_shown(rest)}. spark:///FOLDER reads the tables person.parquet, "
            "concept.parquet and so on in a folder; spark alone takes the session's own tables."
        )
    return Address("spark", f"the Parquet files in {path.name}", f"spark:{path.name}", path)


def _relative(rest: str) -> tuple[str, ...]:
    """What follows a third slash: duckdb:///FILE may be relative, which is tried first."""
    text = rest.removeprefix("/")
    return (text,) if text != rest and text and not text.startswith("/") else ()


def _shown(path_text: str) -> str:
    """A path, of whose slashes in front one is enough."""
    return f"/{path_text.lstrip('/')}" if path_text.startswith("/") else path_text


def _existing(texts: Iterable[str], is_right: Callable[[Path], bool]) -> Path | None:
    """The first path that is there, absolute."""
    for text in texts:
        if text and "\0" not in text and is_right(Path(text)):
            return Path(_shown(text)).absolute()
    return None


def _postgresql(url: str) -> Address:
    try:
        parts = urlsplit(url)
        port = parts.port
        query = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        name = unquote(parts.path.removeprefix("/"), errors="strict")
    except ValueError:  # its text holds parts of the address
        raise ParamError(_UNREADABLE) from None
    if parts.fragment or "@" in parts.query or "@" in name or "/" in name or "\0" in url:
        raise ParamError(_UNREADABLE)
    settings: dict[str, str | int] = {}
    for key, value in query:
        if key not in SETTINGS or key in settings:
            why = "occurs twice" if key in settings else "cannot be set in an address"
            raise ParamError(f"The address: {key!r:.40} {why}. Allowed are {', '.join(SETTINGS)}.")
        settings[key] = value
    settings |= _places(parts, port, name)
    password = str(settings.get("password", ""))
    return Address(
        "postgresql",
        _postgresql_label(settings),
        f"postgresql:{settings.get('host', '')}:{settings.get('port', '')}:{name}",
        settings=settings,
        secrets=tuple(s for s in (password, parts.password or "") if s),
    )


def _places(parts: SplitResult, port: int | None, name: str) -> dict[str, str | int]:
    """Host, port, user, password and name; absent ones are left to the driver."""
    given = {
        "host": parts.hostname,
        "port": port,
        "user": unquote(parts.username) if parts.username else None,
        "password": unquote(parts.password) if parts.password else None,
        "dbname": name,
    }
    return {key: value for key, value in given.items() if value}


def _postgresql_label(settings: dict[str, str | int]) -> str:
    host = f"{settings.get('host') or 'the local server'}"
    port = f":{settings['port']}" if "port" in settings else ""
    name = f" {settings['dbname']}" if "dbname" in settings else ""
    return f"the PostgreSQL database{name} on {host}{port}"
