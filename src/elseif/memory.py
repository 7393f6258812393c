"""The memory that is available, and an error if more is needed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path

from elseif.errors import ResourceError

# where Linux reports available memory, and a process's limit and use
MEMINFO, STATM = Path("/proc/meminfo"), Path("/proc/self/statm")
MEMBERSHIP, CGROUP_ROOT = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
# of cgroups of version 1 and 2: limit, use, and the part of the use that can be given back
FILES = {
    1: ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    2: ("memory.max", "memory.current", "inactive_file"),
}


def available_memory() -> float:
    """Bytes left on this machine, in its container, and by ``ulimit -v``; infinite if unknown."""
    match = re.search(r"^MemAvailable:\s+(\d+) kB", _text(MEMINFO), re.MULTILINE)
    of_machine = 1024.0 * int(match[1]) if match else float("inf")
    return min(of_machine, _left_of_address_space(), *_left_in_cgroups())


def _left_of_address_space() -> float:
    try:
        import resource
    except ImportError:  # Windows has no such limits
        return float("inf")
    limit, pages = resource.getrlimit(resource.RLIMIT_AS)[0], _text(STATM).split()
    if limit == resource.RLIM_INFINITY or not pages:
        return float("inf")
    return float(max(limit - int(pages[0]) * resource.getpagesize(), 0))


def _left_in_cgroups() -> Iterator[float]:
    """The memory left in the process's cgroup and in its ancestors, each with its limit."""
    paths = {1: "/", 2: "/"}  # in a container its own is the root
    for line in _text(MEMBERSHIP).splitlines():
        _, controllers, path = [*line.split(":", 2), "", ""][:3]
        if ".." not in path and {"", "memory"} & {*controllers.split(",")}:
            paths[2 if controllers == "" else 1] = path
    for version, path in paths.items():
        root = CGROUP_ROOT / "memory" if version == 1 else CGROUP_ROOT
        own = root / path.strip("/")
        for folder in (own, *own.parents):
            yield _left_in(folder, *FILES[version])
            if folder == root:
                break


def _left_in(folder: Path, limit_file: str, used_file: str, cache: str) -> float:
    limit, used = _text(folder / limit_file).strip(), _text(folder / used_file).strip()
    if not (limit.isdigit() and used.isdigit()):  # "max" where there is no limit
        return float("inf")
    # files that were read count as used until the room is needed
    match = re.search(rf"^{cache} (\d+)$", _text(folder / "memory.stat"), re.MULTILINE)
    given_back = int(match[1]) if match else 0
    return float(max(int(limit) - max(int(used) - given_back, 0), 0))


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


def enough(n_bytes: float) -> str:
    """A size as the value of ``max_memory`` that is enough: of two digits, rounded up."""
    digits = 10.0 ** (math.floor(math.log10(n_bytes)) - 1)
    return f"{math.ceil(n_bytes / digits) * digits:.2g}"


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return ""
