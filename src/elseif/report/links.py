"""Links between pages written by one command."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote


def links_from(page: Path, others: Mapping[str, Path | None]) -> dict[str, str]:
    """Addresses of other pages, relative to one of them, by what they are.

    Parameters
    ----------
    page : Path
        The page that has the links.
    others : mapping of str to Path or None
        Files by what they are; None for what is not written.

    Returns
    -------
    dict of str to str
        Only names of files and folders: a name such as ``javascript:x`` is escaped. Files that
        cannot be reached by a relative path (another drive) are left out.

    Examples
    --------
    >>> from pathlib import Path
    >>> from elseif.report.links import links_from
    >>> links_from(Path("out/report.html"), {"calculator": Path("out/my list.html")})
    {'calculator': 'my%20list.html'}
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
