"""Compiled functions cached on disk; if anything is wrong with the cache, they are compiled again.

Numba trusts its cache files: a truncated one raises an obscure error, and one that was altered is
machine code that is run. Nor does it notice a change in another file whose functions were compiled
into a function: here all files of the package are watched.
"""

from __future__ import annotations

import contextlib
import hashlib
import pickle
from pathlib import Path
from typing import Any

from numba.core.caching import FunctionCache, IndexDataCacheFile
from numba.core.compiler_lock import global_compiler_lock

from elseif.forking import hold_over_forks

hold_over_forks(global_compiler_lock)  # a child could never compile


def digest_of_sources() -> str:
    """A digest of every source file that compiled code may come from."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


SOURCES = digest_of_sources()


def keep_on_disk(dispatcher: Any) -> Any:
    """Cache a function that ``njit`` has made on disk, if a folder can be written."""
    with contextlib.suppress(RuntimeError):  # neither the package's folder nor the user's
        dispatcher._cache = CheckedCache(dispatcher.py_func)
    return dispatcher


class CheckedCache(FunctionCache):
    """Numba's cache of a function, which is used if possible and never causes an error."""

    def __init__(self, py_func: Any) -> None:
        super().__init__(py_func)
        stamp = (self._impl.locator.get_source_stamp(), SOURCES)
        self._cache_file = CheckedFile(self.cache_path, self._impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled code for a signature; None if it is absent or damaged."""
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # anything can come of damaged files
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Save compiled code, unless the disk is full or files cannot be replaced."""
        with contextlib.suppress(Exception):
            super().save_overload(sig, data)


class CheckedFile(IndexDataCacheFile):
    """Numba's files of a function, with checksums."""

    def _dump(self, obj: Any) -> bytes:
        return pickle.dumps(Checked(super()._dump(obj)), protocol=pickle.HIGHEST_PROTOCOL)


class Checked:
    """A pickle within a pickle; the inner one is read only if its checksum is right."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def __reduce__(self) -> tuple[Any, ...]:
        return open_checked, (hashlib.sha256(self.content).digest(), self.content)


def open_checked(digest: bytes, content: bytes) -> Any:
    """The content of a ``Checked``."""
    if hashlib.sha256(content).digest() != digest:
        raise pickle.UnpicklingError("The checksum is another one.")
    return pickle.loads(content)
