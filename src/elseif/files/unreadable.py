"""What is said of a file that cannot be read."""

from __future__ import annotations


def unreadable(shown: object, error: OSError) -> str:
    """Why a file, which the message calls ``shown``, cannot be read."""
    if isinstance(error, FileNotFoundError):
        return f"{shown}: there is no such file."
    return f"{shown} cannot be read: {error.strerror or error}."
