"""Locks that end with the process that holds them, however it ends."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from elseif.errors import ResourceError

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]

LOCK = ".elseif.lock"


@contextlib.contextmanager
def only_run_in(folder: Path, what: str, option: str = "out") -> Iterator[None]:
    """Refuse a second run in a folder while another is at work there.

    A lock file left behind by a process that was killed does no harm. If the file system has no
    locks, two runs cannot be distinguished.

    Parameters
    ----------
    folder : Path
        The folder.
    what : str
        What to call the run in the error.
    option : str, default="out"
        The option by which another folder is given.

    Yields
    ------
    None
        While the folder is locked.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.files import only_run_in
    >>> with only_run_in(Path("."), "study"):
    ...     Path(".").exists()
    True
    """
    handle = _take(folder / LOCK)
    if handle is None:
        raise ResourceError(
            f"Another {what} is using {folder}. Wait for it to end, or use another folder: "
            f"--{option}."
        )
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            os.unlink(folder / LOCK)  # while it is held, so that nobody holds a file without a name
        os.close(handle)


def try_to_lock(handle: int) -> bool | None:
    """Lock an open file or folder; False if somebody holds it, None where that cannot be known."""
    if fcntl is None:  # pragma: no cover - Windows
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return None
    return True


def is_named(handle: int, path: Path) -> bool:
    """Whether an open file is still the one at its path."""
    try:
        return os.path.samestat(os.fstat(handle), os.lstat(path))
    except FileNotFoundError:
        return False


def _take(path: Path) -> int | None:
    """The open and locked file; None if another process has it."""
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o600)
        except OSError as error:
            raise ResourceError(
                f"Cannot write into {path.parent}: {error.strerror or error}."
            ) from error
        if try_to_lock(handle) is False:
            os.close(handle)
            return None
        if is_named(handle, path):
            return handle
        os.close(handle)  # its holder has ended and removed it in the meantime
