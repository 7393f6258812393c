"""Documents of earlier format versions, brought up to date one version at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from elseif.export.document import VERSION

# from each earlier version to the next; a file of every version is kept in tests/export/golden
MIGRATIONS: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {}


def migrate(content: dict[str, Any], version: int) -> dict[str, Any]:
    """The document as this release would have written it."""
    for step in range(version, VERSION):
        content = MIGRATIONS[step](content)
    return content
