"""Links between pages written by one command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote


def links_from(page: Path, others: Mapping[str, Path | None]) -> dict[str, str]:
    """Relative addresses of other pages, as seen from one page.

    They consist of file and folder names only: a name such as ``javascript:x`` is escaped, and "my
    list.html" becomes "my%20list.html". Files without a relative path (on another drive) are left
    out.
    """
    folder = page.absolute().parent
    links = {}
    for what, other in others.items():
        if other is None:
            continue
        try:
            relative = Path(os.path.relpath(other.absolute(), folder))
        except ValueError:
            continue
        links[what] = quote(relative.as_posix())
    return links
