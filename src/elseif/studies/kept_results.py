"""Results kept by a long study: one small file per fit, readable by its owner only."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from elseif.evaluation import FitKey, FoldResult
from elseif.files import file_name, is_sealed, make_private_folder, sealed_text, write_atomically

FORMAT, VERSION = "elseif fold", 1
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

    def path(self, key: FitKey) -> Path:
        """Where a fit is kept."""
        name = f"{file_name(key.contender)}-fold-{key.fold + 1}-{key.fingerprint[:SHOWN]}.json"
        return self.folder / file_name(key.population) / name

    def read(self, key: FitKey) -> FoldResult | None:
        """The stored result of a fit; None if there is no complete one."""
        path = self.path(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._note(f"{path} cannot be read ({error.strerror or error}): computed again.")
            return None
        try:
            kept = json.loads(content)
            if not is_sealed(kept) or kept["fingerprint"] != key.fingerprint:
                raise ValueError("its checksum differs")
            result = FoldResult.from_dict(kept["result"])
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._note(f"{path} is damaged: computed again.")
            return None
        self.n_read += 1
        return result

    def write(self, key: FitKey, result: FoldResult) -> None:
        """Keep a fit."""
        path = self.path(key)
        kept = {
            "format": FORMAT,
            "version": VERSION,
            "population": key.population,
            "contender": key.contender,
            "fold": key.fold + 1,
            "fingerprint": key.fingerprint,
            "result": result.to_dict(),
        }
        self.make_folder()
        make_private_folder(path.parent)
        write_atomically(path, sealed_text(kept), force=True, private=True)
        self.n_written += 1

    def make_folder(self) -> None:
        """Make the folder, into which nobody else can look: what is kept is about individuals."""
        make_private_folder(self.folder)

    def forget(self) -> None:
        """Remove everything that was kept, and nothing else."""
        for path in self.folder.glob(f"*/*-fold-*-{'[0-9a-f]' * SHOWN}.json"):
            path.unlink()
