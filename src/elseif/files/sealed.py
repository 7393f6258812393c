"""JSON with its own checksum, and checksums of files."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

SEAL = "sha256"  # of the rest of the document
BYTES_AT_ONCE = 1 << 20


def sealed_text(content: Mapping[str, Any], indent: int | None = None) -> str:
    """Write a document as JSON with a checksum of itself.

    Parameters
    ----------
    content : dict
        The document.
    indent : int, default=None
        As in ``json.dumps``.

    Returns
    -------
    str
        The JSON text.

    Examples
    --------
    >>> from elseif.files import sealed_text
    >>> "sha256" in sealed_text({"auc": 0.8})
    True
    """
    return json.dumps({**content, SEAL: seal(content)}, indent=indent, allow_nan=False) + "\n"


def is_sealed(content: Mapping[str, Any]) -> bool:
    """Check that a document has the checksum that it states.

    Parameters
    ----------
    content : dict
        A document from `sealed_text`.

    Returns
    -------
    bool
        False if it was changed, or has no checksum.

    Examples
    --------
    >>> import json
    >>> from elseif.files import is_sealed, sealed_text
    >>> is_sealed(json.loads(sealed_text({"auc": 0.8})))
    True
    """
    return bool(content.get(SEAL) == seal(content))


def seal(content: Mapping[str, Any]) -> str:
    """SHA-256 of a document, independent of the order of its keys."""
    rest = {key: value for key, value in content.items() if key != SEAL}
    return hashlib.sha256(json.dumps(rest, sort_keys=True).encode("ascii")).hexdigest()


def fingerprint(content: Any) -> str:
    """SHA-256 of plain data as JSON with sorted keys and without white space."""
    text = json.dumps(content, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def checksum(path: Path) -> str:
    """SHA-256 of a file."""
    total = hashlib.sha256()
    with path.open("rb") as file:
        while chunk := file.read(BYTES_AT_ONCE):
            total.update(chunk)
    return total.hexdigest()
