"""elseif open PAGE: a report, calculator or explorer in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from elseif.cli.output import say_wrapped
from elseif.errors import ParamError
from elseif.visible import visible

ENDINGS = (".html", ".htm")
OTHERS = {
    ".json": "a model file, which elseif show prints",
    ".csv": "a table, which elseif fit learns from",
}


def open_page(
    page: Annotated[
        Path,
        typer.Argument(
            metavar="PAGE", help="Report, calculator or explorer (HTML).", show_default=False
        ),
    ],
) -> None:
    """Open a report, a calculator or an explorer in the browser.

    If there is no browser, the path is printed.
    """
    check_page(page)
    path = page.resolve()
    if in_browser(path.as_uri()):
        print(visible(f"Opened: {path}"))
    else:
        say_wrapped("There is no browser here. Copy the page to a machine that has one:")
        print(visible(str(path)))


def check_page(page: Path) -> None:
    """Refuse anything that is not a page, and say what it is."""
    if page.is_dir():
        pages = sorted(p.name for p in page.iterdir() if p.suffix.lower() in ENDINGS)
        within = f"it has {', '.join(pages[:5])}" if pages else "it has no page"
        raise ParamError(f"{page} is a folder; {within}. Say which page to open.")
    if not page.exists():
        raise ParamError(
            f"{page}: there is no such file. elseif report MODEL TABLE --out {page.name} writes a "
            "report."
        )
    if page.suffix.lower() not in ENDINGS:
        what = OTHERS.get(page.suffix.lower(), "no page")
        raise ParamError(f"{page.name} is {what}; a page's name ends in .html.")


def in_browser(address: str) -> bool:
    """Open an address in the browser, if there is one that shows it."""
    import webbrowser

    try:
        return webbrowser.open(address)
    except webbrowser.Error:
        return False
