"""Strict reading of files from elsewhere: bounded, complete, of one format, no unknown fields."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from elseif.errors import FederationError, ModelFileError
from elseif.files.bounded import read_bounded
from elseif.files.strict_json import parse
from elseif.visible import show_name

LONGEST_TEXT = 1_000
MADE_BY = {"elseif plan": "elseif plan", "elseif site counts": "elseif site"}


def read_document(
    path: str | os.PathLike[str], format_name: str, version: int, largest: int
) -> tuple[dict[str, Any], str]:
    """The object in a JSON file of a format, and the file's name for messages."""
    path = Path(path)
    name = show_name(path.name)
    content = read_bounded(path, name, largest, FederationError, f"at most {largest:,} are read")
    try:
        raw = parse(content, name)
    except ModelFileError as error:
        raise FederationError(str(error).replace("a model file has", "there may be")) from error
    if not isinstance(raw, dict) or raw.get("format") != format_name:
        found = raw.get("format") if isinstance(raw, dict) else None
        what = f"its format is {found!r:.60}" if isinstance(found, str) else "it has no format"
        raise FederationError(
            f"{name} is not a file of the format {format_name!r}: {what}. Such files are made by "
            f"{MADE_BY.get(format_name, 'elseif')}."
        )
    if type(raw.get("format_version")) is not int or raw["format_version"] != version:
        raise FederationError(
            f"{name} has format version {raw.get('format_version')!r:.40}; this release reads "
            f"version {version}."
        )
    return raw, name


def check_fields(raw: Any, needed: Collection[str], optional: Collection[str], where: str) -> None:
    """Refuse anything but an object with the needed and optional fields."""
    if not isinstance(raw, Mapping):
        raise FederationError(f"{where} must be an object in braces.")
    lacking = [field for field in needed if field not in raw]
    if lacking:
        raise FederationError(f"{where} lacks {lacking[0]!r}.")
    unknown = [field for field in raw if field not in needed and field not in optional]
    if unknown:
        raise FederationError(f"{where} has the unknown field {unknown[0]!r:.100}.")


def check_list(raw: Any, where: str, fewest: int, most: int) -> list[Any]:
    """A list of limited length."""
    if not isinstance(raw, list) or not fewest <= len(raw) <= most:
        n = f"it has {len(raw):,}" if isinstance(raw, list) else "it is not a list"
        raise FederationError(f"{where} must be a list of {fewest:,} to {most:,} entries; {n}.")
    return raw


def check_text(raw: Any, where: str) -> str:
    """A text of limited length that is valid Unicode."""
    if not isinstance(raw, str) or not raw.strip() or len(raw) > LONGEST_TEXT:
        raise FederationError(f"{where} must be a text of 1 to {LONGEST_TEXT:,} characters.")
    if any("\ud800" <= character <= "\udfff" for character in raw):
        raise FederationError(f"{where} has an unpaired surrogate, which is not valid Unicode.")
    return raw
