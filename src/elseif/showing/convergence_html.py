"""The convergence report as a small piece of HTML for notebooks."""

from __future__ import annotations

from html import escape

STYLE = "text-align:left;padding:0.15em 0.8em"


def convergence_html(text: str) -> str:
    """The verdict in words, then its numbers; no colour is set, for any theme to show it.

    Parameters
    ----------
    text : str
        The report as text: the verdict, then lines of a name, two blanks or more, and a value.

    Returns
    -------
    str
        A piece of HTML.
    """
    verdict, *lines = text.splitlines()
    rows = []
    for line in lines:
        name, _, value = line.strip().partition("  ")
        rows.append(
            f'<tr><td style="{STYLE}">{escape(name)}</td>'
            f'<td style="{STYLE}">{escape(value.strip())}</td></tr>'
        )
    table = f"<table><tbody>{''.join(rows)}</tbody></table>"
    return f"<div><p><b>{escape(verdict)}</b></p>{table}</div>"
