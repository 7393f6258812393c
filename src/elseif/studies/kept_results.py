"""What a long study keeps: one small file for each fit, and one run at a time in a folder."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any

from elseif.errors import FileExistsAlreadyError, ResourceError
from elseif.evaluation.contenders import FoldResult
from elseif.evaluation.table_of_classifiers import Place
from elseif.files.atomic import file_name, write_atomically

FORMAT, VERSION = "elseif fold", 1
LOCK = ".elseif-study.lock"
SHOWN = 16  # hexadecimal digits of a fingerprint in a file's name


class FileKeeper:
    """Keeps fits in a folder, written whole or not at all.

    A file's name holds the fingerprint of data, settings and versions: another run has other
    files, and what was kept is never mixed with it. A damaged file counts as absent.
    """

    def __init__(self, folder: Path, note: Callable[[str], None] = lambda text: None) -> None:
        self.folder = folder
        self.n_read = self.n_written = 0
        self._note = note

    def path(self, place: Place) -> Path:
        """Where a fit is kept."""
        name = (
            f"{file_name(place.contender)}-fold-{place.fold + 1}-{place.fingerprint[:SHOWN]}.json"
        )
        return self.folder / file_name(place.population) / name

    def read(self, place: Place) -> FoldResult | None:
        """What was kept of a fit; None where nothing whole is there."""
        path = self.path(place)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note(f"{path} cannot be read ({error.strerror or error}): computed again.")
            return None
        try:
            kept = json.loads(content)
            if kept["sha256"] != _checksum(kept) or kept["fingerprint"] != place.fingerprint:
                raise ValueError("its checksum differs")
            result = FoldResult.from_dict(kept["result"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._note(f"{path} is damaged: computed again.")
            return None
        self.n_read += 1
        return result

    def write(self, place: Place, result: FoldResult) -> None:
        """Keep a fit."""
        path = self.path(place)
        kept = {
            "format": FORMAT,
            "version": VERSION,
            "population": place.population,
            "contender": place.contender,
            "fold": place.fold + 1,
            "fingerprint": place.fingerprint,
            "result": result.to_dict(),
        }
        make_folder(path.parent)
        text = json.dumps({**kept, "sha256": _checksum(kept)}, allow_nan=False)
        write_atomically(path, text, force=True)
        self.n_written += 1

    def forget(self) -> None:
        """Remove everything that was kept, and nothing else."""
        for path in self.folder.glob(f"*/*-fold-*-{'[0-9a-f]' * SHOWN}.json"):
            path.unlink()


def make_folder(folder: Path) -> None:
    """Make a folder, or say why it cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ResourceError(f"{folder} cannot be made: {error.strerror or error}.") from error


def check_others(folder: Path, names: Iterable[str]) -> None:
    """Refuse to replace files in a folder in which no study was run before."""
    if (folder / LOCK).exists():
        return
    strange = [name for name in names if (folder / name).exists()]
    if strange:
        raise FileExistsAlreadyError(
            f"{folder} holds {strange[0]}, which a study would replace, and no study was run "
            "there before. Give another folder: --out."
        )


@contextlib.contextmanager
def only_run_in(folder: Path) -> Iterator[None]:
    """Refuse a second run in a folder while one is at work; its end lifts the lock."""
    try:
        file = (folder / LOCK).open("a")
    except OSError as error:
        raise ResourceError(f"Cannot write into {folder}: {error.strerror}.") from error
    with file:
        if not _locked(file):
            raise ResourceError(
                f"Another study is at work in {folder}. Wait for it to end, or use another "
                "folder: --out."
            )
        yield


def _locked(file: IO[str]) -> bool:
    """Lock a file where the system can; elsewhere two runs are not told apart."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover - Windows
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True


def _checksum(kept: dict[str, Any]) -> str:
    content = {key: value for key, value in kept.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode("ascii")).hexdigest()
