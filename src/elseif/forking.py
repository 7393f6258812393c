"""Locks taken before a fork, because the child would have no thread to release them."""

from __future__ import annotations

import os
import threading
from typing import Any

# held while modules of compiled code are loaded, which takes a second: Python leaves its own locks
# of modules to a child as they are
LOADING = threading.RLock()
# in the order in which a thread may take them
_locks: list[Any] = [LOADING]
_held: list[Any] = []


def hold_over_forks(lock: Any) -> None:
    """Acquire a re-entrant lock before this process forks, so that no other thread holds it."""
    _locks.append(lock)


def _hold() -> None:
    for lock in _locks:  # while the first is waited for, others may be added
        lock.acquire()
        _held.append(lock)


def _release() -> None:
    while _held:
        _held.pop().release()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_hold, after_in_parent=_release, after_in_child=_release)
