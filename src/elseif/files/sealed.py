"""JSON that holds a checksum of itself, and checksums of files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEAL = "sha256"  # of the rest of the document
BYTES_AT_ONCE = 1 << 20


def sealed_text(content: Mapping[str, Any], indent: int | None = None) -> str:
    """A document as JSON, with its checksum."""
    return json.dumps({**content, SEAL: seal(content)}, indent=indent, allow_nan=False) + "\n"


def is_sealed(content: Mapping[str, Any]) -> bool:
    """Whether a document is what was written."""
    return bool(content.get(SEAL) == seal(content))


def seal(content: Mapping[str, Any]) -> str:
    """SHA-256 of a document, whatever the order of its keys."""
    rest = {key: value for key, value in content.items() if key != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode("ascii")).hexdigest()


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(BYTES_AT_ONCE):
            total.update(chunk)
    return total.hexdigest()
