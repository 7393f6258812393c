"""Files written atomically, and never over another unless asked."""

from __future__ import annotations

import contextlib
import io
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from elseif.errors import ElseifError, FileExistsAlreadyError, ResourceError
from elseif.files.temporary import new_temporary, remove_leftovers

ANYBODY, OWNER = 0o666, 0o600  # the system's mask takes from the first what it takes of any file


def write_atomically(
    path: str | os.PathLike[str],
    data: bytes | str,
    force: bool = False,
    private: bool = False,
) -> Path:
    """Write a file as a whole or not at all.

    The content goes into a new file beside the old one, which stays intact until the end.

    Parameters
    ----------
    path : str or path
        The file.
    data : bytes or str
        Its content; text is written as UTF-8.
    force : bool, default=False
        Whether a file that exists may be replaced. A link is followed only with force; then the
        file that it points to is replaced.
    private : bool, default=False
        Whether only its owner may read it, as is right for rows about patients.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> from elseif.files import write_atomically
    >>> write_atomically("note.txt", "two events").read_text()
    'two events'
    """
    content = data.encode("utf-8") if isinstance(data, str) else data
    remove_leftovers(Path(path).parent)
    with new_file(path, force, private, len(content)) as file:
        file.write(content)
    return Path(path)


@contextlib.contextmanager
def new_file(
    path: str | os.PathLike[str],
    force: bool = False,
    private: bool = False,
    size: int | None = None,
) -> Iterator[Any]:
    """Open a binary file that appears under its name only when it is complete.

    Its permissions are as strict as those of the file it replaces, from the moment it is made.

    Parameters
    ----------
    path : str or path
        The file.
    force : bool, default=False
        Whether a file that exists may be replaced.
    private : bool, default=False
        Whether only its owner may read it.
    size : int, default=None
        Expected size in bytes, for messages.

    Yields
    ------
    binary file
        To write to. After an error nothing is left behind.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.files import new_file
    >>> with new_file("figure.bin") as file:
    ...     n = file.write(b"abc")
    >>> Path("figure.bin").read_bytes()
    b'abc'
    """
    path = Path(path)
    check_writable(path, force)
    # a link's own folder may be on another disk, where no rename reaches the file
    goal = path.resolve() if path.is_symlink() else path
    with _errors_in_words(path, size):
        earlier = goal.stat() if goal.exists() else None
        mode = (OWNER if private else ANYBODY) & (0o777 if earlier is None else earlier.st_mode)
        handle, temporary = new_temporary(goal, mode)
        try:
            if earlier is not None:
                _give_to(handle, earlier)
            with _Whole(handle) as file:
                yield file
            os.fsync(handle)
            _name(temporary, goal, force)
        finally:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            os.close(handle)
    _sync_folder(goal.parent)


def move_into_place(temporary: Path, path: str | os.PathLike[str], force: bool = False) -> None:
    """Give a whole file that another library has written its name, as ``new_file`` does."""
    path = Path(path)
    check_writable(path, force)
    goal = path.resolve() if path.is_symlink() else path
    with _errors_in_words(path, temporary.stat().st_size):
        handle = os.open(temporary, os.O_RDWR)
        try:
            if goal.exists():
                temporary.chmod(stat.S_IMODE(temporary.stat().st_mode & goal.stat().st_mode))
                _give_to(handle, goal.stat())
            os.fsync(handle)
        finally:
            os.close(handle)
        _name(temporary, goal, force)
    _sync_folder(goal.parent)


def check_writable(path: str | os.PathLike[str], force: bool = False) -> None:
    """Refuse a name that cannot be written, which is best known before long work."""
    path = Path(path)
    if "\0" in str(path) or not path.name:
        raise ResourceError(f"{str(path)!r} is not a valid file name.")
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


class _Whole(io.RawIOBase):
    """An open file whose writes are whole: the system may take less than it is given."""

    def __init__(self, handle: int) -> None:
        super().__init__()
        self._handle = handle

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        n = len(view)
        while view:
            view = view[os.write(self._handle, view) :]
        return n

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        return os.lseek(self._handle, offset, whence)

    def tell(self) -> int:
        return os.lseek(self._handle, 0, os.SEEK_CUR)


@contextlib.contextmanager
def _errors_in_words(path: Path, size: int | None) -> Iterator[None]:
    try:
        yield
    except ElseifError:  # of what the content comes from
        raise
    except FileExistsError as error:  # made by somebody else in the meantime
        raise FileExistsAlreadyError(_taken(path)) from error
    except OSError as error:
        what = "the file" if size is None else f"{size:,} bytes"
        raise ResourceError(
            f"{path}: {what} could not be written ({error.strerror or error}). "
            "What was there before is unchanged."
        ) from error


def _taken(path: Path) -> str:
    what = "is a link" if path.is_symlink() else "is there already"
    return f"{path} {what}; it is overwritten only with force=True (--force)."


def _give_to(handle: int, earlier: os.stat_result) -> None:
    """Keep the owner and group of the replaced file, to which its mode refers."""
    made = os.fstat(handle)
    if (made.st_uid, made.st_gid) == (earlier.st_uid, earlier.st_gid) or not hasattr(os, "fchown"):
        return
    try:
        os.fchown(handle, earlier.st_uid, earlier.st_gid)
    except OSError:
        if made.st_gid != earlier.st_gid:
            os.fchmod(handle, stat.S_IMODE(made.st_mode) & ~0o070)


def _name(temporary: Path, goal: Path, force: bool) -> None:
    """Rename the new file; FileExistsError if it would replace another and must not."""
    if force:
        os.replace(temporary, goal)
        return
    try:
        os.link(temporary, goal)  # unlike rename, a link never replaces
    except FileExistsError:
        raise
    except OSError:  # a file system without links: the name is claimed by an empty file
        os.close(os.open(goal, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER))
        os.replace(temporary, goal)
        return
    os.unlink(temporary)


def _sync_folder(folder: Path) -> None:
    """Have the name itself survive a loss of power, where the system can."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
