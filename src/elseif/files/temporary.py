"""Temporary files and folders; those left by a killed process are recognised.

Each is locked while it is in use. The system lifts the lock when the process ends, so that a
temporary file that nobody holds is a leftover, whichever process, container or machine made it.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from elseif.files.locks import is_named, try_to_lock

_OURS = re.compile(r".{0,41}\.elseif-tmp-[0-9a-f]{8}", re.DOTALL)


def new_temporary(goal: Path, mode: int) -> tuple[int, Path]:
    """A new file beside another, open for writing and locked; nobody may do more than mode."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    while True:
        path = goal.with_name(_new_name(f".{goal.name}"))
        handle = os.open(path, flags, mode)
        try_to_lock(handle)
        if is_named(handle, path):
            return handle, path
        os.close(handle)  # taken for a leftover before it was locked


@contextlib.contextmanager
def temporary_folder(purpose: str, parent: Path | None = None) -> Iterator[Path]:
    """A folder for its owner's eyes alone, removed at the end with all that is in it."""
    parent = Path(tempfile.gettempdir()) if parent is None else parent
    remove_leftovers(parent)
    handle, path = _new_folder(parent, purpose)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)
        if handle is not None:
            os.close(handle)


def keep_stream(stream: BinaryIO, path: Path) -> None:
    """Write all that a stream holds to a new file, in a folder that is removed at the end."""
    with path.open("xb") as file:
        shutil.copyfileobj(stream, file)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed processes of ours have left in a folder."""
    with contextlib.suppress(OSError):
        for entry in list(os.scandir(folder)):
            if is_temporary(entry.name):
                _remove_if_nobodys(Path(entry.path))


def is_temporary(name: str) -> bool:
    """Whether a file of this name is a temporary one of ours."""
    return _OURS.fullmatch(name) is not None


def _new_name(purpose: str) -> str:
    return f"{purpose[:41]}.elseif-tmp-{secrets.token_hex(4)}"


def _new_folder(parent: Path, purpose: str) -> tuple[int | None, Path]:
    while True:
        path = parent / _new_name(purpose)
        os.mkdir(path, 0o700)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:  # taken for a leftover before it was locked
            continue
        except PermissionError:  # pragma: no cover - Windows opens no folders
            return None, path
        try_to_lock(handle)
        if is_named(handle, path):
            return handle, path
        os.close(handle)


def _remove_if_nobodys(path: Path) -> None:
    """Remove a temporary file or folder of this user that no process holds."""
    with contextlib.suppress(OSError):
        status = os.lstat(path)
        is_folder = stat.S_ISDIR(status.st_mode)
        if not (is_folder or stat.S_ISREG(status.st_mode)):
            return
        if hasattr(os, "geteuid") and status.st_uid != os.geteuid():
            return
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
        try:
            if try_to_lock(handle) and is_named(handle, path):
                shutil.rmtree(path) if is_folder else os.unlink(path)
        finally:
            os.close(handle)
