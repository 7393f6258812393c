"""The memory that is available, and an error if more is needed."""

from __future__ import annotations

import re
from pathlib import Path

from elseif.errors import ResourceError

# where Linux says what there is, and what a container may have and has: of cgroups, both versions
MEMINFO = Path("/proc/meminfo")
CGROUPS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.current")),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.usage_in_bytes"),
    ),
)


def available_memory() -> float:
    """Bytes still available, on this machine and in its container; infinite if unknown."""
    least = float("inf")
    found = re.search(r"^MemAvailable:\s+(\d+) kB", _text(MEMINFO), re.MULTILINE)
    if found:
        least = 1024.0 * int(found[1])
    for limit, used in CGROUPS:
        limit_text, used_text = _text(limit).strip(), _text(used).strip()
        if limit_text.isdigit() and used_text.isdigit():  # "max" where there is no limit
            least = min(least, float(max(int(limit_text) - int(used_text), 0)))
    return least


def require_memory(what: str, n_bytes: float, advice: str) -> None:
    """Raise before anything is allocated if there is not enough memory.

    ``what`` begins the sentence of the message; ``advice`` is a sentence that names a setting.
    """
    available = available_memory()
    if n_bytes > available:
        raise ResourceError(
            f"{what} would take about {in_words(n_bytes)} of memory, and {in_words(available)} are "
            f"available. {advice}"
        )


def in_words(n_bytes: float) -> str:
    """A size in readable units."""
    return f"{n_bytes / 1e9:,.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:,.1f} MB"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
