"""Files that a verb writes: checked before the long work, named after it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from elseif.errors import ParamError


def check_outputs(paths: Sequence[Path | None], force: bool) -> None:
    """Refuse before the work what could not be written after it."""
    wanted = [path for path in paths if path is not None]
    if not wanted:
        return
    from elseif.export.safe_files import check_writable

    for path in wanted:
        check_writable(path, force)
    seen: set[Path] = set()
    for path in wanted:
        resolved = path.resolve()
        if resolved in seen:
            raise ParamError(f"Two outputs would be written to {path}.")
        seen.add(resolved)


def say_saved(what: str, path: Path) -> None:
    """Where something now is."""
    print(f"{what}: {path}")
