"""The convergence report as a small piece of HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from elseif.sampler.convergence import Convergence

STYLE = "text-align:left;padding:0.15em 0.8em"


def convergence_html(convergence: Convergence) -> str:
    """The verdict in words, then its numbers; no colour is set, for any theme to show it."""
    verdict, *lines = str(convergence).splitlines()
    rows = []
    for line in lines:
        name, _, value = line.strip().partition("  ")
        rows.append(
            f'<tr><td style="{STYLE}">{escape(name)}</td>'
            f'<td style="{STYLE}">{escape(value.strip())}</td></tr>'
        )
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return f"<div><p><b>{escape(verdict)}</b></p>{table}</div>"
