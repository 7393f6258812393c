"""Ordinary files of limited size, read as a whole."""

from __future__ import annotations

import stat
from pathlib import Path

from elseif.errors import ElseifError
from elseif.files.unreadable import unreadable


def read_bounded(
    path: Path, shown: str, largest: int, refusal: type[ElseifError], limit: str
) -> bytes:
    """The bytes of a file, which messages call ``shown``; ``limit`` says how large it may be."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise refusal(
                f"{shown} is {'a folder' if path.is_dir() else 'not a file'}. Give a file."
            )
        if status.st_size > largest:
            raise refusal(f"{shown} has {status.st_size:,} bytes; {limit}.")
        with path.open("rb") as file:
            return file.read(largest + 1)
    except (OSError, ValueError) as error:  # a null character in a name is a ValueError
        if isinstance(error, refusal):
            raise
        if isinstance(error, OSError):
            raise refusal(unreadable(shown, error)) from error
        raise refusal(f"{shown} cannot be read: {error}.") from error
