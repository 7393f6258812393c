"""Folders: created if absent, tested before long work, and private if rows are written."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from elseif.errors import FileExistsAlreadyError, ResourceError
from elseif.files.temporary import remove_leftovers

OTHERS = 0o077  # what the group and everybody may do


def make_folder(folder: Path) -> None:
    """Make a folder, and check that files can be written into it.

    Parameters
    ----------
    folder : Path
        The folder; it may exist. ResourceError says why it cannot be used.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.files import make_folder
    >>> make_folder(Path("results"))
    >>> Path("results").is_dir()
    True
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        why = "it is a file" if folder.is_file() else error.strerror or error
        raise ResourceError(f"Cannot write into {folder}: {why}.") from error
    try_folder(folder)
    remove_leftovers(folder)


def try_folder(folder: Path, wanted: Path | None = None) -> None:
    """Make a nameless file: permissions alone do not show whether a folder can be written to.

    An error names the file that was wanted, where there is one.
    """
    try:
        tempfile.TemporaryFile(dir=folder).close()
    except OSError as error:
        why = error.strerror or error
        if wanted is not None:
            raise ResourceError(
                f"{wanted}: the folder {folder} cannot be written to ({why})."
            ) from error
        raise ResourceError(f"Cannot write into {folder}: {why}.") from error


def make_private_folder(folder: Path) -> None:
    """Make a folder that only its owner can look into.

    An existing folder and the files in it are closed to others; a folder of another user is
    refused.

    Parameters
    ----------
    folder : Path
        The folder.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.files import make_private_folder
    >>> make_private_folder(Path("rows"))
    >>> oct(Path("rows").stat().st_mode & 0o777)
    '0o700'
    """
    with contextlib.suppress(OSError):  # which make_folder puts into words
        folder.parent.mkdir(parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
    make_folder(folder)
    if not hasattr(os, "geteuid"):  # pragma: no cover - Windows, which has no such modes
        return
    if folder.stat().st_uid != os.geteuid():
        raise FileExistsAlreadyError(
            f"{folder} belongs to another user, who could read what is written there about "
            "patients. Give the name of a new folder."
        )
    try:
        _close(folder, folder.stat())
        for path in folder.iterdir():
            if stat.S_ISREG(path.lstat().st_mode):
                _close(path, path.lstat())
    except OSError as error:
        raise _open_to_others(folder) from error
    if folder.stat().st_mode & OTHERS:  # a file system that has one mode for everything
        raise _open_to_others(folder)


def _close(path: Path, status: os.stat_result) -> None:
    if status.st_mode & OTHERS:
        path.chmod(stat.S_IMODE(status.st_mode) & ~OTHERS)


def _open_to_others(folder: Path) -> ResourceError:
    return ResourceError(
        f"Access to {folder} cannot be restricted to you, and it would contain rows about "
        "patients. Give a folder on a file system with permissions."
    )
