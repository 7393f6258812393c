"""Files written whole or not at all, and never over another unless asked."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
from pathlib import Path

from elseif.errors import FileExistsAlreadyError, ResourceError

LONGEST_NAME = 80
# names that Windows keeps for itself
DEVICES = {"CON", "PRN", "AUX", "NUL", *(f"{d}{k}" for d in ("COM", "LPT") for k in range(1, 10))}


def write_atomically(path: str | os.PathLike[str], data: bytes | str, force: bool = False) -> Path:
    """Write a file by way of a new one beside it; an earlier file stays whole until the end.

    Without force a name that is taken is refused. A link is followed only with force, and
    then the file that it points to is replaced, not the link.
    """
    path = Path(path)
    check_writable(path, force)
    content = data.encode("utf-8") if isinstance(data, str) else data
    # a link's own folder may be on another disk, where no rename reaches the file
    goal = path.resolve() if path.is_symlink() else path
    temporary = goal.with_name(f".{goal.name[:40]}.tmp-{os.getpid()}-{secrets.token_hex(4)}")
    try:
        _write_and_sync(temporary, content)
        if force:
            os.replace(temporary, goal)
        else:
            _claim(temporary, goal)
    except FileExistsError as error:  # made by somebody else in the meantime
        _remove(temporary)
        raise FileExistsAlreadyError(_taken(path)) from error
    except OSError as error:
        _remove(temporary)
        raise ResourceError(
            f"{path}: {len(content):,} bytes could not be written "
            f"({error.strerror or error}). What was there before is unchanged."
        ) from error
    except BaseException:
        _remove(temporary)
        raise
    _sync_folder(goal.parent)
    return path


def file_name(text: str, suffix: str = "", fallback: str = "model") -> str:
    """A plain name for a file from any text: no folder, no dot in front, nothing odd."""
    plain = re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip(".-_")[:LONGEST_NAME]
    if plain.split(".")[0].upper() in DEVICES:
        plain = f"{fallback}-{plain}"
    return (plain.strip(".-_") or fallback) + suffix


def check_writable(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse a name that cannot be written, which is best known before long work."""
    path = Path(path)
    if "\0" in str(path) or not path.name:
        raise ResourceError(f"{str(path)!r} is no name for a file.")
    if path.is_dir():
        raise ResourceError(f"{path} is a folder; give the name of a file in it.")
    if path.exists() and not path.is_file():  # to rename over a device would replace it
        raise ResourceError(f"{path} is a device or a pipe; give the name of an ordinary file.")
    if not path.parent.is_dir():
        raise ResourceError(f"{path}: there is no folder {path.parent}. Make it first.")
    if not force and (path.exists() or path.is_symlink()):
        raise FileExistsAlreadyError(_taken(path))
    if not os.access(path.parent, os.W_OK | os.X_OK):
        raise ResourceError(f"{path}: the folder {path.parent} cannot be written to.")


def _taken(path: Path) -> str:
    what = "is a link" if path.is_symlink() else "is there already"
    return f"{path} {what}; it is overwritten only with force=True (--force)."


def _write_and_sync(path: Path, content: bytes) -> None:
    """A new file, readable by its owner until the system's mask says otherwise."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)
    handle = os.open(path, flags | getattr(os, "O_BINARY", 0), 0o666)
    try:
        view = memoryview(content)
        while view:
            view = view[os.write(handle, view) :]
        os.fsync(handle)
    finally:
        os.close(handle)


def _claim(temporary: Path, goal: Path) -> None:
    """Give the new file its name; FileExistsError where the name has been taken since."""
    try:
        os.link(temporary, goal)  # unlike rename, a link never replaces
    except FileExistsError:
        raise
    except OSError:  # a file system without links: the name is claimed by an empty file
        os.close(os.open(goal, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        os.replace(temporary, goal)
        return
    os.unlink(temporary)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        os.unlink(path)


def _sync_folder(folder: Path) -> None:
    """Have the name itself survive a loss of power, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
